"""The N-Trace environment: agents, scoreboard and coverage around one encoder, and the test that plays one job."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path
from typing import Any

from pyuvm import ConfigDB, uvm_component, uvm_env, uvm_sequence, uvm_subscriber, uvm_test

from models.riscv.beats import Beats
from scoreboards.capture import Capture
from scoreboards.ntrace import Verdict, check
from tb.agents.control import ControlAgent
from tb.agents.ingress import IngressAgent, IngressItem
from tb.agents.stream import StreamAgent
from tb.coverage.points import sample
from tb.job import Job
from tb.sequences.stimulus import Stimulus


class _Listener(uvm_subscriber):
    """Keeps what a monitor sent."""

    def build_phase(self) -> None:
        self.got: Any = None

    def write(self, item: Any) -> None:
        self.got = item


class Scoreboard(uvm_component):
    """Puts together what the monitors saw and holds it to the clauses; knows nothing of what was driven."""

    def build_phase(self) -> None:
        self.ingress = _Listener("ingress", self)
        self.stream = _Listener("stream", self)
        self.verdict: Verdict | None = None

    def judge(self, job: Job, stimulus: Stimulus, problems: list[str]) -> Verdict:
        """Check the run; the verdict and the capture stay here for the results."""
        data, out_cycle = self.stream.got
        beats: Beats = self.ingress.got
        self.capture = Capture(
            config=stimulus.config, program=stimulus.program, data=data, beats=beats, out_cycle=out_cycle,
            problems=problems, exact=job.exact, rerun=job.rerun,
        )  # fmt: skip
        self.verdict = check(self.capture)
        return self.verdict


class Coverage(uvm_component):
    """Samples the coverage points of tb/coverage once for each run."""

    def sample(self, capture: Capture, verdict: Verdict) -> dict[str, dict[str, int]]:
        """{point: {bin: hits}}"""
        return sample(capture, verdict.decoded, verdict.encoded)


class PlaySequence(uvm_sequence):
    """Plays a stimulus as one item."""

    def __init__(self, name: str, beats: Beats) -> None:
        super().__init__(name)
        self.beats = beats

    async def body(self) -> None:
        item = IngressItem("beats", self.beats)
        await self.start_item(item)
        await self.finish_item(item)


class NtraceEnv(uvm_env):
    """Agents for controls, ingress port and byte stream; scoreboard; coverage."""

    def build_phase(self) -> None:
        self.control = ControlAgent("control", self)
        self.ingress = IngressAgent("ingress", self)
        self.stream = StreamAgent("stream", self)
        self.scoreboard = Scoreboard("scoreboard", self)
        self.coverage = Coverage("coverage", self)

    def connect_phase(self) -> None:
        self.ingress.driver.control = self.control.driver
        self.ingress.monitor.port.connect(self.scoreboard.ingress.analysis_export)
        self.stream.monitor.port.connect(self.scoreboard.stream.analysis_export)

    def stop(self) -> None:
        """End the agents' endless tasks: the next run in this process has its own."""
        for part in (self.ingress.driver, self.ingress.monitor, self.stream.driver, self.stream.monitor):
            if task := getattr(part, "task", None):
                task.cancel()


class NtraceTest(uvm_test):
    """Plays one job and leaves its result in `outcome`; `stimulus` and `job` come from the entry module."""

    def build_phase(self) -> None:
        self.job: Job = ConfigDB().get(self, "", "JOB")
        self.stimulus: Stimulus = ConfigDB().get(self, "", "STIMULUS")
        rng = random.Random(self.job.rng_path("ready"))
        self.ready_seed = rng.getrandbits(32)
        for name, value in {
            "CONFIG": self.stimulus.config, "BULK": self.job.drive == "bulk", "BACKPRESSURE": self.job.backpressure,
            "READY_RNG": rng,
        }.items():  # fmt: skip
            ConfigDB().set(self, "*", name, value)
        self.env = NtraceEnv("env", self)
        self.seconds: dict[str, float] = {}

    async def run_phase(self) -> None:
        self.raise_objection()
        try:
            await self._play()
        finally:
            self.env.stop()
            self.drop_objection()

    async def _play(self) -> None:
        env, job, bulk = self.env, self.job, self.job.drive == "bulk"
        begin = time.perf_counter()
        await env.control.driver.reset(self.stimulus.config, bulk, job.backpressure, self.ready_seed)
        self.problems = env.control.monitor.problems(self.stimulus.config)
        await PlaySequence("play", self.stimulus.beats).start(env.ingress.sequencer)
        if not bulk:
            env.stream.driver.draining = True
            await env.stream.monitor.drained()
        env.ingress.monitor.collect()
        env.stream.monitor.collect()
        whole = time.perf_counter() - begin
        # Pin by pin the simulator and Python take turns each cycle: all of it is the simulator's.
        self.seconds["simulator"] = env.control.driver.seconds if bulk else whole
        self.seconds["transport"] = whole - self.seconds["simulator"]

    def check_phase(self) -> None:
        env = self.env
        problems = self.problems + env.ingress.monitor.problems + env.stream.monitor.problems
        verdict = env.scoreboard.judge(self.job, self.stimulus, problems)
        capture = env.scoreboard.capture
        begin = time.perf_counter()
        self.coverage = env.coverage.sample(capture, verdict)
        self.seconds["coverage"] = time.perf_counter() - begin
        self.outcome = verdict, capture


def leave(capture: Capture, stimulus: Stimulus, out: Path) -> None:
    """trace.bin, program.elf, config.json and retired.csv: what another tool needs to check the run; and beats.npz."""
    (out / "trace.bin").write_bytes(capture.data)
    if stimulus.elf is not None:
        (out / "program.elf").write_bytes(stimulus.elf.read_bytes())
    else:
        stimulus.program.to_elf(out / "program.elf")
    (out / "config.json").write_text(json.dumps(capture.config.to_dict(), indent=2) + "\n")
    stimulus.retired.to_csv(out / "retired.csv")
    if capture.beats is not None:
        capture.beats.save(out / "beats.npz")
