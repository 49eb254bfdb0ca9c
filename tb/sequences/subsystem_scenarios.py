"""Directed scenarios of the subsystem: what makes five witnesses of one hart part company, if anything does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

import numpy as np

from models.riscv.builder import ProgramBuilder
from models.riscv.program import Program
from models.riscv.retired import Priv, Retired
from models.riscv.walk import Walk
from models.subsystem.config import Config
from tb.job import Job
from tb.sequences.subsystem_builds import DEFAULT, DUAL, LEAN, RV32
from tb.sequences.subsystem_rows import walk_rows
from tb.sequences.subsystem_stimulus import COUNTER, SubsystemStimulus, cut, played, walked

Build = Callable[[Job, Config, Random], SubsystemStimulus]
BOTH = (DEFAULT, RV32)
BASE, HANDLER = 0x8000_0000, 0x8000_4000
ECALL, TIMER = 11, 7
FLOW = ("SUB.pcs.ntrace", "SUB.pcs.etrace", "SUB.pcs.tandem", "SUB.pcs.hart")
TRAPS = ("SUB.traps.ntrace", "SUB.traps.etrace", "SUB.traps.tandem", "SUB.traps.hart")
BUSY: dict[str, Any] = {"mode": "btm", "full_address": 1, "sync_mode": 2, "sync_max": 0, "timestamp": 1}  # long messages, and many
_LONG = (1000, 4200, 9000)  # cycles: on both sides of where CC gets an exponent
_SIZE = 1500


@dataclass(frozen=True)
class Scenario:
    """One story. what: in a sentence. clauses: those it is there for. build: makes what is played. configs: option overrides to run it
    with; base: those of every configuration. job: overrides of the job."""

    name: str
    what: str
    clauses: tuple[str, ...]
    build: Build
    configs: tuple[dict[str, Any], ...]
    job: dict[str, Any] = field(default_factory=dict)
    base: dict[str, Any] = field(default_factory=dict)


SCENARIOS: dict[str, Scenario] = {}


def scenario(*clauses: str, configs: tuple[dict[str, Any], ...] = BOTH, **job: Any) -> Callable[[Build], Build]:
    """Register the decorated function under its name; its docstring's first line is the scenario's `what`."""

    def register(build: Build) -> Build:
        what = (build.__doc__ or "").strip().splitlines()[0]
        SCENARIOS[build.__name__] = Scenario(build.__name__, what, clauses, build, configs, job)
        return build

    return register


def _walk(job: Job, config: Config, rng: Random, size: int = _SIZE, **knobs: Any) -> SubsystemStimulus:
    """A random walk with other habits."""
    program, retired = walked(config, rng, size, **knobs)
    return _told(job, config, program, retired)


def _told(job: Job, config: Config, program: Program, retired: Retired) -> SubsystemStimulus:
    return played(job, config, program, retired, walk_rows(retired, program, Random(job.rng_path("effects"))))


@scenario(*TRAPS, "SUB.count.exception", "SUB.count.interrupt", "SUB.ctr.entries", configs=(*BOTH, DUAL, LEAN))
def traps_back_to_back(job: Job, config: Config, rng: Random) -> SubsystemStimulus:
    """Traps at every turn: at a handler's first instruction, at the target of a jump, one in another."""
    config = replace(config, events=_events("exception", "interrupt", "return", "branch"))
    return _walk(job, config, rng, trap=0.15, trap_at_target=0.3, back_to_back=0.6, nest=8, unmapped=0.1)


@scenario("SUB.modes.hart", "SUB.modes.etrace", "SUB.modes.ntrace", "SUB.modes.tandem", "SUB.ctr.entries",
          configs=({"ownership": 1}, {**RV32, "ownership": 1}, {**DUAL, "ctr_ctl": 0b011}, {"ctr_ctl": 0b100}))  # fmt: skip
def modes(job: Job, config: Config, rng: Random) -> SubsystemStimulus:
    """Traps and returns from them go through all privileges and contexts; some runs record in some modes alone."""
    return _walk(job, config, rng, trap=0.05, trap_at_target=0.1, switch=0.6, nest=6)


@scenario(*FLOW, "SUB.ctr.entries", "SUB.count.call", "SUB.count.return",
          configs=({"implicit_return": 1, "ntrace_returns": 3, "ctr_depth": 32}, {**RV32, "implicit_return": 1, "ntrace_returns": 2},
                   {**DUAL, "implicit_return": 1, "ntrace_returns": COUNTER, "ctr_depth": 32}))  # fmt: skip
def deep_calls(job: Job, config: Config, rng: Random) -> SubsystemStimulus:
    """Calls deeper than any stack of the encoders, and more of them than the records hold."""
    return _walk(job, config, rng, depth=80, dive=0.05, trap=0.002, mismatch=0.0 if config.ntrace_returns == COUNTER else 0.05)


