# SPDX-License-Identifier: Apache-2.0
"""Causes and the judged share of E-Trace: one deviation is one cause, a silent device holds nothing."""

from tests.etrace.checked_scenarios import doctored
from tests.etrace.test_scoreboard_lossless import flip


def test_nothing_is_judged_of_a_silent_device() -> None:
    verdict = doctored("trap_kinds", {}, packets=[])
    assert not verdict.passed and verdict.stats["judged"] == 0 < verdict.stats["instructions"]


def test_all_is_judged_of_a_device_that_is_right() -> None:
    verdict = doctored("map_lengths", {})
    assert verdict.stats["judged"] == verdict.stats["instructions"]


def test_a_wrong_branch_is_one_cause() -> None:
    verdict = doctored("map_lengths", {}, flip)
    causes = {failure.clause for failure in verdict.failures if not failure.cause}
    assert len(causes) == 1, [(f.clause, f.at, f.cause) for f in verdict.failures]
    assert verdict.stats["judged"] < verdict.stats["instructions"]
