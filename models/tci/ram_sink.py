# SPDX-License-Identifier: Apache-2.0
"""The RAM sink as a few lines of Python: which words a byte stream becomes, where they go, and how a tool reads them.

Trace Control Interface 1.0, chapter Trace RAM Sink. Bytes fill 32-bit words from the least significant one. A word is
written at the write pointer; after the word at the limit the pointer returns to the start and the wrap bit is set.
Clearing Enable fills the open word with idle bytes (0xFF) and writes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

WORD = 4  # bytes
IDLE = 0xFF


class RamSinkError(ValueError):
    """Addresses that are no circular buffer; the text says what is needed."""


@dataclass
class RamSink:
    """The state of a sink that takes trace.

    start, limit: byte addresses of the first and of the last word. wp: where the next word goes. stop_on_wrap: the sink
    disables itself after the word at the limit. idle: what fills the last word. memory: word by address. writes:
    (address, word) in order. RamSinkError if the addresses are no word addresses in order.
    """

    start: int
    limit: int
    wp: int = -1  # the start
    stop_on_wrap: bool = False
    wrapped: bool = False
    stopped: bool = False
    idle: int = IDLE
    memory: dict[int, int] = field(default_factory=dict)
    writes: list[tuple[int, int]] = field(default_factory=list)
    _open: bytearray = field(default_factory=bytearray)

    def __post_init__(self) -> None:
        self.wp = self.start if self.wp < 0 else self.wp
        if (
            any(address % WORD for address in (self.start, self.limit, self.wp))
            or not self.start <= self.wp <= self.limit
        ):
            raise RamSinkError(
                f"start {self.start:#x}, write pointer {self.wp:#x} and limit {self.limit:#x} are no circular buffer; "
                f"give multiples of {WORD} in this order"
            )

    @property
    def empty(self) -> bool:
        """Whether no byte waits for its word to be complete."""
        return not self._open

    @property
    def size(self) -> int:
        """Bytes of the buffer."""
        return self.limit + WORD - self.start

    def feed(self, data: bytes) -> int:
        """Take bytes; returns how many. A sink that stopped takes none."""
        for taken, byte in enumerate(data):
            if self.stopped:
                return taken
            self._open.append(byte)
            if len(self._open) == WORD:
                self._write()
        return len(data)

    def flush(self) -> None:
        """Enable was cleared: the open word is written, filled with idle bytes."""
        if self._open and not self.stopped:
            self._open += bytes([self.idle]) * (WORD - len(self._open))
            self._write()

    def _write(self) -> None:
        word = int.from_bytes(self._open, "little")
        self._open.clear()
        self.memory[self.wp] = word
        self.writes.append((self.wp, word))
        if self.wp == self.limit:
            self.wp, self.wrapped = self.start, True
            self.stopped = self.stop_on_wrap
        else:
            self.wp += WORD

    def image(self) -> bytes:
        """The trace that is in memory, the oldest byte first."""
        return read_trace(self.start, self.limit, self.wp, self.wrapped, lambda address: self.memory.get(address, 0))


@dataclass
class ReadPort:
    """trRamRP and trRamData: each read gives the word and moves on; after the limit comes the start."""

    start: int
    limit: int
    rp: int

    def addresses(self) -> Iterator[int]:
        """The address of each further read of trRamData; rp is then that of the next one."""
        while True:
            address = self.rp
            self.rp = self.start if address == self.limit else address + WORD
            yield address


def spans(start: int, limit: int, wp: int, wrapped: bool) -> list[tuple[int, int]]:
    """The address ranges [first, end) that hold trace, the oldest first."""
    if not wrapped:
        return [(start, wp)] if wp > start else []
    return [span for span in ((wp, limit + WORD), (start, wp)) if span[0] < span[1]]


def read_trace(start: int, limit: int, wp: int, wrapped: bool, read: Callable[[int], int]) -> bytes:
    """What a tool does with the pointers: all words that hold trace, the oldest first, as bytes."""
    return b"".join(
        read(address).to_bytes(WORD, "little")
        for first, end in spans(start, limit, wp, wrapped)
        for address in range(first, end, WORD)
    )
