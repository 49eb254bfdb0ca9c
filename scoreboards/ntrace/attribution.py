# SPDX-License-Identifier: Apache-2.0
"""Attribution: which clause a difference between the expected and the sent messages belongs to.

Only the first difference is attributed, since everything after it may follow from it.
"""

from __future__ import annotations

import numpy as np

from rvtrace.models.ntrace.encoder.encode import EncodedTrace
from rvtrace.models.ntrace.table import SRC, SYNC, V1_0, Message
from rvtrace.models.riscv.isa import Flow
from rvtrace.models.riscv.retired import IType
from rvtrace.scoreboards.ntrace import table as t
from rvtrace.scoreboards.ntrace.capture import NtraceCapture
from rvtrace.scoreboards.ntrace.expected import POPS, PUSHES
from rvtrace.scoreboards.ntrace.legal_addresses import extends

# Clause of a field that differs while the message is the right one; the rest is found in `_field_clause`. SYNC has that
# of its message.
FIELD_CLAUSE = {f.key: f.clause for f in V1_0.fields.values() if f.clause and f.key not in (SRC.key, SYNC.key)}
# Clause of a message that nothing called for.
EXTRA_CLAUSE = {
    t.TC_DIRECT: "NT.10.inferable", t.TC_INDIRECT: "NT.10.inferable", t.TC_HIST: "NT.10.inferable",
    t.TC_ERROR: "NT.7.4.error", t.TC_CORRELATION: "NT.7.12.trace_off", t.TC_OWNERSHIP: "NT.7.1.priv_change",
    t.TC_REPEAT: "NT.7.11.repeat",
}  # fmt: skip
EXTRA_SYNC: dict[int | None, str] = {
    0: "NT.8.5.sync0",
    1: "NT.8.5.sync1",
    2: "NT-20",
    3: "NT.8.5.sync3",
    4: "NT.8.4.4.sync4",
    6: "NT.8.5.sync6",
    7: "NT.8.5.sync7",
    9: "NT.8.5.sync9",
}
EXTRA_FULL: dict[int | None, str] = {0: "NT.8.4.4.resource_full", 1: "NT.8.3.1.hist_full", 2: "NT.9.3.repeated_history"}
# Clauses of one corner case: they own the fields of the message that they made.
CORNER_CASES = ("NT.8.6.back_to_back_traps", "NT.8.6.trap_at_start", "NT.8.6.stop_while_off", "NT.8.6.start_while_off",
                "NT-12", "NT-13", "NT.7.12.open_target", "NT.8.5.sync1")  # fmt: skip
INFERRED = ("NT.9.1.sequential_jump", "NT.9.2.implicit_return")
MAX_ROWS = 2000  # beats looked at for the instruction that a message nothing called for reports


def difference(capture: NtraceCapture, encoded: EncodedTrace, actual: list[Message], place: int) -> tuple[str, str]:
    """Clause and headline where message number `place` differs, is missing or should not be there."""
    expected = encoded.messages
    if place == len(expected):
        return (
            _extra(actual[place], capture, encoded, place),
            f"message {place} ({actual[place].name}) is not expected here",
        )
    reason = encoded.reasons[place]
    if place == len(actual):
        return reason, f"{expected[place].name} was not sent: the stream ends before it"
    want, have = expected[place], actual[place]
    reference = _references(expected, place)[-1]
    if _alike(expected, place + 1, actual, place) or _skipped(expected[place : place + 5], have, reference):
        return _missing(capture, encoded, place), f"{want.name} is missing before {have.name}"
    if _alike(expected, place, actual, place + 1) or _skipped(actual[place : place + 5], want, reference):
        return _extra(have, capture, encoded, place), f"{have.name} is not expected here"
    if want.type.tcode != have.type.tcode:
        if have.type.tcode == t.TC_REPEAT:
            return EXTRA_CLAUSE[t.TC_REPEAT], f"{have.name} is sent instead of {want.name}, which is another message"
        if _aligned(expected, place + 1, actual, place):
            return _missing(capture, encoded, place), f"{want.name} is missing before {have.name}"
        inferable = _inferable(have, capture, encoded, place) if have.type.tcode in (t.TC_INDIRECT, t.TC_HIST) else None
        if inferable in (*INFERRED, "NT-4") or _aligned(expected, place, actual, place + 1):
            return _extra(have, capture, encoded, place), f"{have.name} is not expected here"
        return (
            _replaced(want, have, _missing(capture, encoded, place)),
            f"{have.name} is sent where {want.name} is expected",
        )
    if want.body == have.body:
        return _beside(expected, place, have)
    if want.type.keys != have.type.keys:
        return f"NT.{want.type.section}.fields", f"{want.name} does not have the fields of its table"
    key, ours, theirs = next(one for one in _pairs(want, have) if one[1] != one[2])
    if (
        key in ("sync", "btype")
        and _aligned(expected, place + 1, actual, place)
        and want.get("sync") != have.get("sync")
    ):
        return reason, f"{want.name} is missing"
    clause = _field_clause(key, expected, place, have, reason)
    if key == "rdata" and capture.config.repeated_history and want.get("rcode") == have.get("rcode") == 1 and (
            ours.bit_length() != theirs.bit_length()):  # fmt: skip
        clause = "NT.9.3.pattern"
    if key in ("faddr", "uaddr") and extends(ours ^ theirs, capture.config.xlen - 1):
        clause = "NT.8.2.extend"
    return clause, f"{want.name}: {_name(want, key)} is not as expected"


