# SPDX-License-Identifier: Apache-2.0
# Entry in S-mode, the trap handler, and one CSR access whose number is data.
    .section .text.start, "ax"
    .globl _start
_start:
    la sp, stack_top
    la t0, trap
    csrw stvec, t0
    csrw sie, zero
    call supervisor         # does not return

# A trap leaves scause and goes on after the instruction, which always has 4 bytes here.
    .balign 4
trap:
    csrw sscratch, t0
    csrr t0, sepc
    addi t0, t0, 4
    csrw sepc, t0
    csrr t0, sscratch
    sret

# unsigned long csr_access(unsigned long value): the instruction in `csr_instruction` is put here first.
    .globl csr_access, csr_instruction
    .balign 4
csr_access:
csr_instruction:
    nop
    ret
