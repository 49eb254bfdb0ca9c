# SPDX-License-Identifier: Apache-2.0
"""The test that lets a core run a program on the subsystem: `Job.test` of the jobs of `make core`.

Everything but the hart is as in tb/subsystem/env.py: a tool programs both trace systems, software sets up counters and
records, and looks at them before and after the program. The core is run by tb/cores/hdl/cores_tb.sv.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from rvtrace.jobs.job import Job
from rvtrace.models.riscv.csr import Access
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Retired
from rvtrace.models.riscv.rvfi import retired_of
from rvtrace.scoreboards.common.clauses import ClauseBook
from rvtrace.scoreboards.subsystem.capture import SubsystemCapture
from rvtrace.tb.common.agents.base import AgentConfig
from rvtrace.tb.common.agents.reset import ProgrammingError
from rvtrace.tb.cores.agents.compare import difference
from rvtrace.tb.cores.agents.core import CoreControl
from rvtrace.tb.cores.agents.files import Run, read_rvfi
from rvtrace.tb.ctr.agents import files as ctr_rows
from rvtrace.tb.ctr.agents import layout as ctr_layout
from rvtrace.tb.subsystem.agents.hart import SubsystemCsrAgent
from rvtrace.tb.subsystem.env import SubsystemEnv, SubsystemTest
from rvtrace.tb.subsystem.stimulus.walks import SubsystemStimulus
from rvtrace.tb.tci.agents.apb import ApbAgent


def stimulus(job: Job) -> SubsystemStimulus:
    """The program of the folder of the simulator; what it does is for the core to say."""
    path = Path(Run.load(Path()).elf)
    lows = {f"{name}_low": job.backpressure for name in ("ntrace", "etrace", "tandem")}
    nothing = Retired.from_columns(pc=np.zeros(0))
    return SubsystemStimulus(job.settings, Program.from_elf(path), nothing, [], path, lows)


class CoreStopped(ProgrammingError):
    """A program that did not come to its end, or RVFI that breaks its rules: there is nothing to judge."""


class CoresEnv(SubsystemEnv):
    """Agents of registers and CSRs, and the core's."""

    agent_classes: ClassVar[Mapping[str, Any]] = MappingProxyType({"apb": ApbAgent, "csr": SubsystemCsrAgent})

    def build_phase(self) -> None:
        super().build_phase()
        self.core = CoreControl.create("core", self)

    def connect_phase(self) -> None:
        """There is no hart that plays."""


class CoresTest(SubsystemTest):
    """Lets the core run the program of the folder on the subsystem."""

    env_class, stimulus_of = CoresEnv, staticmethod(stimulus)

    def configure(self) -> None:
        self.config = self.stimulus.config
        self.run = Run.load(Path())
        self.set_config(AgentConfig(self.dut))
        self.set_config(AgentConfig(self.dut, ctr_layout.pins(self.config.ctr, 0), files=ctr_rows), "env.csr*")
        self.made: list[Access] = []
        self.looked: list[int] = []
        self.book, self.problems = ClauseBook(), []
        self.extra = {"rerun": self.run.rerun}

    async def play(self) -> None:
        self.env.core.hold(self.run)
        await super().play()
        self.retired = retired_of(*read_rvfi(Path()), self.stimulus.program)

    async def run_hart(self) -> None:
        """The core runs its program; CoreStopped if that does not come to its end."""
        if problem := await self.env.core.run(self.run):
            raise CoreStopped(problem)
        await self.look()

    def captured(self) -> SubsystemCapture:
        capture = super().captured()
        problems = [*capture.problems]
        if found := difference(capture.retired, self.retired):
            problems.append(found)
        return replace(capture, problems=problems, rerun=self.run.rerun)
