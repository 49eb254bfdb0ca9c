# SPDX-License-Identifier: Apache-2.0
"""Ports of hpm_tb, and rows of the files between Python and it; `flow/generate/rows.py` generates their
SystemVerilog.
"""

from __future__ import annotations

from rvtrace.models.hpm.config import Config
from rvtrace.tb.common.agents.layout import CSR_ACCESS
from rvtrace.tb.common.agents.pins import Pins
from rvtrace.tb.common.layout import DRIVE, JOIN, Bits, Field, Layout, Rows, Zero

HART = (Bits("priv", 0, 3), Bits("stopcount", 3), Bits("running", 4))
STATE = (Bits("lcofi", 5), Bits("lcofie", 6))
# An answer was X; a state port was X; a counter that is not there was not 0.
UNKNOWN, STATE_UNKNOWN, STRAY = Bits("unknown", 8), Bits("state_unknown", 9), Bits("stray", 10)

_ACCESS = (
    Field("retired", "u1", 4),
    *CSR_ACCESS,
    Field("addr", "<u2", 12),
)
_OPERAND = (Zero(5), Field("wdata", "<u8", "Xlen"), Field("time", "<u8", 64))
_EVENTS = Field("events", "u1", "EventBits", elements="NEvents", multiple=4)

# The player's file. cycle: idle cycles before the row.
STIMULUS = Layout(
    "stimulus",
    (
        Field("cycle", "<u8"),
        Field("levels", "<u4", parts=HART),
        *_ACCESS,
        Field("outcome", "u1"),
        *_OPERAND,
        _EVENTS,
    ),
    levels=sum(bits.mask for bits in HART),
)

# The recorder's file. of: the OF bits; counters: those that are there.
RECORDED = Layout(
    "recorded",
    (
        Field("cycle", "<u8", 64),
        Field("levels", "<u4", parts=(*HART, *STATE, UNKNOWN, STATE_UNKNOWN, STRAY)),
        *_ACCESS,
        Field("outcome", "u1", 2),
        *_OPERAND,
        Field("rdata", "<u8", "Xlen"),
        _EVENTS,
        Field("of", "<u4", 32),
        Field("counters", "<u8", 64, elements="NCounters"),
    ),
)

ROWS = Rows(
    {"Xlen": 64, "NEvents": 1, "EventBits": 1, "NCounters": 1},
    ((STIMULUS, DRIVE), (RECORDED, JOIN)),
)


def pins(config: Config, noise_seed: int) -> Pins:
    """The ports (docs/reference/hpm-profile.md, Ports): a lane is an event; the access is there once, with the time it
    sees.
    """
    once = {"op": 3, "addr": 12, "wdata": config.xlen, "mode": 3, "xlen32": 1, "time": 64}
    static, present = {"noise_seed": noise_seed}, tuple(n for n in range(32) if config.has(n))
    lane = {"events": config.event_bits}
    return Pins(config.events, lane, (), (), static, once, {}, ("drive_bulk", "go"), present)
