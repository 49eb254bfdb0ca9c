# SPDX-License-Identifier: Apache-2.0
"""Ports of ctr_tb, and rows of the files between Python and it; `flow/generate/rows.py` generates their
SystemVerilog.
"""

from __future__ import annotations

from rvtrace.models.ctr.config import Config
from rvtrace.tb.common.agents.layout import CSR_ACCESS
from rvtrace.tb.common.agents.pins import Pins
from rvtrace.tb.common.layout import DRIVE, JOIN, Bits, Field, Layout, Rows, Slots, Zero

_SLOTS = Slots(
    "slots",
    "slot",
    (
        Field("type", "u1", 4),
        Field("misp", "u1", 1),
        Field("from_", "u1", 3),
        Field("to", "u1", 3),
        Field("cause", "u1", 8),
        Zero(3),
        Field("source", "<u8", "Xlen"),
        Field("target", "<u8", "Xlen"),
    ),
    "NTransfers",
    gate="valid",
)

# The player's file. cycle: idle cycles before the row.
STIMULUS = Layout(
    "stimulus",
    (
        Field("cycle", "<u8"),
        Field("priv", "<u4", 3),
        *CSR_ACCESS,
        Field("outcome", "u1"),
        Field("addr", "<u2", 12),
        Zero(6),
        Field("wdata", "<u8", "Xlen"),
        _SLOTS,
    ),
    levels=0x7,
)

# The recorder's file. unknown: an answer was X.
RECORDED = Layout(
    "recorded",
    (
        Field("cycle", "<u8", 64),
        Field("priv", "<u4", parts=(Bits("priv", 0, 3), Bits("unknown", 8))),
        *CSR_ACCESS,
        Field("outcome", "u1", 2),
        Field("addr", "<u2", 12),
        Zero(6),
        Field("wdata", "<u8", "Xlen"),
        Field("rdata", "<u8", "Xlen"),
        _SLOTS,
    ),
)

ROWS = Rows({"Xlen": 64, "NTransfers": 1}, ((STIMULUS, DRIVE), (RECORDED, JOIN)))


def pins(config: Config, noise_seed: int) -> Pins:
    """The ports (docs/reference/ctr-profile.md, Ports): a lane is a slot; the access is there once."""
    once = {"op": 3, "addr": 12, "wdata": config.xlen, "mode": 3, "xlen32": 1}
    lane = _SLOTS.widths({"Xlen": config.xlen})
    return Pins(config.transfers, lane, (), (), {"noise_seed": noise_seed}, once, {}, ("drive_bulk", "go"))
