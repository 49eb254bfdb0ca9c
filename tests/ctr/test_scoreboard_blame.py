# SPDX-License-Identifier: Apache-2.0
"""The clause that one wrong value of a short run is blamed on: each case says what the device did wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rvtrace.models.ctr.config import Config
from rvtrace.models.ctr.model import Ctr
from rvtrace.models.ctr.records import SCTRCLR, Transfer
from rvtrace.models.ctr.rows import Rows
from rvtrace.models.riscv.csr import CLEAR, DONE, HS, ILLEGAL, READ, VIRTUAL, VS, VU, WRITE, Access, M, U
from rvtrace.scoreboards.ctr.capture import CtrCapture
from rvtrace.scoreboards.ctr.check import check
from rvtrace.scoreboards.ctr.tolerances import Tolerances
from tests.ctr.devices import DRAFT, SMALL, failed, play
from tests.ctr.readings import unmoved

Row = tuple[int, list[Transfer], Access | None]
CTL, STATUS, DEPTH, SCTL, VSCTL, SELECT = 0x34E, 0x14F, 0x15F, 0x14E, 0x24E, 0x150
SOURCE, TARGET, DATA = 0x151, 0x152, 0x153
MSTATEEN, HSTATEEN, VSSELECT = 0x30C, 0x60C, 0x250
IN_U, IN_S, IN_M, EMULATE, BPFRZ = 1, 2, 4, 1 << 7, 1 << 11
EVERY = IN_U | IN_S | IN_M
CTR, IND = 1 << 54, 1 << 60
WAIT: Row = (U, [], None)


def w(address: int, value: int, priv: int = M, op: int = WRITE, narrow: int = 0) -> Row:
    return priv, [], Access(op, address, value, priv, narrow)


def r(address: int, priv: int = M, narrow: int = 0) -> Row:
    return priv, [], Access(READ, address, 0, priv, narrow)


def t(n: int = 0, type_: int = 9, from_: int = U, to: int = -1, cause: int = 0) -> Row:
    """Transfer number n, with addresses of its own."""
    return (
        from_,
        [Transfer(type_, 0x1000 + 16 * n, 0x8000 + 16 * n, 0, from_, from_ if to < 0 else to, cause)],
        None,
    )


def played(script: list[Row], **options: Any) -> CtrCapture:
    """What the reference model answers, a row in each cycle."""
    config = Config(**{**SMALL, "has_stateen": 0, **options})
    rows = Rows.from_rows([(k, priv, some, access) for k, (priv, some, access) in enumerate(script)], config.transfers)
    capture = play(config, rows)
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


# --- Cycle counts -----------------------------------------------------------------------------------------------------

CC, CCV = 16, 1 << 15


def data_of(capture: CtrCapture, cycles: int) -> int:
    """What the last row shows, with another count."""
    return value(capture, -1) & 0xFFFF | cycles << CC


def test_a_count_of_cycles_that_do_not_count() -> None:
    """Between two records in U-mode, which is on, are three cycles in M-mode, which is off: CC is 1."""
    script = [w(CTL, IN_U), t(0), *[(M, [], None)] * 3, t(1), w(SELECT, 0x200), r(DATA)]
    capture = played(script)
    assert value(capture, -1) >> CC == 1
    assert shown(capture, -1, data_of(capture, 4)) == ["CTR.cycle.active"]
    assert "CTR.cycle.active" in shown(capture, -1, data_of(capture, 3))


def test_a_count_that_a_write_did_not_restart() -> None:
    """Seven cycles between two records, with a write two cycles before the second."""
    capture = played([w(CTL, EVERY), t(0), *[WAIT] * 3, w(CTL, EVERY), *[WAIT] * 2, t(1), w(SELECT, 0x200), r(DATA)])
    assert value(capture, -1) >> CC == 2
    assert shown(capture, -1, data_of(capture, 7)) == ["CTR.cycle.reset"]
    # it went on as if nothing were written
    assert "CTR.cycle.ccv_write" in shown(capture, -1, data_of(capture, 7) | CCV)


def test_what_shows_that_a_write_restarts_the_counter() -> None:
    """A record after a write before which something was counted; not after the first write of all."""
    looked = [w(SELECT, 0x200), r(DATA)]
    assert times(played([w(CTL, EVERY), t(0), *looked]), "CTR.cycle.reset") == 0
    assert times(played([w(CTL, EVERY), WAIT, w(CTL, EVERY), t(0), *looked]), "CTR.cycle.reset") == 1


def test_a_count_with_two_reasons_to_be_less() -> None:
    """Six cycles between two records: one in U-mode, which is on, then three in M-mode, a write, and one in U-mode."""
    script = [w(CTL, IN_U), t(0), *[(M, [], None)] * 3, w(CTL, IN_U), WAIT, t(1), w(SELECT, 0x200), r(DATA)]
    capture = played(script)
    assert value(capture, -1) >> CC == 1
    assert shown(capture, -1, data_of(capture, 2)) == ["CTR.cycle.reset"]
    assert shown(capture, -1, data_of(capture, 6)) == ["CTR.cycle.active"]


def test_a_wrong_count_without_a_reason() -> None:
    capture = played([w(CTL, EVERY), t(0), WAIT, WAIT, t(1), w(SELECT, 0x200), r(DATA)])
    assert value(capture, -1) >> CC == 3
    assert shown(capture, -1, data_of(capture, 2)) == ["CTR.cycle.elapsed"]


# --- Refused accesses -------------------------------------------------------------------------------------------------


def test_an_entry_that_two_bits_refuse() -> None:
    """With both bits of mstateen0 at 0, sireg is done: the bit of indirect access, which is asked first, is missed."""
    capture = played([w(MSTATEEN, 0), w(SELECT, 0x200), r(SOURCE, HS)], has_stateen=1)
    assert int(capture.rows.outcome[-1]) == ILLEGAL
    assert ended(capture, -1, DONE) == ["CTR.stateen.csrind"]


def test_a_control_register_that_one_bit_refuses() -> None:
    capture = played([w(MSTATEEN, IND), r(SCTL, HS)], has_stateen=1)
    assert ended(capture, -1, DONE) == ["CTR.stateen.closed"]


def test_a_refused_write_that_was_done() -> None:
    """sctrctl is written from U-mode, which is refused; a later read from M shows the value."""
    capture = played([w(CTL, IN_U), w(SCTL, EVERY, U), r(CTL)])
    assert shown(capture, -1, IN_U | IN_S) == ["CTR.csr.refused"]


# --- Registers --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "clause"), [(0, "CTR.discovery.least"), (1, "CTR.depth.select"), (15, "CTR.discovery.greatest")]
)
def test_the_depth_of_the_draft(code: int, clause: str) -> None:
    """DEPTH of mctrcontrol: 0 asks for the least, 15 for the greatest depth."""
    capture = play_draft([w(0x381, EVERY | code << 16), r(0x381)])
    assert shown(capture, -1, value(capture, -1) ^ 1 << 18) == [clause]


def play_draft(script: list[Row], **options: Any) -> CtrCapture:
    return played(script, **{**DRAFT, **options})


def test_the_depth_of_the_draft_is_cleared_by_a_mask() -> None:
    capture = play_draft([w(0x381, EVERY | 15 << 16), w(0x381, 15 << 16, M, CLEAR), r(0x381)])
    assert value(capture, -1) >> 16 & 15 == 0
    assert shown(capture, -1, EVERY | 1 << 18) == ["CTR.discovery.least"]


def test_a_field_that_is_not_kept() -> None:
    capture = played([w(CTL, EVERY | 1 << 36), r(CTL)])
    assert shown(capture, -1, EVERY) == ["CTR.ctl.keep"]


@pytest.mark.parametrize(
    ("script", "wrong", "clause"),
    [
        ([r(SELECT)], 0x200, "CTR.csr.reset"),
        ([w(SELECT, 0x205), r(SELECT)], 0x204, "CTR.entry.select"),
        ([w(SELECT, 0x205), r(SELECT, M, 1)], 0x204, "CTR.csr.xlen32"),
        ([w(SELECT, 0x205, M, WRITE, 1), r(SELECT)], 0x204, "CTR.csr.xlen32"),
        ([w(SELECT, 0x205, VS), r(VSSELECT)], 0x204, "CTR.entry.virtual"),
        ([w(VSSELECT, 0x205), r(VSSELECT)], 0x204, "CTR.entry.select"),
    ],
)
def test_an_iselect(script: list[Row], wrong: int, clause: str) -> None:
    assert shown(played(script), -1, wrong) == [clause]


def test_the_status_that_another_mode_sees() -> None:
    """M-mode has just seen it right: what VS-mode sees is wrong in itself."""
    script = [w(CTL, EVERY), t(0), t(1), r(STATUS), r(STATUS, VS)]
    capture = played(script)
    assert shown(capture, -1, value(capture, -1) + 1) == ["CTR.status.alias"]
    capture = played([*script[:3], r(STATUS, VS), r(STATUS)])
    assert shown(capture, -2, value(capture, -2) + 1) == ["CTR.status.alias"]


@pytest.mark.parametrize(("other", "more"), [(0x205, 1), (0x2FF, 1), (0x200, 0), (0x300, 0), (0x1FF, 0)])
def test_which_iselect_selects_is_shown_where_the_other_selects_another_entry(other: int, more: int) -> None:
    capture = played([w(SELECT, 0x200), w(VSSELECT, other), r(SOURCE)])
    alone = played([w(SELECT, 0x200), r(SOURCE)])

    def times(one: CtrCapture) -> int:
        return check(one).book.results().get("CTR.entry.virtual", [0, 0])[0]

    written = times(played([w(SELECT, 0x200), w(VSSELECT, other)])) - times(played([w(SELECT, 0x200)]))
    assert times(capture) - times(alone) == more + written


def test_clr_of_a_guest_that_clears_nothing() -> None:
    """CLR through vsctrcontrol from HS is ignored: an entry that shows V afterwards says so, not the MISP beside it."""
    mispredicted: Row = (U, [Transfer(9, 0x1000, 0x8000, 1, U, U)], None)
    script = [w(0x381, EVERY), t(0), mispredicted, w(0x281, 1 << 7, HS), w(0x350, 0x200), r(0x351), r(0x352)]
    held = check(play_draft(script)).book.results()["CTR.vsctl.clr"]
    assert held == [1, 0]
    capture = play_draft(script)
    assert shown(capture, -2, 0) == ["CTR.vsctl.clr"]


# --- Records that are missing, or too many ----------------------------------------------------------------------------


def found(capture: CtrCapture) -> tuple[str, str]:
    """The clause and the headline of the only failure."""
    (failure,) = check(capture).failures
    return failure.clause, failure.headline


def without(script: list[Row], row: int, **options: Any) -> CtrCapture:
    """What a device shows that missed the transfers of a row."""
    capture, lost = played(script, **options), list(script)
    lost[row] = (script[row][0], [], script[row][2])
    other = played(lost, **options)
    capture.rows.rdata[:], capture.rows.outcome[:] = other.rows.rdata, other.rows.outcome
    return capture


def test_a_status_that_is_behind() -> None:
    clause, headline = found(without([w(CTL, EVERY), w(STATUS, 0), t(0), t(1), t(2), r(STATUS)], 4))
    assert headline == "a record is missing" and clause in ("CTR.ctl.u", "CTR.filter.default", "CTR.filter.dircallinh")


def test_a_status_that_is_ahead() -> None:
    """A call in HS-mode, which is off, was recorded."""
    script = [w(CTL, IN_U), w(STATUS, 0), t(0), t(1, from_=HS), t(2), r(STATUS)]
    capture = played(script)
    assert shown(capture, -1, 3) == ["CTR.ctl.s"]
    assert found(capture)[1] == "a record that no transfer requires is present"


def test_a_status_that_is_ahead_of_what_was_written() -> None:
    """Since the write nothing was to be recorded; that a call in HS-mode was is no matter of the write."""
    capture = played([w(CTL, IN_U), w(STATUS, 0), t(0, from_=HS), r(STATUS)])
    assert shown(capture, -1, 1) == ["CTR.ctl.s"]


def test_a_status_that_is_not_what_was_written() -> None:
    capture = played([w(CTL, EVERY), t(0), t(1), w(STATUS, 5), r(STATUS)])
    assert shown(capture, -1, 2) == ["CTR.status.write"]


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
    twice = played([*script[:4], t(2), *script[5:]])
    capture = played(script)
    capture.rows.rdata[:] = twice.rows.rdata
    assert found(capture) == ("CTR.behavior.push", "a record that no transfer requires is present")


def test_entries_that_are_wrong_among_others_at_their_places() -> None:
    """Entry 5 shows anything, and the next four what entries 1 to 4 do; those after them are right, so that no record
    is there that should not be.
    """
    capture = played([w(CTL, EVERY), w(STATUS, 0), *(t(n) for n in range(12)), *looked(12, SOURCE)])
    shows = capture.rows.rdata[-23::2]  # of each entry
    assert shows.tolist() == [0x1001 + 16 * n for n in range(11, -1, -1)]
    shows[5], shows[6:10] = 0x7777_0001, shows[1:5].copy()
    first = check(capture).failures[0]
    assert first.clause == "CTR.source.pc" and first.headline.startswith("PC of logical entry 5 is wrong"), first.text()


def test_a_target_that_is_wrong_where_only_targets_are_read() -> None:
    script = [w(CTL, EVERY), t(0), t(1), w(SELECT, 0x200), r(TARGET), w(SELECT, 0x201), r(TARGET)]
    capture = played(script)
    assert shown(capture, -1, value(capture, -1) ^ 0x40) == ["CTR.target.pc"]


def test_a_freeze_that_is_missed() -> None:
    """Both control registers have BPFRZ, so that it is not a matter of which of them counts."""
    script = [w(CTL, EVERY | BPFRZ), w(VSCTL, BPFRZ), t(0), t(1, 1, U, M, 3), t(2), r(STATUS)]
    capture = played(script)
    assert value(capture, -1) >> 31 == 1
    clause, headline = found(without(script, 3))
    assert headline == "FROZEN is 0; the trap should have set it" and clause == "CTR.freeze.bp"


def test_an_entry_at_the_depth_names_no_transfer() -> None:
    """Entry 16 of 16 is none: 17 records make nothing that it could be."""
    capture = played([w(CTL, EVERY), *(t(n) for n in range(17)), w(SELECT, 0x210), r(SOURCE)])
    assert shown(capture, -1, 0x1001) == ["CTR.depth.entries"]
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
    assert times(played([*script, r(SOURCE)]), clause, free) - times(played(script), clause, free) == more


def test_a_count_that_was_taken_over_is_expected_from_then_on() -> None:
    """The draft's ctrcontrol that is not active may leave the counter as it is; the first look shows that it did."""
    script = [w(0x381, EVERY), *(t(n) for n in range(3)), w(0x281, 6), *(t(n) for n in range(3, 8))]
    config = Config(**DRAFT, has_stateen=0)
    rows = [*script, w(0x350, 0x204), r(0x353), r(0x353)]
    made = Rows.from_rows([(k, *row) for k, row in enumerate(rows)], config.transfers)
    capture = play(config, made, unmoved("vsctrcontrol")(config))
    free = Tolerances(ccv_inactive=False)
    assert failed(capture, free) == [] and failed(capture)
    capture.rows.rdata[-1] = np.uint64(value(capture, -1) & ~CCV)
    (failure,) = check(capture, free).failures
    assert [row[0] for row in failure.table] == ["CCV"]


