# SPDX-License-Identifier: Apache-2.0
"""Which options explain the bytes of a device whose trace cannot be decoded with those that it claims.

One wrong option makes every message after it unreadable, so that many clauses fail and none names the cause. Here the
decoder is tried with other values of each option that gives messages their layout. An option is taken only if with it
nearly everything decodes that did not before; then the rest of the trace is judged with it, and the option is the
finding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar

from rvtrace.models.common.options import ConfigError, Options
from rvtrace.scoreboards.common.clauses import ClauseBook, Failure

C = TypeVar("C", bound=Options)

ROUNDS = 3  # times that the best of all single options is taken
IN_PAIRS = 40  # single options of which all pairs are tried as well
MOST = 100  # options that may differ at all
TIED = 8  # configurations that explain a trace equally well
MUCH = 0.1  # share of the evidence that a wrong option leaves undecoded; less is damage at some places
EXPLAINED = 0.05  # share of the evidence that may be left undecoded


class Variation(NamedTuple):
    """An option that gives messages their layout. clause: what a device violates that differs in it."""

    option: str
    clause: str


class Explained(NamedTuple):
    """An option with which the trace decodes: its name, its clause, the value claimed and the one found."""

    option: str
    clause: str
    claimed: Any
    found: Any

    def failure(self, left: float, number: int) -> Failure:
        """The finding, before all messages. left: share of the evidence that cannot be decoded as claimed. number:
        of the option, if there are several.
        """
        name = self.option.upper()
        text = (
            f"the trace decodes with {name}={self.found}; {name}={self.claimed} was claimed, with which"
            f" {left:.0%} of it cannot be decoded"
        )
        return Failure(self.clause, text, table=[(name, str(self.claimed), str(self.found))], at=number - MOST)


def variations(config: C, table: Iterable[Variation]) -> Iterator[tuple[Variation, C]]:
    """Every legal configuration that differs from one in a single option of the table."""
    for variation in table:
        claimed = getattr(config, variation.option)
        for value in type(config).legal()[variation.option]:
            if value != claimed:
                with suppress(ConfigError):  # options that exclude each other
                    yield variation, replace(config, **{variation.option: value})


@dataclass(frozen=True)
class Explanation:
    """A configuration with which a trace decodes, and where it differs from the one claimed."""

    config: Any
    options: tuple[Explained, ...]


def explain(
    claimed: C, undecoded: Callable[[C], float], others: Callable[[C], Iterable[tuple[Variation, C]]]
) -> list[Explanation]:
    """The configurations with which a trace decodes best, at most TIED of them; none if the trace cannot be explained.

    undecoded: share of the evidence that a decoder with a configuration cannot read, 0 to 1. others: the configurations
    that differ from one in a single option.
    """
    best, left = [claimed], undecoded(claimed)
    if left < MUCH:
        return []
    for _ in range(ROUNDS):
        singles = [other for _, other in others(best[0])]
        share, found = _best(undecoded, singles)
        if share >= left and len(singles) <= IN_PAIRS:  # two wrong options, neither of which helps alone
            share, found = _best(undecoded, [pair for one in singles for _, pair in others(one)])
        if not found or share >= left:
            break
        best, left = found, share
    if left > EXPLAINED:
        return []
    known = {variation.option: variation.clause for variation, _ in others(claimed)}
    return [Explanation(config, _differences(claimed, config, known)) for config in best if config != claimed]


def _best(undecoded: Callable[[C], float], configs: Iterable[C]) -> tuple[float, list[C]]:
    """The least share, and the first configurations that have it."""
    share, best = 2.0, []
    for config in configs:
        found = undecoded(config)
        if found < share:
            share, best = found, [config]
        elif found == share and len(best) < TIED and config not in best:
            best.append(config)
    return share, best


def _differences(claimed: Any, config: Any, known: dict[str, str]) -> tuple[Explained, ...]:
    pairs = ((name, clause, getattr(claimed, name), getattr(config, name)) for name, clause in known.items())
    return tuple(Explained(*pair) for pair in pairs if pair[2] != pair[3])


def most_plausible(
    capture: Any, explanations: list[Explanation], judge: Callable[[Any], ClauseBook]
) -> tuple[Any, tuple[Explained, ...]]:
    """The capture with the configuration that explains it, of several the one with which the fewest checks fail; as it
    is if none does.
    """

    def failed(explanation: Explanation) -> int:
        book = judge(replace(capture, config=explanation.config))
        return sum(failures for _, failures in book.results().values())

    if not explanations:
        return capture, ()
    chosen = explanations[0] if len(explanations) == 1 else min(explanations, key=failed)
    return replace(capture, config=chosen.config), chosen.options
