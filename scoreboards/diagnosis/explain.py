# SPDX-License-Identifier: Apache-2.0
"""The diagnosis that follows a check: which deviation makes a trace fail, and the verdict with it taken back.

    made = explain(claimed, evidence, config, judge, budget)
    made.verdict      the check once more, with the deviations as findings before all that fails beside them
    made.chosen       the reading that it is about; None where nothing explains the trace: then the verdict is `claimed`

A check is a function of a capture and a reading of it, and knows nothing of this. A diagnosis adds what is the cause,
and lets more be judged: a clause that fails as claimed fails in its verdict too, as a consequence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

from rvtrace.models.common.options import Options
from rvtrace.scoreboards.common.clauses import ClauseBook
from rvtrace.scoreboards.common.verdict import Verdict
from rvtrace.scoreboards.diagnosis.budget import Budget
from rvtrace.scoreboards.diagnosis.search import (
    MUCH,
    TIED,
    Chosen,
    Evidence,
    Explanation,
    Habit,
    Legible,
    Reading,
    Search,
    with_equals,
    with_examples,
)

C = TypeVar("C", bound=Options)

_DEVICE = re.compile(r"\bDUT=\S+")
_known: dict[str, dict[Habit, None]] = {}  # of each device, what explained its runs

SUPPORT = 4  # messages or packets lost that make one deviation believable
HALF, MOSTLY = 0.5, 0.9  # shares of the instructions that could be judged


class Diagnosed(NamedTuple):
    """A verdict after its diagnosis. chosen: how the capture was read; None: as claimed."""

    verdict: Verdict
    chosen: Chosen | None = None


def explain(
    claimed: Verdict,
    evidence: Evidence[C, Any],
    config: C,
    read: Callable[[Reading[C]], Any],
    judge: Callable[[Any], Verdict],
    budget: Budget,
    rerun: str = "",
    likely: Sequence[Reading[C]] = (),
) -> Diagnosed:
    """Of the readings that explain a capture, the one with which the fewest checks fail, and the verdict with it.

    claimed: the verdict on the capture as claimed, with `config`. read: the capture as a reading has it. judge: the
    check of a capture. rerun: the command of a run; what explains it is tried first in later runs of its device in this
    process, whose order does not depend on the time. likely: readings that what is cheap to see speaks for, tried
    first.
    """
    if not budget.seconds:
        return Diagnosed(claimed)
    device = _DEVICE.search(rerun)
    known = _known.setdefault(device[0], {}) if device else {}
    search = Search(evidence, config, budget, [*known, *(Habit.of(one, config) for one in likely)])
    explanations, share = search.explanations()
    believable = int(share * evidence.size) // SUPPORT
    explanations = [one for one in explanations if len(one.found) <= max(believable, 1)]
    if not explanations and share < MUCH and isinstance(evidence, Legible):
        explanations = search.explained(evidence.legible(claimed.failures))
    best: tuple[tuple[int, int], Explanation[C], Any, Verdict] | None = None
    equal: list[Explanation[C]] = []
    for number, explanation in enumerate(explanations):
        if budget.ended and (best is not None or number >= TIED):
            break
        capture = read(explanation.reading)
        verdict = judge(capture)
        failed = len(explanation.found), sum(failures for _, failures in verdict.book.results().values())
        if not believable and verdict.book.failed:
            continue  # a short trace: another single damage is as likely
        if not _better(verdict.book, claimed.book, len(explanation.found)):
            continue
        if best is None or failed < best[0]:
            best, equal = (failed, explanation, capture, verdict), []
        elif failed == best[0]:
            equal.append(explanation)
    note = budget.sentence(search.tried)
    if best is None:
        add_note(claimed.book, note)
        return Diagnosed(claimed)
    _, explanation, capture, verdict = best
    known[Habit.of(explanation.reading, config)] = None
    verdict.read = capture
    found = with_equals(with_examples(evidence, explanation, config, verdict), equal)
    chosen = Chosen(capture, found, share, explanation.reading, tuple(claimed.failures), note)
    chosen.report(verdict.book)
    return Diagnosed(verdict, chosen)


def add_note(book: ClauseBook, note: str) -> None:
    """Say (if there is something to say) at the first cause that it was not looked for to the end."""
    first = next((failure for failure in book.failures if not failure.cause), None)
    if first is not None and note:
        first.headline = f"{first.headline}; {note}"


def _better(book: ClauseBook, claimed: ClauseBook, found: int) -> bool:
    """Whether a number of deviations, and what fails beside them, says less than what fails as claimed; or most could
    not be judged as claimed, and nearly all can be with them.
    """
    if book.judged is None or claimed.judged is None or not book.causes:
        return True
    return found + len(book.causes) <= len(claimed.causes) or (claimed.judged < HALF and book.judged > MOSTLY)
