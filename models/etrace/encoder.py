"""The reference E-Trace encoder: which packets, and so which bytes, a stream of blocks becomes.

`Encoder(config).run(beats)` predicts, byte for byte, an encoder that declares docs/etrace-profile.md. Beside each packet stands the
clause that made the encoder send it (`CLAUSES`), so that a difference names the rule that was broken.

Here are levels, options and loss. `encoder_items` has what an item does, `encoder_output` what packets are made of, `encoder_input`
how beats are read.
"""

from __future__ import annotations

from bisect import bisect_left

import numpy as np

from models.etrace.encoder_clauses import CLAUSES
from models.etrace.encoder_input import (
    AFTER_JUMP,
    BEFORE,
    FIRST,
    LAST,
    NEVER,
    SEQUENTIAL,
    SLOTS,
    TAIL,
    Change,
    EncoderError,
    Item,
    Segment,
    read,
)
from models.etrace.encoder_items import FAR, ItemSteps
from models.etrace.encoder_output import NO_CHANGE, TRACE_LOST, EncodedTrace, Lost
from models.riscv.beats import Beats

__all__ = ["CLAUSES", "EncodedTrace", "Encoder", "EncoderError"]


class Encoder(ItemSteps):
    """The state machine of docs/etrace-profile.md; each `run` starts from reset."""

    def run(self, beats: Beats) -> EncodedTrace:
        """Encode all beats. Cycles without a row have no block, no pulse, and the levels and drop of the row before.

        EncoderError if the beats do not fit the configuration.
        """
        self._reset_items()
        self._story = story = read(beats, self.config)
        self._lanes = beats.lanes
        self._drops = beats.drop.tolist() if beats.drop.any() else None
        self._resumed = NEVER  # the row in which there was room again after a loss
        self._ended = NEVER  # the row in which a trace ended last
        # In a row, a change of levels stands before the blocks.
        for step in sorted([*story.changes, *story.segments], key=_place):
            (self._change if isinstance(step, Change) else self._segment)(step)
        return self._trace(beats.tstamp)

    def _change(self, change: Change) -> None:
        """`enable` or the options change; the trace has ended."""
        if change.row <= self._resumed or (not change.enable and self._ended == change.row):
            return
        clause = "ET.alg.reconfigured" if change.was_enabled else "ET.alg.enable"
        self._row, self._options = change.row, self._story.options[change.row]
        try:
            self._send_support(change.enable, NO_CHANGE, clause if change.enable else "ET.alg.disable")
        except Lost:
            self._recover()

    def _segment(self, segment: Segment) -> None:
        """One trace, or what is left of it behind a loss."""
        story = self._story
        while True:
            begin = max(segment.begin, int(np.searchsorted(story.row_of, self._resumed)))
            if begin >= segment.end:
                return
            self._options = story.options[segment.begin_row]
            items = story.items[bisect_left(story.items, (SLOTS * begin,)) : bisect_left(story.items, (SLOTS * segment.end,))]
            try:
                if begin > segment.begin:
                    items = self._restart(begin, items)
                self._follow(items)
                self._ended = segment.end_row
                return
            except Lost:
                self._recover()

    def _restart(self, begin: int, items: list[Item]) -> list[Item]:
        """Begin a trace at a block that was in the middle of one; returns the items behind its first."""
        key = self._story.next_key(SLOTS * begin - 1)
        if items and items[0][0] == key:
            (_, flags, *rest), items = items[0], items[1:]
        else:
            _, flags, *rest = self._story.plain(key)
        flags = flags & ~BEFORE | FIRST
        if key % SLOTS == TAIL and flags & SEQUENTIAL:  # what made it sequential is not traced
            flags ^= SEQUENTIAL
            if not flags & LAST:
                self._forced, self._forced_flags = self._story.next_key(key), AFTER_JUMP
        if rest[-1] != NEVER:
            self._item(key, flags, *rest)
        return items

    def _recover(self) -> None:
        """The packets of this row are lost, and all up to the next row with room: there a support packet tells it."""
        lost = self._row
        self._take_back(lost)
        self._forced = FAR
        room = np.flatnonzero(self._story.beats.drop[lost:] == 0)
        self._resumed = lost + int(room[0]) if len(room) else FAR
        if len(room):
            self._row, self._options = self._resumed, self._story.options[self._resumed]
            self._send_support(int(self._story.beats.enable[self._row]), TRACE_LOST, "ET.alg.lost")


def _place(step: Change | Segment) -> tuple[int, bool]:
    return (step.row, False) if isinstance(step, Change) else (step.begin_row, True)
