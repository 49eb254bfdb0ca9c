# SPDX-License-Identifier: Apache-2.0
"""The parts of system scenarios: their registries, harts with programs, and what the tool does while they run."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from rvtrace.models.riscv import recording
from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.blocks import to_beats
from rvtrace.models.riscv.generate import generate
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.random_walk import random_walk
from rvtrace.models.riscv.retired import Kind, Retired
from rvtrace.models.riscv.sequential import mark
from rvtrace.models.riscv.stream import with_options, with_variant
from rvtrace.models.riscv.walk_probabilities import WalkProbabilities
from rvtrace.tb.common.stimulus.scenario import Scenarios
from rvtrace.tb.tci.job import TciJob
from rvtrace.tb.tci.stimulus import etrace_hart as etrace
from rvtrace.tb.tci.stimulus.hart import HartStimulus

if TYPE_CHECKING:
    from rvtrace.tb.tci.stimulus.session import Session

HARTS = 2  # of tci_tb


@dataclass
class TciStimulus:
    """What a system scenario drives. run: what the tool does. wait_low: % of cycles in which system memory is not
    ready.

    expect: for the checks: "wrapped", "stopped" (not all of the trace is read back), "cut" (a reset discards some),
    "left_out" (harts whose messages the funnel discards), "untraced" (harts that are not traced).
    """

    harts: list[HartStimulus]
    run: Callable[[Session], Awaitable[None]]
    wait_low: int = 0
    expect: dict[str, Any] = field(default_factory=dict)


BY_IP = {"ntrace": Scenarios(), "etrace": Scenarios()}  # system scenarios by the encoders of the trace system
BOTH, ETRACE_ONLY = tuple(BY_IP), ("etrace",)
Build = Callable[[TciJob, random.Random], TciStimulus]


def scenario(*clauses: str, ips: tuple[str, ...] = ("ntrace",)) -> Callable[[Build], Build]:
    """Register the decorated function as a scenario of the trace system with the encoders `ips`."""

    def register(build: Build) -> Build:
        for ip in ips:
            BY_IP[ip].scenario(*clauses)(build)
        return build

    return register


def busy(job: TciJob) -> dict[str, Any]:
    """Options that make many bytes, and places to start decoding often."""
    return etrace.BUSY if job.ip == "etrace" else BUSY


LONG = {"trap": 0.15, "switch": 0.9, "context": 32}  # probabilities of a walk that makes long messages, and many


def long(job: TciJob) -> dict[str, Any]:
    """Options for it: with times, and reports of contexts."""
    return busy(job) | {"timestamp": 1} | ({"ts_mode": 1, "ownership": 1} if job.ip == "ntrace" else {})


def hart_config(job: TciJob, hart: int, **options: Any) -> Any:
    """The job's configuration with a source number for each hart: hart h is h + 1. (That of E-Trace is not the
    encoder's business.)
    """
    if job.ip == "etrace":
        return replace(job.settings, **options)
    return replace(job.settings, **{"src_bits": 4, "src_id": hart + 1} | options)


BUSY = {
    "mode": "btm",
    "inst_sync_mode": 1,
    "inst_sync_max": 0,
}  # a message each branch, a synchronizing one every 16 messages
COUNTER = 1  # trTeInstImplicitReturnMode: returns are counted and believed, so none may go elsewhere


def walk(
    job: TciJob, rng: random.Random, config: Any, size: int | None = None, **probabilities: Any
) -> tuple[Program, Retired]:
    """A program and a random walk through it, or the recorded program that the job names.

    Tracing is switched by registers and triggers here, so the walk has no rows of it. Traps, Debug Mode, resets, sleep
    and triggers with action notify are the walk's, unless `probabilities` say otherwise.
    """
    if job.program != "random":
        run = recording.load(job.program, config.xlen)
        retired = mark(with_variant(run.retired, run.program, config.variant), run.program)
        return run.program, with_options(retired, run.program, bool(config.all_jumps))
    behaved = config.implicit_return == COUNTER
    program = generate(rng, config.xlen, well_behaved=behaved)
    habits = WalkProbabilities(
        **{"trace": 0.0, "start": "trace_on", "well_behaved": behaved, "all_jumps": bool(config.all_jumps)}
        | probabilities
    )
    retired = random_walk(program, rng, size or job.size, habits, config.variant)
    retired = with_options(retired, program, bool(config.all_jumps))
    return program, retired.select((retired.kind != Kind.TRACE_ON) & (retired.kind != Kind.TRACE_OFF))


def beats_of(retired: Retired, config: Any, rng: random.Random | None = None, gaps: float = 0.0) -> Beats:
    """The rows of a hart."""
    most = (1 << min(config.iretire_bits, config.icnt_bits - 1)) - 1
    return to_beats(retired, config.blocks, "block", most, rng, gaps)


def hart_stimulus(job: TciJob, rng: random.Random, hart: int, size: int | None = None, gaps: float = 0.1,
               probabilities: dict[str, Any] | None = None, **options: Any) -> HartStimulus:  # fmt: skip
    """A hart that walks at random."""
    config = hart_config(job, hart, **options)
    if job.ip == "etrace":
        config, program, retired = etrace.walk(job, rng, config, size, probabilities or {})
        return HartStimulus(config, program, etrace.beats_of(retired, config, rng, gaps))
    program, retired = walk(job, rng, config, size, **(probabilities or {}))
    return HartStimulus(config, program, beats_of(retired, config, rng if gaps else None, gaps))


def harts(job: TciJob, rng: random.Random, size: int | None = None, gaps: float = 0.1,
          probabilities: dict[str, Any] | None = None, **options: Any) -> list[HartStimulus]:  # fmt: skip
    """Two harts that walk at random through separate programs."""
    return [hart_stimulus(job, rng, hart, size, gaps, probabilities, **options) for hart in range(HARTS)]


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
    """Every encoder by its hart's configuration; external trigger 0, if there is one, makes markers unless `extra` says
    otherwise.
    """
    markers = NOTIFY_EXTERNAL if s.tool.params.trigger_inputs else {}
    for hart, one in enumerate(s.harts):
        await s.tool.set_up_encoder(hart, one.config, markers | (extra or {}))


@asynccontextmanager
async def ram_session(s: Session, limit: int | None = None, encoders: tuple[int, ...] = (0, 1)) -> AsyncIterator[None]:
    """The whole session through the SRAM: reset, set up, enable, run, disable, read back. The body of the `async with`
    is what the tool does while the harts run.
    """
    await reset_all(s)
    await s.tool.set_up_ram(limit=limit)
    await set_up_encoders(s)
    await start(s, encoders=encoders)
    running = s.playing()
    yield
    await running
    await finish(s, encoders=encoders)
    s.readback = await s.tool.read_back()


async def sram_run(s: Session, limit: int | None = None) -> None:
    """The session in which the tool only waits."""
    async with ram_session(s, limit):
        pass
