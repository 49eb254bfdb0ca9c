# SPDX-License-Identifier: Apache-2.0
"""The packet encapsulation 1.0: the bytes after an encoder carry its packets as chapters 2 and 3 of that text say.

Three readings meet: `encapsulate` (what the bytes must be), `deframe` (what a receiver makes of them), and the rules
here, which read a packet as one number, its first bit lowest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

from rvtrace.models.common.options import ConfigError
from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.decoder.deframe import deframe, source_of
from rvtrace.models.etrace.encoder.encapsulate import encapsulate
from rvtrace.scoreboards.common.clauses import ClauseBook, Failure
from rvtrace.scoreboards.common.matching import same_start
from rvtrace.scoreboards.etrace.capture import DATA, EtraceCapture

INSTRUCTION = 0  # type, beside that of data trace (chapter 3, "type")
SAMPLE = 1 << 16  # bytes in which a source ID is looked for
JOINS, JOINED = 5, 1 << 15  # places at which a receiver joins, and the bytes at the end of a run in which they lie
LEAKS = 8  # paddings that are not 0 and equal what an earlier packet had there: no chance any more


class Normal(NamedTuple):
    """A packet of normal encapsulation: offset of its header, header, srcID, timestamp or None, type, payload, padding
    and its bits, `behind`: offset after it, nulls: the null packets before it.
    """

    offset: int
    header: int
    source: int
    timestamp: int | None
    type: int
    payload: bytes
    padding: int
    spare: int
    behind: int
    nulls: bytes

    @property
    def zeros(self) -> int:
        """Null packets before it."""
        return len(self.nulls)


class Damaged(ValueError):
    """Bytes that are no packets; clause: whose."""

    def __init__(self, clause: str, text: str) -> None:
        super().__init__(text)
        self.clause = clause


def packets_in(data: bytes, config: Config, place: Callable[[int], str]) -> tuple[list[Normal], bytes]:
    """The normal packets of a stream, and the null packets after the last; Damaged where one is not whole."""
    found, at, nulls = [], 0, bytearray()
    whole, odd = divmod(config.src_bits, 8)
    while at < len(data):
        header = data[at]
        length, extend = header & 31, header >> 7
        if not length:
            nulls.append(header)
            at += 1
            continue
        if extend and not config.timestamp_bytes:
            raise Damaged("ET.enc.extend", f"the header {header:#04x} at {place(at)} has extend set, and T is 0")
        stamp = config.timestamp_bytes * extend
        behind = at + 1 + whole + stamp + length  # Packet length = 1 + S + (T * header.extend) + header.length
        if behind > len(data):
            raise Damaged(
                "ET.enc.header",
                f"the packet at {place(at)} has {behind - at} bytes, and the stream ends {behind - len(data)} bytes"
                " before its end",
            )
        bits = int.from_bytes(data[at + 1 : behind], "little")
        source, bits = bits & (1 << config.src_bits) - 1, bits >> config.src_bits
        time, bits = (bits & (1 << 8 * stamp) - 1 if extend else None), bits >> 8 * stamp
        kind, bits = bits & (1 << config.type_bits) - 1, bits >> config.type_bits
        size, spare = divmod(8 * length - odd - config.type_bits, 8)
        if size < 1:
            raise Damaged(
                "ET.enc.length",
                f"the header {header:#04x} at {place(at)} reports a length of {length}, which leaves no byte of payload"
                f" beside srcID and type",
            )
        payload = (bits & (1 << 8 * size) - 1).to_bytes(size, "little")
        found.append(Normal(at, header, source, time, kind, payload, bits >> 8 * size, spare, behind, bytes(nulls)))
        at, nulls = behind, bytearray()
    return found, bytes(nulls)


def sources(data: bytes, config: Config) -> Iterator[Config]:
    """Every width of srcID that the configuration can have, with the ID that most packets then have."""
    for bits in Config.legal()["src_bits"]:
        with suppress(ConfigError):
            other = replace(config, src_bits=bits, src_id=0)
            source = source_of(data[:SAMPLE], other)
            if source is not None:
                yield replace(other, src_id=source)


def check_encapsulation(capture: EtraceCapture, data: bytes, book: ClauseBook, stamps: Sequence[int] | None) -> None:
    """All rules on the bytes. stamps: the model's timestamps, if the device declares the profile."""
    config = capture.config
    try:
        packets, rest = packets_in(data, config, capture.place)
    except Damaged as damage:
        book.fail(Failure(damage.clause, str(damage)))
        return
    _source(capture, book, packets)
    own = [p for p in packets if p.source == config.src_id]
    _type(capture, book, own)
    own = [p for p in own if p.type == INSTRUCTION]
    book.count("ET.enc.header", len(own))
    if not _same_payloads(capture, book, own):
        return
    book.count("ET.enc.length", len(own))
    _timestamps(capture, book, own, stamps)
    _flow(capture, book, own)
    _padding(capture, book, packets, data)
    _nulls(capture, book, packets, rest)
    changed = any(clause.startswith("ET.enc.") for clause in book.failed)  # what is wrong is in the bytes as well
    if stamps is not None and len(stamps) == len(packets) and not changed:
        _bytes(capture, data, book, stamps)
    _receiver(capture, data, book, packets)


