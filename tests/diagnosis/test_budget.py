# SPDX-License-Identifier: Apache-2.0
"""A search ends with its budget of CPU time, says so, and takes the same candidates in the same order until then."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from rvtrace.models.ntrace.config import Config
from rvtrace.scoreboards.common.clauses import ClauseBook, Failure
from rvtrace.scoreboards.common.verdict import Verdict
from rvtrace.scoreboards.diagnosis import budget, cheap
from rvtrace.scoreboards.diagnosis.budget import Budget
from rvtrace.scoreboards.diagnosis.explain import explain
from rvtrace.scoreboards.diagnosis.search import Dialect, Reading, Search

CONFIG = Config()
NEVER = 1e9
ALL = tuple(Dialect(f"d{n}", "NT.7.9.fields", f"field {n} is odd", "it is even") for n in range(300))


@dataclass
class Capture:
    """Evidence of which only one dialect makes sense; each look costs `cost` seconds of the clock."""

    right: str
    looked: list[str] = field(default_factory=list)
    size: int = 1000
    dialects: tuple[Dialect, ...] = ALL

    def others(self, config: Config) -> list[Any]:
        return []

    def window(self, reading: Reading[Config]) -> str | None:
        return None if self.lost(reading) == 0 else "window"

    def near(self, reading: Reading[Config], window: str) -> float:
        self.looked.append("+".join(one.name for one in reading.dialects))
        return self.lost(reading)

    def past(self, reading: Reading[Config], window: str) -> str:
        return window

    def lost(self, reading: Reading[Config]) -> float:
        return float(self.right not in [one.name for one in reading.dialects])


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """CPU time that passes 0.01 s whenever somebody looks at it."""
    now = [0.0]

    def process_time() -> float:
        now[0] += 0.01
        return now[0]

    monkeypatch.setattr(budget.time, "process_time", process_time)
    return now


def test_a_search_that_fits_its_budget_finds_the_same_as_one_without(clock: list[float]) -> None:
    rich, poor = Capture("d30"), Capture("d30")
    found = Search(rich, CONFIG, Budget(NEVER)).explanations()
    enough = Budget(4.0)
    assert Search(poor, CONFIG, enough).explanations() == found and poor.looked == rich.looked
    assert not enough.said and enough.sentence(301) == ""


def test_a_search_ends_with_its_budget_and_keeps_the_best_so_far(clock: list[float]) -> None:
    capture, little = Capture("d30"), Budget(1.0)
    found, _ = Search(capture, CONFIG, little).explanations()
    assert [one.name for one in found[0].found] == ["d30"] and little.said
    assert 60 < len(capture.looked) < 130 and "ended after 1 s of CPU" in little.sentence(99)
    late, less = Capture("d290"), Budget(1.0)
    assert Search(late, CONFIG, less).explanations()[0] == [] and less.said


def book(*clauses: str) -> ClauseBook:
    made = ClauseBook()
    for number, clause in enumerate(clauses):
        made.fail(Failure(clause, f"{clause} does not hold", at=number))
    made.attribute()
    return made


def test_a_diagnosis_never_takes_a_failure_away(clock: list[float]) -> None:
    """What fails as claimed fails with the reading that explains it, as its consequence."""
    claimed = Verdict(book("NT.3.1.end", "NT.2.uninferable"))
    with_it = book("NT.8.1.uaddr")
    made = explain(claimed, Capture("d3"), CONFIG, lambda reading: reading, lambda _: Verdict(with_it), Budget(NEVER))
    assert made.chosen is not None and made.verdict.read == made.chosen.reading
    failures = {failure.clause: failure.cause for failure in made.verdict.failures}
    assert set(failures) == {"NT.7.9.fields", "NT.3.1.end", "NT.2.uninferable", "NT.8.1.uaddr"}
    assert failures["NT.7.9.fields"] == failures["NT.8.1.uaddr"] == ""
    assert failures["NT.3.1.end"] == failures["NT.2.uninferable"] == "NT.7.9.fields"
    assert made.verdict.failures[0].clause == "NT.7.9.fields"


def test_the_finding_says_that_the_budget_ended(clock: list[float]) -> None:
    claimed = Verdict(book("NT.3.1.end"))
    made = explain(claimed, Capture("d290"), CONFIG, lambda r: r, lambda _: Verdict(book()), Budget(1.0))
    assert made.verdict is claimed and "ended after 1 s" in claimed.failures[0].headline
    found = explain(claimed, Capture("d3"), CONFIG, lambda r: r, lambda _: Verdict(book()), Budget(0.5))
    assert found.chosen is not None and "ended after 0.5 s" in found.verdict.failures[0].headline


def test_a_word_sets_the_budget_and_nothing_is_left_of_it() -> None:
    assert (Budget.of(budget.FEW, False).seconds, Budget.of(100, True).seconds) == (budget.FILE, budget.DEVICE)
    assert Budget.of(budget.FEW - 1, False).seconds == budget.OF_FEW
    assert Budget.of(budget.SHORT, False).seconds == budget.DEVICE
    with budget.limited(7):
        assert Budget.of(100, True).seconds == 7
        with budget.shared(2):
            assert Budget.of(100, True).seconds == 3.5
        with budget.limited(0):
            claimed = Verdict(book("NT.3.1.end"))
            assert explain(claimed, Capture("d3"), CONFIG, id, Verdict, Budget.of(1, False)).verdict is claimed
    assert Budget.of(100, True).seconds == budget.DEVICE


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "no bytes"),
        (b"0x80000000 addi\n" * 8, "text"),
        (bytes(64), ""),
        (bytes(range(64)), ""),
    ],
)
def test_bytes_of_no_format_are_said_at_once(data: bytes, said: str) -> None:
    assert said in cheap.sentence(data) and bool(cheap.sentence(data)) == bool(said)
