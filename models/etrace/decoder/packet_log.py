# SPDX-License-Identifier: Apache-2.0
"""The packets and events of a trace while it is decoded, kept as columns; the objects are made when somebody asks."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

import numpy as np

from rvtrace.models.etrace.codec import PacketError, unpack
from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.decoder import kernel as k
from rvtrace.models.etrace.decoder.columns import Memory
from rvtrace.models.etrace.decoder.events import UNREPORTED, Diagnostic, Event
from rvtrace.models.etrace.table import PRIVILEGE_NAMES, Packet, options_of

_Value = TypeVar("_Value")
_OF_KERNEL = {  # kind and text of the events that the kernel makes
    k.NOTIFIED: ("notify", ""),
    k.BY_RETURN: ("ambiguous", "irreport and irdepth fit no place"),
    k.BEFORE: ("ambiguous", "a notification is reported in the same way"),
    k.LATER: ("ambiguous", "the address may be that of a later round"),
    k.SYNCED: ("sync", ""),
    k.HOW_OFTEN: ("ambiguous", "nothing says how often it was met before"),
}
_AGAIN = {0: "", k.LOOP: "loop", k.RETURN: "return", k.JUMPED: "jump"}


class Reported(NamedTuple):
    """What packets of format 3 reported last, UNREPORTED if nothing."""

    priv: int = UNREPORTED
    context: int = UNREPORTED
    time: int = UNREPORTED


class Events:
    """The events so far, of which the kernel makes some."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._made: list[Event] = []

    def __len__(self) -> int:
        return self.mark()

    def mark(self) -> int:
        """Where the next event begins, for `undo`, `[]` and `put`."""
        return self._memory.trace.events

    def undo(self, mark: int) -> None:
        """Forget the events since the mark."""
        self._memory.trace.events = mark

    def append(self, event: Event) -> None:
        """One that the kernel does not make."""
        memory, at = self._memory, self.mark()
        memory.room()
        k.EVENT.put(memory.events, at, (k.OTHER, -1, -1, len(self._made)))
        memory.trace.events = at + 1
        self._made.append(event)

    def how_often(self, again: int) -> None:
        """Nothing says how often the instruction of a 3.0 was met before."""
        memory = self._memory
        memory.room()
        memory.kernel.event(memory.columns, k.HOW_OFTEN, again)

    def __getitem__(self, at: int) -> Event:
        """The event that began at this mark; one that the kernel did not make."""
        return self._made[k.EVENT.at(self._memory.events, at).again]

    def put(self, at: int, event: Event) -> None:
        """In place of that one."""
        self._made[k.EVENT.at(self._memory.events, at).again] = event

    def list(self) -> list[Event]:
        """All of them."""
        rows = k.EVENT.listed(self._memory.events, self.mark())
        return [self._made[of] if what == k.OTHER else _event(what, index, at, of) for what, index, at, of in rows]


def _event(what: int, index: int, packet: int, again: int) -> Event:
    kind, text = _OF_KERNEL[what]
    return Event(kind, index, packet, again="before" if what == k.BEFORE else _AGAIN[again], text=text)


class Payloads:
    """Every payload taken, as pieces of the bytes that were given."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._pieces: list[tuple[int, bytes, Any]] = []  # number of the first packet, bytes, rows

    def __len__(self) -> int:
        return self._memory.trace.packets

    def add(self, data: bytes, rows: Any) -> None:
        """Payloads that are about to be taken; if decoding stops before, the last of them are not."""
        self._pieces.append((len(self), data, rows))

    def all(self) -> list[bytes]:
        """All of them."""
        found: list[bytes] = []
        for first, data, rows in self._pieces:
            taken = k.PACKET_ROW * (len(self) - first)
            flat = rows[:taken] if isinstance(rows, list) else rows[:taken].tolist()
            found += [data[at : at + size] for at, size in zip(flat[:: k.PACKET_ROW], flat[1 :: k.PACKET_ROW])]
        return found[: len(self)]

    def offsets(self) -> list[int]:
        """Of those of which it is known where they begin in the stream."""
        found: list[int] = []
        for first, _, rows in self._pieces:
            flat = rows[2 : k.PACKET_ROW * (len(self) - first) : k.PACKET_ROW]
            found += flat if isinstance(flat, list) else flat.tolist()
        return [offset for offset in found[: len(self)] if offset >= 0]


class Columns:
    """What is known of packets beside the path.

    reported: what packets of format 3 reported last. skipped, complete: of `DecodedTrace`.
    """

    def __init__(self, memory: Memory, config: Config) -> None:
        self._memory, self._config = memory, config
        self.events, self.payloads = Events(memory), Payloads(memory)
        self.diagnostics: list[Diagnostic] = []
        self.skipped, self.complete = 0, True
        self.reported = Reported()
        self._reported: list[tuple[int, Reported]] = [(0, self.reported)]
        self._options: list[tuple[int, int]] = []

    def begin(self) -> None:
        """A packet that `run` does not take begins."""
        memory, number = self._memory, len(self.payloads)
        memory.room()
        memory.firsts[number] = memory.walk.count
        memory.trace.packets = number + 1

    def report(self, reported: Reported) -> None:
        """The present packet reports this."""
        if reported != self.reported:
            self._reported.append((len(self.payloads) - 1, reported))
            self.reported = reported
            # a privilege that is none is a fault each time, which the kernel does not report
            self._memory.state.privilege = reported.priv if reported.priv in PRIVILEGE_NAMES else UNREPORTED
            self._memory.state.context = reported.context

    def use(self, ioptions: int) -> None:
        """The options in force from the next packet on."""
        self._options.append((len(self.payloads), ioptions))

    def first_pc(self) -> np.ndarray:
        """int64: instructions known when each packet was taken."""
        return np.array(self._memory.firsts[: len(self.payloads)], np.int64)

    def options(self) -> list[int]:
        """The options in force for each packet."""
        return _spread(self._options, len(self.payloads))

    def last_reported(self) -> list[Reported]:
        """What was reported last once each packet was taken."""
        return _spread(self._reported, len(self.payloads))

    def packets(self) -> list[Packet | None]:
        """All of them, None where a payload is none; payloads that are the same share one."""
        known: dict[tuple[int, bytes], Packet | None] = {}
        found: list[Packet | None] = []
        for key in zip(self.options(), self.payloads.all()):
            if key not in known:
                try:
                    known[key] = unpack(key[1], self._config, options_of(key[0]))
                except PacketError:
                    known[key] = None
            found.append(known[key])
        return found


def _spread(runs: list[tuple[int, _Value]], size: int) -> list[_Value]:
    """A column of which it is known from where on it has which value."""
    column: list[_Value] = []
    for (begin, value), (end, _) in zip(runs, [*runs[1:], (size, None)]):
        column += [value] * (min(end, size) - begin)
    return column
