# SPDX-License-Identifier: Apache-2.0
"""Whose fault it is: a hart that computes wrongly, a simulator that does, and a trace that reports something else than
the hart did.
"""

import numpy as np
import pytest

from rvtrace.flow.faults.traces import split
from rvtrace.models.riscv.iss.config import virt
from rvtrace.models.tandem.encoder.encode import encode
from rvtrace.models.tandem.simulator.interface import reference
from rvtrace.models.tandem.simulator.unicorn_cpu import UnicornSimulator
from rvtrace.models.tandem.table import HAS
from rvtrace.models.tandem.trace_data import FLUSH, Rows
from rvtrace.models.tandem.verifier.compare import Comparer
from rvtrace.models.tandem.verifier.explain import ENOUGH
from rvtrace.models.tandem.verifier.verdict import SHOWN, Verdict
from tests.common.there import there
from tests.tandem.hand import assembled, index, report_on, steps_of
from tests.tandem.runs import Wrong, config_of, program_rows, sections_of, trace_of, verified

COUNT = 4000


@pytest.mark.parametrize("xlen", (32, 64))
@pytest.mark.parametrize("name", ("mul", "add", "srli", "lw", "slli"))
def test_a_hart_that_is_wrong_once(name: str, xlen: int) -> None:
    """One wrong result, which the hart then works with: one report, and what follows shows that the hart holds it."""
    config = config_of(xlen)
    hart = Wrong(xlen, name, lambda value: value ^ 4, since=30, times=1)
    report = verified(trace_of(hart, "sort", config, COUNT), config)
    assert len(report.findings) == 1 and hart.times == 0, str(report)
    assert report.findings[0].verdict == Verdict.HART, str(report)
    assert report.matched == report.instructions - 1


@pytest.mark.parametrize("xlen", (32, 64))
def test_a_hart_that_is_always_wrong(xlen: int) -> None:
    config = config_of(xlen)
    hart = Wrong(xlen, "mul", lambda value: value + 1)
    report = verified(trace_of(hart, "sort", config, COUNT), config)
    wrong = -(hart.left + 1) + 1
    assert len(report.findings) == wrong > 5 and report.count(Verdict.HART) == wrong, str(report)


@pytest.mark.parametrize("xlen", (32, 64))
def test_a_model_that_is_wrong_and_a_second_that_is_right(xlen: int) -> None:
    pytest.importorskip("unicorn")
    config = config_of(xlen)
    sections = sections_of("sort", config, 3500)
    model = Wrong(xlen, "mul", lambda value: value ^ 0x100)
    report = verified(sections, config, model, UnicornSimulator(virt(xlen)))
    assert len(report.findings) > 5 and report.count(Verdict.MODEL) == len(report.findings), str(report)
    assert all("second simulator agrees with the trace" in found.reason for found in report.findings)


def test_without_a_second_simulator_a_wrong_model_looks_like_a_wrong_hart() -> None:
    config = config_of(64)
    report = verified(sections_of("sort", config, 3500), config, Wrong(64, "mul", lambda value: value ^ 0x100))
    assert report.count(Verdict.HART) == len(report.findings) > 5, str(report)


@pytest.mark.parametrize("second", ("reference", "unicorn"))
def test_a_second_simulator_confirms_that_the_hart_is_wrong(second: str) -> None:
    if second == "unicorn":
        pytest.importorskip("unicorn")
    config = config_of(64)
    hart = Wrong(64, "mul", lambda value: value ^ 1 << 20, since=3, times=1)
    other = reference(64) if second == "reference" else UnicornSimulator(virt(64))
    report = verified(trace_of(hart, "sort", config, COUNT), config, second=other)
    assert [(found.verdict, found.confirmed) for found in report.findings] == [(Verdict.HART, True)], str(report)
    assert "second simulator agrees with the first" in report.findings[0].reason


def test_a_second_simulator_that_refuses_has_no_opinion(monkeypatch: pytest.MonkeyPatch) -> None:
    """An exact one may refuse as well (`PartialSimulator.execute` gives None)."""
    config, other = config_of(64), reference(64)
    monkeypatch.setattr(other, "execute", lambda: None)
    hart = Wrong(64, "mul", lambda value: value ^ 1 << 20, since=3, times=1)
    report = verified(trace_of(hart, "sort", config, COUNT), config, second=other)
    assert [found.verdict for found in report.findings] == [Verdict.HART], str(report)
    assert "second simulator" not in report.findings[0].reason


