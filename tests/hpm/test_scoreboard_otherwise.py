# SPDX-License-Identifier: Apache-2.0
"""The deviations that are tried on a counter block without the profile: which there are, what each one says of the
settings, and which is taken. All are read off the sentence of each.
"""

from collections import Counter
from types import SimpleNamespace
from typing import Any, cast

import pytest

from rvtrace.models.hpm.config import Config
from rvtrace.models.hpm.model import Hpm
from rvtrace.models.hpm.rows import Rows
from rvtrace.models.riscv.csr import DEBUG, M
from rvtrace.scoreboards.hpm.bounds import UNKNOWN, Setting
from rvtrace.scoreboards.hpm.capture import HpmCapture
from rvtrace.scoreboards.hpm.check import check
from rvtrace.scoreboards.hpm.hypotheses import ENOUGH, ROWS, Assumed, Hypothesis, Tried, explain, otherwise
from rvtrace.tb.hpm.stimulus.script import Script
from tests.hpm.broken import StopsInDebugMode
from tests.hpm.devices import captured

EVENT = 3  # the first selector of an external event
MINH, SINH, UINH = 1 << 4, 1 << 3, 1 << 2


def tried(failing: list[int], **options: object) -> list[Hypothesis]:
    """For counters of which a look failed."""
    config = Config.from_dict({"counters": "3+4", "events": 2} | options)
    return list(otherwise(HpmCapture(config, Rows.empty(1, config.events), None, exact=False), failing))


def named(text: str, failing: int = 3, **options: object) -> Hypothesis:
    return next(one for one in tried([failing], **options) if one.text == text)


def filters(one: Hypothesis, before: int) -> int:
    """The filters of counter 3 with the deviation."""
    assert one.settings is not None
    return one.settings({3: Setting(EVENT, 0, before), 4: Setting(EVENT, 0, before)})[3].filters


@pytest.mark.parametrize(
    ("options", "modes"),
    [
        ({}, {"minh", "sinh", "uinh", "vsinh", "vuinh"}),
        ({"has_h": 0, "has_shlcofideleg": 0}, {"minh", "sinh", "uinh"}),
        ({"has_h": 0, "has_shlcofideleg": 0, "has_s": 0}, {"minh", "uinh"}),
        ({"has_sscofpmf": 0, "has_shlcofideleg": 0}, set()),
    ],
)
def test_each_mode_has_its_filter(options: dict[str, object], modes: set[str]) -> None:
    clauses = {one.clause for one in tried([3], **options)}
    assert {one.removeprefix("HPM.filter.") for one in clauses if one.startswith("HPM.filter.")} == modes


def test_a_filter_that_does_nothing() -> None:
    one = named("mhpmcounter3 counts in the mode in which MINH inhibits it")
    assert [filters(one, before) for before in (MINH, MINH | UINH, 0, UNKNOWN)] == [0, UINH, 0, UNKNOWN]


def test_filters_that_are_exchanged() -> None:
    """Where both are 1, or both 0, that is the same."""
    one = named("mhpmcounter3 has MINH and SINH exchanged")
    assert [filters(one, before) for before in (MINH, SINH | UINH, MINH | SINH, 0)] == [
        SINH, MINH | UINH, MINH | SINH, 0,
    ]  # fmt: skip
    assert filters(one, UNKNOWN) == UNKNOWN


def test_a_filter_that_applies_in_another_mode() -> None:
    one = named("mhpmcounter3 applies MINH in the mode of SINH")
    assert [filters(one, before) for before in (MINH, MINH | UINH, UINH, 0)] == [SINH, SINH | UINH, UINH, 0]
    assert filters(one, UNKNOWN) == UNKNOWN


def test_fewer_bits_than_claimed() -> None:
    """Every number of bits that is less than the claimed one, of those that occur; and one less than claimed."""
    for width, fewer in ((2, [1]), (17, [8, 16])):
        found = [one for one in tried([3], widths=str(width)) if one.widths and len(one.widths) == 1]
        assert [one.widths for one in found] == [((3, bits),) for bits in fewer]
    assert not [one for one in tried([3], widths="1") if one.widths]


