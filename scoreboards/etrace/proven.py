# SPDX-License-Identifier: Apache-2.0
"""How often what a clause says was proven by the lossless comparison alone, whatever encoder sent the packets.

A clause of the encoding ("the address of an uninferable jump's target is reported", "31 branches make a full map") is
proven where it occurs in a packet that the decoder followed, up to the first instruction that is not the hart's:
another meaning of the packet would have led it elsewhere. Where the comparison fails at what a clause speaks of, the
clause fails with it, as a consequence.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from rvtrace.models.etrace.table import MAX_BRANCHES
from rvtrace.models.riscv.isa import Flow
from rvtrace.models.riscv.retired import IType
from rvtrace.scoreboards.common.clauses import plan_of
from rvtrace.scoreboards.etrace import table as t
from rvtrace.scoreboards.etrace.lossless import Lossless

_FOLLOWED = (
    "ET.bt.",
    "ET.opt.",
    "ET.ing.filters",
    "ET.alg.lost",
)  # what fails where the decoder is not at the hart's PC


class Followed:
    """One comparison, up to the first difference."""

    def __init__(self, of: Lossless) -> None:
        self.of, self.table, self.want = of, of.table, of.expected
        lost = [index for index, failure in of.broken if failure.clause.startswith(_FOLLOWED)]
        self.upto = min([of.followed, *lost])

    @cached_property
    def packets(self) -> np.ndarray:
        """Mask of the packets up to which the hart was followed."""
        return (self.of.stops >= 0) & (self.of.stops < self.upto)

    @cached_property
    def covered(self) -> np.ndarray:
        """Mask of the instructions that were followed."""
        return self.of.covered & (np.arange(len(self.want)) < self.upto)

    @property
    def greatest_count(self) -> int:
        """What branch_count has when it can count no further."""
        return self.of.capture.config.max_pbc - MAX_BRANCHES

    @cached_property
    def targets(self) -> np.ndarray:
        """Mask of the instructions right after an uninferable jump, with no trap between."""
        flow = self.of.capture.program.columns(self.want.pc).flow
        found = np.zeros(len(self.want), bool)
        found[1:] = flow[:-1] == Flow.UNINFERABLE
        found &= ~self.want.first
        found[[index for index in self.want.traps_at if index < len(found)]] = False
        return found

    @cached_property
    def addressed(self) -> np.ndarray:
        """Mask of the instructions whose address a packet reports."""
        found = np.zeros(len(self.want), bool)
        found[self.of.stops[self.table.addressed & self.packets]] = True
        found[[place for _, place in self.of.sync_places]] = True
        return found

    def handlers(self, reported: int) -> np.ndarray:
        """Places of the traps that a packet with this thaddr reports; the draft has only those of thaddr=1."""
        places = [
            place
            for place, event in self.of.placed("trap")
            if place is not None and (self.table["thaddr"][event.packet] != 0) == reported
        ]
        return np.array([place for place in places if place <= self.upto], np.int64)

    def last(self) -> np.ndarray:
        """The last instructions of the stretches of trace."""
        ends = [s.last for s in self.want.supports if s.last is not None]
        return np.array([last for last in ends if last < self.upto and self.covered[last]], np.int64)

    def of_kind(self, mask: np.ndarray) -> np.ndarray:
        """Where the packets of a mask end."""
        return self.of.stops[mask & self.packets]


def _maps(of: Followed) -> np.ndarray:
    return of.of_kind(of.table["branch_map"] != t.ABSENT)


def _full_maps(of: Followed) -> np.ndarray:
    return of.of_kind(of.table.is_a(t.BRANCH_MAP) & (of.table["branches"] == 0))


def _all_31(of: Followed) -> np.ndarray:
    return of.of_kind(of.table.is_a(t.BRANCH_MAP) & np.isin(of.table["branches"], (0, MAX_BRANCHES)))


def _counts(of: Followed) -> np.ndarray:
    return of.of_kind(of.table["branch_count"] != t.ABSENT)


def _failed_predictions(of: Followed) -> np.ndarray:
    counted = of.table["branch_count"] != t.ABSENT
    return of.of_kind(counted & ~of.table.addressed & (of.table["branch_count"] != of.greatest_count))


def _greatest_counts(of: Followed) -> np.ndarray:
    return of.of_kind(of.table["branch_count"] == of.greatest_count)


def _differences(of: Followed) -> np.ndarray:
    table = of.table
    return of.of_kind(table.addressed & ~table.is_a(t.JUMP_TARGET) & ~table.options("full_address"))


def _misreturns(of: Followed) -> np.ndarray:
    at = of.of_kind(of.table["irreport"] == 1)
    return at[(at > 0) & (of.want.itype[np.maximum(at, 1) - 1] == IType.RETURN)]


class Proof(NamedTuple):
    """places: the traced instructions (or those after a trap) where the clause was seen to hold. parts: the clauses of
    the comparison that fail where it does not. there: the places that it speaks of, whether it holds there or not;
    None: all.
    """

    places: Callable[[Followed], np.ndarray]
    parts: tuple[str, ...]
    there: Callable[[Followed], np.ndarray] | None = None


def _cached(of: Followed) -> np.ndarray:
    return of.of_kind(of.table.is_a(t.JUMP_TARGET))


def _followed_by_another(of: Followed) -> np.ndarray:
    """Traps right after which another one comes."""
    return np.array([a.index for a, b in pairwise(of.want.traps) if a.index == b.index], np.int64)


def _again(of: Followed) -> np.ndarray:
    return np.intersect1d(of.handlers(False), _followed_by_another(of))


PROOFS: dict[str, Proof] = {
    "ET.pay.map_length": Proof(_maps, ()),
    "ET.pay.map_bits": Proof(_maps, ("ET.bt.branches",)),
    "ET.pay.full_map": Proof(_all_31, ()),
    "ET.pay.branch_count": Proof(_counts, ()),
    # notify is sent as the difference from the top bit of the address: one of the two is wrong
    "ET.pay.differential": Proof(_differences, ("ET.pay.notify",), _differences),
    "ET.alg.trap": Proof(lambda of: of.handlers(True), ("ET.bt.traps",)),
    "ET.alg.trap_again": Proof(lambda of: of.handlers(False), ("ET.bt.traps",), _followed_by_another),
    "ET.alg.updiscon": Proof(
        lambda of: np.flatnonzero(of.targets & of.addressed & of.covered),
        ("ET.bt.uninferable",),
        lambda of: np.flatnonzero(of.targets),
    ),
    "ET.alg.last": Proof(Followed.last, ("ET.bt.end",)),
    "ET.alg.full_map": Proof(_full_maps, ()),
    "ET.alg.mispredicted": Proof(_failed_predictions, ()),
    "ET.alg.count_full": Proof(_greatest_counts, ()),
    "ET.opt.misreturn": Proof(_misreturns, ("ET.opt.implicit_return",)),
    "ET-2": Proof(_again, ("ET.bt.traps",), _followed_by_another),
    "ET-12": Proof(_cached, ()),
}


def check_proven(of: Lossless) -> None:
    """Count what the comparison has proven, and fail with it what it has disproven."""
    followed = Followed(of)
    variant = of.capture.config.variant
    for clause, proof in PROOFS.items():
        if variant not in plan_of(__file__)[clause].variants:
            continue
        of.book.count(clause, len(proof.places(followed)))
        if of.capture.exact:
            continue  # the encoder model says which packet is missing
        there = None if proof.there is None else set(proof.there(followed).tolist())
        for index, failure in of.broken:
            if failure.clause in proof.parts and (there is None or index in there):
                of.book.fail(replace(failure, clause=clause, requirement="", source=""))
