# SPDX-License-Identifier: Apache-2.0
"""Clauses about what a counter block does not claim are N/A, and what it claims is printed as it was written."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from rvtrace.flow.dut.description import Dut
from rvtrace.flow.dut.select import Selection, not_applicable
from rvtrace.jobs import systems
from rvtrace.jobs.builds import ROOT
from rvtrace.models.hpm.config import Config
from rvtrace.scoreboards.hpm.check import plan

KITE, PLOVER = (ROOT / "tests" / "hpm" / "duts" / name for name in ("kite", "plover"))


def why(folder: Path, *without: str) -> dict[str, str]:
    return not_applicable(Dut.load(folder), systems.bench("hpm"), Selection([], {}, list(without)), [])


def test_needs_are_options_or_kinds_of_stimulus() -> None:
    known = {f.name for f in fields(Config)} | {"xlen32"}
    for clause in plan().clauses.values():
        for way in (way for need in clause.needs for way in need.split("|")):
            assert re.fullmatch(r"\w+(!?=-?\w+)?", way) and re.match(r"\w+", way)[0] in known, (clause.id, way)  # pyright: ignore[reportOptionalSubscript]


@pytest.mark.parametrize(
    ("clause", "said"),
    [
        ("HPM.filter.vsinh", "needs has_h = 1"),
        ("HPM.cfg.minh", "needs has_smcntrpmf = 1"),
        ("HPM.lcofi.no_hideleg", "needs has_h = 1"),
        ("HPM.half.high", "needs xlen = 32 or a port for csr_xlen32_i"),
        ("HPM.event.no_ext", "needs has_sscofpmf = 0"),
        ("HPM.enable.no_s", "needs has_s = 0"),
    ],
)
def test_what_kite_does_not_claim(clause: str, said: str) -> None:
    assert why(KITE, "xlen32")[clause] == said


def test_what_is_claimed_applies() -> None:
    kite, plover = why(KITE), why(PLOVER)
    assert {"HPM.half.high", "HPM.filter.sinh", "HPM.absent.zero", "HPM.of.set"}.isdisjoint(kite)
    assert {"HPM.half.high", "HPM.cfg.minh", "HPM.enable.no_s", "HPM.cfg.no_mode"}.isdisjoint(plover)
    assert plover["HPM.ovf.supervisor"] == "needs has_s = 1" and plover["HPM.csr.high_only"] == "needs xlen = 64"
    assert "HPM-8" not in plover  # some of its parts apply


def test_claims_are_printed_as_written() -> None:
    claims = Dut.load(KITE).claims
    assert claims.text("widths") == "48" and claims.text("counters") == "3+4+5"
    assert claims.text("codes") == "1:0x10,2:0x11,3:0x20,4:0x21,5:0x22,6:0x23"
    assert Dut.load(PLOVER).claims.text("codes") == "mask"
