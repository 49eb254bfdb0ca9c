"""What the environments share, those of both trace encoders above all: agents around the encoder, scoreboard, coverage, and the test that plays one job."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pyuvm import ConfigDB, uvm_component, uvm_env, uvm_sequence, uvm_sequence_item, uvm_subscriber, uvm_test

from scoreboards.verdict import Verdict
from tb.agents.control import ControlAgent
from tb.agents.ingress import IngressAgent, IngressItem
from tb.agents.pins import Pins
from tb.agents.stream import StreamAgent
from tb.job import Job
from tb.sequences.stimulus import Stimulus


class Listener(uvm_subscriber):
    """Keeps what a monitor sent."""

    def build_phase(self) -> None:
        self.got: Any = None

    def write(self, item: Any) -> None:
        self.got = item


class PlaySequence(uvm_sequence):
    """Plays one item."""

    def __init__(self, name: str, item: uvm_sequence_item) -> None:
        super().__init__(name)
        self.item = item

    async def body(self) -> None:
        await self.start_item(self.item)
        await self.finish_item(self.item)


class Scoreboard(uvm_component):
    """Puts together what the monitors saw and holds it to the clauses; knows nothing of what was driven.

    knobs_class: the tolerances of the system; knobs: those of the run, None for the ones that `exact` stands for.
    """

    knobs_class: Any = None
    knobs: Any = None

    def build_phase(self) -> None:
        self.ingress = Listener("ingress", self)
        self.stream = Listener("stream", self)

    def judge(self, job: Job, stimulus: Stimulus, problems: list[str]) -> Verdict:
        """Check the run; the capture stays here for the results."""
        if job.knobs:
            self.knobs = replace(self.knobs_class() if job.exact else self.knobs_class.free(), **job.knobs)
        self.capture = self.captured(job, stimulus, problems)
        return self.checked()

    def captured(self, job: Job, stimulus: Stimulus, problems: list[str]) -> Any:
        """What the monitors saw, in the form that the system's checks take."""
        raise NotImplementedError

    def checked(self) -> Verdict:
        """The verdict about `self.capture`."""
        raise NotImplementedError


class Coverage(uvm_component):
    """Samples the coverage points of tb/coverage once for each run."""

    def sample(self, capture: Any, verdict: Verdict) -> dict[str, dict[str, int]]:
        """{point: {bin: hits}}"""
        raise NotImplementedError


class EncoderEnv(uvm_env):
    """Agents for controls, ingress port and byte stream; scoreboard; coverage. A subclass names the last two."""

    ingress_class: type[IngressAgent] = IngressAgent
    stream_class: type[StreamAgent] = StreamAgent
    scoreboard_class: type[Scoreboard]
    coverage_class: type[Coverage]

    def build_phase(self) -> None:
        self.control = ControlAgent("control", self)
        self.ingress = self.ingress_class("ingress", self)
        self.stream = self.stream_class("stream", self)
        self.scoreboard = self.scoreboard_class("scoreboard", self)
        self.coverage = self.coverage_class("coverage", self)
        self.monitors = [self.ingress, self.stream]  # agents whose monitors have something to collect

    def connect_phase(self) -> None:
        self.ingress.driver.control = self.control.driver
        for agent in self.monitors:
            agent.monitor.port.connect(getattr(self.scoreboard, agent.get_name()).analysis_export)

    def collect(self) -> list[str]:
        """Every monitor sends what it saw; the sentences of all of them about the run."""
        for agent in self.monitors:
            agent.monitor.collect()
        return [problem for part in (self.ingress.driver, *(agent.monitor for agent in self.monitors)) for problem in part.problems]

    def stop(self) -> None:
        """End the agents' endless tasks: the next run in this process has its own."""
        for part in (self.ingress.driver, self.stream.driver, *(agent.monitor for agent in self.monitors)):
            if task := getattr(part, "task", None):
                task.cancel()


class EncoderTest(uvm_test):
    """Plays one job and leaves its result in `outcome`, and what else its result.json tells in `extra`; `stimulus` and `job` come from
    the entry module."""

    env_class: type[EncoderEnv]
    extra: Mapping[str, Any] = MappingProxyType({})

    def build_phase(self) -> None:
        self.job: Job = ConfigDB().get(self, "", "JOB")
        self.stimulus: Stimulus = ConfigDB().get(self, "", "STIMULUS")
        rng = random.Random(self.job.rng_path("ready"))
        self.ready_seed = rng.getrandbits(32)
        for name, value in {
            "PINS": self.pins(), "BULK": self.job.drive == "bulk", "BACKPRESSURE": self.job.backpressure, "READY_RNG": rng,
        }.items():  # fmt: skip
            ConfigDB().set(self, "*", name, value)
        self.env = self.env_class("env", self)
        self.seconds: dict[str, float] = {}

    def pins(self) -> Pins:
        """The testbench's ports in the job's configuration."""
        raise NotImplementedError

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
        await env.control.driver.reset(bulk, job.backpressure, self.ready_seed)
        self.problems = env.control.monitor.problems()
        await PlaySequence("play", IngressItem("beats", self.stimulus.beats)).start(env.ingress.sequencer)
        if not bulk:
            env.stream.driver.draining = True
            await env.stream.monitor.drained()
        self.problems += env.collect()
        whole = time.perf_counter() - begin
        # Pin by pin the simulator and Python take turns each cycle: all of it is the simulator's.
        self.seconds["simulator"] = env.control.driver.seconds if bulk else whole
        self.seconds["transport"] = whole - self.seconds["simulator"]

    def check_phase(self) -> None:
        env = self.env
        verdict = env.scoreboard.judge(self.job, self.stimulus, self.problems)
        capture = env.scoreboard.capture
        begin = time.perf_counter()
        self.coverage = env.coverage.sample(capture, verdict)
        self.seconds["coverage"] = time.perf_counter() - begin
        self.outcome = verdict, capture

    def leave(self, out: Path) -> None:
        """trace.bin, program.elf, config.json and retired.csv: what another tool needs to check the run; and beats.npz."""
        _, capture = self.outcome
        (out / "trace.bin").write_bytes(capture.data)
        if self.stimulus.elf is not None:
            (out / "program.elf").write_bytes(self.stimulus.elf.read_bytes())
        else:
            self.stimulus.program.to_elf(out / "program.elf")
        (out / "config.json").write_text(json.dumps(capture.config.to_dict(), indent=2) + "\n")
        self.stimulus.retired.to_csv(out / "retired.csv")
        if capture.beats is not None:
            capture.beats.save(out / "beats.npz")
