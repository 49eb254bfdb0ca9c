# SPDX-License-Identifier: Apache-2.0
"""What is checked how often, counters of a hart that waits, and records before which there was none."""

from copy import deepcopy
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from rvtrace.models.ctr.records import Record
from rvtrace.models.hpm.events import FIRST_EVENT
from rvtrace.models.riscv.retired import Kind
from rvtrace.models.subsystem.config import Config
from rvtrace.models.subsystem.events import EVENTS
from rvtrace.models.tandem.encoder.encode import encode
from rvtrace.scoreboards.common.clauses import ClauseBook
from rvtrace.scoreboards.subsystem import parts
from rvtrace.scoreboards.subsystem.accounts import etrace, hart, packets_of
from rvtrace.scoreboards.subsystem.capture import SubsystemCapture
from rvtrace.scoreboards.subsystem.check import check, plan
from rvtrace.scoreboards.subsystem.parts import beats_of, timeless
from rvtrace.scoreboards.subsystem.time import _spans
from rvtrace.scoreboards.subsystem.transfers import UNKNOWN, Flow, Records, Shown, _same
from tests.subsystem.captures import good, lying

CCV = 1 << 15
PARTS = {"SUB.parts.ntrace", "SUB.parts.etrace", "SUB.parts.tandem"}


def test_parts_are_checked_if_asked_and_if_the_hart_is_believed() -> None:
    run = good("sort", 3000)
    verdict = check(run, parts=False)
    assert verdict.passed and not PARTS & set(verdict.book.results())
    assert verdict.stats["cycles"] == int(run.cycle[-1]) + 1 and verdict.stats["snapshots"] == len(run.snapshots)
    assert set(check(run).book.results()) >= PARTS
    other = deepcopy(run.retired)
    other.pc = other.pc.copy()
    other.pc[100] += np.uint64(64)
    assert not PARTS & set(check(lying(run, retired=other)).book.results())


@pytest.mark.parametrize("timestamp", [0, 1])
@pytest.mark.parametrize("exact", [True, False])
def test_what_the_parts_are_checked_with(monkeypatch: pytest.MonkeyPatch, exact: bool, timestamp: int) -> None:
    """The encoders byte by byte if the device declares it and no message depends on the time; the tandem trace with the
    instruction set simulator if it loads the state of the hart.
    """
    given: dict[str, Any] = {}
    for name in ("ntrace", "etrace", "tandem"):
        module = getattr(parts, name)
        seen = partial(_remembered, given, name, module.check)
        monkeypatch.setattr(parts, name, SimpleNamespace(check=seen))
    run = lying(good("sort", 300, timestamp=timestamp), exact=exact)
    bare = lying(run, rows=run.rows.select(~run.rows.have("init")))
    for capture, loads in ((run, True), (bare, False)):
        parts.check_parts(capture, ClauseBook(plan()))
        both = exact and not timestamp
        assert [given[name].exact for name in ("ntrace", "etrace", "tandem")] == [both, both, exact]
        assert (given["tandem"].program is not None) == (loads and bool(run.rows.have("init").any()))


def _remembered(given: dict[str, Any], name: str, check: Any, capture: Any) -> Any:
    given[name] = capture
    return check(capture)


def test_snapshots_without_records() -> None:
    """No mode is recorded: that there are none is checked once in each snapshot."""
    run = good("sort", 3000, ctr_ctl=0)
    verdict = check(run, parts=False)
    assert verdict.passed and not any(one.ctr for one in run.snapshots)
    assert verdict.book.results()["SUB.ctr.entries"] == [len(run.snapshots), 0]


def test_the_first_record_has_no_cycles() -> None:
    """Nothing was recorded before it, so that CCV is 0."""
    run = good("sort", 60)
    first = run.snapshots[0]
    assert 1 < len(first.ctr) < run.config.ctr_depth and check(run, parts=False).passed
    source, target, data = first.ctr[-1]
    changed = replace(first, ctr=[*first.ctr[:-1], (source, target, data | CCV)])
    failures = check(lying(run, snapshots=[changed, *run.snapshots[1:]]), parts=False).failures
    assert [failure.clause for failure in failures] == ["SUB.ctr.cycles"]


def shifted(run: SubsystemCapture, name: str, *less: int) -> SubsystemCapture:
    """A counter that is lower by so much in each snapshot."""
    return lying(
        run,
        snapshots=[
            replace(one, counters=one.counters | {name: one.counters[name] - n}) for one, n in zip(run.snapshots, less)
        ],
    )


@pytest.mark.parametrize(
    ("begin", "end", "less", "fine"),
    [(-20, -10, (0, 10, 10), True), (-4, 6, (0, 4, 10), True), (-4, 6, (0, 10, 10), False), (2, 5, (0, 0, 3), True),
     (-20, -10, (0, 0, 0), False)],
)  # fmt: skip
def test_cycles_in_which_the_hart_waited(begin: int, end: int, less: tuple[int, ...], fine: bool) -> None:
    """It waits for some cycles around the second snapshot, in which mcycle stands still. Of a counter that is wrong the
    tandem trace may report anything.
    """
    run = good("sort", 3000)
    at = run.snapshots[1].cycle
    waited = lying(shifted(run, "mcycle", *less), stopped=[(3, 4), (at + begin, at + end)])
    clauses = {failure.clause for failure in check(waited, parts=False).failures}
    assert ("SUB.count.cycles" not in clauses) == fine and (fine or "SUB.tandem.mcycle" not in clauses)


def test_counters_behind_one_of_cycles() -> None:
    run = good("sort", 3000, events=(1, FIRST_EVENT + EVENTS.index("branch"), 1, 2))
    for counter, clause in ((3, "cycles"), (4, "branch"), (5, "cycles"), (6, "instret")):
        failures = check(shifted(run, f"mhpmcounter{counter}", 0, 1, 1), parts=False).failures
        assert [failure.clause for failure in failures] == [f"SUB.count.{clause}"]


@pytest.mark.parametrize("modes", ["0", "U"])
def test_counters_beside_a_tandem_trace_that_lies(modes: str) -> None:
    """Accesses are known from it alone; what others report of the flow is judged."""
    names = ("load", "branch", "store", "jump")
    events = tuple(FIRST_EVENT + EVENTS.index(name) for name in names)
    run = good("traps", 8000, events=events, inhibit=",".join([modes] * 4))
    rows = deepcopy(run.rows)
    rows.pc = rows.pc.copy()
    rows.pc[2000] += np.uint64(64)
    other = lying(run, tandem=encode(rows, run.config.tandem).data)
    for counter, name in enumerate(names, 3):
        clauses = {f.clause for f in check(shifted(other, f"mhpmcounter{counter}", 0, 1, 1), parts=False).failures}
        found = {clause for clause in clauses if clause.startswith("SUB.count.")}
        judged = {"SUB.count.inhibit"} if modes == "U" else {f"SUB.count.{name}"}
        assert found == (judged if name in ("branch", "jump") else set()), name


def test_trouble_of_a_decoder() -> None:
    """Bytes that are no packet, or packets that cannot be followed."""
    run = good("sort", 3000)
    assert not etrace(run).trouble
    cut, other = lying(run, etrace=run.etrace[:-1]), lying(run, etrace=good("recursion", 3000).etrace)
    assert packets_of(cut)[2] and etrace(cut).trouble == packets_of(cut)[2]
    assert not packets_of(other)[2] and etrace(other).trouble.startswith("packet ")


def test_times_of_packets() -> None:
    """The 16 bits that are in the transport, -1 without. Our time is the cycle; the encoder is enabled in that before
    the first instruction.
    """
    plain, timed = good("sort", 300), good("sort", 300, timestamp=1)
    assert set(packets_of(plain)[1]) == {-1}
    times = packets_of(timed)[1]
    assert len(times) == len(packets_of(timed)[0]) and times == sorted(times)
    assert int(timed.cycle[0]) - 1 <= times[0] and times[-1] <= int(timed.cycle[-1]) + 2


def test_traps_at_the_hart_port() -> None:
    """The instructions before each of them, counted one by one."""
    run, before, wanted = good("traps", 3000), 0, []
    for kind, pc, cause in zip(run.retired.kind.tolist(), run.retired.pc.tolist(), run.retired.cause.tolist()):
        if kind == Kind.INSN:
            before += 1
        else:
            wanted.append((before, pc, kind == Kind.INTERRUPT, cause))
    assert len(wanted) > 5 and hart(run).traps == wanted


def test_instructions_between_two_times() -> None:
    """Four messages, before which 0, 3, 3 and 7 of 9 instructions are known; the second counts none."""
    after, behind = _spans(np.array([0, 3, 3, 7]), 9, np.array([True, False, True, True]))
    assert after.tolist() == [3, 3, 7, 9] and behind.tolist() == [7, 7, 9, 9]


@pytest.mark.parametrize("word", ["ntrace", "etrace"])
def test_times_beside_a_stream_that_ends_early(word: str) -> None:
    """The times of a source that is not believed are not judged, those of the other are."""
    run = good("sort", 3000, timestamp=1)
    lies = lying(run, **{word: getattr(good("sort", 2000, timestamp=1), word)})
    verdict = check(lies, parts=False)
    assert verdict.book.failed == [f"SUB.pcs.{word}"]
    results = verdict.book.results()
    assert [f"SUB.time.{name}" in results for name in ("ntrace", "etrace")] == [word != "ntrace", word != "etrace"]


