# SPDX-License-Identifier: Apache-2.0
"""Operators: from the table of a format to the deviations that a device may have from it.

    part = Part(table.messages, config, probes, words=" in format 3", clause="X.fields", order="X.order")
    for deviation in chain(absent(part), widths(part), moved(part), extra(part)):
        deviation.name, deviation.clause, deviation.says, deviation.due     what a finding says
        deviation.change(table)                                             the table that such a device has

A deviation is a change of the table with the words that describe it, made from the names, meanings, codes and clauses
of its rows: a field that is added to a table is in the diagnosis with nothing else changed. Changes compose: the table
that one makes may be given to the next. Fields of the changed tables keep their keys, and codings take the value that
the specification means from the bits that the device sends, so that `unpack` with a changed table gives what is packed
with the right one. Bits without a meaning are fields with the key JUNK.

Nothing here knows a format: a variable-length field is a width like any other, and a system adds what is special to it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Any

from rvtrace.models.common.messages import (
    FLAG,
    PLAIN,
    VARIABLE,
    Coding,
    Field,
    MessageType,
    Place,
    Table,
    Values,
    always,
)  # fmt: skip
from rvtrace.scoreboards.diagnosis.search import Dialect

JUNK = "unused"  # key of bits that mean nothing
UNUSED = Coding(JUNK)
NARROW, NEAR = 5, 4  # a field of so many bits may have as many more or fewer; a narrower one 2
WIDE = (16, 32, 31, 33, 40, 48, 63, 64)  # bits of buses and registers, and one more or less
WIDEST = 64
FIXED = (6, 8, 10, 12, 16, 22, 32, 40, 48, 64)  # of a variable-length field that is sent with a fixed length
EXTRA = (1, 2, 8)  # bits without a meaning
BYTES = (-1, 1, -2, 2, -4, 4, -3, 3, -5, 5, -6, 6, -7, 7, 8)  # more or fewer in a message of whole bytes

Row = tuple[Field, ...]
Change = Callable[[Table[Any]], Table[Any]]
Reading = Callable[[int, Place], "int | None"]  # of bits that were read, or of a value: what is meant


@dataclass(frozen=True)
class Deviation:
    """name: unique among those of a table. clause: the one that it violates. says: what the device does, due: what the
    specification demands, as clauses of a sentence. group: deviations of one group exclude each other. change: the
    device's table, of the specification's. key: of the field that it is about, if it is about one.
    """

    name: str
    clause: str
    says: str
    due: str
    group: str
    change: Change = field(compare=False, repr=False)
    key: str = ""

    def dialect(self, rewriting: Any) -> Dialect:
        """For a search; rewriting: how a system takes it back."""
        return Dialect(self.name, self.clause, self.says, self.due, self.group, rewriting)


@dataclass(frozen=True)
class Part:
    """Messages that a device has wrong in the same way.

    probes: values with which a field's presence and width are looked at, so that each that the configuration has is
    there with one of them. words: which messages, for the end of a sentence (" in format 3"); id: the same in names;
    both empty for all of a table. clause: about the form of messages; order: about the order of fields, if another.
    form: the clause about the form of one field, by default its own. omitted: keys of fields that no operator changes.
    """

    messages: tuple[MessageType, ...]
    config: Any = None
    probes: tuple[Values, ...] = ({},)
    words: str = ""
    id: str = ""
    clause: str = ""
    order: str = ""
    form: Callable[[Field], str] | None = None
    omitted: frozenset[str] = frozenset()

    @cached_property
    def names(self) -> frozenset[str]:
        """Those of its messages."""
        return frozenset(message.name for message in self.messages)

    @cached_property
    def fields(self) -> dict[str, Field]:
        """Those that have bits in this configuration, by key; a field that selects the message is none of them."""
        selecting = {key for message in self.messages for key in message.selector}
        found: dict[str, Field] = {}
        for message in self.messages:
            for one in message.fields:
                if one.key not in selecting | self.omitted and one.key not in found and self.width(one):
                    found[one.key] = one
        return found

    def without(self, *keys: str) -> Part:
        """The same without some fields."""
        return replace(self, omitted=self.omitted | set(keys))

    def only(self, *keys: str) -> Part:
        """The same with no other fields."""
        return self.without(*(key for key in self.fields if key not in keys))

    def width(self, one: Field) -> int:
        """Bits of a field, VARIABLE, or 0 where it never is."""
        return self._width(one, self.config)

    def known(self, one: Field, others: Iterable[Any]) -> set[int]:
        """Its widths in other configurations."""
        return {self._width(one, other) for other in others}

    def _width(self, one: Field, config: Any) -> int:
        return next((n for values in self.probes if (n := one.bits(config, values))), 0)

    def clause_of(self, one: Field) -> str:
        """The clause about the form of a field."""
        return self.form(one) if self.form is not None else one.clause or self.clause

    def named(self, *parts: object) -> str:
        """The name of a deviation in it."""
        return "_".join(str(part) for part in (*parts, self.id) if part != "")

    def rows(self, change: Callable[[Row], Row]) -> Change:
        """The change of the fields of each of its messages."""

        def changed(table: Table[Any]) -> Table[Any]:
            made = []
            for m in table.messages:
                row = change(m.fields) if m.name in self.names else m.fields
                same = len(row) == len(m.fields) and all(map(operator.is_, row, m.fields))
                made.append(m if same else m.with_fields(row))  # who knows the message knows that it is the same
            return replace(table, messages=tuple(made))

        return changed

    def each(self, key: str, change: Callable[[Field], Field | None]) -> Change:
        """The change of one field wherever it is; None: it is absent."""
        return self.rows(lambda row: tuple(made for f in row if (made := change(f) if f.key == key else f) is not None))


def bits(number: int) -> str:
    """ "1 bit", "2 bits"."""
    return f"{number} bit{'s' * (number != 1)}"


# Rows with another form


def resized(one: Field, change: Callable[[int], int]) -> Field:
    """A field with other bits where it is present; VARIABLE may become a number."""

    def width(config: Any, values: Values) -> int:
        return change(n) if (n := one.bits(config, values)) else 0

    return replace(one, width=width, present=always)


def placed(row: Row, key: str, before: str = "") -> Row:
    """The row with one field right before another one, or last; as it is if it does not have both."""
    keys = [f.key for f in row]
    if key not in keys or (before and before not in keys):
        return row
    rest = [f for f in row if f.key != key]
    at = next((n for n, f in enumerate(rest) if f.key == before), len(rest))
    return (*rest[:at], row[keys.index(key)], *rest[at:])


def swapped(row: Row, a: str, b: str) -> Row:
    """The row with two fields in each other's place; as it is if it does not have both."""
    keys = [f.key for f in row]
    if a not in keys or b not in keys:
        return row
    other = {a: row[keys.index(b)], b: row[keys.index(a)]}
    return tuple(other.get(f.key, f) for f in row)


