# SPDX-License-Identifier: Apache-2.0
"""Which failures of a run are one deviation: each gets its clause and, if it follows from another one, its cause.

A device that failed is taken as it shows itself from there on. What an entry that was taken over so does later follows
from that failure. A failure that several clauses explain belongs to one that failed for certain, if there is one.
"""

from __future__ import annotations

from collections import Counter

from rvtrace.scoreboards.common.blame import Blame, Candidates
from rvtrace.scoreboards.common.clauses import ClauseBook, Failure


class Attribution(Blame):
    """Failures of one run, until it ends."""

    def __init__(self) -> None:
        super().__init__()
        self._sure: list[Failure] = []
        self._unsure: list[tuple[Failure, Candidates]] = []
        self._after: list[tuple[Failure, Failure]] = []

    def sure(self, failure: Failure) -> None:
        """One clause explains it."""
        self._sure.append(failure)

    def add(self, failure: Failure, candidates: Candidates) -> None:
        """Several clauses may."""
        self._unsure.append((failure, candidates))

    def follows(self, failure: Failure, root: Failure) -> None:
        """What failed is known only from a device that had failed before."""
        self._after.append((failure, root))

    def finish(self, book: ClauseBook) -> None:
        """All of them into the book, in the order of the run. A clause that would explain a failure as well is not
        known to hold.
        """
        self._decide()
        for failure in sorted([*self._sure, *(failure for failure, _ in self._unsure)], key=lambda one: one.at or 0):
            book.fail(failure)
        book.withdraw(sorted({clause for _, candidates in self._unsure for clause, _ in candidates}))
        book.attribute()
        for failure, root in self._after:
            if failure.clause != root.clause:
                failure.cause = root.cause or root.clause

    def _decide(self) -> None:
        certain = Counter(failure.clause for failure in self._sure)
        certain.update(one[0][0] for _, one in self._unsure if len({clause for clause, _ in one}) == 1)
        left = []
        for failure, candidates in self._unsure:
            known = [clause for clause, _ in candidates if certain[clause]]
            if known:
                failure.clause = max(known, key=lambda clause: certain[clause])
            else:
                left.append((failure, candidates))
        while left:
            explained = Counter(one for _, candidates in left for one in set(candidates))
            if not explained:
                return
            best = max(explained, key=lambda one: self._rank(one, explained, left))
            rest = []
            for failure, candidates in left:
                if any(clause == best[0] for clause, _ in candidates):
                    failure.clause = best[0]  # in its other settings as well: one deviation
                else:
                    rest.append((failure, candidates))
            left = rest

    def _rank(
        self,
        one: tuple[str, str],
        explained: Counter[tuple[str, str]],
        left: list[tuple[Failure, Candidates]],
    ) -> tuple[float, int, float, int]:
        """How well a clause in one setting explains what is left: that it was seen to hold speaks against it."""
        clause = one[0]
        failed = sum(any(name == clause for name, _ in candidates) for _, candidates in left)
        held = sum(times for (name, _), times in self.passed.items() if name == clause)
        place = min(candidates.index(one) for _, candidates in left if one in candidates)
        return (
            explained[one] / (explained[one] + self.passed[one]),
            failed,
            failed / (failed + held),
            -place,
        )
