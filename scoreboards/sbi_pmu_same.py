"""The same answers on both: two records of one supervisor and one SBI implementation, on a device and on the counter model, step by step."""

from __future__ import annotations

from typing import Any

from models.sbi_pmu.calls import Call
from models.sbi_pmu.record import Record, Step


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
