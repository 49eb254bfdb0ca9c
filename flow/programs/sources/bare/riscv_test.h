// SPDX-License-Identifier: Apache-2.0
// Environment of the ISA tests for harts without the trap CSRs that the "p" environment sets up: no initialization, no handler. The
// number of the test that failed, shifted left by one, plus 1 goes to tohost; 1 if all passed.
#ifndef BARE_RISCV_TEST_H
#define BARE_RISCV_TEST_H

#define TESTNUM gp
#define RVTEST_RV32U
#define RVTEST_RV64U

#define RVTEST_CODE_BEGIN  .section .text.init; .balign 64; .globl _start; _start: li TESTNUM, 0
#define RVTEST_CODE_END    unimp
#define RVTEST_PASS        li TESTNUM, 1; la t5, tohost; sw TESTNUM, 0(t5); 1: j 1b
#define RVTEST_FAIL        slli TESTNUM, TESTNUM, 1; ori TESTNUM, TESTNUM, 1; la t5, tohost; sw TESTNUM, 0(t5); 1: j 1b

#define EXTRA_DATA
#define RVTEST_DATA_BEGIN                                             \
  EXTRA_DATA                                                          \
  .pushsection .tohost, "aw", @progbits;                              \
  .balign 64; .globl tohost; tohost: .dword 0; .size tohost, 8;       \
  .balign 64; .globl fromhost; fromhost: .dword 0; .size fromhost, 8; \
  .popsection;                                                        \
  .balign 16; .globl begin_signature; begin_signature:
#define RVTEST_DATA_END .balign 16; .globl end_signature; end_signature:

#endif
