"""The SBI PMU scoreboard: a record in, a verdict clause by clause out; needs no simulator.

    verdict = check(Record.load(path))
    verdict.passed, verdict.book.results(), [f.text() for f in verdict.failures]

A reading of the chapter of its own: each answer is held against the rules (`sbi_pmu_rules`), each operation of the SBI implementation
on counters and memory against what the call asks for (`sbi_pmu_effects`, `sbi_pmu_memory`), and each view of the supervisor against what
counters hold then (`sbi_pmu_shadow`). The record's policy says what is right where implementations disagree; `Knobs` what else may differ.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from models.sbi_pmu.calls import Call
from models.sbi_pmu.record import Record
from scoreboards.clauses import ClauseBook, Failure, Plan
from scoreboards.sbi_pmu_follow import Follower
from scoreboards.sbi_pmu_knobs import Knobs
from scoreboards.verdict import Verdict, timed

__all__ = ["Verdict", "check", "plan"]

PLAN = Path(__file__).parent.parent / "tests" / "plan" / "sbi_pmu.toml"


@cache
def plan() -> Plan | None:
    """The plan of the SBI PMU extension; None where only the models and scoreboards were installed."""
    return Plan.load(PLAN) if PLAN.exists() else None


def check(record: Record, knobs: Knobs | None = None, rerun: str = "", problems: list[str] | None = None) -> Verdict:
    """Hold one record to every clause that applies to it. The follower stays in verdict.encoded, for coverage.

    problems: sentences of those who recorded it about the run itself; each is a failure.
    """
    verdict = Verdict(ClauseBook(plan(), rerun))
    with timed(verdict, "scoreboard"):
        follower = Follower(record, verdict.book, knobs or Knobs())
        follower.follow()
        verdict.encoded = follower
    steps = record.steps
    verdict.book.count("SBI.view.unknown", len(steps))
    for text in problems or ():
        verdict.book.fail(Failure("SBI.view.unknown", text))
    for name, times in follower.met.items():
        verdict.book.met(name, times)
    operations = sum(len(step.operations or ()) for step in steps)
    verdict.stats |= {"calls": sum(isinstance(step.action, Call) for step in steps), "operations": operations, "steps": len(steps)}
    return verdict
