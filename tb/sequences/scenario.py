"""What the directed scenarios of every system are made of: the Scenario record, its registry and a few story-telling helpers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import product
from random import Random
from typing import Any

from models.riscv.beats import Beats
from models.riscv.builder import ProgramBuilder
from models.riscv.isa import Flow
from models.riscv.program import Program
from models.riscv.retired import Retired
from models.riscv.walk import Walk

BASE = 0x8000_0000
HANDLER = 0x8000_4000

Story = tuple[Program, Retired]
Build = Callable[[Any, Random], Story]
Configs = tuple[dict[str, Any], ...]
Place = Callable[[Any, str, Retired, Random], Beats]


@dataclass(frozen=True)
class Scenario:
    """One story. what: in a sentence. clauses: those it is there for. build: makes program and stream of a configuration.

    configs: option overrides to run it with; base: those of every configuration. job: overrides of the job (retirement, gaps, backpressure, drive).
    place: puts a stream on the ingress port of a configuration, by retirement; beats: the scenario's own way to do so.
    """

    name: str
    what: str
    clauses: tuple[str, ...]
    build: Build
    configs: Configs
    place: Place
    job: dict[str, Any] = field(default_factory=dict)
    beats: Callable[[Any, Random, Program, Retired], Beats] | None = None
    base: dict[str, Any] = field(default_factory=dict)

    def to_beats(self, config: Any, rng: Random, program: Program, retired: Retired, retirement: str = "") -> Beats:
        """The ingress rows: the scenario's own, or the longest blocks (single retirement if the job, or `retirement`, says so)."""
        if self.beats is not None:
            return self.beats(config, rng, program, retired)
        return self.place(config, retirement or self.job.get("retirement", "block"), retired, rng)


class Registry(dict[str, Scenario]):
    """The scenarios of one system by name. place: how its streams come onto the ingress port."""

    def __init__(self, place: Place) -> None:
        super().__init__()
        self.place = place

    def scenario(self, *clauses: str, configs: Configs, beats: Any = None, loses: bool = False, **job: Any) -> Callable[[Build], Build]:
        """Register the decorated function under its name; its docstring's first line is the scenario's `what`.

        loses: packets may be lost. Else the encoder stalls the hart: a scenario that lost its packets would show nothing.
        """
        base = {} if loses else {"inst_stall_ena": 1}

        def register(build: Build) -> Build:
            name = build.__name__
            if name in self:
                raise ValueError(f"scenario {name} stands twice; give it another name")
            what = (build.__doc__ or "").strip().splitlines()[0]
            options = tuple({**base, **c} for c in configs)
            self[name] = Scenario(name, what, clauses, build, options, self.place, job, beats, base)
            return build

        return register


def combinations(**choices: Any) -> Configs:
    """Every combination of the options given; a tuple is a choice."""
    values = [v if isinstance(v, tuple) else (v,) for v in choices.values()]
    return tuple(dict(zip(choices, combination)) for combination in product(*values))


def with_handler(b: ProgramBuilder, base: int = BASE, handler: int | None = HANDLER) -> ProgramBuilder:
    """The program with a trap handler, `trap_handler` (three instructions and mret), its neighbour `trap_nested`, and the label `main`."""
    if handler is not None:
        b.org(handler)
        b.label("trap_handler")
        b.addi(10, 10, 1)
        b.c_nop()
        b.addi(11, 11, 1)
        b.mret()
        b.label("trap_nested")
        b.addi(12, 12, 1)
        b.mret()
        b.org(base + 0x10)
    b.label("main")
    return b


def start(b: ProgramBuilder, config: Any, at: str = "main", on: bool = True) -> tuple[Program, Walk]:
    """Assemble, and a walk at `at` with tracing just enabled, or nothing said yet."""
    program = b.build("main")
    walk = Walk(program, config.variant, b.labels[at])
    return program, walk.trace_on() if on else walk


def stop(program: Program, walk: Walk) -> Story:
    """The story ends with tracing switched off."""
    return program, walk.trace_off().retired()


def handle(walk: Walk, back: int | None = None, steps: int = 3) -> Walk:
    """Run the three instructions of `trap_handler` and return, by default to where the trap came from."""
    walk.step(steps)
    return walk if back is None else walk.jump(back)


def home(walk: Walk, main: int) -> Walk:
    """Go on to `main` from wherever the walk is: branches are not taken, the next indirect jump or xRET goes there."""
    while walk.pc != main:
        insn = walk.insn()
        flow = insn.flow if insn else None
        if flow == Flow.BRANCH:
            walk.branch(False)
        elif flow == Flow.UNINFERABLE:
            walk.jump(main)
        else:
            walk.step()
    return walk
