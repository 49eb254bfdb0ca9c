# SPDX-License-Identifier: Apache-2.0
"""minstret in the verifier: it may begin anywhere, what is read of it counts the instructions, and additional values
are samples (1.1, Appendix B).
"""

import pytest

from rvtrace.models.riscv.iss.config import HartConfig, virt
from rvtrace.models.riscv.iss.hart import Hart
from rvtrace.models.tandem.trace_data import TraceData
from rvtrace.models.tandem.verifier.profile import Profile, ProfileError
from tests.common.there import there
from tests.tandem.hand import assembled, report_on, steps_of
from tests.tandem.test_simulator_csrs import RW, csr, run

INSTRET, INSTRETH, NOP, ECALL = 0xC0202373, 0xC8202373, 0x13, 0x73  # rdinstret x6, rdinstreth x6
WRITE, STOP = 0xB0229073, 0x32025073  # csrw minstret, x5; csrwi mcountinhibit, 4


def with_offset(rows: list[TraceData], offset: int, since: int = 0) -> list[TraceData]:
    """The rows of a hart whose minstret is higher by this, from the since-th read on."""
    out, seen = [], 0
    for row in rows:
        if row.insn and row.insn[1] == INSTRET:
            row = row._replace(gpr=(6, there(row.gpr)[1] + offset)) if seen >= since else row
            seen += 1
        out.append(row)
    return out


@pytest.mark.parametrize("xlen", (32, 64))
def test_it_begins_anywhere_and_then_counts(xlen: int) -> None:
    rows = steps_of(assembled(INSTRET, NOP, INSTRET, NOP, NOP, INSTRET, xlen=xlen), 8)
    assert [there(row.gpr)[1] for row in rows if row.insn and row.insn[1] == INSTRET] == [0, 2, 5]
    assert report_on(with_offset(rows, 1000), xlen).ok
    for since in (1, 2):  # and then it jumps: one finding, whatever is read after it
        report = report_on(with_offset(rows, 1000, since), xlen)
        assert len(report.findings) == 1, str(report)
        assert report_on(with_offset(rows, 1000, since), xlen, nondeterministic={"minstret": -1 & (1 << 64) - 1}).ok


def test_both_halves_on_rv32() -> None:
    rows = steps_of(assembled(INSTRETH, INSTRET, NOP, INSTRET, INSTRETH, xlen=32), 7)
    # two instructions later the low half is 0, and the high one has got the carry
    values = iter([7, (1 << 32) - 2, 0, 8])
    reported = [
        row._replace(gpr=(6, next(values))) if row.insn and row.insn[1] in (INSTRET, INSTRETH) else row for row in rows
    ]
    assert report_on(reported, 32).ok
    place = max(k for k, row in enumerate(reported) if row.insn and row.insn[1] == INSTRETH)
    wrong = [*reported[:place], reported[place]._replace(gpr=(6, 7)), *reported[place + 1 :]]
    assert len(report_on(wrong, 32).findings) == 1


@pytest.mark.parametrize("xlen", (32, 64))
@pytest.mark.parametrize("inside", (True, False))
@pytest.mark.parametrize("reported,exact", [(2, True), (1, False), (0, False)])
def test_additional_values_are_samples_or_compared(reported: int, exact: bool, inside: bool, xlen: int) -> None:
    """With its instruction or without one; after rdinstret and a nop two instructions are counted."""
    rows = steps_of(assembled(INSTRET, NOP, NOP, NOP, INSTRET, xlen=xlen), 8)
    k = next(k for k, row in enumerate(rows) if row.insn and row.insn[1] == NOP)
    more = [rows[k]._replace(minstret=reported)] if inside else [rows[k], TraceData(group=False, minstret=reported)]
    changed = [*rows[:k], *more, *rows[k + 1 :]]
    assert report_on(changed, xlen).ok
    report = report_on(changed, xlen, sampled=())
    assert len(report.findings) == (not exact), str(report)


def test_initialization_says_what_it_is() -> None:
    rows = steps_of(assembled(INSTRET, NOP, INSTRET), 4)
    first = next(k for k, row in enumerate(rows) if row.insn)
    set_to = [*rows[:first], TraceData(init=True, csr=((0xB02, 40),)), *rows[first:]]
    assert report_on(with_offset(set_to, 40)).ok and len(report_on(with_offset(set_to, 39)).findings) == 1


def test_a_write_counts_from_there_and_a_trap_does_not_count() -> None:
    rows = steps_of(assembled(WRITE, INSTRET, NOP, INSTRET), 6, lambda simulator: simulator.write(0x1005, 90))
    assert [there(row.gpr)[1] for row in rows if row.insn and row.insn[1] == INSTRET] == [90, 92] and report_on(rows).ok
    assert len(report_on(with_offset(rows, 1, 1)).findings) == 1


@pytest.mark.parametrize("xlen", (32, 64))
def test_a_stopped_counter_holds_what_is_written(xlen: int) -> None:
    hart = Hart(HartConfig(xlen))
    for address, inhibit in ((0xB02, 4), (0xB00, 1)):
        for value in (0, 90):
            for stopped in (inhibit, 0):
                hart.write_csr(0x320, stopped)
                hart.x[5] = value
                assert run(hart, csr(RW, address, 6, 5)) is None
                assert hart.read_csr(address) == value
                run(hart, NOP)
                assert hart.read_csr(address) == value + (not stopped)


def test_what_a_profile_may_name() -> None:
    assert Profile(virt(64)).sampled == ("minstret",) and "minstret" not in Profile(virt(64)).nondeterministic
    assert Profile.from_dict(Profile(virt(64), sampled=("mcycle",)).to_dict()).sampled == ("mcycle",)
    with pytest.raises(ProfileError, match="is no counter"):
        Profile(virt(64), sampled=("time",))