def test_what_mcycle_may_count_instead() -> None:
    """It has no selector; mhpmcounter3 has every selector of the options."""
    mcycle = [one for one in tried([0]) if "counts" in one.text and one.text.startswith("mcycle counts ")]
    other = {one.text for one in mcycle if one.clause == "HPM.count.cycles"}
    assert "mcycle counts instructions retired" in other and "mcycle counts event 0" in other
    third = [one for one in tried([3]) if one.text.startswith("what selects")]
    assert {one.clause for one in third} >= {"HPM.select.event", "HPM.select.cycles", "HPM.select.retired"}


# --- Which is taken ---------------------------------------------------------------------------------------------------


class LostWrites(Hpm):
    """Writes of mhpmcounter3 change nothing."""

    def _write(self, write: Any) -> None:
        if write.csr.name != "mhpmcounter3":
            super()._write(write)


class LostAtFirst(Hpm):
    """The first four of them change nothing."""

    _lost = 0

    def _write(self, write: Any) -> None:
        if write.csr.name == "mhpmcounter3" and self._lost < 4:
            self._lost += 1
        else:
            super()._write(write)


def findings(script: Script, device: type[Hpm]) -> list[str]:
    """What follows from nothing else, of a device of which only reads are seen."""
    capture = captured(script.rows(), script.config, device)
    verdict = check(HpmCapture(script.config, capture.rows, None, exact=False))
    return [failure.headline.partition(";")[0] for failure in verdict.failures if not failure.cause]


def lost_writes(counters: str) -> list[str]:
    """Findings of a device that loses writes of mhpmcounter3, by four of them."""
    script = Script(Config.from_dict({"counters": counters, "events": 1}))
    script.count(3, EVENT)
    script.read("mhpmevent3")
    for value in (1, 2, 3, 4):
        script.write("mhpmcounter3", value << 41 | value)  # of fewer bits it would show the lower ones
        script.read("mhpmcounter3")
    return findings(script, LostWrites)


def test_writes_that_are_lost() -> None:
    assert lost_writes("3+4") == ["writes of mhpmcounter3 are lost"]


def test_writes_that_are_lost_among_many_counters() -> None:
    """Of more than eight counters only those are followed at first that read wrong most often."""
    assert lost_writes("3+4+5+6+7+8+9") == ["writes of mhpmcounter3 are lost"]


@pytest.mark.parametrize(("kept", "taken"), [(3, True), (4, False)])
def test_a_deviation_has_to_explain_something_of_the_whole_run(kept: int, taken: bool) -> None:
    """Four writes are lost. Beyond the rows that are looked at first some are kept; that these are lost, too, makes as
    many reads wrong.
    """
    script = Script(Config.from_dict({"counters": "3+4", "events": 1}))
    script.count(3, 0)
    script.read("mhpmevent3")
    for k in range(4 + kept):
        if k == 4:
            for _ in range(ROWS):
                script.step()
        script.write("mhpmcounter3", 100 + k)
        script.read("mhpmcounter3")
    assert ("writes of mhpmcounter3 are lost" in findings(script, LostAtFirst)) == taken


def test_counters_that_stop_in_debug_mode() -> None:
    """In M-mode they count."""
    script = Script(Config.from_dict({"counters": "3+4", "events": 1}))
    script.write("mcountinhibit", 0)
    script.count(3, EVENT)
    script.read("mhpmevent3")
    script.read("mhpmcounter3")
    for mode in (M, DEBUG) * 4:
        script.at(mode)
        for _ in range(20):
            script.step(events={EVENT: 1})
        script.at(M)
        script.read("mhpmcounter3")
    assert findings(script, StopsInDebugMode) == ["counters do not count in Debug Mode"]


@pytest.mark.parametrize(("failed", "taken"), [(ENOUGH - 1, False), (ENOUGH, True), (ENOUGH + 1, True)])
def test_what_says_little_has_to_explain_enough(failed: int, taken: bool) -> None:
    """No other hypothesis explains anything, and one that says little all."""
    capture = HpmCapture(Config.from_dict({"counters": "+3", "events": 1}), Rows.empty(1, 1), None, exact=False)
    run = cast(
        Assumed,
        SimpleNamespace(settings=[dict.fromkeys((0, 2, 3), Setting(EVENT, 0, 0))], largest=Counter(), written_to=set()),
    )

    def judge(hypotheses: tuple[Hypothesis, ...], rows: int, only: frozenset[int], limit: int) -> Tried | None:
        if not hypotheses:
            return Tried((), failed, failed, (3,), run)
        return Tried(hypotheses, 0, 0, (), run) if hypotheses[-1].vague else None

    assert bool(explain(capture, judge).hypotheses) == taken
