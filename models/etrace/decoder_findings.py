"""What a decoder notes while it decodes: events, diagnostics, and the loss that is open."""

from __future__ import annotations

from enum import Enum
from typing import Any

from models.etrace.decoded import MAX_FINDINGS, Diagnostic, Event, Story


class State(Enum):
    """What the decoder knows of the hart."""

    START = "trace has not begun"
    TRACING = "the last instruction is known"
    TRAPPED = "a trap was told, and nothing of its handler"
    LOST = "the flow is lost"
    DONE = "more was told than the decoder is to follow"


class Findings:
    """Writes into a `Story`. state: see `State`."""

    def __init__(self) -> None:
        self.story = Story()
        self.state = State.START
        self._loss: tuple[int, int] | None = None  # diagnostic of the present loss, its packet

    @property
    def index(self) -> int:
        """Of the present packet."""
        return len(self.story.packets) - 1

    def complain(self, clause: str, text: str) -> None:
        """Something illegal that does not hide what the hart did."""
        if len(self.story.diagnostics) < MAX_FINDINGS:
            self.story.diagnostics.append(Diagnostic(self.index, clause, text, 0, self._offset()))

    def lose(self, clause: str, text: str) -> None:
        """The flow is lost with the present packet, up to the next synchronization packet."""
        self._lose(Diagnostic(self.index, clause, text, 0, self._offset()))

    def break_off(self, clause: str, text: str, offset: int) -> None:
        """The flow is lost before the next packet: the bytes at `offset` are none."""
        self._lose(Diagnostic(self.index + 1, clause, text, 0, offset))

    def _lose(self, diagnostic: Diagnostic) -> None:
        if self.state is not State.LOST and len(self.story.diagnostics) < MAX_FINDINGS:
            self._loss = (len(self.story.diagnostics), diagnostic.packet)
            self.story.diagnostics.append(diagnostic)
        self.state = State.LOST
        self._forget()

    def _forget(self) -> None:
        """Nothing is known of where the hart is."""
        raise NotImplementedError

    def resume(self, index: int) -> None:
        """The loss, if there is one, ends with this packet."""
        if self._loss is not None:
            at, packet = self._loss
            lost = self.story.diagnostics[at]
            self.story.diagnostics[at] = lost._replace(lost_packets=index - packet)
            self._loss = None

    def _offset(self) -> int:
        offsets = self.story.offsets
        return offsets[self.index] if self.index < len(offsets) else -1

    def _event(self, kind: str, index: int, **values: Any) -> None:
        self.story.events.append(Event(kind, index, self.index, **values))
