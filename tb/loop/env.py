# SPDX-License-Identifier: Apache-2.0
"""The environment of the loop: agents for all ports of counters and control transfer records on one hart, scoreboard
and coverage.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from cocotb.triggers import FallingEdge

from rvtrace.jobs.job import Job
from rvtrace.models.ctr.rows import NO_ACCESS
from rvtrace.scoreboards.common.verdict import Verdict
from rvtrace.scoreboards.ctr.capture import CtrCapture
from rvtrace.scoreboards.hpm.capture import HpmCapture
from rvtrace.scoreboards.loop.capture import LoopCapture
from rvtrace.scoreboards.loop.check import check
from rvtrace.tb.common import base
from rvtrace.tb.common import port_env as ports
from rvtrace.tb.common.agents.csr_port import CsrAgent
from rvtrace.tb.common.agents.pins import Pins, of_ctr, of_hpm
from rvtrace.tb.common.port_env import PlayRows
from rvtrace.tb.ctr.agents import files as ctr_rows
from rvtrace.tb.ctr.agents.retire import RetireAgent
from rvtrace.tb.hpm.agents import files as hpm_rows
from rvtrace.tb.hpm.agents.hart import HartAgent, StateAgent
from rvtrace.tb.loop.agents.cycles import LoopAgent, LoopConfig
from rvtrace.tb.loop.coverage.points import sample
from rvtrace.tb.loop.stimulus.play import of_ctr as in_ctr
from rvtrace.tb.loop.stimulus.stimulus import LoopStimulus, stimulus


class Scoreboard(ports.PortScoreboard):
    """Every step of the loop (scoreboards/loop/check.py). An access is seen by the block that its address belongs to,
    one of nobody by both.
    """

    observed = ("hart", "csr", "state", "retire", "records")
    hart: base.Collector
    csr: base.Collector
    state: base.Collector
    retire: base.Collector
    records: base.Collector

    def captured(self, job: Job, stimulus: LoopStimulus, problems: list[str]) -> LoopCapture:
        config, hart = stimulus.config, stimulus.hart
        rows, state = hpm_rows.joined(self.hart.got, self._of(self.csr.got, config, False), self.state.got)
        records = ctr_rows.joined(self.retire.got, self._of(self.records.got, config, True))
        return LoopCapture(
            config,
            HpmCapture(config.hpm, rows, state, [], job.exact, job.rerun),
            CtrCapture(config.ctr, records, [], job.exact, job.rerun),
            hart.record,
            hart.result or [],
            stimulus.model_record,
            stimulus.model_samples,
            [*problems, *hart.problems],
            hart.memory.problems,
            job.exact,
            job.rerun,
        )

    @staticmethod
    def _of(accesses: Any, config: Any, records: bool) -> Any:
        mine = np.array([in_ctr(int(address), config) == records for address in accesses.addr], bool)
        return accesses.select(mine & (accesses.op != NO_ACCESS))

    def checked(self) -> Verdict:
        return check(self.capture)


class Coverage(base.Coverage):
    """The points of the loop."""

    def sample(self, capture: LoopCapture, verdict: Verdict) -> dict[str, dict[str, int]]:
        return sample(capture, verdict)


class LoopEnv(ports.PortEnv):
    """Around loop_tb; all agents but `cycles` only observe."""

    scoreboard_class, coverage_class = Scoreboard, Coverage
    agent_classes: ClassVar[Mapping[str, Any]] = MappingProxyType({
        "hart": HartAgent, "csr": CsrAgent, "state": StateAgent, "retire": RetireAgent, "records": CsrAgent,
    })  # fmt: skip

    def build_phase(self) -> None:
        super().build_phase()
        self.cycles = LoopAgent.create("cycles", self)

    def stop(self) -> None:
        super().stop()
        self.cycles.stop()


class LoopTest(ports.PortTest):
    """Plays one job."""

    env_class, stimulus_of, files = LoopEnv, staticmethod(stimulus), hpm_rows

    def configure(self) -> None:
        super().configure()
        records = of_ctr(self.stimulus.config.ctr, 0)
        self.set_config(LoopConfig(self.dut, self.config.pins, records=records), "env.cycles*")
        for name in ("retire", "records"):
            self.set_config(replace(self.config, pins=records, files=ctr_rows), f"env.{name}*")

    def pins(self) -> Pins:
        return replace(of_hpm(self.stimulus.config.hpm, 0), static={}, player=())

    async def drive(self) -> None:
        driver = self.env.cycles.driver
        await PlayRows("play", self.stimulus.playing()).start(self.env.cycles.sequencer)
        await FallingEdge(driver.clock)

    def leave(self, out: Path) -> None:
        """config.json, calls.jsonl (the record), and the rows of both blocks."""
        _, capture = self.outcome
        (out / "config.json").write_text(json.dumps(capture.config.to_dict(), indent=2) + "\n")
        capture.record.save(out / "calls.jsonl")
        capture.hpm.rows.save(out / "rows.npz")
        capture.ctr.rows.save(out / "records.npz")


TEST = LoopTest
