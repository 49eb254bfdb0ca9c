# SPDX-License-Identifier: Apache-2.0
"""Scenarios of single comparisons of the filters, and of what they remember (Filtering, ET-16)."""

from __future__ import annotations

from random import Random

from rvtrace.models.etrace.config import Config
from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Retired
from rvtrace.tb.common.stimulus import filtered
from rvtrace.tb.common.stimulus.filtered import in_turn
from rvtrace.tb.etrace.stimulus.scenarios.base import TWO, ProgramRun, builder, configs, place, scenario, start, stop

_EVERY = configs({}, TWO)


@scenario("ET.ing.filters",
          configs=(*in_turn(filtered.COMPARISONS, *configs()), *in_turn(filtered.WIDE, *configs()),
                   *in_turn(filtered.MASKED, *_EVERY), *in_turn(filtered.FROM_FIRST, *_EVERY)),
          retirement="single")  # fmt: skip
def filter_comparisons(config: Config, rng: Random) -> ProgramRun:
    """Each comparison of each input, with values below, at and above its limit and far above; masks; and the latch that
    is set at first.
    """
    b = filtered.filtered_code(builder(config))
    program, walk = start(b, config)
    filtered.compare(walk, b.labels, config.xlen)
    walk.trace_off().step().trace_on()  # the filters go on
    filtered.compare(walk.run_to(b.labels["jump"]).jump(b.labels["main"]), b.labels, config.xlen)
    return stop(program, walk)


@scenario("ET.ing.filters", configs=in_turn(("trap=exception", "ecause=2", "trap=exception"), *_EVERY))
def filter_deep_traps(config: Config, rng: Random) -> ProgramRun:
    """Up to 20 traps nested in the one that a filter matches: the count of four bits stays at 15."""
    b = filtered.filtered_code(builder(config))
    program, walk = start(b, config)
    return stop(program, filtered.nest(walk, b.labels))


_RANGE = f"iaddr={filtered.place(filtered.FIRST)}..{filtered.place(filtered.LAST)}"


@scenario("ET.ing.filters", configs=in_turn((_RANGE, *filtered.PAIRS), *configs(), *configs(TWO)), retirement="single")
def filter_pairs(config: Config, rng: Random) -> ProgramRun:
    """Filters with two conditions, which hold alone, together and not at all. An interrupt without an instruction has
    no address, whatever the port carries.
    """
    b = filtered.filtered_code(builder(config))
    program, walk = start(b, config)
    return stop(program, filtered.pairs(walk, b.labels))


def _switched(config: Config, rng: Random, program: Program, retired: Retired) -> Beats:
    return filtered.by_enable(place(config, "single", retired, rng))


@scenario("ET.ing.filters", configs=in_turn(filtered.STARTED * 2, *_EVERY, *configs()), beats=_switched)
def filter_disabled(config: Config, rng: Random) -> ProgramRun:
    """The encoder is disabled while a latch or a trap condition matches, and enabled: it matches no longer."""
    b = filtered.filtered_code(builder(config))
    program, walk = start(b, config)
    return stop(program, filtered.disable(walk, b.labels))
