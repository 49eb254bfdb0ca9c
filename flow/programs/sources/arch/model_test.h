/* SPDX-License-Identifier: Apache-2.0 */
/* What riscv-arch-test wants to know of a machine: RAM, no interrupts that software can set, an end by `tohost`. */
#ifndef MODEL_TEST_H
#define MODEL_TEST_H

#define RVMODEL_BOOT

#define RVMODEL_HALT \
        li t1, 1; \
1:      la t0, tohost; \
        sw t1, 0(t0); \
        j 1b;

#define RVMODEL_DATA_BEGIN \
        .pushsection .tohost, "aw", @progbits; \
        .balign 64; .global tohost; tohost: .dword 0; \
        .balign 64; .global fromhost; fromhost: .dword 0; \
        .popsection; \
        .balign 16; .global begin_signature; begin_signature:

#define RVMODEL_DATA_END \
        .balign 16; .global end_signature; end_signature:

#define RVMODEL_IO_INIT
#define RVMODEL_IO_WRITE_STR(register, text)
#define RVMODEL_IO_CHECK()
#define RVMODEL_IO_ASSERT_GPR_EQ(register, other, value)
#define RVMODEL_IO_ASSERT_SFPR_EQ(register, other, value)
#define RVMODEL_IO_ASSERT_DFPR_EQ(register, other, value)

#define RVMODEL_SET_MSW_INT
#define RVMODEL_CLEAR_MSW_INT
#define RVMODEL_CLEAR_MTIMER_INT
#define RVMODEL_CLEAR_MEXT_INT
#define RVMODEL_SET_SSW_INT
#define RVMODEL_CLEAR_SSW_INT
#define RVMODEL_CLEAR_STIMER_INT
#define RVMODEL_CLEAR_SEXT_INT

#endif
