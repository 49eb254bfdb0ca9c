# SPDX-License-Identifier: Apache-2.0
"""Pace: the queue and the transport of our RTL keep what docs/reference/rtl-etrace.md says under "Speed".

Nothing here judges another's encoder: of its queue nobody knows the depth.
"""

from __future__ import annotations

import numpy as np

from rvtrace.models.etrace.config import ENCAP
from rvtrace.models.etrace.encoder.encode import EncodedTrace
from rvtrace.scoreboards.common.clauses import ClauseBook, Failure
from rvtrace.scoreboards.etrace.capture import EtraceCapture
from rvtrace.scoreboards.etrace.encapsulation import Damaged
from rvtrace.scoreboards.etrace.transport import split

_MADE_BY_LANE = 2  # descriptors at most; the beat itself may make one more
_TO_PACKER = 3  # cycles from the beat that makes a packet to the first stage of the packer, where nothing waits
_TO_PACKET = 4  # cycles to the encoder's output, likewise
_TRANSFER = {"messaging": 8, "atb": 4, ENCAP: 8}  # bytes


def check_pace(capture: EtraceCapture, book: ClauseBook, encoded: EncodedTrace) -> None:
    """ET.ing.room, ET.tra.rate: for packets that agree with the model's."""
    beats, taken = capture.beats, capture.packet_cycle
    if not capture.queue or beats is None or taken is None or not len(encoded.beat):
        return
    made = beats.cycle[np.asarray(encoded.beat)]
    _room(capture, book, made, np.asarray(taken))
    if capture.always_ready and capture.data is not None and capture.data_cycle is not None:
        _rate(capture, book, made, np.asarray(taken))


def _room(capture: EtraceCapture, book: ClauseBook, made: np.ndarray, taken: np.ndarray) -> None:
    """The packets that waited wherever a beat found no room. Each descriptor in the queue makes one packet or more."""
    assert capture.beats is not None
    at = capture.beats.cycle[np.flatnonzero(capture.beats.drop)]
    sent, never = np.searchsorted(taken, at), np.iinfo(made.dtype).max >> 1
    waiting = np.searchsorted(made, at) - sent
    ahead = np.append(made, [never, never])
    oldest, second = ahead[sent], ahead[sent + 1]
    in_packer = (oldest + _TO_PACKER <= at).astype(int)
    in_packer += (oldest + _TO_PACKET <= at) & (second + _TO_PACKER <= at)
    needed = capture.queue - _MADE_BY_LANE * capture.config.blocks + in_packer

    def too_few(row: int) -> Failure:
        text = f"no room for a beat while {waiting[row]} packets were waiting, needed {needed[row]}"
        return Failure("ET.ing.room", text, int(at[row]))

    book.bulk("ET.ing.room", len(at), np.flatnonzero(waiting < needed), too_few)


def _rate(capture: EtraceCapture, book: ClauseBook, made: np.ndarray, taken: np.ndarray) -> None:
    """A packet is taken as soon as it is made and the one before has left, and leaves without a pause."""
    assert capture.data is not None
    try:
        chunks = split(capture.data, capture)
    except Damaged:
        return  # reported by the rules of the transport
    if len(chunks) != len(taken):
        return
    size = _TRANSFER[capture.config.encapsulation]
    transfers = np.array([-(-c.zeros // size) - (c.offset - c.behind) // size for c in chunks], np.int64)
    last = np.asarray(capture.data_cycle)[[chunk.behind - 1 for chunk in chunks]].astype(np.int64)
    due = np.maximum(made + _TO_PACKET, np.append(-1, np.maximum(taken + 1, last)[:-1])) + transfers

    def late(number: int) -> Failure:
        text = f"{capture.named(number)} has left in cycle {last[number]}, possible was {due[number]}"
        return Failure("ET.tra.rate", text, int(last[number]), at=number)

    book.bulk("ET.tra.rate", len(chunks), np.flatnonzero(last > due), late)
