# SPDX-License-Identifier: Apache-2.0
"""The clause that one wrong value of a short run is blamed on: each case says what the device did wrong."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rvtrace.models.ctr.config import Config
from rvtrace.models.ctr.model import Ctr
from rvtrace.models.ctr.records import SCTRCLR, Transfer
from rvtrace.models.riscv.csr import CLEAR, DONE, HS, ILLEGAL, VIRTUAL, VS, VU, WRITE, Access, M, U
from rvtrace.scoreboards.ctr.capture import CtrCapture
from rvtrace.scoreboards.ctr.check import check
from rvtrace.scoreboards.ctr.tolerances import Tolerances
from tests.ctr.devices import DRAFT, failed, play
from tests.ctr.readings import unmoved
from tests.ctr.scripts import (
    BPFRZ,
    CTL,
    DATA,
    DEPTH,
    EVERY,
    IN_S,
    IN_U,
    IND,
    MSTATEEN,
    SCTL,
    SELECT,
    SOURCE,
    STATUS,
    TARGET,
    VSCTL,
    VSSELECT,
    Row,
    played,
    r,
    rows_of,
    t,
    w,
)

WAIT: Row = (U, [], None)
AWAY: Row = (M, [], None)


def good(script: list[Row], **options: Any) -> CtrCapture:
    """What the reference model answers."""
    capture = played(script, **options)
    assert failed(capture) == []
    return capture


def shown(capture: CtrCapture, row: int, value: int) -> list[str]:
    """The clauses that fail if a row gives this value."""
    capture.rows.rdata[row] = np.uint64(value)
    return failed(capture)


def ended(capture: CtrCapture, row: int, outcome: int) -> list[str]:
    """The clauses that fail if a row ends so."""
    capture.rows.outcome[row] = outcome
    return failed(capture)


def value(capture: CtrCapture, row: int) -> int:
    return int(capture.rows.rdata[row])


# --- One wrong value --------------------------------------------------------------------------------------------------

CCV = 1 << 15
LOOK = [w(SELECT, 0x200), r(DATA)]
IDLE = [w(CTL, IN_U), t(0), AWAY, AWAY, AWAY]
BUSY = [w(CTL, EVERY), t(0), WAIT, WAIT]
OF_GUEST: list[Row] = [w(0x381, EVERY), t(0), t(0, misp=1), w(0x281, 1 << 7, HS), w(0x350, 0x200), r(0x351), r(0x352)]
TWICE = [w(CTL, EVERY), t(0), t(1)]


def cycles(right: int, wrong: int, others: int = 0) -> Callable[[int], int]:
    """The value of ctrdata with another count of cycles, and other bits inverted."""

    def change(value: int) -> int:
        assert value >> 16 == right
        return value & 0xFFFF | wrong << 16 | others

    return change


# Script, which row shows something else (or what it shows), and the only clause that fails
VALUES: dict[str, tuple[list[Row], int, int | Callable[[int], int], str, dict[str, Any]]] = {
    # Between two records in U-mode, which is on, are three cycles in M-mode, which is off.
    "a count of cycles that do not count": ([*IDLE, t(1), *LOOK], -1, cycles(1, 4), "CTR.cycle.active", {}),
    "a count that a write two cycles before did not restart": (
        [*BUSY, WAIT, w(CTL, EVERY), WAIT, WAIT, t(1), *LOOK], -1, cycles(2, 7), "CTR.cycle.reset", {},
    ),
    # Six cycles: one in U-mode, which is on, then three in M-mode, a write, and one in U-mode.
    "a count with two reasons to be less: the write": (
        [*IDLE, w(CTL, IN_U), WAIT, t(1), *LOOK], -1, cycles(1, 2), "CTR.cycle.reset", {},
    ),
    "a count with two reasons to be less: the mode": (
        [*IDLE, w(CTL, IN_U), WAIT, t(1), *LOOK], -1, cycles(1, 6), "CTR.cycle.active", {},
    ),
    "a wrong count without a reason": ([*BUSY, t(1), *LOOK], -1, cycles(3, 2), "CTR.cycle.elapsed", {}),
    "sctrctl was written from U-mode, which is refused; a later read from M shows the value": (
        [w(CTL, IN_U), w(SCTL, EVERY, U), r(CTL)], -1, IN_U | IN_S, "CTR.csr.refused", {},
    ),
    "DEPTH of mctrcontrol: 0 asks for the least": (
        [w(0x381, EVERY), r(0x381)], -1, lambda value: value ^ 1 << 18, "CTR.discovery.least", DRAFT,
    ),
    "DEPTH of mctrcontrol: a depth": (
        [w(0x381, EVERY | 1 << 16), r(0x381)], -1, lambda value: value ^ 1 << 18, "CTR.depth.select", DRAFT,
    ),
    "DEPTH of mctrcontrol: 15 asks for the greatest": (
        [w(0x381, EVERY | 15 << 16), r(0x381)], -1, lambda value: value ^ 1 << 18, "CTR.discovery.greatest", DRAFT,
    ),
    "DEPTH of mctrcontrol, cleared by a mask": (
        [w(0x381, EVERY | 15 << 16), w(0x381, 15 << 16, M, CLEAR), r(0x381)], -1,
        lambda value: value ^ 1 << 18 if value == EVERY else -1, "CTR.discovery.least", DRAFT,
    ),
    "a field that is not kept": ([w(CTL, EVERY | 1 << 36), r(CTL)], -1, EVERY, "CTR.ctl.keep", {}),
    "siselect after reset": ([r(SELECT)], -1, 0x200, "CTR.csr.reset", {}),
    "siselect": ([w(SELECT, 0x205), r(SELECT)], -1, 0x204, "CTR.entry.select", {}),
    "siselect, read at XLEN 32": ([w(SELECT, 0x205), r(SELECT, M, 1)], -1, 0x204, "CTR.csr.xlen32", {}),
    "siselect, written at XLEN 32": ([w(SELECT, 0x205, M, WRITE, 1), r(SELECT)], -1, 0x204, "CTR.csr.xlen32", {}),
    "siselect of a guest": ([w(SELECT, 0x205, VS), r(VSSELECT)], -1, 0x204, "CTR.entry.virtual", {}),
    "vsiselect": ([w(VSSELECT, 0x205), r(VSSELECT)], -1, 0x204, "CTR.entry.select", {}),
    # M-mode has just seen it right: what VS-mode sees is wrong in itself.
    "the status that VS-mode sees after M-mode": (
        [*TWICE, r(STATUS), r(STATUS, VS)], -1, lambda value: value + 1, "CTR.status.alias", {},
    ),
    "the status that VS-mode sees before M-mode": (
        [*TWICE, r(STATUS, VS), r(STATUS)], -2, lambda value: value + 1, "CTR.status.alias", {},
    ),
    # An entry that shows V afterwards says so, not the MISP beside it.
    "CLR through vsctrcontrol from HS is ignored": (OF_GUEST, -2, 0, "CTR.vsctl.clr", DRAFT),
    "the status is ahead: a call in HS-mode, which is off, was recorded": (
        [w(CTL, IN_U), w(STATUS, 0), t(0), t(1, from_=HS), t(2), r(STATUS)], -1, 3, "CTR.ctl.s", {},
    ),
    # Since the write nothing was to be recorded; that a call in HS-mode was is no matter of the write.
    "the status is ahead of what was written": (
        [w(CTL, IN_U), w(STATUS, 0), t(0, from_=HS), r(STATUS)], -1, 1, "CTR.ctl.s", {},
    ),
    "the status is not what was written": ([*TWICE, w(STATUS, 5), r(STATUS)], -1, 2, "CTR.status.write", {}),
    "a target is wrong where only targets are read": (
        [*TWICE, w(SELECT, 0x200), r(TARGET), w(SELECT, 0x201), r(TARGET)], -1, lambda value: value ^ 0x40,
        "CTR.target.pc", {},
    ),
    "entry 16 of 16 is none: 17 records make nothing that it could be": (
        [w(CTL, EVERY), *(t(n) for n in range(17)), w(SELECT, 0x210), r(SOURCE)], -1, 0x1001, "CTR.depth.entries", {},
    ),
    # Nothing was popped, so that WRPTR going down has no part in it.
    "a wrong source in the last entry of the buffer": (
        [w(CTL, EVERY), w(STATUS, 0), *(t(n) for n in range(16)),
         *(row for n in range(1, 9) for row in (w(SELECT, 0x200 + n), r(SOURCE), r(TARGET))),
         w(SELECT, 0x200), r(TARGET), r(SOURCE)], -1, lambda value: value ^ 4, "CTR.source.pc", {},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", VALUES)
def test_a_wrong_value(case: str) -> None:
    script, row, wrong, clause, options = VALUES[case]
    capture = good(script, **options)
    right = value(capture, row)
    assert shown(capture, row, wrong(right) if callable(wrong) else wrong) == [clause]


def test_wrong_counts_that_are_wrong_in_more_than_one_way() -> None:
    capture = good([*IDLE, t(1), *LOOK])
    assert "CTR.cycle.active" in shown(capture, -1, cycles(1, 3)(value(capture, -1)))
    capture = good([*BUSY, WAIT, w(CTL, EVERY), WAIT, WAIT, t(1), *LOOK])  # it went on as if nothing were written
    assert "CTR.cycle.ccv_write" in shown(capture, -1, cycles(2, 7, CCV)(value(capture, -1)))


@pytest.mark.parametrize(("script", "clause"), [
    # the bit of indirect access, which is asked first, is missed
    ([w(MSTATEEN, 0), w(SELECT, 0x200), r(SOURCE, HS)], "CTR.stateen.csrind"),
    ([w(MSTATEEN, IND), r(SCTL, HS)], "CTR.stateen.closed"),
], ids=["two bits", "one bit"])  # fmt: skip
def test_an_access_is_done_that_bits_of_mstateen0_refuse(script: list[Row], clause: str) -> None:
    capture = good(script, has_stateen=1)
    assert int(capture.rows.outcome[-1]) == ILLEGAL
    assert ended(capture, -1, DONE) == [clause]


def test_clr_of_a_guest_is_checked_once() -> None:
    assert check(good(OF_GUEST, **DRAFT)).book.results()["CTR.vsctl.clr"] == [1, 0]


def test_what_shows_that_a_write_restarts_the_counter() -> None:
    """A record after a write before which something was counted; not after the first write of all."""
    assert times(good([w(CTL, EVERY), t(0), *LOOK]), "CTR.cycle.reset") == 0
    assert times(good([w(CTL, EVERY), WAIT, w(CTL, EVERY), t(0), *LOOK]), "CTR.cycle.reset") == 1


@pytest.mark.parametrize(("other", "more"), [(0x205, 1), (0x2FF, 1), (0x200, 0), (0x300, 0), (0x1FF, 0)])
def test_which_iselect_selects_is_shown_where_the_other_selects_another_entry(other: int, more: int) -> None:
    capture = good([w(SELECT, 0x200), w(VSSELECT, other), r(SOURCE)])
    alone = good([w(SELECT, 0x200), r(SOURCE)])

    def times(one: CtrCapture) -> int:
        return check(one).book.results().get("CTR.entry.virtual", [0, 0])[0]

    written = times(good([w(SELECT, 0x200), w(VSSELECT, other)])) - times(good([w(SELECT, 0x200)]))
    assert times(capture) - times(alone) == more + written


# --- Records that are missing, or too many ----------------------------------------------------------------------------


def found(capture: CtrCapture) -> tuple[str, str]:
    """The clause and the headline of the only failure."""
    (failure,) = check(capture).failures
    return failure.clause, failure.headline


def without(script: list[Row], row: int, **options: Any) -> CtrCapture:
    """What a device shows that missed the transfers of a row."""
    capture, lost = good(script, **options), list(script)
    lost[row] = (script[row][0], [], script[row][2])
    other = good(lost, **options)
    capture.rows.rdata[:], capture.rows.outcome[:] = other.rows.rdata, other.rows.outcome
    return capture


def test_a_status_that_is_behind() -> None:
    clause, headline = found(without([w(CTL, EVERY), w(STATUS, 0), t(0), t(1), t(2), r(STATUS)], 4))
    assert headline == "a record is missing" and clause in ("CTR.ctl.u", "CTR.filter.default", "CTR.filter.dircallinh")


def test_the_status_is_in_the_table() -> None:
    capture = without([w(CTL, EVERY), w(STATUS, 0), t(0), t(1), t(2), r(STATUS)], 4)
    (failure,) = check(capture).failures
    assert ("status", "0x3", "0x2") in failure.table


@pytest.mark.parametrize("lost", [2, 3, 4])
def test_a_record_that_is_missing_among_entries(lost: int) -> None:
    """Each of three; the entries that are read show which."""
    reads = [row for n in range(4) for row in (w(SELECT, 0x200 + n), r(SOURCE), r(TARGET))]
    script = [w(CTL, EVERY), w(STATUS, 0), t(0), t(1), t(2), *reads]
    clause, headline = found(without(script, lost))
    assert f"{0x1000 + 16 * (lost - 2):#x}" in headline and "missing" in headline
    assert clause in ("CTR.ctl.u", "CTR.filter.default", "CTR.filter.dircallinh", "CTR.behavior.push")


def looked(last: int, *parts: int) -> list[Row]:
    """Reads of the first entries, of each these registers."""
    return [row for n in range(last) for row in (w(SELECT, 0x200 + n), *(r(part) for part in parts))]


def test_a_record_that_is_missing_may_show_in_its_type_alone() -> None:
    """A call, a return and an indirect call, all from and to one address, of which the return is missing."""
    script = [w(CTL, EVERY), t(0, 9), t(0, 13), t(0, 8), *looked(4, SOURCE, DATA)]
    _, headline = found(without(script, 2, has_cc=0))
    assert headline.startswith("a record is missing: cycle 2:"), headline


def test_a_record_that_is_there_twice() -> None:
    """The entries that are read after it show that it is one too many: they are all one further."""
    script = [w(CTL, EVERY), t(0), t(1), t(2), WAIT, *looked(5, SOURCE, TARGET)]
    twice = good([*script[:4], t(2), *script[5:]])
    capture = good(script)
    capture.rows.rdata[:] = twice.rows.rdata
    assert found(capture) == ("CTR.behavior.push", "a record that no transfer requires is present")


def test_entries_that_are_wrong_among_others_at_their_places() -> None:
    """Entry 5 shows anything, and the next four what entries 1 to 4 do; those after them are right, so that no record
    is there that should not be.
    """
    capture = good([w(CTL, EVERY), w(STATUS, 0), *(t(n) for n in range(12)), *looked(12, SOURCE)])
    shows = capture.rows.rdata[-23::2]  # of each entry
    assert shows.tolist() == [0x1001 + 16 * n for n in range(11, -1, -1)]
    shows[5], shows[6:10] = 0x7777_0001, shows[1:5].copy()
    first = check(capture).failures[0]
    assert first.clause == "CTR.source.pc" and first.headline.startswith("PC of logical entry 5 is wrong"), first.text()


def test_a_freeze_that_is_missed() -> None:
    """Both control registers have BPFRZ, so that it is not a matter of which of them counts."""
    script = [w(CTL, EVERY | BPFRZ), w(VSCTL, BPFRZ), t(0), t(1, 1, U, M, 3), t(2), r(STATUS)]
    capture = good(script)
    assert value(capture, -1) >> 31 == 1
    clause, headline = found(without(script, 3))
    assert headline == "FROZEN is 0; the trap should have set it" and clause == "CTR.freeze.bp"


def test_an_entry_at_the_depth_names_no_transfer() -> None:
    capture = good([w(CTL, EVERY), *(t(n) for n in range(17)), w(SELECT, 0x210), r(SOURCE)])
    shown(capture, -1, 0x1001)
    (failure,) = check(capture).failures
    assert failure.pc is None and "logical entry 16" in failure.headline and "call" not in failure.headline


def test_a_missing_record_that_m_mode_has_no_part_in() -> None:
    """The last write was through sctrctl, which keeps M: a call in U-mode that is missing is not a matter of that."""
    looked = [w(SELECT, 0x200), r(SOURCE), r(STATUS)]
    script = [w(CTL, EVERY), w(SCTL, IN_U | IN_S, HS), t(0), t(1), *looked, t(2), r(STATUS)]
    assert failed(without(script, 7)) and "CTR.sctl.preserve" not in failed(without(script, 7))


# --- What is left open ------------------------------------------------------------------------------------------------


def times(capture: CtrCapture, clause: str, tolerances: Tolerances | None = None) -> int:
    """How often a clause was checked in a passing run."""
    verdict = check(capture, tolerances)
    assert verdict.passed, verdict.failures[0].text()
    return verdict.book.results().get(clause, [0, 0])[0]


@pytest.mark.parametrize(("source", "more"), [(0x1000, 1), (0x1234_5678_0000_1000, 0)])
def test_an_address_that_need_not_be_held_shows_nothing(source: int, more: int) -> None:
    """That a trap from a mode that is on has a source is seen in ctrsource, unless it may show anything."""
    trap: Row = (U, [Transfer(1, source, 0x8000, 0, U, M, 8)], None)
    script = [w(CTL, EVERY), w(DEPTH, 1), trap, t(1), w(SELECT, 0x201)]
    free = Tolerances(pc_bits=39)
    clause = "CTR.priv.trap_enabled"
    assert times(good([*script, r(SOURCE)]), clause, free) - times(good(script), clause, free) == more


def test_a_count_that_was_taken_over_is_expected_from_then_on() -> None:
    """The draft's ctrcontrol that is not active may leave the counter as it is; the first look shows that it did."""
    script = [w(0x381, EVERY), *(t(n) for n in range(3)), w(0x281, 6), *(t(n) for n in range(3, 8))]
    config = Config(**DRAFT, has_stateen=0)
    rows = rows_of([*script, w(0x350, 0x204), r(0x353), r(0x353)], config)
    capture = play(config, rows, unmoved("vsctrcontrol")(config))
    free = Tolerances(ccv_inactive=False)
    assert failed(capture, free) == [] and failed(capture)
    capture.rows.rdata[-1] = np.uint64(value(capture, -1) & ~CCV)
    (failure,) = check(capture, free).failures
    assert [row[0] for row in failure.table] == ["CCV"]


