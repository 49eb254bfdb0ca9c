# SPDX-License-Identifier: Apache-2.0
"""The N-Trace environment: agents, scoreboard and coverage around one encoder, and the test that plays one job."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from pyuvm import uvm_analysis_port

from rvtrace.jobs.job import Job
from rvtrace.models.tci.grammar import NTRACE
from rvtrace.scoreboards.common.verdict import Verdict
from rvtrace.scoreboards.ntrace.capture import NtraceCapture
from rvtrace.scoreboards.ntrace.check import check
from rvtrace.scoreboards.ntrace.tolerances import Tolerances
from rvtrace.tb.common import base
from rvtrace.tb.common.agents.pins import Pins
from rvtrace.tb.common.agents.stream import StreamAgent, StreamMonitor
from rvtrace.tb.common.encoder_env import EncoderEnv, EncoderTest
from rvtrace.tb.common.stimulus.stimulus import Stimulus
from rvtrace.tb.ntrace.agents import layout
from rvtrace.tb.ntrace.coverage.sampling import sample
from rvtrace.tb.ntrace.stimulus.stimulus import stimulus


class Scoreboard(base.Scoreboard):
    """Exact, lossless and legal (scoreboards/ntrace/check.py)."""

    observed = ("ingress", "stream")
    check, tolerances_class = staticmethod(check), Tolerances
    ingress: base.Collector
    stream: base.Collector

    def captured(self, job: Job, stimulus: Stimulus, problems: list[str]) -> NtraceCapture:
        data, out_cycle = self.stream.got
        return NtraceCapture(
            config=stimulus.config, program=stimulus.program, data=data, beats=self.ingress.got, out_cycle=out_cycle,
            problems=problems, exact=job.exact, rerun=job.rerun, queue=0 if job.dut else stimulus.config.fifo_depth,
        )  # fmt: skip


def _sample(capture: NtraceCapture, verdict: Verdict) -> dict[str, dict[str, int]]:
    return sample(verdict.read or capture, verdict.decoded, verdict.encoded)


class MessageMonitor(StreamMonitor):
    """Observes a stream of N-Trace messages, whose last bytes have MSEO=3."""

    grammar = NTRACE


class MessageAgent(StreamAgent):
    """Driver and monitor of the message stream."""

    monitor_class = MessageMonitor


class NtraceEnv(EncoderEnv):
    """Around ntrace_tb."""

    agent_classes: ClassVar[Mapping[str, Any]] = {**EncoderEnv.agent_classes, "stream": MessageAgent}
    scoreboard_class, sample_of = Scoreboard, staticmethod(_sample)

    @property
    def messages(self) -> uvm_analysis_port:
        """Gets every complete `Message` (DRIVE=pins)."""
        return self.stream.monitor.messages


class NtraceTest(EncoderTest):
    """Plays one job on an N-Trace encoder."""

    env_class, stimulus_of = NtraceEnv, staticmethod(stimulus)

    def pins(self) -> Pins:
        return layout.pins(self.stimulus.config)


TEST = NtraceTest
