# SPDX-License-Identifier: Apache-2.0
"""The environment of an SBI implementation on the counter block: that of the counters, with a hart that waits for
answers, and memory.

The implementation is models/sbi_pmu, played operation by operation: pin by pin against the device, cycle after cycle;
in bulk on the counter model first, and then the values of its ports are played. The checks get what the same supervisor
and implementation do with the answers that the monitors saw, and what they do on the counter model.

A hart that has control transfer records too is always played pin by pin, with agents of their ports; the checks get
what happened then.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from cocotb.triggers import FallingEdge

from rvtrace.jobs.job import Job
from rvtrace.models.ctr.rows import NO_ACCESS
from rvtrace.models.sbi_pmu.config import Config
from rvtrace.scoreboards.common.verdict import Verdict
from rvtrace.scoreboards.ctr.capture import CtrCapture
from rvtrace.scoreboards.hpm.capture import HpmCapture
from rvtrace.scoreboards.sbi_pmu.capture import Sampling, SbiPmuCapture
from rvtrace.scoreboards.sbi_pmu.check import check
from rvtrace.tb.common import base
from rvtrace.tb.common.agents.csr_port import CsrAgent
from rvtrace.tb.common.agents.pins import Pins
from rvtrace.tb.common.encoder_env import BenchTest
from rvtrace.tb.common.port_env import PlayRows
from rvtrace.tb.ctr.agents import files as ctr_rows
from rvtrace.tb.ctr.agents import layout as ctr_layout
from rvtrace.tb.ctr.agents.retire import RetireAgent
from rvtrace.tb.hpm import env as hpm
from rvtrace.tb.hpm.agents import files as hpm_rows
from rvtrace.tb.hpm.agents.cycles import CyclesAgent
from rvtrace.tb.sbi_pmu.agents.memory import MemoryAgent
from rvtrace.tb.sbi_pmu.agents.sampling import SampledAgent, SampledConfig
from rvtrace.tb.sbi_pmu.coverage.sampling import sample
from rvtrace.tb.sbi_pmu.stimulus.play import on_record
from rvtrace.tb.sbi_pmu.stimulus.profiler import SampledStimulus
from rvtrace.tb.sbi_pmu.stimulus.sampling import of_ctr as in_ctr
from rvtrace.tb.sbi_pmu.stimulus.stimulus import SbiPmuStimulus, stimulus


class Scoreboard(hpm.Scoreboard):
    """The record of the run, from what the monitors of the ports saw; every rule of the chapter
    (scoreboards/sbi_pmu/check.py).
    """

    def build_phase(self) -> None:
        super().build_phase()
        self.memory = base.Collector.create("memory", self)

    def captured(self, job: Job, stimulus: SbiPmuStimulus, problems: list[str]) -> SbiPmuCapture:
        block = self.block(job, stimulus.config, stimulus.program, problems)
        hart = stimulus.hart()
        astray = on_record(stimulus.playing(hart), block.rows)
        said, touched = [*problems, *hart.problems, *([astray] if astray else [])], hart.memory.problems
        if self.recording is None and self.memory.items != hart.memory.done:
            touched = [*touched, "the memory agent saw other accesses than the answers on the ports lead to"]
        self.result = hart.result
        return SbiPmuCapture(
            stimulus.config, hart.record, stimulus.model, block, said, touched, job.exact, job.rerun, stimulus.program
        )

    def checked(self) -> Verdict:
        return check(self.capture)


class SampledScoreboard(Scoreboard):
    """Every overflow as well. An access is seen by the block that its address belongs to, one of nobody by both."""

    observed = ("hart", "csr", "state", "retire", "records")
    retire: base.Collector
    records: base.Collector

    def captured(self, job: Job, stimulus: SampledStimulus, problems: list[str]) -> SbiPmuCapture:  # type: ignore[override]
        config, hart = stimulus.config, stimulus.played
        rows, state = hpm_rows.joined(self.hart.got, self._of(self.csr.got, config, False), self.state.got)
        records = ctr_rows.joined(self.retire.got, self._of(self.records.got, config, True))
        block = HpmCapture(config.hpm, rows, state, [], job.exact, job.rerun)
        sampling = Sampling(
            CtrCapture(config.ctr, records, [], job.exact, job.rerun), hart.result or [], stimulus.model_samples
        )
        said, touched = [*problems, *hart.problems], hart.memory.problems
        return SbiPmuCapture(
            config, hart.record, stimulus.model, block, said, touched, job.exact, job.rerun, None, sampling
        )

    @staticmethod
    def _of(accesses: Any, config: Config, records: bool) -> Any:
        mine = np.array([in_ctr(int(address), config) == records for address in accesses.addr], bool)
        return accesses.select(mine & (accesses.op != NO_ACCESS))


class SbiPmuEnv(hpm.HpmEnv):
    """Around hpm_tb."""

    scoreboard_class, sample_of = Scoreboard, staticmethod(sample)
    cycles_class: type[CyclesAgent] = CyclesAgent

    def build_phase(self) -> None:
        super().build_phase()
        self.cycles = self.cycles_class.create("cycles", self)
        self.memory = MemoryAgent.create("memory", self)

    def connect_phase(self) -> None:
        super().connect_phase()
        self.memory.ap.connect(self.scoreboard.memory.analysis_export)

    def stop(self) -> None:
        super().stop()
        self.cycles.stop()


class SampledEnv(SbiPmuEnv):
    """Around sbi_pmu_tb; all agents but `cycles` only observe."""

    scoreboard_class = SampledScoreboard
    cycles_class = SampledAgent
    agent_classes: ClassVar[Mapping[str, Any]] = MappingProxyType(
        {**SbiPmuEnv.agent_classes, "retire": RetireAgent, "records": CsrAgent}
    )


class SbiPmuTest(hpm.HpmTest):
    """Plays one job."""

    env_class, stimulus_of = SbiPmuEnv, staticmethod(stimulus)

    def configure(self) -> None:
        super().configure()
        if not isinstance(self.stimulus, SampledStimulus):
            return
        self.env_class = SampledEnv
        records = ctr_layout.pins(self.stimulus.config.ctr, 0)
        self.set_config(SampledConfig(self.dut, self.config.pins, records=records), "env.cycles*")
        for name in ("retire", "records"):
            self.set_config(replace(self.config, pins=records, files=ctr_rows), f"env.{name}*")

    def pins(self) -> Pins:
        pins = super().pins()
        return replace(pins, static={}, player=()) if isinstance(self.stimulus, SampledStimulus) else pins

    async def drive(self) -> None:
        if self.bulk:
            await super().drive()
            return
        env, stimulus = self.env, self.stimulus
        if isinstance(stimulus, SampledStimulus):
            cycles = stimulus.playing()
            env.memory.serve(stimulus.played.memory)
            await PlayRows("play", cycles).start(env.cycles.sequencer)
            await FallingEdge(env.cycles.driver.clock)
            return
        hart = stimulus.hart()
        env.memory.serve(hart.memory)
        await PlayRows("play", stimulus.playing(hart)).start(env.cycles.sequencer)
        await FallingEdge(env.cycles.driver.clock)

    def check_phase(self) -> None:
        BenchTest.check_phase(self)
        if self.error is None and self.stimulus.program is not None:
            self.extra: Mapping[str, Any] = {"counted": self.env.scoreboard.result}

    def leave(self, out: Path) -> None:
        """config.json, calls.jsonl (the record), rows.npz (what was on the ports), and of a program program.elf,
        retired.csv and counted.json; of a hart with control transfer records records.npz.
        """
        _, capture = self.outcome
        self.leave_rows(out, capture)
        capture.record.save(out / "calls.jsonl")
        if capture.sampling is not None:
            capture.sampling.ctr.rows.save(out / "records.npz")
        if self.stimulus.elf is not None:
            (out / "counted.json").write_text(json.dumps(self.extra["counted"], indent=1) + "\n")


TEST = SbiPmuTest
