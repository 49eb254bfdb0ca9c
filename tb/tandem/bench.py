# SPDX-License-Identifier: Apache-2.0
"""Tandem trace: everything that an instruction changes, for a verifier that runs beside the hart."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from rvtrace.jobs.bench import SystemBench
from rvtrace.jobs.coverage import Definition
from rvtrace.jobs.job import Job
from rvtrace.models.riscv import recording
from rvtrace.models.riscv.iss.config import virt
from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.decoder.decode import decode
from rvtrace.models.tandem.encoder.encode import encode
from rvtrace.models.tandem.simulator.interface import reference
from rvtrace.models.tandem.verifier.profile import Profile
from rvtrace.models.tandem.verifier.verify import Verifier
from rvtrace.scoreboards.tandem.judge import TandemJudge
from rvtrace.tb.tandem.builds import BUILD
from rvtrace.tb.tandem.coverage.points import TANDEM
from rvtrace.tb.tandem.stimulus.builds import BUILDS, DEFAULT, DUAL, LEAN, RV32
from rvtrace.tb.tandem.stimulus.programs import program_rows
from rvtrace.tb.tandem.stimulus.random_jobs import random_job
from rvtrace.tb.tandem.stimulus.scenarios import SCENARIOS


class TandemBench(SystemBench, TandemJudge):
    """The tandem-trace encoder."""

    areas = (
        ("RV64", {"Xlen": "64", "NLanes": "1"}),
        ("RV32, no floating point", {"Xlen": "32", "Mlen": "32", "Flen": "0", "NLanes": "1"}),
    )
    mutated: ClassVar[Mapping[str, tuple[str, ...]]] = {"tandem": ("tandem",)}
    scenarios: ClassVar[Mapping[str, Any]] = SCENARIOS
    random_job = staticmethod(random_job)
    definition: Definition = TANDEM
    capture_lacks = "is no program that a verifier could run"
    small: ClassVar[dict[str, Any]] = dict(RV32)
    build = BUILD
    synthesis_top = "tandem"
    synthesized = (
        {"Xlen": 64, "NLanes": 1},
        {"Xlen": 32, "Mlen": 32, "Flen": 0, "NLanes": 1},
        {"Xlen": 64, "NLanes": 2, "Incremental": 2},
    )
    linted: ClassVar[tuple[dict[str, Any], ...]] = tuple(
        BUILD.of(Config.from_dict(build)).parameters for build in BUILDS.values()
    )
    modelled_as = "with what loads them"

    def programs(self, everything: bool = False) -> list[Job]:
        """RV64 as recorded, RV32 with everything a hart could report and an output that waits; all: the other
        implementations as well.
        """
        builds: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
            ("full", DEFAULT, {}), ("dual", RV32, {"grouping": "random", "gaps": 10, "backpressure": 30}),
        ]  # fmt: skip
        if everything:
            builds += [("more", DUAL, {"grouping": "random"}), ("lean", LEAN, {"backpressure": 10})]
        return [
            Job(f"{name}-rv{build.get('xlen', 64)}-{what}", f"program:{name}", dict(build), ip=self.ip, **more)
            for name in recording.names() for what, build, more in builds
        ]  # fmt: skip

    def modelled(self, program: str) -> list[tuple[int, list[tuple[str, Callable[[], Any]]]]]:
        """Encoder model, decoder and verifier."""
        run, config = recording.load(program, 64), Config()
        rows = program_rows(run, config)
        data = encode(rows, config).data
        decoded = decode(data, config)
        return [
            (
                len(run.retired),
                [
                    ("tandem encoder model", lambda: encode(rows, config)),
                    ("tandem decoder", lambda: decode(data, config)),
                    (
                        "tandem verifier",
                        lambda: Verifier(reference(64), Profile.of(config, virt(64)), program=run.program).run(
                            decoded, data
                        ),
                    ),
                ],
            )
        ]


BENCH = TandemBench()
