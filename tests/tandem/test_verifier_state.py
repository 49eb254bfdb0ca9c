# SPDX-License-Identifier: Apache-2.0
"""Non-deterministic state, views of CSRs, interrupts, initialization, and changes without an instruction (chapter 3,
TV-9).
"""

import json
from typing import Any

import pytest

from rvtrace.models.riscv.iss.config import virt
from rvtrace.models.riscv.iss.csr import MCYCLE, MINSTRET, CsrTable
from rvtrace.models.riscv.program import Program
from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.decoder.decode import decode
from rvtrace.models.tandem.encoder import items as it
from rvtrace.models.tandem.simulator.interface import NO_RESERVATION, PC_KEY, RESERVATION_KEY, reference
from rvtrace.models.tandem.table import PC
from rvtrace.models.tandem.trace_data import TraceData
from rvtrace.models.tandem.verifier.compare import Comparer
from rvtrace.models.tandem.verifier.profile import Profile, ProfileError
from rvtrace.models.tandem.verifier.shadow import Shadow
from rvtrace.models.tandem.verifier.state import Replay, Trial
from rvtrace.models.tandem.verifier.verdict import Verdict
from tests.common.there import there
from tests.tandem.hand import BASE, DATA, assembled, index, li, report_on, steps_of
from tests.tandem.runs import config_of, loaded

LW, LBU, SW = 0x0002A303, 0x0002C303, 0x0062A023  # of x6 at x5
CSRR_CYCLE, CSRR_MIP = 0xC0002373, 0x34402373
LR, SC = 0x1002A32F, 0x1872A3AF  # lr.w x6, (x5); sc.w x7, x7, (x5)
MIE_MTI, ENABLE = 0x304, 0x300


@pytest.mark.parametrize(
    "word,value,fine",
    [
        (LW, 0x1234, True),
        (LW, 0xFFFFFFFF80000000, True),
        (LW, 0x80000000, False),
        (LBU, 0x80, True),
        (LBU, 0x180, False),
    ],
)
def test_a_device_gives_what_the_trace_says_as_the_instruction_extends_it(word: int, value: int, fine: bool) -> None:
    rows = steps_of(assembled(*li(5, 0x02004000), word), 8)
    k = index(rows, word)
    rows[k] = rows[k]._replace(gpr=(6, value))
    report = report_on(rows)
    assert report.ok == fine and len(report.findings) == (not fine), str(report)


def test_memory_gives_what_was_stored() -> None:
    rows = steps_of(assembled(LW), 4, lambda simulator: simulator.write(0x1005, DATA))
    k = index(rows, LW)
    rows[k] = rows[k]._replace(gpr=(6, 5))
    assert len(report_on(rows).findings) == 1
    stored = TraceData(init=True, request=(1, 2, DATA, 5))
    assert report_on([*rows[:k], stored, *rows[k:]]).ok


@pytest.mark.parametrize("word", (CSRR_CYCLE, CSRR_MIP))
def test_reads_of_what_changes_by_itself(word: int) -> None:
    rows = steps_of(assembled(word), 3)
    k = index(rows, word)
    # SSIP is the hart's own
    for value, fine in ((there(rows[k].gpr)[1], True), (0x80, True), (0x82, word == CSRR_CYCLE)):
        changed = [*rows[:k], rows[k]._replace(gpr=(6, value)), *rows[k + 1 :]]
        assert report_on(changed).ok == fine


def test_a_store_conditional_may_fail_and_may_not_succeed_alone() -> None:
    rows = steps_of(assembled(LR, SC), 4, lambda simulator: simulator.write(0x1005, DATA))
    k = index(rows, SC)
    assert rows[k].gpr == (7, 0) and report_on(rows).ok
    failed = [*rows[:k], rows[k]._replace(gpr=(7, 1), paddr=None, memdata=None), *rows[k + 1 :]]
    assert report_on(failed).ok and not report_on(failed, sc_may_fail=False).ok
    alone = [
        row
        for row in steps_of(assembled(LR, SC), 4, lambda s: s.write(0x1005, DATA))
        if not (row.insn and row.insn[1] == LR)
    ]
    assert report_on(alone).findings


def interrupted(enabled: bool) -> list[TraceData]:
    """Rows in which the timer interrupt is taken after the second instruction."""

    def prepare(simulator) -> None:
        simulator.write(ENABLE, 1 << 3)
        simulator.write(MIE_MTI, 1 << 7 if enabled else 0)

    rows = steps_of(assembled(), 2, prepare)
    rows[1:1] = [TraceData(init=True, csr=((ENABLE, 0xA00000008), (MIE_MTI, 1 << 7 if enabled else 0), (0x305, BASE)))]
    pc = there(rows[-1].pc)
    taken = ((0x341, pc), (0x342, 1 << 63 | 7), (0x300, 0xA00001880), (0x343, 0))
    return [*rows, TraceData(group=False, csr=((0x344, 0x80),)), TraceData(pc=BASE, csr=taken, priv=3)]


