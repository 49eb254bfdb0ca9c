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
from rvtrace.tb.etrace.stimulus.scenarios.base import TWO, Script, builder, configs, place, scenario

_EVERY = configs({}, TWO)


@scenario("ET.ing.filters",
          configs=(*in_turn(filtered.COMPARISONS, *configs()), *in_turn(filtered.WIDE, *configs()),
                   *in_turn(filtered.MASKED, *_EVERY), *in_turn(filtered.FROM_FIRST, *_EVERY)),
          retirement="single")  # fmt: skip
def filter_comparisons(s: Script) -> None:
    """Each comparison of each input, with values below, at and above its limit and far above; masks; and the latch that
    is set at first.
    """
    filtered.compare_twice(*s.start(filtered.filtered_code(builder(s.config))), s.config.xlen)


@scenario("ET.ing.filters", configs=in_turn(("trap=exception", "ecause=2", "trap=exception"), *_EVERY))
def filter_deep_traps(s: Script) -> None:
    """Up to 20 traps nested in the one that a filter matches: the count of four bits stays at 15."""
    filtered.nest(*s.start(filtered.filtered_code(builder(s.config))))


_RANGE = f"iaddr={filtered.place(filtered.FIRST)}..{filtered.place(filtered.LAST)}"


@scenario(
    "ET.ing.filters",
    configs=in_turn((_RANGE, *filtered.PAIRS, *filtered.SECOND), *configs(), *configs(TWO)),
    retirement="single",
)
def filter_pairs(s: Script) -> None:
    """Filters with two conditions, which hold alone, together and not at all, and two filters of traps. An interrupt
    without an instruction has no address, whatever the port carries.
    """
    filtered.pairs(*s.start(filtered.filtered_code(builder(s.config))))


@scenario("ET.ing.filters", configs=in_turn(filtered.OFF, *_EVERY), retirement="single")
def filter_off(s: Script) -> None:
    """A filter that is configured and not selected, or not enabled: beside another one, and alone."""
    filtered.pairs(*s.start(filtered.filtered_code(builder(s.config))))


@scenario("ET.ing.filters", configs=in_turn(filtered.EDGES, *_EVERY), retirement="single")
def filter_interrupts(s: Script) -> None:
    """An interrupt without instructions is not subject to the address of a filter, and ends no trace."""
    filtered.interrupts(*s.start(filtered.filtered_code(builder(s.config))))


def _switched(config: Config, rng: Random, program: Program, retired: Retired) -> Beats:
    return filtered.by_enable(place(config, "single", retired, rng))


@scenario("ET.ing.filters", configs=in_turn(filtered.STARTED * 2, *_EVERY, *configs()), beats=_switched)
def filter_disabled(s: Script) -> None:
    """The encoder is disabled while a latch or a trap condition matches, and enabled: it matches no longer."""
    filtered.disable(*s.start(filtered.filtered_code(builder(s.config))))