def test_an_iselect_that_is_seen_in_part_stays_open() -> None:
    """Bits above 31 need not be held: what XLEN 32 shows does not say whether an entry is selected."""
    script = [w(CTL, EVERY), t(0), w(SELECT, 1 << 40 | 0x200), r(SELECT, M, 1), r(SOURCE)]
    capture = good(script)
    assert int(capture.rows.outcome[-1]) == ILLEGAL and failed(capture, Tolerances.free()) == []


@pytest.mark.parametrize(("select", "more"), [(0x200, 1), (1 << 63 | 0x200, 0)])
def test_bit_31_of_an_iselect_at_xlen_32_is_bit_63(select: int, more: int) -> None:
    """With it no entry is selected: a read through the other iselect does not show which of the two was taken."""
    script = [w(SELECT, select), r(SELECT, M, 1), w(VSSELECT, 0x201)]
    free, clause = Tolerances.free(), "CTR.entry.virtual"
    assert times(good([*script, r(0x251)]), clause, free) - times(good(script), clause, free) == more


def test_what_is_written_through_mireg_is_taken_over() -> None:
    """The text says nothing after mireg*: it may be refused, or do what sireg does. A read changes nothing."""
    script = [w(CTL, EVERY), t(0), w(0x350, 0x200), w(0x351, 0x5001), r(0x351), w(SELECT, 0x200), r(SOURCE)]
    free = Tolerances.free()
    for write, right in ((DONE, 0x5001), (ILLEGAL, 0x1001)):
        capture = good(script)
        capture.rows.outcome[3], capture.rows.outcome[4] = write, DONE
        capture.rows.rdata[4:] = np.uint64(right)
        capture.rows.rdata[5] = np.uint64(0)
        assert failed(capture, free) == []
    capture.rows.rdata[-1] = np.uint64(0x5001)  # of a write that was refused
    assert failed(capture, free) != []


