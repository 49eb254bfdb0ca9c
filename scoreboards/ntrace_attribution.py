"""Attribution: which clause a difference between the expected and the sent messages belongs to.

Only the first difference is attributed, since everything behind it may follow from it.
"""

from __future__ import annotations

import numpy as np

from models.ntrace.encoder import EncodedTrace
from models.ntrace.messages import Message
from scoreboards import ntrace_table as t
from scoreboards.capture import Capture

# Clause of a field that differs while the message is the right one; the rest is found in `_field_clause`.
FIELD_CLAUSE = {
    "icnt": "NT.8.4.icnt", "hist": "NT.8.3.hist", "uaddr": "NT.8.1.uaddr", "faddr": "NT.8.1.faddr",
    "etype": "NT.7.4.codes", "ecode": "NT.7.4.codes", "rcode": "NT.7.8.rcode", "evcode": "NT.7.12.evcode",
    "cdf": "NT.7.12.cdf",
}  # fmt: skip
# Clause of a message that nothing called for.
EXTRA_CLAUSE = {
    t.TC_DIRECT: "NT.10.inferable", t.TC_INDIRECT: "NT.10.inferable", t.TC_HIST: "NT.10.inferable",
    t.TC_ERROR: "NT.7.4.error", t.TC_CORRELATION: "NT.7.12.trace_off",
}  # fmt: skip
# Clauses of one corner case: they own the fields of the message that they made.
CORNER_CASES = ("NT.8.6.back_to_back_traps", "NT.8.6.trap_at_start", "NT.8.6.stop_while_off", "NT.8.6.start_while_off",
                "NT-12", "NT-13", "NT.7.12.open_target")  # fmt: skip
SYNC_TCODES = (t.TC_SYNC, t.TC_DIRECT_SYNC, t.TC_INDIRECT_SYNC, t.TC_HIST_SYNC)


def difference(capture: Capture, encoded: EncodedTrace, actual: list[Message], place: int) -> tuple[str, str]:
    """Clause and headline where message number `place` differs, is missing or should not be there."""
    expected = encoded.messages
    if place == len(expected):
        return _extra(actual[place], capture), f"message {place} ({actual[place].name}) was not called for"
    reason = encoded.reasons[place]
    if place == len(actual):
        return reason, f"{expected[place].name} was not sent: the stream ends before it"
    want, have = expected[place], actual[place]
    reference = _references(expected, place)[-1]
    if _alike(expected, place + 1, actual, place) or _skipped(expected[place : place + 5], have, reference):
        return reason, f"{want.name} is missing before {have.name}"
    if _alike(expected, place, actual, place + 1) or _skipped(actual[place : place + 5], want, reference):
        return _extra(have, capture), f"{have.name} was not called for"
    if want.type.tcode != have.type.tcode:
        if _aligned(expected, place + 1, actual, place):
            return reason, f"{want.name} is missing before {have.name}"
        if _aligned(expected, place, actual, place + 1):
            return _extra(have, capture), f"{have.name} was not called for"
        return _replaced(want, have, reason), f"{have.name} stands where {want.name} belongs"
    key = next(k for k, w, h in zip(want.type.keys, want.values, have.values) if w != h) \
        if len(want.values) == len(have.values) else "cdf"  # fmt: skip
    if key in ("sync", "btype") and _aligned(expected, place + 1, actual, place) and want.get("sync") != have.get("sync"):
        return reason, f"{want.name} is missing"
    clause = _field_clause(key, expected, place, have, reason)
    return clause, f"{want.name}: {_name(want, key)} is not as expected"


def _alike(a: list[Message], i: int, b: list[Message], j: int) -> bool:
    """Whether the next three messages of a from i and of b from j are equal (or those that are left)."""
    ours, theirs = a[i : i + 3], b[j : j + 3]
    return bool(ours) and len(ours) == len(theirs) and all(x.same(y) for x, y in zip(ours, theirs))


