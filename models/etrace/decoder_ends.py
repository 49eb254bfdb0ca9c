"""What ends a decoder's walk before its packet does."""

from __future__ import annotations


class Contradiction(Exception):
    """What a packet says cannot have happened in this program; `clause` is the requirement it breaks."""

    def __init__(self, clause: str, text: str) -> None:
        super().__init__(text)
        self.clause = clause


class LimitReached(Exception):
    """The trace tells of more instructions than the decoder is to follow."""
