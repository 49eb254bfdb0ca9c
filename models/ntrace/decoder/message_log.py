# SPDX-License-Identifier: Apache-2.0
"""The messages taken so far, as rows of the kernel; a `Message` is made of a row when somebody asks for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

import numpy as np

from rvtrace.models.ntrace.decoder import kernel as k
from rvtrace.models.ntrace.decoder.columns import Memory
from rvtrace.models.ntrace.decoder.context import NO_TIME
from rvtrace.models.ntrace.layout import ABSENT
from rvtrace.models.ntrace.table import SRC, Message

_MOST = 1 << 63  # what a row cannot hold


class Messages(Sequence[Message]):
    """Every message of one source, with the instructions known when it was taken, and its time."""

    def __init__(self, memory: Memory) -> None:
        self._memory, self._table, self._cells = memory, memory.table.by_code, memory.layout.cells
        self._whole: dict[int, Message] = {}  # those that did not come from a row
        self._late: dict[int, int] = {}  # times beyond a row's
        self.odd: list[int] = []  # those whose fields no row can hold: unknown, custom or too wide

    def __len__(self) -> int:
        return int(self._memory.state.messages)

    @overload
    def __getitem__(self, index: int) -> Message: ...

    @overload
    def __getitem__(self, index: slice) -> list[Message]: ...

    def __getitem__(self, index: int | slice) -> Message | list[Message]:
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(len(self)))]
        if index < 0:
            index += len(self)
        if not 0 <= index < len(self):
            raise IndexError(f"there are {len(self)} messages; {index} is none of them")
        if index in self._whole:
            return self._whole[index]
        at = index * self._memory.row
        return self._message([int(entry) for entry in self._memory.rows[at : at + self._memory.row]])

    def append(self, message: Message, first: int, time: int) -> None:
        """A message, the instructions before it, and its time."""
        row, index = self._memory.room_for_message(), len(self)
        self._whole[index] = message
        rows = self._memory.rows
        rows[row + k.FIRST], rows[row + k.TIME] = first, time if time < _MOST else NO_TIME
        if self._fits(message):
            rows[row + k.TCODE], rows[row + k.BYTE] = message.tcode, message.offset
            for cell, value in zip(self._cells[message.tcode], message.values):
                if cell >= 0:
                    rows[row + cell] = ABSENT if value is None else value
        else:
            self.odd.append(index)
        if time >= _MOST:
            self._late[index] = time
        self._memory.state.messages = index + 1

    def _message(self, row: list[int]) -> Message:
        kind = self._table[row[k.TCODE]]
        values = (
            row[cell] if cell >= 0 and row[cell] != ABSENT else 0 if key == SRC.key else None
            for key, cell in zip(kind.keys, self._cells[row[k.TCODE]])
        )
        return Message(kind, tuple(values), row[k.BYTE])

    def _fits(self, message: Message) -> bool:
        """Whether a row can hold all of it, absent only what is absent in this configuration."""
        cells = self._cells.get(message.tcode)
        if cells is None or self._table.get(message.tcode) is not message.type or message.offset >= _MOST:
            return False
        return not any(value and (cell < 0 or value >= _MOST) for cell, value in zip(cells, message.values))

    def rows(self) -> np.ndarray:
        """int64[len(self), row]: TCODE, BYTE, FIRST and TIME as the kernel names them, then the columns of
        `columns`; the rows of `odd` have FIRST and TIME alone.
        """
        size = len(self) * self._memory.row
        return np.array(self._memory.rows[:size], np.int64).reshape(-1, self._memory.row)

    def columns(self, tcode: int) -> dict[str, int]:
        """Where the rows of messages with a TCODE have their fields, by key, without those that are absent in all."""
        keys = self._table[tcode].keys
        return {key: cell for key, cell in zip(keys, self._cells[tcode]) if cell >= 0}

    def list(self) -> list[Message]:
        """All of them."""
        made = [
            self._whole[index] if index in self._whole else self._message(row)
            for index, row in enumerate(self.rows().tolist())
        ]
        return made

    def first(self) -> np.ndarray:
        """int64: instructions known when each was taken."""
        return self.rows()[:, k.FIRST].copy()

    def times(self) -> list[int]:
        """Their times, NO_TIME where it is not known."""
        times: list[int] = self.rows()[:, k.TIME].tolist()
        for index, time in self._late.items():
            times[index] = time
        return times
