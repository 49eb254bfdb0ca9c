# SPDX-License-Identifier: Apache-2.0
"""Traces of real programs in which nothing is wrong: every instruction fits, however the trace was encoded, and
whatever is not traced.
"""

import pytest

from rvtrace.models.riscv import recording
from rvtrace.models.tandem.table import ABSENT_NAMES
from tests.tandem.runs import config_of, sections_of, verified

OPTIONS = ({"incremental": 0}, {"incremental": 1, "implied_end": 1}, {"incremental": 2})


@pytest.mark.parametrize("xlen", (32, 64))
@pytest.mark.parametrize("name", recording.names())
def test_every_program(name: str, xlen: int) -> None:
    config = config_of(xlen)
    report = verified(sections_of(name, config), config)
    assert report.ok and report.matched == report.instructions > 10_000, str(report)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("xlen", (32, 64))
def test_every_form(xlen: int, options: dict) -> None:
    config = config_of(xlen, **options)
    report = verified(sections_of("traps", config), config)
    assert report.ok, str(report)


@pytest.mark.parametrize("part", [name for name in ABSENT_NAMES if name not in ("request", "response", "pc")])
def test_what_is_not_traced_is_not_missed(part: str) -> None:
    """Section 3.2. Without pc, requests (which load the program) or all of it there is nothing to begin with."""
    config = config_of(64, absent=(part,))
    report = verified(sections_of("switch", config, 12_000), config)
    assert report.ok and report.matched > 9_000 * (part != "insn"), str(report)


def test_a_trace_without_addresses_and_data() -> None:
    config = config_of(32, absent=("paddr", "eaddr", "memdata", "ppc"))
    report = verified(sections_of("traps", config), config)
    assert report.ok, str(report)


def test_a_profile_that_expects_more_than_is_traced_says_so() -> None:
    config = config_of(64, absent=("memdata",))
    report = verified(sections_of("sort", config, 300), config, absent=())
    assert report.findings and {d.what for f in report.findings for d in f.differences} == {"memdata"}
