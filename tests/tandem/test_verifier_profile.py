# SPDX-License-Identifier: Apache-2.0
"""What a profile names as non-deterministic is taken from the trace, bit by bit, and nothing else is (section 3.1,
TV-9).
"""

import pytest

from rvtrace.models.riscv.iss.config import virt
from rvtrace.models.riscv.iss.csr import CsrTable
from rvtrace.models.tandem.trace_data import TraceData
from rvtrace.models.tandem.verifier.profile import ALL, Profile
from rvtrace.models.tandem.verifier.verdict import Report
from tests.common.there import there
from tests.tandem.hand import BASE, assembled, index, li, report_on, steps_of

CSRR_CYCLE, CSRR_INSTRET, CSRR_HPM3, CSRR_USER_HPM3 = 0xC0002373, 0xC0202373, 0xB0302373, 0xC0302373  # into x6
NOP, CSRR_MSCRATCH = 0x13, 0x34002373


def reads(*words: int, first: int | None, nondeterministic: dict[str, int], xlen: int = 64, at: int = 0) -> Report:
    """The report on these words; first: what that at this place reads, None: what the simulator says."""
    rows = steps_of(assembled(*words, xlen=xlen), len(words) + 2)
    k = index(rows, words[0]) + at
    if first is not None:
        rows[k] = rows[k]._replace(gpr=(6, first))
    return report_on(rows, xlen, nondeterministic=nondeterministic)


@pytest.mark.parametrize("value,fine", [(None, True), (0xD, True), (0x12345670, False)])
def test_named_bits_are_taken_and_the_others_compared(value: int | None, fine: bool) -> None:
    report = reads(CSRR_CYCLE, CSRR_CYCLE, NOP, first=value, nondeterministic={"mcycle": 0xF}, at=1)
    assert report.ok == fine and len(report.findings) == (not fine), str(report)


@pytest.mark.parametrize("at", (0, 1))
@pytest.mark.parametrize("word", (CSRR_INSTRET, CSRR_MSCRATCH))
def test_a_wrong_read_of_what_is_not_named_is_one_finding(word: int, at: int) -> None:
    for value, count in ((None, 0), (5000, 1)):
        report = reads(word, word, NOP, word, first=value, nondeterministic={"mcycle": ALL}, at=at)
        assert len(report.findings) == count, str(report)


@pytest.mark.parametrize("xlen", (32, 64))
@pytest.mark.parametrize("word", (CSRR_HPM3, CSRR_USER_HPM3))
def test_any_csr_can_be_named(word: int, xlen: int) -> None:
    named = {"mhpmcounter3": ALL}
    assert reads(word, NOP, first=7, nondeterministic=named, xlen=xlen).ok
    assert len(reads(word, NOP, first=7, nondeterministic={}, xlen=xlen).findings) == 1
    reported = steps_of(assembled(word, xlen=xlen), 3)
    k = index(reported, word)
    reported[k : k + 1] = [TraceData(group=False, csr=((0xB03, 7),)), reported[k]._replace(gpr=(6, 7))]
    assert report_on(reported, xlen, nondeterministic=named).ok


def test_a_view_names_the_bits_that_it_shows() -> None:
    wide, narrow = CsrTable(virt(64)), CsrTable(virt(32))
    assert Profile(virt(64), nondeterministic={"cycle": 0xF0}).masks(wide) == {0xB00: 0xF0}
    assert Profile(virt(32), nondeterministic={"mcycleh": 3, "cycle": 1}).masks(narrow) == {0xB00: 3 << 32 | 1}
    assert Profile(virt(64), nondeterministic={"sip": 0x200}).masks(wide) == {0x344: 0x200}


@pytest.mark.parametrize("word", (CSRR_MSCRATCH, CSRR_INSTRET))
def test_after_a_gap_a_read_says_what_the_csr_holds(word: int) -> None:
    """In a trace without reset nothing reported it: the first read is believed, the next ones are compared."""
    rows = steps_of(assembled(NOP, NOP, NOP, word, NOP, word, NOP, word), 10)
    rows = [row for row in rows if not row.reset and not row.gpr or row.insn]
    places = [k for k, row in enumerate(rows) if row.insn and row.insn[1] == word]
    for wrong in (0, 1, 2):
        reported = list(rows)
        for k in places:
            reported[k] = rows[k]._replace(
                gpr=(6, there(rows[k].gpr)[1] + 0x55 + 3 * (k == places[wrong] and wrong > 0))
            )
        report = report_on(reported)
        assert len(report.findings) == (wrong > 0) and 0 < report.unverified <= 5 and report.matched > 3, str(report)


def without_beginning(rows: list[TraceData]) -> list[TraceData]:
    """Without reset and registers."""
    return [row for row in rows if not row.reset and not row.gpr or row.insn]


@pytest.mark.parametrize("word,known", [(0x0002A383, True), (0x0042A383, True), (0x0082A383, False)])
def test_after_a_gap_a_store_says_what_memory_holds(word: int, known: bool) -> None:
    """sd x6, 0(x5); lw x7, 0 or 4 or 8(x5): the words of the store are compared, the one behind them is believed."""
    place, store = 0x1297, 0x0062B023  # auipc x5, 1; sd
    rows = steps_of(assembled(NOP, NOP, NOP, NOP, place, *li(6, 9), store, word, NOP, NOP), 13)
    k = index(rows, word)
    for value, findings in ((there(rows[k].gpr)[1], 0), (0x55, int(known))):
        report = report_on(without_beginning([*rows[:k], rows[k]._replace(gpr=(7, value)), *rows[k + 1 :]]))
        assert len(report.findings) == findings and report.matched > 3, str(report)


def test_after_a_gap_a_trap_says_what_its_csrs_hold() -> None:
    """ecall: the interrupt enable that it saves, and where it leads, were not reported before."""
    ecall = 0x73
    program = assembled(NOP, NOP, NOP, NOP, ecall)

    def prepare(simulator) -> None:
        simulator.write(0x300, 1 << 3)
        simulator.write(0x305, BASE + 0x20)

    rows = steps_of(program, 10, prepare)
    assert rows[index(rows, ecall)].pc == BASE + 0x20
    report = report_on(without_beginning(rows))
    assert not report.findings and report.unverified and report.matched > 3, str(report)
