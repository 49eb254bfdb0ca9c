# SPDX-License-Identifier: Apache-2.0
"""Transport: the bytes after the encoder carry its packets as docs/reference/etrace-profile.md, "Transport", says; and
back.

Three readings meet: `encapsulate` (what the bytes must be), `deframe` (what a receiver makes of them), and the rules
here, byte by byte.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rvtrace.models.etrace.config import ENCAP
from rvtrace.models.etrace.decoder.deframe import deframe
from rvtrace.models.etrace.encoder.encapsulate import encapsulate
from rvtrace.models.etrace.table import MAX_PAYLOAD, Packet
from rvtrace.scoreboards.common.clauses import ClauseBook, Failure
from rvtrace.scoreboards.common.matching import same_start
from rvtrace.scoreboards.etrace.capture import EtraceCapture
from rvtrace.scoreboards.etrace.encapsulation import Damaged, Normal, check_encapsulation, packets_in

WORD = 4  # bytes of an ATB word
LENGTH = 0x1F  # bits of a header byte
KIND = {"messaging": "ET.tra.messaging", "atb": "ET.tra.atb"}
IDLE = {"none": "ET.tra.framing", "zeros": "ET.tra.zeros", "blocks": "ET.tra.blocks"}
JOINS, JOINED = 3, 1 << 15  # places at which a receiver joins, and the bytes at the end of a run in which they lie


class Chunk(NamedTuple):
    """A transported packet: offset of its header, header, index, timestamp or None, payload, `behind`: offset after
    it, zeros: zero bytes before it.
    """

    offset: int
    header: int
    index: bytes
    timestamp: int | None
    payload: bytes
    behind: int
    zeros: int


def check_transport(
    capture: EtraceCapture, book: ClauseBook, packets: list[Packet | None], stamps: list[int] | None = None
) -> None:
    """All rules on capture.data; packets: those of capture.packets.

    stamps: the model's timestamps, if the device declares the profile.
    """
    if capture.data is None or not all(1 <= len(payload) <= MAX_PAYLOAD for payload in capture.carried):
        return  # what no header can describe is a failure of the packet (ET.pay.type_length)
    config, data = capture.config, capture.data
    if config.encapsulation == ENCAP:
        check_encapsulation(capture, data, book, stamps)
        return
    time16 = stamps
    kind = KIND[config.encapsulation]
    try:
        chunks = _split(data, capture)
    except Damaged as damage:
        book.fail(Failure(damage.clause, str(damage)))
        return
    book.count(kind, len(chunks))
    book.count("ET.pay.type_length", len(chunks))
    if not _same_payloads(capture, book, chunks, kind):
        return
    _headers(capture, book, chunks, kind, time16)
    _framing(capture, book, chunks, packets)
    if config.encapsulation == "atb":
        _words(capture, data, book, chunks)
    told = any(clause.startswith("ET.tra.") for clause in book.failed)  # what is wrong is in the bytes as well
    if time16 is not None and len(time16) == len(chunks) and not told:
        _bytes(capture, data, book, packets, time16, kind)
    _receiver(capture, data, book, kind, chunks)


def split(data: bytes, capture: EtraceCapture) -> Sequence[Chunk | Normal]:
    """The packets of a stream; Damaged where a header or what it announces is missing."""
    if capture.config.encapsulation == ENCAP:
        return packets_in(data, capture.config, capture.place)[0]
    return _split(data, capture)


def _split(data: bytes, capture: EtraceCapture) -> list[Chunk]:
    config = capture.config
    atb = config.encapsulation == "atb"
    chunks, at, zeros = [], 0, 0
    while at < len(data):
        header = data[at]
        if not header:
            at, zeros = at + 1, zeros + 1
            continue
        index = 0 if atb else config.index_width // 8
        stamped = header >> (5 if atb else 7) & 1
        begin = at + 1 + index + 2 * stamped
        size = (header & LENGTH) - (begin - at if config.length_of == "packet" else 0)
        behind = begin + size
        clause = KIND[config.encapsulation]
        if size < 1:
            raise Damaged(
                clause,
                f"the header {header:#04x} at {capture.place(at)} reports a length of {header & LENGTH}; a payload has"
                " at least one byte",
            )
        if behind > len(data):
            raise Damaged(
                clause,
                f"the packet at {capture.place(at)} has {size} bytes of payload, and the stream ends before its end",
            )
        stamp = int.from_bytes(data[begin - 2 : begin], "little") if stamped else None
        chunks.append(Chunk(at, header, data[at + 1 : at + 1 + index], stamp, data[begin:behind], behind, zeros))
        if atb:
            behind += -behind % WORD
        at, zeros = behind, 0
    if zeros and config.framing != "blocks" and capture.exact:
        raise Damaged(IDLE[config.framing], f"{zeros} zero bytes appear after the last packet")
    return chunks


def _same_payloads(capture: EtraceCapture, book: ClauseBook, chunks: list[Chunk], kind: str) -> bool:
    payloads = [chunk.payload for chunk in chunks]
    carried = capture.carried
    if payloads == carried:
        return True
    n = min(len(payloads), len(carried))
    place = next((i for i in range(n) if payloads[i] != carried[i]), n)
    want, have = (p[place].hex() if place < len(p) else "none" for p in (carried, payloads))
    book.fail(
        Failure(
            kind, f"{capture.named(place)} is not transported as the encoder sent it", table=[("payload", want, have)]
        )
    )
    return False


def _headers(
    capture: EtraceCapture, book: ClauseBook, chunks: list[Chunk], kind: str, time16: list[int] | None
) -> None:
    config = capture.config
    atb, flow = config.encapsulation == "atb", 0 if config.encapsulation == "atb" else config.flow
    shift = 6 if atb else 5
    odd = [i for i, c in enumerate(chunks) if c.header >> shift & 3 != flow]
    what = "bits above the timestamp's" if atb else "flow"
    book.bulk(
        kind,
        len(chunks),
        odd,
        lambda i: Failure(
            kind,
            f"{what} of {capture.named(i)} are wrong",
            table=[(what, str(flow), str(chunks[i].header >> shift & 3))],
        ),
    )
    if config.index_of == "packets":
        bits = (1 << config.index_width) - 1
        first = int.from_bytes(chunks[0].index, "little") if chunks else 0
        odd = [i for i, c in enumerate(chunks) if int.from_bytes(c.index, "little") != first + i & bits]
        book.bulk("ET.tra.index", len(chunks), odd, lambda i: Failure(
            "ET.tra.index", f"the index of {capture.named(i)} does not count packets",
            table=[("index", f"{first + i & bits:#x}", f"{int.from_bytes(chunks[i].index, 'little'):#x}")],
        ))  # fmt: skip
    elif config.index_width and capture.exact:  # "gets adjusted as it propagates through the infrastructure"
        odd = [i for i, c in enumerate(chunks) if any(c.index)]
        book.bulk("ET.tra.index", len(chunks), odd, lambda i: Failure(
            "ET.tra.index", f"the index of {capture.named(i)} is {chunks[i].index.hex()}; an encoder emits 0"
        ))  # fmt: skip
    odd = [i for i, c in enumerate(chunks) if (c.timestamp is not None) != bool(config.timestamp)]
    if (
        config.timestamp and not capture.exact
    ):  # each header has a bit that says whether "an optional 16-bit timestamp is present"
        odd = []
    book.bulk(
        "ET.tra.timestamp",
        sum(c.timestamp is not None for c in chunks)
        if config.timestamp and not odd
        else len(chunks)
        if config.timestamp
        else len(odd),
        odd,
        lambda i: Failure(
            "ET.tra.timestamp",
            f"{capture.named(i)} has {'a' if chunks[i].timestamp is not None else 'no'} timestamp with"
            f" TIMESTAMP={config.timestamp}",
        ),
    )
    want = time16 if time16 is not None else None if capture.time16 is None else [int(v) for v in capture.time16]
    if config.timestamp and want is not None and len(want) == len(chunks) and not odd:
        stamped = [i for i, c in enumerate(chunks) if c.timestamp is not None]
        wrong = [i for i in stamped if chunks[i].timestamp != want[i]]
        book.bulk(
            "ET.tra.timestamp",
            len(stamped),
            wrong,
            lambda i: Failure(
                "ET.tra.timestamp",
                f"the timestamp of {capture.named(i)} is wrong",
                table=[("timestamp", f"{want[i]:#x}", f"{chunks[i].timestamp:#x}")],
            ),
        )


def _framing(capture: EtraceCapture, book: ClauseBook, chunks: list[Chunk], packets: list[Packet | None]) -> None:
    config = capture.config
    clause = IDLE[config.framing]
    size, atb = config.block_bytes, config.encapsulation == "atb"

    def whole(chunk: Chunk) -> int:
        used = chunk.behind - chunk.offset
        return used + (-used % WORD if atb else 0)

    if config.framing == "blocks":
        behind = [0, *(c.offset + whole(c) for c in chunks[:-1])]
        spans = [i for i, c in enumerate(chunks) if c.offset // size != (c.offset + whole(c) - 1) // size]
        wasted = [i for i, c in enumerate(chunks) if c.zeros and (c.zeros != -behind[i] % size or c.zeros >= whole(c))]
        book.bulk(clause, len(chunks), spans, lambda i: Failure(
            clause, f"{capture.named(i)} at {capture.place(chunks[i].offset)} spans two blocks of {size} bytes"
        ))  # fmt: skip
        book.bulk(
            clause,
            len(chunks),
            wasted,
            lambda i: Failure(
                clause,
                f"{chunks[i].zeros} zero bytes appear before {capture.named(i)} at {capture.place(chunks[i].offset)},"
                " which fits without",
            ),
        )
        return
    if (
        not capture.exact
    ):  # "at least 2^N zero bytes" are a boundary wherever they are, and a null byte is legal anywhere
        if config.framing == "zeros":
            book.count(clause, sum(c.zeros >= config.zero_run for c in chunks))
        return
    want = [0] * len(chunks)
    known = [True] * len(chunks)
    if config.framing == "zeros":
        # the encoder says which packet is a start; of one that cannot be read, only it can
        starts = [p is not None and p.name == "start" for p in packets]
        told = starts if capture.start is None else [bool(start) for start in capture.start]
        starts = [t if p is None else s for s, t, p in zip(starts, told, packets)]
        known = [p is not None or capture.start is not None for p in packets]
        if config.zero_every:
            starts, known = [i % config.zero_every == 0 for i in range(len(chunks))], [True] * len(chunks)
        want = [config.zero_run if start else 0 for start in starts]
    same = len(want) == len(chunks)
    wrong = [i for i, c in enumerate(chunks) if known[i] and c.zeros != want[i]] if same else []
    book.bulk(clause, sum(w > 0 for w in want) if config.framing == "zeros" else len(chunks), wrong, lambda i: Failure(
        clause, f"{chunks[i].zeros} zero bytes appear before {capture.named(i)}, needed {want[i]}"))  # fmt: skip


def _words(capture: EtraceCapture, data: bytes, book: ClauseBook, chunks: list[Chunk]) -> None:
    """ATB: packets start words, ATBYTES gives the valid bytes of their last word, ATID the source; the rest is 0."""
    clause = "ET.tra.atb"
    crooked = [i for i, c in enumerate(chunks) if c.offset % WORD]
    book.bulk(
        clause,
        len(chunks),
        crooked,
        lambda i: Failure(clause, f"{capture.named(i)} starts at {capture.place(chunks[i].offset)}, inside a word"),
    )
    filled = [i for i, c in enumerate(chunks) if any(data[c.behind : c.behind + (-c.behind % WORD)])]
    book.bulk(
        clause,
        len(chunks),
        filled,
        lambda i: Failure(clause, f"the bytes after {capture.named(i)} in its last word are not 0"),
    )
    valid, source = capture.atb_bytes, capture.atb_id
    if valid is not None:
        want = np.full(len(data) // WORD, WORD - 1, np.int64)
        for chunk in chunks:
            want[(chunk.behind - 1) // WORD] = (chunk.behind - 1) % WORD
        wrong = np.flatnonzero(np.asarray(valid) != want)
        book.bulk(
            clause,
            len(want),
            wrong,
            lambda i: Failure(
                clause,
                f"ATBYTES of word {i} is wrong",
                table=[("ATBYTES", str(want[i]), str(int(valid[i])))],
            ),
        )
    if source is not None:
        wrong = np.flatnonzero(np.asarray(source) != capture.atid)
        book.bulk(
            clause,
            len(source),
            wrong,
            lambda i: Failure(
                clause, f"ATID of word {i} is wrong", table=[("ATID", str(capture.atid), str(int(source[i])))]
            ),
        )


def _bytes(
    capture: EtraceCapture, data: bytes, book: ClauseBook, packets: list[Packet | None], time16: list[int], kind: str
) -> None:
    """The whole stream against the encapsulation of the same payloads."""
    starts = [p is not None and p.name == "start" for p in packets]
    want = encapsulate(capture.carried, starts, time16, capture.config)
    at = same_start(want, data)
    book.check(
        kind,
        want == data,
        lambda: Failure(
            kind,
            f"{capture.place(at)} of the stream is wrong",
            table=[("bytes", want[at : at + 8].hex(), data[at : at + 8].hex())],
        ),
    )


def _receiver(capture: EtraceCapture, data: bytes, book: ClauseBook, kind: str, chunks: list[Chunk]) -> None:
    """What a receiver decodes: all packets, and from the middle on all after the first boundary that it can know."""
    payloads, _, damage = deframe(data, capture.config)
    book.check(
        kind,
        list(payloads) == capture.carried and not damage,
        lambda: Failure(
            kind,
            f"a receiver makes {len(payloads)} packets of the stream, {len(capture.carried)} were sent"
            + (f"; at {capture.place(damage[0].offset)}: {damage[0].text}" if damage else ""),
        ),
    )
    if capture.config.framing == "none" or not chunks:
        return
    for number in range(1, JOINS + 1):
        tail = min(len(data), JOINED)
        at = len(data) - tail + tail * number // (JOINS + 1)
        at -= at % WORD if capture.config.encapsulation == "atb" else 0
        if capture.config.framing == "blocks" and at % capture.config.block_bytes:
            at += -at % capture.config.block_bytes
        found, _, _ = deframe(data[at:], capture.config, joined=True)
        want = _joined(capture, data, chunks, at)
        book.check(
            "ET.tra.join",
            list(found) == want,
            lambda f=found, w=want, at=at: Failure(
                "ET.tra.join",
                f"a receiver that joins at {capture.place(at)} finds {len(f)} packets, {len(w)} follow the first"
                " boundary",
            ),
        )


def _joined(capture: EtraceCapture, data: bytes, chunks: list[Chunk], at: int) -> list[bytes]:
    """The payloads after the first boundary that a receiver can know when it joins at a byte."""
    if capture.config.framing == "blocks":
        return [c.payload for c in chunks if c.offset >= at]
    run = capture.config.zero_run
    first = next(
        (i for i, c in enumerate(chunks) if c.offset - at >= run and not any(data[c.offset - run : c.offset])),
        len(chunks),
    )
    return [c.payload for c in chunks[first:]]