def test_what_depends_on_the_time() -> None:
    """Timestamps, and synchronization by cycles (mode 2)."""
    plain = Config.from_dict({"sync_mode": 1})
    assert timeless(plain)
    assert not timeless(replace(plain, timestamp=1)) and not timeless(replace(plain, sync_mode=2))


def test_beats_around_a_run() -> None:
    """One that is enabled and does not trace before it, one that is not enabled in the cycle after it."""
    run = good("sort", 300)
    nothing = run.retired.select(slice(0, 0))
    for beats, first, last in (
        (beats_of(run.retired, run.cycle, 1), int(run.cycle[0]), int(run.cycle[-1])),
        (beats_of(nothing, run.cycle[:0], 1), 2, 2),
    ):
        assert (beats.cycle[1], beats.cycle[-1]) == (first - 1, last + 1) and (np.diff(beats.cycle) > 0).all()
        assert (beats.enable[[0, 1, -1]].tolist(), beats.inst_tracing[[0, 1]].tolist()) == ([0, 1, 0], [0, 0])


def test_beats_of_a_hart_that_halts() -> None:
    """The beats from the first cycle in Debug Mode on, up to that in which it goes on; each has a beat."""
    run = good("sort", 300)
    at = int(run.cycle[100])
    begin, end = at + 1, int(run.cycle[101]) if int(run.cycle[101]) > at + 1 else at + 2
    beats = beats_of(run.retired.select(slice(0, 101)), run.cycle[:101], 1, [(begin, end)])
    assert beats.cycle[beats.halted == 1].tolist() == [begin] and {begin, end} <= set(beats.cycle.tolist())


def test_cycles_of_records_where_some_modes_are_not_counted() -> None:
    """VS-mode is not recorded: what is between two records may have been in it, so that CC is not judged."""
    for vsctl, clauses in ((3, ["SUB.ctr.cycles"]), (1, [])):
        run = good("recursion", 3000, ctr_vsctl=vsctl)
        last = run.snapshots[1]
        (source, target, data), *others = last.ctr
        changed = [run.snapshots[0], replace(last, ctr=[(source, target, data ^ 1 << 16), *others]), run.snapshots[2]]
        failures = check(lying(run, snapshots=changed), parts=False).failures
        assert [failure.clause for failure in failures] == clauses


def frozen_at(run: SubsystemCapture) -> int:
    """The event after which nothing is recorded."""
    flow = Flow.of([hart(run)], run.program)
    return Records(run, ClauseBook(plan()), flow, "hart port")._frozen


@pytest.mark.parametrize(("bit", "kind", "cause"), [(11, Kind.EXCEPTION, 3), (12, Kind.INTERRUPT, 13)])
def test_the_trap_that_freezes(bit: int, kind: Kind, cause: int) -> None:
    """A breakpoint, or the interrupt of a counter that overflows; not a trap of the other kind with the same cause."""
    run = good("traps", 3000, ctr_ctl=7 | 1 << bit)
    traps, changed = np.flatnonzero(run.retired.kind != Kind.INSN).tolist(), deepcopy(run.retired)
    changed.kind, changed.cause = run.retired.kind.copy(), run.retired.cause.copy()
    changed.cause[traps] = 1
    assert frozen_at(lying(run, retired=changed)) == len(run.retired)
    changed.kind[traps[1]] = Kind.INTERRUPT if kind == Kind.EXCEPTION else Kind.EXCEPTION
    changed.kind[traps[3]] = kind
    changed.cause[[traps[1], traps[3]]] = cause
    assert frozen_at(lying(run, retired=changed)) == traps[3]


def test_an_entry_that_is_a_transfer() -> None:
    """Its type, source and target; of the last transfer the target is not known."""
    entry = Record.of_registers(0x10 | 1, 0x20, 3)
    for kind, source, target, same in (
        (3, 0x10, 0x20, True), (3, 0x10, 0x24, False), (3, 0x14, 0x20, False), (4, 0x10, 0x20, False),
        (3, 0x10, UNKNOWN, True), (3, 0x14, UNKNOWN, False),
    ):  # fmt: skip
        assert _same(Shown(0, kind, source, target, 0, False), entry) == same


def test_words_of_a_configuration() -> None:
    """Registers in hexadecimal, numbers as they are."""
    config = Config.from_dict({"retire": 2, "ctr_ctl": 0x107, "inhibit": "M+VS,U"})
    assert config.word("retire", 2) == "2" and config.word("ctr_ctl", 0x107) == "0x107"
    assert config.word("inhibit", config.inhibit).split(",")[:3] == ["M+VS", "U", "0"]
