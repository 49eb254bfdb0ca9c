# Trap entries of traps.c. The vectors lie on a boundary of 256 bytes: some cores have no other ones. An entry saves all
# registers in a frame: mepc, x1 to x31 at their number, mstatus.
#define FRAME (36 * 4)          /* the registers, mstatus, and rounding to 16 bytes */

.macro save_registers           # all but sp
    .irp n, 1,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    sw x\n, \n*4(sp)
    .endr
.endm

    .text
    .globl m_vector, enter_user, jump_to, m_done

# Exceptions at 0, interrupt c at 4*c.
    .balign 256
    .type m_vector, @function
m_vector:
    .option push
    .option norvc
    j m_exception
    j m_exception
    j m_exception
    j m_software
    j m_exception
    j m_exception
    j m_exception
    j m_timer
    .rept 24
    j m_exception
    .endr
    .option pop
    .size m_vector, . - m_vector

# mscratch holds the machine stack while user mode runs and 0 in machine mode: there the stack goes on, so that a handler
# can trap itself.
.macro m_enter
    csrrw sp, mscratch, sp
    bnez sp, 1f
    csrr sp, mscratch
1:  addi sp, sp, -FRAME
    save_registers
    csrrw t0, mscratch, zero
    bnez t0, 2f
    addi t0, sp, FRAME
2:  sw t0, 2*4(sp)
    csrr t0, mepc
    sw t0, 0(sp)
    csrr t0, mstatus
    sw t0, 32*4(sp)
    mv a0, sp
.endm

    .type m_exception, @function
m_exception:
    m_enter
    csrr a1, mcause
    csrr a2, mtval
    call handle_exception
    j m_leave
    .size m_exception, . - m_exception

    .type m_software, @function
m_software:
    m_enter
    call handle_software
    j m_leave
    .size m_software, . - m_software

    .type m_timer, @function
m_timer:
    m_enter
    call handle_timer
    j m_leave
    .size m_timer, . - m_timer

    .type m_leave, @function
m_leave:
    lw t0, 0(sp)
    csrw mepc, t0
    lw t0, 32*4(sp)
    csrw mstatus, t0
    srli t0, t0, 11
    andi t0, t0, 3
    li t1, 3
    beq t0, t1, 1f              # back to machine mode: mscratch stays 0
    addi t0, sp, FRAME
    csrw mscratch, t0
1:  .irp n, 1,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    lw x\n, \n*4(sp)
    .endr
    lw sp, 2*4(sp)
    mret
    .size m_leave, . - m_leave

# void enter_user(entry, stack): runs entry in user mode until it asks machine mode to end.
    .type enter_user, @function
enter_user:
    addi sp, sp, -16*4
    sw ra, 12*4(sp)
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11
    sw s\n, \n*4(sp)
    .endr
    csrw mscratch, sp
    csrw mepc, a0
    li t0, 3 << 11
    csrc mstatus, t0            # MPP = U
    mv sp, a1
    mret
    .size enter_user, . - enter_user

# Where the handler returns to when the task is done; sp is what enter_user left in mscratch.
    .type m_done, @function
m_done:
    .irp n, 0,1,2,3,4,5,6,7,8,9,10,11
    lw s\n, \n*4(sp)
    .endr
    lw ra, 12*4(sp)
    addi sp, sp, 16*4
    ret
    .size m_done, . - m_done

# jump_to(address): the instruction fetch there faults; the handler returns to ra.
    .type jump_to, @function
jump_to:
    jr a0
    .size jump_to, . - jump_to

    .bss
    .balign 16
    .globl user_stack_top
    .space 2048
user_stack_top:
