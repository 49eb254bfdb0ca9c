# SPDX-License-Identifier: Apache-2.0
"""What the environments of blocks that play rows share: agents that play their parts of the rows at once, and the test
around them.
"""

from __future__ import annotations

import random
from typing import Any, ClassVar

import cocotb
from cocotb.triggers import FallingEdge

from rvtrace.tb.common.agents.base import PlaySequence
from rvtrace.tb.common.agents.port import Recorder, RowSequence, RowsItem
from rvtrace.tb.common.base import Scoreboard
from rvtrace.tb.common.encoder_env import BenchEnv, BenchTest


class PlayRows(PlaySequence):
    """Plays rows as one item."""

    def __init__(self, name: str, rows: Any) -> None:
        super().__init__(name, RowsItem("rows", rows))


class PortScoreboard(Scoreboard):
    """Combines what was observed. recording: of a bulk run, the recording of all ports; None with DRIVE=pins."""

    recording: Any = None


class PortEnv(BenchEnv):
    """Agents of the ports, scoreboard and coverage; the first agent with a driver starts a bulk run.

    With DRIVE=bulk the bench records all ports in one file, which `recorder` reads for the scoreboard; the monitors do
    nothing then.
    """

    recorder_class: type[Recorder] = Recorder

    def build_phase(self) -> None:
        super().build_phase()
        self.recorder = self.recorder_class.create("recorder", self)

    def connect_phase(self) -> None:
        super().connect_phase()
        self.players = [agent for agent in self.monitored if agent.driver is not None]
        self.players[0].driver.player = self.reset.driver

    async def play(self, rows: Any) -> None:
        """Play rows on all ports, from the same clock edge on; returns in the cycle after the last one."""
        tasks = [cocotb.start_soon(self._sequence(agent, rows).start(agent.sequencer)) for agent in self.players]
        for task in tasks:
            await task
        await FallingEdge(self.reset.driver.dut.clk_o)

    @staticmethod
    def _sequence(agent: Any, rows: Any) -> PlaySequence | RowSequence:
        if agent.driver.config.bulk:
            return PlayRows(agent.get_name(), rows)
        sequence = RowSequence.create(agent.get_name())
        sequence.stimulus = rows
        return sequence

    def collect(self) -> list[str]:
        if self.recorder.config.bulk:
            self.scoreboard.recording = self.recorder.recorded()
            return list(dict.fromkeys(self.recorder.problems))
        return list(dict.fromkeys(super().collect()))


class PortTest(BenchTest):
    """Plays one job of rows. files: the module that writes and reads the files of a bulk run."""

    env_class: type[PortEnv]
    files: ClassVar[Any]

    def noise(self) -> int:
        """Seed of the values on ports that mean nothing."""
        return random.Random(self.job.rng_path("noise")).getrandbits(32)

    async def drive(self) -> None:
        await self.env.play(self.stimulus.rows)
