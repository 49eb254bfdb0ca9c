# SPDX-License-Identifier: Apache-2.0
"""The environment of an SBI implementation on the counter block: that of the counters, with a hart that waits for
answers, and memory.

The implementation is models/sbi_pmu, played operation by operation: pin by pin against the device, cycle after cycle;
in bulk on the counter model first, and then the values of its ports are played. The checks get what the same supervisor
and implementation do with the answers that the monitors saw, and what they do on the counter model.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cocotb.triggers import FallingEdge

from rvtrace.jobs.job import Job
from rvtrace.scoreboards.common.verdict import Verdict
from rvtrace.scoreboards.sbi_pmu.capture import SbiPmuCapture
from rvtrace.scoreboards.sbi_pmu.check import check
from rvtrace.tb.common import base
from rvtrace.tb.common.encoder_env import BenchTest
from rvtrace.tb.common.port_env import PlayRows
from rvtrace.tb.hpm import env as hpm
from rvtrace.tb.hpm.agents.cycles import CyclesAgent
from rvtrace.tb.sbi_pmu.agents.memory import MemoryAgent
from rvtrace.tb.sbi_pmu.coverage.sampling import sample
from rvtrace.tb.sbi_pmu.stimulus.play import on_record
from rvtrace.tb.sbi_pmu.stimulus.stimulus import SbiPmuStimulus, stimulus


class Scoreboard(hpm.Scoreboard):
    """The record of the run, from what the monitors of the ports saw; every rule of the chapter
    (scoreboards/sbi_pmu/check.py).
    """

    def build_phase(self) -> None:
        super().build_phase()
        self.memory = base.Collector.create("memory", self)

    def captured(self, job: Job, stimulus: SbiPmuStimulus, problems: list[str]) -> SbiPmuCapture:
        block = self.block(job, stimulus.config, stimulus.program, problems)
        hart = stimulus.hart()
        astray = on_record(stimulus.playing(hart), block.rows)
        said, touched = [*problems, *hart.problems, *([astray] if astray else [])], hart.memory.problems
        if self.recording is None and self.memory.items != hart.memory.done:
            touched = [*touched, "the memory agent saw other accesses than the answers on the ports lead to"]
        self.result = hart.result
        return SbiPmuCapture(
            stimulus.config, hart.record, stimulus.model, block, said, touched, job.exact, job.rerun, stimulus.program
        )

    def checked(self) -> Verdict:
        return check(self.capture)


class Coverage(base.Coverage):
    """The points of the SBI PMU extension."""

    def sample(self, capture: SbiPmuCapture, verdict: Verdict) -> dict[str, dict[str, int]]:
        return sample(capture, verdict)


class SbiPmuEnv(hpm.HpmEnv):
    """Around hpm_tb."""

    scoreboard_class, coverage_class = Scoreboard, Coverage

    def build_phase(self) -> None:
        super().build_phase()
        self.cycles = CyclesAgent.create("cycles", self)
        self.memory = MemoryAgent.create("memory", self)

    def connect_phase(self) -> None:
        super().connect_phase()
        self.memory.ap.connect(self.scoreboard.memory.analysis_export)

    def stop(self) -> None:
        super().stop()
        self.cycles.stop()


class SbiPmuTest(hpm.HpmTest):
    """Plays one job."""

    env_class, stimulus_of = SbiPmuEnv, staticmethod(stimulus)

    async def drive(self) -> None:
        if self.bulk:
            await super().drive()
            return
        env, stimulus = self.env, self.stimulus
        hart = stimulus.hart()
        env.memory.serve(hart.memory)
        await PlayRows("play", stimulus.playing(hart)).start(env.cycles.sequencer)
        await FallingEdge(env.cycles.driver.clock)

    def check_phase(self) -> None:
        BenchTest.check_phase(self)
        if self.error is None and self.stimulus.program is not None:
            self.extra: Mapping[str, Any] = {"counted": self.env.scoreboard.result}

    def leave(self, out: Path) -> None:
        """config.json, calls.jsonl (the record), rows.npz (what was on the ports), and of a program program.elf,
        retired.csv and counted.json.
        """
        _, capture = self.outcome
        self.leave_rows(out, capture)
        capture.record.save(out / "calls.jsonl")
        if self.stimulus.elf is not None:
            (out / "counted.json").write_text(json.dumps(self.extra["counted"], indent=1) + "\n")


TEST = SbiPmuTest
