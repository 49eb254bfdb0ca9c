# SPDX-License-Identifier: Apache-2.0
"""The environment of the adapters: reset and player, scoreboard and coverage, and the test that plays one job.

A core cannot wait and is played by SystemVerilog alone; what is checked is what the recorders of
tb/adapter/hdl/adapter_tb.sv saw.
"""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

from rvtrace.jobs.job import Job
from rvtrace.scoreboards.adapter.capture import AdapterCapture
from rvtrace.scoreboards.adapter.check import check
from rvtrace.scoreboards.common.verdict import Verdict
from rvtrace.tb.adapter.agents import files
from rvtrace.tb.adapter.coverage.points import sample
from rvtrace.tb.adapter.stimulus.stimulus import AdapterStimulus, stimulus
from rvtrace.tb.common import base
from rvtrace.tb.common.agents.pins import Pins
from rvtrace.tb.common.encoder_env import BenchEnv, BenchTest


class Scoreboard(base.Scoreboard):
    """Rows, blocks and errors (scoreboards/adapter/check.py)."""

    def captured(self, job: Job, stimulus: AdapterStimulus, problems: list[str]) -> AdapterCapture:
        here, config = Path(), stimulus.config
        status = files.read_status(here / files.STATUS)
        unknown = next((one.cycle for one in status if "unknown" in one.flags), None)
        if unknown is not None:
            problems = [*problems, f"an output of the adapters was X at or before cycle {unknown}"]
        return AdapterCapture(
            config, stimulus.run, files.read_hart(here / files.HART, config),
            files.read_ingress(here / files.INGRESS, config), status, stimulus.fault,
            problems, job.exact, job.rerun, job.backpressure > 0,
        )  # fmt: skip

    def checked(self) -> Verdict:
        return check(self.capture)


class AdapterEnv(BenchEnv):
    """Around adapter_tb; nothing is driven pin by pin."""

    scoreboard_class, sample_of = Scoreboard, staticmethod(sample)


class AdapterTest(BenchTest):
    """Plays one job."""

    env_class, stimulus_of, files = AdapterEnv, staticmethod(stimulus), files
    stimulus: AdapterStimulus

    def pins(self) -> Pins:
        static = {"ignore_stall": int(self.stimulus.ignore_stall)}
        return Pins(0, {}, (), (), static, {}, {}, ("go", "ready_seed", "ready_low"))

    async def drive(self) -> None:
        what, rng = self.stimulus, Random(self.job.rng_path("noise"))
        files.write_stimulus(Path(files.STIMULUS), what.core, what.beats, what.config, rng)
        await self.env.reset.driver.play()

    def leave(self, out: Path) -> None:
        """config.json, program.elf, retired.csv (what the core did), and rows.npz (what was at the hart port)."""
        _, capture = self.outcome
        (out / "config.json").write_text(json.dumps(capture.config.to_dict(), indent=2) + "\n")
        capture.rows.save(out / "rows.npz")
        capture.run.retired.to_csv(out / "retired.csv")
        capture.run.program.to_elf(out / "program.elf")


TEST = AdapterTest
