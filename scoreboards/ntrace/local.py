# SPDX-License-Identifier: Apache-2.0
"""Whether what is wrong with a captured trace is damage at a few places, for which no other layout has to be searched.

A deviation of a device is in every message of some kind. Where messages of all kinds that are near a wrong place are
right elsewhere, between other synchronizing messages or for long before, the bytes were damaged on their way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from rvtrace.models.ntrace.decoder.decode import DecodedTrace
from rvtrace.scoreboards.ntrace import table as t
from rvtrace.scoreboards.ntrace.table import MessageTable

# A single damaged byte breaks what lies between two synchronizing messages, or twice that where it hides one of them:
# more places than these are no damage of a few bytes.
MOST_BROKEN = 4
FOLLOWED = 24  # messages before a damage after which none synchronizes
SEEN = 2  # messages of a kind that are right elsewhere
NEAR = 3  # messages of which one may be what the decoder stumbled over

Kind = tuple[int, int, int]


def is_local(trace: DecodedTrace, broken: Sequence[int]) -> bool:
    """Whether the places where decoding stops, by their byte offsets, are local damage."""
    table = MessageTable(trace.log)
    places = sorted({min(int(np.searchsorted(table.offset, at)), len(table)) for at in broken})
    if not places or places[0] < NEAR or trace.skipped_bytes or not len(trace):
        return False  # what is wrong at the start may be the habit of a device
    kinds = _kinds(table)
    syncs = np.flatnonzero(table.sync)
    own = [kind for place in places[:MOST_BROKEN] for kind in kinds[max(place - NEAR, 0) : place + 1]]
    if not (syncs > places[0]).any():  # nothing after it shows that it ends
        first = max(places[0] - NEAR, 0)
        return places[0] >= FOLLOWED and _seen(kinds[:first], kinds[first : places[0]])
    stretch = np.searchsorted(syncs, np.arange(len(table) + 1), side="right")
    wrong = {int(stretch[place]) for place in places}
    good = [kind for kind, of in zip(kinds, stretch.tolist()) if of not in wrong]
    return len(wrong) <= MOST_BROKEN and len(good) >= FOLLOWED and _seen(good, own)


def _seen(good: Sequence[Kind], wrong: Sequence[Kind]) -> bool:
    """Whether there are enough messages of each kind that are right."""
    often = Counter(good)
    return all(often[kind] >= SEEN for kind in set(wrong))


def _kinds(table: MessageTable) -> list[Kind]:
    """What a deviation of the layout makes no difference within: a message, its code, and whether it has branches."""
    code = np.maximum(table["rcode"], np.where(table["sync"] == t.ABSENT, t.ABSENT, table["sync"] + 16))
    return list(zip(table.tcode.tolist(), code.tolist(), (table["hist"] > 1).astype(int).tolist()))
