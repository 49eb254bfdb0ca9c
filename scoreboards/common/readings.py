# SPDX-License-Identifier: Apache-2.0
"""Several legal readings of one capture: where a specification leaves something open that a check has to know, a trace
that does not fit what is claimed is read in the other ways, and the verdict says which one it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, Protocol, TypeVar

from rvtrace.models.common.filters import READINGS, FilterReading
from rvtrace.scoreboards.common.verdict import Verdict

_UNPLACED = {
    "kept": "of an interrupt without instructions no address is compared, what holds for the block before goes on",
    "true": "an interrupt without instructions meets every condition of addresses",
    "compared": "the address that the port carries with an interrupt without instructions is compared",
}
_TVAL = {"traps": "tval is compared at traps only", "always": "tval is compared at every block"}


class Filtered(Protocol):
    """A capture of an encoder with filters, a dataclass. filters: what they do where the text is silent."""

    config: Any
    exact: bool
    filters: FilterReading


C = TypeVar("C")
F = TypeVar("F", bound=Filtered)


def best(
    capture: C, claimed: Verdict, judge: Callable[[C], Verdict], others: Iterable[tuple[C, str]]
) -> tuple[C, Verdict]:
    """Of a capture and others, each with a sentence about its reading, the one of whose checks the fewest fail, and its
    verdict; the first of equal ones.
    """
    found, verdict, failed = capture, claimed, _failures(claimed)
    for other, sentence in others:
        if not failed:
            break
        again = judge(other)
        if _failures(again) < failed:
            again.notes = (*claimed.notes, sentence)
            found, verdict, failed = other, again, _failures(again)
    return found, verdict


def filtered(capture: F) -> Iterator[tuple[F, str]]:
    """The other readings of a capture's filters; none without one."""
    for reading in READINGS if capture.config.filter and not capture.exact else ():
        if reading != capture.filters:
            other: Any = replace(capture, filters=reading)  # pyright: ignore[reportArgumentType]  # a dataclass
            yield other, f"filters as found: {_UNPLACED[reading.unplaced]}; {_TVAL[reading.tval]}"


def _failures(verdict: Verdict) -> int:
    return sum(failed for _, failed in verdict.book.results().values())
