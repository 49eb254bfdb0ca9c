# SPDX-License-Identifier: Apache-2.0
"""The check of an SBI PMU implementation: a run or its record in, a verdict clause by clause out; needs no simulator.

    verdict = check(capture)                          one run on a device: record, counter model, memory, counters
    verdict = check_record(Record.load(path))         the record alone

An independent reading of the chapter: each answer is compared with the rules (`rvtrace.scoreboards.sbi_pmu.rules`),
each operation of the SBI implementation on counters and memory with what the call requires (`effects`, `follow`), and
each view of the supervisor with what the counters hold at that time (`shadow`). Where implementations may differ, the
policy of the record decides; `Tolerances` names what else may differ.
"""

from __future__ import annotations

from typing import Any

from rvtrace.models.sbi_pmu.calls import Call
from rvtrace.models.sbi_pmu.record import Record, Step
from rvtrace.scoreboards.common.clauses import ClauseBook, Failure, Plan, plan_of
from rvtrace.scoreboards.common.verdict import Verdict, chosen, timed
from rvtrace.scoreboards.hpm import check as hpm
from rvtrace.scoreboards.sbi_pmu import sampling
from rvtrace.scoreboards.sbi_pmu.capture import SbiPmuCapture
from rvtrace.scoreboards.sbi_pmu.causes import COUNTERS, SAME, of_block, settle
from rvtrace.scoreboards.sbi_pmu.follow import Follower
from rvtrace.scoreboards.sbi_pmu.tolerances import Tolerances

__all__ = ["Verdict", "check", "check_record", "plan"]


def plan() -> Plan:
    """The clauses of the SBI PMU extension, from the plan.toml beside this file."""
    return plan_of(__file__)


def check_record(
    record: Record, tolerances: Tolerances | None = None, rerun: str = "", problems: list[str] | None = None
) -> Verdict:
    """Check one record against every clause that applies to it. The follower stays in verdict.encoded, for coverage.

    problems: sentences of those who recorded it about the run itself; each is a failure.
    """
    verdict = Verdict(ClauseBook(plan(), rerun))
    with timed(verdict, "scoreboard"):
        follower = Follower(record, verdict.book, tolerances or Tolerances())
        follower.follow()
        verdict.encoded = follower
    steps = record.steps
    verdict.book.count("SBI.view.unknown", len(steps))
    for text in problems or ():
        verdict.book.fail(Failure("SBI.view.unknown", text))
    for name, times in follower.met.items():
        verdict.book.met(name, times)
    operations = sum(len(step.operations or ()) for step in steps)
    verdict.stats |= {
        "calls": sum(isinstance(step.action, Call) for step in steps),
        "operations": operations,
        "steps": len(steps),
    }
    return verdict


MEMORY = "SBI.run.memory"


def check(capture: SbiPmuCapture, tolerances: Tolerances | None = None) -> Verdict:
    """Everything about one run: its record by `rvtrace.scoreboards.sbi_pmu.check`; the same steps on models/hpm; what
    the memory's monitor saw; every counter in every cycle.
    """
    verdict = check_record(
        capture.record,
        chosen(tolerances, capture, Tolerances),
        capture.rerun,
        capture.problems,
    )
    with timed(verdict, "exact"):
        book = verdict.book
        if capture.model is not None:
            _same(book, capture.record, capture.model)
        book.count(MEMORY, sum(isinstance(step.action, Call) for step in capture.record.steps))
        for text in capture.touched:
            book.fail(Failure(MEMORY, text), counted=True)
        if capture.hpm is not None:
            of_block(book, COUNTERS, hpm.check(capture.hpm), [step.cycle or 0 for step in capture.record.steps])
            if capture.sampling is not None and capture.config is not None:
                sampling.check(book, capture.config, capture.hpm.rows, capture.sampling)
                verdict.stats["overflows"] = len(capture.sampling.samples)
                verdict.stats["transfers"] = sum(len(sample.history) for sample in capture.sampling.samples)
        settle(book.failures)
    return verdict


def _same(book: ClauseBook, record: Record, model: Record) -> None:
    book.count(SAME, len(model.steps))
    if found := differs(record, model):
        index, text = found
        step = record.steps[min(index, len(record.steps) - 1)]
        book.fail(Failure(SAME, f"step {index}: {text}", step.cycle, at=index), counted=True)


def differs(record: Record, model: Record) -> tuple[int, str] | None:
    """The first step in which two records differ: its index, and what differs; None if they are the same."""
    for index, (step, other) in enumerate(zip(record.steps, model.steps)):
        if step != other:
            return index, _what(step, other, record.xlen)
    there, expected = len(record.steps), len(model.steps)
    if there != expected:
        return min(there, expected), f"the run has {there} steps and {expected} on the counter model"
    return None


def _what(step: Step, other: Step, xlen: int) -> str:
    """In words: the first of action, operation, result and cycle that is another one.

    A result follows from operations, so they come first.
    """
    name = step.action.shown(xlen) if isinstance(step.action, Call) else f"{step.action}"
    if step.action != other.action:
        return f"the supervisor does {name}; on the counter model it does {other.action}"
    for number, (one, two) in enumerate(zip(step.operations or (), other.operations or ())):
        if one != two:
            return f"operation {number} of {name} is {_done(one)}; on the counter model {_done(two)}"
    if step.operations != other.operations:
        return (
            f"{name} takes {len(step.operations or ())} operations; on the counter model {len(other.operations or ())}"
        )
    if step.result != other.result:
        return f"{name} returns {_shown(step.result)}; on the counter model {_shown(other.result)}"
    return f"{name} begins in cycle {step.cycle}; on the counter model in {other.cycle}"


def _done(done: tuple[Any, Any]) -> str:
    operation, answer = done
    words = ", ".join(f"{name}={_shown(value)}" for name, value in operation._asdict().items())
    return f"{type(operation).__name__}({words})" + ("" if answer is None else f" -> {_shown(answer)}")


def _shown(value: Any) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:#x}"
    return value.hex() if isinstance(value, bytes | bytearray) else str(value)
