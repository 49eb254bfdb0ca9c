"""What the loop is directed to: which events are sampled, where, and how often."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tb.sequences.loop_story import BRANCHES, FILTERS, MISSES, Wanted

BUILDS: tuple[dict[str, Any], ...] = ({}, {"xlen": 32, "transfers": 1, "width": 40})
CLAUSES = (
    "LOOP.lcofi", "LOOP.freeze", "LOOP.path", "LOOP.scountovf", "LOOP.snapshot", "LOOP.bitmap", "LOOP.overflown", "LOOP.clear",
    "LOOP.thaw", "LOOP.again", "LOOP.counters", "LOOP.records", "LOOP.sbi", "LOOP.memory", "LOOP.same",
)  # fmt: skip


@dataclass(frozen=True)
class Scenario:
    """One story. what: in a sentence. clauses: those it is there for. build: what is sampled. configs: option overrides to run it with. job: overrides of the job."""

    name: str
    what: str
    clauses: tuple[str, ...]
    build: Callable[[], tuple[Wanted, ...]]
    configs: tuple[dict[str, Any], ...] = BUILDS
    job: dict[str, Any] = field(default_factory=lambda: {"drive": "pins"})
    base: dict[str, Any] = field(default_factory=dict)


def _one(event: int, place: str) -> Scenario:
    name = {BRANCHES: "branches", MISSES: "misses"}[event]
    return Scenario(f"{name}_{place}", f"Samples {name}, counted in {place}.", CLAUSES, lambda: (Wanted(event, place, 90 if event == BRANCHES else 30),))


_ALL = [
    *(_one(event, place) for event in (BRANCHES, MISSES) for place in FILTERS),
    Scenario("two_at_once", "Two counters of one event overflow in the same cycle: one interrupt, two bits.", CLAUSES,
             lambda: (Wanted(BRANCHES, "all", 50), Wanted(BRANCHES, "all", 50))),
    Scenario("fewer_than_entries", "Overflows follow each other so soon that records of the stretch before are still there.", CLAUSES,
             lambda: (Wanted(BRANCHES, "all", 4), Wanted(MISSES, "all", 3)), tuple({**build, "depth": 32} for build in BUILDS)),
]  # fmt: skip
SCENARIOS = {scenario.name: scenario for scenario in _ALL}