def test_one_rule_refuses_sctrclr_in_vu_mode() -> None:
    """Which of two rules decides is left open; that it is a virtual instruction is not."""
    capture = good([(VU, [], Access(SCTRCLR, 0, 0, VU, 0))])
    capture.rows.outcome[0] = ILLEGAL
    assert failed(capture, Tolerances(refusal="any")) == ["CTR.clear.virtual"]
    closed = [w(MSTATEEN, IND), (VU, [], Access(SCTRCLR, 0, 0, VU, 0))]
    for outcome in (ILLEGAL, VIRTUAL):  # mstateen0.CTR and the mode
        capture = good(closed, has_stateen=1)
        capture.rows.outcome[1] = outcome
        assert failed(capture, Tolerances(refusal="any")) == []


class StartsAt3(Ctr):
    """WRPTR is 3 where the depth changes."""

    def _set_depth(self, depth: int | None) -> None:
        super()._set_depth(depth)
        self.recorder.wrptr = 3


def test_records_before_the_first_look_at_wrptr() -> None:
    """A new depth leaves WRPTR open; what was recorded since is found where the status then says."""
    script = [w(DEPTH, 1), w(CTL, EVERY), t(0), t(1), r(STATUS), w(SELECT, 0x200), r(SOURCE)]
    capture = played(script, StartsAt3)
    assert value(capture, 4) == 5 and failed(capture, Tolerances.free()) == []
    capture.rows.rdata[-1] ^= np.uint64(4)
    assert failed(capture, Tolerances.free()) == ["CTR.source.pc"]


def test_a_freeze_is_not_what_was_there_after_reset() -> None:
    """FROZEN is first seen after a trap that sets it: before that it was 0, and a record was made."""
    clear: Row = (M, [], Access(SCTRCLR, 0, 0, M, 0))
    script = [clear, w(CTL, EVERY | BPFRZ), t(0), t(1, 1, U, M, 3), r(STATUS), w(SELECT, 0x200), r(SOURCE)]
    capture = good(script)
    assert value(capture, 4) == 1 << 31 | 1 and failed(capture, Tolerances.free()) == []
