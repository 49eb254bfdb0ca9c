# SPDX-License-Identifier: Apache-2.0
"""Rows of the files between Python and ntrace_tb; `flow/generate/rows.py` generates their SystemVerilog."""

from __future__ import annotations

from rvtrace.tb.common.agents.layout import LANE_PARAMETERS, LANES, LEVELS, stimulus
from rvtrace.tb.common.layout import DRIVE, JOIN, Field, Layout, Rows

# The player's file, and two parts of a recorded row: the levels word, with drop, and the lanes.
ROWS = Rows(
    LANE_PARAMETERS,
    (
        (stimulus(), DRIVE),
        (Layout("levels", (Field("levels", "<u4", parts=LEVELS),)), JOIN),
        (Layout("lanes", (LANES,)), JOIN),
    ),
)
