# SPDX-License-Identifier: Apache-2.0
"""What can be said at once, before anything is searched: bytes that are no trace, and a message that is never sent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from rvtrace.scoreboards.common.clauses import ClauseBook, Failure
from rvtrace.scoreboards.common.findings import COMPARED, DECODER

LOOKED_AT = 4096  # bytes: one page says it
FEWEST = 32  # bytes; of a trace so many are not printable by chance: (97 / 256) ** 32 is 3e-14
FEW = 3  # times that the hart does something: what is not reported so often is not due to damage at one place
SOME = 4  # instructions that are right; in layouts of tests/ntrace/deviations.py in which no trap is read none is
BEFORE = -1  # place of a finding about the whole trace
_TEXT = frozenset(range(0x20, 0x7F)) | frozenset(b"\t\n\r")


def sentence(data: bytes) -> str:
    """Why bytes cannot be a trace of any format; empty if they can."""
    if not data:
        return "there are no bytes"
    seen = data[:LOOKED_AT]
    if len(seen) >= FEWEST and _TEXT.issuperset(seen):
        return "it is a text, not the bytes of an encoder"
    return ""


class Act(NamedTuple):
    """Something that a hart does and one kind of message reports, whatever else a device may choose.

    clause: that demands it. what: in the plural. message: that reports it. count: how often it was done; sent: how many
    such messages there are.
    """

    clause: str
    what: str
    message: str
    count: int
    sent: int


def shows(reported: np.ndarray, retired: np.ndarray, places: Sequence[int], is_whole: bool) -> bool:
    """Whether a trace is right at its start, and goes on beyond some of the instructions after which the hart did
    something: in a wrong layout any message can be another one, and a file may be cut. The first two are PCs. is_whole:
    it is known not to be cut.
    """
    begins = len(reported) >= SOME and np.array_equal(reported[:SOME], retired[:SOME])
    return begins and (is_whole or sum(place < len(reported) for place in places) >= FEW)


def missing(book: ClauseBook, acts: Iterable[Act]) -> bool:
    """Put first that a message is never sent, in the verdict on a trace that fails; whether it is so.

    What a decoder made of the trace, which went astray at the first of these places, follows from it.
    """
    found = [one for one in acts if one.count >= FEW and not one.sent]
    if not found:
        return False
    rest, book.failures = book.failures, []
    for one in found:
        said = f"{one.message} is never sent: the hart had {one.count} {one.what}, and none is reported"
        book.fail(Failure(one.clause, said, table=[(one.message, f"{one.count}", "0")], at=BEFORE))
    clauses = {one.clause for one in found}
    for failure in rest:
        if failure.found in (DECODER, COMPARED) and failure.clause not in clauses and not failure.cause:
            failure.cause = found[0].clause
    book.add({}, rest)
    return True


def explained(book: ClauseBook) -> bool:
    """Whether a message that is never sent explains a trace."""
    return any(failure.at == BEFORE and failure.found not in (DECODER, COMPARED) for failure in book.failures)
