# SPDX-License-Identifier: Apache-2.0
"""The adapters between a core and trace sources: RVFI to the hart port, and the hart port to the ingress port."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any, ClassVar

from rvtrace.jobs.arguments import ArgumentError
from rvtrace.jobs.bench import SystemBench
from rvtrace.jobs.coverage import Definition
from rvtrace.jobs.job import Job
from rvtrace.models.adapter.config import Config
from rvtrace.models.riscv import recording
from rvtrace.scoreboards.adapter.judge import AdapterJudge
from rvtrace.tb.adapter.builds import BUILD
from rvtrace.tb.adapter.coverage.points import ADAPTER
from rvtrace.tb.adapter.stimulus.scenarios import BUILDS, DEFAULT, LEAN, RV32, SCENARIOS

_SIZE, _PROGRAM = 4000, 5000  # instructions of a walk; of a program
_WALKS = 12  # of the main job


class AdapterBench(SystemBench, AdapterJudge):
    """Both adapters, one after the other."""

    mutated: ClassVar[Mapping[str, tuple[str, ...]]] = {"adapter": ("adapters",)}
    scenarios: ClassVar[Mapping[str, Any]] = SCENARIOS
    definition: Definition = ADAPTER
    small: ClassVar[dict[str, Any]] = dict(RV32)
    build = BUILD
    drives = ("bulk",)  # a core cannot wait
    synthesis_top = ""
    synthesized = ()  # linted within the bench, which names their parameters
    linted = tuple(BUILD.of(Config.from_dict(build)).parameters for build in BUILDS)

    def programs(self, everything: bool = False) -> list[Job]:
        """On the build of their width; all: also without a trap port."""
        builds = [("rv64", DEFAULT), ("rv32", RV32), *([("lean", LEAN)] if everything else [])]
        return [
            Job(f"{name}-{what}", f"program:{name}", dict(build), ip=self.ip, size=_PROGRAM)
            for name in recording.names() for what, build in builds
        ]  # fmt: skip

    def walks(self, seed: int) -> list[Job]:
        """Some on every build."""
        return [self.random_job(seed + n) for n in range(_WALKS)]

    def random_job(self, seed: int, base: Mapping[str, Any] | None = None, size: int = _SIZE) -> Job:
        """A walk on one of the builds."""
        rng = Random(f"{seed}:regress:config")
        options = {**BUILDS[seed % len(BUILDS)], **(base or {})}
        return Job(
            f"seed-{seed}", "random", options, seed, size=min(size, _SIZE), gaps=rng.choice((0, 5, 30)),
            backpressure=rng.choice((0, 10, 50)), grouping=rng.choice(("longest", "random")), ip=self.ip,
        )  # fmt: skip

    def captured(self, job: Job) -> None:
        """It leaves none."""
        raise ArgumentError(self.unread)


BENCH = AdapterBench()
