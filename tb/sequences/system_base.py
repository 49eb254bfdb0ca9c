"""What a story of the trace system is made of: harts with programs, and what the tool does while they run."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from models.ntrace.images import ImageMap
from models.riscv import recording
from models.riscv.beats import Beats
from models.riscv.blocks import to_beats
from models.riscv.generate import generate
from models.riscv.knobs import Knobs
from models.riscv.program import Program
from models.riscv.random_walk import random_walk
from models.riscv.retired import Kind, Retired
from models.riscv.sequential import mark
from models.riscv.stream import with_options, with_variant
from tb.agents.system_files import Triggers
from tb.sequences import system_etrace_hart as etrace

if TYPE_CHECKING:
    from tb.envs.system import Session
    from tb.system_job import SystemJob

HARTS = 2  # of system_tb


@dataclass
class HartStory:
    """What a hart does. beats: rows to play (enable and inst_tracing are the registers' business). triggers: by row.

    images, pcs: what a decoder is given instead of the program, and the instructions it must find, where one program
    is not enough.
    """

    config: Any
    program: Program
    beats: Beats
    triggers: Triggers = field(default_factory=Triggers)
    images: ImageMap | None = None
    pcs: np.ndarray | None = None


@dataclass
class Story:
    """A run of the system. run: what the tool does. wait_low: % of cycles in which system memory is not ready.

    expect: what the checks are told: "wrapped", "stopped" (not all of the trace came back), "cut" (a reset swallowed
    some), "left_out" (harts whose messages the funnel threw away), "untraced" (harts that were not traced).
    """

    harts: list[HartStory]
    run: Callable[[Session], Awaitable[None]]
    wait_low: int = 0
    expect: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Telling:
    """A story by name. what: one line for people. clauses: those it is told for. build: makes it for a job."""

    name: str
    what: str
    clauses: tuple[str, ...]
    build: Callable[[SystemJob, random.Random], Story]


STORIES: dict[str, Telling] = {}  # of N-Trace
ETRACE_STORIES: dict[str, Telling] = {}
BY_IP = {"ntrace": STORIES, "etrace": ETRACE_STORIES}
BOTH, ETRACE_ONLY = tuple(BY_IP), ("etrace",)


def story(*clauses: str, ips: tuple[str, ...] = ("ntrace",)) -> Callable[[Callable[..., Story]], Callable[..., Story]]:
    """Registers a builder as the story of its name, told for the systems `ips`; its docstring's first line is what reports show."""

    def register(build: Callable[..., Story]) -> Callable[..., Story]:
        for ip in ips:
            BY_IP[ip][build.__name__] = Telling(build.__name__, (build.__doc__ or "").splitlines()[0], clauses, build)
        return build

    return register


def busy(job: SystemJob) -> dict[str, Any]:
    """Options that make many bytes, and places to start decoding often."""
    return etrace.BUSY if job.ip == "etrace" else BUSY


def hart_config(job: SystemJob, hart: int, **options: Any) -> Any:
    """The job's configuration with a source number for each hart: hart h is h + 1. (That of E-Trace is not the encoder's business.)"""
    if job.ip == "etrace":
        return replace(job.settings, **options)
    return replace(job.settings, **{"src_bits": 4, "src_id": hart + 1} | options)


BUSY = {"mode": "btm", "inst_sync_mode": 1, "inst_sync_max": 0}  # a message each branch, a synchronizing one every 16 messages
COUNTER = 1  # trTeInstImplicitReturnMode: returns are counted and believed, so none may go elsewhere


def walk(job: SystemJob, rng: random.Random, config: Any, size: int | None = None, **knobs: Any) -> tuple[Program, Retired]:
    """A program and a random walk through it, or the recorded program that the job names.

    Tracing is switched by registers and triggers here, so the walk has no rows of it. Traps, Debug Mode, resets, sleep
    and triggers with action notify are the walk's, unless `knobs` say otherwise.
    """
    if job.program != "random":
        run = recording.load(job.program, config.xlen)
        retired = mark(with_variant(run.retired, run.program, config.variant), run.program)
        return run.program, with_options(retired, run.program, bool(config.all_jumps))
    behaved = config.implicit_return == COUNTER
    program = generate(rng, config.xlen, well_behaved=behaved)
    habits = Knobs(**{"trace": 0.0, "start": "trace_on", "well_behaved": behaved, "all_jumps": bool(config.all_jumps)} | knobs)
    retired = random_walk(program, rng, size or job.size, habits, config.variant)
    retired = with_options(retired, program, bool(config.all_jumps))
    return program, retired.select((retired.kind != Kind.TRACE_ON) & (retired.kind != Kind.TRACE_OFF))


def beats_of(retired: Retired, config: Any, rng: random.Random | None = None, gaps: float = 0.0) -> Beats:
    """The rows of a hart."""
    most = (1 << min(config.iretire_bits, config.icnt_bits - 1)) - 1
    return to_beats(retired, config.blocks, "block", most, rng, gaps)


def hart_story(job: SystemJob, rng: random.Random, hart: int, size: int | None = None, gaps: float = 0.1,
               knobs: dict[str, Any] | None = None, **options: Any) -> HartStory:  # fmt: skip
    """A hart that walks at random."""
    config = hart_config(job, hart, **options)
    if job.ip == "etrace":
        config, program, retired = etrace.walk(job, rng, config, size, knobs or {})
        return HartStory(config, program, etrace.beats_of(retired, config, rng, gaps))
    program, retired = walk(job, rng, config, size, **(knobs or {}))
    return HartStory(config, program, beats_of(retired, config, rng if gaps else None, gaps))


def harts(job: SystemJob, rng: random.Random, size: int | None = None, gaps: float = 0.1,
          knobs: dict[str, Any] | None = None, **options: Any) -> list[HartStory]:  # fmt: skip
    """Two harts that walk at random through programs of their own."""
    return [hart_story(job, rng, hart, size, gaps, knobs, **options) for hart in range(HARTS)]


ENCODERS = tuple(f"encoder{hart}" for hart in range(HARTS))


async def reset_all(s: Session, sinks: tuple[str, ...] = ("ram_sink",)) -> None:
    """Every component that is used, sinks first, encoders last."""
    for name in (*sinks, "funnel", *ENCODERS):
        await s.tool.reset(name)


async def start(s: Session, sinks: tuple[str, ...] = ("ram_sink",), encoders: tuple[int, ...] = (0, 1)) -> None:
    """Enable in the prescribed order, confirmed, then trace."""
    for name in (*sinks, "funnel", *(ENCODERS[hart] for hart in encoders)):
        await s.tool.enable(name)
    for hart in encoders:
        await s.tool.tracing(hart, True)


async def finish(s: Session, sinks: tuple[str, ...] = ("ram_sink",), encoders: tuple[int, ...] = (0, 1)) -> None:
    """Disable in the reverse order; each component is polled until it is disabled and empty."""
    for name in (*(ENCODERS[hart] for hart in encoders), "funnel", *sinks):
        await s.tool.disable(name)


NOTIFY_EXTERNAL = {"trTeTrigExtInControl": {"trTeTrigExtInAction0": 4}}  # what a walk's external markers need


async def set_up_encoders(s: Session, extra: dict[str, dict[str, int]] | None = None) -> None:
    """Every encoder by its hart's configuration; external trigger 0, if there is one, makes markers unless `extra` says otherwise."""
    markers = NOTIFY_EXTERNAL if s.tool.params.trigger_inputs else {}
    for hart, one in enumerate(s.story.harts):
        await s.tool.set_up_encoder(hart, one.config, markers | (extra or {}))


async def sram_run(s: Session, limit: int | None = None, extra: dict[str, dict[str, int]] | None = None) -> None:
    """The whole session through the SRAM: reset, set up, enable, run, disable, read back."""
    await reset_all(s)
    await s.tool.set_up_ram(limit=limit)
    await set_up_encoders(s, extra)
    await start(s)
    await s.play()
    await finish(s)
    s.readback = await s.tool.read_back()
