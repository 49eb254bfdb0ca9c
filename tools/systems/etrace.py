"""E-Trace: branch-trace packets and their transport."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar

from models.etrace.config import Config
from models.etrace.decoder import decode
from models.etrace.deframe import deframe
from models.etrace.encapsulate import encapsulate
from models.etrace.encoder import Encoder
from models.etrace.packets import MAX_PAYLOAD, OPTIONS
from models.riscv import recording
from scoreboards.clauses import Plan
from scoreboards.etrace import check, plan
from scoreboards.etrace_capture import EtraceCapture
from scoreboards.etrace_knobs import Knobs
from tb.coverage.model import Definition
from tb.job import Job
from tb.sequences.etrace_scenarios import SCENARIOS
from tb.sequences.etrace_scenarios_base import SMALL
from tb.sequences.etrace_stimulus import stimulus
from tb.sequences.system import ETRACE_STORIES
from tb.sequences.system_etrace_hart import possible
from tb.system_job import DEFAULTS, SystemJob
from tools import draw_etrace, listing_etrace
from tools.arguments import ArgumentError, number
from tools.bits import Method, Sizes
from tools.builds import EtraceBuild
from tools.system import EtraceSystemBuild, stories
from tools.systems.base import System

_STORY = 10  # in a regression one seed in so many is a story of the trace system
_PREDICTED = {"branch_prediction": 1}
_CACHED = {"jump_target_cache": 1}
_RETURNS = {"implicit_return": 1}
SIZES = Sizes(
    methods=(
        Method("no option", {}, (0.523, None)),
        Method("jump target cache", _CACHED),
        Method("branch prediction", _PREDICTED),
        Method("implicit return", _RETURNS, (0.202, None)),
        Method("all three", _PREDICTED | _CACHED | _RETURNS),
        Method("full address", {"full_address": 1}),
    ),
    extras={
        "none": {},
        "time of 32 bits": {"notime_p": 0},
        "source of 8 bits": {"index_width": 8},
        "periodic sync, 256 packets": {"inst_sync_mode": 1, "inst_sync_max": 4},
        "all three": {"notime_p": 0, "index_width": 8, "inst_sync_mode": 1, "inst_sync_max": 4},
    },
    free=frozenset({"ip", "iaddress_width_p", "ctype", "trap_vectors", "framing", "flow", "block_bytes"}),
    default=Config().to_dict(),
    about="other programs (nine with implicit return, six without)",
)  # fmt: skip


class ETrace(System):
    """The E-Trace encoder with its transport."""

    ip, title, parts, config, sizes, knobs = "etrace", "E-Trace", ("control",), Config, SIZES, Knobs
    listing = listing_etrace
    scenarios: Mapping[str, Any] = SCENARIOS
    small: dict[str, Any] = dict(SMALL)
    bench = EtraceBuild.BENCH
    xlen_names = ("xlen", "iaddress_width_p")
    more_words: ClassVar[dict[str, str]] = {"XLEN": "32 or 64: IADDRESS_WIDTH_P", "BLOCKS": "BLOCKS_P"}
    whole = "transported"
    synthesis_top = "etrace_encoder"
    synthesized = ({"IAddressWidth": 64, "NBlocks": 1}, {"IAddressWidth": 32, "NBlocks": 1}, {"IAddressWidth": 64, "NBlocks": 2})
    linted = (
        {}, {"IAddressWidth": 32, "IAddressLsb": 2, "NBlocks": 2, "ReturnStackSize": 0, "CallCounterSize": 2, "CacheSize": 0, "F0sWidth": 0, "PrivilegeWidth": 2},
        {"NBlocks": 4, "BpredSize": 0, "NoTime": 0, "TimeWidth": 64, "NoContext": 1, "SijumpEn": 0, "BcountBits": 3},
    )
    around = (("trace_system", EtraceSystemBuild.BENCH, ({"Format": 0}, {"Format": 0, "Xlen": 32, "NBlocks": 2, "ReturnStackSize": 0, "CallCounterSize": 3})),)
    modelled_as = "without options and with prediction, cache and implicit return"
    left = (*System.left, "packets.hex")
    claims: ClassVar[dict[str, Any]] = {"sijump_returns": 1}

    @property
    def definition(self) -> Definition:
        """tb/coverage/etrace_points.py."""
        from tb.coverage.etrace_points import ETRACE

        return ETRACE

    def build_of(self, job: Job) -> EtraceBuild | EtraceSystemBuild:
        """That of etrace_tb, or of the trace system."""
        return EtraceSystemBuild.of_job(job) if isinstance(job, SystemJob) else EtraceBuild.of(job.settings)

    def programs(self, everything: bool = False) -> list[Job]:
        """RV64 and RV32, plain and with the compression options; all: in both variants."""
        options: list[tuple[str, dict[str, Any]]] = [("plain", {}), ("options", _PREDICTED | _CACHED | _RETURNS | {"sijump": 1})]
        if everything:
            options += [("draft", {"variant": "draft_0_026"}), ("draft-options", {"variant": "draft_0_026", **_PREDICTED})]
        return [
            Job(f"{name}-rv{xlen}-{what}", f"program:{name}", {"xlen": xlen, **chosen}, ip=self.ip)
            for what, chosen in options for xlen in (64, 32) for name in recording.names()
        ]  # fmt: skip

    def described(self, config: Config) -> str:
        """Variant, width and the options that are on."""
        on = [name for name, value in config.options.items() if value]
        return f"{config.variant} RV{config.xlen} {'+'.join(on) or 'no option'}"

    def read(self, trace: Path, config: Config) -> bytes:
        """The transported bytes; payloads of a .hex file, one a line, are given a transport."""
        if trace.suffix != ".hex":
            return trace.read_bytes()
        payloads = []
        for place, line in enumerate(trace.read_text(errors="replace").split("\n"), 1):
            try:
                payloads.append(bytes.fromhex(line))
                if len(payloads[-1]) > MAX_PAYLOAD:
                    raise ValueError
            except ValueError:
                raise ArgumentError(f"{trace} line {place}: {line[:40]!r} is no payload; give one payload of at most {MAX_PAYLOAD} bytes a line, in hexadecimal digits") from None
        payloads = [payload for payload in payloads if payload]
        starts = [payload[0] & 0xF == 3 for payload in payloads]  # format 3, subformat 0
        return encapsulate(payloads, starts, [0] * len(payloads), config)

    def capture(self, config: Config, program: Any, data: bytes, beats: Any, retired: Any, rerun: str) -> EtraceCapture:
        """One of files: the packets are those of the transported bytes."""
        payloads, _, damage = deframe(data, config)
        return EtraceCapture(config, program, payloads, data=data, beats=beats, given=retired, rerun=rerun, problems=[str(d) for d in damage])

    def check(self, capture: EtraceCapture, knobs: Knobs) -> Any:
        """Exact, lossless and legal."""
        return check(capture, knobs)

    @property
    def plan(self) -> Plan | None:
        """tests/plan/etrace.toml."""
        return plan()

    def modelled(self, program: str) -> list[tuple[int, list[tuple[str, Callable[[], Any]]]]]:
        """Encoder model and decoder without options and with those that compress."""
        found = []
        for options in ({}, _PREDICTED | _CACHED | _RETURNS):
            what = stimulus(Job("perf", f"program:{program}", dict(options), ip=self.ip))
            payloads = Encoder(what.config).run(what.beats).payloads
            found.append((int((what.retired.kind == 0).sum()), [
                ("encoder model", lambda w=what: Encoder(w.config).run(w.beats)),
                ("decoder", lambda w=what, p=payloads: decode(p, w.program, w.config)),
            ]))  # fmt: skip
        return found

    def drawn(self, seed: int, base: Mapping[str, Any] | None = None, size: int = 20_000) -> Job:
        """A random walk in a random configuration."""
        return draw_etrace.drawn(seed, base, size)

    def regressed(self, seed: int, base: Mapping[str, Any] | None = None, size: int = 20_000) -> Job:
        """The encoder alone for most seeds, every tenth the whole trace system behind its registers."""
        return self.drawn(seed, base, size) if seed % _STORY else drawn_story(seed, base)

    def stories(self, sim: str, seed: int = 1) -> list[SystemJob]:
        """Those of the trace system."""
        return stories(sim, seed=seed, ip=self.ip)

    def story(self, given: Mapping[str, str]) -> SystemJob:
        """A run of the trace system: PROGRAM= is what its harts run."""
        job = SystemJob(
            given["SOURCE"].partition(":")[2], given["SOURCE"], Config.from_dict(DEFAULTS[self.ip] | self.options(given)).to_dict(),
            number(given, "SEED", 1), sim=given.get("SIM", "verilator"), program=given.get("PROGRAM", "random"), ip=self.ip,
        )  # fmt: skip
        job.size = number(given, "SIZE", job.size)
        return job


def drawn_story(seed: int, base: Mapping[str, Any] | None = None) -> SystemJob:
    """A random story of the trace system in a random configuration of what the story leaves open."""
    rng = random.Random(f"{seed}:regress:story")
    config = Config.from_dict(DEFAULTS["etrace"] | ({"variant": "draft_0_026"} if rng.random() < 0.3 else {}))
    options = possible(config, {name: rng.randrange(2) for name in OPTIONS if name != "implicit_exception"})
    options |= {"inst_sync_mode": rng.randrange(4), "inst_sync_max": rng.randrange(8), "timestamp": rng.randrange(2)}
    story = rng.choice(sorted(ETRACE_STORIES))
    given = config.to_dict() | options | dict(base or {})
    return SystemJob(f"seed-{seed}", f"system:{story}", given, seed, ip="etrace")


SYSTEM = ETrace()
