# SPDX-License-Identifier: Apache-2.0
"""The environment of the subsystem: agents for hart, registers and CSRs, scoreboard and coverage, and the test that
plays one job.

A tool programs both trace systems through their registers, software sets up counters and records through CSRs, the hart
runs in stretches, and between them software looks at every counter and entry. What is checked is what the recorders of
tb/subsystem/hdl/subsystem_tb.sv saw.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

import cocotb
import numpy as np
from cocotb.triggers import ClockCycles, First
from pyuvm import uvm_component

from rvtrace.models.riscv.csr import Access
from rvtrace.models.riscv.retired import Retired
from rvtrace.models.subsystem.config import Config
from rvtrace.models.subsystem.registers import BASES, NO_REGISTER, TANDEM_BYTES, TANDEM_CONTROL, TANDEM_STATUS
from rvtrace.models.tci.layout import Params
from rvtrace.models.tci.registers import component
from rvtrace.scoreboards.common.clauses import ClauseBook
from rvtrace.scoreboards.common.verdict import Verdict
from rvtrace.scoreboards.subsystem.capture import Snapshot, SubsystemCapture
from rvtrace.scoreboards.subsystem.check import check
from rvtrace.tb.common import base
from rvtrace.tb.common.agents.base import AgentConfig, PlaySequence
from rvtrace.tb.common.agents.port import RowsItem
from rvtrace.tb.common.times import leave_times
from rvtrace.tb.ctr.agents import files as ctr_rows
from rvtrace.tb.ctr.agents import layout as ctr_layout
from rvtrace.tb.subsystem.agents import files
from rvtrace.tb.subsystem.agents.hart import (
    HartAgent,
    HartConfig,
    HartItem,
    SubsystemControl,
    SubsystemCsrAgent,
    TraceRegisters,
)
from rvtrace.tb.subsystem.coverage.sampling import sample
from rvtrace.tb.subsystem.stimulus import software
from rvtrace.tb.subsystem.stimulus.stimulus import stimulus
from rvtrace.tb.tci.agents.apb import ApbAgent
from rvtrace.tb.tci.agents.harts import StuckError
from rvtrace.tb.tci.job import params_of
from rvtrace.tb.tci.stimulus.registers import Step
from rvtrace.tb.tci.stimulus.session import StepSequence
from rvtrace.tb.tci.stimulus.tool import TraceTool

SRAM_BYTES = 4096
_GOES_ON = 2000  # cycles in which it comes to its end when nothing stalls it
_STALLED = 200  # cycles after which the hart is stalled by a trace that nobody takes
# What the hart does not report may be enabled, and nothing comes of it: triggers, sequentially inferable jumps.
_ARMED = {"trTeControl": {"trTeInstTrigEnable": 1}}
_UNUSED = {"ntrace": {**_ARMED, "trTeInstFeatures": {"trTeInstEnSequentialJump": 1}}, "etrace": _ARMED}
_TRIGGERS = component("encoder", Params(trigger_inputs=8)).register("trTeTrigExtInControl").offset
_TRACE_ON = 0x2222_2222  # trTeTrigExtInControl: each external trigger starts tracing
_SINKS = ("ram_sink", "funnel", "encoder0")  # in the order in which they are enabled


class Scoreboard(uvm_component):
    """Checks what was observed against the clauses; has no access to what was driven."""

    def judge(self, capture: SubsystemCapture) -> Verdict:
        """The verdict of a run."""
        return check(capture)


class SubsystemEnv(base.BaseEnv):
    """Agents, scoreboard, coverage. Both drives record every port; a monitor reads the register bus only."""

    hart: HartAgent
    apb: ApbAgent
    csr: SubsystemCsrAgent

    agent_classes: ClassVar[Mapping[str, Any]] = MappingProxyType(
        {"hart": HartAgent, "apb": ApbAgent, "csr": SubsystemCsrAgent}
    )
    scoreboard_class, sample_of = Scoreboard, staticmethod(sample)

    def build_phase(self) -> None:
        super().build_phase()
        self.control = SubsystemControl.create("control", self)
        self.accesses = base.Collector.create("accesses", self)

    def connect_phase(self) -> None:
        self.apb.monitor.ap.connect(self.accesses.analysis_export)
        self.hart.driver.control = self.control


class SubsystemTest(base.BaseTest):
    """Plays one job on the subsystem."""

    env_class, stimulus_of = SubsystemEnv, staticmethod(stimulus)

    def configure(self) -> None:
        self.config: Config = self.stimulus.config
        self.set_config(AgentConfig(self.dut))
        self.set_config(HartConfig(self.dut, bulk=self.bulk, hart=self.config), "env.hart*")
        self.set_config(AgentConfig(self.dut, ctr_layout.pins(self.config.ctr, 0), files=ctr_rows), "env.csr*")
        self.made: list[Access] = []  # at the CSR port, all of them
        self.looked: list[int] = []  # at which access each snapshot begins
        self.book = ClauseBook()  # of the tool that sets up the encoders
        self.problems: list[str] = []

    async def play(self) -> None:
        env, rng, begin = self.env, random.Random(self.job.rng_path("bench")), time.perf_counter()
        env.apb.driver.noise = random.Random(self.job.rng_path("bus"))
        await env.control.reset(self.bulk, rng.getrandbits(32), rng.getrandbits(32), self.stimulus.lows)
        try:
            await self.drive(rng)
        except StuckError as error:
            self.problems.append(str(error))
        await env.control.stop()
        whole = time.perf_counter() - begin
        self.seconds["simulator"] = env.control.seconds if self.bulk else whole
        self.seconds["transport"] = whole - self.seconds["simulator"]

    async def drive(self, rng: random.Random) -> None:
        """What happens between reset and the end."""
        tools = {name: self.tool(name) for name in BASES}
        await self.read_all()
        for name, tool in tools.items():
            await self.start(name, tool, rng)
        await self.steps([Step("write", TANDEM_CONTROL, 1), Step("poll", TANDEM_CONTROL, 1)])
        await self.read_all()
        await self.access(software.set_up(self.config))
        await self.look()
        await self.run_hart()
        for tool in tools.values():
            for part in reversed(_SINKS):
                await tool.disable(part)
        await self.steps([Step("poll", TANDEM_STATUS, 1, 1), Step("write", TANDEM_CONTROL, 0)])
        self.sent = sum(
            value << 32 * half
            for half, value in enumerate(await self.steps([Step("read", TANDEM_BYTES), Step("read", TANDEM_BYTES + 4)]))
        )
        await self.read_all()

    async def run_hart(self) -> None:
        """The hart plays its stretches; software looks after each."""
        for number, stretch in enumerate(self.stimulus.stretches):
            playing = PlaySequence("play", HartItem("stretch", stretch)).start(self.env.hart.sequencer)
            if number == self.stimulus.blocked:
                await self.blocked(playing)
            else:
                await playing
            if self.env.hart.driver.stuck:
                raise StuckError(self.env.hart.driver.stuck)
            if self.stimulus.asks:
                await self.access(self.stimulus.asks[number % len(self.stimulus.asks)])
            await self.look()

    async def blocked(self, playing: Any) -> None:
        """Nobody takes tandem trace while the hart plays, until it is stalled; then software disables it, and the hart
        goes on.
        """
        low = self.stimulus.lows.get("tandem_low", 0)
        self.env.control.tandem_low(100)
        hart = cocotb.start_soon(playing)
        await self.env.control.cycles(_STALLED)
        await self.steps([Step("write", TANDEM_CONTROL, 0), Step("read", TANDEM_CONTROL)])
        await First(hart, ClockCycles(self.dut.clk_o, _GOES_ON))
        if not hart.done():
            raise StuckError("the hart waits for the tandem trace, which is disabled")
        self.env.control.tandem_low(low)

    def tool(self, name: str) -> TraceTool:
        """A tool for one of the trace systems."""
        params = replace(params_of(getattr(self.config, name)), harts=1, sram_bytes=SRAM_BYTES)
        registers = TraceRegisters(params, self.env.apb.sequencer, BASES[name])
        return TraceTool(registers, self.book, self.env.control.cycles, params=params)

    async def start(self, name: str, tool: TraceTool, rng: random.Random) -> None:
        """Set up an encoder and its sink, which wraps: into its own SRAM, or into system memory if somebody is to wait
        for it.
        """
        for part in _SINKS:
            await tool.reset(part)
        slow = any(self.stimulus.lows.values())
        await tool.set_up_ram(
            smem=slow, start=0x8000_0000 * slow, limit=0x8000_0000 * slow + rng.randrange(0x100, SRAM_BYTES, 4)
        )
        await tool.set_up_encoder(0, getattr(self.config, name), _UNUSED[name])
        await self.steps([Step("write", BASES[name] + _TRIGGERS, _TRACE_ON)])
        for part in _SINKS:
            await tool.enable(part)
        await tool.tracing(0, True)

    async def steps(self, steps: list[Step]) -> list[int]:
        """Register traffic of the tandem trace; what was read."""
        sequence = StepSequence("steps", steps)
        await sequence.start(self.env.apb.sequencer)
        self.problems += [f"register {step.addr:#07x} does not reach {step.data:#x}" for step in sequence.stuck]
        return sequence.seen

    async def read_all(self) -> None:
        """The registers of the tandem trace, before and after addresses without a register are written."""
        here = [Step("read", TANDEM_CONTROL + place) for place in range(0, 16, 4)]
        nowhere = [Step(kind, at, 0xFFFF_FFFF) for at in NO_REGISTER for kind in ("read", "write", "read")]
        await self.steps([*here, *nowhere, *here])

    async def access(self, accesses: list[Access]) -> None:
        """CSR accesses, one a cycle."""
        self.made += accesses
        await PlaySequence("csr", RowsItem("csr", software.playing(accesses, self.config))).start(
            self.env.csr.sequencer
        )

    async def look(self) -> None:
        """Read every counter and entry while the hart is stopped."""
        self.looked.append(len(self.made))
        await self.access([look.access for look in software.looks(self.config)])

    def check_phase(self) -> None:
        if self.error is not None:
            return
        capture = self.captured()
        verdict = self.env.scoreboard.judge(capture)
        begin = time.perf_counter()
        self.coverage = self.env.coverage.sample(capture, verdict)
        self.seconds["coverage"] = time.perf_counter() - begin
        self.outcome = verdict, capture
        # The bench counts a cycle at its falling edge: it begins at the rising edge before that.
        leave_times(Path(self.job.out), -(self.env.control.period // 2), self.env.control.period)

    def captured(self) -> SubsystemCapture:
        """What the recorders saw."""
        here, config = Path(), self.config
        seen, csrs = files.read_hart(here / files.HART, config.retire), files.read_csr(here / files.CSR)
        data, cycles, problems = files.read_streams(here)
        problems += [*(f"{one.clause}: {one.headline}" for one in self.book.failures), *self.problems]
        problems += [*(f"cycle {cycle}: {text}" for cycle, text in self.env.apb.monitor.problems)]
        problems += [*csrs.problems, *software.astray(self.made, csrs.table)]
        if getattr(self, "sent", None) != len(data["tandem"]):
            problems.append(
                f"the tandem trace says it sent {getattr(self, 'sent', None)} bytes, and {len(data['tandem'])} left it"
            )
        begun = self.looked[0] - 1 if self.looked else 0
        return SubsystemCapture(
            config,
            self.stimulus.program,
            seen.retired,
            seen.cycle,
            seen.rows,
            data["ntrace"],
            data["etrace"],
            data["tandem"],
            cycles,
            self._snapshots(csrs.table, seen),
            seen.events,
            seen.event_cycle,
            seen.misp,
            int(csrs.table["cycle"][begun]) + 1 if len(csrs.table) > begun else 0,
            seen.stopped,
            self.env.accesses.items,
            problems,
            self.job.exact,
            self.job.rerun,
            seen.mode_next,
            seen.halted,
            seen.errors,
            seen.enabled,
            csrs.table,
        )

    def _snapshots(self, table: Any, seen: files.Seen) -> list[Snapshot]:
        what = software.looks(self.config)
        parts = [table[at : at + len(what)] for at in self.looked]
        return [
            software.snapshot(what, part, int((seen.cycle < part["cycle"][0]).sum()))
            for part in parts
            if len(part) == len(what)
        ]

    def leave(self, out: Path) -> None:
        """The bytes of each stream, config.json, rows.npz, retired.csv, snapshots.json, program.elf, and cycles.npz:
        the cycle in which each byte of a stream left, and `retired`, that of each row of retired.csv.
        """
        _, capture = self.outcome
        for name in files.STREAMS:
            (out / f"{name}.trace").write_bytes(getattr(capture, name))
        (out / "config.json").write_text(json.dumps(capture.config.to_dict(), indent=2) + "\n")
        (out / "snapshots.json").write_text(json.dumps([asdict(one) for one in capture.snapshots], indent=1) + "\n")
        capture.rows.save(out / "rows.npz")
        np.savez_compressed(out / "cycles.npz", retired=capture.cycle, **capture.out_cycles)
        retired: Retired = capture.retired
        retired.to_csv(out / "retired.csv")
        if self.stimulus.elf is not None:
            (out / "program.elf").write_bytes(self.stimulus.elf.read_bytes())
        else:
            capture.program.to_elf(out / "program.elf")


TEST = SubsystemTest
