# SPDX-License-Identifier: Apache-2.0
"""Packets to bytes: both example encapsulations of the payload chapter, and both ways to mark where packets start.

docs/reference/etrace-profile.md, "Transport", has the layout.
"""

from __future__ import annotations

from collections.abc import Sequence

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
    atb = config.encapsulation == "atb"
    flags = 0 if atb else config.flow << _FLOW_SHIFT
    if config.timestamp:
        flags |= _ATB_TIMESTAMP if atb else _MESSAGING_TIMESTAMP
    index = b"" if atb else bytes(config.index_width // 8)
    zeros, blocks = config.framing == "zeros", config.framing == "blocks"
    chunks, length = [], 0
    for payload, start, time in zip(payloads, starts, time16):
        stamp = time.to_bytes(2, "little") if config.timestamp else b""
        packet = bytes([flags | len(payload)]) + index + stamp + payload
        if atb:
            packet += bytes(-len(packet) % ATB_WORD)
        room = -length % config.block_bytes
        if zeros and start:
            packet = bytes(ZERO_RUN) + packet
        elif blocks and 0 < room < len(packet):
            packet = bytes(room) + packet
        chunks.append(packet)
        length += len(packet)
    return b"".join(chunks)
