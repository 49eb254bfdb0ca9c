# SPDX-License-Identifier: Apache-2.0
"""What explained one run of a device is tried first in its next runs, and only where it explains all of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from rvtrace.models.ntrace.config import Config
from rvtrace.scoreboards.common.verdict import Verdict
from rvtrace.scoreboards.diagnosis import explain as diagnosis
from rvtrace.scoreboards.diagnosis.budget import Budget
from rvtrace.scoreboards.diagnosis.explain import explain
from rvtrace.scoreboards.diagnosis.search import Habit, Reading
from tests.diagnosis.test_budget import ALL, CONFIG, NEVER, Capture, book

BOLT = "make run SOURCE=random SEED={} DUT=examples/bolt"


@pytest.fixture(autouse=True)
def forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is known of any device."""
    monkeypatch.setattr(diagnosis, "_known", {})


def names(right: str, rerun: str, dialects: Any = ALL) -> tuple[list[str], int]:
    """The deviations found in a run, and how many readings were looked at near a place."""
    capture, claimed = Capture(right, dialects=dialects), Verdict(book("NT.3.1.end"))
    made = explain(claimed, capture, CONFIG, lambda r: r, lambda _: Verdict(book()), Budget(NEVER), rerun)
    return [one.name for one in made.chosen.found] if made.chosen else [], len(capture.looked)


def test_a_later_run_of_the_device_is_not_searched() -> None:
    found, looked = names("d250", BOLT.format(1))
    assert found == ["d250"] and looked > 250
    assert names("d250", BOLT.format(2)) == (["d250"], 0)


def test_another_device_or_a_file_is_searched() -> None:
    names("d250", BOLT.format(1))
    assert names("d250", "make run SEED=1 DUT=examples/other")[1] > 250
    assert names("d250", "make check TRACE=t.bin")[1] > 250
    assert names("d250", "make check TRACE=t.bin")[1] > 250, "nothing is known of a file"


def test_what_does_not_explain_a_run_is_not_said_of_it() -> None:
    names("d250", BOLT.format(1))
    found, looked = names("d30", BOLT.format(2))
    assert found == ["d30"] and looked > 30
    assert names("d250", BOLT.format(3)) == (["d250"], 0) and names("d30", BOLT.format(4)) == (["d30"], 0)


def test_a_run_whose_configuration_does_not_have_it_is_searched() -> None:
    names("d250", BOLT.format(1))
    found, looked = names("d3", BOLT.format(2), ALL[:9])
    assert found == ["d3"] and looked > 0


def test_a_habit_has_the_options_that_differ() -> None:
    claimed = Config(src_bits=4)
    habit = Habit.of(Reading(replace(claimed, src_bits=8), ALL[:1]), claimed)
    assert habit == Habit((("src_bits", 8),), ("d0",))
    other = Config(src_bits=4, timestamp=1)
    assert habit.reading(Capture("d0"), other) == Reading(replace(other, src_bits=8), ALL[:1])
    assert Habit((("src_bits", 99),), ()).reading(Capture("d0"), claimed) is None