def _source(capture: EtraceCapture, book: ClauseBook, packets: list[Normal]) -> None:
    """Of an encoder's own port all are its packets; in a captured stream there may be others."""
    config = capture.config
    if not config.src_bits:
        return
    wrong = [i for i, p in enumerate(packets) if p.source != config.src_id]
    if capture.packet_cycle is None:
        book.count("ET.enc.srcid", len(packets) - len(wrong))
        return
    book.bulk("ET.enc.srcid", len(packets), wrong, lambda i: Failure(
        "ET.enc.srcid", f"the srcID of {capture.named(i)} is not that of the encoder",
        table=[("srcID", f"{config.src_id:#x}", f"{packets[i].source:#x}")],
    ))  # fmt: skip


def _type(capture: EtraceCapture, book: ClauseBook, packets: list[Normal]) -> None:
    """0 is an instruction trace packet, 1 a data trace packet; what others mean is the application's."""
    if not capture.config.type_bits:
        return
    known = capture.packet_cycle is not None and len(capture.carried) == len(packets)
    wrong = [i for i, p in enumerate(packets) if p.type != INSTRUCTION] if known else []
    book.bulk("ET.enc.type", sum(p.type in (INSTRUCTION, DATA) for p in packets) + len(wrong), wrong, lambda i: Failure(
        "ET.enc.type", f"the type of {capture.named(i)}, a packet of instruction trace, is {packets[i].type}",
        table=[("type", str(INSTRUCTION), str(packets[i].type))],
    ))  # fmt: skip


def _same_payloads(capture: EtraceCapture, book: ClauseBook, packets: list[Normal]) -> bool:
    """Each payload as the encoder gave it; a length that counts too much or too little shows here."""
    payloads, carried = [p.payload for p in packets], capture.carried
    if payloads == carried:
        return True
    place = next((i for i, (a, b) in enumerate(zip(payloads, carried)) if a != b), min(len(payloads), len(carried)))
    want, have = (p[place].hex() if place < len(p) else "none" for p in (carried, payloads))
    sizes = [len(p[place]) if place < len(p) else 0 for p in (carried, payloads)]
    clause = "ET.enc.length" if all(sizes) and sizes[0] != sizes[1] else "ET.enc.header"
    book.fail(
        Failure(
            clause, f"{capture.named(place)} is not transported as the encoder sent it", table=[("payload", want, have)]
        )
    )
    return False


def _timestamps(capture: EtraceCapture, book: ClauseBook, packets: list[Normal], stamps: Sequence[int] | None) -> None:
    """extend is 0 where timestamps have no bytes; of the profile every packet has one, with TIMESTAMP=1, of the model's
    time.
    """
    config = capture.config
    stamped = [i for i, p in enumerate(packets) if p.timestamp is not None]
    book.count("ET.enc.extend", len(packets))
    if capture.exact:
        wrong = [i for i, p in enumerate(packets) if (p.timestamp is not None) != bool(config.timestamp)]
        book.bulk("ET.enc.extend", 0, wrong, lambda i: Failure(
            "ET.enc.extend", f"extend of {capture.named(i)} is not {config.timestamp}, as TIMESTAMP"
        ))  # fmt: skip
    if stamps is None or len(stamps) != len(packets):
        book.count("ET.enc.timestamp", len(stamped))
        return
    wrong = [i for i in stamped if packets[i].timestamp != stamps[i]]
    book.bulk("ET.enc.timestamp", len(stamped), wrong, lambda i: Failure(
        "ET.enc.timestamp", f"the timestamp of {capture.named(i)} is wrong",
        table=[("timestamp", f"{stamps[i]:#x}", f"{packets[i].timestamp:#x}")],
    ))  # fmt: skip


