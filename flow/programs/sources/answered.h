/* SPDX-License-Identifier: Apache-2.0 */
/* Included before syscalls.c of riscv-tests, whose requests wait until a host stores to `fromhost`: here each is
   answered at once, so that a program needs no host, and no memory changes that the program did not write. */
#ifndef __ASSEMBLER__
#include <stdint.h>
volatile uint64_t *host_answer(void);
#define fromhost (*host_answer())
#endif
