# SPDX-License-Identifier: Apache-2.0
"""Counters in a bench that is not ours (tb/common/own_bench.py)."""

from __future__ import annotations

from typing import Any

from rvtrace.models.hpm.config import Config
from rvtrace.scoreboards.hpm.capture import HpmCapture
from rvtrace.scoreboards.hpm.judge import JUDGE
from rvtrace.tb.common import own_bench
from rvtrace.tb.common.agents.csr_port import CsrMonitor
from rvtrace.tb.hpm.agents import files, layout
from rvtrace.tb.hpm.agents.hart import HartMonitor, StateMonitor

_HART = ("retired", "events", *files.HART)
_STATE = ("counter", "of", "lcofi", "lcofie")


class PortsMonitor:
    """Watches what a hart does, the CSR port of its counters and, if the block shows them, the counters themselves.

    ports: priv, stopcount, running (cycle_i), retired, events (event k of W bits in bits k*W +: W); of the CSR port
    csr_valid, csr_op, csr_addr, csr_wdata, csr_mode, csr_xlen32, csr_time, csr_rdata, csr_outcome; and counter, of,
    lcofi, lcofie, all of them or none; coded as docs/reference/hpm-profile.md has them.
    """

    def __init__(
        self, config: Config, clock: Any, reset: Any = None, reset_active_level: bool = True, **ports: Any
    ) -> None:
        pins = layout.pins(config, 0)
        csr = [f"csr_{name}" for name in (*own_bench.CSR, "time", "rdata", "outcome")]
        self.shown = any(name in ports for name in _STATE)
        needed = ("priv", "retired", "events", "csr_valid", *(_STATE if self.shown else ()))
        defaults = {"running": 1, "csr_mode": own_bench.MACHINE}
        given = own_bench.ports_of(ports, (*_HART, *_STATE, *csr), needed, defaults)
        pins = own_bench.lanes_of(given, pins)
        view = own_bench.View(clock, reset, reset_active_level, {
            **{f"hart_{name}_i": given[name] for name in _HART}, **{f"state_{name}_o": given[name] for name in _STATE},
            **own_bench.csr_view(given),
        })  # fmt: skip
        self.hart = own_bench.Watched(HartMonitor, view, pins)
        self.accesses = own_bench.Watched(CsrMonitor, view, pins, files)
        self.state = own_bench.Watched(StateMonitor, view, pins)


class Scoreboard(own_bench.PortsScoreboard):
    """Every value read, every outcome, and every counter in each cycle if the block shows them
    (scoreboards/hpm/check.py).
    """

    judge = JUDGE
    ports: PortsMonitor

    def capture(self) -> HpmCapture:
        watched = (self.ports.hart, self.ports.accesses, self.ports.state)
        rows, state = files.joined(*(one.arrays() for one in watched))
        problems = [text for one in watched for text in one.problems]
        return HpmCapture(
            self.config, rows, state if self.ports.shown else None, problems, self.exact, self.rerun, self.program
        )
