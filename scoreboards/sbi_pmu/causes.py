# SPDX-License-Identifier: Apache-2.0
"""Which failure of an SBI PMU run follows from which.

A counter block that counts wrong shows the supervisor wrong values: what fails about a view of it in the step of such a
failure or after it follows from that. The same steps on the counter model differ from the first step on in which
anything else is wrong: that they differ is a finding only if nothing else fails up to there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rvtrace.scoreboards.common.clauses import ClauseBook, Failure
from rvtrace.scoreboards.common.verdict import Verdict

SAME, COUNTERS = "SBI.run.same", "SBI.run.counters"
VIEWS = frozenset(
    f"SBI.view.{name}"
    for name in ("value", "counts", "filters", "stopped", "event", "inhibit", "of", "overflow", "lcofi")
)  # what the counter block shows


def step_of(cycles: Sequence[int], cycle: int | None) -> int:
    """The step in which a cycle is, from the cycles in which steps begin; 0 if it is before them or not known."""
    if cycle is None:
        return 0
    return max((number for number, begin in enumerate(cycles) if begin <= cycle), default=0)


def of_block(book: ClauseBook, clause: str, verdict: Verdict, cycles: Sequence[int] = ()) -> None:
    """Count the verdict of a block alone under one clause; what follows there from another failure is named with it.
    cycles: in which steps begin.
    """
    book.count(clause, sum(checked for checked, _ in verdict.book.results().values()))
    for failure in verdict.failures:
        if failure.cause:
            continue
        after = sorted({one.clause for one in verdict.failures if one.cause == failure.clause})
        also = [("so also", "", ", ".join(after))] if after else []
        book.fail(
            Failure(
                clause,
                f"{failure.clause}: {failure.headline}",
                failure.cycle,
                table=[*failure.table, *also],
                before=failure.before,
                at=step_of(cycles, failure.cycle) if cycles else None,
            ),
            counted=True,
        )


def settle(failures: Iterable[Failure]) -> None:
    """Give each failure its cause; `at` is the number of its step."""
    found = [failure for failure in failures if failure.at is not None]
    counters = min((one.at for one in found if one.clause == COUNTERS and one.at is not None), default=None)
    for failure in found:
        at = failure.at or 0
        if failure.clause in VIEWS and counters is not None and counters <= at:
            failure.cause = COUNTERS
        elif failure.clause == SAME:
            before = [one for one in found if one.clause != SAME and (one.at or 0) <= at and not one.cause]
            first = min(before, key=lambda one: (one.at or 0, one.clause != COUNTERS), default=None)
            failure.cause = "" if first is None else first.clause
