"""The N-Trace environment: agents, scoreboard and coverage around one encoder, and the test that plays one job."""

from __future__ import annotations

from scoreboards.capture import Capture
from scoreboards.ntrace import check
from scoreboards.ntrace_knobs import Knobs
from scoreboards.verdict import Verdict
from tb.agents.pins import Pins, of_ntrace
from tb.coverage.points import sample
from tb.envs import encoder
from tb.job import Job
from tb.sequences.stimulus import Stimulus


class Scoreboard(encoder.Scoreboard):
    """Exact, lossless and legal (scoreboards/ntrace.py)."""

    knobs_class = Knobs

    def captured(self, job: Job, stimulus: Stimulus, problems: list[str]) -> Capture:
        data, out_cycle = self.stream.got
        return Capture(
            config=stimulus.config, program=stimulus.program, data=data, beats=self.ingress.got, out_cycle=out_cycle,
            problems=problems, exact=job.exact, rerun=job.rerun,
        )  # fmt: skip

    def checked(self) -> Verdict:
        return check(self.capture, self.knobs)


class Coverage(encoder.Coverage):
    """The points of N-Trace."""

    def sample(self, capture: Capture, verdict: Verdict) -> dict[str, dict[str, int]]:
        return sample(capture, verdict.decoded, verdict.encoded)


class NtraceEnv(encoder.EncoderEnv):
    """Around ntrace_tb."""

    scoreboard_class, coverage_class = Scoreboard, Coverage


class NtraceTest(encoder.EncoderTest):
    """Plays one job."""

    env_class = NtraceEnv

    def pins(self) -> Pins:
        return of_ntrace(self.stimulus.config)