def test_a_finding_reads_like_a_sentence() -> None:
    config = config_of(64)
    report = verified(trace_of(Wrong(64, "mul", lambda value: value + 1, times=1), "sort", config, COUNT), config)
    text = str(report)
    for part in ("mulw ", "(x", "trace 0x", "simulator 0x", "at fault: hart", "instructions match"):
        assert part in text, text


def test_an_earlier_verdict_is_revised_although_a_later_one_cannot_be() -> None:
    """x6 and x8 are reported as 7, and are 5. x8 is written anew; much later x6 is read, and it is 5."""
    first, second, anew, read = addi(6, 0, 5), addi(8, 0, 5), addi(8, 0, 1), addi(7, 6, 0)
    words = [first, second, anew, *[addi(0, 0, 0)] * 150, read]
    rows = steps_of(assembled(*words), len(words) + 2)
    for word in (first, second):
        k = index(rows, word)
        rows[k] = rows[k]._replace(gpr=(there(rows[k].gpr)[0], 7))
    report = report_on(rows)
    assert [found.verdict for found in report.findings] == [Verdict.TRACE, Verdict.HART], str(report)
    assert report.matched == report.instructions - 2


def test_a_group_that_is_like_the_one_before_is_not_sent_twice() -> None:
    """Between two equal instructions another one is missing; the last but one of a trace is missing."""
    equal, between = addi(6, 0, 5), addi(7, 0, 1)
    words = [equal, between, equal, *(addi(8, 8, n) for n in range(1, 9))]
    rows = steps_of(assembled(*words), len(words))
    for missing in (index(rows, between), len(rows) - 2):
        report = report_on([*rows[:missing], *rows[missing + 1 :]])
        assert [found.kind for found in report.findings] == ["dropped"], str(report)


def test_bits_like_those_of_the_group_before_are_no_group_that_is_sent_twice() -> None:
    """In place of an instruction that sets x7 the trace has once more the one before it: the same bytes, but what
    follows does not fit without them.
    """
    words = [addi(0, 0, 0), addi(0, 0, 0), addi(7, 0, 1), *(addi(8, 8, n) for n in range(1, 9))]
    rows = steps_of(assembled(*words), len(words))
    k = index(rows, words[2])
    rows[k] = rows[k]._replace(insn=(4, words[1]), gpr=None)
    report = report_on(rows)
    assert [(found.kind, found.verdict) for found in report.findings] == [("instruction bits", Verdict.HART)]


def addi(rd: int, rs: int, number: int) -> int:
    return number << 20 | rs << 15 | rd << 7 | 0x13


def test_a_trace_without_store_data_is_at_fault_at_each_store(monkeypatch: pytest.MonkeyPatch) -> None:
    """The group has the right instruction and address, so that no other place in the trace is looked for: a store costs
    at most as many steps of the simulator as the lookahead of both sides and of what is watched has.
    """
    config, done = config_of(64), []
    attempt = Comparer.attempt
    monkeypatch.setattr(Comparer, "attempt", lambda *given: (done.append(0), attempt(*given))[1])
    rows = program_rows("sort", 64).select(slice(0, 3000))
    stores = int(np.count_nonzero(rows.has & HAS["memdata"]))
    rows.has = rows.has & ~np.array(HAS["memdata"], rows.has.dtype)  # the recording is shared
    report = verified(split(encode(Rows.concat([rows, Rows.from_rows([FLUSH])]), config)), config)
    assert stores > 2 * ENOUGH and [found.verdict for found in report.findings] == [Verdict.TRACE] * stores, str(report)
    assert {(one.how, one.what) for found in report.findings for one in found.differences} == {("omitted", "memdata")}
    assert len(done) < len(rows) + 40 * ENOUGH + 10 * stores
    first, last = (report.findings[n].group for n in (0, -1))
    assert f"and {stores - SHOWN:,} more findings like that of group {first}, up to group {last}" in str(report)


def test_after_a_hundred_equal_findings_one_that_later_groups_contradict_is_judged_by_them() -> None:
    """The hart is wrong from time to time, in what it uses at once, and then the trace in what the hart has right."""
    config = config_of(64)
    hart = Wrong(64, "add", lambda value: value ^ 4, times=ENOUGH + 20)
    sections = trace_of(hart, "sort", config, 4 * COUNT)
    assert hart.times == 0
    report = verified(sections, config)
    assert report.count(Verdict.HART) >= ENOUGH, str(report)
    assert not report.unverified and report.matched + len(report.findings) == report.instructions, str(report)
