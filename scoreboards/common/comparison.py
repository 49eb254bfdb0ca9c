# SPDX-License-Identifier: Apache-2.0
"""A decoded trace beside what it had to report: what the lossless checks of both trace systems share.

The decoder's instructions are runs without a loss inside; each represents the traced instructions from some place on.
Where the runs belong, and which clause a difference breaks, is for each system to say (its align.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rvtrace.scoreboards.common.clauses import ClauseBook, Failure
from rvtrace.scoreboards.common.findings import COMPARED, Damage
from rvtrace.scoreboards.common.places import Places, Rows


@dataclass
class Run:
    """Decoded instructions [begin, end) and the events among them; `at`: the traced instruction that the one numbered
    `origin` represents, None if that is not known.
    """

    begin: int
    end: int
    events: list[Any] = field(default_factory=list, kw_only=True)
    at: int | None = field(default=None, kw_only=True)

    @property
    def origin(self) -> int:
        """The first decoded instruction that represents a traced one."""
        return self.begin

    @property
    def count(self) -> int:
        """Decoded instructions that represent traced ones."""
        return self.end - self.begin


class Comparison:
    """One decoded trace and what it had to report, instruction by instruction.

    table: the messages or packets as columns, `where` places them. runs: in the order of the trace. holes: traced
    instructions [a, b] among which anything may be not reported.
    """

    runs: Sequence[Run]

    def __init__(
        self, capture: Any, book: ClauseBook, expected: Any, decoded: Any, table: Any, where: type[Places]
    ) -> None:
        self.capture, self.book, self.expected, self.decoded, self.table = capture, book, expected, decoded, table
        self.where = where(capture, table.messages, decoded.pcs, np.asarray(decoded.first_pc))
        self.holes: list[tuple[int, int]] = []

    def in_hole(self, index: int) -> bool:
        """Whether what reports traced instruction `index` was lost."""
        return any(a <= index <= b for a, b in self.holes)

    def failure(
        self, clause: str, headline: str, index: int, table: Rows | None = None, packet: int | None = None
    ) -> Failure:
        """A failure at traced instruction `index`, reported by message or packet `packet` if that is known."""
        n = len(self.expected)
        place = packet
        if packet is None:
            packet = self._after(self._decoded(index))
            place = max(packet - 1, 0)  # the one that reports the instruction
        at = min(max(index, 0), n - 1)
        pc = int(self.expected.pc[at]) if n else None
        cycle = int(self.expected.cycle[at]) if n and self.expected.cycle is not None else None
        failure = self.where.failure(clause, headline, packet, table or [], pc, cycle)
        failure.at, failure.found = place, COMPARED
        return failure

    def fail(
        self, clause: str, headline: str, index: int, table: Rows | None = None, packet: int | None = None
    ) -> None:
        """Report a failure whose check has been counted."""
        self.book.fail(self.failure(clause, headline, index, table, packet), counted=True)

    def check(
        self, clause: str, ok: bool, headline: str, index: int, table: Rows | None = None, packet: int | None = None
    ) -> None:
        """One check, whose failure is at traced instruction `index`."""
        self.book.check(clause, ok, lambda: self.failure(clause, headline, index, table, packet))

    def bulk(
        self,
        clause: str,
        checked: int,
        bad: Sequence[int] | np.ndarray,
        headline: str,
        index: Sequence[int] | np.ndarray | None = None,
        table: Callable[[int], Rows] | None = None,
        packet: Sequence[int] | np.ndarray | None = None,
    ) -> None:
        """Many checks at once, `bad` the numbers of those that failed. index, table, packet: as of `failure`, for each
        number; without index a number is its traced instruction.
        """

        def make(number: int) -> Failure:
            at = int(number if index is None else index[number])
            rows = None if table is None else table(number)
            return self.failure(clause, headline, at, rows, None if packet is None else int(packet[number]))

        self.book.bulk(clause, checked, bad, make)

    def _decoded(self, index: int) -> int:
        """The decoded instruction that represents traced instruction `index`."""
        for run in reversed(self.runs):
            if run.at is not None and run.at <= index:
                return run.origin + index - run.at
        return index

    def _after(self, reported: int) -> int:
        """Number of the first message or packet after the one that reports this decoded instruction; past the last
        of them, after the first one that reported nothing more.
        """
        first, total = np.asarray(self.decoded.first_pc), len(self.decoded)
        if reported < total:
            return int(np.searchsorted(first, reported, side="right"))
        return min(int(np.searchsorted(first, total)) + 1, len(first))

    def astray(self, failure: Failure) -> None:
        """From a failure up to the next synchronization the decoder is elsewhere than the hart."""
        assert failure.at is not None
        syncs = np.flatnonzero(self.table.sync[failure.at + 1 :])
        end = failure.at + 1 + int(syncs[0]) if len(syncs) else None
        self.book.damage.append(Damage(failure.at, end, read=True))

    def wrong_direction(self, *, silent: bool) -> tuple[int, Rows] | None:
        """The first branch that is reported in the wrong direction: its traced instruction, and both directions.

        silent: a branch whose direction is not reported is wrong, too.
        """
        for run in self.runs:
            if run.at is None:
                continue
            reported = self.decoded.taken[run.origin : run.origin + run.count]
            want = self.expected.taken[run.at : run.at + len(reported)]
            wrong = np.flatnonzero((reported != want) & ((reported >= 0) | (silent & (want >= 0))))
            if len(wrong):
                index = int(wrong[0])
                return run.at + index, [("taken", str(want[index]), str(reported[index]))]
        return None
