# SPDX-License-Identifier: Apache-2.0
"""Single items of a trace: packed and unpacked by the field table, one at a time, for tests, listings and hand-written
traces.

    pack([Begin(), IncrementPc(), Instruction(2, 0x8d0d), Register(0x100a, 5), End()], Config())     bytes
    items(data, Config())                                                                            offsets and items

The encoder model and the streaming decoder do not use this: they work on columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from rvtrace.models.common import messages
from rvtrace.models.common.messages import SIGNED, Field
from rvtrace.models.tandem import table
from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.places import KNOWN, places


class ItemError(ValueError):
    """An item that cannot be packed, or bytes that are no item; the text says what is wrong, and at which offset."""


@dataclass(frozen=True, slots=True)
class _Told:
    """For people: `full register csr 0x340 data=0x1`, `additional state mtime data=0x20`, `memory request address=0x80
    op=load size=32`. more: fields of the table that the item's class does not name.
    """

    more: tuple[tuple[str, int], ...] = field(default=(), kw_only=True, repr=False)

    def __str__(self) -> str:
        words = [_shown(self, name, value) for name, value in _values(self).items() if name != "length"]
        return " ".join([table.BY_CODE[_code(self)].meaning, *words])


@dataclass(frozen=True, slots=True)
class Begin(_Told):
    """Begin group."""


@dataclass(frozen=True, slots=True)
class End(_Told):
    """End group."""


@dataclass(frozen=True, slots=True)
class IncrementPc(_Told):
    """The pc advances by the length of the group's instruction."""


@dataclass(frozen=True, slots=True)
class Register(_Told):
    """A register's value: XLEN bits (CSR, x) or FLEN bits (f)."""

    address: int
    data: int


@dataclass(frozen=True, slots=True)
class AddRegister(_Told):
    """A register plus -128 to 127."""

    address: int
    offset: int


@dataclass(frozen=True, slots=True)
class OrRegister(_Told):
    """A register with some of bits 7:0 set."""

    address: int
    mask: int


@dataclass(frozen=True, slots=True)
class State(_Told):
    """Additional state: identifier and value."""

    id: int
    data: int


@dataclass(frozen=True, slots=True)
class Request(_Told):
    """A memory request; data is 0 where the operation sends none."""

    address: int
    op: int
    size: int
    data: int = 0


@dataclass(frozen=True, slots=True)
class Response(_Told):
    """The response to the request right before."""

    size: int
    result: int = 0
    data: int = 0


@dataclass(frozen=True, slots=True)
class Reset(_Told):
    """Hart reset."""


@dataclass(frozen=True, slots=True)
class Init(_Told):
    """State initialization."""


@dataclass(frozen=True, slots=True)
class Instruction(_Told):
    """An instruction: 2 or 4 bytes, its bits."""

    length: int
    bits: int


Item = (
    Begin
    | End
    | IncrementPc
    | Register
    | AddRegister
    | OrRegister
    | State
    | Request
    | Response
    | Reset
    | Init
    | Instruction
)

_TYPES: dict[int, Any] = {
    table.BEGIN: Begin,
    table.END: End,
    table.INCREMENT_PC: IncrementPc,
    table.REGISTER: Register,
    table.ADD: AddRegister,
    table.OR: OrRegister,
    table.STATE: State,
    table.REQUEST: Request,
    table.RESPONSE: Response,
    table.RESET: Reset,
    table.INIT: Init,
}
_CODES = {cls: code for code, cls in _TYPES.items()}
_NAMES = {"op": [one.name for one in table.OPERATIONS], "size": table.SIZES, "result": table.RESULTS}


def _values(item: Any) -> dict[str, int]:
    """Its fields, by name."""
    own = {name: getattr(item, name) for name in type(item).__slots__}
    return own | dict(item.more)


def _code(item: Any) -> int:
    return {2: table.INSN16, 4: table.INSN32}[item.length] if isinstance(item, Instruction) else _CODES[type(item)]


def _more_fields(item: Any) -> tuple[Field, ...]:
    return next(m for m in table.TABLES[table.VERSION].messages if m.selector["opcode"] == _code(item)).fields


