# SPDX-License-Identifier: Apache-2.0
"""Addresses that a group reports although its instruction accesses nothing: an SC that failed, an access that trapped,
and all others.
"""

import pytest

from rvtrace.models.riscv.iss.config import HartConfig, virt
from rvtrace.models.riscv.iss.hart import NOWHERE, Hart
from rvtrace.models.tandem.trace_data import TraceData
from tests.tandem.hand import BASE, DATA, assembled, index, report_on, steps_of

LR, SC = 0x1002A32F, 0x1872A3AF  # lr.w x6, (x5); sc.w x7, x7, (x5)
LW, SW, AMO, ECALL = 0x0002A303, 0x0062A023, 0x0062A32F, 0x00000073  # of x6 at x5
MTVEC, HOLE = 0x305, 0x10


def reported(rows: list[TraceData], word: int, **parts: object) -> list[TraceData]:
    """The rows, with what the first row of this instruction also reports."""
    k = index(rows, word)
    return [*rows[:k], rows[k]._replace(**parts), *rows[k + 1 :]]


@pytest.mark.parametrize(
    "parts,fine",
    [
        ({}, True),
        ({"paddr": DATA}, True),
        ({"eaddr": DATA}, True),
        ({"paddr": DATA, "eaddr": DATA}, True),
        ({"paddr": 0xDEAD000}, False),
        ({"eaddr": DATA + 4}, False),
        ({"paddr": DATA, "memdata": (2, 0)}, False),
    ],
)
def test_an_sc_that_fails_has_the_address_of_rs1(parts: dict, fine: bool) -> None:
    rows = steps_of(assembled(LR, SC), 4, lambda simulator: simulator.write(0x1005, DATA))
    failed = reported(rows, SC, **{"gpr": (7, 1), "paddr": None, "memdata": None, **parts})
    report = report_on(failed)
    assert report.ok == fine and len(report.findings) == (not fine), str(report)


def trapping(word: int, address: int) -> list[TraceData]:
    """Rows of an instruction that traps, with x5 and mtvec as the trace reports them."""

    def prepare(simulator) -> None:
        simulator.write(0x1005, address)
        simulator.write(MTVEC, BASE + 16)

    rows = steps_of(assembled(word), 4, prepare)
    k = index(rows, word)
    return [*rows[:k], TraceData(init=True, csr=((MTVEC, BASE + 16),)), *rows[k:]]


@pytest.mark.parametrize("word", (LW, SW, AMO))
@pytest.mark.parametrize(
    "parts,fine",
    [({}, True), ({"paddr": HOLE}, True), ({"eaddr": HOLE}, True), ({"paddr": 0x20}, False), ({"eaddr": 0x20}, False)],
)
def test_an_access_that_faults_has_its_address(word: int, parts: dict, fine: bool) -> None:
    report = report_on(reported(trapping(word, HOLE), word, **parts))
    assert report.ok == fine and len(report.findings) == (not fine), str(report)


def test_a_misaligned_amo_has_its_address() -> None:
    rows = trapping(AMO, DATA + 2)
    assert report_on(reported(rows, AMO, paddr=DATA + 2)).ok
    assert len(report_on(reported(rows, AMO, paddr=DATA)).findings) == 1


@pytest.mark.parametrize("word", (ECALL, 0xFFFFFFFF))
def test_a_trap_of_something_else_has_none(word: int) -> None:
    rows = trapping(word, HOLE)
    assert report_on(rows).ok
    assert len(report_on(reported(rows, word, paddr=HOLE)).findings) == 1


@pytest.mark.parametrize("paged", (False, True))
def test_what_the_simulator_knows_of_an_access_that_trapped(paged: bool) -> None:
    """Without translation physical is effective; a page fault has no physical address; a part in the next page is not
    the access.
    """
    hart = Hart(HartConfig(64, ram=((BASE, 0x2000),)) if not paged else virt(64))
    hart.memory.write(BASE, LW.to_bytes(4, "little"))
    hart.pc, hart.x[5] = BASE, BASE + 0x1FFE
    if paged:  # Sv39: a gigapage of code; no page for the access
        hart.memory.write(BASE + 0x3000 + 16, (BASE >> 2 | 0xCF).to_bytes(8, "little"))
        hart.write_csr(0x180, 8 << 60 | BASE + 0x3000 >> 12)
        hart.x[5] = 0xFFE
        hart.set_priv(1)
    step = hart.execute()
    assert step.trap == (0, 13 if paged else 5), step.trap
    assert (step.eaddr, step.paddr) == (hart.x[5], NOWHERE if paged else hart.x[5]) and not step.access
    assert hart.read_csr(0x343) == hart.x[5] + 2  # mtval: the part in the next page
