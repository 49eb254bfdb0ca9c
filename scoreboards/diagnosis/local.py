# SPDX-License-Identifier: Apache-2.0
"""Whether what is wrong with a trace is damage at a few places, for which no other layout has to be searched.

A deviation of a device is in every message of some kind. Where messages of all kinds that are near a wrong place are
right elsewhere, between other synchronizing messages or for long before, the bytes were damaged on their way. A damaged
message can look like one of any kind: a single one that is right nowhere says nothing about a layout, two may.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

import numpy as np

# A single damaged byte breaks what lies between two synchronizing messages, or twice that where it hides one of them:
# more stretches than these are no damage of a few bytes.
MOST_BROKEN = 4
FOLLOWED = 24  # messages that are right: before a damage after which none synchronizes, or in the other stretches
SEEN = 2  # messages of a kind that are right elsewhere, or of a type that are wrong alike
NEAR = 3  # messages of which one may be what the decoder stumbled over


def stretches(size: int, syncs: Sequence[int]) -> np.ndarray:
    """The number of the stretch between two synchronizing messages that each message is in, and the end after them."""
    return np.searchsorted(np.asarray(syncs, np.int64), np.arange(size + 1), side="right")


def is_damage(kinds: Sequence[tuple[Hashable, ...]], broken: Sequence[int], syncs: Sequence[int]) -> bool:
    """Whether the messages at which decoding stops are due to damage at a few places.

    kinds: of each message, what a deviation of the layout makes no difference within; its type comes first. broken: the
    messages at which decoding stops, in order; the number of messages if it is their end. syncs: the messages at which
    it can start again.
    """
    if not broken:
        return False
    number = stretches(len(kinds), syncs)
    wrong = set(number[list(broken)].tolist())
    near = {at for place in broken[:MOST_BROKEN] for at in range(max(place - NEAR, 0), min(place + 1, len(kinds)))}
    if any(place > broken[0] for place in syncs):
        right = [kind for kind, of in zip(kinds, number.tolist()) if of not in wrong]
        if len(wrong) > MOST_BROKEN or len(right) < max(FOLLOWED, len(kinds) // 3):
            return False
    else:  # nothing after it shows that it ends
        right = list(kinds[: max(broken[0] - NEAR, 0)])
        if broken[0] < FOLLOWED:
            return False
    often = Counter(right)
    rare = {kinds[at] for at in near if often[kinds[at]] < SEEN}
    total = Counter(kind[0] for kind in kinds if kind in rare)
    return all(count < SEEN for count in total.values())
