# SPDX-License-Identifier: Apache-2.0
"""The environment of the trace control system: register bus, harts, sinks and scoreboard, and the test that runs one
system scenario.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

import cocotb
from pyuvm import uvm_component

from rvtrace.jobs.results import blank, kept
from rvtrace.models.tci.grammar import NTRACE
from rvtrace.models.tci.layout import Params
from rvtrace.models.tci.ram_sink import read_trace
from rvtrace.scoreboards.common.clauses import ClauseBook, Failure
from rvtrace.scoreboards.etrace import check as etrace
from rvtrace.scoreboards.ntrace import check as ntrace
from rvtrace.scoreboards.tci.check import HartRun, TciCapture, TciVerdict, check, plan
from rvtrace.scoreboards.tci.protocol import protocol
from rvtrace.tb.common.agents.base import AgentConfig
from rvtrace.tb.common.base import BaseEnv, BaseTest, Collector
from rvtrace.tb.etrace.coverage.points import sample_tci as sample_etrace
from rvtrace.tb.ntrace.coverage.points import sample_tci as sample_ntrace
from rvtrace.tb.tci.agents import files
from rvtrace.tb.tci.agents.apb import ApbAgent
from rvtrace.tb.tci.agents.harts import StuckError, TciControl
from rvtrace.tb.tci.agents.register_block import RegisterAccess
from rvtrace.tb.tci.job import TciJob
from rvtrace.tb.tci.stimulus.session import Session
from rvtrace.tb.tci.stimulus.tool import POLLS, TraceTool

if TYPE_CHECKING:
    from rvtrace.tb.tci.stimulus.scenarios.base import TciStimulus


_PLANS = {"ntrace": ntrace.plan, "etrace": etrace.plan}
_COVERAGE = {"ntrace": sample_ntrace, "etrace": sample_etrace}


class Scoreboard(uvm_component):
    """Combines what the monitors observed and checks it against the clauses."""

    def judge(self, capture: TciCapture, book: ClauseBook) -> TciVerdict:
        """The verdict of a run; `book` has the tool's own verifications already."""
        return check(capture, book=book)


class TciEnv(BaseEnv):
    """Register bus, and reset, recorders and harts of the bench."""

    agent_classes: ClassVar[Mapping[str, Any]] = MappingProxyType({"apb": ApbAgent})
    scoreboard_class = Scoreboard
    apb: ApbAgent

    def build_phase(self) -> None:
        super().build_phase()
        self.control = TciControl.create("control", self)
        self.accesses = Collector.create("accesses", self)

    def connect_phase(self) -> None:
        self.apb.monitor.ap.connect(self.accesses.analysis_export)


def scenario_of(job: TciJob) -> TciStimulus:
    """The system scenario of a job."""
    from rvtrace.tb.tci.stimulus.scenarios import BY_IP, known

    return BY_IP[job.ip][known(job).scenario].build(job, random.Random(job.rng_path("story")))


class TciTest(BaseTest):
    """Runs one system scenario: a tool works with the registers while the harts run."""

    env_class, stimulus_of = TciEnv, staticmethod(scenario_of)
    job: TciJob

    def configure(self) -> None:
        self.system_scenario: TciStimulus = self.stimulus
        self.params: Params = self.job.params
        self.book = ClauseBook(plan(), self.job.rerun)
        self.set_config(AgentConfig(self.dut))

    async def play(self) -> None:
        begin = time.perf_counter()
        for hart, run in enumerate(self.system_scenario.harts):
            files.write_stimulus(Path(), hart, run.beats, run.triggers)
        rng = random.Random(self.job.rng_path("system"))
        self.env.apb.driver.noise = random.Random(self.job.rng_path("bus"))
        registers = RegisterAccess(self.params, self.env.apb.sequencer)
        polls = int(cocotb.plusargs.get("polls", POLLS))
        self.session = Session(
            TraceTool(registers, self.book, self.env.control.cycles, params=self.params, patience=polls),
            self.env.control,
            self.env.apb.sequencer,
            self.system_scenario.harts,
            rng,
        )
        self.env.control.rows = max((len(run.beats) for run in self.system_scenario.harts), default=0)
        await self.env.control.reset(rng.getrandbits(32), self.system_scenario.wait_low)
        try:
            await self.system_scenario.run(self.session)
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
        here, scenario, speaks = Path(), self.system_scenario, protocol(self.params.format)
        grammars = [speaks.grammar(run.config) for run in scenario.harts] or [NTRACE]
        seen = files.read_harts(here, [run.config.blocks for run in scenario.harts])
        harts = [
            HartRun(
                run.config,
                run.program,
                run.images,
                run.pcs,
                seen[hart].beats,
                files.read_stream(here / f"stream{hart}.bin", grammars[hart]),
                seen[hart].fired,
                speaks,
                hart + 1,
            )
            for hart, run in enumerate(scenario.harts)
        ]
        memory, readback = files.read_memory(here / "memory.bin"), self.session.readback
        if self.session.smem is not None:
            words = {address: word for _, address, word in memory}
            readback = read_trace(*self.session.smem, lambda address: words.get(address, 0))
        self.capture = TciCapture(
            params=self.params,
            harts=harts,
            merged=files.read_stream(here / "merged.bin", grammars[0]),
            accesses=self.env.accesses.items,
            memory=memory,
            pins=files.read_pins(here / "pins.bin"),
            readback=readback,
            bus_problems=self.env.apb.monitor.problems,
            exact=self.job.exact,
            expect=scenario.expect,
            rerun=self.job.rerun,
        )
        self.verdict = self.env.scoreboard.judge(self.capture, self.book)
        self.outcome = self.verdict, self.capture
        self.seconds["checks"] = time.perf_counter() - begin

    def result(self, seconds: dict[str, float]) -> dict[str, Any]:
        """The result of a run that was checked; one without a single check is an ERROR."""
        job, verdict, clauses = self.job, self.verdict, self.verdict.results()
        if (whole := _PLANS[job.ip]()) is not None:
            clauses = whole.roll_up(clauses)  # rows of the protocol that those of the trace system check
        cycles = max((access.cycle for access in self.capture.accesses), default=0)
        result = blank(job) | {
            "verdict": "PASS" if verdict.passed else "FAIL", "clauses": clauses,
            "failures": kept(verdict.failures),
            "coverage": _COVERAGE[job.ip](self.capture),
            "stats": {**verdict.stats, "cycles": cycles, "seconds": seconds | self.seconds},
        }  # fmt: skip
        if not sum(checked for checked, _ in clauses.values()):
            result |= {"verdict": "ERROR", "error": "no check was executed; a run without checks proves nothing"}
        return result

    def leave(self, out: Path) -> None:
        """What another tool needs: writes.json (register writes of the tool), trace.bin (as it was read back), and of
        each hart program<h>.elf, config<h>.json, beats<h>.npz."""
        log = [[w.component, w.register, w.value, w.why] for w in self.session.tool.log]
        (out / "writes.json").write_text(json.dumps(log, indent=0))
        back = self.session.readback
        (out / "trace.bin").write_bytes(self.capture.merged.data if back is None else back)
        for hart, run in enumerate(self.capture.harts):
            run.program.to_elf(out / f"program{hart}.elf")
            (out / f"config{hart}.json").write_text(json.dumps(run.config.to_dict(), indent=2) + "\n")
            run.beats.save(out / f"beats{hart}.npz")


TEST = TciTest
