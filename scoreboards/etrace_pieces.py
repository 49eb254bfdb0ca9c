"""Pieces of a decoded trace: what was told between two places behind which nobody knows how it goes on.

Such a place is a loss, or an "ambiguous" event: the decoder stopped where the hart may have gone round a loop that leaves no packet, or took
a round that may not have been.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from scoreboards.etrace_expected import TRACE_LOST
from scoreboards.etrace_table import PacketTable


@dataclass
class Piece:
    """Decoded instructions [begin, end) and the events among them; `length` of them from `first` on stand for the traced ones from `at` on.

    join: what is before it: "start", "lost" or "ambiguous". packets: number of the first packet behind it.
    doubtful: the round of a loop with which it ends may not have been. lands: the doubt is about its first instruction, not about the one before it.
    jumped: its last instruction was no target of a jump, so the piece behind it begins with the jump that was.
    """

    begin: int
    end: int
    join: str
    events: list[Any] = field(default_factory=list)
    packets: int = 0
    doubtful: bool = False
    lands: bool = False
    at: int | None = None
    first: int = 0
    length: int = 0
    jumped: bool = False

    def place(self, index: int) -> int | None:
        """The traced instruction for a decoded one; None in a piece that was not placed, which may be anywhere in its hole.

        Events of the instruction right before an ambiguous stop may come behind it.
        """
        return None if self.at is None else self.at + min(max(index - self.first, -1), self.length)


def split(decoded: Any, table: PacketTable) -> list[Piece]:
    """The decoded trace between its losses and ambiguous stops."""
    total, n = len(decoded.pcs), len(table)
    pieces = [Piece(0, total, "start", packets=n)]
    for event in decoded.events:
        last = pieces[-1]
        lost = event.kind == "support" and table["qual_status"][event.packet] == TRACE_LOST
        if lost or event.kind == "ambiguous":
            own = [e for e in last.events[-1:] if not lost and e.kind == "sync" and (e.index, e.packet) == (event.index, event.packet)]
            behind = event.index + (not lost and not own)
            if own:  # the doubt is about the way to a resynchronization
                last.events.pop()
            last.end, last.packets, last.doubtful = behind, event.packet, event.again == "before"
            pieces.append(Piece(behind, total, "lost" if lost else "ambiguous", own, n, lands=bool(own)))
        else:
            last.events.append(event)
    return pieces
