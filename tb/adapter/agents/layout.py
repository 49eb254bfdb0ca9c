# SPDX-License-Identifier: Apache-2.0
"""Rows of the files between Python and adapter_tb; `flow/generate/rows.py` generates their SystemVerilog."""

from __future__ import annotations

from rvtrace.tb.common.layout import JOIN, SPLIT, Bits, Field, Layout, Rows, Slots, Zero
from rvtrace.tb.subsystem.agents import layout as subsystem

# RVFI, of each channel: the widest fields first. csr_valid: a bit for each slot.
CHANNEL: tuple[Field | Zero, ...] = (
    Field("order", "<u8", 64),
    Field("rd_wdata", "<u8", "Xlen"),
    Field("pc_rdata", "<u8", "Xlen"),
    Field("pc_wdata", "<u8", "Xlen"),
    Field("mem_addr", "<u8", "Xlen"),
    Field("mem_rdata", "<u8", "Xlen"),
    Field("mem_wdata", "<u8", "Xlen"),
    Field("frd_wdata", "<u8", "FBits"),
    Field("csr_wdata", "<u8", "Xlen", elements=4),
    Field("insn", "<u4", 32),
    Field("context", "<u4", 32),
    Field("fcsr", "<u4", 32),
    Field("csr_addr", "<u2", 12, elements=4),
    Field("csr_valid", "u1", 4),
    Field("rd_addr", "u1", 5),
    Field("frd_addr", "u1", 5),
    Field("mem_rmask", "u1", "XBytes"),
    Field("mem_wmask", "u1", "XBytes"),
    Field("mode", "u1", 2),
    Field("ixl", "u1", 2),
    Field("trap", "u1", 1),
    Field("halt", "u1", 1),
    Field("intr", "u1", 1),
    Field("virt", "u1", 1),
    Field("debug", "u1", 1),
    Field("frd_valid", "u1", 1),
    Field("fcsr_valid", "u1", 1),
    Field("valid", "u1", 1),
    Zero(4),
)
CHANNELS = Slots("channels", "channel", CHANNEL, "NRet")

# The trap port.
EVENT: tuple[Field | Zero, ...] = (
    Field("trap_cause", "<u8", "Xlen"),
    Field("trap_tval", "<u8", "Xlen"),
    Field("trap_epc", "<u8", "Xlen"),
    Field("trap_status", "<u8", "Xlen"),
    Field("trap_from", "u1", 3),
    Field("trap_mode", "u1", 3),
    Field("trap_interrupt", "u1", 1),
    Field("trap_valid", "u1", 1),
    Zero(4),
)

# The player's file. gap: idle cycles before the row. Nothing of it is a level.
STIMULUS = Layout("stimulus", (Field("gap", "<u8"), Zero(8), *EVENT, CHANNELS), levels=0)

# hart.bin: every cycle with rows that was taken at the hart port, and every change of halted.
HALTED = Bits("halted", 0)
HART = Layout("hart", (Field("cycle", "<u8", 64), Field("levels", "<u4", parts=(HALTED,)), Zero(4), subsystem.SLOTS))

# ingress.bin: every cycle with blocks that was taken at the ingress port, and every change of halted. once: what
# E-Trace has once a cycle.
CTYPE = Bits("ctype", 1, 2)
LANES = Slots(
    "lanes",
    "block",
    (
        Field("iaddr", "<u8", "Xlen"),
        Field("tval", "<u8", "Xlen"),
        Field("once_tval", "<u8", "Xlen"),
        Field("context", "<u4", 32),
        Field("iretire", "<u2", "IRetireWidth"),
        Field("cause", "u1", 8),
        Field("once_cause", "u1", 8),
        Field("itype", "u1", 4),
        Field("priv", "u1", 3),
        Field("ilastsize", "u1", 1),
        Zero(5),
    ),
    "NBlocks",
)
INGRESS = Layout("ingress", (Field("cycle", "<u8", 64), Field("levels", "<u4", parts=(HALTED, CTYPE)), Zero(4), LANES))

# status.bin: the first cycle, every change of the error or of a flag. moved: since the beginning, a port that was not
# ready changed its values; ended: the last row of the run; idle: nothing was left in the adapters; unknown: since the
# beginning, an output was X.
FLAGS = (
    Bits("stall", 0),
    Bits("hart_moved", 1),
    Bits("ingress_moved", 2),
    Bits("hart_idle", 3),
    Bits("ingress_idle", 4),
    Bits("ended", 5),
    Bits("unknown", 6),
)
STATUS = Layout(
    "status",
    (
        Field("cycle", "<u8", 64),
        Field("error_pc", "<u8", "Xlen"),
        Field("error_code", "<u4", 4),
        Field("flags", "<u4", parts=FLAGS),
    ),
)

ROWS = Rows(
    {"Xlen": 64, "Mlen": 64, "FBits": 64, "XBytes": 8, "NRet": 1, "NBlocks": 1, "IRetireWidth": 7},
    ((STIMULUS, SPLIT), (HART, JOIN), (INGRESS, JOIN), (STATUS, JOIN)),
)
