# SPDX-License-Identifier: Apache-2.0
"""A long N-Trace as parts (`rvtrace.scoreboards.common.captured`): from a synchronizing message to another one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from rvtrace.models.ntrace.codec import unpack
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.table import TABLES
from rvtrace.scoreboards.common.captured import AFTER, PART, Part

LOOKED = 64 << 10  # bytes that are searched at once for a place to cut
LONGEST = 128  # bytes of a message, and more than enough


def parts(path: Path, config: Config, size: int = PART) -> Iterator[Part]:
    """The parts of an N-Trace of one encoder; they are longer than `size` where synchronizing messages are rare."""
    total, number, begin, skip, seen = os.path.getsize(path), 0, 0, 0, 0
    with path.open("rb") as file:
        while begin < total:
            at = begin + size
            found = None
            while at < total and found is None:
                found = _next_sync(file.fileno(), at, config)
                at += LOOKED
            if found is None:
                yield Part(number, begin, skip, None, total, total, seen)
                return
            cut, own, end = found
            yield Part(number, begin, skip, cut, own, end, seen)
            begin, skip, number, seen = cut, own - cut, number + 1, end


def _next_sync(file: int, at: int, config: Config) -> tuple[int, int, int] | None:
    """Begin and end of the first synchronizing message that begins in the LOOKED bytes from `at` on, and the end of
    the messages AFTER it; None if there is none.
    """
    data = os.pread(file, LOOKED + LONGEST * (AFTER + 1), at)
    raw = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero(raw & 3 == 3) + 1  # after the last byte of a message, or an idle byte
    begins = ends[(ends < min(len(raw), LOOKED))]
    syncs = [tcode for tcode, kind in TABLES[config.variant].by_code.items() if "sync" in kind.index]
    for begin in begins[np.isin(raw[begins] >> 2, syncs) & (raw[begins] & 3 == 0)].tolist():
        after = ends[ends > begin][: AFTER + 1]
        if not len(after):
            return None
        messages, damage = unpack(data[begin : int(after[0])], config)
        is_sync = not damage and len(messages) == 1 and messages[0].get("sync") is not None
        if is_sync and (not config.source_bits or messages[0].src == config.src_id):
            return at + begin, at + int(after[0]), at + int(after[-1])
    return None
