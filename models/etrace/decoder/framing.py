# SPDX-License-Identifier: Apache-2.0
"""The deframer's inner loop: where packets are in transported bytes, as long as nothing is wrong.

One source for two modes: Python runs it as it is, and Numba compiles it (`rvtrace.models.common.native`).
`rvtrace.models.etrace.decoder.deframe` says in words what is wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Column = Any  # of integers: a list or an array
TYPES = {"s": ("int64",), "rows": ("int64",), "data": ("uint8",)}  # of arguments that are not an integer

# State: the transport; offset of data[0] in the stream, and of that in its block; where `frames` ended, rows it wrote.
# HEAD: whole bytes of index or srcID; STAMP: bytes of a timestamp; COUNTS: whether the length is that of the packet;
# NULLS: whether a header of length 0 is a packet of one byte, as in encapsulation 1.0; SPARE: bits of the length that
# are no trace payload
ATB, HEAD, STAMP, COUNTS, NULLS, SPARE, BLOCK, OFFSET, POSITION, AT, FRAMES, SIZE = range(12)
ROW = 3  # where a payload begins, bytes, offset of the packet in the stream
# What a header may be instead of one of a packet, and why `frames` ends
OK, NO_LENGTH, HIGH_BITS, BEYOND_BLOCK, FULL, PARTIAL, EXTENDED = range(0, -7, -1)


def has_timestamp(s: Column, header: int) -> int:
    """Whether a header says that a timestamp follows."""
    return 1 if header & (0x20 if s[ATB] else 0x80) else 0


def payload_at(s: Column, header: int) -> int:
    """Bytes that are counted as payload after the header, ID or index, and timestamp."""
    length = header & 31
    if s[COUNTS]:
        length -= 1 + s[HEAD] + s[STAMP] * has_timestamp(s, header)
    return length


def size_at(s: Column, data: Sequence[int], at: int) -> int:
    """Bytes of the packet whose header is at `at`, or what is wrong with it."""
    header = 0 + data[at]  # as a signed integer, if compiled
    length = payload_at(s, header)
    if 8 * length < 8 + s[SPARE]:
        return NO_LENGTH
    if s[ATB] and header >> 6:
        return HIGH_BITS
    stamped = has_timestamp(s, header)
    if stamped and not s[STAMP]:
        return EXTENDED
    return 1 + s[HEAD] + s[STAMP] * stamped + length


def room_at(s: Column, at: int) -> int:
    """Bytes that are left in the block, from `at` on."""
    return s[BLOCK] - (s[OFFSET] + at + s[POSITION]) % s[BLOCK]


def frames(s: Column, data: Sequence[int], rows: Column, at: int, end: int) -> int:
    """Find packets in data[at:end]; s[AT] is the first byte that is in none of them.

    FULL: there may be more; PARTIAL: the last one is not complete.
    """
    found, most = 0, len(rows) // ROW
    status = OK
    while at < end:
        header = 0 + data[at]
        if not header or (s[NULLS] and not header & 31):  # padding, the words' rest, or a null packet
            at += 1
            continue
        size = size_at(s, data, at)
        if size < 0:
            status = size
            break
        if s[BLOCK] and size > room_at(s, at):
            status = BEYOND_BLOCK
            break
        if at + size > end or found == most:
            status = PARTIAL if at + size > end else FULL
            break
        length = payload_at(s, header)
        rows[ROW * found], rows[ROW * found + 1] = at + size - length, length
        rows[ROW * found + 2] = s[OFFSET] + at
        found += 1
        at += size
    s[AT], s[FRAMES] = at, found
    return status
