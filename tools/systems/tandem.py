"""Tandem trace: everything that an instruction changes, for a verifier that runs beside the hart."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, ClassVar

from models.riscv import recording
from models.riscv.iss_config import virt
from models.tandem.config import Config
from models.tandem.decoder import decode
from models.tandem.encoder import encode
from models.tandem.profile import Profile
from models.tandem.simulator import reference
from models.tandem.verifier import Verifier
from scoreboards.clauses import Plan
from scoreboards.tandem import check, plan
from scoreboards.tandem_capture import TandemCapture
from scoreboards.tandem_knobs import Knobs
from tb.coverage.model import Definition
from tb.coverage.tandem_points import TANDEM
from tb.job import Job
from tb.sequences.tandem_builds import BUILDS, DEFAULT, DUAL, LEAN, RV32
from tb.sequences.tandem_programs import program_rows
from tb.sequences.tandem_scenarios import SCENARIOS
from tools import draw_tandem, listing_tandem, tandem_check
from tools.arguments import ArgumentError
from tools.builds import TandemBuild
from tools.systems.base import System


class TandemSystem(System):
    """The tandem-trace encoder."""

    ip, title, config, knobs = "tandem", "Tandem trace", Config, Knobs
    left = (*System.left, "rows.npz")
    more_words: ClassVar[dict[str, str]] = {"ABSENT": "option absent, parts that are not traced, joined by commas (models/tandem/table.py), default none"}
    scenarios: ClassVar[Mapping[str, Any]] = SCENARIOS
    small: ClassVar[dict[str, Any]] = dict(RV32)
    bench = TandemBuild.BENCH
    listing = listing_tandem
    synthesis_top = "tandem"
    synthesized = ({"Xlen": 64, "NLanes": 1}, {"Xlen": 32, "Mlen": 32, "Flen": 0, "NLanes": 1}, {"Xlen": 64, "NLanes": 2, "Incremental": 2})
    linted: ClassVar[tuple[dict[str, Any], ...]] = tuple(asdict(TandemBuild.of(Config.from_dict(build))) for build in BUILDS.values())
    modelled_as = "with what loads them"
    own_check = staticmethod(tandem_check.main)

    @property
    def definition(self) -> Definition:
        """tb/coverage/tandem_points.py."""
        return TANDEM

    def build_of(self, job: Job) -> TandemBuild:
        """That of tandem_tb."""
        return TandemBuild.of(job.settings)

    def programs(self, everything: bool = False) -> list[Job]:
        """RV64 as recorded, RV32 with everything a hart could tell and an output that waits; all: the other implementations as well."""
        builds: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
            ("full", DEFAULT, {}), ("dual", RV32, {"grouping": "random", "gaps": 10, "backpressure": 30}),
        ]  # fmt: skip
        if everything:
            builds += [("more", DUAL, {"grouping": "random"}), ("lean", LEAN, {"backpressure": 10})]
        return [
            Job(f"{name}-rv{build.get('xlen', 64)}-{what}", f"program:{name}", dict(build), ip=self.ip, **more)
            for name in recording.names() for what, build, more in builds
        ]  # fmt: skip

    def described(self, config: Config) -> str:
        """Width, lanes, forms, what is left out."""
        forms = ("full values", "pc and fcsr by steps", "all by steps")[config.incremental]
        return f"RV{config.xlen} {config.lanes} lane{'s'[: config.lanes - 1]}, {forms}{', without ' + '+'.join(config.absent) if config.absent else ''}"

    def drawn(self, seed: int, base: Mapping[str, Any] | None = None, size: int = 20_000) -> Job:
        """Random rows in a random implementation."""
        return draw_tandem.drawn(seed, base, size)

    def capture(self, config: Config, program: Any, data: bytes, beats: Any, retired: Any, rerun: str) -> TandemCapture:
        """One of files."""
        return TandemCapture(config, None, data, exact=False, rerun=rerun, program=program, retired=retired)

    def check(self, capture: TandemCapture, knobs: Knobs | None = None) -> Any:
        """Exact, lossless, legal, and programs through the verifier."""
        return check(capture, knobs)

    @property
    def plan(self) -> Plan | None:
        """tests/plan/tandem.toml."""
        return plan()

    def modelled(self, program: str) -> list[tuple[int, list[tuple[str, Callable[[], Any]]]]]:
        """Encoder model, decoder and verifier."""
        run, config = recording.load(program, 64), Config()
        rows = program_rows(run, config)
        data = encode(rows, config).data
        decoded = decode(data, config)
        return [(len(run.retired), [
            ("tandem encoder model", lambda: encode(rows, config)),
            ("tandem decoder", lambda: decode(data, config)),
            ("tandem verifier", lambda: Verifier(reference(64), Profile.of(config, virt(64)), program=run.program).run(decoded, data)),
        ])]  # fmt: skip

    def summary(self, result: Mapping[str, Any]) -> str:
        """What a run did."""
        stats = result.get("stats", {})
        instructions = int(stats.get("instructions", 0))
        each = f"{stats.get('bytes', 0) / instructions:6.2f} bytes/insn" if instructions else ""
        return f"{int(stats.get('groups', 0)):>8} groups {instructions:>8} insns {int(stats.get('bytes', 0)):>8} bytes  {each}"

    def captured(self, job: Job) -> None:
        """A capture is of a program, which a verifier needs."""
        if not job.source.startswith("program:"):
            raise ArgumentError(f"{job.source} is no program that a verifier could run; give PROGRAM=<name> (`make list IP=tandem` has them)")


SYSTEM = TandemSystem()
