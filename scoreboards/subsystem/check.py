# SPDX-License-Identifier: Apache-2.0
"""The cross-check of the subsystem: five trace sources of one run, and which of them is the odd one out; needs no
simulator.

    verdict = check(capture)

Every trace is read by its own decoder, and the flows are compared (`vote`). Control transfer records, counters and
timestamps are then compared with the flow that the majority reports. Each trace is also checked against the clauses of
its own system (`parts`).
"""

from __future__ import annotations

import numpy as np

from rvtrace.scoreboards.common.clauses import ClauseBook, Failure, Plan, plan_of
from rvtrace.scoreboards.common.verdict import Verdict, timed
from rvtrace.scoreboards.subsystem.accounts import ETRACE, HART, NTRACE, TANDEM, Account, Effects, read
from rvtrace.scoreboards.subsystem.capture import SubsystemCapture
from rvtrace.scoreboards.subsystem.counts import Counts
from rvtrace.scoreboards.subsystem.csrs import Csrs
from rvtrace.scoreboards.subsystem.parts import check_parts
from rvtrace.scoreboards.subsystem.registers import Registers
from rvtrace.scoreboards.subsystem.time import check_times
from rvtrace.scoreboards.subsystem.transfers import Flow, Records
from rvtrace.scoreboards.subsystem.vote import Judge, agreed, listed


def plan() -> Plan:
    """The clauses of the subsystem, from the plan.toml beside this file."""
    return plan_of(__file__)


def check(capture: SubsystemCapture, tolerances: None = None, *, parts: bool = True) -> Verdict:
    """Check one run against every clause; this system has no tolerances.

    parts: also each trace against its own system's clauses.
    """
    verdict = Verdict(ClauseBook(plan(), capture.rerun))
    book = verdict.book
    with timed(verdict, "decoder"):
        accounts, effects = read(capture)
        verdict.decoded = accounts
    with timed(verdict, "scoreboard"):
        book.count("SUB.run")
        for text in capture.problems:
            book.fail(Failure("SUB.run", text), counted=True)
        Registers(capture, book).check()
        Csrs(capture, book).check()
        alive = agreed(accounts, Judge(capture, book))
        _bits(capture, book, effects)
        _against(capture, book, alive, effects)
    with timed(verdict, "parts"):
        if parts and any(account.name == HART for account in alive):
            check_parts(capture, book)
    size = {a.name: a.size for a in accounts}
    verdict.stats |= {
        "instructions": len(accounts[-1]),
        "reported": len(accounts[0]),
        "traps": len(accounts[-1].traps),
        "bytes": sum(size.values()),
        "ntrace_bytes": size[NTRACE],
        "etrace_bytes": size[ETRACE],
        "tandem_bytes": size[TANDEM],
        "snapshots": len(capture.snapshots),
        "entries": sum(len(s.ctr) for s in capture.snapshots),
        "cycles": int(capture.cycle[-1]) + 1 if len(capture.cycle) else 0,
    }
    return verdict


def _against(capture: SubsystemCapture, book: ClauseBook, alive: list[Account], effects: Effects) -> None:
    """Records, counters and times against the account that the majority agrees on."""
    names = [account.name for account in alive]
    if len(alive) < 2 or HART not in names:
        return  # who is to be believed is not known; that was reported
    reported = [account for account in alive if account.name != HART]
    flow, name = Flow.of(reported, capture.program), listed([account.name for account in reported])
    believed = {account.name: account for account in alive}
    Records(capture, book, flow, name).check()
    Counts(
        capture, book, flow, effects if TANDEM in believed and len(effects.trap) == len(flow) else None, name
    ).check()
    check_times(capture, book, believed.get(NTRACE), believed.get(ETRACE))


def _bits(capture: SubsystemCapture, book: ClauseBook, effects: Effects) -> None:
    """The instruction bits that the tandem trace reports are those that the program has there."""
    pcs, place = np.unique(effects.pc[effects.size > 0], return_inverse=True)
    found = [capture.program.insn(pc) for pc in pcs.tolist()]
    want = (
        np.array([insn.raw if insn else 0 for insn in found], np.uint64)[place] if len(pcs) else np.zeros(0, np.uint64)
    )
    got, where = effects.insn[effects.size > 0].astype(np.uint64), effects.pc[effects.size > 0]
    book.bulk(
        "SUB.insn",
        len(got),
        np.flatnonzero(want != got),
        lambda k: Failure(
            "SUB.insn",
            f"tandem trace is the odd one out: the instruction at {int(where[k]):#x} is {int(got[k]):#x}, and the"
            f" program has {int(want[k]):#x}",
            None,
            int(where[k]),
            capture.program.where(int(where[k])),
            [("insn", hex(int(want[k])), hex(int(got[k])))],
        ),
    )
