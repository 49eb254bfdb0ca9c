"""What the directed N-Trace scenarios are made of: the Scenario record, its registry and a few story-telling helpers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import product
from random import Random
from typing import Any

from models.ntrace.config import Config
from models.riscv.beats import Beats
from models.riscv.blocks import to_beats
from models.riscv.builder import ProgramBuilder
from models.riscv.isa import Flow
from models.riscv.program import Program
from models.riscv.retired import Retired
from models.riscv.walk import Walk

BASE = 0x8000_0000
HANDLER = 0x8000_4000
# Four builds serve all scenarios: the default one, small counters with two blocks a cycle, wide ones with two, RV32.
SMALL = {
    "icnt_bits": 8, "hist_bits": 6, "iretire_bits": 5, "blocks": 2, "stack_depth": 2, "repeat_bits": 3, "ts_width": 40,
}  # fmt: skip
TWO = {"blocks": 2}
RV32 = {"xlen": 32}

Story = tuple[Program, Retired]


@dataclass(frozen=True)
class Scenario:
    """One story. what: in a sentence. clauses: those it is there for. build: makes program and stream of a configuration.

    configs: option overrides to run it with; base: those of every configuration. job: overrides of the job (retirement, gaps, backpressure, drive).
    beats: places the stream on the ingress port itself; without it `models.riscv.blocks.to_beats` does.
    """

    name: str
    what: str
    clauses: tuple[str, ...]
    build: Callable[[Config, Random], Story]
    configs: tuple[dict[str, Any], ...]
    job: dict[str, Any] = field(default_factory=dict)
    beats: Callable[[Config, Random, Program, Retired], Beats] | None = None
    base: dict[str, Any] = field(default_factory=dict)

    def to_beats(self, config: Config, rng: Random, program: Program, retired: Retired) -> Beats:
        """The ingress rows: the scenario's own, or the longest blocks (single retirement if the job says so)."""
        if self.beats is not None:
            return self.beats(config, rng, program, retired)
        longest = (1 << min(config.iretire_bits, config.icnt_bits - 1)) - 1
        return to_beats(retired, config.blocks, self.job.get("retirement", "block"), max_iretire=longest)


SCENARIOS: dict[str, Scenario] = {}


def scenario(
    *clauses: str, configs: tuple[dict[str, Any], ...], beats: Any = None, loses: bool = False, **job: Any
) -> Callable[[Callable[[Config, Random], Story]], Callable[[Config, Random], Story]]:
    """Register the decorated function under its name; its docstring's first line is the scenario's `what`.

    loses: messages may be lost. Else the encoder stalls the hart: a scenario that lost its messages would show nothing.
    """
    base = {} if loses else {"inst_stall_ena": 1}

    def register(build: Callable[[Config, Random], Story]) -> Callable[[Config, Random], Story]:
        name = build.__name__
        if name in SCENARIOS:
            raise ValueError(f"scenario {name} stands twice; give it another name")
        what = (build.__doc__ or "").strip().splitlines()[0]
        SCENARIOS[name] = Scenario(name, what, clauses, build, tuple({**base, **c} for c in configs), job, beats, base)
        return build

    return register


def configs(**options: Any) -> tuple[dict[str, Any], ...]:
    """Every combination of the options given; by default both modes and both variants."""
    choices = {"mode": ("htm", "btm"), "variant": ("v1_0", "rc7")} | options
    values = [v if isinstance(v, tuple) else (v,) for v in choices.values()]
    return tuple(dict(zip(choices, combination)) for combination in product(*values))


def builder(config: Config, base: int = BASE, handler: int | None = HANDLER) -> ProgramBuilder:
    """An empty program with a trap handler: `trap_handler` (three instructions and mret) and its neighbour `trap_nested`."""
    b = ProgramBuilder(config.xlen, base)
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


def start(b: ProgramBuilder, config: Config, at: str = "main", on: bool = True) -> tuple[Program, Walk]:
    """Assemble, and a walk at `at` with tracing just enabled (SYNC=5), or nothing said yet."""
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
