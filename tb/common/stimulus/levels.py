# SPDX-License-Identifier: Apache-2.0
"""Control levels of the ingress port in every order, and long pauses: what scenarios of both encoders are made of."""

from __future__ import annotations

from random import Random

import numpy as np

from rvtrace.models.riscv.beats import Beats


def under_levels(plain: Beats, levels: tuple[str, ...], stopping: tuple[str, ...], rng: Random) -> Beats:
    """The blocks of `plain` under every transition among the combinations of the levels, once and in random order.

    Blocks come wherever the hart runs (none of the levels `stopping` is 1), in the very cycle of the change as well;
    all levels are 0 at the end.
    """
    blocks = plain.select(plain.valid().any(axis=1))
    stops = sum(1 << len(levels) - 1 - levels.index(name) for name in stopping)
    used, parts, states = 0, [], []
    for state in _tour(1 << len(levels), rng):
        for number in range(rng.randrange(1, 4)):
            running = not state & stops
            if running and (number or rng.random() < 0.6) and used < len(blocks):
                parts.append(blocks.select(slice(used, used + 1)))
                used += 1
            else:
                parts.append(Beats.empty(1, plain.lanes))
            states.append(state)
    beats = Beats.concat([*parts, Beats.empty(1, plain.lanes)])
    rows = np.array([*states, 0])
    for shift, name in enumerate(reversed(levels)):
        setattr(beats, name, (rows >> shift & 1).astype(np.uint8))
    beats.cycle = np.arange(len(beats), dtype=np.uint64)
    return beats


def _tour(count: int, rng: Random) -> list[int]:
    """An Eulerian circuit of the complete directed graph on so many states, from 0 (Hierholzer)."""
    left = {state: [other for other in range(count) if other != state] for state in range(count)}
    for others in left.values():
        rng.shuffle(others)
    stack, tour = [0], []
    while stack:
        if left[stack[-1]]:
            stack.append(left[stack[-1]].pop())
        else:
            tour.append(stack.pop())
    return tour[::-1]


# One more than the largest count of cycles since a sync that the reference has (trace_pkg::SyncCountBits); a count that
# does not stop is small again after so many.
PAUSE = 1 << 20


def with_pause(beats: Beats, row: int) -> Beats:
    """The same with `PAUSE` idle cycles before a row."""
    beats.cycle[row:] += np.uint64(PAUSE)
    return beats