def _pairs(want: Message, have: Message) -> list[tuple[str, int, int]]:
    """(key, value, value) of the fields of two messages of one type, without SRC and TSTAMP; -1 is absent."""
    return [(f.key, want.get(f.key, -1), have.get(f.key, -1)) for f in want.type.own]


def _alike(a: list[Message], i: int, b: list[Message], j: int) -> bool:
    """Whether the next three messages of a from i and of b from j are equal (or those that are left)."""
    ours, theirs = a[i : i + 3], b[j : j + 3]
    return bool(ours) and len(ours) == len(theirs) and all(_equal(x, y) for x, y in zip(ours, theirs))


def _equal(a: Message, b: Message) -> bool:
    """Equal but for SRC and TSTAMP, which is a difference to the message before."""
    return (a.type.tcode, a.body) == (b.type.tcode, b.body)


def _skipped(run: list[Message], other: Message, reference: int) -> bool:
    """Whether `other` is a later message of the run, sent without those before it.

    It then counts for all of them and reports its own address; an address the first one reports as well proves nothing,
    and without an address, or with nothing counted, the types must agree.
    """
    target, own = _address(other, reference), _address(run[0], reference)
    first_target = own
    count = first = run[0].get("icnt") or 0
    for message in run[1:]:
        reference = reference if own is None else own
        own = _address(message, reference)
        count += message.get("icnt") or 0
        same_kind = other.type.tcode == message.type.tcode
        proves = count > first or not first
        if proves and other.get("icnt") == count and target == own and (same_kind or (target is not None and count)):
            return target is None or target != first_target
    return False


def _address(message: Message, reference: int) -> int | None:
    """The address a message reports, without bit 0; None if it reports none."""
    uaddr = message.get("uaddr")
    return message.get("faddr") if uaddr is None else reference ^ uaddr


def _name(message: Message, key: str) -> str:
    return message.type.field(key).name


def _aligned(a: list[Message], i: int, b: list[Message], j: int) -> bool:
    """Whether a from i and b from j go on alike: the next three types agree and the first is equal."""
    ours, theirs = a[i : i + 3], b[j : j + 3]
    if not ours or not theirs:
        return not ours and not theirs
    return all(x.type.tcode == y.type.tcode for x, y in zip(ours, theirs)) and (
        ours[0].get("sync") == theirs[0].get("sync"))  # fmt: skip


def _extra(message: Message, capture: NtraceCapture, encoded: EncodedTrace, place: int) -> str:
    tcode = message.type.tcode
    if tcode == t.TC_FULL:
        return EXTRA_FULL.get(message.get("rcode"), "NT.7.8.rcode")
    if tcode in t.SYNC_TCODES:
        return EXTRA_SYNC.get(message.get("sync"), "NT.8.5.sync5")
    if tcode == t.TC_CORRELATION and message.get("icnt") == 0:
        return "NT.8.6.start_while_off" if message.get("evcode") == 4 else "NT.8.6.stop_while_off"
    if tcode >= t.FIRST_VENDOR:
        return "NT.6.1.vendor"
    if tcode in (t.TC_INDIRECT, t.TC_HIST):
        return _inferable(message, capture, encoded, place)
    return EXTRA_CLAUSE.get(tcode, "NT.6.1.tcode")


