# SPDX-License-Identifier: Apache-2.0
"""What one run of the adapters recorded: rows at the hart port, blocks at the ingress port, errors."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from rvtrace.models.adapter.config import Config
from rvtrace.models.adapter.run import Run
from rvtrace.models.tandem.trace_data import Rows


@dataclass
class HartSeen:
    """Rows that were taken at the hart port, with their columns beside the row (reported) and the slot of each; beat:
    the number of the cycle of each among those recorded.

    valid: which slots of each cycle had a row, shape [cycles, slots]; cycle, halted: of each.
    """

    rows: Rows
    reported: dict[str, np.ndarray]
    slot: np.ndarray
    valid: np.ndarray
    cycle: np.ndarray
    halted: np.ndarray
    beat: np.ndarray


@dataclass
class Blocks:
    """Cycles that were taken at the ingress port, and the fields of their lanes, shape [cycles, lanes]."""

    cycle: np.ndarray
    halted: np.ndarray
    ctype: np.ndarray
    lanes: dict[str, np.ndarray]


@dataclass
class Status:
    """A change of the error, or of one of the flags (tb/adapter/agents/layout.py). flags: those that are 1."""

    cycle: int
    error: int
    pc: int
    flags: set[str]


@dataclass(frozen=True)
class Fault:
    """A rule that the core broke on purpose: its error code, and the pc that comes with it, None if any may."""

    code: int
    pc: int | None = None


@dataclass
class AdapterCapture:
    """One run. run: what the core did. fault: what was wrong with its RVFI, None for nothing; then only the error is
    checked. rerun: the command that repeats the run. waits: whether who takes rows or blocks may keep them waiting.
    """

    config: Config
    run: Run
    hart: HartSeen
    blocks: Blocks
    status: list[Status]
    fault: Fault | None = None
    problems: list[str] = field(default_factory=list)
    exact: bool = True
    rerun: str = ""
    waits: bool = True

    @property
    def rows(self) -> Rows:
        """Those of the hart port."""
        return self.hart.rows
