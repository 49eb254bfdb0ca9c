# SPDX-License-Identifier: Apache-2.0
"""Rows of the files between Python and tci_tb; `flow/generate/rows.py` generates their SystemVerilog.

Those of the byte streams are of tb/common/hdl/stream_recorder.sv.
"""

from __future__ import annotations

from rvtrace.tb.common.agents import layout as ingress
from rvtrace.tb.common.layout import JOIN, SPLIT, Bits, Field, Layout, Rows

# Of a debug trigger (0 none, 2 on, 3 off, 4 notify), and external triggers.
ACTION, EXTERNAL = Bits("action", 10, 4), Bits("external", 24, 8)
CTYPE = Bits("ctype", 14, 2)
LEVELS = (*ingress.LEVELS, ACTION, CTYPE, EXTERNAL)

# The player's file of a hart. Registers enable its encoder and trace, so that these levels have no ports.
STIMULUS = ingress.stimulus(tuple(bits for bits in LEVELS if bits.name not in ("enable", "inst_tracing")))

_CYCLE = Field("cycle", "<u8", 64)

# What an encoder accepted, with the levels it saw.
INGRESS = Layout(
    "ingress",
    (
        _CYCLE,
        Field("levels", "<u4", parts=LEVELS),
        Field("vendor_data", "<u4", 32),
        Field("tstamp", "<u8", "TsWidth"),
        ingress.LANES,
    ),
)

# Words written to system memory, changes of the pins, and pulses of external trigger outputs: a byte for each hart.
MEMORY = Layout("memory", (_CYCLE, Field("addr", "<u8", 40), Field("word", "<u4", 32)))
DATA, CLK = Bits("data", 0, 16), Bits("clk", 16)
PINS = Layout("pins", (_CYCLE, Field("pins", "<u4", parts=(DATA, CLK))))
TRIGGERS = Layout("triggers", (_CYCLE, Field("fired", "u1", 8, elements="NHarts", multiple=4)))

# What tci_requester (tb/tci/hdl) is asked for on the register bus, and each cycle of PSEL. `go` changes: an access.
# `preceded`: after one of another completer; `other_*`: what another access leaves on the wires, before and after it.
GO, WRITE, PRECEDED = Bits("go", 0), Bits("write", 1), Bits("preceded", 2)
OTHER_ENABLE, OTHER_WRITE = Bits("other_enable", 3), Bits("other_write", 4)
REQUEST = Layout(
    "request",
    (
        Field("control", "<u4", parts=(GO, WRITE, PRECEDED, OTHER_ENABLE, OTHER_WRITE)),
        Field("addr", "<u4", 32),
        Field("wdata", "<u4", 32),
        Field("other_addr", "<u4", 32),
        Field("other_wdata", "<u4", 32),
    ),
)
_WIRES = ("penable", "pwrite", "pready", "pslverr")
_UNKNOWN = ("pready_unknown", "pslverr_unknown", "prdata_unknown")  # it is X; then the wire counts as 0
ACCESS_FLAGS = tuple(Bits(name, lsb) for lsb, name in enumerate((*_WIRES, *_UNKNOWN)))
ACCESS = Layout(
    "access",
    (
        _CYCLE,
        Field("paddr", "<u4", 32),
        Field("pwdata", "<u4", 32),
        Field("prdata", "<u4", 32),
        Field("flags", "<u4", parts=ACCESS_FLAGS),
    ),
)

ROWS = Rows(
    {"Xlen": 64, "NBlocks": 1, "IRetireWidth": 7, "TsWidth": 48, "NHarts": 2},
    (
        (STIMULUS, SPLIT),
        (INGRESS, JOIN),
        (MEMORY, JOIN),
        (PINS, JOIN),
        (TRIGGERS, JOIN),
        (REQUEST, SPLIT),
        (ACCESS, JOIN),
    ),
)
