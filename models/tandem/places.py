# SPDX-License-Identifier: Apache-2.0
"""Where the fields of an item are, in bytes: for code that works on the columns of many items at once."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from rvtrace.models.common.messages import Field, Table
from rvtrace.models.tandem import table as t

# Fields whose meaning encoder, decoder and checks know; any other one of the table is carried and shown
KNOWN = frozenset({"address", "data", "offset", "mask", "id", "op", "size", "result", "bits"})


class Part(NamedTuple):
    """A field: its first byte after the opcode's, the bit of it in that byte, and its bits."""

    field: Field
    byte: int
    shift: int
    bits: int

    def value(self, data: Any, offset: int) -> int:
        """Of the item that begins at an offset of some bytes."""
        at = offset + self.byte
        found = int.from_bytes(data[at : at + (self.shift + self.bits + 7) // 8], "little")
        return found >> self.shift & (1 << self.bits) - 1


class Places:
    """Of one table and configuration. head: by opcode, the bytes up to and with those of the last field whose width
    depends on no other; tail: bytes of the fields after the ones that do; more: the fields that nobody knows.
    """

    def __init__(self, items: Table[Any], config: Any) -> None:
        self.config = config
        self.by_code = {item.selector["opcode"]: item for item in items.messages}
        self._at: dict[tuple[int, str], tuple[int, int]] = {}
        self.tail: dict[int, int] = {}
        self.more: dict[int, tuple[Part, ...]] = {}
        for code, item in self.by_code.items():
            self._place(code, item.fields)

    def _place(self, code: int, fields: tuple[Field, ...]) -> None:
        at, more, after, depends = 0, list[Part](), 0, False
        for one in fields:
            if not depends:
                self._at[code, one.key] = 1 + at // 8, at % 8
            try:
                bits = one.bits(self.config, {})
            except KeyError:  # of the field that it depends on
                depends = True
                continue
            if depends:
                after += bits
            elif bits and one.key not in KNOWN:
                more.append(Part(one, 1 + at // 8, at % 8, bits))
            at += bits
        self.tail[code], self.more[code] = after // 8, tuple(more)

    def at(self, code: int, key: str) -> int:
        """The byte of an item, its opcode is byte 0, in which a field begins that no other one moves."""
        return self._at[code, key][0]

    def shift(self, code: int, key: str) -> int:
        """The bit of that byte."""
        return self._at[code, key][1]

    def size(self, code: int, **values: int) -> int:
        """Bytes of an item, or of its first fields as far as these values go; of a field without a width 0."""
        bits = [one.bits(self.config, values) for one in self.by_code[code].fields]
        return 1 + sum(bits) // 8

    def header(self, code: int, **values: Any) -> tuple[Any, ...]:
        """The bytes of an item up to the field that `values` lacks and that is known, each a number or an array of
        them. A field that nobody knows is 0.
        """
        found: list[Any] = [code]
        word, at = 0, 0
        for one in self.by_code[code].fields:
            if one.key in KNOWN and one.key not in values:
                break
            word = word | values.get(one.key, 0) << at
            at += one.bits(self.config, {})
            while at >= 8:
                found.append(word & 0xFF)
                word, at = word >> 8 if at > 8 else 0, at - 8
        return tuple(found)

    def trailer(self, code: int) -> tuple[int, ...]:
        """The bytes of an item after its last field that is known."""
        fields = self.by_code[code].fields
        last = max((index for index, one in enumerate(fields) if one.key in KNOWN), default=-1)
        return (0,) * (sum(one.bits(self.config, {}) for one in fields[last + 1 :]) // 8)


def places(config: Any) -> Places:
    """Of the table in use."""
    return _places(t.TABLES[t.VERSION], config)


@lru_cache(64)
def _places(items: Table[Any], config: Any) -> Places:
    return Places(items, config)
