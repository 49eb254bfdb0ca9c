# SPDX-License-Identifier: Apache-2.0
"""The environment of control transfer records: agents for retire stream and CSR port, scoreboard and coverage, and the
test that plays one job.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

from rvtrace.jobs.job import Job
from rvtrace.models.ctr.rows import entries_read
from rvtrace.scoreboards.ctr.capture import CtrCapture
from rvtrace.scoreboards.ctr.check import check
from rvtrace.scoreboards.ctr.tolerances import Tolerances
from rvtrace.tb.common import base
from rvtrace.tb.common import port_env as ports
from rvtrace.tb.common.agents.csr_port import CsrAgent
from rvtrace.tb.common.agents.pins import Pins
from rvtrace.tb.common.stimulus.rows_stimulus import RowsStimulus
from rvtrace.tb.ctr.agents import files as ctr_rows
from rvtrace.tb.ctr.agents import layout
from rvtrace.tb.ctr.agents.retire import RetireAgent
from rvtrace.tb.ctr.coverage.sampling import sample
from rvtrace.tb.ctr.stimulus.stimulus import stimulus


class Scoreboard(ports.PortScoreboard):
    """Every read value and every outcome (scoreboards/ctr/check.py)."""

    check, tolerances_class = staticmethod(check), Tolerances
    observed = ("retire", "csr")
    retire: base.Collector
    csr: base.Collector

    def captured(self, job: Job, stimulus: RowsStimulus, problems: list[str]) -> CtrCapture:
        recording = self.recording
        rows = ctr_rows.joined(self.retire.got, self.csr.got) if recording is None else recording.rows
        return CtrCapture(stimulus.config, rows, problems, job.exact, job.rerun, stimulus.program)


class CtrEnv(ports.PortEnv):
    """Around ctr_tb."""

    scoreboard_class, sample_of = Scoreboard, staticmethod(sample)
    agent_classes: ClassVar[Mapping[str, Any]] = MappingProxyType({"retire": RetireAgent, "csr": CsrAgent})


class CtrTest(ports.PortTest):
    """Plays one job: transfers and accesses from the same clock edge on."""

    env_class, stimulus_of, files = CtrEnv, staticmethod(stimulus), ctr_rows

    def pins(self) -> Pins:
        return layout.pins(self.stimulus.config, self.noise())

    def check_phase(self) -> None:
        super().check_phase()
        if self.error is not None:
            return
        _, capture = self.outcome
        if self.stimulus.program is not None:
            self.extra = {"entries": [record.to_dict() for record in entries_read(capture.rows, capture.config)]}

    def leave(self, out: Path) -> None:
        """config.json, rows.npz (what was on the ports), and of a program program.elf, retired.csv and entries.json."""
        _, capture = self.outcome
        self.leave_rows(out, capture)
        if self.stimulus.elf is not None:
            (out / "entries.json").write_text(json.dumps(self.extra["entries"], indent=1) + "\n")


TEST = CtrTest
