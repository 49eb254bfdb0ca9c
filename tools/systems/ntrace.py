"""N-Trace: Nexus messages, and the trace system with its control registers around the encoder."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar

from models.ntrace.config import MODES, VARIANTS, Config
from models.ntrace.decoder import decode
from models.ntrace.encoder import Encoder
from models.riscv import recording
from scoreboards.capture import Capture
from scoreboards.clauses import Plan
from scoreboards.ntrace import Verdict, check, plan
from scoreboards.ntrace_knobs import Knobs
from tb.coverage.model import Definition
from tb.coverage.points import DEFINITIONS
from tb.job import Job
from tb.sequences.ntrace_scenarios import SCENARIOS
from tb.sequences.ntrace_scenarios_base import SMALL
from tb.sequences.stimulus import stimulus
from tb.system_job import TS_WIDTH, SystemJob
from tools import draw, listing_ntrace
from tools.arguments import number
from tools.bits import Method, Sizes
from tools.builds import Bench, BuildConfig
from tools.system import SystemBuild, stories
from tools.systems.base import System

SIZES = Sizes(
    methods=(
        Method("BTM", {"mode": "btm"}, (1.773, 1.400)),
        Method("HTM", {"mode": "htm"}, (0.537, 0.440)),
        Method("HTM + repeated history", {"mode": "htm", "repeated_history": 1}, (0.462, 0.419)),
        Method("HTM + implicit return", {"mode": "htm", "implicit_return": 3}, (0.291, 0.245)),
        Method("HTM + both", {"mode": "htm", "implicit_return": 3, "repeated_history": 1}, (0.213, 0.220)),
    ),
    extras={
        "none": {},
        "timestamps": {"timestamp": 1},
        "source of 6 bits": {"src_bits": 6},
        "periodic sync, 256 messages": {"inst_sync_mode": 1, "inst_sync_max": 4},
        "all three": {"timestamp": 1, "src_bits": 6, "inst_sync_mode": 1, "inst_sync_max": 4},
    },
    free=frozenset({"variant", "xlen", "ip", "src_id", "b_type"}),
    default=Config().to_dict(),
    about="32 other programs",
)  # fmt: skip
_STORY = 10  # in a regression one seed in so many is a story of the trace system


def programs(
    xlens: Iterable[int] = (64,), modes: Iterable[str] = tuple(MODES), variants: Iterable[str] = VARIANTS[:1]
) -> list[Job]:
    """Every recorded program in each combination."""
    return [
        Job(f"{name}-rv{xlen}-{mode}-{variant}", f"program:{name}", {"xlen": xlen, "mode": mode, "variant": variant})
        for variant in variants for xlen in xlens for name in recording.names() for mode in modes
    ]  # fmt: skip


class NTrace(System):
    """The N-Trace encoder, and the trace system around it."""

    ip, title, parts, config, sizes, knobs = "ntrace", "N-Trace", ("control",), Config, SIZES, Knobs
    listing = listing_ntrace
    synthesis_top = "ntrace_encoder"
    synthesized = ({"Xlen": 64, "NBlocks": 1}, {"Xlen": 32, "NBlocks": 1}, {"Xlen": 64, "NBlocks": 2})
    linted: ClassVar[tuple[dict[str, int], ...]] = ({"Xlen": 64, "NBlocks": 1}, {"Xlen": 32, "NBlocks": 2})
    around = (("trace_system", SystemBuild.BENCH, linted),)
    modelled_as = "in HTM and BTM"
    scenarios: Mapping[str, Any] = SCENARIOS
    definition: Definition = DEFINITIONS["ntrace"]
    small: dict[str, Any] = dict(SMALL)
    bench = Bench()

    def build_of(self, job: Job) -> BuildConfig:
        """That of ntrace_tb, or of the trace system."""
        return SystemBuild.of_job(job) if isinstance(job, SystemJob) else BuildConfig.of(job.settings)

    def programs(self, everything: bool = False) -> list[Job]:
        """RV64 and RV32 in HTM and BTM; all: in both variants."""
        return programs((64, 32), variants=VARIANTS if everything else VARIANTS[:1])

    def described(self, config: Config) -> str:
        """Variant, mode and width."""
        return f"{config.variant} {config.mode.upper()} RV{config.xlen}"

    def capture(self, config: Config, program: Any, data: bytes, beats: Any, retired: Any, rerun: str) -> Capture:
        """One of files."""
        return Capture(config, program, data, beats, retired, rerun=rerun)

    def check(self, capture: Capture, knobs: Knobs) -> Verdict:
        """Exact, lossless and legal."""
        return check(capture, knobs)

    @property
    def plan(self) -> Plan | None:
        """tests/plan/ntrace.toml."""
        return plan()

    def drawn(self, seed: int, base: Mapping[str, Any] | None = None, size: int = 20_000) -> Job:
        """A random walk in a random configuration."""
        return draw.drawn(seed, base, size)

    def regressed(self, seed: int, base: Mapping[str, Any] | None = None, size: int = 20_000) -> Job:
        """The encoder alone for most seeds, every tenth the whole trace system behind its registers."""
        return draw.drawn(seed, base, size) if seed % _STORY else draw.drawn_story(seed, base)

    def modelled(self, program: str) -> list[tuple[int, list[tuple[str, Callable[[], Any]]]]]:
        """Encoder model and decoder in both modes."""
        found = []
        for mode in MODES:
            config, what = Config(mode=mode), stimulus(Job("perf", f"program:{program}", {"mode": mode}))
            data = Encoder(config).run(what.beats).data
            found.append((int((what.retired.kind == 0).sum()), [
                ("encoder model", lambda c=config, w=what: Encoder(c).run(w.beats)),
                ("decoder", lambda c=config, w=what, d=data: decode(d, w.program, c)),
            ]))  # fmt: skip
        return found

    def stories(self, sim: str, seed: int = 1) -> list[SystemJob]:
        """Those of the trace system."""
        return stories(sim, seed=seed)

    def story(self, given: Mapping[str, str]) -> SystemJob:
        """A run of the trace system: PROGRAM= is what its harts run."""
        job = SystemJob(
            given["SOURCE"].partition(":")[2], given["SOURCE"], Config.from_dict({"ts_width": TS_WIDTH} | self.options(given)).to_dict(),
            number(given, "SEED", 1), sim=given.get("SIM", "verilator"), program=given.get("PROGRAM", "random"),
        )  # fmt: skip
        job.size = number(given, "SIZE", job.size)
        return job


SYSTEM = NTrace()
