# SPDX-License-Identifier: Apache-2.0
"""Deviations in the layout and the codes of messages, made from their table (3.2, chapters 6 and 7).

A field or a message that is added to the table is in them with nothing else changed. By hand is only what a field means
that a device does not send, and what is special to N-Trace: variable-length fields without their end, and CDF.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import chain, islice
from typing import Any

from rvtrace.models.common.messages import VARIABLE, Field, Values
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.table import MDO_BITS, SRC, TABLES, TSTAMP, VENDOR_TCODES, MessageType
from rvtrace.scoreboards.diagnosis import operators as o
from rvtrace.scoreboards.diagnosis.operators import Deviation, Part
from rvtrace.scoreboards.diagnosis.search import Dialect
from rvtrace.scoreboards.ntrace.counted import Counted
from rvtrace.scoreboards.ntrace.rewriting import TCODE, Absent, Rewriting, Rules, Value, sent_table

VARIANT = "v1_0"  # the variants have the same layout
FULLEST = Config(src_bits=4, src_id=1, timestamp=1)  # every field is in its messages
PROBES = ({"rcode": 2, "cdf": 1},)  # values with which HREPEAT and HIST are present
# What is meant by a field that is not sent, if it is not 0
MEANT = {"hist": 1, "ecode": 4, "evcode": 4, "hrepeat": 2, "sync": 2}
# Messages in the order in which a trace is likely to have them: a finding has the clause of the first that deviates
_LIKELY = ("7.9", "7.3", "7.5", "7.12", "7.8", "7.2", "7.7", "7.10", "7.6", "7.4", "7.1", "7.11")
LIKELY = {section: place for place, section in enumerate(_LIKELY)}
VALUES = {"btype": "NT.6.2.btype", "icnt": "NT.8.4.count"}  # clauses about values, if not those of the fields
EXTRA = (1, 2, 3, 4, 5, 8)  # bits beside TCODE; 6 are a whole byte before each message, which is another dialect
STARTS_WITH = (TCODE.key, SRC.key)
SHARED = (*STARTS_WITH, TSTAMP.key)

TABLE = sent_table(VARIANT)
TYPES = tuple(sorted((m for m in TABLE.messages if m.tcode not in VENDOR_TCODES), key=lambda m: not m.has_sync))
SYNCED = tuple(kind for kind in TYPES if kind.has_sync)
UNSYNCED = tuple(kind for kind in TYPES if not kind.has_sync)


def _part(kinds: Iterable[MessageType], words: str = "", name: str = "") -> Part:
    return Part(tuple(kinds), FULLEST, PROBES, words, name, form=lambda one: "")


def _of_one(kind: MessageType) -> Part:
    """One message; without the fields that no other message has, of which it would say what is said of all."""
    alone = [f.key for f in kind.fields if sum(f.key in other.index for other in TYPES) == 1]
    return _part((kind,), f" in {kind.name}", str(kind.tcode)).without(*SHARED, *alone)


EVERY = _part(TYPES)
OWN = EVERY.without(*SHARED)
FIXED = OWN.without(*(key for key, one in OWN.fields.items() if OWN.width(one) == VARIABLE))
HEAD = _part(TABLE.messages).only(*STARTS_WITH)
IN_SYNCED, IN_UNSYNCED = _part(SYNCED, " in messages with SYNC", "sync"), _part(
    UNSYNCED, " in messages without SYNC", "other"
)  # fmt: skip
SINGLE = tuple(map(_of_one, TYPES))
CDF = OWN.only("cdf")
ADDRESSES = OWN.only(*(key for key, one in OWN.fields.items() if one.is_address))


def _clause_of(deviation: Deviation) -> str:
    """Its own, or that of the fields of the first message in which a trace shows it, or of all messages."""
    if deviation.clause:
        return deviation.clause
    made = deviation.change(TABLE).by_name
    kinds = [kind for kind in TYPES if made[kind.name] != kind]
    if len(kinds) == len(TYPES):
        return "NT.3.2.structure"
    return f"NT.{min(kinds, key=lambda kind: LIKELY.get(kind.section, len(LIKELY))).section}.fields"


def _dialects(deviations: Iterable[Deviation], clause: str = "") -> Iterator[Dialect]:
    """clause: of all of them, if not that of their fields or messages."""
    for one in deviations:
        yield replace(one, clause=clause or _clause_of(one)).dialect(Rewriting(table=one.change))


def _absences(part: Part) -> Iterator[Dialect]:
    """Without B-TYPE or I-CNT, the program says what they would be."""
    for one in o.absent(part):
        with_it = [kind for kind in TYPES if kind.name in part.names and one.key in kind.index]
        kinds = frozenset(kind.tcode for kind in with_it if not kind.has_sync) if one.key == "btype" else frozenset()
        synced = frozenset(kind.tcode for kind in with_it if kind.name == "ProgTraceSync" and one.key == "icnt")
        value = _counted(kinds, synced) if kinds or synced else None
        rewriting = Rewriting(table=one.change, absent=_meant(one.key), value=value)
        yield replace(one, clause=_clause_of(one)).dialect(rewriting)


def _meant(key: str) -> Absent:
    return lambda config: {key: int(config.mode == "htm") if key == "cdf" else MEANT.get(key, 0)}


def _counted(kinds: frozenset[int], uncounted: frozenset[int]) -> Callable[[Rules], Value]:
    return lambda rules: Counted(rules, kinds=kinds, uncounted=uncounted)


def _unmarked() -> Iterator[Deviation]:
    """A variable-length field has a fixed length, and more bits up to the end of the byte, which is not marked."""
    for key, one in OWN.fields.items():
        kinds = tuple(kind for kind in TYPES if key in kind.index and kind.own[-1].key != key)
        limit = TABLES[VARIANT].fields[key].max_bits
        if OWN.width(one) != VARIABLE or one.is_address or not kinds or not isinstance(limit, int):
            continue
        for width in (n for n in o.FIXED if n <= limit):
            says = f"the end of {one.name}, which has {width} bits filled up to whole bytes, is not marked (MSEO=00)"
            due = "the last byte of a variable-length field has MSEO=01"
            change = replace(OWN, messages=kinds).rows(lambda row, key=key, width=width: _filled(row, key, width))
            yield Deviation(f"{key}_unmarked_{width}_bits", "NT.3.1.field_end", says, due, f"{key} width", change, key)


def _filled(row: o.Row, key: str, width: int) -> o.Row:
    """The row with a field of so many bits, and bits of no meaning up to the end of its byte; as it is, where another
    deviation has taken the field away.
    """
    if all(one.key != key for one in row):
        return row
    row = tuple(o.resized(one, lambda _: width) if one.key == key else one for one in row)
    at = next(n for n, one in enumerate(row) if one.key == key) + 1

    def rest(config: Any, values: Values) -> int:
        used = 0  # of the run of bits that the last variable-length field left
        for one in row[:at]:
            bits = one.bits(config, values)
            used = 0 if bits == VARIABLE else used + bits
        return -used % MDO_BITS

    return (*row[:at], Field(o.JUNK, rest), *row[at:])


def _cdf() -> Iterator[Dialect]:
    """CDF, and the HIST that it is about."""
    mode = CDF.each("cdf", lambda one: o.meant(one, "mode", lambda _, place: int(place.config.mode == "htm")))
    yield Dialect("cdf_wrong", "NT.7.12.cdf", "CDF does not say whether HIST follows",
                  "CDF is 0 in BTM and 1 with HIST in HTM", "", Rewriting(table=mode))  # fmt: skip
    part = replace(OWN, messages=CDF.messages)
    empty = part.each("hist", lambda one: replace(one, optional=True))
    yield Dialect("cdf_without_hist", "NT-8", "ProgTraceCorrelation has CDF=1 and no HIST where HIST is empty",
                  "HIST is there in HTM even if it is empty", "",
                  Rewriting(table=empty, absent=_meant("hist")))  # fmt: skip


def _likely() -> Iterator[Dialect]:
    """Of many messages."""
    yield from _absences(OWN)
    nearest = islice(o.widths(HEAD.only(TCODE.key)), 4)  # with 9 bits and more, other damage is read as messages
    yield from _dialects(nearest, "NT.3.2.structure")
    yield from _dialects(o.widths(EVERY.only(TSTAMP.key)), "NT.8.7.width")
    yield from _dialects(chain(o.widths(OWN), _unmarked(), o.exchanged(OWN)))
    yield from _dialects(chain(o.early(ADDRESSES, SRC.key, "addresses"), o.early(ADDRESSES, SRC.key)))
    yield from _dialects(chain(o.appended(EVERY), o.appended(IN_SYNCED)))
    yield from _dialects(chain(o.extra(HEAD, EXTRA), o.extra(HEAD, EXTRA, after=True)), "NT.3.2.structure")
    yield from _dialects(o.extra(FIXED, EXTRA[:2], after=True))
    sources = (part.only(SRC.key) for part in (IN_SYNCED, IN_UNSYNCED))
    yield from _dialects(chain(o.moved(EVERY.only(SRC.key)), o.exchanged(HEAD)), "NT.3.2.src")
    yield from _dialects(chain.from_iterable(map(o.absent, sources)), "NT.3.2.src")
    times = (part.only(TSTAMP.key) for part in (EVERY, IN_SYNCED, IN_UNSYNCED))
    yield from _dialects(chain.from_iterable(o.early(part, SRC.key) for part in times), "NT.3.2.structure")
    yield from _cdf()


def _rare() -> Iterator[Dialect]:
    """Of one message, and codes."""
    of_all = [one.change(TABLE) for one in o.exchanged(OWN)]
    for part in SINGLE:
        yield from _absences(part)
        yield from _dialects(one for one in o.exchanged(part) if one.change(TABLE) not in of_all)
        yield from _dialects(o.appended(part))
    yield from _dialects(o.presence(OWN))
    types = replace(TABLE, messages=TYPES)
    free = [code for code in range(VENDOR_TCODES.start) if code not in types.by_code]
    yield from _dialects(o.reselected(types, "tcode", "NT.6.1.tcode", free, TCODE.name))
    yield from _dialects(o.selectors(types, "tcode", "NT.6.1.tcode", called=TCODE.name))


def _coded() -> Iterator[Dialect]:
    """Codes, counts and units of addresses."""
    codes = OWN.without("sync")  # messages decode with any SYNC
    counts = OWN.only(*(key for key, one in OWN.fields.items() if one.meaning and not one.codes))
    parts = [OWN, *(_of_address(one) for one in OWN.fields.values() if one.is_address)]
    units = ((o.unshifted(part, 1), o.overshifted(part, 1, (1, 2, -2))) for part in parts)
    for one in chain(o.codes(codes), o.recoded(codes), o.offset(counts)):
        yield from _dialects((one,), VALUES.get(one.key, ""))
    yield from _dialects(chain.from_iterable(chain.from_iterable(units)))


def _of_address(one: Field) -> Part:
    return replace(OWN.only(one.key), words=f" in {one.name}", id=one.key)


LIKELY_LAYOUT, RARE_LAYOUT, CODES = tuple(_likely()), tuple(_rare()), tuple(_coded())
