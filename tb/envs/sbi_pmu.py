"""The environment of an SBI implementation on the counter block: that of the counters, with a hart that waits for answers, and memory.

The implementation is models/sbi_pmu, played operation by operation: pin by pin against the device, cycle after cycle; in bulk on the
counter model first, and what stood on its ports is played. The checks get what the same supervisor and implementation do with the
answers that the monitors saw, and what they do on the counter model.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cocotb.triggers import FallingEdge

from scoreboards.sbi_pmu_capture import SbiPmuCapture
from scoreboards.sbi_pmu_run import check_run
from scoreboards.verdict import Verdict
from tb.agents.hpm_cycles import CyclesAgent
from tb.agents.memory import MemoryAgent
from tb.coverage.sbi_pmu_points import sample
from tb.envs import encoder, hpm
from tb.envs.ports import PlayRows
from tb.job import Job
from tb.sequences.sbi_pmu_play import on_record
from tb.sequences.sbi_pmu_stimulus import SbiPmuStimulus


class Scoreboard(hpm.Scoreboard):
    """The record of the run, from what the monitors of the ports saw; every rule of the chapter (scoreboards/sbi_pmu.py)."""

    def build_phase(self) -> None:
        super().build_phase()
        self.memory = encoder.Listener("memory", self)

    def captured(self, job: Job, stimulus: SbiPmuStimulus, problems: list[str]) -> SbiPmuCapture:
        block = super().captured(job, stimulus, problems)
        hart = stimulus.hart()
        astray = on_record(stimulus.playing(hart), block.rows)
        said, touched = [*problems, *hart.problems, *([astray] if astray else [])], hart.memory.problems
        if self.memory.got is not None and self.memory.got != tuple(hart.memory.done):
            touched = [*touched, "the memory agent saw other accesses than the answers on the ports lead to"]
        self.result = hart.result
        return SbiPmuCapture(stimulus.config, hart.record, stimulus.model, block, said, touched, job.exact, job.rerun, stimulus.program)

    def checked(self) -> Verdict:
        return check_run(self.capture)


class Coverage(encoder.Coverage):
    """The points of the SBI PMU extension."""

    def sample(self, capture: SbiPmuCapture, verdict: Verdict) -> dict[str, dict[str, int]]:
        return sample(capture, verdict)


class SbiPmuEnv(hpm.HpmEnv):
    """Around hpm_tb."""

    scoreboard_class, coverage_class = Scoreboard, Coverage

    def build_phase(self) -> None:
        super().build_phase()
        self.cycles = CyclesAgent("cycles", self)
        self.memory = MemoryAgent("memory", self)

    def connect_phase(self) -> None:
        super().connect_phase()
        self.memory.port.connect(self.scoreboard.memory.analysis_export)

    def stop(self) -> None:
        super().stop()
        self.cycles.driver.task.cancel()


class SbiPmuTest(hpm.HpmTest):
    """Plays one job."""

    env_class = SbiPmuEnv

    async def story(self) -> None:
        if self.job.drive == "bulk":
            await super().story()
            return
        env, stimulus = self.env, self.stimulus
        hart = stimulus.hart()
        env.memory.memory = hart.memory
        await PlayRows("play", stimulus.playing(hart)).start(env.cycles.sequencer)
        await FallingEdge(env.cycles.driver.clock)
        env.memory.collect()

    def check_phase(self) -> None:
        encoder.EncoderTest.check_phase(self)
        if self.stimulus.program is not None:
            self.extra: Mapping[str, Any] = {"counted": self.env.scoreboard.result}

    def leave(self, out: Path) -> None:
        """config.json, calls.jsonl (the record), rows.npz (what was on the ports), and of a program program.elf, retired.csv and counted.json."""
        _, capture = self.outcome
        self.leave_rows(out, capture)
        capture.record.save(out / "calls.jsonl")
        if self.stimulus.elf is not None:
            (out / "counted.json").write_text(json.dumps(self.extra["counted"], indent=1) + "\n")
