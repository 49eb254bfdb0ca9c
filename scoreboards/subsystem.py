"""The cross-check of the subsystem: five witnesses of one run, and who of them is the odd one out; needs no simulator.

    verdict = check(capture)

First every trace is read by its own decoder, and the flows are compared (`subsystem_vote`). What most of them tell is then the story that
control transfer records, counters and timestamps are held to. Each trace is held to the clauses of its own system beside it.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

from scoreboards.clauses import ClauseBook, Failure, Plan
from scoreboards.subsystem_accounts import ETRACE, HART, NTRACE, TANDEM, Account, Effects, read
from scoreboards.subsystem_capture import SubsystemCapture
from scoreboards.subsystem_counts import Counts
from scoreboards.subsystem_parts import check_parts
from scoreboards.subsystem_time import check_times
from scoreboards.subsystem_transfers import Records, Story
from scoreboards.subsystem_vote import Judge, agreed, listed
from scoreboards.verdict import Verdict, timed

PLAN = Path(__file__).parent.parent / "tests" / "plan" / "subsystem.toml"


@cache
def plan() -> Plan | None:
    """The plan of the subsystem; None where only the models and scoreboards were installed."""
    return Plan.load(PLAN) if PLAN.exists() else None


def check(capture: SubsystemCapture, parts: bool = True) -> Verdict:
    """Hold one run to every clause; parts: to those of each trace's own system too."""
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
        if parts and any(account.name == HART for account in alive):
            check_parts(capture, book)
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
