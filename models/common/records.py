# SPDX-License-Identifier: Apache-2.0
"""Records of named integers for kernels (`rvtrace.models.common.native`): objects for Python, arrays for compiled code.

    NODE = Record("Node", "kind halves after")
    nodes = NODE.rows(16)                     objects with these attributes, all of them -1
    nodes = NODE.array(nodes)                 the same as a structured array: int64 each
    nodes[3].kind                             in a kernel, for both

A kernel reads and writes attributes, and nothing else: whole records are copied by `Record.copier`.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable
from dataclasses import make_dataclass
from functools import cache
from types import FunctionType
from typing import Any

import numpy as np

EMPTY = -1  # the key of a row of a hash table that is not in use
_FEW = 1 << 6  # rows of a new table


class Record:
    """A kind of record. names: of its fields, in the order of `dtype`."""

    def __init__(self, name: str, names: str) -> None:
        self.name, self.names = name, tuple(names.split())
        self.dtype = np.dtype([(each, np.int64) for each in self.names])
        self.kind: Any = make_dataclass(
            name, self.names, namespace={"__repr__": _shown}, repr=False, eq=False, slots=True
        )
        fields = [(each, ctypes.c_int64) for each in self.names]
        self._view: Any = type(f"{name}View", (ctypes.Structure,), {"_fields_": fields})

    def one(self, default: int = -1, **values: int) -> Any:
        """An object; its fields are `default` but for those given."""
        return self.kind(*(values.get(name, default) for name in self.names))

    def rows(self, count: int, default: int = -1) -> list[Any]:
        """So many objects, all of whose fields are `default`."""
        blank = (default,) * len(self.names)
        return [self.kind(*blank) for _ in range(count)]

    def array(self, rows: Iterable[Any]) -> np.ndarray:
        """Objects as a structured array."""
        found = [tuple(getattr(row, name) for name in self.names) for row in rows]
        return np.array(found, self.dtype)

    def at(self, rows: Any, index: int) -> Any:
        """One row, to read and write outside a kernel: an object whose fields are integers of Python."""
        if not isinstance(rows, np.ndarray):
            return rows[index]
        return self._view.from_buffer(rows, index * self.dtype.itemsize)

    def longer(self, rows: Any) -> Any:
        """Twice as long, with -1 in what is new."""
        if isinstance(rows, np.ndarray):
            made = np.full(2 * len(rows), -1, np.int64).astype(self.dtype)
            made[: len(rows)] = rows
            return made
        rows.extend(self.rows(len(rows)))
        return rows

    def put(self, rows: Any, index: int, values: tuple[int, ...]) -> None:
        """All fields of one row, as objects or as an array."""
        if isinstance(rows, np.ndarray):
            rows[index] = values
            return
        for name, value in zip(self.names, values):
            setattr(rows[index], name, value)

    def get(self, rows: Any, index: int) -> tuple[int, ...]:
        """All fields of one row."""
        if isinstance(rows, np.ndarray):
            return tuple(map(int, rows[index]))
        return tuple(getattr(rows[index], name) for name in self.names)

    def listed(self, rows: Any, count: int) -> list[tuple[int, ...]]:
        """All fields of the first rows."""
        if isinstance(rows, np.ndarray):
            return rows[:count].tolist()
        return [self.get(rows, index) for index in range(count)]

    def copier(self, module: str) -> Callable[[Any, Any], None]:
        """A function of a kernel, (to, from), that copies all fields. module: the name of the kernel's."""
        lines = "".join(f"    to.{name} = given.{name}\n" for name in self.names)
        space: dict[str, Any] = {"__name__": module}
        exec(f"def copy(to, given):\n{lines}", space)
        made: FunctionType = space["copy"]
        made.__annotations__ = {"return": "None"}
        return made


