# SPDX-License-Identifier: Apache-2.0
"""The funnel's rules: whole messages, each source in order, and nobody waits for ever.

Trace Control Interface 1.0, chapter Trace Funnel. The specification leaves the order of inputs open and forbids that a
continuous stream at one input keeps another from being handled; it suggests one message from each input in turn. The
reference funnel does that: `overtaken` is then at most 1 for each other input.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rvtrace.models.tci.grammar import NTRACE, Grammar


@dataclass(frozen=True)
class Sent:
    """A message at a byte port. Cycles: its first transfer was shown (since), taken (begin), its last taken (end)."""

    data: bytes
    since: int
    begin: int
    end: int


def messages(transfers: Iterable[tuple[int, int, bytes]], grammar: Grammar = NTRACE) -> list[Sent]:
    """Transfers (cycle shown first, cycle taken, bytes) to messages; a transfer holds bytes of one message.

    What is left open at the end is no message.
    """
    done: list[Sent] = []
    data, since, begin = b"", 0, 0
    for shown, cycle, piece in transfers:
        if not data:
            since, begin = shown, cycle
        data += piece
        if piece and grammar.ends(data):
            done.append(Sent(data, since, begin, cycle))
            data = b""
    return done


def split(data: bytes) -> list[bytes]:
    """The messages of an N-Trace stream without the idle bytes between them; an open one at the end is left out."""
    return NTRACE.split(data)


def source(message: bytes, src_bits: int) -> int:
    """The SRC of a message: the bits after the six of TCODE (N-Trace section 3.2); 0 without SRC field."""
    acc = 0
    for shift, byte in enumerate(message[: 1 + (6 + src_bits) // 6]):
        acc |= (byte >> 2) << 6 * shift
    return acc >> 6 & ((1 << src_bits) - 1)


def by_source(data: bytes, src_bits: int) -> dict[int, bytes]:
    """The bytes of each source in order, idle bytes left out."""
    out: dict[int, bytearray] = {}
    for message in split(data):
        out.setdefault(source(message, src_bits), bytearray()).extend(message)
    return {src: bytes(part) for src, part in out.items()}


def merged(inputs: Sequence[Sequence[Sent]]) -> bytes:
    """What leaves a funnel that sends whole messages in the order in which it began to take them."""
    order = sorted((sent.begin, index, sent.data) for index, port in enumerate(inputs) for sent in port)
    return b"".join(data for _, _, data in order)


def overtaken(inputs: Sequence[Sequence[Sent]]) -> list[tuple[int, Sent, int, int]]:
    """(input, message, other input, how many of its messages began to be taken while this one waited), where not 0."""
    found = []
    for index, port in enumerate(inputs):
        for other, theirs in enumerate(inputs):
            if other == index:
                continue
            begins = [sent.begin for sent in theirs]
            low = high = 0
            for sent in port:
                while low < len(begins) and begins[low] <= sent.since:
                    low += 1
                high = max(high, low)
                while high < len(begins) and begins[high] < sent.begin:
                    high += 1
                if high > low:
                    found.append((index, sent, other, high - low))
    return found
