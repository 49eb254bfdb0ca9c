"""The E-Trace environment: agents, scoreboard and coverage around encoder and transport, and the test that plays one job."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np

from scoreboards.etrace import check
from scoreboards.etrace_capture import EtraceCapture
from scoreboards.etrace_knobs import Knobs
from scoreboards.verdict import Verdict
from tb.agents.pins import Pins, of_etrace
from tb.agents.rows import OUT_BYTES
from tb.agents.stream import PacketAgent, Packets
from tb.coverage.etrace_points import sample
from tb.envs import encoder
from tb.job import Job
from tb.sequences.stimulus import Stimulus

_WORD = 4  # bytes of a trace bus word


def atid(job: Job) -> int:
    """The ID of the job's source on the trace bus: one that is not reserved."""
    return random.Random(job.rng_path("atid")).randrange(0x01, 0x70)


class Scoreboard(encoder.Scoreboard):
    """Exact, lossless and legal (scoreboards/etrace.py)."""

    knobs_class = Knobs

    def build_phase(self) -> None:
        super().build_phase()
        self.packets = encoder.Listener("packets", self)

    def captured(self, job: Job, stimulus: Stimulus, problems: list[str]) -> EtraceCapture:
        data, data_cycle = self.stream.got
        packets: Packets = self.packets.got
        atb_bytes = atb_id = None
        if stimulus.config.encapsulation == "atb":  # transfers of 8 bytes: ATDATA (4), ATBYTES, ATID, 0, 0
            words = np.frombuffer(data, np.uint8).reshape(-1, OUT_BYTES)
            data, data_cycle = words[:, :_WORD].tobytes(), np.repeat(data_cycle[::OUT_BYTES], _WORD)
            atb_bytes, atb_id = words[:, _WORD].copy(), words[:, _WORD + 1].copy()
        return EtraceCapture(
            config=stimulus.config, program=stimulus.program, packets=packets.payloads, types=packets.types, packet_cycle=packets.cycle,
            start=packets.start, time16=packets.time16, data=data, data_cycle=data_cycle, atb_bytes=atb_bytes, atb_id=atb_id,
            atid=atid(job), beats=self.ingress.got, problems=problems, exact=job.exact, rerun=job.rerun,
        )  # fmt: skip

    def checked(self) -> Verdict:
        return check(self.capture, self.knobs)


class Coverage(encoder.Coverage):
    """The points of E-Trace."""

    def sample(self, capture: EtraceCapture, verdict: Verdict) -> dict[str, dict[str, int]]:
        return sample(capture, verdict.decoded, verdict.encoded)


class EtraceEnv(encoder.EncoderEnv):
    """Around etrace_tb: also sees the packets between encoder and transport."""

    scoreboard_class, coverage_class = Scoreboard, Coverage

    def build_phase(self) -> None:
        super().build_phase()
        self.packets = PacketAgent("packets", self)
        self.monitors.append(self.packets)


class EtraceTest(encoder.EncoderTest):
    """Plays one job."""

    env_class = EtraceEnv

    def pins(self) -> Pins:
        return of_etrace(self.stimulus.config, atid(self.job))

    def leave(self, out: Path) -> None:
        """What every capture leaves, trace.bin being the transported bytes; and packets.hex, one payload a line."""
        super().leave(out)
        _, capture = self.outcome
        (out / "packets.hex").write_text("".join(payload.hex() + "\n" for payload in capture.packets))
