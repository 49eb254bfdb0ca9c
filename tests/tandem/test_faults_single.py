# SPDX-License-Identifier: Apache-2.0
"""Each of the 21 faults of a trace, alone, in real programs: one report, at its place, with the right verdict."""

from __future__ import annotations

from random import Random

import pytest
from rvtrace.models.tandem.faults import FAULTS, Fault, places
from rvtrace.models.tandem.verifier.verdict import Report, Verdict

from tests.tandem.runs import config_of, sections_of, verified, with_fault

LENGTH = 4800
RUNS = [
    ("sort", 64, {}),
    ("crc", 32, {"incremental": 2, "implied_end": 1}),
    ("switch", 64, {"incremental": 0}),
    ("recursion", 32, {}),
]


def expected(fault: Fault, report: Report) -> bool:
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


@pytest.mark.parametrize("fault", FAULTS.values(), ids=list(FAULTS))
@pytest.mark.parametrize("name,xlen,options", RUNS, ids=[f"{name}{xlen}" for name, xlen, _ in RUNS])
def test_one_report_at_its_place(fault: Fault, name: str, xlen: int, options: dict) -> None:
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
def test_among_traps_and_address_spaces(fault: Fault, xlen: int) -> None:
    config = config_of(xlen)
    good = sections_of("traps", config, 11_000)
    bad, k = with_fault(good, fault, config, f"2:{fault.name}", 7_000, 10_500)
    report = verified(bad, config)
    assert expected(fault, report), f"{fault.name} at section {k}\n{report}"


def test_there_are_21() -> None:
    assert len(FAULTS) == 21 and sum(fault.needs_use for fault in FAULTS.values()) == 4