def inserted(row: Row, width: int, before: str = "", after: str = "") -> Row:
    """The row with bits of no meaning before or after a field where it is present, or at its end."""
    place = before or after
    at = next((n for n, f in enumerate(row) if f.key == place), None if place else len(row))
    if at is None:
        return row
    there = (lambda c, v, of=row[at]: int(bool(of.bits(c, v)))) if place else always
    at += bool(after)
    return (*row[:at], Field(JUNK, width, present=there, coding=UNUSED), *row[at:])


def meant(one: Field, name: str, change: Reading) -> Field:
    """The field whose value means another one. change: of the value, and where it is, to the one that is meant."""
    take = one.coding.take

    def taken(value: int, place: Place) -> int | None:
        was = take(value, place)
        return None if was is None else change(was, place)

    return replace(one, coding=replace(one.coding, name=f"{one.coding.name} {name}", take=taken, compiled=""))


def sent(one: Field, name: str, change: Callable[[int, Place], int]) -> Field:
    """The field that is sent with other bits. change: of these bits to those that its coding takes."""
    take = one.coding.take
    coding = replace(one.coding, name=f"{one.coding.name} {name}", take=lambda v, p: take(change(v, p), p), compiled="")
    return replace(one, coding=coding)


def reversed_bits(value: int, width: int) -> int:
    """The lowest bits of a number in the other order."""
    return int(f"{value & (1 << width) - 1:0{width}b}"[::-1], 2) if width else 0


def reverse(one: Field) -> Field:
    """A field whose most significant bit comes first."""
    return sent(one, "reversed", lambda value, place: reversed_bits(value, place.width))


def invert(one: Field) -> Field:
    """A field each bit of which is inverted."""
    return sent(one, "inverted", lambda value, place: value ^ (1 << place.width) - 1)