def _flow(capture: EtraceCapture, book: ClauseBook, packets: list[Normal]) -> None:
    """Of the profile that of the configuration."""
    if not capture.exact:
        return
    flow = capture.config.flow
    wrong = [i for i, p in enumerate(packets) if p.header >> 5 & 3 != flow]
    book.bulk("ET.enc.flow", len(packets), wrong, lambda i: Failure(
        "ET.enc.flow", f"flow of {capture.named(i)} is wrong",
        table=[("flow", str(flow), str(packets[i].header >> 5 & 3))],
    ))  # fmt: skip


def _padding(capture: EtraceCapture, book: ClauseBook, packets: list[Normal], data: bytes) -> None:
    """Whether padding leaks information, such as "the previous contents of an intermediate buffer": padding that always
    is what an earlier packet had at the same place, and neither constant nor the sign of its own payload.
    """
    padded = [i for i, p in enumerate(packets) if p.spare]
    if not padded:
        return
    if capture.exact:
        wrong = [i for i in padded if packets[i].padding]
        book.bulk("ET.enc.padding", len(padded), wrong, lambda i: Failure(
            "ET.enc.padding", f"the padding of {capture.named(i)} is {packets[i].padding:#x}; our transport pads with 0"
        ))  # fmt: skip
        return
    book.count("ET.enc.padding", len(padded))
    ones = [packets[i].padding == (1 << packets[i].spare) - 1 for i in padded]
    signs = [bool(packets[i].payload[-1] >> 7) for i in padded]
    plain = [not packets[i].padding for i in padded]
    if all(plain) or all(ones) or all(one if sign else zero for one, zero, sign in zip(ones, plain, signs)):
        return
    buffer, leaked, filled = bytearray(64), [], 0
    for packet in packets:
        size = packet.behind - packet.offset
        if packet.spare:
            before = buffer[size - 1] >> 8 - packet.spare
            leaked.append(packet.padding == before)
            filled += leaked[-1] and packet.padding != 0
        buffer[:size] = data[packet.offset : packet.behind]
    if filled >= LEAKS and all(leaked[1:]):
        first = next(i for i in padded if packets[i].padding)
        book.fail(Failure(
            "ET.enc.padding",
            f"the padding of each of {len(padded):,} packets is what an earlier packet had at its place, first that"
            f" of {capture.named(first)}",
            table=[("padding", "independent of other packets", f"{packets[first].padding:#x}")],
        ), counted=True)  # fmt: skip


def _nulls(capture: EtraceCapture, book: ClauseBook, packets: list[Normal], rest: bytes) -> None:
    """Runs of null packets before normal ones, and the synchronization sequences among them."""
    config, n = capture.config, capture.config.null_run
    runs = [i for i, p in enumerate(packets) if p.nulls]
    if config.framing == "unframed":
        flows = [i for i in runs if any(null & 0x60 for null in packets[i].nulls)]
        book.bulk("ET.enc.null_flow", len(runs), flows, lambda i: Failure(
            "ET.enc.null_flow", f"a null packet before {capture.named(i)} has a flow that is not 0",
            table=[("null packets", "flow 0", packets[i].nulls[-8:].hex(" "))],
        ))  # fmt: skip
        last = [i for i in runs if not packets[i].nulls[-1] >> 7]
        book.bulk("ET.enc.alignment", len(runs), last, lambda i: Failure(
            "ET.enc.alignment", f"the last null packet before {capture.named(i)} is no null.alignment",
            table=[("null packet", "80", packets[i].nulls[-1:].hex())],
        ))  # fmt: skip
        early = [i for i in runs if any(
            null >> 7 and (k + 1) % (n + 1) for k, null in enumerate(packets[i].nulls[:-1])
        )]  # fmt: skip
        book.bulk("ET.enc.alignment", 0, early, lambda i: Failure(
            "ET.enc.alignment",
            f"a null.alignment before {capture.named(i)} is neither the last null packet nor one in {n + 1}",
        ))  # fmt: skip
    if config.framing == "none":
        _unasked(capture, book, packets, rest)
        return
    sequences = [p for p in packets if _is_sequence(p.nulls, n, config.framing == "unframed")]
    book.count("ET.enc.sync", len(sequences))
    if capture.exact and config.async_freq:
        _intervals(capture, book, packets)


def _is_sequence(nulls: bytes, n: int, unframed: bool) -> bool:
    """Whether N null.idle and the null packet after them end a run."""
    tail = nulls[-n - 1 :]
    if len(tail) <= n or any(null >> 7 for null in tail[:-1]):
        return False
    return bool(tail[-1] >> 7) or not unframed


