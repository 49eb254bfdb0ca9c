"""The environment of the tandem-trace encoder: agents for rows and trace, scoreboard and coverage, and the test that plays one job."""

from __future__ import annotations

import json
import random
from pathlib import Path

from scoreboards.tandem import check
from scoreboards.tandem_capture import TandemCapture
from scoreboards.tandem_knobs import Knobs
from scoreboards.verdict import Verdict
from tb.agents import port_files
from tb.agents.pins import Pins, of_tandem
from tb.agents.tandem import RowsAgent, WordsAgent
from tb.coverage.tandem_points import sample
from tb.envs import encoder
from tb.job import Job
from tb.sequences.tandem_rows import TandemStimulus


class Scoreboard(encoder.Scoreboard):
    """Exact, lossless, legal, and programs through the verifier (scoreboards/tandem.py)."""

    knobs_class = Knobs

    def captured(self, job: Job, stimulus: TandemStimulus, problems: list[str]) -> TandemCapture:
        rows, errors = self.ingress.got
        data, marks = self.stream.got
        gaps = None if job.backpressure else port_files.gaps(stimulus.beats.cycle)
        return TandemCapture(
            stimulus.config, rows, data, marks, errors, problems, job.exact, job.rerun, stimulus.program, stimulus.retired,
            gaps, self.get_parent().stream.monitor.width,
        )  # fmt: skip

    def checked(self) -> Verdict:
        return check(self.capture, self.knobs)


class Coverage(encoder.Coverage):
    """The points of the tandem trace."""

    def sample(self, capture: TandemCapture, verdict: Verdict) -> dict[str, dict[str, int]]:
        return sample(capture, verdict)


class TandemEnv(encoder.EncoderEnv):
    """Around tandem_tb."""

    scoreboard_class, coverage_class = Scoreboard, Coverage
    ingress_class, stream_class = RowsAgent, WordsAgent


class TandemTest(encoder.EncoderTest):
    """Plays one job."""

    env_class = TandemEnv

    def pins(self) -> Pins:
        return of_tandem(self.stimulus.config, random.Random(self.job.rng_path("noise")).getrandbits(32))

    def leave(self, out: Path) -> None:
        """trace.bin, config.json, rows.npz (what was on the ports), and of a program program.elf and retired.csv."""
        _, capture = self.outcome
        (out / "trace.bin").write_bytes(capture.data)
        (out / "config.json").write_text(json.dumps(capture.config.to_dict(), indent=2) + "\n")
        capture.rows.save(out / "rows.npz")
        if self.stimulus.elf is not None:
            (out / "program.elf").write_bytes(self.stimulus.elf.read_bytes())
            self.stimulus.retired.to_csv(out / "retired.csv")
