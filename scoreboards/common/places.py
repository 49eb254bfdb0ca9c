# SPDX-License-Identifier: Apache-2.0
"""Where the messages or packets of a capture were sent, and rules over many of them: what the legal checks of both
systems share.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rvtrace.scoreboards.common.clauses import ClauseBook, Failure

Rows = list[tuple[str, str, str]]  # (field, expected, actual)


@dataclass
class Places:
    """Places the messages of one capture: messages as sent, and the number of PCs decoded when each was taken.

    A trace system says in `cycle`, `label` and `rows` how its messages are placed and shown.
    """

    capture: Any
    messages: Sequence[Any]
    pcs: np.ndarray
    first_pc: np.ndarray

    def cycle(self, index: int) -> int | None:
        """Clock cycle in which the message left, None if it was not observed."""
        raise NotImplementedError

    def label(self, index: int) -> str:
        """The message as one line."""
        raise NotImplementedError

    def rows(self, index: int) -> Rows:
        """Its fields."""
        raise NotImplementedError

    def pc(self, index: int) -> int | None:
        """The last instruction that retired before the message, as decoded."""
        if not 0 <= index < len(self.first_pc) or not len(self.pcs):
            return None
        return int(self.pcs[min(max(int(self.first_pc[index]) - 1, 0), len(self.pcs) - 1)])

    def before(self, index: int) -> list[str]:
        """The three messages sent before this one."""
        return [self.label(i) for i in range(max(0, index - 3), min(index, len(self.messages)))]

    def failure(self, clause: str, headline: str, index: int, table: Rows | None = None,
                pc: int | None = None, cycle: int | None = None) -> Failure:  # fmt: skip
        """A failure at a message; pc and cycle if the caller knows better than the decoder."""
        at = self.pc(index) if pc is None else pc
        if table is None and 0 <= index < len(self.messages):
            table = self.rows(index)
        return Failure(
            clause, headline, self.cycle(index) if cycle is None else cycle, at,
            self.capture.program.where(at) if at is not None else "", table or [], self.before(index), at=index,
        )  # fmt: skip


def ends(first: np.ndarray, total: int) -> np.ndarray:
    """Instructions reported when each message or packet has been read, from those reported before it."""
    return np.append(first, total)[1:].astype(np.int64)


def following(mask: np.ndarray, counted: np.ndarray, first: bool = False) -> np.ndarray:
    """Mask of the messages that follow one of `mask`, only the `counted` ones looked at; first: the first one too."""
    places = np.flatnonzero(counted)
    result = np.zeros(len(mask), dtype=bool)
    result[places[1:]] = mask[places[:-1]]
    result[places[:1]] = first
    return result


def locate(failure: Failure, capture: Any, made_by: Sequence[int] | np.ndarray, place: int) -> None:
    """Cycle and PC of the beat that made the expected message `place`, or of the last one made; made_by: the beat of
    each message.
    """
    beats = capture.beats
    if beats is None or not len(beats):
        return
    row = int(made_by[min(place, len(made_by) - 1)]) if len(made_by) else 0
    failure.cycle = int(beats.cycle[row])
    valid = np.flatnonzero(beats.valid()[: row + 1].any(axis=1))
    if len(valid):
        failure.pc = int(beats.iaddr[valid[-1], 0])
        failure.place = capture.program.where(failure.pc)


@dataclass
class Rules:
    """One run of the legal check: `rule` counts a clause over many messages and reports the violations."""

    config: Any
    table: Any  # its `messages` are named, and as many as the masks are long
    where: Places
    book: ClauseBook
    tolerances: Any = None

    def rule(self, clause: str, of: np.ndarray, bad: np.ndarray, text: str | Callable[[int], str]) -> None:
        """of: mask of the messages the clause speaks of; bad: mask of those that break it."""

        def make(index: int) -> Failure:
            name = getattr(self.table.messages[index], "name", "no packet")
            return self.where.failure(clause, f"{name}: {text if isinstance(text, str) else text(index)}", index)

        self.book.bulk(clause, int(np.count_nonzero(of)), np.flatnonzero(of & bad), make)
