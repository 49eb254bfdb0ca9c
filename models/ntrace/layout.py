# SPDX-License-Identifier: Apache-2.0
"""The field table of a configuration as the kernels of encoder model and decoder read it: records and columns.

A message of a kernel is a row of cells, one for each column of the table (`Table.columns`); -1 is a field that is
absent. A kernel reads and writes messages by `KIND` and `FIELD` alone, so a table with another field needs no other
code, compiled or not.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from rvtrace.models.common.messages import VARIABLE, Table
from rvtrace.models.common.records import Record
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.table import MessageType

TCODES = 64
ABSENT = -1  # a cell of a field that is not there
# By TCODE: its first field and how many there are, 0 if only Python reads such messages
KIND = Record("Kind", "first count")
# width: 0 if variable; most: bits of its value; extends: an address that 8.2 may shorten; column: its cell in a row;
# by: that of the field that decides whether it is there (-1: it is), by the bits of mask; optional: the message may end
FIELD = Record("Field", "width most extends column by mask optional")


_CODINGS = ("plain", "address")  # that the kernels know


@dataclass(frozen=True)
class Layout:
    """kinds: of KIND, by TCODE; fields: of FIELD. cells: by TCODE, the column of each field of its type, -1 of those
    that are absent in this configuration; nothing for a type that only Python reads.
    """

    kinds: list[Any]
    fields: list[Any]
    cells: dict[int, tuple[int, ...]]

    @cached_property
    def arrays(self) -> tuple[np.ndarray, np.ndarray]:
        """kinds and fields as compiled code takes them."""
        return KIND.array(self.kinds), FIELD.array(self.fields or [FIELD.one()])


@lru_cache(maxsize=64)
def layout(table: Table[Any], config: Config, first: int = 0) -> Layout:
    """The messages of a configuration, to be read only. first: of the columns in a row."""
    kinds, fields, cells = KIND.rows(TCODES, 0), [], {}
    for tcode, kind in table.by_code.items():
        assert isinstance(kind, MessageType)
        found = kind.resolved(config)
        if found is None or any(one.coding not in _CODINGS for one in found):
            continue
        kinds[tcode] = KIND.one(first=len(fields), count=len(found))
        column = {one.field.key: first + table.columns[one.field.key] for one in found}
        cells[tcode] = tuple(column.get(key, ABSENT) for key in kind.keys)
        for one in found:
            row = FIELD.one(
                width=0 if one.width == VARIABLE else one.width, most=one.most, extends=int(one.coding == "address"),
                column=column[one.field.key], by=-1 if one.by < 0 else column[found[one.by].field.key], mask=one.mask,
                optional=int(one.field.optional),
            )  # fmt: skip
            fields.append(row)
    return Layout(kinds, fields, cells)