def _skipped(run: list[Message], other: Message, reference: int) -> bool:
    """Whether `other` is a later message of the run, sent without those before it.

    It then counts for all of them and tells its own address; an address the first one tells as well proves nothing,
    and without an address, or with nothing counted, the types must agree.
    """
    if len(run) < 2 or other.get("icnt") is None:
        return False
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
    """The address a message tells, without bit 0; None if it tells none."""
    uaddr = message.get("uaddr")
    return message.get("faddr") if uaddr is None else reference ^ uaddr


def _name(message: Message, key: str) -> str:
    return next(spec.name for spec in message.type.fields if spec.key == key)


def _aligned(a: list[Message], i: int, b: list[Message], j: int) -> bool:
    """Whether a from i and b from j go on alike: the next three types agree and the first is equal."""
    ours, theirs = a[i : i + 3], b[j : j + 3]
    if not ours or not theirs:
        return not ours and not theirs
    return all(x.type.tcode == y.type.tcode for x, y in zip(ours, theirs)) and (
        ours[0].get("sync") == theirs[0].get("sync"))  # fmt: skip


def _extra(message: Message, capture: Capture) -> str:
    tcode = message.type.tcode
    if tcode == t.TC_FULL:
        return "NT.8.3.1.hist_full" if message.get("rcode") else "NT.8.4.4.resource_full"
    if tcode in SYNC_TCODES:
        return {2: "NT-20", 3: "NT.8.5.sync3", 4: "NT.8.4.4.sync4", 7: "NT.8.5.sync7"}.get(
            message.get("sync") or 0, "NT.8.5.sync5")  # fmt: skip
    if tcode == t.TC_CORRELATION and message.get("icnt") == 0:
        return "NT.8.6.start_while_off" if message.get("evcode") == 4 else "NT.8.6.stop_while_off"
    return EXTRA_CLAUSE.get(tcode, "NT.6.1.tcode")


def _replaced(want: Message, have: Message, reason: str) -> str:
    """Clause when one message stands in the other's place."""
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
    if reason in CORNER_CASES and key in ("icnt", "uaddr", "faddr"):
        return reason
    if w is None or h is None:
        return FIELD_CLAUSE.get(key, reason)
    if key == "btype":
        if w == 0 or h == 0:
            return "NT.6.2.btype"
        return "NT-11" if 1 in (w, h) else reason
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


def framing(capture: Capture, expected: list[Message], offset: int) -> tuple[str, str] | None:
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
            return "NT-7", f"{message.name}: a field of value 0 takes no byte ({raw.hex(' ')}, needed {packed.hex(' ')})"
        if bytes((b << 2 | b >> 6) & 0xFF for b in raw) == packed:
            return "NT.3.3.lsb_first", f"{message.name}: MSEO does not stand in bits 1:0 of its bytes"
        break
    return None


def _without_zero_fields(packed: bytes, raw: bytes) -> bool:
    """Whether raw is packed without a one-byte field of value 0 (NT-7)."""
    k = next(i for i, (a, b) in enumerate(zip(packed + b"\0", raw + b"\1")) if a != b)
    lone = 0 < k < len(packed) and packed[k] & 1 and packed[k] >> 2 == 0 and packed[k - 1] & 1
    rest = packed[k + 1 :]
    return bool(lone) and raw[k : k + len(rest)] == rest


def packing(capture: Capture, expected: list[Message], actual: list[Message]) -> tuple[int, str, str]:
    """The messages agree and the bytes do not: where, and the clause of the packing."""
    offsets = np.array([m.offset for m in actual], dtype=np.int64)
    sizes = t.lengths(capture.data, offsets)
    for place, message in enumerate(expected):
        packed = t.canonical(message, capture.config)
        raw = capture.data[offsets[place] : offsets[place] + sizes[place]]
        if raw != packed:
            return place, "NT-7", f"{message.name} takes {len(raw)} bytes ({raw.hex(' ')}), needed {packed.hex(' ')}"
    return len(expected), "NT-16", f"{len(capture.data) - int(sizes.sum())} idle bytes between messages, the profile has none"
