# SPDX-License-Identifier: Apache-2.0
"""Findings of the SBI PMU extension: causes first, and what follows from them under them."""

from dataclasses import replace

from rvtrace.scoreboards.common.clauses import Failure
from rvtrace.scoreboards.sbi_pmu.capture import SbiPmuCapture
from rvtrace.scoreboards.sbi_pmu.causes import COUNTERS, SAME, settle, step_of
from rvtrace.scoreboards.sbi_pmu.check import check
from tests.sbi_pmu.test_scoreboard import answers, called, recorded


def caused(*failures: Failure) -> list[str]:
    settle(failures)
    return [failure.cause for failure in failures]


def test_a_wrong_answer_explains_that_the_record_differs_from_the_model() -> None:
    good = recorded(64)
    number = next(i for i, step in enumerate(good.steps) if called("num_counters")(step))
    bad = replace(good, steps=[*good.steps])
    bad.steps[number] = answers(0, 9)(bad.steps[number])
    verdict = check(SbiPmuCapture(None, bad, good, None, [], []))
    assert set(verdict.book.failed) == {"SBI.num.count", SAME} and verdict.book.causes == ["SBI.num.count"]
    assert next(one for one in verdict.failures if one.clause == "SBI.num.count").at == number


def test_a_difference_that_nothing_explains_is_a_finding() -> None:
    """Also if something else fails, but later."""
    good, other = recorded(64), recorded(64)
    other.steps[0] = other.steps[0]._replace(cycle=1)
    number = next(i for i, step in enumerate(good.steps) if called("num_counters")(step))
    good.steps[number] = answers(0, 9)(good.steps[number])
    assert check(SbiPmuCapture(None, good, other, None, [], [])).book.causes == ["SBI.num.count", SAME]


def test_views_follow_from_the_counter_block_that_shows_them() -> None:
    counters, before, after, answer = (
        Failure(clause, "", at=at)
        for clause, at in ((COUNTERS, 4), ("SBI.view.value", 3), ("SBI.view.of", 4), ("SBI.start.started", 5))
    )
    assert caused(counters, before, after, answer) == ["", "", COUNTERS, ""]
    assert caused(Failure("SBI.view.value", "", at=9)) == [""]


def test_the_first_cause_explains_a_difference() -> None:
    same, view, counters = Failure(SAME, "", at=6), Failure("SBI.view.value", "", at=5), Failure(COUNTERS, "", at=5)
    assert caused(same, view, counters) == [COUNTERS, COUNTERS, ""]


def test_the_step_of_a_cycle() -> None:
    assert [step_of([0, 10, 20], cycle) for cycle in (None, 0, 9, 10, 25)] == [0, 0, 0, 1, 2]
