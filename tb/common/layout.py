# SPDX-License-Identifier: Apache-2.0
"""Layouts of the rows in the binary files between Python and a testbench.

A layout is written once (`tb/<ip>/agents/layout.py`). `Layout.dtype` is the numpy type that reads and writes the file;
`flow/generate/rows.py` generates the SystemVerilog that splits a row into ports or joins ports to a row.

The first field is at the lowest address and in the lowest bits. All numbers are unsigned, little endian.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

# Kinds of modules: a row to ports; a row or the pins beside it to ports, as drive_bulk_i says; ports to a row.
SPLIT, DRIVE, JOIN = "split", "drive", "join"


@dataclass(frozen=True)
class Bits:
    """Part of a field that has its own port: its lowest bit and its width."""

    name: str
    lsb: int
    width: int = 1

    @property
    def mask(self) -> int:
        """Its bits in the field."""
        return (1 << self.width) - 1 << self.lsb


@dataclass(frozen=True)
class Field:
    """A column of a file.

    type: numpy type of one element. width: of its port in bits, a number or the name of a parameter; 0 if it has no
    port (then 0 in a joined row). parts: ports of a field of several. elements: None for a scalar, the number
    of elements, or the parameter with it; then it is the last field but for others of this kind, and the port has them
    side by side. multiple: the number of elements is rounded up to a multiple of this; those that are added are 0.
    called: its port, if it has not the name of the column.
    """

    name: str
    type: str
    width: int | str = 0
    parts: tuple[Bits, ...] = ()
    elements: int | str | None = None
    multiple: int = 1
    called: str = ""

    @property
    def size(self) -> int:
        """Bits of one element in the file."""
        return np.dtype(self.type).itemsize * 8

    @property
    def port(self) -> str:
        """The name of its port, without direction."""
        return self.called or self.name.rstrip("_")

    def part(self, name: str) -> Bits:
        """A part by its name."""
        return next(part for part in self.parts if part.name == name)


@dataclass(frozen=True)
class Zero:
    """Bytes that are 0."""

    bytes: int

    @property
    def size(self) -> int:
        """Bits in the file."""
        return 8 * self.bytes


@dataclass(frozen=True)
class Slots:
    """Fields that a row has several times. name: the column of all slots. one: the name of a slot. count: the parameter
    with the number of slots. gate: a port of a joined row with a bit for each slot; the slot is 0 where the bit is 0.
    groups: fields are in structures of these names in the file, as many fields in each.
    """

    name: str
    one: str
    fields: tuple[Field | Zero, ...]
    count: str
    gate: str = ""
    groups: tuple[tuple[str, int], ...] = ()

    @property
    def size(self) -> int:
        """Bits of one slot."""
        return sum(_fixed(field) for field in self.fields)

    def widths(self, parameters: Mapping[str, int]) -> dict[str, int]:
        """The bits of one slot of each port, by the names of the fields."""
        ports = (field for field in self.fields if isinstance(field, Field) and field.width)
        return {f.name: f.width if isinstance(f.width, int) else parameters[f.width] for f in ports}

    def dtype(self) -> np.dtype:
        """Of one slot."""
        if not self.groups:
            return np.dtype(list(_columns(self.fields, {})))
        columns, rest = [], self.fields
        for name, count in self.groups:
            columns.append((name, list(_columns(rest[:count], {}))))
            rest = rest[count:]
        return np.dtype(columns)


@dataclass(frozen=True)
class Layout:
    """A row of one kind of file. name: of its kind, such as stimulus. levels: of a row that trace_player plays, the
    bits of its second field that keep their values until the next row.
    """

    name: str
    fields: tuple[Field | Zero | Slots, ...]
    levels: int | None = None

    def dtype(self, counts: Mapping[str, int] | None = None) -> np.dtype:
        """The numpy type of a row. counts: value of each parameter that is a number of elements or slots."""
        return np.dtype(list(_columns(self.fields, counts or {})))

    def field(self, name: str) -> Field:
        """A field by its name."""
        return next(field for field in self.fields if isinstance(field, Field) and field.name == name)


@dataclass(frozen=True)
class Rows:
    """The layouts of a testbench. parameters: of the modules that are generated, with their defaults. modules: each
    a layout, and SPLIT, DRIVE or JOIN. more: layouts of which SystemVerilog has the places alone.
    """

    parameters: Mapping[str, int]
    modules: tuple[tuple[Layout, str], ...]
    more: tuple[Layout, ...] = ()


def _columns(fields: tuple[Field | Zero | Slots, ...], counts: Mapping[str, int]) -> Iterator[tuple[Any, ...]]:
    for number, field in enumerate(fields):
        if isinstance(field, Zero):
            yield f"zero{number}", "u1", (field.bytes,)
        elif isinstance(field, Slots):
            yield field.name, field.dtype(), (counts[field.count],)
        elif field.elements is None:
            yield field.name, field.type
        else:
            count = counts[field.elements] if isinstance(field.elements, str) else field.elements
            yield field.name, field.type, (-(-count // field.multiple) * field.multiple,)


def _fixed(field: Field | Zero) -> int:
    """Bits of a field whose size depends on no parameter."""
    return field.size * (field.elements or 1) if isinstance(field, Field) else field.size  # type: ignore[operator]


def without_ports(slots: Slots, *names: str) -> Slots:
    """The same slots, in which some fields have no port."""
    return replace(
        slots,
        fields=tuple(replace(f, width=0) if isinstance(f, Field) and f.name in names else f for f in slots.fields),
    )
