# SPDX-License-Identifier: Apache-2.0
"""Ports of etrace_tb, and rows of the files between Python and it; `flow/generate/rows.py` generates their
SystemVerilog.
"""

from __future__ import annotations

from rvtrace.models.etrace.config import ENCAP, ENCAP_FRAMINGS, EXAMPLE_FRAMINGS, Config
from rvtrace.tb.common.agents.layout import LANE_PARAMETERS, LANES, LEVELS, stimulus
from rvtrace.tb.common.agents.pins import Pins, registers
from rvtrace.tb.common.layout import DRIVE, JOIN, Bits, Field, Layout, Rows, without_ports

# From bit 8 on all but toggle are pulses. E-Trace has no vendor messages, no external notification and no low power.
_WORD = (*LEVELS, Bits("ctype", 12, 2), Bits("toggle", 24, 6))
_LEVELS = tuple(bits for bits in _WORD if bits.name not in ("low_power", "ext_notify", "vendor"))
_ONCE = ("priv", "cause", "context", "tval")  # once a cycle; a row has a copy in every lane with a block
_LANES = without_ports(LANES, "hcontext")
_PER_BLOCK = without_ports(_LANES, *_ONCE)

# The player's file, and two parts of a recorded row: the levels word, with drop, and the lanes.
ROWS = Rows(
    LANE_PARAMETERS,
    (
        (stimulus(_LEVELS, vendor=False, lanes=_PER_BLOCK), DRIVE),
        (Layout("levels", (Field("levels", "<u4", parts=_LEVELS),)), JOIN),
        (Layout("lanes", (_LANES,)), JOIN),
    ),
)


def pins(config: Config, atid: int) -> Pins:
    """The ports (docs/reference/etrace-profile.md, Inputs and Transport). atid: the ID of the source on the trace
    bus.
    """
    framings = ("none", *ENCAP_FRAMINGS) if config.encapsulation == ENCAP else EXAMPLE_FRAMINGS
    static = {
        "options": config.ioptions, "draft": int(config.variant == "draft_0_026"), **registers(config),
        "atb": int(config.encapsulation == "atb"), "framing": framings.index(config.framing),
        "index_bytes": config.index_width // 8, "flow": config.flow, "timestamp": config.timestamp,
        "block_bits": config.block_bytes.bit_length() - 1, "id": atid,
        "encap": int(config.encapsulation == ENCAP), "async_freq": config.async_freq,
        "stamp_bytes": config.timestamp_bytes, "src_bits": config.src_bits, "src_id": config.src_id,
        "type_bits": config.type_bits,
    }  # fmt: skip
    levels = ("enable", "inst_tracing", "halted", "in_reset", "toggle")
    widths = _LANES.widths({"Xlen": config.xlen, "IRetireWidth": config.iretire_width_p})
    once = {name: widths.pop(name) for name in _ONCE}
    bits = {bits.name: (bits.lsb, bits.width) for bits in _WORD}
    return Pins(config.blocks, widths, levels, ("notify", "ctype"), static, once, bits)
