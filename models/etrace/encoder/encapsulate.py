# SPDX-License-Identifier: Apache-2.0
"""Packets to bytes: the packet encapsulation 1.0, both example encapsulations of the payload chapter, and the ways to
mark where packets start.

docs/reference/etrace-profile.md, "Transport", has the layout.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rvtrace.models.etrace.config import ENCAP, Config

ATB_WORD = 4  # bytes
_MESSAGING_TIMESTAMP, _ATB_TIMESTAMP = 1 << 7, 1 << 5
_FLOW_SHIFT = 5
_EXTEND, _ALIGNMENT = 1 << 7, 1 << 7
_INTERVAL = 5  # a synchronization sequence each 2**(async_freq + 5) bytes of packets


def encapsulate(payloads: Sequence[bytes], starts: Sequence[bool], times: Sequence[int], config: Config) -> bytes:
    """The transported bytes of some packets.

    starts: which of them are packets 3.0, before which a run of zeros may be sent. times: of each; a timestamp has its
    low bits. With encapsulation atb these are whole words, the unused bytes of a packet's last word (0) included.
    """
    ends = np.cumsum(np.fromiter(map(len, payloads), np.int64, len(payloads)))
    return transported(b"".join(payloads), ends, np.array(starts, bool), np.array(times, np.uint64), config)


def transported(body: bytes, ends: np.ndarray, starts: np.ndarray, times: np.ndarray, config: Config) -> bytes:
    """The same of payloads one after the other. ends: the offset after each."""
    if config.encapsulation == ENCAP:
        return _encapsulated(body, ends, times, config)
    atb = config.encapsulation == "atb"
    lengths = np.diff(ends, prepend=0)
    header = 1 + (0 if atb else config.index_width // 8)
    whole = header + 2 * config.timestamp + lengths
    sizes = whole + -whole % ATB_WORD if atb else whole
    before = np.zeros(len(ends), np.int64)  # zeros before each packet
    if config.framing == "zeros":
        if config.zero_every:
            starts = np.arange(len(ends)) % config.zero_every == 0
        before[starts] = config.zero_run
    elif config.framing == "blocks":
        before = _to_blocks(sizes.tolist(), config.block_bytes)
    at = np.cumsum(before + sizes) - sizes
    out = np.zeros(int(np.sum(before + sizes)), np.uint8)
    flags = 0 if atb else config.flow << _FLOW_SHIFT
    if config.timestamp:
        flags |= _ATB_TIMESTAMP if atb else _MESSAGING_TIMESTAMP
        out[at + header], out[at + header + 1] = times & np.uint64(0xFF), times >> np.uint64(8) & np.uint64(0xFF)
    out[at] = flags | (whole if config.length_of == "packet" else lengths)
    if config.index_of == "packets":
        for byte in range(config.index_width // 8):
            out[at + 1 + byte] = np.arange(len(at)) >> 8 * byte & 0xFF
    first = at + header + 2 * config.timestamp - (ends - lengths)  # where a payload goes, less where it is
    out[np.repeat(first, lengths) + np.arange(len(body))] = np.frombuffer(body, np.uint8)
    return out.tobytes()


def _encapsulated(body: bytes, ends: np.ndarray, times: np.ndarray, config: Config) -> bytes:
    """Encapsulation 1.0: header, srcID, timestamp and payload follow each other bit by bit, the least significant first
    ("Normal Encapsulation Structure"); padding is 0.
    """
    whole, odd = divmod(config.src_bits, 8)
    stamp, spare = config.timestamp_bytes * config.timestamp, config.spare_bits
    sent = np.diff(ends, prepend=0)
    lengths = sent + (spare + 7) // 8  # what header.length counts
    sizes = 1 + whole + stamp + lengths
    before = _sequences(sizes, config)
    at = np.cumsum(before + sizes) - sizes
    out = np.zeros(int(np.sum(before + sizes)), np.uint8)
    if config.framing == "unframed":
        out[at[before > 0] - 1] = _ALIGNMENT
    out[at] = config.flow << _FLOW_SHIFT | (_EXTEND if stamp else 0) | lengths
    for byte in range(whole):
        out[at + 1 + byte] = config.src_id >> 8 * byte & 0xFF
    group = at + 1 + whole  # what is not whole bytes of srcID, the timestamp, and the payload
    _put(out, group, np.full(len(at), config.src_id >> 8 * whole, np.uint8), 0, odd)
    for byte in range(stamp):
        _put(out, group + byte, (times >> np.uint64(8 * byte) & np.uint64(0xFF)).astype(np.uint8), odd, 8)
    skip, shift = divmod(spare, 8)  # the type of an instruction trace packet is 0
    first = group + stamp + skip - (ends - sent)
    places = np.repeat(first, sent) + np.arange(len(body))
    _put(out, places, np.frombuffer(body, np.uint8), shift, 8)
    return out.tobytes()


def _put(out: np.ndarray, places: np.ndarray, values: np.ndarray, lsb: int, bits: int) -> None:
    """Values of so many bits, from a bit of a byte on; all places are different."""
    out[places] |= (values.astype(np.uint16) << lsb).astype(np.uint8)
    if lsb + bits > 8:
        out[places + 1] |= (values.astype(np.uint16) << lsb >> 8).astype(np.uint8)


def _sequences(sizes: np.ndarray, config: Config) -> np.ndarray:
    """Null packets before each packet: a synchronization sequence of N + 1 bytes before the first one, and before the
    next one after each interval.
    """
    before = np.zeros(len(sizes), np.int64)
    if not config.async_freq:
        return before
    ends, at = np.cumsum(sizes), 0
    while at < len(sizes):
        before[at] = config.null_run + 1
        at = int(np.searchsorted(ends, ends[at] - sizes[at] + (1 << config.async_freq + _INTERVAL))) + 1
    return before


def _to_blocks(sizes: list[int], block: int) -> np.ndarray:
    """Zeros before each packet, so that none goes over the end of a block if it need not."""
    length, before = 0, []
    for size in sizes:
        room = -length % block
        before.append(room if 0 < room < size else 0)
        length += before[-1] + size
    return np.array(before, np.int64)
