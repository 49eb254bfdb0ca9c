# Trap entries and privilege changes of traps.c. Both entries save all registers in a frame of 32 words: x1 to x31 at
# their number, the EPC at 0.
#if __riscv_xlen == 64
#define SREG sd
#define LREG ld
#define W 8
#else
#define SREG sw
#define LREG lw
#define W 4
#endif
#define FRAME (34 * W)          /* the registers, one word of mstatus, and rounding to 16 */

.macro save_registers base      # all but sp and the base register itself
    .irp n, 1,3,4,5,6,7,8,9,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    SREG x\n, \n*W(\base)
    .endr
.endm
.macro load_registers base
    .irp n, 1,3,4,5,6,7,8,9,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    LREG x\n, \n*W(\base)
    .endr
.endm

    .text
    .globl m_vector, s_entry, enter_supervisor, jump_to, m_done, m_interrupts

# Machine mode, vectored: exceptions at 0, interrupt c at 4*c.
    .balign 64
    .type m_vector, @function
m_vector:
    .option push
    .option norvc
    j m_exception
    j m_exception               # supervisor software: delegated
    j m_exception
    j m_software
    j m_exception
    j m_exception               # supervisor timer: delegated
    j m_exception
    j m_timer
    .option pop
    .size m_vector, . - m_vector

# mscratch holds the machine stack while a lower mode runs and 0 in machine mode: there the stack goes on, so
# that a handler can trap itself.
.macro m_enter
    csrrw sp, mscratch, sp
    bnez sp, 1f
    csrr sp, mscratch
1:  addi sp, sp, -FRAME
    save_registers sp
    SREG a0, 10*W(sp)
    csrrw t0, mscratch, zero
    bnez t0, 2f
    addi t0, sp, FRAME
2:  SREG t0, 2*W(sp)
    csrr t0, mepc
    SREG t0, 0(sp)
    csrr t0, mstatus
    SREG t0, 32*W(sp)
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    mv a0, sp
.endm

    .type m_exception, @function
m_exception:
    m_enter
    csrr a1, mcause
    csrr a2, mtval
    call m_handle_exception
    j m_leave
    .size m_exception, . - m_exception

    .type m_software, @function
m_software:
    m_enter
    call m_handle_software
    j m_leave
    .size m_software, . - m_software

    .type m_timer, @function
m_timer:
    m_enter
    call m_handle_timer
    j m_leave
    .size m_timer, . - m_timer

    .type m_leave, @function
m_leave:
    LREG t0, 0(sp)
    csrw mepc, t0
    LREG t0, 32*W(sp)
    csrw mstatus, t0
    srli t0, t0, 11
    andi t0, t0, 3
    li t1, 3
    beq t0, t1, 1f              # back to machine mode: mscratch stays 0
    addi t0, sp, FRAME
    csrw mscratch, t0
1:  load_registers sp
    LREG a0, 10*W(sp)
    LREG sp, 2*W(sp)
    mret
    .size m_leave, . - m_leave

# void enter_supervisor(entry, stack): runs entry in supervisor mode until it asks machine mode to end.
    .type enter_supervisor, @function
enter_supervisor:
    addi sp, sp, -16*W
    SREG ra, 12*W(sp)
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11
    SREG s\n, \n*W(sp)
    .endr
    csrw mscratch, sp
    csrw mepc, a0
    li t0, 3 << 11
    csrc mstatus, t0
    li t0, 1 << 11
    csrs mstatus, t0            # MPP = S
    mv sp, a1
    mret
    .size enter_supervisor, . - enter_supervisor

# Where the machine handler returns to when the supervisor is done; sp is what enter_supervisor left in mscratch.
    .type m_done, @function
m_done:
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11
    LREG s\n, \n*W(sp)
    .endr
    LREG ra, 12*W(sp)
    addi sp, sp, 16*W
    ret
    .size m_done, . - m_done

# jump_to(address): the instruction fetch there faults; the handler returns to ra.
    .type jump_to, @function
jump_to:
    jr a0
    .size jump_to, . - jump_to

# Supervisor mode, direct. sscratch points to the frame of the task that runs. The handler gives the frame to go on with.
    .balign 4
    .type s_entry, @function
s_entry:
    csrrw a0, sscratch, a0
    save_registers a0
    SREG sp, 2*W(a0)
    csrr t0, sscratch
    SREG t0, 10*W(a0)
    csrr t0, sepc
    SREG t0, 0(a0)
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    la sp, s_stack_top
    csrr a1, scause
    csrr a2, stval
    call s_handle
    .globl s_resume
s_resume:                       # a0: the frame
    csrw sscratch, a0
    LREG t0, 0(a0)
    csrw sepc, t0
    load_registers a0
    LREG sp, 2*W(a0)
    LREG a0, 10*W(a0)
    sret
    .size s_entry, . - s_entry

    .bss
    .balign 16
    .globl s_stack_top
    .space 1024
s_stack_top:
