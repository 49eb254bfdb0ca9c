# SPDX-License-Identifier: Apache-2.0
"""The traced blocks of an ingress port as instructions: what the expectations of both trace systems are made from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rvtrace.models.riscv.beats import LANE_FIELDS, Beats
from rvtrace.models.riscv.blocks import from_beats
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Kind, Retired


class Observed:
    """What a capture of an encoder knows of the hart: `beats` of the ingress port, or a retire stream `given`."""

    config: Any
    program: Program
    beats: Beats | None
    given: Retired | None

    @property
    def ingress(self) -> Beats:
        """The beats, for what can be checked only if they were seen."""
        if self.beats is None:
            raise ValueError("this check needs the beats of the ingress port, and the capture has none")
        return self.beats

    @cached_property
    def retired(self) -> Retired:
        """The retire stream that was traced: from the beats if they were seen, else the one given."""
        if self.beats is not None:
            return from_beats(self.beats, self.program, self.config.variant)
        if self.given is None:
            raise ValueError("a capture needs the ingress beats or a retire stream; give retired.csv")
        return self.given


@dataclass
class Traced:
    """n traced instructions in m traced blocks of some beats.

    lanes: mask [rows, lanes] of the traced blocks. retired: the rows those blocks make, and control rows. insn: mask of
    its instructions. row: int64[m], the beat of each block. begin, end: int64[m], traced instructions before and after
    each. owner: int64[n], the block of each instruction. done: int64[m + 1], instructions before each block and after
    the last.
    """

    lanes: np.ndarray
    retired: Retired
    insn: np.ndarray
    row: np.ndarray
    begin: np.ndarray
    end: np.ndarray
    owner: np.ndarray
    done: np.ndarray

    @classmethod
    def of(cls, beats: Beats, lanes: np.ndarray, program: Program, variant: str) -> Traced:
        """The blocks of the mask `lanes`; BlocksError where one does not fit the program."""
        rows = np.flatnonzero(lanes.any(axis=1))
        retired = from_beats(only(beats, lanes, rows), program, variant)
        insn = retired.kind == Kind.INSN
        halves = np.cumsum(retired.size[insn].astype(np.int64) >> 1)
        end = np.searchsorted(halves, np.cumsum(beats.iretire[lanes].astype(np.int64)), side="right")
        begin = np.concatenate(([0], end[:-1])) if len(end) else end
        owner = np.searchsorted(end, np.arange(len(halves)), side="right")
        return cls(lanes, retired, insn, np.nonzero(lanes)[0], begin, end, owner, np.concatenate(([0], end)))

    @property
    def pc(self) -> np.ndarray:
        """uint64[n]"""
        return self.retired.pc[self.insn]

    @property
    def size(self) -> np.ndarray:
        """uint8[n]: bytes"""
        return self.retired.size[self.insn]

    @property
    def before_row(self) -> np.ndarray:
        """int64[rows]: traced instructions before each beat."""
        behind = self.done[np.cumsum(self.lanes.sum(axis=1))]
        return np.concatenate(([0], behind[:-1])) if len(behind) else behind


def only(beats: Beats, lanes: np.ndarray, rows: np.ndarray) -> Beats:
    """The rows with traced blocks; the lanes that are not traced are empty."""
    chosen, keep = beats.select(rows), lanes[rows]
    if not keep.all():
        for name in LANE_FIELDS:
            column = getattr(chosen, name)
            setattr(chosen, name, np.where(keep, column, 0).astype(column.dtype))
    return chosen
