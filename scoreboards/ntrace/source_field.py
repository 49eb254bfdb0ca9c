# SPDX-License-Identifier: Apache-2.0
"""SRC in the bytes of a stream: it comes after TCODE in every message, known or not (3.2)."""

from __future__ import annotations

import numpy as np

from rvtrace.scoreboards.ntrace import table as t
from rvtrace.scoreboards.ntrace.capture import NtraceCapture

FEW = 4  # of as many messages at most one has the SRC of another encoder by mistake


def begins_of(data: np.ndarray) -> np.ndarray:
    """Where each message begins, by MSEO alone; idle bytes are none."""
    begins = np.append(0, np.flatnonzero((data & 3) == 3) + 1)
    begins = begins[begins < len(data)]
    return begins[(data[begins] & 3) == 0]


def source_at(data: np.ndarray, begins: np.ndarray, width: int) -> np.ndarray:
    """SRC of the messages that begin there."""
    mdo = np.append(data >> 2, [0, 0]).astype(np.int64)
    return (mdo[begins + 1] | mdo[begins + 2] << 6) & ((1 << width) - 1)


def with_own_source(capture: NtraceCapture) -> bytes:
    """The bytes of one encoder with its SRC in each message: the few that have another are its messages all the same.

    What most have is rather a wrong option, and a SRC with a ProgTraceSync is an encoder of its own: both stay.
    """
    width, source, data = capture.config.source_bits, capture.config.src_id, np.frombuffer(capture.data, np.uint8)
    if not width:
        return capture.data
    begins = begins_of(data)
    found = source_at(data, begins, width)
    others = np.unique(found[data[begins] >> 2 == t.TC_SYNC])
    wrong = np.flatnonzero((found != source) & ~np.isin(found, others))
    if not len(wrong) or len(wrong) * FEW > len(begins):
        return capture.data
    ends, out = np.append(begins[1:], len(data)), bytearray(capture.data)
    for number in wrong.tolist():
        begin, differ = int(begins[number]), int(found[number]) ^ source
        for at, bits in ((begin + 1, differ & 0x3F), (begin + 2, differ >> 6)):
            if bits and at < ends[number]:
                out[at] ^= bits << 2
    return bytes(out)
