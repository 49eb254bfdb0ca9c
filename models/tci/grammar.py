# SPDX-License-Identifier: Apache-2.0
"""Where the messages of a protocol start and end in a stream of bytes: all that funnel, sinks and tools need of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


class Grammar(Protocol):
    """A protocol's messages. idle: the byte where there is none. ends: whether these bytes are a whole message, the
    idle bytes that belong to it included. split: the messages of a stream without idle bytes; an open one at the end is
    left out. joined: the stream begins anywhere, perhaps inside a message.
    """

    @property
    def idle(self) -> int: ...

    def ends(self, message: bytes) -> bool: ...

    def split(self, data: bytes, joined: bool = False) -> list[bytes]: ...


@dataclass(frozen=True)
class NtraceGrammar:
    """N-Trace: MSEO, the two lowest bits of each byte, is 3 in the last byte of a message and in idle ones."""

    idle: int = 0xFF
    end: int = 3

    def ends(self, message: bytes) -> bool:
        """Whether the last byte is that of a message."""
        return bool(message) and message[-1] & 3 == self.end

    def split(self, data: bytes, joined: bool = False) -> list[bytes]:
        """A message follows any MSEO=3, so a cut one at the start of a joined stream looks like a whole one."""
        out: list[bytes] = []
        begin = -1
        for index, byte in enumerate(data):
            if begin < 0:
                if byte == self.idle:
                    continue
                begin = index
            if byte & 3 == self.end:
                out.append(data[begin : index + 1])
                begin = -1
        return out


@dataclass(frozen=True)
class EtraceGrammar:
    """E-Trace packets in the encapsulation messaging, `index` bytes of it: the header has the length and is never 0.

    A run of 32 zeros or more is in no packet: a header follows it.
    """

    index: int = 1
    idle: int = 0
    run: int = 32

    def size(self, header: int) -> int:
        """Bytes of the packet with this header."""
        return 1 + self.index + 2 * (header >> 7) + (header & 31)

    def ends(self, message: bytes) -> bool:
        """Whether the packet after the zeros is whole."""
        packet = message.lstrip(b"\0")
        return bool(packet) and len(packet) >= self.size(packet[0])

    def split(self, data: bytes, joined: bool = False) -> list[bytes]:
        """A joined stream is read after its first run of zeros."""
        out, at, zeros = [], 0, 0
        while joined and at < len(data) and not (data[at] and zeros >= self.run):
            zeros = 0 if data[at] else zeros + 1
            at += 1
        while at < len(data):
            if not data[at]:
                at += 1
                continue
            end = at + self.size(data[at])
            if end > len(data):
                break
            out.append(data[at:end])
            at = end
        return out

    def source(self, packet: bytes) -> int:
        """The index of a packet, 0 without one."""
        return packet[1] if self.index else 0


NTRACE, ETRACE = NtraceGrammar(), EtraceGrammar()