def test_an_iselect_that_is_seen_in_part_stays_open() -> None:
    """Bits above 31 need not be held: what XLEN 32 shows does not say whether an entry is selected."""
    script = [w(CTL, EVERY), t(0), w(SELECT, 1 << 40 | 0x200), r(SELECT, M, 1), r(SOURCE)]
    capture = played(script)
    assert int(capture.rows.outcome[-1]) == ILLEGAL and failed(capture, Tolerances.free()) == []


@pytest.mark.parametrize(("select", "more"), [(0x200, 1), (1 << 63 | 0x200, 0)])
def test_bit_31_of_an_iselect_at_xlen_32_is_bit_63(select: int, more: int) -> None:
    """With it no entry is selected: a read through the other iselect does not show which of the two was taken."""
    script = [w(SELECT, select), r(SELECT, M, 1), w(VSSELECT, 0x201)]
    free, clause = Tolerances.free(), "CTR.entry.virtual"
    assert times(played([*script, r(0x251)]), clause, free) - times(played(script), clause, free) == more


def test_what_is_written_through_mireg_is_taken_over() -> None:
    """The text says nothing after mireg*: it may be refused, or do what sireg does. A read changes nothing."""
    script = [w(CTL, EVERY), t(0), w(0x350, 0x200), w(0x351, 0x5001), r(0x351), w(SELECT, 0x200), r(SOURCE)]
    free = Tolerances.free()
    for write, right in ((DONE, 0x5001), (ILLEGAL, 0x1001)):
        capture = played(script)
        capture.rows.outcome[3], capture.rows.outcome[4] = write, DONE
        capture.rows.rdata[4:] = np.uint64(right)
        capture.rows.rdata[5] = np.uint64(0)
        assert failed(capture, free) == []
    capture.rows.rdata[-1] = np.uint64(0x5001)  # of a write that was refused
    assert failed(capture, free) != []


