# SPDX-License-Identifier: Apache-2.0
"""What the decoders of both trace systems share beside their kernels: errors, the path walked, and its instructions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any

import numpy as np

from rvtrace.models.common.walking import REPEAT
from rvtrace.models.riscv.step_store import Mark, Pool, expand

MAX_INSTRUCTIONS = 50_000_000  # about 0.5 GB once `pcs` and `taken` are read
FINISHED = "this decoder has finished; make a new Decoder for another trace"


class DecoderError(ValueError):
    """A decoder that cannot be made or used so; the text says what to do."""


class Contradiction(Exception):
    """What a packet or message says cannot have happened in this program; `clause` is the requirement it breaks."""

    def __init__(self, clause: str, text: str) -> None:
        super().__init__(text)
        self.clause = clause


class LimitReached(Exception):
    """The trace reports more than the decoder is to follow."""

    @classmethod
    def of(cls, limit: int) -> LimitReached:
        """More instructions than the limit."""
        return cls(f"more than {limit} instructions; give a larger max_instructions if the trace is really that long")


def fit(program: Any, config: Any, option: str) -> None:
    """DecoderError if program and trace are for harts of different widths; option: what says the width of the trace."""
    if program.xlen != config.xlen:
        raise DecoderError(
            f"the program is for RV{program.xlen} and the trace for RV{config.xlen}; "
            f"give the program that was traced, or {option}={program.xlen}"
        )


class Walk(ABC):
    """Every instruction up to the present one, as steps and repeats in `memory`, the columns of a kernel."""

    memory: Any
    _pool: Pool

    @property
    @abstractmethod
    def _place(self) -> Any:
        """The record of the kernel that has `steps`, `repeats` and `count`."""

    @abstractmethod
    def _waste(self, steps: int) -> None:
        """So many steps are undone."""

    @property
    def count(self) -> int:
        """Instructions so far."""
        return self._place.count

    def mark(self) -> Mark:
        """Where to return to if the next packet or message is wrong."""
        place = self._place
        return Mark(place.steps, place.repeats, place.count)

    def undo(self, mark: Mark) -> None:
        """Forget the instructions since the mark."""
        place = self._place
        self._waste(place.steps - mark.steps)
        place.steps, place.repeats, place.count = mark

    def expand(self) -> tuple[np.ndarray, np.ndarray]:
        """pcs (uint64[count]) and taken (int8[count]: 1 or 0 of a branch, else -1)."""
        memory, place = self.memory, self._place
        steps, repeats = np.array(memory.steps[: place.steps], np.uint32), REPEAT.listed(memory.repeats, place.repeats)
        return expand(place.count, steps, repeats, self._pool)


class Walked:
    """The instructions of a walk. They are kept compact and made when `pcs` or `taken` is first read (9 bytes each)."""

    def __init__(self, path: Walk) -> None:
        self._path = path

    def __len__(self) -> int:
        """Retired instructions."""
        return self._path.count

    @cached_property
    def _columns(self) -> tuple[np.ndarray, np.ndarray]:
        return self._path.expand()

    @property
    def pcs(self) -> np.ndarray:
        """uint64[n]: pc of every retired instruction in order."""
        return self._columns[0]

    @property
    def taken(self) -> np.ndarray:
        """int8[n]: 1 or 0 for a branch whose direction is known, else -1."""
        return self._columns[1]
