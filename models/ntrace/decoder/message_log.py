# SPDX-License-Identifier: Apache-2.0
"""The messages taken so far, as rows of the kernel; a `Message` is made of a row when somebody asks for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

import numpy as np

from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.decoder import kernel as k
from rvtrace.models.ntrace.decoder.columns import Memory
from rvtrace.models.ntrace.decoder.context import NO_TIME
from rvtrace.models.ntrace.table import TABLES, Message

_MOST = 1 << 63  # what a row cannot hold


class Messages(Sequence[Message]):
    """Every message of one source, with the instructions known when it was taken, and its time."""

    def __init__(self, memory: Memory, config: Config) -> None:
        self._memory, self._table = memory, TABLES[config.variant]
        self._whole: dict[int, Message] = {}  # those that did not come from a row
        self._late: dict[int, int] = {}  # times beyond a row's
        self.odd: list[int] = []  # those whose fields no row can hold: unknown, custom or too wide

    def __len__(self) -> int:
        return int(self._memory.s[k.MESSAGES])

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
        at = index * k.MESSAGE_ROW
        return self._message([int(entry) for entry in self._memory.rows[at : at + k.MESSAGE_ROW]])

    def append(self, message: Message, first: int, time: int) -> None:
        """A message, the instructions before it, and its time."""
        row, index = self._memory.room_for_message(), len(self)
        self._whole[index] = message
        rows = self._memory.rows
        rows[row + k.FIRST], rows[row + k.TIME] = first, time if time < _MOST else NO_TIME
        if self._fits(message):
            rows[row + k.TCODE], rows[row + k.BYTE], rows[row + k.SOURCE] = message.tcode, message.offset, message.src
            rows[row + k.STAMP] = -1 if message.tstamp is None else message.tstamp
            rows[row + k.VALUES] = len(message.values)
            for number, value in enumerate(message.values):
                rows[row + k.VALUE + number] = value
        else:
            self.odd.append(index)
        if time >= _MOST:
            self._late[index] = time
        self._memory.s[k.MESSAGES] = index + 1

    def _message(self, row: list[int]) -> Message:
        values = tuple(row[k.VALUE : k.VALUE + row[k.VALUES]])
        stamp = row[k.STAMP]
        return Message(self._table[row[k.TCODE]], values, row[k.BYTE], row[k.SOURCE], None if stamp < 0 else stamp)

    def _fits(self, message: Message) -> bool:
        return (
            self._table.get(message.tcode) is message.type
            and len(message.values) <= k.FIRST - k.VALUE
            and all(0 <= value < _MOST for value in (*message.values, message.tstamp or 0, message.offset))
        )

    def rows(self) -> np.ndarray:
        """int64[len(self), MESSAGE_ROW]: TCODE, BYTE, SOURCE, STAMP, VALUES and VALUE as the kernel names them; the
        rows of `odd` have FIRST alone.
        """
        size = len(self) * k.MESSAGE_ROW
        return np.array(self._memory.rows[:size], np.int64).reshape(-1, k.MESSAGE_ROW)

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
