"""The environment of the loop: agents for all ports of counters and control transfer records on one hart, scoreboard and coverage."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from cocotb.triggers import FallingEdge
from pyuvm import ConfigDB

from models.ctr.rows import NO_ACCESS
from scoreboards.ctr_capture import CtrCapture
from scoreboards.hpm_capture import HpmCapture
from scoreboards.loop import check
from scoreboards.loop_capture import LoopCapture
from scoreboards.verdict import Verdict
from tb.agents import ctr_rows, hpm_rows
from tb.agents.csr_port import CsrAgent
from tb.agents.ctr_retire import RetireAgent
from tb.agents.hpm_hart import HartAgent, StateAgent
from tb.agents.loop_cycles import LoopAgent
from tb.agents.pins import Pins, of_ctr, of_hpm
from tb.agents.port import PortAgent
from tb.coverage.loop_points import sample
from tb.envs import encoder, ports
from tb.envs.ports import PlayRows
from tb.job import Job
from tb.sequences.loop_play import of_ctr as in_ctr
from tb.sequences.loop_stimulus import LoopStimulus


class Scoreboard(ports.PortScoreboard):
    """Every step of the loop (scoreboards/loop.py). An access is seen by the block that its address belongs to, one of nobody by both."""

    ports = ("hart", "csr", "state", "retire", "records")

    def captured(self, job: Job, stimulus: LoopStimulus, problems: list[str]) -> LoopCapture:
        config, hart = stimulus.config, stimulus.hart
        rows, state = hpm_rows.joined(self.hart.got, self._of(self.csr.got, config, False), self.state.got)
        records = ctr_rows.joined(self.retire.got, self._of(self.records.got, config, True))
        return LoopCapture(
            config, HpmCapture(config.hpm, rows, state, [], job.exact, job.rerun), CtrCapture(config.ctr, records, [], job.exact, job.rerun),
            hart.record, hart.result or [], stimulus.model_record, stimulus.model_samples, [*problems, *hart.problems], hart.memory.problems, job.exact, job.rerun,
        )  # fmt: skip

    @staticmethod
    def _of(accesses: Any, config: Any, records: bool) -> Any:
        mine = np.array([in_ctr(int(address), config) == records for address in accesses.addr], bool)
        return accesses.select(mine & (accesses.op != NO_ACCESS))

    def checked(self) -> Verdict:
        return check(self.capture)


class Coverage(encoder.Coverage):
    """The points of the loop."""

    def sample(self, capture: LoopCapture, verdict: Verdict) -> dict[str, dict[str, int]]:
        return sample(capture, verdict)


class LoopEnv(ports.PortEnv):
    """Around loop_tb; all agents but `cycles` only watch."""

    scoreboard_class, coverage_class = Scoreboard, Coverage
    agent_classes: ClassVar[dict[str, type[PortAgent]]] = {
        "hart": HartAgent, "csr": CsrAgent, "state": StateAgent, "retire": RetireAgent, "records": CsrAgent,
    }  # fmt: skip

    def build_phase(self) -> None:
        super().build_phase()
        self.cycles = LoopAgent("cycles", self)

    def stop(self) -> None:
        super().stop()
        self.cycles.driver.task.cancel()


class LoopTest(ports.PortTest):
    """Plays one job."""

    env_class, files = LoopEnv, hpm_rows

    def build_phase(self) -> None:
        super().build_phase()
        records = of_ctr(self.stimulus.config.ctr, 0)
        ConfigDB().set(self, "*", "RECORD_PINS", records)
        for name in ("retire", "records"):
            ConfigDB().set(self, f"env.{name}*", "PINS", records)
            ConfigDB().set(self, f"env.{name}*", "FILES", ctr_rows)

    def pins(self) -> Pins:
        from dataclasses import replace

        return replace(of_hpm(self.stimulus.config.hpm, 0), static={}, player=())

    async def story(self) -> None:
        driver = self.env.cycles.driver
        await PlayRows("play", self.stimulus.playing()).start(self.env.cycles.sequencer)
        await FallingEdge(driver.clock)

    def check_phase(self) -> None:
        encoder.EncoderTest.check_phase(self)

    def leave(self, out: Path) -> None:
        """config.json, calls.jsonl (the record), and the rows of both blocks."""
        _, capture = self.outcome
        (out / "config.json").write_text(json.dumps(capture.config.to_dict(), indent=2) + "\n")
        capture.record.save(out / "calls.jsonl")
        capture.hpm.rows.save(out / "rows.npz")
        capture.ctr.rows.save(out / "records.npz")
