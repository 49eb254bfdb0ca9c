# SPDX-License-Identifier: Apache-2.0
"""What a supervisor saw at one counter overflow that it sampled."""

from __future__ import annotations

from dataclasses import dataclass, field

from rvtrace.models.ctr.records import Record, Transfer

FROZEN = 1 << 31  # of sctrstatus


@dataclass
class Sampled:
    """A counter of the profiler. selector: what it counts; start: its value when the stretch began; width in bits."""

    index: int
    number: int
    selector: int
    filter: str
    start: int
    width: int


@dataclass
class Sample:
    """One overflow. begin, seen: cycles of the hart in which the stretch began, and in which LCOFI was first pending
    (-1: never).

    counters: as the stretch began. history: every transfer since the records were thawed, oldest first. status,
    entries, scountovf: read in the handler; overflown: what the SBI implementation says, by logical index; bitmap: the
    word in snapshot memory; values: of the counters' slots. pending, thawed: sip and the records' status read after it.
    """

    begin: int
    counters: list[Sampled]
    history: list[Transfer] = field(default_factory=list)
    seen: int = -1
    status: int = 0
    entries: list[Record] = field(default_factory=list)
    scountovf: int = 0
    bitmap: int = 0
    overflown: list[int] = field(default_factory=list)
    values: dict[int, int] = field(default_factory=dict)
    pending: int = 0
    thawed: int = 0
