# SPDX-License-Identifier: Apache-2.0
"""Messages, packets and items as tables of fields; packers, unpackers, columns, printers, coverage and RTL derive from
them.

    RCODE = Field("RCODE", 4, codes={0: "I-CNT", 1: "HIST"}, vendor=range(8, 16), clause="NT.7.8.rcode")
    HREPEAT = Field("HREPEAT", VARIABLE, max_bits=18, present=lambda config, values: values["rcode"] == 2)
    TABLE = Table((MessageType("ResourceFull", (SRC, RCODE, RDATA, HREPEAT, TSTAMP), {"tcode": 27}, "7.8"),))

    TABLE["ResourceFull"].field("hrepeat")           a message by name, its fields by key
    TABLE.select(tcode=27)                           the message that these values select, None if none does
    pack(message.fields, values, config, 27, 6)      runs of bits: (number, length); a VARIABLE field ends one
    unpack(message.fields, runs, config)             the values by key, and where they ended; FieldError: what is wrong
    message.text(values)                             "RCODE=2 (HIST repeated) RDATA=5"
    TABLE.keys, TABLE.columns                        all keys; a column for each, shared where no message has both
    message.resolved(config)                         its fields as numbers for a compiled loop, None if they are not
    field.bins                                       names of its values, for coverage

`Field.width` is a number, the name of an option of the configuration, VARIABLE, or a function of (configuration, values
of the fields before it by key) to one of these; 0 is absent. `Field.present` is a function of the same. SRC, TSTAMP and
their like are ordinary fields whose presence the configuration decides. `Field.optional` is for a field before which a
message may end.

Everything is immutable, and no function knows a table of its own: one that `dataclasses.replace`,
`MessageType.with_fields` or `Table.each` made of another is packed, unpacked and printed like any other. Values are
plain integers; how one becomes bits is its `Coding`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Generic, NamedTuple, TypeVar

VARIABLE = -1  # a width: at least one bit, and the run of bits ends with it
MOST_BITS = 64  # of any field without a limit of its own
_MOST_DECIDING = 5  # bits of a field that decides about others in a compiled loop: its values are bits of a mask

Values = Mapping[str, Any]  # of fields, by key
Of = Callable[[Any, Values], int]  # (configuration, values of the fields before it) to a number
Width = int | str | Of
Run = tuple[int, int]  # bits: as a number, and how many


def always(config: Any, values: Values) -> int:
    """Presence of a field that every message of its kind has."""
    return 1


class Place(NamedTuple):
    """Where a value is sent. width: bits, -1 where the value decides. before: the bit sent before it."""

    config: Any
    values: Values
    width: int
    before: int


def _as_it_is(value: int, place: Place) -> int:
    return value


def _bit_length(value: int, place: Place) -> int:
    return max(1, value.bit_length())


@dataclass(frozen=True)
class Coding:
    """How a value becomes bits and back. send: value to bits; take: bits to value, place.width as it was read.

    length: bits of a VARIABLE field for a value. compiled: compiled loops know it by this name, "" if they do not.
    """

    name: str
    send: Callable[[int, Place], int] = _as_it_is
    take: Callable[[int, Place], int | None] = _as_it_is
    length: Callable[[int, Place], int] = _bit_length
    compiled: str = ""


def _signed(value: int, place: Place) -> int:
    return value & (1 << place.width) - 1


def _unsigned(value: int, place: Place) -> int:
    return value - (1 << place.width) if value >> place.width - 1 else value


def _differs(value: int, place: Place) -> int:
    return value ^ place.before


PLAIN = Coding("plain", compiled="plain")
SIGNED = Coding("signed", _signed, _unsigned)  # two's complement
FLAG = Coding("flag", _differs, _differs, compiled="flag")  # 1: differs from the bit before it


def _history(value: int) -> str:
    if not value:
        return "0"
    outcomes = f"{value:b}"[1:]
    return f"{value:#x} ({len(outcomes)} branches: {outcomes})" if outcomes else f"{value:#x} (empty)"


FORMS: dict[str, Callable[[int], str]] = {
    "dec": str,
    "hex": lambda value: f"{value:#x}" if value else "0",
    "half": lambda value: f"{value:#x} ({value << 1:#x})",  # an address without bit 0
    "hist": _history,  # outcomes of branches after a stop bit
}


@dataclass(frozen=True)
class Field:
    """A field. name: as the specification prints it. key: in code, by default the name in lower case without "-".

    max_bits: limit of a VARIABLE field. codes: names of its values; vendor: values left to vendors. is_address: bit 0
    of the address is not sent. form: how people see it, of `FORMS`, or a function of all values to one of them; show:
    its text, of its value and all values, if none of them does. meaning: of its values, after "it is"; when: it is
    present, after "it is present": both as a sentence of a finding has them.
    """

    name: str
    width: Width = VARIABLE
    key: str = ""
    present: Of = always
    optional: bool = False
    coding: Coding = PLAIN
    max_bits: int | Of = MOST_BITS
    codes: Mapping[int, str] = field(default_factory=dict, hash=False)
    vendor: range = range(0)
    is_address: bool = False
    form: str | Callable[[Values], str] = "dec"
    show: Callable[[int, Values], str] | None = None
    clause: str = ""
    meaning: str = ""
    when: str = ""

    def __post_init__(self) -> None:
        if not self.key:
            object.__setattr__(self, "key", self.name.lower().replace("-", ""))

    def bits(self, config: Any, values: Values) -> int:
        """Its width after these fields: bits, VARIABLE, or 0 if it is absent."""
        if self.present is not always and not self.present(config, values):
            return 0
        return self.width_of(config, values)

    def width_of(self, config: Any, values: Values) -> int:
        """The same where it is present."""
        width = self.width
        if isinstance(width, int):
            return width
        return int(getattr(config, width)) if isinstance(width, str) else width(config, values)

    def most(self, config: Any, values: Values) -> int:
        """The limit of its value in bits, if it is VARIABLE."""
        return self.max_bits if isinstance(self.max_bits, int) else self.max_bits(config, values)

    def form_of(self, values: Values) -> str:
        """How people see it in a message with these values."""
        return self.form if isinstance(self.form, str) else self.form(values)

    def text(self, value: int, values: Values | None = None) -> str:
        """A value for people."""
        values = {self.key: value} if values is None else values
        if self.show is not None:
            return self.show(value, values)
        meaning = self.codes.get(value, "vendor-defined" if value in self.vendor else "")
        return f"{value} ({meaning})" if meaning else FORMS[self.form_of(values)](value)

    @cached_property
    def bins(self) -> tuple[str, ...]:
        """Names of its values, `code name`; none if its values are numbers."""
        return tuple(f"{code} {name}" for code, name in self.codes.items())


class Resolved(NamedTuple):
    """A field as numbers. width: bits or VARIABLE; most: bits of its value, the least if that depends on another field;
    coding: as a compiled loop calls it.

    by: index of the field that decides whether it is there, -1 if nothing does; mask: bit n, it is if that is n.
    """

    field: Field
    width: int
    most: int
    coding: str
    by: int = -1
    mask: int = 0


Kind = TypeVar("Kind", bound="MessageType")


@dataclass(frozen=True)
class MessageType:
    """A kind of message, packet or item: its fields in the order in which they are sent, without those of `selector`.

    selector: the values that say that a message is of this kind (TCODE; format and subformat; opcode). reports: what a
    hart does, in the plural, that nothing but such a message reports; empty if it does not depend on the hart alone.
    """

    name: str
    fields: tuple[Field, ...] = ()
    selector: Mapping[str, int] = field(default_factory=dict, hash=False)
    section: str = ""
    clause: str = ""
    meaning: str = ""
    reports: str = ""

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """Those of its fields."""
        return tuple(f.key for f in self.fields)

    @cached_property
    def index(self) -> dict[str, int]:
        """Where the field of a key is."""
        return {key: index for index, key in enumerate(self.keys)}

    def field(self, key: str) -> Field:
        """The field with a key; KeyError if it has none."""
        if key not in self.index:
            raise KeyError(f"{self.name} has the fields {', '.join(self.keys)}, not {key}")
        return self.fields[self.index[key]]

    def with_fields(self: Kind, fields: Iterable[Field]) -> Kind:
        """The same kind with other fields."""
        return replace(self, fields=tuple(fields))

    def text(self, values: Values) -> str:
        """`NAME=value` of each field that is there."""
        shown = ((f, values.get(f.key)) for f in self.fields)
        return " ".join(f"{f.name}={f.text(value, values)}" for f, value in shown if value is not None)

    def resolved(self, config: Any) -> list[Resolved] | None:
        """Its fields of a configuration as numbers, those it never has left out; None if a width depends on a message,
        presence on more than one short field before it, or a coding has no compiled form.
        """
        found: list[Resolved] = []
        for index, one in enumerate(self.fields):
            before = self.fields[:index]
            width = decided(one.width_of, config, before)
            there = decided(one.present, config, before)
            if there is None or width is None or width.by or not one.coding.compiled:
                return None
            number = width.answers[0]
            if not number or not any(there.answers):
                continue
            limit = decided(one.most, config, before)
            if limit is None:
                return None
            most = min(*limit.answers, MOST_BITS) if number == VARIABLE else number
            if not there.by or all(there.answers):
                found.append(Resolved(one, number, most, one.coding.compiled))
                continue
            by = next((at for at, other in enumerate(found) if other.field.key == there.by), -1)
            if by < 0:
                return None
            mask = sum(bool(answer) << value for value, answer in enumerate(there.answers))
            found.append(Resolved(one, number, most, one.coding.compiled, by, mask))
        return found


class Decided(NamedTuple):
    by: str  # key of the field that decides, "" if the configuration does
    answers: tuple[int, ...]  # by the value of that field


class _Asked(dict[str, Any]):
    """Values of the fields `before`, of which somebody asks for one that is not known."""

    asked = ""

    def __init__(self, before: Sequence[Field], **values: int) -> None:
        super().__init__(values)
        self._before = {f.key for f in before}

    def __missing__(self, key: str) -> int:
        self.asked = self.asked or key
        raise _NotKnownError

    def get(self, key: str, default: Any = None) -> Any:
        """As with brackets where there is such a field: whoever asks must be seen."""
        return self[key] if key in self._before else default


class _NotKnownError(LookupError):
    pass


def decided(of: Of, config: Any, before: Sequence[Field]) -> Decided | None:
    """What a function answers, as far as the configuration and one short field before it decide; None if more does."""
    values = _Asked(before)
    try:
        return Decided("", (int(of(config, values)),))
    except _NotKnownError:
        pass
    by = next((f for f in before if f.key == values.asked), None)
    if by is None or not isinstance(by.width, int) or not 0 < by.width <= _MOST_DECIDING:
        return None
    try:
        answers = tuple(int(of(config, _Asked(before, **{by.key: value}))) for value in range(1 << by.width))
    except _NotKnownError:
        return None
    return Decided(by.key, answers)


@dataclass(frozen=True)
class Table(Generic[Kind]):
    """The messages of one variant of a format."""

    messages: tuple[Kind, ...]
    name: str = ""

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.messages, self.name))  # of all fields: what is cached by table would take it again and again

    @cached_property
    def by_name(self) -> dict[str, Kind]:
        """Each message by its name."""
        return {m.name: m for m in self.messages}

    @cached_property
    def _by_selector(self) -> dict[frozenset[tuple[str, int]], Kind]:
        return {frozenset(m.selector.items()): m for m in self.messages}

    def __getitem__(self, name: str) -> Kind:
        return self.by_name[name]

    def __contains__(self, name: str) -> bool:
        return name in self.by_name

    def select(self, **values: int) -> Kind | None:
        """The message with exactly these values of its selector."""
        return self._by_selector.get(frozenset(values.items()))

    @cached_property
    def by_code(self) -> dict[int, Kind]:
        """Each message by the value that selects it; of formats whose selector is one field."""
        return {code: m for m in self.messages for code in m.selector.values()}

    @cached_property
    def fields(self) -> dict[str, Field]:
        """Each field by its key, as the first message that has it says."""
        found: dict[str, Field] = {}
        for message in self.messages:
            for one in message.fields:
                found.setdefault(one.key, one)
        return found

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """Keys of all fields, each once."""
        return tuple(self.fields)

    @cached_property
    def columns(self) -> dict[str, int]:
        """A column for each key: two keys share one if no message has both."""
        with_it = {key: {k for m in self.messages if key in m.keys for k in m.keys} for key in self.keys}
        found: dict[str, int] = {}
        for key in sorted(self.keys, key=lambda key: -len(with_it[key])):
            taken = {found[other] for other in with_it[key] if other in found}
            found[key] = next(at for at in range(len(taken) + 1) if at not in taken)
        return found

    @cached_property
    def width(self) -> int:
        """How many columns there are."""
        return max(self.columns.values(), default=-1) + 1

    def each(self, change: Callable[[Kind, Field], Iterable[Field]]) -> Table[Kind]:
        """Another table: each field of each message becomes these, which may be none, one or several."""
        changed = (m.with_fields(new for f in m.fields for new in change(m, f)) for m in self.messages)
        return replace(self, messages=tuple(changed))

    def with_message(self, message: Kind) -> Table[Kind]:
        """Another table, in which this message replaces the one of the same name, or is the last."""
        if message.name not in self:
            return replace(self, messages=(*self.messages, message))
        return replace(self, messages=tuple(message if m.name == message.name else m for m in self.messages))


class FieldError(ValueError):
    """A value that does not fit its field, or bits that have no room for it. reason: "value", "missing" (the message
    ends before the field), "cut" (inside it), "empty" (a VARIABLE field of no bits) or "long" (above its max_bits).
    """

    def __init__(self, of: Field, reason: str, text: str, value: int = 0) -> None:
        super().__init__(text)
        self.field, self.reason, self.value = of, reason, value


def pack(fields: Iterable[Field], values: Values, config: Any, number: int = 0, length: int = 0) -> list[Run]:
    """The runs of bits of a message, lowest bit first; number and length: the bits before its first field.

    An absent value of a field that is not optional is sent as 0. FieldError if a value does not fit its field.
    """
    runs: list[Run] = []
    for one in fields:
        width = one.bits(config, values)
        value = values.get(one.key)
        if not width or (value is None and one.optional):
            continue
        place = Place(config, values, width, number >> length - 1 & 1 if length else 0)
        value = value or 0
        if width == VARIABLE:
            place = place._replace(width=one.coding.length(value, place))
        sent = one.coding.send(value, place)
        if sent < 0 or sent >> place.width:
            raise FieldError(one, "value", f"{one.name}={value} does not fit its {place.width} bits", value)
        number |= sent << length
        length += place.width
        if width == VARIABLE:
            runs.append((number, length))
            number = length = 0
    return [*runs, (number, length)] if length else runs


class Unpacked(NamedTuple):
    """Values of a message by key. runs: of bits that were read whole; at: bits read of the one after them."""

    values: dict[str, Any]
    runs: int
    at: int


def unpack(
    fields: Iterable[Field], runs: Sequence[Run], config: Any, values: Values | None = None, at: int = 0
) -> Unpacked:
    """The values of a message. runs: its bits; at: bits of the first that are read; values: those known before.

    FieldError if they have no room for a field, or too much.
    """
    found = dict(values or {})
    run = 0
    for one in fields:
        width = one.bits(config, found)
        if not width:
            continue
        if one.optional and (run >= len(runs) or (run + 1 == len(runs) and at >= runs[run][1])):
            continue
        if run >= len(runs):
            raise FieldError(one, "missing", f"ends before its field {one.name}")
        number, length = runs[run]
        left = length - at
        if width == VARIABLE:
            if not left:
                raise FieldError(one, "empty", f"{one.name} has no bits")
        elif left < width:
            raise FieldError(one, "cut", f"ends inside its field {one.name}")
        size = left if width == VARIABLE else width
        value: int | None = number >> at & (1 << size) - 1
        if one.coding is not PLAIN:
            place = Place(config, found, size, number >> at - 1 & 1 if at else 0)
            value = one.coding.take(value, place)
        if width == VARIABLE and value is not None and value >> (most := one.most(config, found)):
            raise FieldError(one, "long", f"{one.name}={value:#x} has more than {most} bits", value)
        found[one.key] = value
        run, at = (run + 1, 0) if width == VARIABLE else (run, at + size)
    return Unpacked(found, run, at)
