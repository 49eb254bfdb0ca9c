# SPDX-License-Identifier: Apache-2.0
"""Ports of ntrace_tb, and rows of the files between Python and it; `flow/generate/rows.py` generates their
SystemVerilog.
"""

from __future__ import annotations

from rvtrace.models.ntrace.config import Config
from rvtrace.models.riscv.beats import LEVELS as LEVEL_NAMES
from rvtrace.models.riscv.beats import PULSES
from rvtrace.tb.common.agents.files import LEVEL_BITS
from rvtrace.tb.common.agents.layout import LANE_PARAMETERS, LANES, LEVELS, stimulus
from rvtrace.tb.common.agents.pins import Pins, registers
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
_SAME = (
    "inst_mode",
    "src_bits",
    "src_id",
    "inhibit_src",
    "ts_mode",
    "ts_prescale",
    "ts_run_in_debug",
    "extend_addr_msb",
    "implicit_return",
    "repeated_history",
    "repeat_branch",
    "sequential_jump",
    "all_jumps",
)


def pins(config: Config) -> Pins:
    """The ports (docs/reference/ntrace-profile.md, Inputs)."""
    static = {
        **{name: getattr(config, name) for name in _SAME}, **registers(config),
        "rc7": int(config.variant == "rc7"), "btype_ext": int(config.b_type == "2_3"), "ts_enable": config.timestamp,
        "context_ena": config.ownership, "hcontext_ena": config.hcontext,
    }  # fmt: skip
    lane = LANES.widths({"Xlen": config.xlen, "IRetireWidth": config.iretire_bits})
    return Pins(config.blocks, lane, LEVEL_NAMES, PULSES, static, {}, LEVEL_BITS)
