# SPDX-License-Identifier: Apache-2.0
"""What one run of a tandem-trace encoder recorded: the input of its checks, from a simulation or from files."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Retired
from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.trace_data import Rows


@dataclass
class TandemCapture:
    """The monitors' record of one run.

    rows: every row that the port took, in order, with the cycle in which it did; None when only files are available.
    data: the bytes that the encoder sent. marks: uint64, shape [len(data)], the cycle in which the word of each byte
    was taken; empty if it was not observed. errors: shape [rows], whether error_o reported that a row is no legal one;
    None when only files are available. problems: sentences of the monitors about the run itself (an X on an output,
    data that changed before ready, an encoder that did not become empty); each is a failure. exact: whether the device
    declares docs/reference/tandem-profile.md. rerun: the one command that repeats the run. program, retired: what the
    hart ran, and the stream it retired; None if there is none. gaps: of each cycle in which the port took rows, the
    idle cycles that were left before they were offered; None unless the consumer was always ready. word: bytes that
    leave in a cycle.
    """

    config: Config
    rows: Rows | None
    data: bytes
    marks: np.ndarray = field(default_factory=lambda: np.zeros(0, np.uint64))
    errors: np.ndarray | None = None
    problems: list[str] = field(default_factory=list)
    exact: bool = True
    rerun: str = ""
    program: Program | None = None
    retired: Retired | None = None
    gaps: np.ndarray | None = None
    word: int = 0

    @property
    def cycle(self) -> np.ndarray:
        """uint64[rows]: when the port took each row."""
        if self.rows is None:
            raise ValueError("this check needs the rows of the port, and the capture has none")
        return self.rows.cycle
