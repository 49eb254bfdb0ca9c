# Reset: stack, .bss, the program, its result, then `halt`. Recording begins at _start and ends before `halt`.
#if __riscv_xlen == 64
#define SREG sd
#define REGBYTES 8
#else
#define SREG sw
#define REGBYTES 4
#endif

    .section .text.start, "ax"
    .globl _start, halt, result
    .type _start, @function
_start:
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    la sp, stack_top
    la t0, bss_start
    la t1, bss_end
1:  bgeu t0, t1, 2f
    SREG zero, 0(t0)
    addi t0, t0, REGBYTES
    j 1b
2:  call program
    la t0, result
    sw a0, 0(t0)
    .size _start, . - _start

    .type halt, @function
halt:
    j halt
    .size halt, . - halt

    .section .sdata, "aw"
    .balign 4
    .type result, @object
result:
    .word 0
    .size result, 4
