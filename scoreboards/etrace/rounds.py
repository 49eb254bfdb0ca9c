# SPDX-License-Identifier: Apache-2.0
"""The draft without updiscon: an address that the path meets anyway, reported by a notification, looks like the target
of a jump, and the decoder goes one round farther than the hart.

Where the alignment finds that such a round was not, it leaves its instructions out. The calls of that round stay on the
decoder's return stack or counter, and a return later on is taken for an implicit one; or the packet that seemed to be
for the next jump leads nowhere. The trace says what the hart did with the other meaning of that packet, so it is
decoded with that one.
"""

from __future__ import annotations

from collections.abc import Callable

from rvtrace.scoreboards.etrace.lossless import Lossless


def without_rounds(read: Callable[[frozenset[int]], Lossless]) -> Lossless:
    """The reading of a trace that follows the hart farthest; read: with the packets that settle the address before."""
    settled: frozenset[int] = frozenset()
    best = read(settled)
    while best.draft and (best.misplaced or best.decoded.diagnostics):
        doubtful = best.unmade | {found.packet for found in best.decoded.diagnostics}
        if doubtful <= settled:
            break
        settled |= doubtful
        other = read(settled)
        if other.reach <= best.reach and len(other.decoded.diagnostics) >= len(best.decoded.diagnostics):
            break
        best = other
    return best
