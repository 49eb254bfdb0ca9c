# SPDX-License-Identifier: Apache-2.0
"""Dialects of the transport: what a device may do otherwise to the header of each packet.

They are tried where the packets are known from transported bytes alone, as in a file.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from rvtrace.models.etrace.config import ENCAP, Config
from rvtrace.scoreboards.diagnosis.search import Dialect
from rvtrace.scoreboards.etrace.dialects import Rewriting

LENGTH = 0x1F
TIMESTAMP = 2  # bytes
WORD = 4  # bytes of an ATB word


def frames(
    data: bytes,
    config: Config,
    *,
    shift: int = 0,
    counted: int = 0,
    stamp: int = TIMESTAMP,
    stamped: str = "bit",
    stamp_last: bool = False,
    index: int | None = None,
    stray: int = 0,
) -> list[bytes]:
    """The payloads of a stream. shift: lowest bit of the length in the header. counted: bytes that it counts besides
    the payload. stamp: bytes of a timestamp; stamped: where it is there ("bit", "inverted", "always", "never");
    stamp_last: after the payload. index: bytes of the index. stray: bytes after each packet.
    """
    atb = config.encapsulation == "atb"
    bit = 5 if atb else 7
    indexed = (0 if atb else config.index_width // 8) if index is None else index
    payloads, at = [], 0
    while at < len(data):
        header = data[at]
        if not header:
            at += 1
            continue
        told = bool(header >> (bit if not shift else bit - 5) & 1)
        there = {"bit": told, "inverted": not told, "always": True, "never": False}[stamped]
        size = (header >> shift & LENGTH) - counted
        begin = at + 1 + indexed + stamp * (there and not stamp_last)
        if size < 1:
            at += 1
            continue
        payload = data[begin : begin + size]
        if len(payload) == size:
            payloads.append(payload)
        end = begin + size + stamp * (there and stamp_last) + stray
        at = end + (-(end) % WORD if atb else 0)
    return payloads


def transport_dialects(config: Config) -> Iterator[Dialect]:
    """Those of the encapsulation of a configuration; of encapsulation 1.0 only the widths of its fields are tried."""
    if config.encapsulation == ENCAP:
        return
    clause = {"messaging": "ET.tra.messaging", "atb": "ET.tra.atb"}[config.encapsulation]
    length = "the length in bits 4:0 of the header is that of the payload, in bytes"
    stamp = "a timestamp of 16 bits is before the payload, if the header says so"

    def made(name: str, of: str, says: str, due: str, **given: Any) -> Dialect:
        return Dialect(name, of, says, due, "transport", Rewriting(frames=partial(frames, **given)))

    yield made("length_with_header", clause, "the length counts the header as well", length, counted=1)
    yield made("length_less_one", clause, "the length is one too small", length, counted=-1)
    if config.index_width:
        more = 1 + config.index_width // 8
        yield made("length_of_all", clause, "the length counts header and index as well", length, counted=more)
    yield made("length_above", clause, "the length is in bits 7:3 of the header", length, shift=3)
    yield made("stray_after", clause, "a stray byte is after each packet", "packets follow each other", stray=1)
    yield made("stamp_inverted", "ET.tra.timestamp", "the bit for a timestamp has the other polarity", stamp,
               stamped="inverted")  # fmt: skip
    yield made("stamp_always", "ET.tra.timestamp", "a timestamp is there although the header has none", stamp,
               stamped="always")  # fmt: skip
    yield made("stamp_never", "ET.tra.timestamp", "no timestamp is there although the header has one", stamp,
               stamped="never")  # fmt: skip
    yield made("stamp_last", "ET.tra.timestamp", "the timestamp is after the payload", stamp, stamp_last=True)
    for size in (1, 4, 6, 8):
        yield made(f"stamp_{size}", "ET.tra.timestamp", f"the timestamp has {8 * size} bits", stamp, stamp=size)
    if config.encapsulation == "messaging":
        for size in (3, 4):
            yield made(f"index_{size}", "ET.tra.index", f"the index has {8 * size} bits",
                       f"the index has {config.index_width} bits", index=size)  # fmt: skip
