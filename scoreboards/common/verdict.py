# SPDX-License-Identifier: Apache-2.0
"""The shape that the checks of all systems share: a capture and tolerances in, a verdict out.

Each scoreboards/<system>/check.py has

    plan() -> Plan                                     the clauses, from the plan.toml beside it
    check(capture, tolerances=None) -> Verdict         one run against every clause that applies to it

A *capture* (scoreboards/<system>/capture.py) is a dataclass with what the monitors of a simulation, or the files of a
user, recorded of one run. It has at least `exact` (the device declares the reference profile, so that its output must
equal the model's) and `rerun` (the command that repeats the run). *Tolerances* (scoreboards/<system>/tolerances.py)
name where legal devices differ: their defaults are the reference profile, `Tolerances.free()` is whatever the
specification leaves open. Without tolerances a check uses the one or the other by `capture.exact`. Systems without
tolerances (subsystem, adapter, tci) accept None only. No check needs a simulator.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from rvtrace.scoreboards.common.clauses import ClauseBook, Failure


class Judged(Protocol):
    """What every capture has."""

    exact: bool
    rerun: str


T = TypeVar("T", bound="Tolerant")


class Tolerant(Protocol):
    """What every Tolerances class has."""

    @classmethod
    def free(cls: type[T]) -> T:
        """Whatever the specification leaves open is left open."""
        ...


def chosen(tolerances: T | None, capture: Judged, kind: type[T]) -> T:
    """The tolerances given; else the reference profile's if the device declares it, else all that the specification
    leaves open.
    """
    if tolerances is not None:
        return tolerances
    return kind() if capture.exact else kind.free()


@dataclass
class Verdict:
    """What a check found.

    book: the checks of each clause, and the failures. decoded, encoded: what the system's decoder and encoder model
    made of the run, None if not needed (checks that follow a run keep its state in `encoded`, for coverage). stats:
    seconds of "encoder", "decoder" and "scoreboard", and counts, among them "instructions" (those that had to be
    reported) and "reported" (those that the decoder found, fewer after an overflow). read: the capture that was
    judged in place of the one given: without the deviations that explain why that could not be decoded, or with another
    legal reading; None if there is none. notes: of several legal readings, which one the capture was found to have.
    """

    book: ClauseBook
    decoded: Any = None
    encoded: Any = None
    read: Any = None
    stats: dict[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether no clause failed."""
        return not self.book.failures

    @property
    def failures(self) -> list[Failure]:
        """The first failures of each clause, in the order in which they were found."""
        return self.book.failures

    def close(self, instructions: int, judged: int, reported: int, size: int) -> None:
        """Give the failures of a trace their causes, and the numbers that every trace has. instructions: that had to be
        reported; judged: of them, those that could be compared; reported: by `size` bytes.
        """
        self.book.judged = judged / instructions if instructions else None
        self.book.attribute()
        bits = 8 * size / reported if reported else 0.0
        self.stats |= {"instructions": instructions, "judged": judged, "reported": reported, "bytes": size}
        self.stats["bits_per_instruction"] = bits


@contextmanager
def timed(verdict: Verdict, name: str) -> Iterator[None]:
    """Add the seconds of a `with` block to verdict.stats[name]."""
    begin = time.perf_counter()
    yield
    verdict.stats[name] = verdict.stats.get(name, 0.0) + time.perf_counter() - begin
