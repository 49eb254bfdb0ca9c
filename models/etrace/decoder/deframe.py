# SPDX-License-Identifier: Apache-2.0
"""Transported bytes to payloads: both encapsulations and both ways to find packet boundaries, joined anywhere (payload
chapter).

A `Deframer` takes bytes in pieces of any size and holds at most a packet of them (while it looks for blocks, a few
blocks). Any bytes are taken: those that are no packet give a `Damage`, and packets are found again after 32 zero bytes
or at the next block; without framing, at the next byte that can be a header.
"""

from __future__ import annotations

from typing import NamedTuple

from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.table import MAX_PAYLOAD

ZEROS = MAX_PAYLOAD + 1  # a run of so many is in no packet
TIMESTAMP_BYTES = 2
WORD = 4  # bytes of the trace bus
BLOCKS_LOOKED_AT = 8  # to find where blocks begin


class Frame(NamedTuple):
    """A packet: offset of its header in the stream, payload, and the 16-bit timestamp, None if it has none."""

    offset: int
    payload: bytes
    timestamp: int | None = None


class Damage(NamedTuple):
    """Bytes that are no packet: offset of the first, clause, what was found; frames before it; length in bytes."""

    offset: int
    clause: str
    text: str
    packet: int
    length: int = 0

    def __str__(self) -> str:
        return f"byte {self.offset:#x}: {self.text} [{self.clause}]"


class Deframer:
    """Finds the packets of one stream.

    joined: the first byte may be anything. position: offset of the first byte in its block; None: where blocks begin is
    found from the bytes, if `joined`, else 0.
    """

    def __init__(self, config: Config, joined: bool = False, position: int | None = None) -> None:
        self._atb = config.encapsulation == "atb"
        self._framing, self._index_bytes = (
            config.framing,
            0 if config.encapsulation == "atb" else config.index_width // 8,
        )
        self._block = config.block_bytes if config.framing == "blocks" else 0
        self._clause = f"ET.tra.{config.encapsulation}"
        self._searches = joined and position is None and bool(self._block)
        self._position = position or 0  # of the first byte of all in its block
        self._data = bytearray()
        self._offset = 0  # of the first byte of _data
        self._packets = 0
        self._zeros = 0
        self._lost: int | None = None  # offset at which packets were lost; None: at a packet boundary
        self._silent = False  # the loss is that of joining
        if joined and (config.framing == "zeros" or (self._block and self._position % self._block)):
            self._lost, self._silent = 0, True

    def feed(self, data: bytes) -> list[Frame | Damage]:
        """What the next bytes complete."""
        self._data += data
        if self._searches:
            if len(self._data) < self._block * (BLOCKS_LOOKED_AT + 1):
                return []
            self._find_blocks()
        return self._take(False)

    def finish(self) -> list[Frame | Damage]:
        """The end of the stream: what it leaves incomplete."""
        if self._searches:
            self._find_blocks()
        return self._take(True)

    def _take(self, end: bool) -> list[Frame | Damage]:
        found: list[Frame | Damage] = []
        data, at = self._data, 0
        while at < len(data):
            if self._lost is not None:
                at = self._look(at, found)
                continue
            if not data[at]:  # padding, or the words' rest
                at += 1
                continue
            size, text = self._size(at)
            if text:
                self._lose(self._offset + at, text, found)
                at += 1
                continue
            if at + size > len(data):
                if not end:
                    break
                self._lose(self._offset + at, f"a packet of {size} bytes is cut off at the end", found)
                at = len(data)
                continue
            payload_at = at + size - (data[at] & 31)
            stamp = (
                int.from_bytes(data[payload_at - TIMESTAMP_BYTES : payload_at], "little")
                if self._has_timestamp(data[at])
                else None
            )
            found.append(Frame(self._offset + at, bytes(data[payload_at : at + size]), stamp))
            self._packets += 1
            at += size
        del data[:at]
        self._offset += at
        if end and self._lost is not None:
            self._found(self._offset, found)
        return found

    def _has_timestamp(self, header: int) -> bool:
        return bool(header & (0x20 if self._atb else 0x80))

    def _size(self, at: int) -> tuple[int, str]:
        """Bytes of the packet whose header is at `at`, and what is wrong with it."""
        header = self._data[at]
        length = header & 31
        if not length:
            return 1, f"header {header:#04x} has length 0"
        if self._atb and header >> 6:
            return 1, f"header {header:#04x} has bits 7:6 set"
        size = 1 + self._index_bytes + TIMESTAMP_BYTES * self._has_timestamp(header) + length
        if self._block:
            left = self._block - (self._offset + at + self._position) % self._block
            if size > left:
                return 1, f"a packet of {size} bytes has {left} left in its block"
        return size, ""

    def _lose(self, offset: int, text: str, found: list[Frame | Damage]) -> None:
        self._lost, self._silent, self._zeros = offset, False, 0
        found.append(Damage(offset, self._clause, text, self._packets))

    def _found(self, offset: int, found: list[Frame | Damage]) -> None:
        """Packets begin again at `offset`; at the end of the stream, they do not."""
        if not self._silent and self._lost is not None:
            for place in range(len(found) - 1, -1, -1):
                if isinstance(found[place], Damage):
                    found[place] = found[place]._replace(length=offset - self._lost)
                    break
        self._lost, self._silent = None, False

    def _look(self, at: int, found: list[Frame | Damage]) -> int:
        """Where packets begin again, at or after `at`."""
        data = self._data
        if self._block:
            here = self._offset + at + self._position
            ahead = -here % self._block
            if at + ahead < len(data):
                self._found(self._offset + at + ahead, found)
            return min(at + ahead, len(data))
        if self._framing == "none":
            self._found(self._offset + at, found)
            return at
        while at < len(data):
            if data[at]:
                if self._zeros >= ZEROS:
                    self._found(self._offset + at, found)
                    return at
                self._zeros = 0
            else:
                self._zeros += 1
            at += 1
        return at

    def _find_blocks(self) -> None:
        """Blocks begin where most of them hold packets and nothing else."""
        self._searches = False
        best = max(range(self._block), key=self._score)
        self._position = -best % self._block
        if best:
            self._lost, self._silent = 0, True

    def _score(self, first: int) -> int:
        """Blocks that are good, less twice those that are not, if one begins at `first`."""
        score = 0
        self._position = -first % self._block
        for begin in range(first, min(len(self._data), first + BLOCKS_LOOKED_AT * self._block), self._block):
            score += 1 if self._is_block(begin) else -2
        return score

    def _is_block(self, begin: int) -> bool:
        data, at, end = self._data, begin, min(begin + self._block, len(self._data))
        if not data[at]:
            return False
        while at < end and data[at]:
            size, text = self._size(at)
            if text:
                return False
            at += size
            if self._atb:
                at += -(at - begin) % WORD
        return not any(data[at:end])


def deframe(
    data: bytes, config: Config, joined: bool = False, position: int | None = None
) -> tuple[list[bytes], list[int], list[Damage]]:
    """(payloads, offsets of their packets, damage) of a whole stream; see `Deframer`."""
    deframer = Deframer(config, joined, position)
    found = [*deframer.feed(data), *deframer.finish()]
    frames = [f for f in found if isinstance(f, Frame)]
    return [f.payload for f in frames], [f.offset for f in frames], [f for f in found if isinstance(f, Damage)]
