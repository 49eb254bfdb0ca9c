# SPDX-License-Identifier: Apache-2.0
"""Packets to bytes: both example encapsulations of the payload chapter, and both ways to mark where packets start.

docs/reference/etrace-profile.md, "Transport", has the layout.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rvtrace.models.etrace.config import Config

ZERO_RUN = 32  # bytes: one more than the longest payload
ATB_WORD = 4  # bytes
_MESSAGING_TIMESTAMP, _ATB_TIMESTAMP = 1 << 7, 1 << 5
_FLOW_SHIFT = 5


def encapsulate(payloads: Sequence[bytes], starts: Sequence[bool], time16: Sequence[int], config: Config) -> bytes:
    """The transported bytes of some packets.

    starts: which of them are packets 3.0, before which a run of zeros may be sent. time16: the 16-bit timestamp of
    each. With encapsulation atb these are whole words, the unused bytes of a packet's last word (0) included.
    """
    ends = np.cumsum(np.fromiter(map(len, payloads), np.int64, len(payloads)))
    return transported(b"".join(payloads), ends, np.array(starts, bool), np.array(time16, np.uint64), config)


def transported(body: bytes, ends: np.ndarray, starts: np.ndarray, time16: np.ndarray, config: Config) -> bytes:
    """The same of payloads one after the other. ends: the offset after each."""
    atb = config.encapsulation == "atb"
    lengths = np.diff(ends, prepend=0)
    header = 1 + (0 if atb else config.index_width // 8)
    sizes = header + 2 * config.timestamp + lengths
    if atb:
        sizes += -sizes % ATB_WORD
    before = np.zeros(len(ends), np.int64)  # zeros before each packet
    if config.framing == "zeros":
        before[starts] = ZERO_RUN
    elif config.framing == "blocks":
        before = _to_blocks(sizes.tolist(), config.block_bytes)
    at = np.cumsum(before + sizes) - sizes
    out = np.zeros(int(np.sum(before + sizes)), np.uint8)
    flags = 0 if atb else config.flow << _FLOW_SHIFT
    if config.timestamp:
        flags |= _ATB_TIMESTAMP if atb else _MESSAGING_TIMESTAMP
        out[at + header], out[at + header + 1] = time16 & 0xFF, time16 >> 8
    out[at] = flags | lengths
    first = at + header + 2 * config.timestamp - (ends - lengths)  # where a payload goes, less where it is
    out[np.repeat(first, lengths) + np.arange(len(body))] = np.frombuffer(body, np.uint8)
    return out.tobytes()


def _to_blocks(sizes: list[int], block: int) -> np.ndarray:
    """Zeros before each packet, so that none goes over the end of a block if it need not."""
    length, before = 0, []
    for size in sizes:
        room = -length % block
        before.append(room if 0 < room < size else 0)
        length += before[-1] + size
    return np.array(before, np.int64)
