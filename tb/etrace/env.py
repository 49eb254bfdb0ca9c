# SPDX-License-Identifier: Apache-2.0
"""The E-Trace environment: agents, scoreboard and coverage around encoder and transport, and the test that plays one
job.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from pyuvm import uvm_analysis_port

from rvtrace.jobs.job import Job
from rvtrace.scoreboards.common.verdict import Verdict
from rvtrace.scoreboards.etrace.capture import EtraceCapture
from rvtrace.scoreboards.etrace.check import check
from rvtrace.scoreboards.etrace.legal import TRANSPORT
from rvtrace.scoreboards.etrace.tolerances import Tolerances
from rvtrace.tb.common import base
from rvtrace.tb.common.agents.files import OUT_BYTES
from rvtrace.tb.common.agents.pins import Pins
from rvtrace.tb.common.agents.stream import PacketAgent, Packets
from rvtrace.tb.common.encoder_env import EncoderEnv, EncoderTest
from rvtrace.tb.common.stimulus.stimulus import Stimulus
from rvtrace.tb.etrace.agents import layout
from rvtrace.tb.etrace.coverage.sampling import sample
from rvtrace.tb.etrace.stimulus.stimulus import stimulus

_WORD = 4  # bytes of a trace bus word


def atid(job: Job) -> int:
    """The ID of the job's source on the trace bus: one that is not reserved."""
    return random.Random(job.rng_path("atid")).randrange(0x01, 0x70)


class Scoreboard(base.Scoreboard):
    """Exact, lossless and legal (scoreboards/etrace/check.py)."""

    observed = ("ingress", "stream", "packets")
    check, tolerances_class = staticmethod(check), Tolerances
    ingress: base.Collector
    stream: base.Collector
    packets: base.Collector
    transported: bytes

    def captured(self, job: Job, stimulus: Stimulus, problems: list[str]) -> EtraceCapture:
        data, data_cycle = self.stream.got
        packets: Packets = self.packets.got
        atb_bytes = atb_id = None
        if stimulus.config.encapsulation == "atb":  # transfers of 8 bytes: ATDATA (4), ATBYTES, ATID, 0, 0
            words = np.frombuffer(data, np.uint8).reshape(-1, OUT_BYTES)
            data, data_cycle = words[:, :_WORD].tobytes(), np.repeat(data_cycle[::OUT_BYTES], _WORD)
            atb_bytes, atb_id = words[:, _WORD].copy(), words[:, _WORD + 1].copy()
        self.transported = data
        if job.dut:  # it ends at its packet port: what is after it is played by this bench, and not judged
            data = data_cycle = atb_bytes = atb_id = None
            problems = [text for text in problems if not TRANSPORT.search(text)]
        return EtraceCapture(
            config=stimulus.config,
            program=stimulus.program,
            packets=packets.payloads,
            types=packets.types,
            packet_cycle=packets.cycle,
            start=packets.start,
            time16=packets.time16,
            data=data,
            data_cycle=data_cycle,
            atb_bytes=atb_bytes,
            atb_id=atb_id,
            atid=atid(job),
            beats=self.ingress.got,
            problems=problems,
            exact=job.exact,
            rerun=job.rerun,
            queue=0 if job.dut else stimulus.config.fifo_depth,
            always_ready=not job.backpressure,
        )


def _sample(capture: EtraceCapture, verdict: Verdict) -> dict[str, dict[str, int]]:
    return sample(verdict.read or capture, verdict.decoded, verdict.encoded)


class EtraceEnv(EncoderEnv):
    """Around etrace_tb: also observes the packets between encoder and transport."""

    packets: PacketAgent
    agent_classes: ClassVar[Mapping[str, Any]] = {**EncoderEnv.agent_classes, "packets": PacketAgent}
    scoreboard_class, sample_of = Scoreboard, staticmethod(_sample)

    @property
    def messages(self) -> uvm_analysis_port:
        """Gets every `Packet` of the encoder (DRIVE=pins)."""
        return self.packets.monitor.messages


class EtraceTest(EncoderTest):
    """Plays one job on an E-Trace encoder with its transport."""

    env_class, stimulus_of = EtraceEnv, staticmethod(stimulus)

    def pins(self) -> Pins:
        return layout.pins(self.stimulus.config, atid(self.job))

    def sent(self, capture: EtraceCapture) -> bytes:
        """The transported bytes, also those of the transport that this bench adds to a device."""
        return self.env.scoreboard.transported

    def leave(self, out: Path) -> None:
        """What every capture leaves, trace.bin being the transported bytes; and packets.hex, one payload a line."""
        super().leave(out)
        _, capture = self.outcome
        (out / "packets.hex").write_text("".join(payload.hex() + "\n" for payload in capture.packets))


TEST = EtraceTest
