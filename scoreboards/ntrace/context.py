# SPDX-License-Identifier: Apache-2.0
"""Ownership: privilege and context of every instruction, as the messages report them (7.1).

An Ownership has no I-CNT: what it reports holds from somewhere between the message before it and the next one that
counts. So each change must be reported, in order, by an Ownership whose neighbours enclose it, and nothing else may be
reported; between an hcontext and the scontext that follows it any value may appear.
"""

from __future__ import annotations

import numpy as np

from rvtrace.scoreboards.common.places import ends
from rvtrace.scoreboards.ntrace import table as t
from rvtrace.scoreboards.ntrace.align import Alignment, Problem, Segment
from rvtrace.scoreboards.ntrace.expected import state

SCONTEXT, HCONTEXT = 2, 3  # FORMAT
PRIVS = {0: "U", 1: "S", 3: "M", 4: "VU", 5: "VS"}


class Context:
    """The Ownership messages of one trace against the states of its blocks; changes: how many of those there are."""

    CLAUSE = "NT.7.1.priv_change"

    def __init__(self, lossless: Alignment) -> None:
        table, config = lossless.table, lossless.capture.config
        self.on, self.changes = bool(config.ownership), 0
        if not self.on:
            return
        self._rows = np.flatnonzero(table.is_a(t.TC_OWNERSHIP))
        self._order = np.cumsum(table.tcode < t.FIRST_VENDOR)[self._rows]  # vendor-defined messages may appear anywhere
        after = ends(lossless.decoded.first_pc, len(lossless.decoded))
        counts = np.flatnonzero(table["icnt"] != t.ABSENT)
        self._following = following = np.append(counts, len(table))[np.searchsorted(counts, self._rows)]
        self._low = lossless.decoded.first_pc[self._rows]
        self._high = np.append(after, len(lossless.decoded))[following]
        self._process = [table.messages[row].get("process", 0) for row in self._rows.tolist()]
        states = lossless.expected.states
        value = states.value if config.hcontext else states.value & np.uint64(2**35 - 1)
        change = np.flatnonzero(np.diff(value, prepend=~value[:1]))
        self._begin, self._value = states.begin[change], value[change]
        self.changes = len(change)
        # a state lasts until the last block that has it begins
        self._until = np.append(states.begin[change[1:] - 1], states.begin[-1:])

    def problem(self, segment: Segment, at: int) -> Problem | None:
        """The first state that is reported wrongly, or not at all, in a segment that appears at `at`."""
        if not self.on or not len(self._value):
            return None
        shift, end = at - segment.begin, at + segment.end - segment.begin
        first, last = np.searchsorted(self._rows, (segment.first, segment.last)).tolist()
        place = max(int(np.searchsorted(self._until, at)), 0)  # the state now in force; the first Ownership reports it
        told, current = None, False
        number = first
        while number < last:
            low, high = int(self._low[number]) + shift, int(self._high[number]) + shift
            if segment.open[1] and self._following[number] >= segment.last:  # the message that counts was lost
                high = int(self._begin[-1])
            # what must have been reported before this message
            if current and place + 1 < len(self._value) and self._begin[place + 1] < low:
                return self._untold(place + 1)
            told = _apply(told, self._process[number])
            if self._is_pair(number, last) and not (current and self._are_two(place, told, number)):
                number += 1
                told = _apply(told, self._process[number])
            match = self._match(told, place, current, low, high)
            if match is None:
                return self._wrong(told, place if current else place - 1, low, high)
            place, current, number = match, True, number + 1
        if current and place + 1 < len(self._value) and self._begin[place + 1] < end:
            return self._untold(place + 1)
        if not current and end > at and not segment.open[0]:
            return self._untold(place)
        return None

    def _is_pair(self, number: int, last: int) -> bool:
        """Whether hcontext and scontext follow each other: no block need have been in the state between."""
        adjacent = number + 1 < last and self._order[number + 1] == self._order[number] + 1
        return adjacent and self._process[number] & 3 == HCONTEXT and self._process[number + 1] & 3 == SCONTEXT

    def _are_two(self, place: int, told: int, number: int) -> bool:
        """Whether both were reported for blocks of their own."""
        both = [told, _apply(told, self._process[number + 1])]
        return [int(v) for v in self._value[place + 1 : place + 3]] == both

    def _match(self, told: int, place: int, current: bool, low: int, high: int) -> int | None:
        """The state that was reported: the one in force, or the next one; at the start of a segment any that may be
        meant.
        """
        if current:
            if int(self._value[place]) == told and self._until[place] >= low:
                return place
            candidates = range(place + 1, min(place + 2, len(self._value)))
        else:
            candidates = range(place, int(np.searchsorted(self._begin, high, side="right")))
        return next((k for k in candidates if int(self._value[k]) == told and self._begin[k] <= high), None)

    def _untold(self, place: int) -> Problem:
        index = int(self._begin[place])
        return Problem(self.CLAUSE, "a change of privilege or context is not reported", index,
                       [("state", _text(int(self._value[place])), "none")])  # fmt: skip

    def _wrong(self, told: int, place: int, low: int, high: int) -> Problem:
        first = max(place, 0)
        values = [int(v) for v in self._value[first : place + 2]]
        if told in values:  # the hart was in it, but not there
            number = first + values.index(told)
            begin, until = int(self._begin[number]), int(self._until[number])
            return Problem(
                self.CLAUSE,
                f"Ownership reports {_text(told)} where the hart was not in it",
                low,
                [("after instructions", f"{begin}..{until}", f"{low}..{high}")],
            )
        return Problem(
            self.CLAUSE,
            "Ownership reports a context that the hart was not in",
            low,
            [("state", " or ".join(map(_text, values)), _text(told))],
        )


def _apply(told: int | None, process: int) -> int:
    """The state after an Ownership (table 12)."""
    kind, priv, context = process & 3, process >> 2 & 3 | (process >> 4 & 1) << 2, process >> 5
    known = told or 0
    if kind == SCONTEXT:
        return int(state(priv, context & 0xFFFF_FFFF, known >> 35))
    if kind == HCONTEXT:
        return int(state(priv, known >> 3 & 0xFFFF_FFFF, context))
    return known & ~7 | priv


def _text(value: int) -> str:
    return f"{PRIVS.get(value & 7, value & 7)} scontext={value >> 3 & 0xFFFF_FFFF:#x} hcontext={value >> 35:#x}"
