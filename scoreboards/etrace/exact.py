# SPDX-License-Identifier: Apache-2.0
"""Exact: the packets equal the encoder model's, for a device that declares docs/reference/etrace-profile.md.

Equal payloads are one comparison; the clauses are then counted from the reasons the model gives. Otherwise the first
packet that differs is attributed to one clause: the rule that produced the expected packet, or the field's own rule.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from rvtrace.models.etrace.codec import PacketError, bits, compress, unpack
from rvtrace.models.etrace.config import ENCAP
from rvtrace.models.etrace.encoder.encode import EncodedTrace
from rvtrace.models.etrace.table import MAP_LENGTHS, Packet, field_clauses, map_length, options_of
from rvtrace.scoreboards.common.clauses import ClauseBook, Failure
from rvtrace.scoreboards.common.findings import REFERENCE
from rvtrace.scoreboards.common.places import locate
from rvtrace.scoreboards.etrace import table as t
from rvtrace.scoreboards.etrace.capture import EtraceCapture

FIELD_CLAUSE = field_clauses()
KIND_CLAUSE = {  # of a packet that nothing called for, or that represents another
    "branch_count": "ET.opt.prediction",
    "jump_target": "ET.opt.cache",
    "branch_map": "ET.alg.full_map",
    "address": "ET.alg.updiscon",
    "start": "ET.alg.resync",
    "trap": "ET.alg.trap",
    "context": "ET.alg.context",
    "support": "ET.pay.support",
}
FAR = 8  # packets that may be missing or extra in a row, and still be found so
_MAP_BEGINS = 7  # bits of format and branches, in both variants
ADDRESSED = ("branch_count", "jump_target", "branch_map", "address")
MODE_CLAUSE = (  # options that change what a payload looks like, counted where they are on
    ("full_address", "ET.opt.full_address", ("branch_count", "branch_map", "address")),
    ("implicit_exception", "ET.opt.implicit_exception", ("trap",)),
    ("branch_prediction", "ET.opt.prediction", ADDRESSED),
    ("sijump", "ET.opt.sijump", ADDRESSED),
    ("implicit_return", "ET.opt.implicit_return", ADDRESSED),
    ("jump_target_cache", "ET.opt.cache", ADDRESSED),
)


def check_exact(capture: EtraceCapture, book: ClauseBook, encoded: EncodedTrace) -> int | None:
    """Compare capture.packets with the model's for capture.beats; the number of the first packet that differs, None if
    all agree.
    """
    n = min(len(encoded.payloads), len(capture.packets))
    if encoded.payloads == capture.packets:
        count(book, encoded, len(encoded.payloads))
        _check_starts(capture, book, encoded)
        return None
    place = next((i for i in range(n) if encoded.payloads[i] != capture.packets[i]), n)
    count(book, encoded, place)
    book.fail(_difference(capture, encoded, place))
    return place


def count(book: ClauseBook, encoded: EncodedTrace, n: int) -> None:
    """The first n packets agreed: count every clause that took part in them."""
    packets = encoded.packets[:n]
    for clause, times in Counter(encoded.reasons[:n]).items():
        book.count(clause, times)
    fields: Counter[str] = Counter()
    for packet in packets:
        fields.update(packet.values.keys())
        if packet.values.get("irdepth", 0) is None:
            fields["irdepth"] -= 1
    for name, clause in FIELD_CLAUSE.items():
        book.count(clause, fields[name])
    for clause in ("ET.pay.fields", "ET.pay.compression", "ET.pay.type_length"):
        book.count(clause, n)
    kinds = Counter(p.name for p in packets)
    for name, clause in (("start", "ET.pay.start"), ("trap", "ET.pay.trap"), ("support", "ET.pay.support")):
        book.count(clause, kinds[name])
    book.count("ET.pay.full_map", sum(p.values.get("branches") == 0 for p in packets))
    words = np.array(encoded.options[:n], np.int64)
    for option, clause, names in MODE_CLAUSE:
        on = words >> list(options_of(0)).index(option) & 1
        book.count(clause, sum(bool(o) and p.name in names for o, p in zip(on.tolist(), packets)))


def _check_starts(capture: EtraceCapture, book: ClauseBook, encoded: EncodedTrace) -> None:
    """What the encoder gives beside the payload: the mark of a packet 3.0, and, where packets have one, the time of the
    timestamp.
    """
    encap = capture.config.encapsulation == ENCAP
    for name, clause, want in (
        ("start", "ET.enc.header" if encap else "ET.tra.zeros", [p.name == "start" for p in encoded.packets]),
        ("time16", "ET.enc.timestamp" if encap else "ET.tra.timestamp", encoded.time16),
    ):
        have = getattr(capture, name)
        if have is None or name == "time16" and not capture.config.timestamp:
            continue
        bad = np.flatnonzero(np.asarray(want) != np.asarray(have))
        book.bulk(clause, len(want), bad, lambda i, n=name, c=clause, w=want, h=have: Failure(
            c, f"{n} of packet #{i} is wrong", table=[(n, str(int(w[i])), str(int(h[i])))]))  # fmt: skip


def _difference(capture: EtraceCapture, encoded: EncodedTrace, place: int) -> Failure:
    want = encoded.packets[place] if place < len(encoded.packets) else None
    have, problem = _unpacked(capture, encoded, place)
    clause, headline = _attribute(capture, encoded, place, want, have, problem)
    failure = Failure(
        clause, f"packet #{place}: {headline}", table=t.compare_fields(want, have, encoded.config.iaddress_lsb_p),
        at=place, found=REFERENCE,
    )  # fmt: skip
    payloads = [(e.hex() if e else "none") for e in (_at(encoded.payloads, place), _at(capture.packets, place))]
    if have is None and place < len(capture.packets):
        failure.table[0] = ("packet", want.name if want else "none", "unreadable")
    failure.table.append(("payload", payloads[0], payloads[1]))
    failure.before = [f"#{i}: {encoded.packets[i]}" for i in range(max(0, place - 3), place)]
    locate(failure, capture, encoded.beat, place)
    return failure


def _at(items: list, place: int) -> bytes | None:
    return items[place] if place < len(items) else None


def _unpacked(capture: EtraceCapture, encoded: EncodedTrace, place: int) -> tuple[Packet | None, str]:
    if place >= len(capture.packets):
        return None, ""
    word = encoded.options[min(place, len(encoded.options) - 1)] if encoded.options else encoded.config.ioptions
    try:
        return unpack(capture.packets[place], encoded.config, options_of(word)), ""
    except PacketError as error:
        return None, str(error)


def _attribute(
    capture: EtraceCapture, encoded: EncodedTrace, place: int, want: Packet | None, have: Packet | None, problem: str
) -> tuple[str, str]:
    reason = encoded.reasons[place] if want is not None else ""
    if want is not None and _other_map(encoded, place, want, _at(capture.packets, place)):
        return "ET.pay.map_length", "branch_map has another length"
    if problem:
        known = want is not None and want.name == "trap" and options_of(encoded.options[place])["implicit_exception"]
        return "ET.opt.implicit_exception" if known else "ET.pay.fields" if want is None else reason, problem
    if want is None:
        assert have is not None  # the lists differ here, so that one of them has a packet
        return KIND_CLAUSE[have.name], f"{have.name} is not expected here"
    if have is None:
        return reason, f"{want.name} is missing"
    shifts = [(1, 1), *((n, 0) for n in range(1, FAR)), *((0, n) for n in range(1, FAR))]
    if want.get("branch_map") is not None and want.get("branch_map") == have.get("branch_map"):
        del shifts[1:]  # the same branches: the packet itself
    mine, theirs = max(
        shifts, key=lambda s: _agree(capture.packets, place + s[1], encoded.payloads, place + s[0])
    )  # the first of several
    if not theirs:
        return reason, f"{want.name} is missing"
    if not mine:
        return _extra(have, options_of(encoded.options[place])), f"{have.name} is not expected here"
    if want.name != have.name:
        return _other_kind(want, have, reason), f"{have.name} is sent instead of {want.name}"
    if want.values == have.values:
        return (
            "ET.pay.compression",
            f"{len(capture.packets[place])} bytes are sent, expected {len(encoded.payloads[place])}",
        )
    names = [n for n in dict.fromkeys([*want.values, *have.values]) if want.values.get(n) != have.values.get(n)]
    return _field(encoded, place, names, want, have, reason), f"{names[0]} is wrong"


def _agree(sent: list[bytes], at: int, wanted: list[bytes], begin: int) -> int:
    """How many of the next three packets are equal: after those that are missing or extra the others follow, up to the
    next such place.
    """
    equal = [a == b for a, b in zip(sent[at : at + 3], wanted[begin : begin + 3])]
    return equal.index(False) if False in equal else len(equal)


def _other_map(encoded: EncodedTrace, place: int, want: Packet, sent: bytes | None) -> bool:
    """Whether a payload is the one wanted but for the length of its branch_map: all after it is elsewhere then."""
    config, branches = encoded.config, want.get("branches", 0)
    if want.name != "branch_map" or not branches:
        return False
    payload, length = bits(want, config, options_of(encoded.options[place]))
    used = map_length(config.variant, branches)
    end = _MAP_BEGINS + used
    tail, rest = payload >> end, payload & (1 << end) - 1
    others = [n - used for n in MAP_LENGTHS[config.variant] if n != used]
    return any(compress(rest & (1 << end + more) - 1 | tail << end + more, length + more) == sent for more in others)


def _extra(have: Packet, options: dict[str, int]) -> str:
    """An address nothing calls for is that of a jump that had to be inferred, where some are."""
    if have.name in ADDRESSED and have.has_address and not have.get("notify"):
        for name, clause in (("implicit_return", "ET.opt.implicit_return"), ("sijump", "ET.opt.sijump")):
            if options[name]:
                return clause
    return KIND_CLAUSE[have.name]


def _other_kind(want: Packet, have: Packet, reason: str) -> str:
    pair = {want.name, have.name}
    if "jump_target" in pair and pair <= set(ADDRESSED):
        return "ET.opt.cache_shorter" if have.name == "jump_target" else "ET.opt.cache"
    if "branch_count" in pair and pair <= set(ADDRESSED):
        return "ET.opt.prediction"
    if pair == {"start", "trap"}:
        return "ET.alg.reported" if want.name == "start" else "ET.alg.trap"
    return reason


def _field(encoded: EncodedTrace, place: int, names: list[str], want: Packet, have: Packet, reason: str) -> str:
    """The clause of the first field that differs; an address that is wrong by its form alone is that of the form."""
    name = names[0]
    options = options_of(encoded.options[place])
    if name == "address" and want.name in ADDRESSED and options["full_address"]:
        return "ET.opt.full_address"
    if name == "address" and want.name in ("start", "trap"):
        return (
            "ET.pay.start" if want.name == "start" else "ET.pay.thaddr" if not want.get("thaddr", 1) else "ET.pay.trap"
        )
    if name in ("branches", "branch_map") and options["branch_prediction"] and "branches" not in names:
        return FIELD_CLAUSE.get(name, "ET.pay.fields")
    if name == "branches" and not (want.values["branches"] and have.values.get("branches")):
        return "ET.pay.full_map"
    if name == "irreport" and reason == "ET.opt.misreturn":
        return reason
    return FIELD_CLAUSE.get(name, "ET.pay.fields")