# Operators: field absent, other width, present elsewhere


def absent(part: Part, others: Sequence[Any] = ()) -> Iterator[Deviation]:
    """A field is not sent. others: as of `widths`."""
    for key, one in part.fields.items():
        if 0 not in part.known(one, others):
            says, due = f"{one.name} is absent{part.words}", f"{one.name} is a field of its message"
            yield Deviation(part.named(key, "absent"), part.clause_of(one), says, due, f"{key} width",
                            part.each(key, lambda _: None), key)  # fmt: skip


def constant(part: Part, values: Mapping[str, int]) -> Iterator[Deviation]:
    """The bits of a field say nothing. values: what is meant anyway, by key."""
    for key, value in values.items():
        if key in part.fields:
            one = part.fields[key]
            says, due = f"{one.name} has the same value in all messages{part.words}", _due(one)
            change = part.each(key, lambda f, value=value: meant(f, "constant", lambda _, place: value))
            yield Deviation(part.named(key, "constant"), part.clause_of(one), says, due, f"{key} value", change, key)


def other_widths(width: int) -> list[int]:
    """Widths with which a field of so many bits may be sent by mistake, the nearest first."""
    if width == VARIABLE:
        return list(FIXED)
    near = 2 if width < NARROW else NEAR
    tried = {*range(max(width - near, 1), width + near + 1), 2 * width, 8}
    tried |= {*WIDE} if width >= WIDE[1] else {*WIDE[:2]} if width >= NARROW else set()
    return sorted((n for n in tried - {width} if n <= WIDEST), key=lambda n: (abs(n - width), n))


def widths(part: Part, others: Sequence[Any] = (), step: int = 1) -> Iterator[Deviation]:
    """A field has another width. others: configurations that are tried anyway, whose widths are not tried again. step:
    all are multiples of it.
    """
    for key, one in part.fields.items():
        width, known = part.width(one), part.known(one, others)
        what, due = ("a fixed length of ", "is a variable-length field") if width == VARIABLE else ("", "")
        for number in other_widths(width):
            if number not in known and number % step == 0:
                says = f"{one.name} has {what}{bits(number)}{part.words}"
                change = part.each(key, lambda f, number=number: resized(f, lambda _: number))
                yield Deviation(part.named(key, "width", number), part.clause_of(one), says,
                                f"{one.name} {due or 'has ' + bits(width)}", f"{key} width", change, key)  # fmt: skip


def presence(part: Part) -> Iterator[Deviation]:
    """Fields that one condition decides about are always there, or where they should not be."""
    for message in part.messages:
        conditions: dict[Any, list[Field]] = {}
        for one in message.fields:
            if one.present is not always and one.key in part.fields:
                conditions.setdefault(one.present, []).append(one)
        for condition, fields in conditions.items():
            keys = {one.key for one in fields}
            names = " and ".join(", ".join(one.name for one in fields).rsplit(", ", 1))
            verb, when = ("are" if len(fields) > 1 else "is"), fields[0].when
            due = f"{names} {verb} present {when}" if when else f"the table says when {names} {verb} present"
            for id, says, there in (
                ("always", f"present not only {when}" if when else "always present", always),
                ("otherwise", f"not present {when}, but otherwise" if when else "present where not due",
                 lambda c, v, of=condition: int(not of(c, v))),
            ):  # fmt: skip

                def changed(row: Row, keys: set[str] = keys, of: Any = condition, there: Any = there) -> Row:
                    return tuple(replace(f, present=there) if f.key in keys and f.present is of else f for f in row)

                only = replace(part, messages=(message,))
                yield Deviation(f"{fields[0].key}_{id}_{message.name}", part.clause_of(fields[0]),
                                f"{names} {verb} {says} in {message.name}", due, f"{fields[0].key} presence",
                                only.rows(changed), fields[0].key)  # fmt: skip


# Operators: order of fields, more bits


def moved(part: Part) -> Iterator[Deviation]:
    """A field is right before another one, the nearest first, or it is the last."""
    group, clause = f"order{part.words}", part.order or part.clause
    fields, place = part.fields, {key: n for n, key in enumerate(part.fields)}
    due = "the fields are sent in the order of the tables"
    pairs = [(a, b) for a in fields for b in fields if a != b]
    pairs.sort(key=lambda pair: abs(place[pair[0]] - place[pair[1]]))
    for a, b in (*pairs, *((a, "") for a in fields)):
        if all(placed(message.fields, a, b) == message.fields for message in part.messages):
            continue
        where = f"right before {fields[b].name}" if b else "last"
        says = f"{fields[a].name} comes {where}{part.words}"
        yield Deviation(part.named(a, "before" if b else "last", b), clause, says, due, group,
                        part.rows(lambda row, a=a, b=b: placed(row, a, b)), a)  # fmt: skip