def _shown(item: Any, name: str, value: int) -> str:
    if name == "id":
        return table.BY_ID[value].name if value in table.BY_ID else f"identifier {value}"
    if name == "address" and not isinstance(item, Request):
        found = next((one for one in table.REGISTER_CLASSES if one.first <= value <= one.last), None)
        if found is None or found.name == "csr":
            return f"{'csr' if found else 'address'} {value:#x}"
        return f"{found.name[0].replace('g', 'x')}{value - found.first}"
    if name == "offset":
        return f"offset={value:+}"
    names = _NAMES.get(name, ())
    if name not in KNOWN:
        return f"{name}={next(f for f in _more_fields(item) if f.key == name).text(value)}"
    return f"{name}={names[value] if value < len(names) else hex(value)}"


def pack(items: Iterable[Item], config: Config) -> bytes:
    """The bytes of these items; ItemError where a value does not fit its field, or a response has no request."""
    out, before = bytearray(), None
    for item in items:
        out += _pack(item, config, before)
        before = item
    return bytes(out)


def _pack(item: Item, config: Config, before: Item | None) -> bytes:
    code = _code(item)
    values, fields = _values(item) | _request_of(code, before), places(config).by_code[code].fields
    for one in fields:
        width, value = one.bits(config, values), values.get(one.key, 0)
        low = -(1 << width - 1) if one.coding is SIGNED else 0
        if width and not low <= value < low + (1 << width):
            raise ItemError(f"{one.name}={value:#x} of {item} does not fit {width} bits; give less")
        if not width and one.key == "data" and code in (table.REGISTER, table.STATE):
            raise ItemError(f"{item} names nothing that has a width; give a register or an identifier of the format")
    word, size = (*messages.pack(fields, values, config), (0, 0))[0]
    return bytes([code]) + word.to_bytes(size // 8, "little")


def _request_of(code: int, before: Item | None) -> dict[str, int]:
    if code != table.RESPONSE:
        return {}
    if not isinstance(before, Request):
        raise ItemError("a response does not follow its request directly; put it after the request")
    return {"op": before.op}


def unpack(data: bytes, offset: int, config: Config, before: Item | None = None) -> tuple[Item, int]:
    """The item at this offset and the offset after it; ItemError if there is none. before: the item before it."""
    if offset >= len(data):
        raise ItemError(f"the bytes end at offset {offset:#x}; give an offset before")
    code = data[offset]
    if code not in table.BY_CODE:
        raise ItemError(f"opcode {code} at offset {offset:#x} does not exist")
    values: dict[str, int] = _request_of(code, before)
    word, at, end = 0, 0, offset + 1
    kind = places(config).by_code[code]
    for one in kind.fields:
        width = _width(one, config, values, offset)
        while end < offset + 1 + (at + width + 7) // 8:
            if end >= len(data):
                raise ItemError(f"the bytes end within {table.BY_CODE[code].meaning} at offset {offset:#x}")
            word |= data[end] << 8 * (end - offset - 1)
            end += 1
        if width:
            place = messages.Place(config, values, width, 0)
            values[one.key] = one.coding.take(word >> at & (1 << width) - 1, place) or 0
        elif one.key in KNOWN:
            values[one.key] = 0
        at += width
    more = tuple((key, values[key]) for key in kind.keys if key in values and key not in KNOWN)
    if code in (table.INSN16, table.INSN32):
        return Instruction(2 if code == table.INSN16 else 4, values["bits"], more=more), end
    cls = _TYPES[code]
    return cls(**{name: values[name] for name in cls.__slots__}, more=more), end


def _width(field: Field, config: Config, values: dict[str, int], offset: int) -> int:
    if field.key == "data":
        if (
            values.get("op", 0) >= len(table.OPERATIONS)
            or values.get("size", 0) >= len(table.SIZES)
            or values.get("result", 0) >= len(table.RESULTS)
        ):
            raise ItemError(f"operation, size or result at offset {offset:#x} does not exist: {values}")
        width = field.bits(config, values)
        if not width and ("id" in values or ("address" in values and "op" not in values)):
            raise ItemError(f"register or identifier at offset {offset:#x} does not exist: {values}")
        return width
    return field.bits(config, values)


def items(data: bytes, config: Config) -> Iterator[tuple[int, Item]]:
    """Every item with its offset, from the first byte on; ItemError at the first that is none."""
    offset, before = 0, None
    while offset < len(data):
        item, behind = unpack(data, offset, config, before)
        yield offset, item
        offset, before = behind, item
