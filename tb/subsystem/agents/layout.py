# SPDX-License-Identifier: Apache-2.0
"""Rows of the files between Python and subsystem_tb; `flow/generate/rows.py` generates their SystemVerilog."""

from __future__ import annotations

from dataclasses import replace

from rvtrace.tb.common.layout import JOIN, SPLIT, Bits, Field, Layout, Rows, Slots, Zero, without_ports
from rvtrace.tb.tandem.agents import layout as tandem

# What the hart reports besides the row of the tandem trace, of each slot.
HART: tuple[Field, ...] = (
    Field("pc", "<u8", "Xlen"),
    Field("tval", "<u8", "Xlen"),
    Field("context", "<u4", 32),
    Field("cause", "u1", 8),
    Field("itype", "u1", 4),
    Field("mode", "u1", 3),
    Field("mode_next", "u1", 3),
    Field("reported", "u1", 1),
    Field("misp", "u1", 1),
)
_UNUSED = ("mcycle", "minstret")  # the subsystem counts them itself


def _field(field: Field | Zero) -> Field | Zero:
    """A field of the tandem trace's row, as the hart's port has it."""
    if isinstance(field, Zero):
        return field
    if field.name in _UNUSED:
        return replace(field, width=0)
    return replace(
        field, called="next_pc" if field.name == "pc" else "", width=64 if field.name == "fpr" else field.width
    )


_ROW = tuple(map(_field, tandem.ROW))
SLOTS = Slots("slots", "slot", (*HART, Zero(6), *_ROW), "NRet", groups=(("hart", len(HART) + 1), ("row", len(_ROW))))

# All slots; to the subsystem, which gets valid beside them, and from the pins.
PORTS = Layout("slots", (without_ports(SLOTS, "valid"),))
PINS = Layout("slots", (SLOTS,))

# Levels and pulses of a beat.
STOPPED, EXTERNAL = Bits("stopped", 0), Bits("external", 8, 4)  # the cycle does not count; external events
HALTED, IN_RESET, LOW_POWER = Bits("halted", 2), Bits("in_reset", 4), Bits("low_power", 5)

# The player's file. gap: idle cycles before the beat.
STIMULUS = Layout(
    "stimulus",
    (
        Field("gap", "<u8"),
        Field("levels", "<u4", parts=(STOPPED, HALTED, IN_RESET, LOW_POWER, EXTERNAL)),
        Zero(4),
        SLOTS,
    ),
    levels=0xFF,
)

# hart.bin: every beat that was accepted, and every change of levels and of enabled, accepted or not. enabled: the
# sources that are on (N-Trace, E-Trace, tandem trace); taken: the beat was accepted; error: tandem_error_o is not 0.
LEVELS, TANDEM_ON = Bits("levels", 0, 8), Bits("tandem_enabled", 18)
ENABLED, TAKEN, ERROR = Bits("enabled", 16, 2), Bits("taken", 20), Bits("error", 21)
_HEAD = (
    Field("cycle", "<u8", 64),
    Field("levels", "<u4", parts=(LEVELS, EXTERNAL, ENABLED, TANDEM_ON, TAKEN, ERROR)),
    Zero(4),
    Field("mcycle", "<u8", 64),
    Field("minstret", "<u8", 64),
)
HEAD, RECORDED = Layout("head", _HEAD), Layout("recorded", (*_HEAD, SLOTS))

# csr.bin: every access. unknown: the answer was X.
CSR = Layout(
    "csr",
    (
        Field("cycle", "<u8", 64),
        Field("wdata", "<u8", "Xlen"),
        Field("rdata", "<u8", "Xlen"),
        Field("priv", "u1", 3),
        Field("op", "u1", 3),
        Field("outcome", "u1", 2),
        Field("unknown", "u1", 1),
        Field("addr", "<u4", 12),
    ),
)

ROWS = Rows(
    {"Xlen": 64, "Mlen": 64, "NRet": 1},
    ((PORTS, SPLIT), (PINS, JOIN), (HEAD, JOIN), (CSR, JOIN)),
    (STIMULUS,),
)