def early(part: Part, after: str, called: str = "") -> Iterator[Deviation]:
    """A field comes before all others, right after the one with the key `after`, which every message has unless another
    deviation has taken it away. called: all fields of the part do, and this is what people call them ("addresses").
    """
    fields = part.fields
    groups = [(called, tuple(fields))] if called else [(one.name, (key,)) for key, one in fields.items()]
    for name, keys in groups:

        def changed(row: Row, keys: tuple[str, ...] = keys) -> Row:
            rest = [f for f in row if f.key not in keys]
            at = next((n for n, f in enumerate(rest, 1) if f.key == after), 0)
            return (*rest[:at], *(f for f in row if f.key in keys), *rest[at:])

        if after not in keys and any(changed(message.fields) != message.fields for message in part.messages):
            yield Deviation(part.named(called or keys[0], "early"), part.order or part.clause,
                            f"{name} {'come' if called else 'comes'} before the other fields{part.words}",
                            "the fields are sent in the order of the tables", f"order{part.words}",
                            part.rows(changed), keys[0])  # fmt: skip


def exchanged(part: Part, apart: int = 2) -> Iterator[Deviation]:
    """Two fields that are so near each other in a message have changed places."""
    pairs: dict[tuple[str, str], None] = {}
    for distance in range(1, apart + 1):
        for message in part.messages:
            keys = [key for key in message.keys if key in part.fields]
            pairs |= dict.fromkeys(zip(keys, keys[distance:]))
    for a, b in pairs:
        first, second = part.fields[a].name, part.fields[b].name
        yield Deviation(part.named("exchanged", a, b), part.order or part.clause,
                        f"{first} and {second} are exchanged{part.words}", f"{first} comes before {second}",
                        f"order{part.words}", part.rows(lambda row, a=a, b=b: swapped(row, a, b)), a)  # fmt: skip


def extra(part: Part, widths: Sequence[int] = EXTRA, after: bool = False) -> Iterator[Deviation]:
    """Bits of no meaning before (or after) a field."""
    word = "after" if after else "before"
    for key, one in part.fields.items():
        for width in widths:
            says = f"{bits(width)} of no meaning {'are' if width > 1 else 'is'} {word} {one.name}{part.words}"
            change = part.rows(lambda row, key=key, width=width: inserted(row, width, **{word: key}))
            yield Deviation(part.named("extra", width, word, key), part.clause, says, _NOTHING_ELSE,
                            f"extra{part.words}", change, key)  # fmt: skip


def appended(part: Part, width: int = VARIABLE) -> Iterator[Deviation]:
    """One more field at the end."""
    what = "one more field is" if width == VARIABLE else f"{bits(width)} of no meaning {'are' if width > 1 else 'is'}"
    yield Deviation(part.named("appended", "" if width == VARIABLE else width), part.clause,
                    f"{what} at the end{part.words}", _NOTHING_ELSE, f"extra{part.words}",
                    part.rows(lambda row: inserted(row, width)))  # fmt: skip


def more_bytes(
    part: Part, what: str, due: int, least: int = 1, where: Callable[[Values], bool] = lambda values: True, id: str = ""
) -> Iterator[Deviation]:
    """A message of whole bytes has more at its end, or its last field has fewer. what: the message, which has `due`
    bytes, `least` of them before its last field. where: of its values, whether they are meant; id: those in names.
    """

    def changed(row: Row, delta: int) -> Row:
        if delta > 0:
            return (*row, Field(JUNK, 8 * delta, present=lambda c, v: int(where(v)), coding=UNUSED))
        last = row[-1]

        def width(config: Any, values: Values) -> int:
            return max(last.bits(config, values) + 8 * delta * where(values), 0)

        return (*row[:-1], replace(last, width=width, present=always))

    for delta in BYTES:
        if due + delta >= least:
            word = f"{abs(delta)} byte{'s'[: abs(delta) - 1]} {'more' if delta > 0 else 'fewer'}"
            yield Deviation(part.named(id, "bytes", delta), part.clause, f"{what} has {word} than it should have",
                            f"{what} has {due} byte{'s'[: due - 1]}", f"bytes{part.words}",
                            part.rows(lambda row, delta=delta: changed(row, delta)))  # fmt: skip


