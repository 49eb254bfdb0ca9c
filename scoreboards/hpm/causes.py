# SPDX-License-Identifier: Apache-2.0
"""Which failure of a run follows from which: a count that is wrong makes OF wrong, and OF makes LCOFIP wrong.

A counter is seen by looks; between two looks, and up to a write of it, everything about it is one state. What fails
about OF of a counter there follows from a look at the counter that fails, before or after it. What fails about LCOFIP
follows from a counter or an OF that fails since LCOFIP was last seen to be right. A counter that fails follows from a
setting of it that is read wrong, if the setting was not written in between.
"""

from __future__ import annotations

from collections import defaultdict

from rvtrace.scoreboards.common.clauses import Failure


class Causes:
    """The failures of one run, in the order in which they occur; `settle` gives each its cause."""

    def __init__(self) -> None:
        self._of: dict[int, Failure] = {}  # by id of a failure the one it follows from
        self._all: list[Failure] = []
        self._counter: dict[int, Failure] = {}  # counters whose last look failed
        self._flags: dict[int, list[Failure]] = defaultdict(list)  # of each counter, since a look at it was right
        self._requests: list[Failure] = []  # since LCOFIP was right
        self._wrong: Failure | None = None  # the counter or OF that failed first since then
        self._since: dict[str, list[Failure]] = defaultdict(list)  # counters that failed since a setting was written

    def right(self, n: int) -> None:
        """A look at a counter fits, or the whole of it is written."""
        self._counter.pop(n, None)
        self._flags.pop(n, None)

    def requested(self) -> None:
        """LCOFIP is as it should be, or written."""
        self._requests.clear()
        self._wrong = None

    def written(self, setting: str) -> None:
        """A register that decides what counters count is written."""
        self._since.pop(setting, None)

    def counter(self, n: int, failure: Failure, settings: tuple[str, ...]) -> None:
        """A look at a counter does not fit. settings: the registers that decide what it counts."""
        self._all.append(failure)
        self._counter[n] = failure
        for one in self._flags.pop(n, ()):
            self._follows(one, failure)
        for setting in settings:
            self._since[setting].append(failure)
        self._since_request(failure, n > 2)

    def flag(self, n: int, failure: Failure) -> None:
        """OF of a counter is wrong."""
        self._all.append(failure)
        if n in self._counter:
            self._follows(failure, self._counter[n])
        else:
            self._flags[n].append(failure)
        self._since_request(failure, True)

    def request(self, failure: Failure) -> None:
        """LCOFIP is wrong."""
        self._all.append(failure)
        if self._wrong is not None:
            self._follows(failure, self._wrong)
        else:
            self._requests.append(failure)

    def setting(self, name: str, failure: Failure) -> None:
        """A register reads other than it should."""
        self._all.append(failure)
        for one in self._since.pop(name, ()):
            self._follows(one, failure)

    def _since_request(self, failure: Failure, may_request: bool) -> None:
        if not may_request:
            return
        for one in self._requests:
            self._follows(one, failure)
        self._requests.clear()
        self._wrong = self._wrong or failure

    def _follows(self, failure: Failure, cause: Failure) -> None:
        if failure is not cause:
            self._of.setdefault(id(failure), cause)

    def settle(self) -> None:
        """Once the clause of every failure is known."""
        for failure in self._all:
            cause, seen = failure, {id(failure)}
            while (more := self._of.get(id(cause))) is not None and id(more) not in seen:
                cause = more
                seen.add(id(cause))
            if cause.clause != failure.clause:
                failure.cause = cause.clause