def _inferable(message: Message, capture: NtraceCapture, encoded: EncodedTrace, place: int) -> str:
    """The clause under which the flow change that `message` reports should not have been reported (chapters 9 and 10).

    It is looked for where I-CNT ends, from one of the blocks of the beat that made the message before.
    """
    beats, config = capture.ingress, capture.config
    row = encoded.beat[min(place, len(encoded.beat)) - 1] if encoded.beat else 0
    places = np.argwhere(beats.valid()[row : row + MAX_ROWS])
    halves = np.cumsum([int(beats.iretire[row + r, lane]) for r, lane in places])
    for skipped in [0, *halves[: beats.lanes].tolist()]:
        for r, lane in places[halves == skipped + message.get("icnt")].tolist():
            if config.sequential_jump and beats.sijump[row + r, lane]:
                return "NT.9.1.sequential_jump"
            if config.implicit_return and beats.itype[row + r, lane] in POPS:
                return "NT-4" if beats.itype[row + r, lane] == IType.COROUTINE_SWAP else "NT.9.2.implicit_return"
    return "NT.10.inferable"


def _missing(capture: NtraceCapture, encoded: EncodedTrace, place: int) -> str:
    """The clause of a message that is missing: of a custom instruction, or of a return for which only a sync emptied
    the stack.
    """
    reason = encoded.reasons[place]
    if reason not in ("NT-4", "NT.9.2.mode_counter", "NT.2.uninferable_jump"):
        return reason
    rows, beats = slice(encoded.beat[place] + 1), capture.ingress  # the message is made by the block after the return
    valid = beats.valid()[rows]
    if reason == "NT.2.uninferable_jump":
        iaddr, iretire, size = (column[rows][valid][-2:-1] for column in (beats.iaddr, beats.iretire, beats.ilastsize))
        pcs = [int(a) + 2 * int(n) - (4 if s else 2) for a, n, s in zip(iaddr, iretire, size)]
        custom = any(insn and insn.flow == Flow.SEQUENTIAL for insn in map(capture.program.insn, pcs))
        return "NT.10.1.custom" if custom else reason
    kinds = beats.itype[rows][valid][:-1]
    depth = open_calls = 0
    for kind in kinds[np.isin(kinds, PUSHES + POPS)].tolist():
        open_calls = depth
        depth = min(max(depth - (kind in POPS), 0) + (kind in PUSHES), capture.config.stack_depth)
    return "NT-5" if open_calls else reason


def _beside(expected: list[Message], place: int, have: Message) -> tuple[str, str]:
    """Only SRC or TSTAMP differs."""
    want = expected[place]
    if want.src != have.src:
        return "NT.3.2.src", f"{want.name}: SRC is not as expected"
    if have.tstamp is None or want.tstamp is None:
        return "NT.8.7.enabled", f"{want.name}: TSTAMP is {'missing' if have.tstamp is None else 'sent'}"
    times = [0]  # reported so far
    for message in expected[: place + 1]:
        has_sync = message.type.has_sync
        times.append((0 if has_sync else times[-1]) + (message.tstamp or 0))
    other = {times[-1] - time for time in times[:-1]} - {want.tstamp}  # differences from other messages
    if want.type.has_sync:
        clause = "NT.8.7.absolute" if have.tstamp in other else "NT.8.7.event"
    else:
        clause = "NT-15" if have.tstamp in other | {times[-1]} else "NT.8.7.event"
    return clause, f"{want.name}: TSTAMP is not as expected"


def _replaced(want: Message, have: Message, reason: str) -> str:
    """Clause when one message appears in the other's place."""
    pair = {want.type.tcode, have.type.tcode}
    if pair in ({t.TC_INDIRECT, t.TC_HIST}, {t.TC_INDIRECT_SYNC, t.TC_HIST_SYNC}):
        return "NT-10"
    if pair == {t.TC_SYNC, t.TC_HIST_SYNC} and want.get("sync") == have.get("sync"):
        return "NT-9"
    if have.get("sync") == 2 and want.get("sync") is None:
        return "NT-20"
    return reason


def _field_clause(key: str, expected: list[Message], place: int, have: Message, reason: str) -> str:
    """Clause of a field that differs in an otherwise expected message."""
    want = expected[place]
    w, h = want.get(key), have.get(key)
    if reason == "NT.V.hrepeat" and key in ("bcnt", "hrepeat"):
        return reason
    if reason in CORNER_CASES and key in ("icnt", "uaddr", "faddr"):
        return reason
    if w is None or h is None:
        return FIELD_CLAUSE.get(key, reason)
    if key == "btype":
        if w == 0 or h == 0:
            return "NT.6.2.btype"
        return "NT-11" if 1 in (w, h) else reason
    if key == "rcode" and 2 in (w, h):
        return "NT.9.3.repeated_history"
    if key == "rdata" and (want.get("rcode") == 2 or reason == "NT.9.3.pattern"):
        return "NT.9.3.pattern"
    if key == "rdata":
        return _hist_clause(w, h, _previous(expected, place, "hist"), reason) if want.get("rcode") else reason
    if key == "hist":
        return _hist_clause(w, h, _previous(expected, place, "hist"), FIELD_CLAUSE[key])
    if key == "icnt":
        before = _previous(expected, place, "icnt")
        return "NT.8.4.3.icnt_reset" if before and h == w + before else FIELD_CLAUSE[key]
    if key == "uaddr":
        references = _references(expected, place)
        implied = w ^ references[-1] ^ h
        if implied == 0:
            return "NT.8.1.xor"
        return "NT-19" if implied in references else FIELD_CLAUSE[key]
    return FIELD_CLAUSE.get(key, reason)


