# SPDX-License-Identifier: Apache-2.0
"""Choices that no sentence forbids pass without the reference profile; beside each appears one that is forbidden."""

import numpy as np

from rvtrace.models.ctr.config import Config
from rvtrace.models.ctr.model import Ctr
from rvtrace.models.riscv.csr import CLEAR, DEBUG, HS, ILLEGAL, READ, SET, VIRTUAL, VS, WRITE, M, U
from rvtrace.scoreboards.ctr.check import check
from rvtrace.scoreboards.ctr.tolerances import Tolerances
from tests.ctr.devices import failed
from tests.ctr.scripts import CTL, CTR, DATA, DEPTH, IND, SELECT, SOURCE, STATUS, Row, played, r, t, w

FREE = Tolerances.free()
OPEN = CTR | IND


class AfterReset(Ctr):
    """FROZEN, modes, WRPTR and depth are not 0 after reset."""

    def __init__(self, config: Config, **more: bool) -> None:
        super().__init__(config, **more)
        self.ctl = 7 & config.fields
        self.recorder.frozen, self.recorder.wrptr, self.recorder.depth = 1, 3, 32
        self.recorder.configure(self.ctl, self.vsctl)


RESET = [r(STATUS), r(DEPTH), t(), r(CTL), w(STATUS, 3), t(), r(STATUS), w(SELECT, 0x200), r(SOURCE)]


def test_values_after_reset() -> None:
    capture = played(RESET, AfterReset)
    assert "CTR.csr.reset" in failed(capture)
    assert failed(capture, FREE) == []


def test_values_after_reset_stay() -> None:
    """A second read without a write between them shows the same."""
    script = [r(CTL), r(CTL), r(STATUS), r(STATUS)]
    for row in (1, 3):
        capture = played(script, AfterReset)
        assert failed(capture, FREE) == []
        capture.rows.rdata[row] = np.uint64(1)
        assert failed(capture, FREE) == ["CTR.csr.reset"]


class TwelveBits(Ctr):
    """iselects have 12 bits; a value above is cut off."""

    bits = 0xFFF

    def _write(self, csr, access, new):  # type: ignore[no-untyped-def]
        super()._write(csr, access, new & self.bits if csr.name.endswith("iselect") else new)


class SevenBits(TwelveBits):
    """Entries from 128 on cannot be selected."""

    bits = 0xF7F


WIDE = [w(CTL, 7), t(), w(SELECT, 1 << 40 | 0x200), r(SOURCE), w(SOURCE, 0x3001), r(SELECT)]
WIDE += [w(SELECT, 0x200), r(SOURCE)]
NARROW = [w(SELECT, 0x280), r(SELECT)]


def test_what_an_iselect_need_not_hold() -> None:
    capture = played(WIDE, TwelveBits)
    assert "CTR.entry.select" in failed(capture) and failed(capture, FREE) == []
    assert failed(played(NARROW, SevenBits), FREE) == ["CTR.entry.select"]


def test_a_read_while_an_iselect_is_open_changes_nothing() -> None:
    capture = played([*WIDE[:4], w(SELECT, 0x200), r(SOURCE)], TwelveBits)
    assert failed(capture, FREE) == []
    capture.rows.rdata[-1] ^= np.uint64(4)
    assert failed(capture, FREE) == ["CTR.source.pc"]


def test_a_reserved_type() -> None:
    """TYPE is WARL: 6 may become another value, 5 may not."""
    for value, clauses in ((6, []), (5, ["CTR.data.hold"])):
        capture = played([w(CTL, 7), w(SELECT, 0x200), w(DATA, value), r(DATA), r(DATA)])
        capture.rows.rdata[3:] = np.uint64(0)
        assert "CTR.data.hold" in failed(capture) and failed(capture, FREE) == clauses


def test_the_cycle_of_a_mode_change() -> None:
    """U is recorded and M is not: each of the three changes may be seen a cycle late, and no more."""
    away: list[Row] = [(M, [], None)] * 9
    script = [w(CTL, 1), w(STATUS, 0), t(), *[(U, [], None)] * 5, *away, *[(U, [], None)] * 5, t(), r(STATUS)]
    capture = played([*script, w(SELECT, 0x200), r(DATA)])
    free, right = Tolerances.free(), capture.rows.rdata[-1]
    for more, clauses in ((1, []), (3, []), (4, ["CTR.cycle.active"]), (5, ["CTR.cycle.active"])):
        capture.rows.rdata[-1] = right + np.uint64(more << 16)
        assert failed(capture) and [name for name in failed(capture, free) if name.startswith("CTR.cycle")] == clauses


class FullStateen(Ctr):
    """An RV64 hart with bit 63 of mstateen0, which closes hstateen0."""

    other = 0

    def access(self, access):  # type: ignore[no-untyped-def]
        if access.addr == 0x60C and access.priv not in (M, DEBUG) and not self.other:
            refused = super().access(access._replace(op=READ))
            return refused if refused.outcome else refused._replace(outcome=ILLEGAL, rdata=0)
        answer = super().access(access)
        if access.addr == 0x30C and not answer.outcome and access.op != READ:
            bit = 0 if access.xlen32 else access.wdata >> 63
            self.other = {WRITE: bit, SET: self.other | bit, CLEAR: self.other & ~bit}[access.op]
        return answer._replace(rdata=answer.rdata | self.other << 63) if access.addr == 0x30C else answer


SE0 = [w(0x30C, OPEN), r(0x60C, HS), w(0x30C, OPEN | 1 << 63), r(0x30C), r(0x60C, HS)]


def test_other_bits_of_the_state_enables() -> None:
    capture = played(SE0, FullStateen, has_stateen=1)
    assert failed(capture) and failed(capture, FREE) == []
    capture.rows.outcome[4] = ILLEGAL  # it is open
    assert failed(capture, FREE) != []


def test_a_refusal_with_one_reason() -> None:
    """An access that one rule refuses ends as that rule says, also without the reference profile."""
    capture = played([r(0x24E, VS), r(0x34E, U)])
    assert capture.rows.outcome.tolist() == [VIRTUAL, ILLEGAL]
    capture.rows.outcome[0] = ILLEGAL
    assert failed(capture, FREE) == ["CTR.csr.virtual"]


def test_what_was_not_judged_is_counted() -> None:
    """Transfers between a status that agreed and one that did not are not known to be right."""
    script = [w(CTL, 7), w(STATUS, 0), *[t()] * 3, r(STATUS), *[t()] * 4, r(STATUS), *[t()] * 2, r(STATUS)]
    right = check(played(script))
    assert right.passed and right.stats["judged"] == right.stats["instructions"] == 9
    capture = played(script)
    capture.rows.rdata[-4:] += np.uint64(1)
    verdict = check(capture)
    assert verdict.stats["judged"] == 5 and len(verdict.failures) == 1
    assert verdict.book.results()["CTR.behavior.push"][0] == 5


def test_an_iselect_that_is_first_accessed_at_xlen_32() -> None:
    """What a write leaves is not what was there after reset: the access before it selects no entry."""
    assert failed(played([r(SOURCE), w(SELECT, 0x200, narrow=1), r(SELECT), r(SOURCE)]), FREE) == []
