# SPDX-License-Identifier: Apache-2.0
"""The environment of the tandem-trace encoder: agents for rows and trace, scoreboard and coverage, and the test that
plays one job.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar

from rvtrace.jobs.job import Job
from rvtrace.scoreboards.tandem.capture import TandemCapture
from rvtrace.scoreboards.tandem.check import check
from rvtrace.scoreboards.tandem.tolerances import Tolerances
from rvtrace.tb.common import base
from rvtrace.tb.common.agents import port_files
from rvtrace.tb.common.agents.pins import Pins
from rvtrace.tb.common.encoder_env import EncoderEnv, EncoderTest
from rvtrace.tb.tandem.agents import layout
from rvtrace.tb.tandem.agents.rows import RowsAgent, WordsAgent
from rvtrace.tb.tandem.coverage.sampling import sample
from rvtrace.tb.tandem.stimulus.rows import TandemStimulus
from rvtrace.tb.tandem.stimulus.stimulus import stimulus


class Scoreboard(base.Scoreboard):
    """Exact, lossless, legal, and programs through the verifier (scoreboards/tandem/check.py)."""

    observed = ("ingress", "stream")
    check, tolerances_class = staticmethod(check), Tolerances
    ingress: base.Collector
    stream: base.Collector

    def captured(self, job: Job, stimulus: TandemStimulus, problems: list[str]) -> TandemCapture:
        rows, errors = self.ingress.got
        data, marks = self.stream.got
        env: Any = self.get_parent()
        gaps = None if job.backpressure else port_files.gaps(stimulus.beats.cycle)
        return TandemCapture(
            stimulus.config,
            rows,
            data,
            marks,
            errors,
            problems,
            job.exact,
            job.rerun,
            stimulus.program,
            stimulus.retired,
            gaps,
            env.stream.monitor.width,
        )


class TandemEnv(EncoderEnv):
    """Around tandem_tb."""

    agent_classes: ClassVar[Mapping[str, Any]] = MappingProxyType({"ingress": RowsAgent, "stream": WordsAgent})
    scoreboard_class, sample_of = Scoreboard, staticmethod(sample)


class TandemTest(EncoderTest):
    """Plays one job on a tandem-trace encoder."""

    env_class, stimulus_of = TandemEnv, staticmethod(stimulus)

    def pins(self) -> Pins:
        return layout.pins(self.stimulus.config, random.Random(self.job.rng_path("noise")).getrandbits(32))

    def leave(self, out: Path) -> None:
        """trace.bin, config.json, rows.npz (what was on the ports), and of a program program.elf and retired.csv."""
        _, capture = self.outcome
        (out / "trace.bin").write_bytes(capture.data)
        self.leave_rows(out, capture)
        self.leave_cycles(out)


TEST = TandemTest