def _previous(expected: list[Message], place: int, key: str) -> int | None:
    """What the last message before `place` that reports I-CNT or HIST (also as RDATA) reported."""
    rcode = 1 if key == "hist" else 0
    for message in reversed(expected[:place]):
        value = message.get("rdata") if message.get("rcode") == rcode else message.get(key)
        if value is not None:
            return value
    return None


def _hist_clause(want: int, have: int, before: int | None, other: str) -> str:
    bits = max(want.bit_length() - 1, 0)
    if have == want ^ ((1 << bits) - 1) and bits:
        return "NT-1"
    if before is not None and before > 1 and have == (before << bits | want & ((1 << bits) - 1)):
        return "NT.8.3.hist_reset"
    return other


def _references(expected: list[Message], place: int) -> list[int]:
    """All U-ADDR references in force up to message `place`, the current one last (8.1, NT-19)."""
    references = [0]
    for message in expected[:place]:
        faddr, uaddr = message.get("faddr"), message.get("uaddr")
        if faddr is not None:
            references.append(faddr)
        elif uaddr is not None:
            references.append(references[-1] ^ uaddr)
    return references


def framing(capture: NtraceCapture, expected: list[Message], offset: int) -> tuple[str, str] | None:
    """Clause where only the MSEO bits, or the order of bits, of the message at `offset` are wrong."""
    position = 0
    for message in expected:
        packed = t.canonical(message, capture.config)
        raw = capture.data[position : position + len(packed)]
        if raw == packed:
            position += len(packed)
            continue
        if len(raw) == len(packed) and all(a >> 2 == b >> 2 for a, b in zip(raw, packed)):
            index = next(i for i, (a, b) in enumerate(zip(raw, packed)) if a != b)
            want, have = packed[index] & 3, raw[index] & 3
            clause = "NT.3.1.mseo" if have == 2 else "NT.3.1.message_end" if 3 in (want, have) else "NT.3.1.field_end"
            return clause, f"{message.name}: byte {index} has MSEO={have:02b}, needed {want:02b}"
        if _without_zero_fields(packed, capture.data[position : position + len(packed)]):
            return (
                "NT-7",
                f"{message.name}: a field of value 0 takes no byte ({raw.hex(' ')}, needed {packed.hex(' ')})",
            )
        if bytes((b << 2 | b >> 6) & 0xFF for b in raw) == packed:
            return "NT.3.3.lsb_first", f"{message.name}: MSEO is not in bits 1:0 of its bytes"
        break
    return None


def _without_zero_fields(packed: bytes, raw: bytes) -> bool:
    """Whether raw is packed without a one-byte field of value 0 (NT-7)."""
    k = next(i for i, (a, b) in enumerate(zip(packed + b"\0", raw + b"\1")) if a != b)
    lone = 0 < k < len(packed) and packed[k] & 1 and packed[k] >> 2 == 0 and packed[k - 1] & 1
    rest = packed[k + 1 :]
    return bool(lone) and raw[k : k + len(rest)] == rest


def packing(capture: NtraceCapture, expected: list[Message], actual: list[Message]) -> tuple[int, str, str]:
    """The messages agree and the bytes do not: where, and the clause of the packing."""
    offsets = np.array([m.offset for m in actual], dtype=np.int64)
    sizes = t.lengths(capture.data, offsets)
    for place, message in enumerate(expected):
        packed = t.canonical(message, capture.config)
        raw = capture.data[offsets[place] : offsets[place] + sizes[place]]
        if raw != packed:
            clause = "NT.8.2.extend" if capture.config.address_bits and _address(message, 0) is not None else "NT-7"
            return place, clause, f"{message.name} takes {len(raw)} bytes ({raw.hex(' ')}), needed {packed.hex(' ')}"
    return (
        len(expected),
        "NT-16",
        f"{len(capture.data) - int(sizes.sum())} idle bytes between messages, the profile has none",
    )