def _slow(stream: str) -> None:
    def build(job: Job, config: Config, rng: Random) -> SubsystemStimulus:
        return replace(_walk(job, config, rng, _SIZE // 2), lows={f"{stream}_low": 97})

    build.__name__ = f"slow_{stream}"
    what = {"ntrace": "N-Trace", "etrace": "E-Trace", "tandem": "tandem trace"}[stream]
    build.__doc__ = f"Nobody takes what {what} says for most of the time: it stalls the hart, and nobody gets a cycle twice or not at all."
    scenario("SUB.run", *FLOW, "SUB.count.instret", "SUB.count.cycles", "SUB.parts.ntrace", "SUB.parts.etrace", "SUB.parts.tandem",
             configs=tuple({**build, **BUSY} for build in (DEFAULT, RV32)))(build)  # fmt: skip


for _stream in ("ntrace", "etrace", "tandem"):
    _slow(_stream)


@scenario("SUB.ctr.entries", "SUB.ctr.cycles", "SUB.count.cycles", "SUB.count.instret", "SUB.count.nothing",
          configs=(*BOTH, {**DUAL, "ctr_depth": 32}, LEAN, {"events": "2,0,1,external1,external2,external3,load,store"}))  # fmt: skip
def looks_everywhere(job: Job, config: Config, rng: Random) -> SubsystemStimulus:
    """Software looks again and again, behind any instruction, also twice without one between."""
    what = _walk(job, config, rng, _SIZE // 2, trap=0.05)
    parts = [part for stretch in what.stretches for part in cut(stretch, rng, 8)]
    return replace(what, stretches=[what.stretches[0].part(0, 0), *parts])


@scenario("SUB.ctr.cycles", "SUB.count.cycles", "SUB.time.ntrace", "SUB.time.etrace", configs=({"timestamp": 1}, {**RV32, "timestamp": 1}))
def long_waits(job: Job, config: Config, rng: Random) -> SubsystemStimulus:
    """The hart stands still for so long that the cycles of a record need an exponent; in some of it the cycle counter stands too."""
    what = _walk(job, config, rng, 300)
    for stretch in what.stretches:
        at = [rng.randrange(len(stretch)) for _ in range(3)] + list(range(max(0, len(stretch) - 3), len(stretch)))
        stretch.gap[at] = [rng.choice(_LONG) for _ in at]
    return what


@scenario("SUB.count.external", "SUB.count.cycles", "SUB.count.nothing", gaps=60,
          configs=tuple({**build, "events": "external0,external1,external2,external3,0,1,2,mispredict"} for build in (DEFAULT, RV32)))  # fmt: skip
def events_from_outside(job: Job, config: Config, rng: Random) -> SubsystemStimulus:
    """External events in most cycles, with instructions and without; the hart waits in many."""
    what = _walk(job, config, rng, 600)
    for stretch in what.stretches:
        pulses = np.array([rng.randrange(16) for _ in range(len(stretch))], np.uint32)
        stretch.levels |= np.where(stretch.levels & 0xFF, 0, pulses << 8).astype(np.uint32)
    return what


def _events(*names: str) -> tuple[int, ...]:
    return Config.from_dict({"events": list(names)}).events


# --- Handwritten -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Loop:
    """A loop of branches, a call and a system call, with the handler of all traps. behind: where the call and the system call return to."""

    program: Program
    behind_call: int
    behind_system: int

    @classmethod
    def of(cls, xlen: int) -> _Loop:
        b = ProgramBuilder(xlen, BASE)
        b.label("start")
        b.c_nop()
        b.c_bnez(8, "start")
        b.label("again")
        b.c_bnez(9, "again")
        b.jal(1, "leaf")
        call = b.here
        b.nop()
        b.ecall()
        system = b.here
        b.c_j("start")
        b.label("leaf")
        b.c_nop()
        b.c_jr(1)
        b.org(HANDLER)
        b.nop()
        b.mret()
        return cls(b.build(), call, system)

    def turn(self, walk: Walk, rng: Random) -> None:
        """Once around: branches with either outcome, the call, a trap at one of its ends, the system call."""
        walk.step()
        while rng.random() < 0.4:
            walk.branch(True).step()
        walk.branch(False)
        for taken in [True] * rng.randrange(3) + [False]:
            walk.branch(taken)
        walk.step()
        where = rng.randrange(3)
        for place in range(2):
            if place == where:
                self.handled(walk, TIMER, walk.pc)
            walk.step() if not place else walk.jump(self.behind_call)
        walk.step()
        self.handled(walk, ECALL, self.behind_system)
        walk.step()

    def handled(self, walk: Walk, cause: int, back: int) -> None:
        """A trap, its handler and the way back."""
        walk.trap(cause, HANDLER, interrupt=cause == TIMER, priv=Priv.M)
        walk.step()
        walk.jump(back)


@scenario(*FLOW, *TRAPS, "SUB.count.branch", "SUB.count.taken_branch", "SUB.ctr.entries", configs=(DUAL, {**RV32, "mode": "btm"}, DEFAULT))
def pairs(job: Job, config: Config, rng: Random) -> SubsystemStimulus:
    """Every two neighbours share a cycle that may: branches taken or not, call and first instruction, return and trap."""
    loop = _Loop.of(config.xlen)
    walk = Walk(loop.program, "v1_0", BASE, Priv.M, 0)
    for _ in range(60):
        loop.turn(walk, rng)
    return _told(job, config, loop.program, walk.retired())
