# SPDX-License-Identifier: Apache-2.0
"""Rows of the files that cores_tb writes; `flow/generate/rows.py` generates their SystemVerilog."""

from __future__ import annotations

from rvtrace.models.tandem.table import CSR_SLOTS
from rvtrace.tb.common.layout import JOIN, Field, Layout, Rows, Zero

# rvfi.bin: one row for each cycle with rvfi_valid, from the first instruction of the program to the one before `halt`.
# unknown: a bit of the row was X. csr_valid: which of the CSR slots the instruction wrote.
RVFI = Layout(
    "rvfi",
    (
        Field("cycle", "<u8", 64),
        Field("order", "<u8", 64),
        Field("pc", "<u8", "Xlen"),
        Field("next_pc", "<u8", "Xlen"),
        Field("rd_value", "<u8", "Xlen"),
        Field("mem_addr", "<u8", "Xlen"),
        Field("mem_rdata", "<u8", "Xlen"),
        Field("mem_wdata", "<u8", "Xlen"),
        Field("insn", "<u4", 32),
        Field("trap", "u1", 1),
        Field("intr", "u1", 1),
        Field("unknown", "u1", 1),
        Field("rd", "u1", 5),
        Field("rmask", "u1", 8),
        Field("wmask", "u1", 8),
        Field("mode", "u1", 2),
        Field("csr_valid", "u1", CSR_SLOTS),
        *(Field(f"csr_addr{slot}", "<u2", 12) for slot in range(CSR_SLOTS)),
        *(Field(f"csr{slot}", "<u8", "Xlen") for slot in range(CSR_SLOTS)),
    ),
)

# trap.bin: one row for each event of the trap port. retired: rows of rvfi.bin before it. mode_from, mode: before and
# after it.
TRAP = Layout(
    "trap",
    (
        Field("cycle", "<u8", 64),
        Field("retired", "<u8", 64),
        Field("cause", "<u8", "Xlen"),
        Field("tval", "<u8", "Xlen"),
        Field("epc", "<u8", "Xlen"),
        Field("status", "<u8", "Xlen"),
        Field("interrupt", "u1", 1),
        Field("mode_from", "u1", 2),
        Field("mode", "u1", 2),
        Zero(5),
    ),
)

ROWS = Rows({"Xlen": 32}, ((RVFI, JOIN), (TRAP, JOIN)))
