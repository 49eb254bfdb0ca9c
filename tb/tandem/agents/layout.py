# SPDX-License-Identifier: Apache-2.0
"""Ports of tandem_tb, and rows of the files between Python and it; `flow/generate/rows.py` generates their
SystemVerilog.

The fields of a lane are the encoder's ports, the widest first.
"""

from __future__ import annotations

import numpy as np

from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.table import COLUMNS, PARTS, column_width
from rvtrace.models.tandem.trace_data import DTYPES
from rvtrace.tb.common.agents.pins import Pins
from rvtrace.tb.common.layout import JOIN, SPLIT, Field, Layout, Rows, Slots, Zero, without_ports

PORTS = {"has": 1} | {column.name: column.count for column in COLUMNS} | {"valid": 1}  # of a lane, with their elements
_PARAMETERS = {"xlen": "Xlen", "mlen": "Mlen", "flen": "FBits"}
_WIDTHS: dict[str, int | str] = {"has": len(PARTS), "valid": 1} | {
    column.name: column.width if isinstance(column.width, int) else _PARAMETERS[column.width] for column in COLUMNS
}


def _field(name: str) -> Field:
    kind = np.dtype(DTYPES.get(name, np.uint8)).newbyteorder("<")
    return Field(name, kind.str, _WIDTHS[name], elements=PORTS[name])


_FIELDS = sorted(map(_field, PORTS), key=lambda field: -field.size)
ROW: tuple[Field | Zero, ...] = (*_FIELDS, Zero(3))  # of a lane
SLOTS = Slots("lanes", "lane", ROW, "NLanes")

# All lanes; to the encoder, which gets valid beside them, and from the pins.
LANES = Layout("lanes", (without_ports(SLOTS, "valid"),))
PINS = Layout("lanes", (SLOTS,))

# The player's file. gap: idle cycles before the row.
STIMULUS = Layout("stimulus", (Field("gap", "<u8"), Zero(8), SLOTS))

# The rows that trace_recorder saw accepted.
ACCEPTED = Layout("accepted", (Field("cycle", "<u8"), Zero(16), SLOTS))

# What error_o reported. unknown: it was X.
ERRORS = Layout("errors", (Field("cycle", "<u8", 64), Field("lanes", "<u4", "NLanes"), Field("unknown", "<u4", 1)))

ROWS = Rows(
    {"Xlen": 64, "Mlen": 64, "FBits": 64, "NLanes": 1},
    ((LANES, SPLIT), (PINS, JOIN), (ERRORS, JOIN)),
    (STIMULUS,),
)


def pins(config: Config, noise_seed: int) -> Pins:
    """The ports (docs/reference/tandem-profile.md, Ports): a lane is a row; of a port with several elements the width
    of one.
    """
    lane = {column.name: max(1, column_width(config, column)) for column in COLUMNS}
    lane = {"valid": 1, "has": len(PARTS)} | lane
    return Pins(config.lanes, lane, (), (), {"noise_seed": noise_seed}, {}, {})