def _unasked(capture: EtraceCapture, book: ClauseBook, packets: list[Normal], rest: bytes) -> None:
    """Null packets are legal anywhere; our transport sends none without synchronization."""
    if capture.exact:
        wrong = [i for i, p in enumerate(packets) if p.nulls]
        book.bulk("ET.enc.null", len(packets), wrong, lambda i: Failure(
            "ET.enc.null", f"{packets[i].zeros} null packets appear before {capture.named(i)}, needed 0"
        ))  # fmt: skip
        return
    book.count("ET.enc.null", sum(p.zeros for p in packets) + len(rest))


def _intervals(capture: EtraceCapture, book: ClauseBook, packets: list[Normal]) -> None:
    """Of the profile: a sequence of N + 1 before the first packet, and before the next one after 2**(async_freq + 5)
    bytes of packets; no other null packets.
    """
    n, unframed, due = capture.config.null_run, capture.config.framing == "unframed", _due(packets, capture.config)
    missing = [i for i in due if not _is_sequence(packets[i].nulls, n, unframed)]
    wrong = [i for i, p in enumerate(packets) if p.zeros != (n + 1) * (i in due) and i not in missing]
    book.bulk("ET.enc.sync", 0, missing, lambda i: Failure(
        "ET.enc.sync", f"{packets[i].zeros} null packets before {capture.named(i)} are no synchronization sequence",
        table=[("null packets", f"{n} idle, then one {'alignment' if unframed else 'idle or alignment'}",
                packets[i].nulls.hex(" ") or "none")],
    ))  # fmt: skip
    book.bulk("ET.enc.interval", len(packets), wrong, lambda i: Failure(
        "ET.enc.interval", f"{packets[i].zeros} null packets appear before {capture.named(i)}",
        table=[("null packets", str(0 if packets[i].zeros <= n else n + 1), str(packets[i].zeros))],
    ))  # fmt: skip


def _due(packets: list[Normal], config: Config) -> set[int]:
    """Of the profile: the packets before which a sequence is due."""
    due, interval = set(), 1 << config.async_freq + 5
    since = interval
    for i, packet in enumerate(packets):
        if since >= interval:
            due.add(i)
            since = 0
        since += packet.behind - packet.offset
    return due


def _bytes(capture: EtraceCapture, data: bytes, book: ClauseBook, stamps: Sequence[int]) -> None:
    """The whole stream against the encapsulation of the same payloads."""
    want = encapsulate(capture.carried, [False] * len(stamps), stamps, capture.config)
    at = same_start(want, data)
    book.check("ET.enc.header", want == data, lambda: Failure(
        "ET.enc.header", f"{capture.place(at)} of the stream is wrong",
        table=[("bytes", want[at : at + 8].hex(" "), data[at : at + 8].hex(" "))],
    ))  # fmt: skip


def _receiver(capture: EtraceCapture, data: bytes, book: ClauseBook, packets: list[Normal]) -> None:
    """What a receiver makes of the bytes: all packets, and from the middle on all after the first place that it can
    know: where N null bytes precede a byte that is none; of the profile, where a sequence is due.
    """
    config = capture.config
    payloads, _, damage = deframe(data, config)
    book.check("ET.enc.header", payloads == capture.carried and not damage, lambda: Failure(
        "ET.enc.header", f"a receiver makes {len(payloads)} packets of the stream, {len(capture.carried)} were sent"
    ))  # fmt: skip
    if config.framing == "none":
        return
    tail, n = min(len(data), JOINED), config.null_run
    if capture.exact and config.async_freq:
        known = _due(packets, config)
    else:
        known = {
            i for i, p in enumerate(packets) if p.offset >= n and not any(b & 31 for b in data[p.offset - n : p.offset])
        }
    for number in range(1, JOINS + 1):
        at = len(data) - tail + tail * number // (JOINS + 1)
        first = next((i for i in sorted(known) if packets[i].offset - n >= at), len(packets))
        want = [p.payload for p in packets[first:] if p.source == config.src_id and p.type == INSTRUCTION]
        if not want:
            continue
        found = deframe(data[at:], config, joined=True)[0]
        book.check("ET.enc.join", found == want, lambda f=found, w=want, at=at: Failure(
            "ET.enc.join", f"a receiver that joins at {capture.place(at)} finds {len(f)} packets, {len(w)} follow the"
            " first synchronization sequence",
        ))  # fmt: skip
