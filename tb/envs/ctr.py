"""The environment of control transfer records: agents for retire stream and CSR port, scoreboard and coverage, and the test that plays one job."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path

import cocotb
from cocotb.triggers import FallingEdge
from pyuvm import uvm_sequence

from models.ctr.rows import Rows
from scoreboards.ctr import check
from scoreboards.ctr_capture import CtrCapture
from scoreboards.verdict import Verdict
from tb.agents import ctr_rows
from tb.agents.control import ControlAgent
from tb.agents.ctr_csr import CsrAgent
from tb.agents.ctr_port import RowsItem
from tb.agents.ctr_retire import RetireAgent
from tb.agents.pins import Pins, of_ctr
from tb.coverage.ctr_points import sample
from tb.envs import encoder
from tb.job import Job
from tb.sequences.ctr_software import entries_read
from tb.sequences.ctr_stimulus import CtrStimulus


class PlayRows(uvm_sequence):
    """Plays rows as one item."""

    def __init__(self, name: str, rows: Rows) -> None:
        super().__init__(name)
        self.rows = rows

    async def body(self) -> None:
        item = RowsItem("rows", self.rows)
        await self.start_item(item)
        await self.finish_item(item)


class Scoreboard(encoder.Scoreboard):
    """Every read value and every outcome (scoreboards/ctr.py)."""

    def build_phase(self) -> None:
        self.retire = encoder.Listener("retire", self)
        self.csr = encoder.Listener("csr", self)

    def captured(self, job: Job, stimulus: CtrStimulus, problems: list[str]) -> CtrCapture:
        rows = ctr_rows.joined(self.retire.got, self.csr.got)
        return CtrCapture(stimulus.config, rows, problems, job.exact, job.rerun, stimulus.program)

    def checked(self) -> Verdict:
        return check(self.capture)


class Coverage(encoder.Coverage):
    """The points of CTR."""

    def sample(self, capture: CtrCapture, verdict: Verdict) -> dict[str, dict[str, int]]:
        return sample(capture, verdict)


class CtrEnv(encoder.EncoderEnv):
    """Around ctr_tb."""

    scoreboard_class, coverage_class = Scoreboard, Coverage

    def build_phase(self) -> None:
        self.control = ControlAgent("control", self)
        self.retire = RetireAgent("retire", self)
        self.csr = CsrAgent("csr", self)
        self.scoreboard = self.scoreboard_class("scoreboard", self)
        self.coverage = self.coverage_class("coverage", self)
        self.monitors = [self.retire, self.csr]

    def connect_phase(self) -> None:
        self.retire.driver.control = self.control.driver
        for agent in self.monitors:
            agent.monitor.port.connect(getattr(self.scoreboard, agent.get_name()).analysis_export)

    def collect(self) -> list[str]:
        """Both monitors send what they saw; what was wrong, said once."""
        return list(dict.fromkeys(super().collect()))

    def stop(self) -> None:
        for agent in self.monitors:
            for part in (agent.driver, agent.monitor):
                if task := getattr(part, "task", None):
                    task.cancel()


class CtrTest(encoder.EncoderTest):
    """Plays one job: transfers and accesses from the same clock edge on."""

    env_class = CtrEnv

    def pins(self) -> Pins:
        return of_ctr(self.stimulus.config, random.Random(self.job.rng_path("noise")).getrandbits(32))

    async def _play(self) -> None:
        env, bulk = self.env, self.job.drive == "bulk"
        begin = time.perf_counter()
        await env.control.driver.reset(bulk)
        self.problems = env.control.monitor.problems()
        tasks = [cocotb.start_soon(PlayRows(agent.get_name(), self.stimulus.rows).start(agent.sequencer)) for agent in env.monitors]
        for task in tasks:
            await task
        await FallingEdge(env.control.driver.dut.clk_o)
        self.problems += env.collect()
        whole = time.perf_counter() - begin
        self.seconds["simulator"] = env.control.driver.seconds if bulk else whole
        self.seconds["transport"] = whole - self.seconds["simulator"]

    def check_phase(self) -> None:
        super().check_phase()
        _, capture = self.outcome
        if self.stimulus.program is not None:
            self.extra = {"entries": [record.to_dict() for record in entries_read(capture.rows, capture.config)]}

    def leave(self, out: Path) -> None:
        """config.json, rows.npz (what was on the ports), and of a program program.elf, retired.csv and entries.json."""
        _, capture = self.outcome
        (out / "config.json").write_text(json.dumps(capture.config.to_dict(), indent=2) + "\n")
        capture.rows.save(out / "rows.npz")
        if self.stimulus.elf is not None:
            (out / "program.elf").write_bytes(self.stimulus.elf.read_bytes())
            self.stimulus.retired.to_csv(out / "retired.csv")
            (out / "entries.json").write_text(json.dumps(self.extra["entries"], indent=1) + "\n")
