# The flow a compiler never makes: co-routines that swap ra with t0, and a millicode linked through t1 and t2.
    .text
    .globl sum_generated, count_bits

# a0 = 1 + 4 + 9 + ... + n*n. The generator's resume address is in t0, the consumer's in ra.
    .type sum_generated, @function
sum_generated:
    mv a4, ra
    mv a1, a0
    li a0, 0
    la t0, generator
1:  jalr ra, 0(t0)              # swap to the generator: rd = ra, rs1 = t0
    add a0, a0, a2
    addi a1, a1, -1
    bnez a1, 1b
    jr a4                       # back through a register that is no link register
    .size sum_generated, . - sum_generated

    .type generator, @function
generator:
    li a3, 0
1:  addi a3, a3, 1
    mul a2, a3, a3
    jalr t0, 0(ra)              # swap to the consumer: rd = t0, rs1 = ra
    j 1b
    .size generator, . - generator

# a0 = bits set in a0. Two helpers, one called by jal through t1, one by jalr through t2.
    .type count_bits, @function
count_bits:
#if __riscv_xlen == 64
    slli a0, a0, 32             # a 32-bit argument comes sign-extended
    srli a0, a0, 32
#endif
    li a1, 0
    la a3, clear_lowest
1:  jal t1, add_one
    jalr t2, 0(a3)
    bnez a0, 1b
    mv a0, a1
    ret
    .size count_bits, . - count_bits

    .type add_one, @function
add_one:
    snez a2, a0
    add a1, a1, a2
    jr t1
    .size add_one, . - add_one

    .type clear_lowest, @function
clear_lowest:
    addi a2, a0, -1
    and a0, a0, a2
    jr t2
    .size clear_lowest, . - clear_lowest
