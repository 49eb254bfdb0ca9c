"""What the environments of blocks that play rows share: a sequence that plays rows on every port at once, and the test around it."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path
from typing import Any, ClassVar

import cocotb
from cocotb.triggers import FallingEdge
from pyuvm import ConfigDB

from tb.agents.control import ControlAgent
from tb.agents.port import PortAgent, RowsItem
from tb.envs import encoder


class PlayRows(encoder.PlaySequence):
    """Plays rows as one item."""

    def __init__(self, name: str, rows: Any) -> None:
        super().__init__(name, RowsItem("rows", rows))


class PortScoreboard(encoder.Scoreboard):
    """Puts together what the monitors of all ports saw. ports: their names, each a listener of its own."""

    ports: ClassVar[tuple[str, ...]]

    def build_phase(self) -> None:
        for name in self.ports:
            setattr(self, name, encoder.Listener(name, self))


class PortEnv(encoder.EncoderEnv):
    """Agents of the ports, scoreboard and coverage. agent_classes: of each port by name; the first one starts a bulk run."""

    agent_classes: ClassVar[dict[str, type[PortAgent]]]

    def build_phase(self) -> None:
        self.control = ControlAgent("control", self)
        self.monitors = [kind(name, self) for name, kind in self.agent_classes.items()]
        self.scoreboard = self.scoreboard_class("scoreboard", self)
        self.coverage = self.coverage_class("coverage", self)

    def connect_phase(self) -> None:
        self.players = [agent for agent in self.monitors if agent.driver is not None]
        self.players[0].driver.control = self.control.driver
        for agent in self.monitors:
            agent.monitor.port.connect(getattr(self.scoreboard, agent.get_name()).analysis_export)

    async def play(self, rows: Any) -> None:
        """Play rows on all ports, from the same clock edge on; returns in the cycle behind the last one."""
        tasks = [cocotb.start_soon(PlayRows(agent.get_name(), rows).start(agent.sequencer)) for agent in self.players]
        for task in tasks:
            await task
        await FallingEdge(self.control.driver.dut.clk_o)

    def collect(self) -> list[str]:
        """All monitors send what they saw; what was wrong, said once."""
        for agent in self.monitors:
            agent.monitor.collect()
        return list(dict.fromkeys(problem for agent in self.monitors for problem in agent.monitor.problems))

    def stop(self) -> None:
        for agent in self.monitors:
            for part in (agent.driver, agent.monitor):
                if task := getattr(part, "task", None):
                    task.cancel()


class PortTest(encoder.EncoderTest):
    """Plays one job. files: the module that writes and reads the files of a bulk run."""

    env_class: type[PortEnv]
    files: ClassVar[Any]

    def build_phase(self) -> None:
        ConfigDB().set(self, "*", "FILES", self.files)
        super().build_phase()

    def noise(self) -> int:
        """Seed of what stands on ports that mean nothing."""
        return random.Random(self.job.rng_path("noise")).getrandbits(32)

    async def story(self) -> None:
        """What happens between reset and the end."""
        await self.env.play(self.stimulus.rows)

    def leave_rows(self, out: Path, capture: Any) -> None:
        """config.json, rows.npz, and of a program program.elf and retired.csv."""
        (out / "config.json").write_text(json.dumps(capture.config.to_dict(), indent=2) + "\n")
        capture.rows.save(out / "rows.npz")
        if self.stimulus.elf is not None:
            (out / "program.elf").write_bytes(self.stimulus.elf.read_bytes())
            self.stimulus.retired.to_csv(out / "retired.csv")

    async def _play(self) -> None:
        env, bulk = self.env, self.job.drive == "bulk"
        begin = time.perf_counter()
        await env.control.driver.reset(bulk)
        self.problems = env.control.monitor.problems()
        await self.story()
        self.problems += env.collect()
        whole = time.perf_counter() - begin
        self.seconds["simulator"] = env.control.driver.seconds if bulk else whole
        self.seconds["transport"] = whole - self.seconds["simulator"]