_NOTHING_ELSE = "a message has the fields of its table, and nothing else"


# Operators: other bits or values of a field


def _due(one: Field) -> str:
    """What a field's values mean, as the specification has it."""
    if one.codes:
        return f"{one.name} is {', '.join(f'{code} for {name}' for code, name in one.codes.items())}"
    return f"{one.name} is {one.meaning}" if one.meaning else f"{one.name} has the values of its table"


def polarity(part: Part) -> Iterator[Deviation]:
    """A field of one bit has the other polarity; a flag is sent as it is, or equals the bit before it."""
    xor = "is sent as the XOR with the bit before it"
    for key, one in part.fields.items():
        if part.width(one) != 1:
            continue
        is_flag = one.coding is FLAG
        says = "equals the bit before it where it should differ" if is_flag else "has the other polarity"
        due = f"{one.name} {xor}" if is_flag else _due(one)
        if is_flag:
            yield Deviation(part.named(key, "plain"), one.clause or part.clause,
                            f"{one.name} is sent as it is, not as the XOR with the bit before it{part.words}", due,
                            f"{key} value", part.each(key, lambda f: replace(f, coding=PLAIN)), key)  # fmt: skip
        yield Deviation(part.named(key, "inverted"), one.clause or part.clause, f"{one.name} {says}{part.words}", due,
                        f"{key} value", part.each(key, invert), key)  # fmt: skip
    flags = [one for one in part.fields.values() if one.coding is FLAG]
    if len(flags) > 1:
        names = " and ".join(", ".join(one.name for one in flags).rsplit(", ", 1))
        says = f"{names} are sent as they are, not as the XOR with the bit before{part.words}"
        change = part.rows(lambda row: tuple(replace(f, coding=PLAIN) if f.coding is FLAG else f for f in row))
        yield Deviation(part.named("flags_plain"), flags[0].clause or part.clause, says, f"each of {names} {xor}",
                        "flags", change, flags[0].key)  # fmt: skip


def order_of_bits(part: Part, before: Mapping[str, int] | None = None) -> Iterator[Deviation]:
    """The most significant bit comes first, in all fields or in one. before: bits of fields that select the message and
    are none of its own.
    """
    due = "the least significant bit of a field comes first"

    def all_reversed(table: Table[Any]) -> Table[Any]:
        changed = part.rows(lambda row: tuple(map(reverse, row)))(table)
        for key, width in (before or {}).items():
            changed = renumbered(changed, part.names, key, lambda code, width=width: reversed_bits(code, width))
        return changed

    yield Deviation(part.named("msb_first"), part.order or part.clause,
                    f"the most significant bit of each field comes first{part.words}", due, "bits",
                    all_reversed)  # fmt: skip
    for key, one in part.fields.items():
        if part.width(one) != 1:
            says = f"the most significant bit of {one.name} comes first{part.words}"
            yield Deviation(part.named(key, "reversed"), one.clause or part.clause, says, due, f"{key} value",
                            part.each(key, reverse), key)  # fmt: skip


def codes(part: Part) -> Iterator[Deviation]:
    """Two values of a field are exchanged, neighbours first."""
    for key, one in part.fields.items():
        for a, b in sorted(combinations(one.codes, 2), key=lambda pair: pair[1] - pair[0]):
            other = {a: b, b: a}
            change = part.each(key, lambda f, o=other: meant(f, f"exchanged {o}", lambda v, _: o.get(v, v)))
            yield Deviation(part.named(key, a, b), one.clause or part.clause,
                            f"{one.name} has the codes {a} and {b} exchanged{part.words}", _due(one), f"{key} value",
                            change, key)  # fmt: skip


def recoded(part: Part) -> Iterator[Deviation]:
    """The codes of a field are sent with each bit inverted, or one too large."""
    for key, one in part.fields.items():
        width = part.width(one)
        if width < 2 or not one.codes:
            continue
        says, clause = f"{one.name} is sent with each bit inverted{part.words}", one.clause or part.clause
        yield Deviation(part.named(key, "inverted"), clause, says, _due(one), f"{key} value", part.each(key, invert),
                        key)  # fmt: skip
        less = part.each(key, lambda f: sent(f, "one more", lambda v, place: (v - 1) % (1 << place.width)))
        says = f"{one.name} is one more than its code{part.words}"
        yield Deviation(part.named(key, "one_more"), clause, says, _due(one), f"{key} value", less, key)