def test_an_interrupt_is_taken_when_the_trace_takes_it() -> None:
    assert report_on(interrupted(True)).ok


@pytest.mark.parametrize("enabled,pending", [(False, 0x80), (True, 0)])
def test_an_interrupt_that_is_not_enabled_or_not_pending_is_the_harts_fault(enabled: bool, pending: int) -> None:
    rows = interrupted(enabled)
    rows[-2] = TraceData(group=False, csr=((0x344, pending),))
    report = report_on(rows)
    assert [found.verdict for found in report.findings] == [Verdict.HART], str(report)


def test_a_csr_may_be_reported_by_any_of_its_views() -> None:
    word = 0x10016073  # csrsi sstatus, 2
    rows = steps_of(assembled(word), 3)
    k = index(rows, word)
    assert rows[k].csr == ((0x300, 0xA00000002),) and report_on(rows).ok
    view = [*rows[:k], rows[k]._replace(csr=((0x100, 0x200000002),)), *rows[k + 1 :]]
    assert report_on(view).ok
    wrong = [*rows[:k], rows[k]._replace(csr=((0x100, 0x200000022),)), *rows[k + 1 :]]
    assert len(report_on(wrong).findings) == 1


def test_a_csr_write_that_changes_nothing_may_be_left_out_by_choice() -> None:
    rows = steps_of(assembled(0x34001073), 3)  # csrw mscratch, x0
    k = index(rows, 0x34001073)
    without = [*rows[:k], rows[k]._replace(csr=()), *rows[k + 1 :]]
    assert report_on(without).ok and not report_on(without, unchanged_csr=False).ok


@pytest.mark.parametrize(
    "row",
    [
        TraceData(group=False, gpr=(9, 77)),
        TraceData(gpr=(9, 77)),
        TraceData(group=False, csr=((0x340, 5),)),
        TraceData(group=False, pc=BASE + 0x40),
        TraceData(group=False, priv=1),
    ],
)
def test_nothing_else_changes_without_an_instruction(row: TraceData) -> None:
    rows = steps_of(assembled(), 6)
    report = report_on([*rows[:-3], row, *rows[-3:]])
    assert len(report.findings) == 1, str(report)


@pytest.mark.parametrize(
    "row",
    [
        TraceData(group=False, mtime=99),
        TraceData(group=False, mcycle=5, minstret=3),
        TraceData(group=False, csr=((0x344, 0x888),)),
    ],
)
def test_time_counters_and_pending_interrupts_do(row: TraceData) -> None:
    rows = steps_of(assembled(), 6)
    assert report_on([*rows[:-3], row, *rows[-3:]]).ok


def test_the_shadow_holds_what_is_reported() -> None:
    shadow = Shadow(CsrTable(virt(32)))
    assert shadow.report(0x100, 0x22) == 0x300 and shadow.read(0x300) & 0x22 == 0x22
    assert shadow.report(0xB80, 1) == 0xB00 and shadow.read(0xB00) == 1 << 32
    shadow.report(0x1021, 9)
    shadow.report(0x1003, 4)
    shadow.report(0x1000, 4)
    assert (shadow.read(0x1021), shadow.read(0x1003), shadow.read(0x1000)) == (9, 4, 0)
    assert shadow.report(0x7C0, 5) == 0x7C0 and shadow.read(0x7C0) == 5  # a CSR that no model has


def test_counters_are_given_back() -> None:
    """On RV32 in two registers; a simulator without counters has none to be given."""
    for xlen in (32, 64):
        table = CsrTable(virt(xlen))
        comparer = Comparer(reference(xlen), Shadow(table), Profile.of(Config(xlen=xlen), virt(xlen)))
        comparer.set_counters({MCYCLE: 5 << 32 | 6, MINSTRET: 7 << 32 | 8})
        assert comparer.counters() == {MCYCLE: 5 << 32 | 6, MINSTRET: 7 << 32 | 8}
        comparer.set_counters({})
        assert comparer.counters() == {MCYCLE: 5 << 32 | 6, MINSTRET: 7 << 32 | 8}


@pytest.mark.parametrize("xlen", (32, 64))
def test_a_reservation_is_given_back(xlen: int) -> None:
    """lr.w twice: without the second the reservation is that of the first, without both there is none."""
    simulator = loaded(reference(xlen), assembled(LR, LR, xlen=xlen))
    comparer = Comparer(simulator, Shadow(CsrTable(virt(xlen))), Profile.of(Config(xlen=xlen), virt(xlen)))
    simulator.write(0x1005, DATA)
    comparer.shadow.pc, comparer.shadow.x[5] = BASE, DATA
    assert simulator.read(RESERVATION_KEY) == NO_RESERVATION
    first = comparer.run()
    held = simulator.read(RESERVATION_KEY)
    assert held & (1 << 64) - 1 == DATA and held >> 64
    comparer.shadow.follow(first)
    simulator.write(0x1005, DATA + 8)
    second = comparer.run()
    assert simulator.read(RESERVATION_KEY) & (1 << 64) - 1 == DATA + 8
    comparer.undo([second])
    assert simulator.read(RESERVATION_KEY) == held
    simulator.write(PC_KEY, BASE)
    comparer.shadow.pc = BASE
    comparer.undo([first])
    assert simulator.read(RESERVATION_KEY) == NO_RESERVATION


