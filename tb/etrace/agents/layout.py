# SPDX-License-Identifier: Apache-2.0
"""Rows of the files between Python and etrace_tb; `flow/generate/rows.py` generates their SystemVerilog."""

from __future__ import annotations

from rvtrace.tb.common.agents.layout import ETRACE_LEVELS, LANE_PARAMETERS, LANES, ONCE, stimulus
from rvtrace.tb.common.layout import DRIVE, JOIN, Field, Layout, Rows, without_ports

# E-Trace has no vendor messages, no external notification and no low power; hcontext is not of its port.
_LEVELS = tuple(bits for bits in ETRACE_LEVELS if bits.name not in ("low_power", "ext_notify", "vendor"))

# The player's file, and two parts of a recorded row: the levels word, with drop, and the lanes.
ROWS = Rows(
    LANE_PARAMETERS,
    (
        (stimulus(_LEVELS, vendor=False, lanes=without_ports(LANES, "hcontext", *ONCE)), DRIVE),
        (Layout("levels", (Field("levels", "<u4", parts=_LEVELS),)), JOIN),
        (Layout("lanes", (without_ports(LANES, "hcontext"),)), JOIN),
    ),
)
