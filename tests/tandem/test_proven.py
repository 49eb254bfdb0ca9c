# SPDX-License-Identifier: Apache-2.0
"""What the lossless comparison proves of a device without the reference profile: each sentence in its situations, and
nothing of a sentence where what is reported in its situation is wrong.
"""

from random import Random
from typing import Any

import pytest

from rvtrace.models.tandem import table as t
from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.encoder import items as it
from rvtrace.models.tandem.trace_data import TraceData
from rvtrace.scoreboards.common.verdict import Verdict
from rvtrace.scoreboards.tandem.check import check, plan
from rvtrace.scoreboards.tandem.tolerances import Tolerances
from rvtrace.tb.tandem.stimulus.builds import BUILDS
from rvtrace.tb.tandem.stimulus.scenarios import SCENARIOS
from tests.tandem.captures import Edit, broken, captured, drop, edited, insn, swap

PROVEN = {name for name, clause in plan().clauses.items() if {"exact", "lossless"} == set(clause.checks)}


def free(capture: Any) -> Verdict:
    capture.exact = False
    return check(capture, Tolerances.free())


def test_each_sentence_is_counted_on_a_device_that_claims_no_profile() -> None:
    counted: set[str] = set()
    for options in BUILDS.values():
        config = Config.from_dict(options)
        for scenario in SCENARIOS.values():
            if options in scenario.configs:
                verdict = free(captured(scenario.build(config, Random(1)), config))
                assert verdict.passed, verdict.failures[0].text()
                counted |= {name for name, (checked, _) in verdict.book.results().items() if checked}
    assert len(PROVEN) > 40 and counted >= PROVEN, sorted(PROVEN - counted)


def test_what_does_not_fit_a_form_is_counted_only_where_the_form_is_used() -> None:
    rows = [insn(1, gpr=(5, 1000)), insn(2, gpr=(5, 1128)), insn(3, gpr=(5, 1127))]
    for level, uses in ((2, True), (0, False)):
        results = free(edited(rows, 1, lambda items: items, incremental=level)).book.results()
        assert ("TV.form.beyond" in results) == uses


TIMER = TraceData(group=False, mtime=9)
CASES: dict[str, tuple[list[TraceData], int, Edit, str, str]] = {
    "an offset of 128": (
        [insn(1, gpr=(5, 1000)), insn(2, gpr=(5, 1128)), insn(3, gpr=(5, 1127))], 2,
        lambda items: [it.AddRegister(t.GPR_BASE + 5, -128) if isinstance(one, it.Register) else one for one in items],
        "TV.form.beyond", "TV.reported.gpr"),
    "a jump by opcode 3": (
        [insn(1), insn(2)._replace(pc=0x8000_0100), insn(3)._replace(pc=0x8000_0104)], 2,
        lambda items: [it.IncrementPc() if isinstance(one, it.State) else one for one in items],
        "TV.pc.jump", "TV.reported.pc"),
    "an identifier": (
        [insn(1, paddr=8), insn(2, paddr=16)], 1, swap(it.State, id=t.EADDR), "TV.id.paddr", "TV.reported.paddr"),
    "a request": (
        [insn(1, request=(t.STORE, 2, 0x8000, 7)), insn(2)], 1,
        swap(it.Request, op=t.SC), "TV-1", "TV.reported.request"),
    "no begin": ([insn(1), insn(2), TIMER, insn(3)], 2, drop(it.Begin), "TV.group.begin", ""),
    "no end": ([insn(1), insn(2), TIMER, insn(3)], 3, drop(it.End), "TV.end.outside", "TV.reported.outside"),
    "a lost row": ([insn(1), insn(2, gpr=(5, 9)), insn(3)], 2, lambda items: [], "TV.order.lost", "TV.reported.group"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_sentence_whose_situation_is_wrong_does_not_hold(name: str) -> None:
    """It fails because of the finding there: not judged. As it is sent it holds."""
    rows, k, edit, clause, cause = CASES[name]
    options = {"incremental": 2, "implied_end": int(name == "no end")}
    right = free(edited(rows, k, lambda items: items, **options))
    checked, failed = right.book.results()[clause]
    assert checked and not failed and right.passed
    wrong = free(edited(rows, k, edit, **options))
    own = [failure for failure in wrong.failures if failure.clause == clause]
    assert wrong.book.results()[clause][1] and own and all(failure.cause for failure in own)
    assert not cause or cause in broken(wrong)
