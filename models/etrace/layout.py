# SPDX-License-Identifier: Apache-2.0
"""The packets of a table as numbers, for a compiled loop that reads them: what kinds there are, and their fields."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from rvtrace.models.common import messages
from rvtrace.models.common.messages import MessageType, Table
from rvtrace.models.common.records import Record
from rvtrace.models.etrace.table import FORMAT_BITS

# A kind of packet: its fields, `count` of them from `first` on; none: it is not for the loop
KIND = Record("Kind", "first count")
# A field. cell: where its value goes; width: bits, if `widths` is -1, else entry widths + the value in `cell_of_width`;
# coding: below; by: the cell that decides whether it is there, -1 if nothing does; mask: bit n, it is if that is n;
# rest: all after it are flags, or repeat the bit before them
PART = Record("Part", "cell width widths cell_of_width coding by mask rest")
PLAIN, FLAG, DIFFERENCE = range(3)
_CODINGS = {"plain": PLAIN, "flag": FLAG, "difference": DIFFERENCE, "filled": PLAIN}
_SILENT = ("flag", "filled")
MOST_BITS = 63  # of a field that the loop reads
FORMATS = 4
KINDS = FORMATS * FORMATS  # by format and subformat, which is 0 where there is none


class Layout(NamedTuple):
    """kinds: KINDS rows of KIND. parts: rows of PART. widths: of fields whose width another one decides. cells: where
    the value of each field goes.
    """

    kinds: list[Any]
    parts: list[Any]
    widths: list[int]
    cells: dict[str, int]


@lru_cache(64)
def layout(table: Table[Any], config: Any, known: tuple[str, ...]) -> Layout:
    """Of one configuration. known: the fields whose cells come first, in this order."""
    cells = {key: cell for cell, key in enumerate(dict.fromkeys((*known, *table.keys)))}
    kinds, parts, widths = KIND.rows(KINDS, 0), [], []
    for message in table.messages:
        found = _parts(message, config, cells, widths)
        if found is not None:
            number = FORMATS * message.selector["format"] + message.selector.get("subformat", 0)
            kinds[number] = KIND.one(first=len(parts), count=len(found))
            parts += found
    return Layout(kinds, parts or [PART.one()], widths or [0], cells)


def _parts(message: MessageType, config: Any, cells: dict[str, int], widths: list[int]) -> list[Any] | None:
    """Of a packet; None if the loop cannot read it. What `widths` needs is added to it."""
    found: list[Any] = []
    silent = True
    for index, one in reversed(list(enumerate(message.fields))):
        before = message.fields[:index]
        there = messages.decided(one.present, config, before)
        width = messages.decided(one.width_of, config, before)
        if there is None or width is None or one.coding.name not in _CODINGS or max(width.answers) > MOST_BITS:
            return None
        if not any(there.answers) or not any(width.answers):
            continue
        part = PART.one(cell=cells[one.key], width=width.answers[0], coding=_CODINGS[one.coding.name], rest=int(silent))
        if width.by:
            part.widths, part.cell_of_width = len(widths), cells[width.by]
            widths += width.answers
        if there.by and not all(there.answers):
            part.by = cells[there.by]
            part.mask = sum(bool(answer) << value for value, answer in enumerate(there.answers))
        found.append(part)
        silent = silent and one.coding.name in _SILENT
    return found[::-1]


assert 1 << FORMAT_BITS == FORMATS
