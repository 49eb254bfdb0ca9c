# SPDX-License-Identifier: Apache-2.0
"""The decoder's return stack (9.2, NT-4, NT-5).

Whatever depth and mode the encoder has, its stack is the top of this one, which is deeper: a return that an encoder may
leave out is predicted here as well. What this one knows beyond that is never asked for.
"""

from __future__ import annotations

from typing import NamedTuple

DEPTH = 1024  # entries; 9.2 allows an encoder 32


class Effect(NamedTuple):
    """What a walk did to the stack: the entries it took off (which it needs to be there), and those it left."""

    need: list[int]
    pushed: list[int]


class CallStack:
    """Return addresses of the calls reported, the newest last in `items`; a push onto a full stack drops the oldest."""

    def __init__(self) -> None:
        self.items: list[int] = []
        self._low = 0  # fewest entries since `watch`
        self._used: list[int] = []  # entries taken from below, the newest first
        self._exact = True  # whether an effect can be reported

    def push(self, back: int) -> None:
        """A call: `back` is where it returns to."""
        self.items.append(back)
        if len(self.items) > DEPTH:
            del self.items[0]
            self._exact = False

    def pop(self) -> int | None:
        """Where a return goes, None if no call is known; the stack stays empty then (NT-4)."""
        if not self.items:
            self._exact = False
            return None
        back = self.items.pop()
        if len(self.items) < self._low:
            self._low = len(self.items)
            self._used.append(back)
        return back

    def clear(self) -> None:
        """A synchronizing message (NT-5)."""
        self.items.clear()

    def watch(self) -> None:
        """Begin a walk whose effect is wanted."""
        self._low, self._used, self._exact = len(self.items), [], True

    def effect(self) -> Effect | None:
        """Of the walk since `watch`; None if it cannot be distinguished from the stack it met."""
        return Effect(self._used[::-1], self.items[self._low :]) if self._exact else None

    def apply(self, effect: Effect) -> bool:
        """The same walk again; False, with nothing done, if the stack is not one on which it goes that way."""
        items, need = self.items, effect.need
        if need:
            if items[-len(need) :] != need:
                return False
            del items[-len(need) :]
        items += effect.pushed
        if len(items) > DEPTH:
            del items[:-DEPTH]
        return True
