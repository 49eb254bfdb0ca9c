# SPDX-License-Identifier: Apache-2.0
"""Causes before consequences: which failures of one run follow from another one.

Every check reports what it found under its own clause, so that one mistake of a device shows up in many of them. Two
facts order them. Failures at one place of the evidence (a message, a packet) describe one deviation: the check that
looks at the place alone comes before those that compare what was decoded from it. And where a decoder lost its way, it
reports nothing until it finds it again: whatever fails there follows from what it stumbled over.

A failure without a place (a port, a register, the run as a whole) is never a consequence.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

# How a failure was found, the one that explains the others at the same place first: by a rule about one message, by
# comparison with the reference encoder, by a decoder that could not go on, by comparison of what was decoded.
RULE, REFERENCE, DECODER, COMPARED = range(4)
_FOLLOWED = (DECODER, COMPARED)  # depend on everything that was decoded before
_END = sys.maxsize


class Damage(NamedTuple):
    """Places [begin, end) of the evidence that say nothing sure because of what is at `begin`; end None: all that
    follow. read: the messages there could be read, so that a rule about one of them holds or not.
    """

    begin: int
    end: int | None = None
    read: bool = False

    def covers(self, at: int, found: int) -> bool:
        """Whether what was found at a place follows from an earlier one."""
        inside = self.begin < at < (_END if self.end is None else self.end)
        return inside and (not self.read or found in _FOLLOWED)


@dataclass(frozen=True)
class Placed:
    """What the order of failures needs to know of one: its clause, its place, how it was found."""

    clause: str
    at: int | None
    found: int


def causes(failures: Sequence[Placed], damage: Sequence[Damage]) -> list[str]:
    """For each failure the clause of the one that it follows from, empty for a cause.

    failures: of one run, in the order in which they were found. damage: what could not be decoded, or was decoded
    wrongly.
    """
    places = {n: failure.at for n, failure in enumerate(failures) if failure.at is not None}
    order = sorted(places, key=lambda n: (places[n], failures[n].found, n))
    reference = next((n for n in order if failures[n].found == REFERENCE), None)
    result = [""] * len(failures)
    first: dict[int, int] = {}  # place to the failure that explains the others there
    for n in order:
        at, found = places[n], failures[n].found
        span = next((d for d in damage if d.covers(at, found) and d.begin in first), None)
        # what was decoded is known to one message: a missing one shows at the message before the first difference
        by_reference = reference is not None and found in _FOLLOWED and at >= places[reference] - 1
        if by_reference:
            cause = reference
        elif at in first:
            cause = first[at]
        else:
            cause = None if span is None else first[span.begin]
        first.setdefault(at, n if cause is None else cause)
        if cause is not None and failures[cause].clause != failures[n].clause:
            result[n] = failures[cause].clause
    return result
