# SPDX-License-Identifier: Apache-2.0
"""Rows of the files between Python and the testbenches with an ingress port; `flow/generate/rows.py`
generates their SystemVerilog.
"""

from __future__ import annotations

from rvtrace.tb.common.layout import Bits, Field, Layout, Slots, Zero

# Levels and pulses of a row: bits 8 and up are pulses (in E-Trace all but toggle). drop is an output.
LEVELS = (
    Bits("enable", 0),
    Bits("inst_tracing", 1),
    Bits("halted", 2),
    Bits("drop", 3),
    Bits("in_reset", 4),
    Bits("low_power", 5),
    Bits("notify", 8),
    Bits("ext_notify", 9),
    Bits("vendor", 16, 6),
)

LANES = Slots(
    "lanes",
    "lane",
    (
        Field("itype", "u1", 4),
        Field("ilastsize", "u1", 1),
        Field("sijump", "u1", 1),
        Field("priv", "u1", 3),
        Field("cause", "u1", 8),
        Zero(1),
        Field("iretire", "<u2", "IRetireWidth"),
        Field("hcontext", "<u2", 16),
        Zero(2),
        Field("context", "<u4", 32),
        Field("iaddr", "<u8", "Xlen"),
        Field("tval", "<u8", "Xlen"),
    ),
    "NBlocks",
)
LANE_PARAMETERS = {"Xlen": 64, "NBlocks": 1, "IRetireWidth": 7}  # of the benches, with their defaults


def stimulus(levels: tuple[Bits, ...] = LEVELS, vendor: bool = True, lanes: Slots = LANES) -> Layout:
    """The player's file. cycle: idle cycles before the row."""
    given = tuple(bits for bits in levels if bits.name != "drop")
    head = (Field("cycle", "<u8"), Field("levels", "<u4", parts=given), Field("vendor_data", "<u4", 32 * vendor))
    return Layout("stimulus", (*head, lanes))


# What trace_recorder saw accepted.
RECORDED = Layout(
    "recorded",
    (Field("cycle", "<u8"), Field("levels", "<u4"), Field("vendor_data", "<u4"), Field("tstamp", "<u8"), LANES),
)

# An access to a CSR port, in the rows of the blocks that have one.
CSR_ACCESS = (
    Field("access", "u1", parts=(Bits("op", 0, 3), Bits("access", 3))),
    Field("mode", "u1", 3),
    Field("xlen32", "u1", 1),
)