def test_a_csr_that_no_model_has_hides_no_other() -> None:
    """0x7C0 is a custom CSR; mscratch does not change by itself."""
    rows = steps_of(assembled(), 6)
    for csrs, findings in ((((0x7C0, 1),), 0), (((0x7C0, 1), (0x340, 5)), 1)):
        report = report_on([*rows[:-3], rows[-3]._replace(csr=csrs), *rows[-2:]])
        assert len(report.findings) == findings and report.skipped == {"CSR 0x7c0": 1}, str(report)


def test_an_interrupt_that_is_not_reported() -> None:
    """The hart goes on in the handler, which has other instructions than the place of the interrupt."""

    def prepare(simulator) -> None:
        simulator.write(ENABLE, 1 << 3)
        simulator.write(MIE_MTI, 1 << 7)

    rows = steps_of(assembled(*li(5, 0x1234), *li(6, 0x4321)), 8, prepare)
    handler = [row for row in rows if row.insn]
    rows[1:1] = [TraceData(init=True, csr=((ENABLE, 0xA00000008), (MIE_MTI, 1 << 7), (0x305, BASE)))]
    taken = ((0x341, there(rows[-1].pc)), (0x342, 1 << 63 | 7), (0x300, 0xA00001880), (0x343, 0))
    pending, trap = TraceData(group=False, csr=((0x344, 0x80),)), TraceData(pc=BASE, csr=taken, priv=3)
    report = report_on([*rows, pending, trap, *handler])
    assert report.ok and report.matched == 2 * len(handler)
    report = report_on([*rows, pending, *handler])
    assert [(found.kind, found.verdict) for found in report.findings] == [("dropped", Verdict.TRACE)], str(report)
    assert "interrupt with cause 7" in report.findings[0].reason and report.matched == 2 * len(handler)


def replay_of(program: Program, sections: list[list[it.Item]], **choices: Any) -> Replay:
    """A program that is about to begin, beside these sections of a trace."""
    config = config_of(64, incremental=2)
    data = it.pack([item for section in sections for item in section], config)
    replay = Replay(loaded(reference(64), program), Profile.of(config, virt(64), **choices), program.entry)
    for base, body in (*program.segments, *program.data):
        replay.set_memory(base, body)
    replay.extend(decode(data, config), data, True)
    return replay


def step(*items: it.Item) -> list[it.Item]:
    return [it.Begin(), it.Instruction(4, 0x13), *items, it.End()]


def test_a_section_is_read_in_the_present_state() -> None:
    """x5 was reported as 0x100, and is held to be 0x200: incremental forms count from that. A next pc counts from the
    pc by opcode 3 alone, although another may be the same.
    """
    known = step(it.State(PC, BASE + 4), it.Register(0x1005, 0x100))
    added = step(it.IncrementPc(), it.AddRegister(0x1005, -1), it.Register(0x1006, 9))
    with_bits = step(it.State(PC, BASE + 12), it.OrRegister(0x1005, 6))
    replay = replay_of(assembled(), [known, added, with_bits])
    replay.set_register(5, 0x200)
    read = [replay.read(k)[1] for k in range(3)]
    assert [one.registers for one in read] == [{5: 0x100}, {5: 0x1FF, 6: 9}, {5: 0x206}]
    assert [(one.next_pc, one.relative) for one in read] == [(BASE + 4, False), (BASE + 8, True), (BASE + 12, False)]


def test_no_more_sections_are_looked_at_than_the_profile_says() -> None:
    """An explanation is tried on some sections, however long the trace is; then everything is as it was."""
    replay = replay_of(assembled(), [step(it.State(PC, BASE + 4 * n)) for n in range(1, 9)], lookahead=3)
    sections = iter(range(8))
    with Trial(replay) as trial:
        assert trial.fits(sections) == (3, False)
    assert list(sections) == [4, 5, 6, 7] and replay.shadow.pc == replay.simulator.read(PC_KEY) == BASE


def test_a_profile_is_data() -> None:
    profile = Profile.of(Config(flen=0, absent=("paddr",)), virt(64), watch=3)
    assert Profile.from_dict(json.loads(json.dumps(profile.to_dict()))) == profile
    assert set(profile.absent) == {"fpr", "fcsr", "paddr"}
    wrong: dict[str, Any]
    for wrong in ({"absent": ("time",)}, {"nondeterministic": {"mipp": 1}}):
        with pytest.raises(ProfileError, match="has no"):
            Profile(**wrong)
    with pytest.raises(ProfileError, match="those it has"):
        Profile.from_dict({"speed": 1})
