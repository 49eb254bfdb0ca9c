# SPDX-License-Identifier: Apache-2.0
"""Control transfer records in a bench that is not ours (tb/common/own_bench.py)."""

from __future__ import annotations

from typing import Any

from rvtrace.models.ctr.config import Config
from rvtrace.scoreboards.ctr.capture import CtrCapture
from rvtrace.scoreboards.ctr.judge import JUDGE
from rvtrace.tb.common import own_bench
from rvtrace.tb.common.agents.csr_port import CsrMonitor
from rvtrace.tb.ctr.agents import files, layout
from rvtrace.tb.ctr.agents.retire import RetireMonitor


class PortsMonitor:
    """Watches the transfers of a hart and the CSR port of its records.

    ports: priv, valid (a bit for each slot), type, source, target, from_, to, misp, cause (slot k of W bits in bits
    k*W +: W); and of the CSR port csr_valid, csr_op, csr_addr, csr_wdata, csr_mode, csr_xlen32, csr_rdata, csr_outcome,
    coded as docs/reference/ctr-profile.md has them.
    """

    def __init__(
        self, config: Config, clock: Any, reset: Any = None, reset_active_level: bool = True, **ports: Any
    ) -> None:
        pins = layout.pins(config, 0)
        transfers = ("valid", *pins.lane)
        csr = [f"csr_{name}" for name in (*own_bench.CSR, "rdata", "outcome")]
        needed = ("priv", *(name for name in transfers if name not in ("misp", "cause")), "csr_valid")
        given = own_bench.ports_of(ports, ("priv", *transfers, *csr), needed, {"csr_mode": own_bench.MACHINE})
        pins = own_bench.lanes_of(given, pins)
        view = own_bench.View(clock, reset, reset_active_level, {
            **{f"xfer_{name.rstrip('_')}_i": given[name] for name in transfers},
            "hart_priv_i": given["priv"], **own_bench.csr_view(given),
        })  # fmt: skip
        self.transfers = own_bench.Watched(RetireMonitor, view, pins)
        self.accesses = own_bench.Watched(CsrMonitor, view, pins, files)


class Scoreboard(own_bench.PortsScoreboard):
    """Every value read and every outcome (scoreboards/ctr/check.py)."""

    judge = JUDGE
    ports: PortsMonitor

    def capture(self) -> CtrCapture:
        rows = files.joined(self.ports.transfers.arrays(), self.ports.accesses.arrays())
        problems = [*self.ports.transfers.problems, *self.ports.accesses.problems]
        return CtrCapture(self.config, rows, problems, self.exact, self.rerun, self.program)
