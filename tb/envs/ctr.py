"""The environment of control transfer records: agents for retire stream and CSR port, scoreboard and coverage, and the test that plays one job."""

from __future__ import annotations

import json
from pathlib import Path
from typing import ClassVar

from scoreboards.ctr import check
from scoreboards.ctr_capture import CtrCapture
from scoreboards.ctr_knobs import Knobs
from scoreboards.verdict import Verdict
from tb.agents import ctr_rows
from tb.agents.csr_port import CsrAgent
from tb.agents.ctr_retire import RetireAgent
from tb.agents.pins import Pins, of_ctr
from tb.agents.port import PortAgent
from tb.coverage.ctr_points import sample
from tb.envs import encoder, ports
from tb.job import Job
from tb.sequences.ctr_software import entries_read
from tb.sequences.rows_stimulus import RowsStimulus


class Scoreboard(ports.PortScoreboard):
    """Every read value and every outcome (scoreboards/ctr.py)."""

    knobs_class = Knobs
    ports = ("retire", "csr")

    def captured(self, job: Job, stimulus: RowsStimulus, problems: list[str]) -> CtrCapture:
        rows = ctr_rows.joined(self.retire.got, self.csr.got)
        return CtrCapture(stimulus.config, rows, problems, job.exact, job.rerun, stimulus.program)

    def checked(self) -> Verdict:
        return check(self.capture, self.knobs)


class Coverage(encoder.Coverage):
    """The points of CTR."""

    def sample(self, capture: CtrCapture, verdict: Verdict) -> dict[str, dict[str, int]]:
        return sample(capture, verdict)


class CtrEnv(ports.PortEnv):
    """Around ctr_tb."""

    scoreboard_class, coverage_class = Scoreboard, Coverage
    agent_classes: ClassVar[dict[str, type[PortAgent]]] = {"retire": RetireAgent, "csr": CsrAgent}


class CtrTest(ports.PortTest):
    """Plays one job: transfers and accesses from the same clock edge on."""

    env_class, files = CtrEnv, ctr_rows

    def pins(self) -> Pins:
        return of_ctr(self.stimulus.config, self.noise())

    def check_phase(self) -> None:
        super().check_phase()
        _, capture = self.outcome
        if self.stimulus.program is not None:
            self.extra = {"entries": [record.to_dict() for record in entries_read(capture.rows, capture.config)]}

    def leave(self, out: Path) -> None:
        """config.json, rows.npz (what was on the ports), and of a program program.elf, retired.csv and entries.json."""
        _, capture = self.outcome
        self.leave_rows(out, capture)
        if self.stimulus.elf is not None:
            (out / "entries.json").write_text(json.dumps(self.extra["entries"], indent=1) + "\n")
