/* SPDX-License-Identifier: Apache-2.0 */
/* The package's riscv_test.h wants addresses of a testbench of Ibex; riscv_test.h beside this file needs none. */