def offset(part: Part) -> Iterator[Deviation]:
    """A number is one too large or too small; one that would become negative stays."""
    for key, one in part.fields.items():
        if part.width(one) == 1 or one.codes or one.is_address:
            continue
        for number, word in ((1, "small"), (-1, "large")):
            change = part.each(
                key, lambda f, n=number: meant(f, f"offset {n}", lambda v, _: v + n if v + n >= 0 else v)
            )
            says = f"{one.name} is one too {word}{part.words}"
            yield Deviation(part.named(key, number), one.clause or part.clause, says, _due(one), f"{key} value",
                            change, key)  # fmt: skip


def unshifted(part: Part, shift: int, wide: bool = False) -> Iterator[Deviation]:
    """Addresses are sent with the lowest bits that are left out. shift: how many; wide: they are that much wider."""
    change = _shifted(part, lambda value, _: value >> shift, f"unshifted {shift}", shift * wide)
    names = [one for one in part.fields.values() if one.is_address]
    if names and shift:
        more = ", and have " + bits(shift) + " more" if wide else ""
        yield Deviation(part.named("address_bytes", "wide" * wide), names[0].clause or part.clause,
                        f"addresses are byte addresses{part.words}, not shifted{more}",
                        _address(shift), "units", change)  # fmt: skip


def _address(shift: int) -> str:
    return f"an address is its byte address without the lowest {bits(shift)}"


def overshifted(part: Part, shift: int, more: Sequence[int] = (1, 2)) -> Iterator[Deviation]:
    """Addresses are sent without bits that they should have. more: how many; negative: with as many too many."""
    names = [one for one in part.fields.values() if one.is_address]
    for n in more if names else ():
        yield Deviation(part.named("address_shifted", n), names[0].clause or part.clause,
                        f"addresses are shifted by {bits(abs(n))} too {'many' if n > 0 else 'few'}{part.words}",
                        _address(shift), "units",
                        _shifted(part, lambda value, _, n=n: value << n if n > 0 else value >> -n,
                                 f"shifted {n}"))  # fmt: skip


def _shifted(part: Part, change: Reading, name: str, wider: int = 0) -> Change:
    def changed(one: Field) -> Field:
        one = meant(one, name, change)
        return resized(one, lambda n: n + wider) if wider else one

    return part.rows(lambda row: tuple(changed(f) if f.is_address and f.key in part.fields else f for f in row))


def as_address(part: Part, shift: int) -> Iterator[Deviation]:
    """A field is sent as an address is, without its lowest bits. shift: how many."""
    for key, one in part.fields.items():
        change = part.each(key, lambda f: resized(meant(f, "shifted", lambda v, _: v << shift), lambda n: n - shift))
        width = bits(part.width(one) - shift)
        yield Deviation(part.named(key, "shifted"), part.clause_of(one),
                        f"{one.name} is shifted by {shift} as an address is, and has {width}",
                        f"{one.name} has {bits(part.width(one))}", f"{key} width", change, key)  # fmt: skip


def differences(part: Part, due: str, is_whole: Callable[[Values], bool], widths: Iterable[int]) -> Iterator[Deviation]:
    """Differences are negated, or not sign-extended. is_whole: of the values before an address, whether it is none.
    widths: from which they may be extended.
    """

    def of(change: Callable[[int], int]) -> Reading:
        return lambda value, place: value if is_whole(place.values) else change(value)

    for key, one in part.fields.items():
        clause, group = one.clause or part.clause, f"{key} value"
        yield Deviation("difference_negated", clause, "differences are the last address less the address reported", due,
                        group, part.each(key, lambda f: meant(f, "negated", of(operator.neg))), key)  # fmt: skip
        for number in (n for n in widths if n < part.width(one)):
            signed = of(lambda v, n=number: v if v >> n else v - (v >> n - 1 << n))
            yield Deviation(f"difference_{number}_zero", clause,
                            f"differences have {bits(number)} and are extended with zeros, not their sign", due, group,
                            part.each(key, lambda f, to=signed, n=number: meant(f, f"from {n}", to)), key)  # fmt: skip


