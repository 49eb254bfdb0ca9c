# SPDX-License-Identifier: Apache-2.0
"""Scenarios and walks as the scoreboards' tests use them: program and beats, without a simulator."""

from collections.abc import Callable
from dataclasses import replace
from random import Random

import numpy as np

from rvtrace.models.ntrace.codec import pack
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.encoder.encode import Encoder
from rvtrace.models.ntrace.table import Message, message
from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import IType
from rvtrace.models.riscv.stream import with_options
from rvtrace.scoreboards.ntrace.capture import NtraceCapture
from rvtrace.scoreboards.ntrace.check import Verdict
from rvtrace.scoreboards.ntrace.check import check as check_of
from rvtrace.scoreboards.ntrace.tolerances import Tolerances
from rvtrace.tb.ntrace.stimulus.scenarios import SCENARIOS

Change = Callable[[list[Message]], object]
FIRST_TIME, TICK = 1000, 3  # the clock of `timed` beats


def check(capture: NtraceCapture, tolerances: Tolerances | None = None) -> Verdict:
    """Checked against the reference's choices unless a test gives others, also where exact is not asked."""
    return check_of(capture, tolerances or Tolerances())


def scenario_run(name: str, config: Config, as_itype: int = IType.TAKEN) -> tuple[Program, Beats]:
    """A directed scenario reported in one configuration; as_itype: what all-jumps calls a direct jump."""
    scenario = SCENARIOS[name]
    program, retired = scenario.build(config, Random(f"1:{name}"))
    retired = with_options(retired, program, bool(config.all_jumps), as_itype)
    return program, scenario.to_beats(config, Random(f"2:{name}"), program, retired)


def jump_into_nops(count: int) -> tuple[Program, int]:
    """An instruction and an uninferable jump, then so many nops; the address of the first instruction."""
    b = ProgramBuilder(64, 0x8000_0000)
    b.label("main")
    b.nop()
    b.jalr(0, 5)
    for _ in range(count):
        b.nop()
    return b.build("main"), b.labels["main"]


def timed(beats: Beats) -> Beats:
    """The beats with a clock that ticks three times a cycle."""
    beats.tstamp = beats.cycle * np.uint64(TICK) + np.uint64(FIRST_TIME)
    return beats


def doctored(
    program: Program,
    beats: Beats,
    config: Config,
    change: Change | None = None,
    tolerances: Tolerances | None = None,
    exact: bool = False,
    seen: Config | None = None,
) -> Verdict:
    """The verdict on the model's messages after a change; seen: the configuration that the scoreboard believes in."""
    messages = list(Encoder(config).run(beats).messages)
    if change is not None:
        change(messages)
    data = b"".join(pack(m, config.source_bits, config.address_bits) for m in messages)
    return check(NtraceCapture(seen or config, program, data, beats, exact=exact), tolerances)


def place(messages: list[Message], name: str, which: int = 0, **fields: int) -> int:
    """Index of the which-th message of a type with these fields."""
    found = [i for i, m in enumerate(messages) if m.name == name and all(m.get(k) == v for k, v in fields.items())]
    return found[which]


def set_at(messages: list[Message], index: int, **values: int) -> None:
    """Change fields, src or tstamp of one message."""
    messages[index] = messages[index].replaced(**values)


def insert(messages: list[Message], index: int, name: str, *values: int) -> None:
    """A message in the way, with the SRC of the others and no separate time."""
    like = messages[0]
    made = message(name, *values)
    messages.insert(index, made.replaced(src=like.src, tstamp=None if like.tstamp is None else 0))


def small(**options: object) -> Config:
    """A configuration with narrow counters and shallow stacks."""
    return replace(
        Config(icnt_bits=8, hist_bits=6, iretire_bits=5, stack_depth=2, repeat_bits=3, ts_width=40), **options
    )
