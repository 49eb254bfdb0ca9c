# SPDX-License-Identifier: Apache-2.0
"""Regular behaviour of a random walk: what real programs have, and what repeated history and repeated branches need."""

from __future__ import annotations

import random


class Habits:
    """What a branch, loop or indirect jump did before it often does again; chosen at random at its first execution."""

    def __init__(self, rng: random.Random, habit: float, loop: float) -> None:
        self._rng, self._habit, self._loop = rng, habit, loop
        self._left: dict[int, int] = {}  # iterations of a running loop
        self._trips: dict[int, int | None] = {}
        self._patterns: dict[int, tuple[float, list[bool]]] = {}  # bias, or a pattern, the next direction first
        self._targets: dict[int, int | None] = {}

    def again(self, pc: int, trips: int | None, stop: bool) -> bool:
        """Whether the loop that ends in the branch at pc goes on; trips: how often if it begins, None for its habit."""
        rng = self._rng
        left = self._left.get(pc)
        if left is None:
            if pc not in self._trips:
                self._trips[pc] = rng.randint(0, 6) if self._loop and rng.random() < self._habit else None
            left = self._trips[pc] if trips is None else trips
            if left is None:
                left = int(rng.expovariate(1 / self._loop)) if self._loop else 0
        if left and not stop:
            self._left[pc] = left - 1
            return True
        self._left.pop(pc, None)
        return False

    def taken(self, pc: int) -> bool:
        """The direction of a branch that is not a loop: after its pattern, or its bias."""
        rng = self._rng
        if pc not in self._patterns:
            regular = rng.random() < self._habit
            pattern = [rng.random() < 0.5 for _ in range(rng.randint(1, 4))] if regular else []
            self._patterns[pc] = rng.choice((0.02, 0.2, 0.5, 0.5, 0.8, 0.98)), pattern
        bias, pattern = self._patterns[pc]
        if not pattern:
            return rng.random() < bias
        pattern.append(pattern.pop(0))
        return pattern[-1]

    def target(self, pc: int, places: list[int]) -> int:
        """One of the places; for a while always the same, if that is the habit of this jump."""
        rng = self._rng
        known = self._targets.get(pc)
        if known is None or rng.random() < (0.3 if known <= pc else 0.04):  # never for ever: it may lead back here
            known = rng.choice(places)
            self._targets[pc] = known if rng.random() < self._habit else None
        return known
