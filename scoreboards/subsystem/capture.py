# SPDX-License-Identifier: Apache-2.0
"""What one run of the subsystem recorded: what the hart retired, and the output of each of the five trace sources."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Retired
from rvtrace.models.subsystem.config import Config
from rvtrace.models.tandem.trace_data import Rows
from rvtrace.scoreboards.tci.registers import Access


@dataclass
class Snapshot:
    """What software found in the CSRs between two stretches of a run, while the hart retired nothing.

    at: events of `retired` before it. cycle: in which the counters were read first (a counter of cycles goes on while
    the others are read; none goes back). counters: name (mcycle, minstret, mhpmcounter3 to 10) to its 64 bits. ctr:
    source, target and data of the valid entries, newest first, as ctrsource, ctrtarget and ctrdata show them (the
    address without the valid bit). ctr_status: sctrstatus. when: the cycle in which each counter was read, of a counter
    that is not in it `cycle`.
    """

    at: int
    cycle: int
    counters: dict[str, int]
    ctr: list[tuple[int, int, int]] = field(default_factory=list)
    ctr_status: int = 0
    when: dict[str, int] = field(default_factory=dict)


@dataclass
class SubsystemCapture:
    """The monitors' record of one run.

    `retired`, `rows` and `cycle` are what was seen at the hart port, never what the stimulus meant.

    retired: what was reported, without effects: instructions and traps. cycle: uint64, shape [len(retired)], the cycle
    in which each was taken. rows: what the tandem-trace unit took, reset and state initialization too, with their
    cycles. ntrace, etrace, tandem: the bytes of each stream; out_cycles: by its name the cycle in which each byte left
    (uint64, shape [bytes]), or nothing of a stream whose times were not observed. snapshots: in order. events: uint8,
    shape [accepted cycles, external events], what came in from outside, and event_cycle: uint64, the cycle of each of
    its rows; cycles without a row had none. begin: the cycle in which the counters began to count and the records to
    record: from then on `ret_running_i` was high, except in the cycles of `stopped` (ranges, end excluded).
    accesses: of the register bus, in order. problems: sentences of the monitors about the run itself; each is a
    failure. exact: whether the parts declare their reference profiles. rerun: the one command that repeats the run.
    mode_next: uint8, shape [len(retired)], the mode after each, as the port has it; None: the mode of the next one.
    halted: the cycles in Debug Mode, as ranges. errors: the cycles in which tandem_error_o was not 0. enabled: of
    N-Trace, E-Trace and tandem trace the cycles in which mon_enable_o said that they are on, as ranges; None if nobody
    looked. csrs: the accesses of the CSR port, in order, with columns cycle, addr, op, priv, wdata, rdata, outcome;
    None if nobody looked.
    """

    config: Config
    program: Program
    retired: Retired
    cycle: np.ndarray
    rows: Rows
    ntrace: bytes
    etrace: bytes
    tandem: bytes
    out_cycles: dict[str, np.ndarray] = field(default_factory=dict)
    snapshots: list[Snapshot] = field(default_factory=list)
    events: np.ndarray = field(default_factory=lambda: np.zeros((0, 4), np.uint8))
    event_cycle: np.ndarray = field(default_factory=lambda: np.zeros(0, np.uint64))
    mispredicted: np.ndarray | None = None
    begin: int = 0
    stopped: list[tuple[int, int]] = field(default_factory=list)
    accesses: list[Access] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    exact: bool = True
    rerun: str = ""
    mode_next: np.ndarray | None = None
    halted: list[tuple[int, int]] = field(default_factory=list)
    errors: np.ndarray = field(default_factory=lambda: np.zeros(0, np.uint64))
    enabled: tuple[list[tuple[int, int]], ...] | None = None
    csrs: np.ndarray | None = None

    @property
    def mode_behind(self) -> np.ndarray:
        """{V, PRV} of the hart after each row of `retired` (uint8, shape [len(retired)])."""
        if self.mode_next is not None:
            return self.mode_next
        return np.append(self.retired.priv[1:], self.retired.priv[-1:]).astype(np.uint8)

    @property
    def missed(self) -> np.ndarray:
        """Which rows of `retired` were reported as mispredicted (bool, shape [len(retired)])."""
        return np.zeros(len(self.retired), bool) if self.mispredicted is None else self.mispredicted.astype(bool)
