# SPDX-License-Identifier: Apache-2.0
"""Causes and the judged share of N-Trace: one deviation is one cause, a silent device holds nothing."""

import pytest

from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.table import Message
from rvtrace.scoreboards.ntrace.check import Verdict
from tests.common.there import there
from tests.ntrace.test_scoreboard_legal import BTM, HTM, set_field
from tests.ntrace.test_scoreboard_lossless import judge


def causes(verdict: Verdict) -> set[str]:
    """The clauses of the failures that follow from no other."""
    return {failure.clause for failure in verdict.failures if not failure.cause}


@pytest.mark.parametrize("config", [HTM, BTM])
def test_nothing_is_judged_of_a_silent_device(config: Config) -> None:
    verdict = judge("linear", config, lambda messages: messages.clear())
    assert not verdict.passed and verdict.stats["judged"] == 0 < verdict.stats["instructions"]


def test_all_is_judged_of_a_device_that_is_right() -> None:
    verdict = judge("linear", HTM, lambda messages: None)
    assert verdict.stats["judged"] == verdict.stats["instructions"]


@pytest.mark.parametrize("config", [HTM, BTM])
def test_a_wrong_count_is_one_cause_and_what_comes_before_it_is_judged(config: Config) -> None:
    def longer(messages: list[Message]) -> None:
        which = next(m for m in messages[1:] if m.get("icnt") and not m.type.has_sync)
        place = [m for m in messages if m.name == which.name].index(which)
        set_field(messages, which.name, "icnt", there(which.get("icnt")) + 1, place)

    verdict = judge("indirect_kinds", config, longer)
    assert len(causes(verdict)) == 1, [(f.clause, f.at, f.cause) for f in verdict.failures]
    assert 0 <= verdict.stats["judged"] < verdict.stats["instructions"]