def maps(part: Part, due: str, used: Callable[[Values], int]) -> Iterator[Deviation]:
    """The bits of a map of branches are inverted, in the other order, or in its upper bits. used: how many it has."""
    for key, one in part.fields.items():
        changes: tuple[tuple[str, str, Callable[[int, int, int], int]], ...] = (
            ("inverted", "1 for taken", lambda value, n, width: value ^ (1 << n) - 1),
            ("reversed", "the youngest branch in bit 0", lambda value, n, width: reversed_bits(value, n)),
            ("from_top", "the oldest branch in its highest bit", lambda value, n, width: reversed_bits(value, width)),
            ("at_top", "its branches in the upper bits", lambda value, n, width: value >> width - n),
        )
        for id, says, change in changes:
            field_of = part.each(key, lambda f, id=id, change=change: meant(
                f, f"map {id}", lambda v, place: change(v, used(place.values), place.width)))  # fmt: skip
            yield Deviation(f"map_{id}", one.clause or part.clause, f"{one.name} has {says}", due, f"{key} value",
                            field_of, key)  # fmt: skip


def lengths(
    part: Part, due: str, used: Callable[[Values], int], steps: Sequence[int], others: Mapping[str, Sequence[int]]
) -> Iterator[Deviation]:
    """The length of a field that holds a number of items is chosen otherwise. used: how many there are. steps: lengths
    of the specification; others: those of somebody else, by name.
    """
    most = steps[-1]

    def least(of: Iterable[int]) -> Callable[[int], int]:
        known = tuple(of)
        return lambda n: next(k for k in known if k >= n)

    chosen = [("other", f"the lengths of {name}", least(of)) for name, of in others.items()]
    chosen += [(f"{n}", f"always {n} bits", least([n])) for n in (most, most + 1)]
    chosen += [
        ("exact", "as many bits as branches", least(range(most + 1))),
        ("bytes", "whole bytes", least(range(8, most + 9, 8))),
        ("power", "2, 4, 8, 16 or 32 bits", least((1, 2, 4, 8, 16, 32))),
    ]
    chosen += [(f"full_{n}", f"{more} bits for {n} branches", lambda k, n=n: least(steps)(k + (k == n)))
               for n, more in zip(steps, steps[1:])]  # fmt: skip
    for key, one in part.fields.items():
        for id, says, length in chosen:

            def changed(of: Field, length: Callable[[int], int] = length) -> Field:
                def width(config: Any, values: Values) -> int:
                    return length(used(values)) if of.bits(config, values) else 0

                return replace(of, width=width, present=always)

            yield Deviation(f"map_length_{id}", part.clause_of(one), f"{one.name} has {says}", due, f"{key} width",
                            part.each(key, changed), key)  # fmt: skip


# Operators: which message it is


def selector_bits(part: Part, key: str, width: int) -> Iterator[Deviation]:
    """What selects a message, at its start, has one bit more, or its bits inverted. width: bits of it."""
    wider = part.rows(lambda row: (Field(JUNK, 1, coding=UNUSED), *row))
    yield Deviation(f"{key}_of_{width + 1}_bits", part.clause, f"{key} has {bits(width + 1)}",
                    f"{key} has {bits(width)}", "extra", wider)  # fmt: skip
    most = (1 << width) - 1
    yield Deviation(f"{key}s_inverted", part.clause, f"{key} has its bits inverted",
                    f"the codes of {key}s are those of the tables", f"{key}s",
                    lambda table: renumbered(table, part.names, key, lambda code: most - code))  # fmt: skip


def selectors(
    table: Table[Any], key: str, clause: str, within: Mapping[str, int] | None = None, called: str = ""
) -> Iterator[Deviation]:
    """Two values that select a message are exchanged. within: of the messages that have these values. called: the name
    of such a value, by default the key.
    """
    chosen, called = _selected(table, key, within), called or key
    words = "".join(f" of {other} {value}" for other, value in (within or {}).items())
    names = {m.name for m in chosen}
    of = {value: [m.name for m in chosen if m.selector[key] == value] for value in {m.selector[key] for m in chosen}}
    for a, b in combinations(sorted(of), 2):
        other = {a: b, b: a}

        def changed(table: Table[Any], other: Mapping[int, int] = other) -> Table[Any]:
            return renumbered(table, names, key, lambda value: other.get(value, value))

        are = f" ({of[a][0]} and {of[b][0]})" if len(of[a]) == len(of[b]) == 1 else ""
        name = "_".join(map(str, (f"{key}s", a, b, *(within or {}).values())))
        yield Deviation(name, clause, f"{called}s {a} and {b}{words} are exchanged{are}",
                        f"the codes of {called}s are those of the tables", f"{key}s", changed)  # fmt: skip


