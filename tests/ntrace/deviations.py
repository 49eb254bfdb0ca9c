# SPDX-License-Identifier: Apache-2.0
"""Encoders that are right except for one thing: the messages of a legal encoder, sent as a device would that has it.

A deviation changes values of messages, the layout in which they are packed, or the bytes; several can be combined. None
of this knows the dialects with which the check takes deviations back.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import cast

from rvtrace.models.common.messages import VARIABLE
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.decoder.decode import decode
from rvtrace.models.ntrace.table import Message
from rvtrace.models.riscv.generate import generate
from rvtrace.models.riscv.isa import Flow
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.random_walk import random_walk
from rvtrace.models.riscv.retired import Retired
from rvtrace.scoreboards.common.verdict import Verdict
from rvtrace.scoreboards.diagnosis import budget
from rvtrace.scoreboards.ntrace.capture import NtraceCapture
from rvtrace.scoreboards.ntrace.check import check
from rvtrace.tb.common.stimulus.stimulus import closed
from tests.common.packers import mdo_groups, mdo_message
from tests.ntrace.legal_encoder import Habits, LegalEncoder
from tests.ntrace.test_legal_encoder import CLOSED

INSTRUCTIONS = 2500
VAR = 0
Part = tuple[str, int, int]  # key, value, width (0: variable length)


@dataclass
class Run:
    """What was traced, and what a right encoder sends. ends: instructions before the end of each count."""

    config: Config
    program: Program
    retired: Retired
    messages: list[Message]
    data: bytes
    counts: list[int] = field(default_factory=list)  # instructions of each message
    last: list[int] = field(default_factory=list)  # half-words of its last one, if that changed the flow


Values = Callable[[list[Message], Run], list[Message]]
Layout = Callable[[Message, list[Part], Run], list[Part]]
Data = Callable[[list[bytes]], bytes]


@dataclass(frozen=True)
class Deviation:
    """clauses: those of which one must be the finding. options: without which it does not show. claim: what is claimed
    instead of what the encoder does (for options).
    """

    name: str
    clauses: tuple[str, ...]
    values: Values | None = None
    layout: Layout | None = None
    data: Data | None = None
    options: dict[str, object] = field(default_factory=dict)
    claim: dict[str, object] = field(default_factory=dict)
    whole: bool = False  # HIST is not split
    kind: str = ""  # two of one kind are not combined


def run_of(seed: int, options: dict[str, object], whole: bool = False, instructions: int = INSTRUCTIONS) -> Run:
    """A random walk of a random program, sent by an encoder with some periodic synchronization."""
    rng = random.Random(f"{seed}:deviations")
    base: dict[str, object] = {
        "mode": rng.choice(("htm", "htm", "btm")), "xlen": rng.choice((32, 64)), "inst_sync_mode": 1,
        "src_bits": rng.choice((0, 4)), "timestamp": rng.randrange(2),
    }  # fmt: skip
    base |= {"src_id": rng.randrange(1, 16) if base["src_bits"] else 0}
    if options.get("src_bits") and not options.get("src_id"):
        base["src_id"] = 5
    config = Config.from_dict(base | options)
    program = generate(rng, config.xlen)
    retired = closed(random_walk(program, rng, instructions, variant=config.variant), program)
    habits = Habits(0.002, 0 if whole else 0.05, 0.01, rng.choice((0, 1)), 1, 1, 1, 0, 0, 1, 0, 0, 8)
    encoder = LegalEncoder(config, rng, habits)
    data = encoder.encode(retired)
    run = Run(config, program, retired, encoder.messages, data)
    trace = decode(data, program, config)
    assert not trace.diagnostics and len(trace.messages) == len(run.messages)
    begin = 0
    for message, end in zip(run.messages, [*trace.first_pc[1:].tolist(), len(trace)]):
        counted = message.get("icnt") is not None or message.get("rcode") == 0
        run.counts.append(end - begin if counted else 0)
        insn = program.insn(int(trace.pcs[end - 1])) if counted and end > begin else None
        ends = insn is not None and (insn.flow == Flow.UNINFERABLE or message.name.startswith("DirectBranch"))
        run.last.append(insn.size >> 1 if insn and ends and not message.get("btype") else 0)
        begin = end if counted else begin
    return run


def packed(parts: list[Part]) -> bytes:
    """A message whose parts are laid out in this order: the bytes of 3.1."""
    fields, value, size = [], 0, 0  # those that a variable one ends: value and bits
    for number, (_, own, width) in enumerate(parts, 1):
        bits = width or max(1, own.bit_length())
        value, size = value | own % (1 << bits) << size, size + bits
        if not width or number == len(parts):
            fields.append(mdo_groups(value, -(-size // 6)))
            value = size = 0
    return mdo_message(fields)


def parts_of(message: Message, config: Config) -> list[Part]:
    """TCODE, SRC, fields and TSTAMP as the specification has them."""
    parts: list[Part] = [("tcode", message.tcode, 6)]
    if config.source_bits:
        parts.append(("src", message.src, config.source_bits))
    own = [(f, message.get(f.key)) for f in message.type.own]
    parts += [
        (f.key, value, VAR if f.width == VARIABLE else cast(int, f.width)) for f, value in own if value is not None
    ]
    if message.tstamp is not None:
        parts.append(("tstamp", message.tstamp, VAR))
    return parts


def sent(run: Run, deviations: list[Deviation]) -> bytes:
    """The bytes of an encoder with these deviations."""
    messages = list(run.messages)
    for one in deviations:
        if one.values:
            messages = one.values(messages, run)
    pieces = []
    for message in messages:
        parts = parts_of(message, run.config)
        for one in deviations:
            if one.layout:
                parts = one.layout(message, parts, run)
        pieces.append(packed(parts))
    data = b"".join(pieces)
    for one in deviations:
        if one.data:
            data = one.data(pieces)
            pieces = _split(data)
    return data


def _split(data: bytes) -> list[bytes]:
    pieces, begin = [], 0
    for at, byte in enumerate(data):
        if byte & 3 == 3:
            pieces.append(data[begin : at + 1])
            begin = at + 1
    return [*pieces, data[begin:]] if begin < len(data) else pieces


def judged(run: Run, deviations: list[Deviation]) -> Verdict:
    """The verdict on a foreign device with these deviations."""
    claim: dict[str, object] = {}
    for one in deviations:
        claim |= one.claim
    config = replace(run.config, **claim)  # pyright: ignore[reportArgumentType]
    capture = NtraceCapture(config, run.program, sent(run, deviations), given=run.retired, exact=False)
    with budget.limited(budget.DEVICE):  # of a device, not of a short file
        return check(capture, CLOSED)


def findings(verdict: Verdict) -> list[str]:
    """The clauses of the findings, in the order of a report."""
    own = [f for f in verdict.failures if not f.cause]
    own.sort(key=lambda f: (f.at is None, f.at or 0))
    return list(dict.fromkeys(f.clause for f in own))


# Values


def each(change: Callable[[Message], Message]) -> Values:
    return lambda messages, run: [change(message) for message in messages]


def of_fields(*keys: str, to: Callable[[int, Run], int]) -> Values:
    def change(messages: list[Message], run: Run) -> list[Message]:
        return [m.replaced(**{k: to(v, run) for k, v in m.by_key().items() if k in keys}) for m in messages]

    return change


def of_hist(to: Callable[[int], int]) -> Values:
    def change(m: Message) -> Message:
        keys = ("hist", "rdata") if m.get("rcode") in (1, 2) else ("hist",)
        return m.replaced(**{k: to(v) for k, v in m.by_key().items() if k in keys})

    return each(change)


def _counts(key: str, m: Message) -> bool:
    """Whether a field counts half-words."""
    return key == "icnt" or (key == "rdata" and m.get("rcode") == 0)


def of_icnt(to: Callable[[int, int, Run, Message], int]) -> Values:
    def change(messages: list[Message], run: Run) -> list[Message]:
        return [
            m.replaced(**{k: to(v, n, run, m) for k, v in m.by_key().items() if _counts(k, m)})
            for n, m in enumerate(messages)
        ]

    return change


def flipped(value: int) -> int:
    return int("1" + "".join("10"[int(bit)] for bit in f"{value:b}"[1:]), 2)


def mirrored(value: int) -> int:
    return int("1" + f"{value:b}"[1:][::-1], 2)


def references(kind: str) -> Values:
    """Another reference for addresses than the last one reported."""

    def change(messages: list[Message], run: Run) -> list[Message]:
        last = theirs = 0
        changed, top = [], (1 << run.config.xlen - 1) - 1
        for m in messages:
            full, part = m.get("faddr"), m.get("uaddr")
            if full is not None:
                if kind == "faddr_relative":
                    m = m.replaced(faddr=full ^ last)
                last = full
                starts = m.get("sync") in (3, 5, 7, 9) or kind != "not_later"
                theirs = full if kind != "not_sync" and starts else theirs
            elif part is not None:
                target = last ^ part
                value = {"full": target, "difference": target - theirs & top}.get(kind, target ^ theirs)
                m = m.replaced(uaddr=value)
                last = target
                theirs = theirs if kind == "sync_only" else target
            changed.append(m)
        return changed

    return change


def unmarked(message: Message, parts: list[Part], run: Run) -> list[Part]:
    """I-CNT with 16 bits, filled up to a byte without MSEO=01."""
    keys = [key for key, *_ in parts]
    if "icnt" not in keys[:-1]:
        return parts
    at = keys.index("icnt")
    width = 16 + sum(width for *_, width in parts[:at])
    return [
        *parts[:at],
        ("icnt", parts[at][1], 16),
        *([("filler", 0, -width % 6)] if width % 6 else []),
        *parts[at + 1 :],
    ]


def ends_as_fields(pieces: list[bytes]) -> bytes:
    """Messages with an address (TCODE 4, 9, 11, 12, 28, 29) end with MSEO=01."""
    return b"".join(
        piece[:-1] + bytes([piece[-1] ^ 2]) if piece[0] >> 2 in (4, 9, 11, 12, 28, 29) else piece for piece in pieces
    )


def groups_reversed(value: int) -> int:
    """The bits of each MDO group in reverse."""
    digits = f"{value:b}"
    digits = digits.zfill(-(-len(digits) // 6) * 6)
    return int("".join(digits[at : at + 6][::-1] for at in range(0, len(digits), 6)), 2)


def not_reset(messages: list[Message], run: Run) -> list[Message]:
    total, changed = 0, []
    for m in messages:
        values = {}
        for key, value in m.by_key().items():
            if _counts(key, m):
                total += value
                values[key] = total
        changed.append(m.replaced(**values))
    return changed


# Layout


def types(*names: str) -> Callable[[Message], bool]:
    return lambda message: not names or message.name in names


def swapped(a: str, b: str, *names: str) -> Layout:
    def change(message: Message, parts: list[Part], run: Run) -> list[Part]:
        keys = [part[0] for part in parts]
        if a in keys and b in keys and types(*names)(message):
            i, j = keys.index(a), keys.index(b)
            parts = list(parts)
            parts[i], parts[j] = parts[j], parts[i]
        return parts

    return change


def without(key: str, *names: str) -> Layout:
    return lambda message, parts, run: [p for p in parts if p[0] != key or not types(*names)(message)]


def wider(key: str, width: int) -> Layout:
    return lambda message, parts, run: [
        (k, v & ((1 << width) - 1), width) if k == key else (k, v, w) for k, v, w in parts
    ]


def more(value: int, *names: str) -> Layout:
    return lambda message, parts, run: [*parts, ("more", value, VAR)] if types(*names)(message) else parts


def inserted(after: str, width: int, value: int = 1) -> Layout:
    def change(message: Message, parts: list[Part], run: Run) -> list[Part]:
        keys = [part[0] for part in parts]
        if after not in keys:
            return parts
        at = keys.index(after) + 1
        return [*parts[:at], ("more", value, width), *parts[at:]]

    return change


def moved(key: str, to: int) -> Layout:
    def change(message: Message, parts: list[Part], run: Run) -> list[Part]:
        mine = [part for part in parts if part[0] == key]
        rest = [part for part in parts if part[0] != key]
        return [*rest[:to], *mine, *rest[to:]] if to >= 0 else [*rest, *mine]

    return change


def first(*fields: str) -> Layout:
    """Right after TCODE and SRC."""

    def change(message: Message, parts: list[Part], run: Run) -> list[Part]:
        place = {"tcode": 0, "src": 1} | dict.fromkeys(fields, 2)
        return sorted(parts, key=lambda part: place.get(part[0], 3))

    return change


def coded(tcode: int, *names: str) -> Layout:
    return lambda message, parts, run: [("tcode", tcode, 6), *parts[1:]] if message.name in names else parts


# Bytes


def mapped(of: Callable[[int], int]) -> Data:
    return lambda pieces: bytes(of(byte) for piece in pieces for byte in piece)


def bits(byte: int, order: list[int]) -> int:
    """The byte with its bits in another order, the lowest first."""
    return sum((byte >> source & 1) << place for place, source in enumerate(order))


FIELDS = tuple(f"NT.7.{n}.fields" for n in range(1, 13))
HTM: dict[str, object] = {"mode": "htm"}
BTM: dict[str, object] = {"mode": "btm"}
SOURCE: dict[str, object] = {"src_bits": 4, "src_id": 9}
TIMED: dict[str, object] = {"timestamp": 1}
NO_SRC: dict[str, object] = {"src_bits": 0, "src_id": 0}
D = Deviation
DEVIATIONS = (
    # options against the claim
    D("src_narrower", ("NT-17",), options=SOURCE, claim={"src_bits": 8}, kind="src"),
    D("src_wider", ("NT-17",), options=SOURCE, claim={"src_bits": 2, "src_id": 1}, kind="src"),
    D("src_absent", ("NT-17",), options=NO_SRC, claim={"src_bits": 6, "src_id": 5}, kind="src"),
    D("src_always", ("NT-17", "NT.3.2.src"), options=SOURCE, claim={"inhibit_src": 1}, kind="src"),
    D("src_other", ("NT.3.2.src",), options=SOURCE, claim={"src_id": 6}, kind="src"),
    D("htm_for_btm", ("NT.7.9.htm_only",), options=HTM, claim={"mode": "btm"}, kind="mode"),
    D("btm_for_htm", ("NT.7.9.htm_only",), options=BTM, claim={"mode": "htm"}, kind="mode"),
    D("time_sent", ("NT.8.7.enabled",), options=TIMED, claim={"timestamp": 0}, kind="time"),
    D("returns_implicit", ("NT.9.2.implicit_return",), options={"implicit_return": 3}, claim={"implicit_return": 0},
      kind="returns"),
    D("jumps_inferred", ("NT.9.1.sequential_jump",), options={"sequential_jump": 1}, claim={"sequential_jump": 0},
      kind="jumps"),
    # bytes
    D("mseo_on_top", ("NT.3.3.lsb_first",), data=mapped(lambda b: (b & 3) << 6 | b >> 2), kind="order"),
    D("byte_reversed", ("NT.3.3.lsb_first",), data=mapped(lambda b: bits(b, [7, 6, 5, 4, 3, 2, 1, 0])), kind="order"),
    D("mdo_reversed", ("NT.3.3.lsb_first",), data=mapped(lambda b: bits(b, [0, 1, 7, 6, 5, 4, 3, 2])), kind="order"),
    D("mseo_swapped", ("NT.3.1.mseo",), data=mapped(lambda b: bits(b, [1, 0, 2, 3, 4, 5, 6, 7])), kind="order"),
    D("mseo_end_as_field", ("NT.3.1.message_end",), data=ends_as_fields, options={"timestamp": 0}, kind="order"),
    D("mseo_inverted", ("NT.3.1.mseo",), data=mapped(lambda b: b ^ 3), kind="order"),
    D("byte_after", ("NT-16",), data=lambda pieces: b"".join(p + b"\x5c" for p in pieces), kind="stray"),
    D("byte_before", ("NT-16",), data=lambda pieces: b"".join(b"\x14" + p for p in pieces), kind="stray"),
    D("idle_zero", ("NT-16",), data=lambda pieces: b"".join(p + bytes(n % 3) for n, p in enumerate(pieces)),
      kind="stray"),
    D("idle_fe", ("NT-16",), data=lambda pieces: b"".join(p + b"\xfe" * (n % 2) for n, p in enumerate(pieces)),
      kind="stray"),
    D("twice", ("NT.3.4.idle",), data=lambda pieces: bytes(b for p in pieces for byte in p for b in (byte, byte)),
      kind="stray"),
    D("stray_first", ("NT-16", "NT.3.1.mseo"), data=lambda pieces: b"\x48" + b"".join(pieces), kind="first"),
    # layout
    D("btype_after_icnt", FIELDS, layout=swapped("btype", "icnt"), kind="fields"),
    D("address_before_count", FIELDS, layout=swapped("icnt", "uaddr"), kind="fields"),
    D("hist_before_address", FIELDS, layout=swapped("uaddr", "hist"), options=HTM, kind="fields"),
    D("sync_and_btype_swapped", FIELDS, layout=swapped("sync", "btype"), kind="fields"),
    D("sync_after_icnt", FIELDS, layout=swapped("sync", "icnt"), kind="fields"),
    D("full_address_before_count", FIELDS, layout=swapped("icnt", "faddr"), kind="fields"),
    D("addresses_first", FIELDS, layout=first("uaddr", "faddr"), kind="fields"),
    D("full_address_first", FIELDS, layout=first("faddr"), kind="fields"),
    D("correlation_swapped", FIELDS, layout=swapped("icnt", "hist", "ProgTraceCorrelation"), options=HTM,
      kind="fields"),
    D("sync_5_bits", FIELDS, layout=wider("sync", 5), kind="widths"),
    D("sync_3_bits", FIELDS, layout=wider("sync", 3), kind="widths"),
    D("btype_3_bits", FIELDS, layout=wider("btype", 3), kind="widths"),
    D("btype_1_bit", FIELDS, of_fields("btype", to=lambda v, run: min(v, 1)), layout=wider("btype", 1), kind="widths"),
    D("evcode_3_bits", FIELDS, layout=wider("evcode", 3), kind="widths"),
    D("rcode_3_bits", FIELDS, layout=wider("rcode", 3), kind="widths", options=HTM),
    D("tcode_8_bits", ("NT.3.2.structure", "NT-17"), layout=wider("tcode", 8), kind="widths"),
    D("icnt_16_bits", FIELDS, layout=wider("icnt", 16), kind="widths"),
    D("icnt_end_unmarked", ("NT.3.1.field_end",), layout=unmarked, kind="widths"),
    D("no_btype", FIELDS, layout=without("btype"), kind="absent"),
    D("no_count_in_sync", FIELDS, layout=without("icnt", "ProgTraceSync"), kind="absent"),
    D("no_cdf", ("NT.7.12.fields",), layout=without("cdf"), options=HTM, kind="absent"),
    D("no_sync_code", FIELDS, layout=without("sync"), kind="absent"),
    D("no_empty_hist", (*FIELDS, "NT-8"), options=HTM | {"timestamp": 0}, kind="absent", layout=lambda m, parts, run: [
        p for p in parts if p[0] != "hist" or m.name != "ProgTraceCorrelation" or p[1] != 1]),
    D("field_more", ("NT.3.2.structure",), layout=more(37), options={"timestamp": 0}, kind="more"),
    D("field_more_in_sync", ("NT.3.2.structure", "NT.8.7.enabled", *FIELDS), layout=more(
      9, "ProgTraceSync", "IndirectBranchSync",
      "IndirectBranchHistSync", "DirectBranchSync"), options={"timestamp": 0}, kind="more"),
    D("bit_after_tcode", ("NT.3.2.structure", "NT-17"), layout=inserted("tcode", 1), options=NO_SRC, kind="more"),
    D("bits_after_btype", FIELDS, layout=inserted("btype", 2), kind="more"),
    D("src_last", ("NT.3.2.src",), layout=moved("src", -1), options=SOURCE, kind="src"),
    D("src_first", ("NT.3.2.src",), layout=moved("src", 0), options=SOURCE, kind="src"),
    D("src_in_sync_only", ("NT.3.2.src",), layout=lambda m, parts, run: [
        p for p in parts if p[0] != "src" or m.type.has_sync], options=SOURCE, kind="src"),
    D("time_first", ("NT.3.2.structure",), layout=moved("tstamp", 1), options=TIMED | NO_SRC, kind="time"),
    D("hist_tcode", ("NT.6.1.tcode",), layout=coded(24, "IndirectBranchHist"), options=HTM, kind="tcode"),
    D("sync_tcode", ("NT.6.1.tcode",), layout=coded(10, "ProgTraceSync"), kind="tcode"),
    # values
    D("addresses_in_bytes", ("NT.8.1.faddr",), of_fields("faddr", "uaddr", to=lambda v, run: v << 1), kind="units"),
    D("faddr_in_bytes", ("NT.8.1.faddr",), of_fields("faddr", to=lambda v, run: v << 1), kind="units"),
    D("uaddr_in_bytes", ("NT.8.1.uaddr",), of_fields("uaddr", to=lambda v, run: v << 1), kind="units"),
    D("faddr_truncated", ("NT.8.1.faddr",), of_fields("faddr", to=lambda v, run: v & (1 << 30) - 1), kind="units"),
    D("uaddr_full", ("NT.8.1.xor",), references("full"), kind="reference"),
    D("uaddr_difference", ("NT.8.1.xor",), references("difference"), kind="reference"),
    D("faddr_relative", ("NT.8.1.faddr",), references("faddr_relative"), kind="reference"),
    D("uaddr_from_sync", ("NT-19",), references("sync_only"), kind="reference"),
    D("uaddr_not_from_sync", ("NT-19",), references("not_sync"), kind="reference"),
    D("uaddr_not_from_later_sync", ("NT-19",), references("not_later"), kind="reference"),
    D("address_bits_reversed", ("NT.3.3.lsb_first",), of_fields("faddr", "uaddr", to=lambda v, run: groups_reversed(v)),
      kind="order"),
    D("hist_mirrored", ("NT.8.3.hist",), of_hist(mirrored), options=HTM, kind="hist"),
    D("hist_inverted", ("NT-1",), of_hist(flipped), options=HTM, kind="hist"),
    D("no_stop_bit", ("NT.8.3.stop_bit",), of_hist(lambda v: v ^ 1 << v.bit_length() - 1), options=HTM, whole=True,
      kind="hist"),
    D("count_in_bytes", ("NT.8.4.icnt",), of_icnt(lambda v, n, run, m: v << 1), kind="count"),
    D("count_of_instructions", ("NT.8.4.icnt",), of_icnt(lambda v, n, run, m: run.counts[n]), kind="count"),
    D("count_without_last", ("NT.8.4.count",), of_icnt(
        lambda v, n, run, m: v - run.last[n] if {"icnt", "evcode"} & {*m.type.keys} == {"icnt"} else v),
      kind="count"),
    D("count_not_reset", ("NT.8.4.3.icnt_reset",), not_reset, kind="count"),
    D("count_one_more", ("NT.8.4.count",), of_icnt(lambda v, n, run, m: v + 1 if "icnt" in m.type.keys else v),
      kind="count"),
    D("btype_always_0", ("NT.6.2.btype",), of_fields("btype", to=lambda v, run: 0), kind="btype"),
    D("btype_inverted", ("NT.6.2.btype",), of_fields("btype", to=lambda v, run: v ^ 3), kind="btype"),
    D("btype_jump_1", ("NT.6.2.btype",), of_fields("btype", to=lambda v, run: v or 1), kind="btype"),
    D("rcode_swapped", ("NT.7.8.rcode",), of_fields("rcode", to=lambda v, run: v ^ 1), options=HTM, kind="rcode"),
    D("time_absolute", ("NT-15",), lambda messages, run: _times(messages, True), options=TIMED, kind="time"),
    D("time_relative", ("NT.8.7.absolute",), lambda messages, run: _times(messages, False), options=TIMED, kind="time"),
)  # fmt: skip


def _times(messages: list[Message], absolute: bool) -> list[Message]:
    now, changed = 0, []
    for m in messages:
        if m.tstamp is not None:
            before, now = now, m.tstamp if m.type.has_sync else now + m.tstamp
            m = m.replaced(tstamp=now if absolute else now - before)
        changed.append(m)
    return changed