class Block:
    """Records and columns of fixed length as one record, of which a kernel takes an array of one row: Numba passes
    every array of a tuple at each call, so a few cost less than many.

        BLOCK = Block("Block", state=STATE, walks=(WALK, 4), calls=256)
        m.block[0].walks[2].count, m.block[0].calls[7]        in a kernel, for objects and for an array
    """

    def __init__(self, name: str, **parts: Record | tuple[Record, int] | int) -> None:
        self.name, self.parts = name, parts
        self.dtype = np.dtype([(each, *_part(of)) for each, of in parts.items()])
        self.kind: Any = type(name, (), {"__slots__": tuple(parts)})

    def one(self, **given: Any) -> Any:
        """An object; a record is given as an object, a column as a list."""
        made = self.kind()
        for name in self.parts:
            setattr(made, name, given[name])
        return made

    def array(self, one: Any) -> np.ndarray:
        """An object as an array of one row."""
        made = np.zeros(1, self.dtype)
        for name, of in self.parts.items():
            given = getattr(one, name)
            if isinstance(of, Record):
                made[name] = of.array([given])
            else:
                made[name][0] = of[0].array(given) if isinstance(of, tuple) else given
        return made

    def at(self, rows: Any, name: str) -> Any:
        """A part of the one row, to read and write outside a kernel: a record as `Record.at`, a column as it is."""
        if not isinstance(rows, np.ndarray):
            return getattr(rows[0], name)
        of = self.parts[name]
        return of.at(rows[name], 0) if isinstance(of, Record) else rows[name][0]


def _part(of: Record | tuple[Record, int] | int) -> tuple[Any, ...]:
    if isinstance(of, Record):
        return (of.dtype,)
    return (of[0].dtype, (of[1],)) if isinstance(of, tuple) else (np.int64, (of,))


def as_object(columns: Any) -> Any:
    """A named tuple of columns as an object with the same attributes, which Python reads in a third of the time."""
    made = _object_of(type(columns))()
    for name, column in zip(columns._fields, columns):
        setattr(made, name, column)
    return made


@cache
def _object_of(kind: Any) -> Any:
    return type(kind.__name__, (), {"__slots__": kind._fields})


def _shown(row: Any) -> str:
    fields = (f"{name}={getattr(row, name)}" for name in row.__slots__)
    return f"{type(row).__name__}({', '.join(fields)})"


class Hash:
    """A hash table of a kernel: rows of a record whose first field is `key`, a power of two of them.

    place: of the kernel, where the search for a key begins: (key, last index of the table) to an index.
    """

    def __init__(self, record: Record, place: Callable[[int, int], int]) -> None:
        self.record, self.used, self._place = record, 0, place
        self.rows: Any = record.rows(_FEW)
        self._rows_of: dict[int, int] = {}  # the row of each key
        self._taken: set[int] = set()

    def find(self, key: int) -> int:
        """Where the row of a key is, -1 if nowhere."""
        return self._rows_of.get(key, EMPTY)

    def at(self, index: int) -> Any:
        """A row, as `Record.at`."""
        return self.record.at(self.rows, index)

    def compile(self) -> None:
        """Objects to an array."""
        self.rows = self.record.array(self.rows)

    def add(self, *values: int) -> None:
        """A new row, the key first; the table grows where it would be a quarter full."""
        if 4 * (self.used + 1) > len(self.rows):
            old, get = self.rows, self.record.get
            size = 4 * len(old)
            compiled = isinstance(old, np.ndarray)
            self.rows = np.full(size, -1, np.int64).astype(self.record.dtype) if compiled else self.record.rows(size)
            known = list(self._rows_of.values())
            self._taken.clear()
            for index in known:
                self._put(get(old, index))
        self._put(values)
        self.used += 1

    def _put(self, row: tuple[int, ...]) -> None:
        most = len(self.rows) - 1
        at = self._place(row[0], most)
        while at in self._taken:
            at = at + 1 & most
        self._taken.add(at)
        self._rows_of[row[0]] = at
        self.record.put(self.rows, at, row)
