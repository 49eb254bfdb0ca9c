# SPDX-License-Identifier: Apache-2.0
"""What a system scenario works with while it runs: the registers, the harts, the clock, and the random numbers."""

from __future__ import annotations

import random
from dataclasses import dataclass

import cocotb
from cocotb.task import Task
from pyuvm import uvm_sequence, uvm_sequencer

from rvtrace.models.tci.register_model import RegisterModel
from rvtrace.tb.tci.agents.apb import ApbItem
from rvtrace.tb.tci.agents.harts import TciControl
from rvtrace.tb.tci.stimulus.hart import HartStimulus
from rvtrace.tb.tci.stimulus.registers import Step
from rvtrace.tb.tci.stimulus.tool import POLLS, TraceTool


class StepSequence(uvm_sequence):
    """Plays register traffic as it is, below the register model. polls: reads until a poll is given up."""

    def __init__(self, name: str, steps: list[Step], polls: int = POLLS) -> None:
        super().__init__(name)
        self.steps, self.polls = steps, polls
        self.stuck: list[Step] = []
        self.seen: list[int] = []  # what each read gave, a poll's last one

    async def body(self) -> None:
        for step in self.steps:
            for _ in range(self.polls if step.kind == "poll" else 1):
                item = ApbItem(step.kind, step.kind == "write", step.addr, step.data)
                await self.start_item(item)
                await self.finish_item(item)
                if step.kind != "poll" or (item.data ^ step.data) & step.mask == 0:
                    break
            else:
                self.stuck.append(step)
            if step.kind != "write":
                self.seen.append(item.data)


@dataclass
class Session:
    """What a system scenario works with. tool: registers. sequencer: of the register bus. harts: their stimulus.
    readback: the trace it read back through trRamData, if it did.

    smem: start, limit, write pointer and wrap of the buffer in system memory, if the tool left trace there.
    """

    tool: TraceTool
    control: TciControl
    sequencer: uvm_sequencer
    harts: list[HartStimulus]
    rng: random.Random
    readback: bytes | None = None
    smem: tuple[int, int, int, bool] | None = None

    async def play(self) -> None:
        """All harts run to the end of their stimulus."""
        await self.control.play()

    def playing(self) -> Task[None]:
        """The harts run while the tool continues; await the task for their end."""
        return cocotb.start_soon(self.control.play())

    async def cycles(self, count: int) -> None:
        """Let time pass."""
        await self.control.cycles(count)

    async def read(self, name: str, offset: int) -> int:
        """A register below the table: the value at an offset of a component."""
        sequence = StepSequence("read", [Step("read", RegisterModel(self.tool.params).place(name).base + offset)])
        await sequence.start(self.sequencer)
        return sequence.seen[-1]

    async def steps(self, steps: list[Step]) -> None:
        """Register traffic below the register model."""
        sequence = StepSequence("steps", steps, polls := self.tool.patience)
        await sequence.start(self.sequencer)
        self.tool.book.count("TCI.seq.poll", sum(step.kind == "poll" for step in steps) - len(sequence.stuck))
        for step in sequence.stuck:
            self.tool.check("TCI.seq.poll", False, f"{step.addr:#06x} does not reach {step.data:#x} in {polls} reads")
