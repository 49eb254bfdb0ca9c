# SPDX-License-Identifier: Apache-2.0
"""Scenarios of single comparisons of the filters, and of what they remember (4, NT-13)."""

from __future__ import annotations

from random import Random

from rvtrace.models.ntrace.config import Config
from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.blocks import to_beats
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Retired
from rvtrace.tb.common.stimulus import filtered
from rvtrace.tb.common.stimulus.filtered import in_turn
from rvtrace.tb.ntrace.stimulus.scenarios.base import RV32, TWO, Script, builder, configs, scenario

_EVERY = configs()


@scenario("NT.4.filters",
          configs=(*in_turn(filtered.COMPARISONS, *_EVERY, {"mode": "btm"}), *in_turn(filtered.WIDE, *_EVERY),
                   *in_turn(filtered.MASKED, *_EVERY[::-1]), *in_turn(filtered.FROM_FIRST, _EVERY[0], _EVERY[-1]),
                   *in_turn(filtered.COMPARISONS[:12:5], *configs(**RV32)), *in_turn(filtered.MASKED, *configs(**TWO))),
          retirement="single")  # fmt: skip
def filter_comparisons(s: Script) -> None:
    """Each comparison of each input, with values below, at and above its limit and far above; masks; and the latch that
    is set at first.
    """
    filtered.compare_twice(*s.start(filtered.filtered_code(builder(s.config))), s.config.xlen)


@scenario(
    "NT.4.filters",
    configs=(*in_turn(("trap=exception", "ecause=2"), *_EVERY), *in_turn(("trap=exception",), *configs(**TWO))),
)
def filter_deep_traps(s: Script) -> None:
    """Up to 20 traps nested in the one that a filter matches: the count of four bits stays at 15."""
    filtered.nest(*s.start(filtered.filtered_code(builder(s.config))))


@scenario(
    "NT.4.filters",
    configs=(
        *in_turn(filtered.PAIRS, *_EVERY),
        *in_turn(filtered.SECOND, {"mode": "htm"}),
        *in_turn(filtered.SECOND, {"mode": "btm"}),
    ),
    retirement="single",
)
def filter_pairs(s: Script) -> None:
    """Filters with two conditions, which hold alone, together and not at all, and two filters of traps."""
    filtered.pairs(*s.start(filtered.filtered_code(builder(s.config))))


@scenario("NT.4.filters", configs=in_turn(filtered.OFF, *_EVERY), retirement="single")
def filter_off(s: Script) -> None:
    """A filter that is configured and not selected, or not enabled: beside another one, and alone."""
    filtered.pairs(*s.start(filtered.filtered_code(builder(s.config))))


@scenario("NT.4.filters", configs=in_turn(filtered.EDGES, *_EVERY), retirement="single")
def filter_interrupts(s: Script) -> None:
    """An interrupt without instructions is not subject to the address of a filter, and ends no trace."""
    filtered.interrupts(*s.start(filtered.filtered_code(builder(s.config))))


def _switched(config: Config, rng: Random, program: Program, retired: Retired) -> Beats:
    return filtered.by_enable(to_beats(retired, config.blocks, "single"))


@scenario(
    "NT.4.filters",
    configs=(*in_turn(filtered.STARTED, *_EVERY), *in_turn(filtered.STARTED, *configs(**TWO))),
    beats=_switched,
)
def filter_disabled(s: Script) -> None:
    """The encoder is disabled while a latch or a trap condition matches, and enabled: it matches no longer."""
    filtered.disable(*s.start(filtered.filtered_code(builder(s.config))))
