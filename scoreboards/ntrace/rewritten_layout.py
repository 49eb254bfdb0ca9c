# SPDX-License-Identifier: Apache-2.0
"""Deviations in the layout of messages: fields that are wider, narrower, absent, added or in another place (3.2 and
chapter 7).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from rvtrace.models.ntrace.table import TABLES, VENDOR_TCODES, MessageType
from rvtrace.scoreboards.diagnosis.search import Dialect
from rvtrace.scoreboards.ntrace.counted import Counted
from rvtrace.scoreboards.ntrace.rewriting import JUNK, MDO_BITS, SRC, TCODE, TSTAMP, VAR, Item, Rewriting, Rules, Value

TYPES = tuple(kind for tcode, kind in TABLES["v1_0"].by_code.items() if tcode not in VENDOR_TCODES)
NAMES = {f.key: f.name for kind in TYPES for f in kind.fields} | {SRC: "SRC", TSTAMP: "TSTAMP", TCODE: "TCODE"}
DEFAULTS = {"btype": 0, "icnt": 0, "hist": 1, "ecode": 4, "etype": 0, "evcode": 4, "hrepeat": 2, "cdf": -1, "sync": 2}
WIDTHS = {"sync": (2, 3, 5, 6, 8), "btype": (1, 3, 4), "evcode": (2, 3, 5, 6, 8), "cdf": (1, 3, 4),
          "rcode": (2, 3, 5, 6, 8), "etype": (2, 3, 5, 6, 8)}  # fmt: skip
UNMARKED_WIDTHS = (6, 8, 10, 12, 16, 22)
SPLIT_WIDTHS = {"icnt": (6, 8, 10, 16, 22), "hist": (32,), "ecode": (8,)}

Change = Callable[[list[Item], Rules], list[Item]]


def _in(kinds: Iterable[MessageType], change: Change) -> Rewriting:
    """A change of these message types."""
    tcodes = {kind.tcode for kind in kinds}
    return Rewriting(lay=lambda kind, items, rules: change(items, rules) if kind.tcode in tcodes else items)


def _keys(kind: MessageType) -> tuple[str, ...]:
    return tuple(f.key for f in kind.own)


def _with(*keys: str) -> list[MessageType]:
    return [kind for kind in TYPES if set(keys) <= set(kind.keys)]


def _without_sync() -> list[MessageType]:
    return [kind for kind in TYPES if not kind.has_sync]


def _clause(kinds: list[MessageType]) -> str:
    """Of the first of them that a trace has anyway."""
    order = ("7.9", "7.3", "7.5", "7.12", "7.8", "7.2", "7.7", "7.10", "7.6", "7.4", "7.1", "7.11")
    return f"NT.{min((kind.section for kind in kinds), key=order.index)}.fields"


def _position(items: list[Item], key: str) -> int | None:
    return next((n for n, item in enumerate(items) if item.key == key), None)


def _swap(first: str, second: str) -> Change:
    def change(items: list[Item], rules: Rules) -> list[Item]:
        a, b = _position(items, first), _position(items, second)
        if a is None or b is None:
            return items
        items = list(items)
        items[a], items[b] = items[b], items[a]
        return items

    return change


def _resize(key: str, width: int) -> Change:
    return lambda items, rules: [item._replace(width=width) if item.key == key else item for item in items]


def _unmarked(key: str, width: int) -> Change:
    """A fixed length, and more bits up to the end of the byte."""

    def change(items: list[Item], rules: Rules) -> list[Item]:
        items = _resize(key, width)(items, rules)
        at = _position(items, key)
        if at is None:
            return items
        rest = -sum(item.width for item in items[: at + 1]) % MDO_BITS
        return [*items[: at + 1], *([Item(JUNK, rest)] if rest else []), *items[at + 1 :]]

    return change


def _without(key: str) -> Change:
    def change(items: list[Item], rules: Rules) -> list[Item]:
        return [i._replace(when=None) if i.when and i.when[0] == key else i for i in items
                if i.key != key and not (key == "cdf" and i.key == "hist" and rules.config.mode != "htm")]  # fmt: skip

    return change


def _last(key: str) -> Change:
    """The field after all others."""

    def change(items: list[Item], rules: Rules) -> list[Item]:
        moved = [item for item in items if item.key == key]
        return [item for item in items if item.key != key] + moved

    return change


def _first(key: str, after: str) -> Change:
    """The field right after another one."""

    def change(items: list[Item], rules: Rules) -> list[Item]:
        moved = [item._replace(optional=False) for item in items if item.key == key]
        rest = [item for item in items if item.key != key]
        at = _position(rest, after)
        return items if at is None or not moved else rest[: at + 1] + moved + rest[at + 1 :]

    return change


def _added(after: str | None, width: int) -> Change:
    """Something more after a field, or at the end."""

    def change(items: list[Item], rules: Rules) -> list[Item]:
        at = len(items) - 1 if after is None else _position(items, after)
        return items if at is None else [*items[: at + 1], Item(JUNK, width), *items[at + 1 :]]

    return change


def _cdf_ignored(items: list[Item], rules: Rules) -> list[Item]:
    """CDF is something else; HIST is there in HTM all the same."""
    changed = [item._replace(key=JUNK) if item.key == "cdf" else item._replace(when=None) for item in items]
    return changed if rules.config.mode == "htm" else [item for item in changed if item.key != "hist"]


def _swaps() -> Iterator[Dialect]:
    pairs: dict[tuple[str, str], list[MessageType]] = {}
    for kind in TYPES:
        for pair in zip(_keys(kind), _keys(kind)[1:]):
            pairs.setdefault(pair, []).append(kind)
        for pair in zip(_keys(kind), _keys(kind)[2:]):
            pairs.setdefault(pair, []).append(kind)
    for (a, b), kinds in pairs.items():
        sets = [kinds] + ([[kind] for kind in kinds] if len(kinds) > 1 else [])
        for some in sets:
            what = "" if some is kinds and len(kinds) > 1 else f" of {some[0].name}"
            tail = "" if not what else f"_{some[0].tcode}"
            yield Dialect(
                f"swapped_{a}_{b}{tail}", _clause(some), f"{NAMES[a]} and {NAMES[b]}{what} are swapped",
                f"{NAMES[a]} comes before {NAMES[b]}", "order of fields", _in(some, _swap(a, b)),
            )  # fmt: skip


def _absences() -> Iterator[Dialect]:
    for key, value in DEFAULTS.items():
        kinds = _with(key)
        for some in [kinds] + ([[kind] for kind in kinds] if len(kinds) > 1 else []):
            every = some is kinds
            what = "messages have" if every and len(kinds) > 1 else f"{some[0].name} has"
            tail = "" if every else f"_{some[0].tcode}"
            rewriting = _in(some, _without(key))
            tcodes = frozenset(kind.tcode for kind in some if not kind.has_sync) if key == "btype" else frozenset()
            synced = frozenset(kind.tcode for kind in some if kind.name == "ProgTraceSync" and key == "icnt")
            counted = _counted(tcodes, synced) if tcodes or synced else None
            yield Dialect(
                f"no_{key}{tail}", _clause(some), f"{what} no {NAMES[key]}", f"{NAMES[key]} is a field of its table",
                f"{key} absent", Rewriting(lay=rewriting.lay, absent=((key, value),), value=counted),
            )  # fmt: skip


def _counted(kinds: frozenset[int], uncounted: frozenset[int]) -> Callable[[Rules], Value]:
    return lambda rules: Counted(rules, kinds=kinds, uncounted=uncounted)


def _widths() -> Iterator[Dialect]:
    for key, widths in WIDTHS.items():
        kinds = _with(key)
        right = kinds[0].field(key).width
        for width in widths:
            yield Dialect(
                f"{key}_{width}_bits", _clause(kinds), f"{NAMES[key]} has {width} bits",
                f"{NAMES[key]} has {right} bits", f"width of {key}", _in(kinds, _resize(key, width)),
            )  # fmt: skip
    for key, widths in SPLIT_WIDTHS.items():
        kinds = _with(key)
        for width in widths:
            yield Dialect(
                f"{key}_fixed_{width}_bits", _clause(kinds), f"{NAMES[key]} has a fixed length of {width} bits",
                f"{NAMES[key]} is a variable-length field", f"width of {key}", _in(kinds, _resize(key, width)),
            )  # fmt: skip
    for width in UNMARKED_WIDTHS:
        yield Dialect(
            f"icnt_unmarked_{width}_bits", "NT.3.1.field_end",
            f"the end of I-CNT, which has {width} bits filled up to whole bytes, is not marked (MSEO=00)",
            "the last byte of a variable-length field has MSEO=01", "width of icnt",
            _in([kind for kind in _with("icnt") if _keys(kind)[-1] != "icnt"], _unmarked("icnt", width)),
        )  # fmt: skip
    for width in (4, 5, 7, 8):
        yield Dialect(
            f"tcode_{width}_bits", "NT.3.2.structure", f"TCODE has {width} bits", "TCODE has 6 bits", "width of tcode",
            _in((*TYPES, *(TABLES["v1_0"].by_code[t] for t in VENDOR_TCODES)), _resize(TCODE, width)),
        )  # fmt: skip


def _additions() -> Iterator[Dialect]:
    groups: list[tuple[str, list[MessageType], str]] = [("every message", list(TYPES), "")]
    groups += [(kind.name, [kind], f"_{kind.tcode}") for kind in TYPES]
    groups.append(("each message with SYNC", _with("sync"), "_sync"))
    for what, kinds, tail in groups:
        yield Dialect(
            f"field_more{tail}", "NT.3.2.structure" if len(kinds) > 1 else _clause(kinds),
            f"{what} has one more field at its end", "a message has the fields of its table, and no others", "more",
            _in(kinds, _added(None, VAR)),
        )  # fmt: skip
    every = list(TYPES)
    for width in (1, 2, 3, 4, 5, 6, 8):
        yield Dialect(
            f"bits_after_tcode_{width}", "NT.3.2.structure", f"{width} more bits follow TCODE (and SRC)",
            "a message is TCODE, SRC, and the fields of its table", "more bits",
            Rewriting(lay=lambda kind, items, rules, width=width: _added(
                SRC if rules.config.source_bits else TCODE, width)(items, rules)),
        )  # fmt: skip
        if width == 6:
            continue  # a whole byte before each message, which is another dialect
        yield Dialect(
            f"bits_before_tcode_{width}", "NT.3.2.structure", f"{width} more bits precede TCODE",
            "a message begins with TCODE", "more bits",
            Rewriting(lay=lambda kind, items, rules, width=width: [Item(JUNK, width), *items]),
        )  # fmt: skip
    for key in ("sync", "btype", "evcode", "cdf", "rcode"):
        kinds = _with(key)
        for width in (1, 2):
            yield Dialect(
                f"bits_after_{key}_{width}", _clause(kinds), f"{width} more bits follow {NAMES[key]}",
                "a message has the fields of its table, and no others", "more bits", _in(kinds, _added(key, width)),
            )  # fmt: skip
    yield Dialect(
        "source_last", "NT.3.2.src", "SRC is the last field", "SRC is the second field of every message",
        "place of src",
        _in(every, lambda items, rules: _last(SRC)([i._replace(optional=False) for i in items], rules)
            if rules.config.source_bits else items),
    )  # fmt: skip
    yield Dialect(
        "source_first",
        "NT.3.2.src",
        "SRC precedes TCODE",
        "SRC is the second field of every message",
        "place of src",
        Rewriting(lay=lambda kind, items, rules: _swap(TCODE, SRC)(items, rules)),
    )
    for what, kinds, tail in (("messages with SYNC", _with("sync"), "sync"),
                              ("messages without SYNC", _without_sync(), "other")):  # fmt: skip
        yield Dialect(
            f"source_not_in_{tail}", "NT.3.2.src", f"{what} have no SRC", "SRC is in every message", "place of src",
            _in(kinds, lambda items, rules: [item for item in items if item.key != SRC]),
        )  # fmt: skip
    for what, kinds, tail in (("every message", every, ""), ("each message with SYNC", _with("sync"), "_sync"),
                              ("each message without SYNC", _without_sync(), "_other")):  # fmt: skip
        yield Dialect(
            f"time_first{tail}", "NT.3.2.structure", f"TSTAMP comes before the fields of {what}",
            "TSTAMP is the last field", "place of tstamp",
            _in(kinds, lambda items, rules: _first(TSTAMP, SRC if rules.config.source_bits else TCODE)(items, rules)),
        )  # fmt: skip
    for width in (16, 32, 40, 48, 64):
        yield Dialect(
            f"time_{width}_bits", "NT.8.7.width", f"TSTAMP has a fixed length of {width} bits",
            "TSTAMP is a variable-length field", "place of tstamp",
            _in(every, lambda items, rules, width=width: [*_resize(TSTAMP, width)(items, rules)]),
        )  # fmt: skip
    cdf = _with("cdf")
    yield Dialect(
        "cdf_wrong", "NT.7.12.cdf", "CDF does not say whether HIST follows", "CDF is 0 in BTM and 1 with HIST in HTM",
        "",
        Rewriting(lay=_in(cdf, _cdf_ignored).lay, absent=(("cdf", -1),)),
    )  # fmt: skip
    yield Dialect(
        "cdf_without_hist", "NT-8", "ProgTraceCorrelation has CDF=1 and no HIST where HIST is empty",
        "HIST is there in HTM even if it is empty", "",
        Rewriting(lay=_in(cdf, lambda items, rules: [
            i._replace(optional=True, when=None) if i.key == "hist" else i for i in items]).lay, absent=(("hist", 1),)),
    )  # fmt: skip


def _codes() -> Iterator[Dialect]:
    """Types that are sent with a TCODE of another, or none."""
    known = {kind.tcode: kind for kind in TYPES}
    for kind in TYPES:
        for tcode in range(56):
            near = tcode not in known and (tcode ^ kind.tcode).bit_count() == 1
            if near or abs(tcode - kind.tcode) == 1 and tcode not in known:
                yield Dialect(
                    f"tcode_{tcode}_is_{kind.tcode}", "NT.6.1.tcode", f"{kind.name} has TCODE={tcode}",
                    f"{kind.name} has TCODE={kind.tcode}", f"code of {kind.tcode}",
                    Rewriting(types=((tcode, kind.tcode),)),
                )  # fmt: skip
    for a, b in ((3, 4), (9, 11), (4, 28), (28, 29), (11, 12), (12, 29), (8, 9)):
        yield Dialect(
            f"tcodes_{a}_{b}_swapped", "NT.6.1.tcode", f"the TCODEs of {known[a].name} and {known[b].name} are swapped",
            f"{known[a].name} has TCODE={a}, {known[b].name} {b}", f"code of {a}", Rewriting(types=((a, b), (b, a))),
        )  # fmt: skip
        yield Dialect(
            f"tcode_{a}_for_{b}", "NT.6.1.tcode", f"{known[b].name} has TCODE={a}", f"{known[b].name} has TCODE={b}",
            f"code of {b}", Rewriting(types=((a, b),)),
        )  # fmt: skip
        yield Dialect(
            f"tcode_{b}_for_{a}", "NT.6.1.tcode", f"{known[a].name} has TCODE={b}", f"{known[a].name} has TCODE={a}",
            f"code of {a}", Rewriting(types=((b, a),)),
        )  # fmt: skip


LAYOUT = (*_additions(), *_absences(), *_widths(), *_swaps(), *_codes())
