"""The trace system's environment: register bus, harts, sinks and scoreboard, and the test that tells one story."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import cocotb
from pyuvm import ConfigDB, uvm_component, uvm_env, uvm_sequence, uvm_subscriber, uvm_test

from models.control.grammar import NTRACE
from models.control.layout import Params
from models.control.model_ram_sink import read_trace
from models.control.model_registers import RegisterModel
from scoreboards.clauses import ClauseBook, Failure
from scoreboards.control import plan
from scoreboards.control_protocol import protocol
from scoreboards.control_system import HartRun, SystemCapture, SystemVerdict, check_system
from tb.agents import system_files as files
from tb.agents.apb import Access, ApbAgent, ApbItem
from tb.agents.register_block import RegisterAccess
from tb.agents.system import StuckError, SystemControl
from tb.sequences.registers import Step
from tb.sequences.system_tool import POLLS, TraceTool
from tb.system_job import SystemJob

if TYPE_CHECKING:
    from tb.sequences.system import Story


class Bus(uvm_subscriber):
    """Keeps the accesses the bus monitor saw, and lets the register model follow them."""

    def build_phase(self) -> None:
        self.accesses: list[Access] = []

    def write(self, item: Access) -> None:
        self.accesses.append(item)


class StepSequence(uvm_sequence):
    """Plays register traffic as it is, below the register model."""

    def __init__(self, name: str, steps: list[Step]) -> None:
        super().__init__(name)
        self.steps = steps
        self.stuck: list[Step] = []
        self.seen: list[int] = []  # what each read gave, a poll's last one

    async def body(self) -> None:
        for step in self.steps:
            for _ in range(POLLS if step.kind == "poll" else 1):
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
    """What a story works with. tool: registers. readback: the trace it read back through trRamData, if it did.

    smem: start, limit, write pointer and wrap of the buffer in system memory, if the tool left trace there.
    """

    tool: TraceTool
    control: SystemControl
    env: SystemEnv
    story: Story
    rng: random.Random
    readback: bytes | None = None
    smem: tuple[int, int, int, bool] | None = None

    async def play(self) -> None:
        """All harts run to the end of what they have."""
        await self.control.play()

    def playing(self) -> cocotb.task.Task[None]:
        """The harts run while the tool goes on; await what this gives to meet their end."""
        return cocotb.start_soon(self.control.play())

    async def cycles(self, count: int) -> None:
        """Let time pass."""
        await self.control.cycles(count)

    async def read(self, name: str, offset: int) -> int:
        """A register below the table: what stands at an offset of a component."""
        sequence = StepSequence("read", [Step("read", RegisterModel(self.tool.params).place(name).base + offset)])
        await sequence.start(self.env.apb.sequencer)
        return sequence.seen[-1]

    async def steps(self, steps: list[Step]) -> None:
        """Register traffic below the register model."""
        sequence = StepSequence("steps", steps)
        await sequence.start(self.env.apb.sequencer)
        self.tool.book.count("TCI.seq.poll", sum(step.kind == "poll" for step in steps) - len(sequence.stuck))
        for step in sequence.stuck:
            self.tool.check("TCI.seq.poll", False, f"{step.addr:#06x} does not reach {step.data:#x} in {POLLS} reads")


class SystemEnv(uvm_env):
    """Register bus, and the controls of the testbench."""

    def build_phase(self) -> None:
        self.apb = ApbAgent("apb", self)
        self.control = SystemControl("control", self)
        self.bus = Bus("bus", self)

    def connect_phase(self) -> None:
        self.apb.monitor.port.connect(self.bus.analysis_export)

    def stop(self) -> None:
        """End the agents' endless tasks: the next run in this process has its own."""
        for part in (self.apb.driver, self.apb.monitor):
            if task := getattr(part, "task", None):
                task.cancel()


class Scoreboard(uvm_component):
    """Puts together what the monitors saw and holds it to the clauses."""

    def judge(self, capture: SystemCapture, book: ClauseBook) -> SystemVerdict:
        """The verdict of a run; `book` has the tool's own verifications already."""
        return check_system(capture, book)


class SystemTest(uvm_test):
    """Tells one story and leaves its verdict in `verdict`; `job` and `story` come from the entry module."""

    def build_phase(self) -> None:
        self.job: SystemJob = ConfigDB().get(self, "", "JOB")
        self.story: Story = ConfigDB().get(self, "", "STORY")
        self.params: Params = ConfigDB().get(self, "", "PARAMS")
        self.env = SystemEnv("env", self)
        self.scoreboard = Scoreboard("scoreboard", self)
        self.book = ClauseBook(plan(), self.job.rerun)
        self.seconds: dict[str, float] = {}
        self.error: Exception | None = None

    async def run_phase(self) -> None:
        self.raise_objection()
        try:
            await self._tell()
        except Exception as error:  # one story that breaks must not take the process with it
            self.error = error
        finally:
            self.env.stop()
            self.drop_objection()

    async def _tell(self) -> None:
        begin = time.perf_counter()
        for hart, run in enumerate(self.story.harts):
            files.write_stimulus(Path(), hart, run.beats, run.triggers)
        rng = random.Random(self.job.rng_path("system"))
        registers = RegisterAccess(self.params, self.env.apb.sequencer)
        self.session = Session(TraceTool(registers, self.book, self.env.control.cycles, params=self.params), self.env.control, self.env, self.story, rng)
        self.env.control.rows = max((len(run.beats) for run in self.story.harts), default=0)
        await self.env.control.reset(rng.getrandbits(32), self.story.wait_low)
        try:
            await self.story.run(self.session)
        except StuckError as error:
            self.book.fail(Failure("TCI.te.stall", str(error)))
        await self.env.control.stop()
        whole = time.perf_counter() - begin
        self.seconds["simulator"] = self.env.control.seconds
        self.seconds["registers"] = whole - self.env.control.seconds

    def check_phase(self) -> None:
        if self.error is not None:
            return
        begin = time.perf_counter()
        here, story, speaks = Path(), self.story, protocol(self.params.format)
        grammars = [speaks.grammar(run.config) for run in story.harts] or [NTRACE]
        harts = [
            HartRun(run.config, run.program, run.images, run.pcs, files.read_ingress(here, hart, run.config.blocks),
                    files.read_stream(here / f"stream{hart}.bin", grammars[hart]), files.read_fired(here, hart, len(story.harts), run.config.blocks),
                    speaks, hart + 1)
            for hart, run in enumerate(story.harts)
        ]  # fmt: skip
        memory, readback = files.read_memory(here / "memory.bin"), self.session.readback
        if self.session.smem is not None:
            words = {address: word for _, address, word in memory}
            readback = read_trace(*self.session.smem, lambda address: words.get(address, 0))
        self.capture = SystemCapture(
            params=self.params, harts=harts, merged=files.read_stream(here / "merged.bin", grammars[0]), accesses=self.env.bus.accesses,
            memory=memory, pins=files.read_pins(here / "pins.bin"),
            readback=readback, bus_problems=self.env.apb.monitor.problems, exact=self.job.exact,
            expect=story.expect, rerun=self.job.rerun,
        )  # fmt: skip
        self.verdict = self.scoreboard.judge(self.capture, self.book)
        self.seconds["checks"] = time.perf_counter() - begin
