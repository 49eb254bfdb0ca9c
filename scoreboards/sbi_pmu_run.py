"""A whole run of an SBI implementation on a device: the record held to the chapter, to the counter model, and to the ports it was made on.

    verdict = check_run(capture)
"""

from __future__ import annotations

from typing import Any

from models.sbi_pmu.calls import Call
from models.sbi_pmu.record import Record, Step
from scoreboards import hpm
from scoreboards.clauses import ClauseBook, Failure
from scoreboards.hpm_capture import HpmCapture
from scoreboards.sbi_pmu import check
from scoreboards.sbi_pmu_capture import SbiPmuCapture
from scoreboards.sbi_pmu_knobs import Knobs
from scoreboards.verdict import Verdict, timed

SAME, MEMORY, COUNTERS = "SBI.run.same", "SBI.run.memory", "SBI.run.counters"


def check_run(capture: SbiPmuCapture, knobs: Knobs | None = None) -> Verdict:
    """Everything about one run: its record by `scoreboards.sbi_pmu`; the same steps on models/hpm; what the memory's monitor saw; every counter in every cycle."""
    verdict = check(capture.record, knobs or (Knobs() if capture.exact else Knobs.free()), capture.rerun, capture.problems)
    with timed(verdict, "exact"):
        book = verdict.book
        if capture.model is not None:
            _same(book, capture.record, capture.model)
        book.count(MEMORY, sum(isinstance(step.action, Call) for step in capture.record.steps))
        for text in capture.touched:
            book.fail(Failure(MEMORY, text), counted=True)
        if capture.hpm is not None:
            _counters(book, capture.hpm)
    return verdict


def _same(book: ClauseBook, record: Record, model: Record) -> None:
    book.count(SAME, len(model.steps))
    if found := differs(record, model):
        index, text = found
        step = record.steps[min(index, len(record.steps) - 1)]
        book.fail(Failure(SAME, f"step {index}: {text}", step.cycle), counted=True)


def _counters(book: ClauseBook, capture: HpmCapture) -> None:
    """The scoreboard of the counter block alone."""
    verdict = hpm.check(capture)
    book.count(COUNTERS, sum(checked for checked, _ in verdict.book.results().values()))
    for failure in verdict.failures:
        book.fail(Failure(COUNTERS, f"{failure.clause}: {failure.headline}", failure.cycle, table=failure.table, before=failure.before), counted=True)


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
    """In words: the first of action, operation, result and cycle that is another one. A result follows from operations, so they come first."""
    name = step.action.shown(xlen) if isinstance(step.action, Call) else f"{step.action}"
    if step.action != other.action:
        return f"the supervisor does {name}; on the counter model it does {other.action}"
    for number, (one, two) in enumerate(zip(step.operations or (), other.operations or ())):
        if one != two:
            return f"operation {number} of {name} is {_done(one)}; on the counter model {_done(two)}"
    if step.operations != other.operations:
        return f"{name} takes {len(step.operations or ())} operations; on the counter model {len(other.operations or ())}"
    if step.result != other.result:
        return f"{name} gives {_shown(step.result)}; on the counter model {_shown(other.result)}"
    return f"{name} begins in cycle {step.cycle}; on the counter model in {other.cycle}"


def _done(done: tuple[Any, Any]) -> str:
    operation, answer = done
    words = ", ".join(f"{name}={_shown(value)}" for name, value in operation._asdict().items())
    return f"{type(operation).__name__}({words})" + ("" if answer is None else f" -> {_shown(answer)}")


def _shown(value: Any) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:#x}"
    return value.hex() if isinstance(value, bytes | bytearray) else str(value)
