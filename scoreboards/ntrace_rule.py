"""One run of the legal check: what its rules share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from models.ntrace.config import Config
from scoreboards import ntrace_table as t
from scoreboards.clauses import ClauseBook, Failure
from scoreboards.ntrace_knobs import Knobs


@dataclass
class Legal:
    """One run of the rules: `rule` counts a clause over many messages and tells the violations."""

    config: Config
    table: t.MessageTable
    where: t.Locator
    book: ClauseBook
    knobs: Knobs = field(default_factory=Knobs)

    def rule(self, clause: str, of: np.ndarray, bad: np.ndarray, text: str | Callable[[int], str]) -> None:
        """of: mask of the messages the clause speaks of; bad: mask of those that break it."""

        def make(index: int) -> Failure:
            name = self.table.messages[index].name
            return self.where.failure(clause, f"{name}: {text if isinstance(text, str) else text(index)}", index)

        self.book.bulk(clause, int(np.count_nonzero(of)), np.flatnonzero(of & bad), make)