def reselected(table: Table[Any], key: str, clause: str, free: Iterable[int], called: str = "") -> Iterator[Deviation]:
    """A message is selected by another value, which is one away from its own or differs in one bit. free: values that
    select no message. called: as of `selectors`.
    """
    called = called or key
    for message in _selected(table, key):
        due = message.selector[key]
        for value in (n for n in free if abs(n - due) == 1 or (n ^ due).bit_count() == 1):

            def changed(table: Table[Any], name: str = message.name, value: int = value) -> Table[Any]:
                return renumbered(table, (name,), key, lambda _: value)

            yield Deviation(f"{key}_{value}_is_{due}", clause, f"{message.name} has {called}={value}",
                            f"{message.name} has {called}={due}", f"{key} of {message.name}", changed)  # fmt: skip


def _selected(table: Table[Any], key: str, within: Mapping[str, int] | None = None) -> list[Any]:
    return [m for m in table.messages if key in m.selector and (within or {}).items() <= m.selector.items()]


def renumbered(table: Table[Any], names: Iterable[str], key: str, change: Callable[[int], int]) -> Table[Any]:
    """The table with other values of a selector in some messages."""
    chosen = set(names)
    made = (
        replace(m, selector={**m.selector, key: change(m.selector[key])}) if m.name in chosen else m
        for m in table.messages
    )
    return replace(table, messages=tuple(made))


# Bytes of a payload


@dataclass(frozen=True)
class OfBytes:
    """A deviation of the bytes of a payload. change: of the device's bytes to the specification's."""

    name: str
    is_order: bool  # it is about the order of bits, else about their number
    says: str
    change: Callable[[bytes], bytes] = field(compare=False, repr=False)


def _reversed_bytes(payload: bytes) -> bytes:
    return bytes(reversed_bits(byte, 8) for byte in payload)


def without_bits(number: int) -> Callable[[bytes], bytes]:
    """A payload without its lowest bits; the last bit is repeated."""

    def changed(payload: bytes) -> bytes:
        value = int.from_bytes(payload, "little", signed=True) >> number
        return value.to_bytes(len(payload), "little", signed=True)

    return changed


def of_payload(first: str) -> tuple[OfBytes, ...]:
    """All of them. first: how the field at the start of a payload is called."""
    return (
        OfBytes("byte_before", False, "a stray byte is before each payload", lambda payload: payload[1:]),
        OfBytes("byte_after", False, "a stray byte is after each payload", lambda payload: payload[:-1]),
        OfBytes("bits_reversed", True, "the bits of each byte are in reverse order", _reversed_bytes),
        OfBytes("bytes_reversed", True, "the last byte of each payload comes first", lambda payload: payload[::-1]),
        OfBytes("payload_reversed", True, "the last bit of each payload comes first",
                lambda payload: _reversed_bytes(payload)[::-1]),
        *(OfBytes(f"bits_before_{n}", False, f"{n} other bit{' is' if n == 1 else 's are'} before {first}",
                  without_bits(n)) for n in range(1, 8)),
    )  # fmt: skip


# What is tried


def distinct(
    deviations: Iterable[Deviation], table: Table[Any], config: Any, probes: Iterable[Values]
) -> Iterator[Deviation]:
    """Those that make a difference in a configuration, the first of several that make the same one."""
    tried = tuple(probes)
    known: dict[Row, tuple[Any, ...]] = {}

    def shape(of: Table[Any]) -> tuple[Any, ...]:
        return tuple((m.name, tuple(m.selector.items()), seen(m.fields)) for m in of.messages)

    def seen(row: Row) -> tuple[Any, ...]:
        if row not in known:
            known[row] = tuple(
                tuple((f.key, f.coding.name, n) for f in row if (n := f.bits(config, values))) for values in tried
            )
        return known[row]

    shapes = {shape(table)}
    for deviation in deviations:
        made = shape(deviation.change(table))
        if made not in shapes:
            shapes.add(made)
            yield deviation
