# SPDX-License-Identifier: Apache-2.0
"""Each of the 21 faults of a trace, alone, in real programs: one report, at its place, with the right verdict."""

from random import Random

import pytest

from rvtrace.flow.faults import traces
from rvtrace.flow.faults.traces import FAULTS, TraceFault, places
from rvtrace.models.tandem.encoder.items import Begin, End, IncrementPc, Instruction, Register
from rvtrace.models.tandem.verifier.verdict import Report, Verdict
from tests.tandem.runs import config_of, sections_of, verified, with_fault

LENGTH = 4800
RUNS = [
    ("sort", 64, {}),
    ("crc", 32, {"incremental": 2, "implied_end": 1}),
    ("switch", 64, {"incremental": 0}),
    ("recursion", 32, {}),
]


def expected(fault: TraceFault, report: Report) -> bool:
    """One report with the fault's verdict; if nothing later uses what was reported wrongly, the hart's, not
    confirmed.
    """
    if len(report.findings) != 1:
        return False
    found = report.findings[0]
    return found.verdict == fault.verdict or (fault.needs_use and found.verdict == Verdict.HART and not found.confirmed)


def test_places_are_those_that_were_asked_for() -> None:
    """Each once; without a range those of the whole trace."""
    config, fault, rng = config_of(64), FAULTS["pc omitted"], Random(1)
    sections = sections_of("sort", config, 3000)[2900:]
    every = list(places(sections, fault, config, rng))
    assert len(set(every)) == len(every) and min(every) < 30 and max(every) >= 60
    assert sorted(places(sections, fault, config, rng, 30, 60)) == [k for k in sorted(every) if 30 <= k < 60]


def test_a_change_is_of_the_items_that_it_names() -> None:
    """They are replaced, or left out, or there is one more before the end; all others stay."""
    group = [Begin(), Instruction(4, 0x13), IncrementPc(), Register(0x1005, 9), End()]
    given = Random(1), config_of(64)
    other = traces._each(traces._insn, lambda item, rng, config: Instruction(item.length, item.bits ^ 1 << 7))
    assert other(group, *given) == [group[0], Instruction(4, 0x93), *group[2:]]
    assert traces._without(traces._pc)(group, *given) == [*group[:2], *group[3:]]
    more = Register(0x1006, 1)
    assert traces._also(lambda *_: more)(group, *given) == [*group[:4], more, group[4]]
    assert traces._also(lambda *_: more)(group[:4], *given) == [*group[:4], more]


@pytest.mark.parametrize("fault", FAULTS.values(), ids=list(FAULTS))
@pytest.mark.parametrize("name,xlen,options", RUNS, ids=[f"{name}{xlen}" for name, xlen, _ in RUNS])
def test_one_report_at_its_place(fault: TraceFault, name: str, xlen: int, options: dict) -> None:
    config = config_of(xlen, **options)
    good = sections_of(name, config, LENGTH)
    bad, k = with_fault(good, fault, config, f"1:{fault.name}", LENGTH - 2200, LENGTH - 300)
    report = verified(bad, config)
    assert expected(fault, report), f"{fault.name} at section {k}\n{report}"
    offset = report.findings[0].offset
    begin = sum(map(len, good[:k]))
    assert begin - 1 <= offset <= begin + sum(map(len, bad[k : k + 3])), (
        f"reported at {offset:#x}, inserted at {begin:#x}"
    )


@pytest.mark.parametrize("xlen", (32, 64))
@pytest.mark.parametrize("fault", FAULTS.values(), ids=list(FAULTS))
def test_among_traps_and_address_spaces(fault: TraceFault, xlen: int) -> None:
    config = config_of(xlen)
    good = sections_of("traps", config, 11_000)
    bad, k = with_fault(good, fault, config, f"2:{fault.name}", 7_000, 10_500)
    report = verified(bad, config)
    assert expected(fault, report), f"{fault.name} at section {k}\n{report}"


def test_there_are_21() -> None:
    assert len(FAULTS) == 21 and sum(fault.needs_use for fault in FAULTS.values()) == 4
