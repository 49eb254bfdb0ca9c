# SPDX-License-Identifier: Apache-2.0
"""The environment of a counter block: agents for the hart, the CSR port and the state ports, scoreboard and coverage,
and the test that plays one job.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

from rvtrace.jobs.job import Job
from rvtrace.models.hpm.bulk import save_state
from rvtrace.models.hpm.config import Config
from rvtrace.models.hpm.readout import counters_read
from rvtrace.models.riscv.program import Program
from rvtrace.scoreboards.hpm.capture import HpmCapture
from rvtrace.scoreboards.hpm.check import check
from rvtrace.scoreboards.hpm.tolerances import Tolerances
from rvtrace.tb.common import base
from rvtrace.tb.common import port_env as ports
from rvtrace.tb.common.agents.csr_port import CsrAgent
from rvtrace.tb.common.agents.pins import Pins
from rvtrace.tb.common.agents.port import Recorder
from rvtrace.tb.common.stimulus.rows_stimulus import RowsStimulus
from rvtrace.tb.hpm.agents import files as hpm_rows
from rvtrace.tb.hpm.agents import layout
from rvtrace.tb.hpm.agents.hart import HartAgent, StateAgent
from rvtrace.tb.hpm.coverage.sampling import sample
from rvtrace.tb.hpm.stimulus.stimulus import stimulus


class Scoreboard(ports.PortScoreboard):
    """Every counter, OF bit, LCOFIP and LCOFIE in every cycle, every value read and every outcome
    (scoreboards/hpm/check.py).
    """

    check, tolerances_class = staticmethod(check), Tolerances
    observed = ("hart", "csr", "state")
    hart: base.Collector
    csr: base.Collector
    state: base.Collector

    def captured(self, job: Job, stimulus: RowsStimulus, problems: list[str]) -> HpmCapture:
        return self.block(job, stimulus.config, stimulus.program, problems)

    def block(self, job: Job, config: Config, program: Program | None, problems: list[str]) -> HpmCapture:
        """What was observed of the counter block."""
        if self.recording is not None:
            rows, state = self.recording.rows, self.recording.state
        else:
            rows, state = hpm_rows.joined(self.hart.got, self.csr.got, self.state.got)
        shown = state if job.exact or job.tolerances.get("shown") else None
        return HpmCapture(config, rows, shown, problems, job.exact, job.rerun, program)


class HpmRecorder(Recorder):
    """Reads rows and state; a device that is not checked exactly need not have the state ports."""

    def recorded(self) -> hpm_rows.Recording:
        recording = super().recorded()
        if self.config.exact:
            self.problems += recording.state_problems
        return recording


class HpmEnv(ports.PortEnv):
    """Around hpm_tb."""

    scoreboard_class, sample_of, recorder_class = Scoreboard, staticmethod(sample), HpmRecorder
    agent_classes: ClassVar[Mapping[str, Any]] = MappingProxyType(
        {"hart": HartAgent, "csr": CsrAgent, "state": StateAgent}
    )


class HpmTest(ports.PortTest):
    """Plays one job: what the hart does and accesses from the same clock edge on."""

    env_class, stimulus_of, files = HpmEnv, staticmethod(stimulus), hpm_rows

    def pins(self) -> Pins:
        return layout.pins(self.stimulus.config, self.noise())

    def check_phase(self) -> None:
        super().check_phase()
        if self.error is not None:
            return
        _, capture = self.outcome
        if self.stimulus.program is not None:
            self.extra = {"counters": counters_read(capture.rows, capture.config)}

    def leave(self, out: Path) -> None:
        """config.json, rows.npz and state.npz (what was on the ports), and of a program program.elf, retired.csv and
        counters.json.
        """
        _, capture = self.outcome
        self.leave_rows(out, capture)
        if capture.state is not None:
            save_state(out / "state.npz", capture.state)
        if self.stimulus.elf is not None:
            (out / "counters.json").write_text(json.dumps(self.extra["counters"], indent=1) + "\n")


TEST = HpmTest
