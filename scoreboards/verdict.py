"""What a check of one capture gives back, the same for every trace system."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from scoreboards.clauses import ClauseBook, Failure


@dataclass
class Verdict:
    """What a check found. stats: seconds of "encoder", "decoder" and "scoreboard", and counts of what was seen.

    decoded, encoded: what the system's decoder and encoder model made, None where they were not asked.
    instructions: those that were to be told; told: those the decoder found, fewer after an overflow.
    """

    book: ClauseBook
    decoded: Any = None
    encoded: Any = None
    stats: dict[str, float] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        """Whether no clause failed."""
        return not self.book.failures

    @property
    def failures(self) -> list[Failure]:
        """The first failures of each clause, in the order exact, lossless, legal."""
        return self.book.failures


@contextmanager
def timed(verdict: Verdict, name: str) -> Iterator[None]:
    """The seconds of a `with` block go into verdict.stats[name]."""
    begin = time.perf_counter()
    yield
    verdict.stats[name] = time.perf_counter() - begin
