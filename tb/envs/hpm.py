"""The environment of a counter block: agents for the hart, the CSR port and the state ports, scoreboard and coverage, and the test that plays one job."""

from __future__ import annotations

import json
from pathlib import Path
from typing import ClassVar

from scoreboards.hpm import check
from scoreboards.hpm_capture import HpmCapture
from scoreboards.hpm_knobs import Knobs
from scoreboards.verdict import Verdict
from tb.agents import hpm_rows
from tb.agents.csr_port import CsrAgent
from tb.agents.hpm_hart import HartAgent, StateAgent
from tb.agents.pins import Pins, of_hpm
from tb.agents.port import PortAgent
from tb.coverage.hpm_points import sample
from tb.envs import encoder, ports
from tb.job import Job
from tb.sequences.hpm_programs import counters_read
from tb.sequences.rows_stimulus import RowsStimulus


class Scoreboard(ports.PortScoreboard):
    """Every counter, OF bit, LCOFIP and LCOFIE in every cycle, every value read and every outcome (scoreboards/hpm.py)."""

    knobs_class = Knobs
    ports = ("hart", "csr", "state")

    def captured(self, job: Job, stimulus: RowsStimulus, problems: list[str]) -> HpmCapture:
        rows, state = hpm_rows.joined(self.hart.got, self.csr.got, self.state.got)
        return HpmCapture(stimulus.config, rows, state if job.exact else None, problems, job.exact, job.rerun, stimulus.program)

    def checked(self) -> Verdict:
        return check(self.capture, self.knobs)


class Coverage(encoder.Coverage):
    """The points of the counters."""

    def sample(self, capture: HpmCapture, verdict: Verdict) -> dict[str, dict[str, int]]:
        return sample(capture, verdict)


class HpmEnv(ports.PortEnv):
    """Around hpm_tb."""

    scoreboard_class, coverage_class = Scoreboard, Coverage
    agent_classes: ClassVar[dict[str, type[PortAgent]]] = {"hart": HartAgent, "csr": CsrAgent, "state": StateAgent}


class HpmTest(ports.PortTest):
    """Plays one job: what the hart does and accesses from the same clock edge on."""

    env_class, files = HpmEnv, hpm_rows

    def pins(self) -> Pins:
        return of_hpm(self.stimulus.config, self.noise())

    def check_phase(self) -> None:
        super().check_phase()
        _, capture = self.outcome
        if self.stimulus.program is not None:
            self.extra = {"counters": counters_read(capture.rows, capture.config)}

    def leave(self, out: Path) -> None:
        """config.json, rows.npz and state.npz (what was on the ports), and of a program program.elf, retired.csv and counters.json."""
        _, capture = self.outcome
        self.leave_rows(out, capture)
        if capture.state is not None:
            hpm_rows.save_state(out / "state.npz", capture.state)
        if self.stimulus.elf is not None:
            (out / "counters.json").write_text(json.dumps(self.extra["counters"], indent=1) + "\n")
