# SPDX-License-Identifier: Apache-2.0
"""The messages taken so far, as rows of the kernel; a `Message` is made of a row when somebody asks for it."""

from __future__ import annotations

import numpy as np
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.decoder import kernel as k
from rvtrace.models.ntrace.decoder.columns import Memory
from rvtrace.models.ntrace.decoder.context import NO_TIME
from rvtrace.models.ntrace.table import TABLES, Message

_MOST = 1 << 63  # what a row cannot hold


class Messages:
    """Every message of one source, with the instructions known when it was taken, and its time."""

    def __init__(self, memory: Memory, config: Config) -> None:
        self._memory, self._table = memory, TABLES[config.variant]
        self._whole: dict[int, Message] = {}  # those that did not come from a row
        self._late: dict[int, int] = {}  # times beyond a row's

    def __len__(self) -> int:
        return int(self._memory.s[k.MESSAGES])

    def __getitem__(self, index: int) -> Message:
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
        if time >= _MOST:
            self._late[index] = time
        self._memory.s[k.MESSAGES] = index + 1

    def _message(self, row: list[int]) -> Message:
        values = tuple(row[k.VALUE : k.VALUE + row[k.VALUES]])
        stamp = row[k.STAMP]
        return Message(self._table[row[k.TCODE]], values, row[k.BYTE], row[k.SOURCE], None if stamp < 0 else stamp)

    def _rows(self) -> np.ndarray:
        size = len(self) * k.MESSAGE_ROW
        return np.array(self._memory.rows[:size], np.int64).reshape(-1, k.MESSAGE_ROW)

    def list(self) -> list[Message]:
        """All of them."""
        made = [
            self._whole[index] if index in self._whole else self._message(row)
            for index, row in enumerate(self._rows().tolist())
        ]
        return made

    def first(self) -> np.ndarray:
        """int64: instructions known when each was taken."""
        return self._rows()[:, k.FIRST].copy()

    def times(self) -> list[int]:
        """Their times, NO_TIME where it is not known."""
        times: list[int] = self._rows()[:, k.TIME].tolist()
        for index, time in self._late.items():
            times[index] = time
        return times