def test_one_rule_refuses_sctrclr_in_vu_mode() -> None:
    """Which of two rules decides is left open; that it is a virtual instruction is not."""
    capture = played([(VU, [], Access(SCTRCLR, 0, 0, VU, 0))])
    capture.rows.outcome[0] = ILLEGAL
    assert failed(capture, Tolerances(refusal="any")) == ["CTR.clear.virtual"]
    closed = [w(MSTATEEN, IND), (VU, [], Access(SCTRCLR, 0, 0, VU, 0))]
    for outcome in (ILLEGAL, VIRTUAL):  # mstateen0.CTR and the mode
        capture = played(closed, has_stateen=1)
        capture.rows.outcome[1] = outcome
        assert failed(capture, Tolerances(refusal="any")) == []


class StartsAt3(Ctr):
    """WRPTR is 3 where the depth changes."""

    def _set_depth(self, depth: int | None) -> None:
        super()._set_depth(depth)
        self.recorder.wrptr = 3


def test_records_before_the_first_look_at_wrptr() -> None:
    """A new depth leaves WRPTR open; what was recorded since is found where the status then says."""
    config = Config(**SMALL, has_stateen=0)
    script = [w(DEPTH, 1), w(CTL, EVERY), t(0), t(1), r(STATUS), w(SELECT, 0x200), r(SOURCE)]
    capture = play(config, Rows.from_rows([(k, *row) for k, row in enumerate(script)], 1), StartsAt3(config))
    assert value(capture, 4) == 5 and failed(capture, Tolerances.free()) == []
    capture.rows.rdata[-1] ^= np.uint64(4)
    assert failed(capture, Tolerances.free()) == ["CTR.source.pc"]


def test_a_wrong_source_in_the_last_entry_of_the_buffer() -> None:
    """Nothing was popped, so that WRPTR going down has no part in it."""
    looked = [row for n in range(1, 9) for row in (w(SELECT, 0x200 + n), r(SOURCE), r(TARGET))]
    script = [w(CTL, EVERY), w(STATUS, 0), *(t(n) for n in range(16)), *looked, w(SELECT, 0x200), r(TARGET), r(SOURCE)]
    capture = played(script)
    assert shown(capture, -1, value(capture, -1) ^ 4) == ["CTR.source.pc"]


def test_a_freeze_is_not_what_was_there_after_reset() -> None:
    """FROZEN is first seen after a trap that sets it: before that it was 0, and a record was made."""
    clear: Row = (M, [], Access(SCTRCLR, 0, 0, M, 0))
    script = [clear, w(CTL, EVERY | BPFRZ), t(0), t(1, 1, U, M, 3), r(STATUS), w(SELECT, 0x200), r(SOURCE)]
    capture = played(script)
    assert value(capture, 4) == 1 << 31 | 1 and failed(capture, Tolerances.free()) == []
