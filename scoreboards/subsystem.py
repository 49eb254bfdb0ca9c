"""The cross-check of the subsystem: five witnesses of one run, and who of them is the odd one out; needs no simulator.

    verdict = check(capture)

First every trace is read by its own decoder, and the flows are compared (`subsystem_vote`). What most of them tell is then the story that
control transfer records, counters and timestamps are held to. Each trace is held to the clauses of its own system beside it.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from models.riscv.retired import Kind, Retired
from scoreboards import etrace, ntrace, tandem
from scoreboards.capture import Capture
from scoreboards.clauses import ClauseBook, Failure, Plan
from scoreboards.etrace_capture import EtraceCapture
from scoreboards.subsystem_accounts import ETRACE, HART, NTRACE, TANDEM, Account, Effects, packets_of, read
from scoreboards.subsystem_capture import SubsystemCapture
from scoreboards.subsystem_counts import Counts
from scoreboards.subsystem_time import check_times
from scoreboards.subsystem_transfers import Records, Story
from scoreboards.subsystem_vote import Judge, agreed, listed
from scoreboards.tandem_capture import TandemCapture
from scoreboards.verdict import Verdict, timed

PLAN = Path(__file__).parent.parent / "tests" / "plan" / "subsystem.toml"


@cache
def plan() -> Plan | None:
    """The plan of the subsystem; None where only the models and scoreboards were installed."""
    return Plan.load(PLAN) if PLAN.exists() else None


def check(capture: SubsystemCapture) -> Verdict:
    """Hold one run to every clause."""
    verdict = Verdict(ClauseBook(plan(), capture.rerun))
    book = verdict.book
    with timed(verdict, "decoder"):
        accounts, effects = read(capture)
        verdict.decoded = accounts
    with timed(verdict, "scoreboard"):
        book.count("SUB.run")
        for text in capture.problems:
            book.fail(Failure("SUB.run", text), counted=True)
        alive = agreed(accounts, Judge(capture, book))
        _bits(capture, book, effects)
        _against(capture, book, alive, effects)
    with timed(verdict, "parts"):
        if any(account.name == HART for account in alive):
            _parts(capture, book)
    size = {a.name: a.size for a in accounts}
    verdict.stats |= {
        "instructions": len(accounts[-1]), "told": len(accounts[0]), "traps": len(accounts[-1].traps), "bytes": sum(size.values()),
        "ntrace_bytes": size[NTRACE], "etrace_bytes": size[ETRACE], "tandem_bytes": size[TANDEM], "snapshots": len(capture.snapshots),
        "entries": sum(len(s.ctr) for s in capture.snapshots), "cycles": int(capture.cycle[-1]) + 1 if len(capture.cycle) else 0,
    }  # fmt: skip
    return verdict


def _against(capture: SubsystemCapture, book: ClauseBook, alive: list[Account], effects: Effects) -> None:
    """Records, counters and times against the account that the majority agrees on."""
    names = [account.name for account in alive]
    if len(alive) < 2 or HART not in names:
        return  # who is to be believed is not known; that was told
    told = [account for account in alive if account.name != HART]
    story, name = Story.of(told, capture.program), listed([account.name for account in told])
    believed = {account.name: account for account in alive}
    Records(capture, book, story, name).check()
    Counts(capture, book, story, effects if TANDEM in believed and len(effects.trap) == len(story) else None, name).check()
    check_times(capture, book, believed.get(NTRACE), believed.get(ETRACE))


def _bits(capture: SubsystemCapture, book: ClauseBook, effects: Effects) -> None:
    """The instruction bits that the tandem trace tells are those that the program has there."""
    pcs, place = np.unique(effects.pc[effects.size > 0], return_inverse=True)
    found = [capture.program.insn(pc) for pc in pcs.tolist()]
    want = np.array([insn.raw if insn else 0 for insn in found], np.uint64)[place] if len(pcs) else np.zeros(0, np.uint64)
    got, where = effects.insn[effects.size > 0].astype(np.uint64), effects.pc[effects.size > 0]
    book.bulk("SUB.insn", len(got), np.flatnonzero(want != got), lambda k: Failure(
        "SUB.insn", f"tandem trace is the odd one out: the instruction at {int(where[k]):#x} is {int(got[k]):#x}, and the program has {int(want[k]):#x}",
        None, int(where[k]), capture.program.where(int(where[k])), [("insn", hex(int(want[k])), hex(int(got[k])))],
    ))  # fmt: skip


def _parts(capture: SubsystemCapture, book: ClauseBook) -> None:
    """Each trace as its own scoreboard sees it: lossless and legal; of the tandem trace byte by byte, if the device declares the profile."""
    config, run = capture.config, traced(capture.retired)
    parts: list[tuple[str, str, Any]] = [
        ("SUB.parts.ntrace", NTRACE, lambda: ntrace.check(Capture(config.ntrace, capture.program, capture.ntrace, given=run, exact=False))),
        ("SUB.parts.etrace", ETRACE, lambda: etrace.check(EtraceCapture(
            config.etrace, capture.program, packets_of(capture)[0], data=capture.etrace, given=run, exact=False))),
        ("SUB.parts.tandem", TANDEM, lambda: tandem.check(TandemCapture(config.tandem, capture.rows, capture.tandem, exact=capture.exact))),
    ]  # fmt: skip
    for clause, name, judge in parts:
        verdict = judge()
        book.count(clause, sum(checked for checked, _ in verdict.book.results().values()))
        for failure in verdict.failures:
            book.fail(Failure(clause, f"{name} leaves its own {failure.clause}: {failure.headline}", failure.cycle, failure.pc, failure.place,
                              failure.table, failure.before), counted=True)  # fmt: skip


def traced(run: Retired) -> Retired:
    """The stream of the hart port as the encoders had it: tracing begins before it and ends behind it."""
    if not len(run):
        return run
    behind = int(run.pc[-1]) + int(run.size[-1])
    mode = {"priv": int(run.priv[0]), "context": int(run.context[0])}
    on, off = (Retired.from_columns(pc=[pc], kind=[kind], size=[0], **{name: [value] for name, value in mode.items()})
               for kind, pc in ((Kind.TRACE_ON, int(run.pc[0])), (Kind.TRACE_OFF, behind)))  # fmt: skip
    return Retired.concat([on, run.select(slice(None)), off])
