# SPDX-License-Identifier: Apache-2.0
"""What the environments of the trace encoders share: agents around the encoder, and the test that plays beats."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from rvtrace.jobs.names import expected_of
from rvtrace.tb.common import base
from rvtrace.tb.common.agents.base import AgentConfig, BeatSequence, PlaySequence
from rvtrace.tb.common.agents.ingress import IngressAgent, IngressItem
from rvtrace.tb.common.agents.pins import Pins
from rvtrace.tb.common.agents.reset import ResetAgent
from rvtrace.tb.common.agents.stream import StreamAgent
from rvtrace.tb.common.times import leave_times


class BenchEnv(base.BaseEnv):
    """A reset agent, agents of ports, scoreboard and coverage. What each port agent observes goes to the scoreboard's
    collector of the same name: transaction by transaction with DRIVE=pins, the whole run from the recorder's files with
    DRIVE=bulk."""

    def build_phase(self) -> None:
        self.reset = ResetAgent.create("reset", self)
        super().build_phase()

    @property
    def monitored(self) -> list[Any]:
        """The agents whose monitors the scoreboard collects from."""
        return [agent for agent in self.agents if agent.get_name() in self.scoreboard.observed]

    def connect_phase(self) -> None:
        for agent in self.monitored:
            if not agent.monitor.config.bulk:
                agent.monitor.ap.connect(getattr(self.scoreboard, agent.get_name()).analysis_export)

    def collect(self) -> list[str]:
        """Give the scoreboard the whole run as arrays; the sentences of all monitors about it, each once."""
        for agent in self.monitored:
            collector, monitor = getattr(self.scoreboard, agent.get_name()), agent.monitor
            collector.got = monitor.recorded() if monitor.config.bulk else monitor.arrays(collector.items)
        return [problem for agent in self.monitored for problem in agent.monitor.problems]


class EncoderEnv(BenchEnv):
    """Agents of ingress port and byte stream."""

    ingress: IngressAgent
    stream: StreamAgent

    agent_classes: ClassVar[Mapping[str, Any]] = MappingProxyType({"ingress": IngressAgent, "stream": StreamAgent})

    def connect_phase(self) -> None:
        super().connect_phase()
        self.ingress.driver.player = self.reset.driver

    def collect(self) -> list[str]:
        problems = super().collect()
        return [*self.ingress.driver.problems, *problems]


class BenchTest(base.BaseTest):
    """Configures all agents alike, resets the bench, plays, and checks what was observed."""

    env_class: type[BenchEnv]
    files: ClassVar[Any] = None  # the module of the files of rows

    def pins(self) -> Pins:
        """The ports of the bench in the job's configuration."""
        raise NotImplementedError

    def configure(self) -> None:
        ready = random.Random(self.job.rng_path("ready"))
        seed = ready.getrandbits(32)
        job = self.job
        self.config = AgentConfig(
            self.dut, self.pins(), self.bulk, job.backpressure, seed, ready, self.files, job.exact,
            job.sink == "waiting",
        )  # fmt: skip
        self.set_config(self.config)

    async def play(self) -> None:
        begin = time.perf_counter()
        driver = self.env.reset.driver
        await driver.reset()
        self.problems = self.env.reset.monitor.configured()
        await self.drive()
        driver.demand_programmed()
        self.problems += self.env.collect()
        whole = time.perf_counter() - begin
        # Pin by pin the simulator and Python take turns each cycle: all of it is the simulator's.
        self.seconds["simulator"] = driver.seconds if self.bulk else whole
        self.seconds["transport"] = whole - self.seconds["simulator"]

    async def drive(self) -> None:
        """Everything between reset and the end of the run."""
        raise NotImplementedError

    def check_phase(self) -> None:
        if self.error is not None:
            return
        verdict = self.env.scoreboard.judge(self.job, self.stimulus, self.problems)
        capture = self.env.scoreboard.capture
        begin = time.perf_counter()
        self.coverage = self.env.coverage.sample(capture, verdict)
        self.seconds["coverage"] = time.perf_counter() - begin
        self.outcome = verdict, capture
        driver = self.env.reset.driver
        leave_times(Path(self.job.out), driver.began, driver.period, _sent(capture))

    def leave_rows(self, out: Path, capture: Any) -> None:
        """config.json, rows.npz, and of a program program.elf and retired.csv."""
        (out / "config.json").write_text(json.dumps(capture.config.to_dict(), indent=2) + "\n")
        capture.rows.save(out / "rows.npz")
        if self.stimulus.elf is not None:
            (out / "program.elf").write_bytes(self.stimulus.elf.read_bytes())
            self.stimulus.retired.to_csv(out / "retired.csv")


def _sent(capture: Any) -> Any:
    """The cycle in which each byte of the trace left; None of a system that sends none."""
    return next(
        (getattr(capture, name) for name in ("out_cycle", "data_cycle", "marks") if hasattr(capture, name)), None
    )


class EncoderTest(BenchTest):
    """Plays the beats of a job: with DRIVE=pins one by one by a `BeatSequence` from the factory, with DRIVE=bulk as one
    item.
    """

    env_class: type[EncoderEnv]

    async def drive(self) -> None:
        env = self.env
        if self.bulk:
            await PlaySequence("play", IngressItem("beats", self.stimulus.beats)).start(env.ingress.sequencer)
            return
        sequence = BeatSequence.create("beats")
        sequence.stimulus = self.stimulus.beats
        await sequence.start(env.ingress.sequencer)
        env.stream.driver.draining = True
        await env.stream.monitor.drained()

    def leave_cycles(self, out: Path) -> None:
        """cycles.npz: `bytes`, the cycle in which each byte of trace.bin left, and `instructions`, those in which the
        traced ones were at the port; both only as far as they were observed.
        """
        _, capture = self.outcome
        sent = _sent(capture)
        columns: dict[str, Any] = {"bytes": np.zeros(0, np.uint64) if sent is None else sent}
        if getattr(capture, "beats", None) is not None:
            columns["instructions"] = expected_of(self.job.ip)(capture).cycle
        np.savez_compressed(out / "cycles.npz", **columns)

    def sent(self, capture: Any) -> bytes:
        """The bytes of the trace."""
        data: bytes = capture.data
        return data

    def leave(self, out: Path) -> None:
        """trace.bin, program.elf, config.json, retired.csv: what another tool needs to check the run; beats.npz and
        cycles.npz.
        """
        _, capture = self.outcome
        (out / "trace.bin").write_bytes(self.sent(capture))
        if self.stimulus.elf is not None:
            (out / "program.elf").write_bytes(self.stimulus.elf.read_bytes())
        else:
            self.stimulus.program.to_elf(out / "program.elf")
        (out / "config.json").write_text(json.dumps(capture.config.to_dict(), indent=2) + "\n")
        self.stimulus.retired.to_csv(out / "retired.csv")
        if capture.beats is not None:
            capture.beats.save(out / "beats.npz")
        self.leave_cycles(out)
