# SPDX-License-Identifier: Apache-2.0
"""What a decoder makes of a tandem trace: its sections as columns, the changes each makes to the shadow state, memory
requests.

A *section* is a group, or one item outside groups (a request with its response). Keys of changes are register
addresses, and `STATE_KEY` + identifier for additional state (`PC_KEY` for the next pc, also where opcode 3 reported
it).

    for group in decode(data, config).groups():
        group.pc, group.insn, group.size, group.next_pc, group.changes, group.memory
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np

from rvtrace.models.tandem.decoder.diagnostics import Diagnostic
from rvtrace.models.tandem.table import PC, STATE_KEY

PC_KEY = STATE_KEY + PC
GROUP, OUTSIDE = range(2)  # kind of a section


class Memory(NamedTuple):
    """A request and its response. data: sent with the request, None if it has none. result, response_data: None if not
    there.
    """

    op: int
    size: int
    address: int
    data: int | None = None
    result: int | None = None
    response_data: int | None = None


class Group(NamedTuple):
    """One section.

    number: of the group (of the one before it if this is outside groups; -1: none). offset, end: of its bytes. pc: of
    the instruction, as far as known, else None. insn, size: bits and bytes of the instruction, size 0: none. next_pc:
    None if unknown. changes: (key, value) in the order reported, incremental forms worked out; next pc included if the
    section reports it. memory: requests. broken: its bytes could not be followed to its end. outside: not a group.
    """

    number: int
    offset: int
    end: int
    pc: int | None
    insn: int
    size: int
    next_pc: int | None
    reset: bool
    init: bool
    broken: bool
    outside: bool
    changes: list[tuple[int, int]]
    memory: list[Memory]


@dataclass
class Decoded:
    """Columns. Of n sections: number, offset, end, kind, pc, pc_known, insn, size, next_pc, next_known, reset, init,
    broken; change_start and memory_start have n + 1 elements. Of changes: change_key, change_value, change_offset. Of
    requests: memory_op, memory_size, memory_address, memory_data, memory_has (bit 0: data, 1: response, 2: its data),
    memory_result, memory_response.

    items: how many the bytes have. diagnostics: by offset. lost: diagnostics that were not kept.
    """

    number: np.ndarray
    offset: np.ndarray
    end: np.ndarray
    kind: np.ndarray
    pc: np.ndarray
    pc_known: np.ndarray
    insn: np.ndarray
    size: np.ndarray
    next_pc: np.ndarray
    next_known: np.ndarray
    reset: np.ndarray
    init: np.ndarray
    broken: np.ndarray
    change_start: np.ndarray
    change_key: np.ndarray
    change_value: np.ndarray
    change_offset: np.ndarray
    memory_start: np.ndarray
    memory_op: np.ndarray
    memory_size: np.ndarray
    memory_address: np.ndarray
    memory_data: np.ndarray
    memory_has: np.ndarray
    memory_result: np.ndarray
    memory_response: np.ndarray
    items: int
    diagnostics: list[Diagnostic]
    lost: int = 0

    def __len__(self) -> int:
        return len(self.offset)

    @classmethod
    def empty(cls) -> Decoded:
        """Nothing."""
        columns: dict[str, Any] = {
            name: np.zeros(1 if name.endswith("_start") else 0, dtype) for name, dtype in DTYPES.items()
        }
        return cls(**columns, items=0, diagnostics=[])

    @property
    def group_count(self) -> int:
        """How many groups there are."""
        return int(np.count_nonzero(self.kind == GROUP))

    @property
    def instruction_count(self) -> int:
        """How many groups have an instruction."""
        return int(np.count_nonzero(self.size))

    @staticmethod
    def concat(parts: Iterable[Decoded]) -> Decoded:
        """The parts one after the other."""
        kept = list(parts) or [Decoded.empty()]
        columns = {}
        for name in DTYPES:
            if name.endswith("_start"):
                shifts = np.cumsum([0] + [getattr(part, name)[-1] for part in kept[:-1]])
                columns[name] = np.concatenate(
                    [np.zeros(1, np.int64)] + [getattr(part, name)[1:] + shift for part, shift in zip(kept, shifts)]
                )
            else:
                columns[name] = np.concatenate([getattr(part, name) for part in kept])
        found = [diagnostic for part in kept for diagnostic in part.diagnostics]
        return Decoded(
            **columns, items=sum(part.items for part in kept), diagnostics=found, lost=sum(part.lost for part in kept)
        )

    def since(self, first: int) -> Decoded:
        """Sections from number `first` on, without diagnostics."""
        columns: dict[str, Any] = {}
        places = {kind: int(getattr(self, f"{kind}_start")[first]) for kind in ("change", "memory")}
        for name in DTYPES:
            kind, _, what = name.partition("_")
            column = getattr(self, name)
            if what == "start":
                columns[name] = column[first:] - places[kind]
            else:
                columns[name] = column[places.get(kind, first) :].copy()
        return Decoded(**columns, items=0, diagnostics=[])

    def memory(self, first: int, last: int) -> list[Memory]:
        """Requests number first to last - 1."""
        names = ("memory_op", "memory_size", "memory_address", "memory_data", "memory_result", "memory_response")
        columns = [getattr(self, name)[first:last].tolist() for name in names]
        return [
            Memory(
                op, size, address, data if has & 1 else None, result if has & 2 else None, response if has & 4 else None
            )
            for op, size, address, data, result, response, has in zip(*columns, self.memory_has[first:last].tolist())
        ]

    def group(self, k: int) -> Group:
        """Section k."""
        return next(self.groups(k, k + 1))

    def groups(self, first: int = 0, last: int | None = None) -> Iterator[Group]:
        """Sections in order, the groups and what is reported between them."""
        last = len(self) if last is None else last
        for begin in range(first, last, _STRETCH):
            yield from self._stretch(begin, min(begin + _STRETCH, last))

    def _stretch(self, first: int, last: int) -> Iterator[Group]:
        changes_from, memory_from = (int(getattr(self, name)[first]) for name in ("change_start", "memory_start"))
        changes_to, memory_to = (int(getattr(self, name)[last]) for name in ("change_start", "memory_start"))
        changes = list(
            zip(self.change_key[changes_from:changes_to].tolist(), self.change_value[changes_from:changes_to].tolist())
        )
        memory = self.memory(memory_from, memory_to)
        change_at = (self.change_start[first : last + 1] - changes_from).tolist()
        memory_at = (self.memory_start[first : last + 1] - memory_from).tolist()
        columns = (getattr(self, name)[first:last].tolist() for name in _OF_GROUP)
        rows = zip(*columns, change_at, change_at[1:], memory_at, memory_at[1:])
        for (
            number,
            offset,
            end,
            pc,
            known,
            insn,
            size,
            next_pc,
            next_known,
            reset,
            init,
            broken,
            kind,
            c0,
            c1,
            m0,
            m1,
        ) in rows:
            yield Group(
                number,
                offset,
                end,
                pc if known else None,
                insn,
                size,
                next_pc if next_known else None,
                reset,
                init,
                broken,
                kind == OUTSIDE,
                changes[c0:c1],
                memory[m0:m1] if m1 > m0 else [],
            )


_STRETCH = 1 << 14  # sections turned into lists at a time
_OF_GROUP = (
    "number",
    "offset",
    "end",
    "pc",
    "pc_known",
    "insn",
    "size",
    "next_pc",
    "next_known",
    "reset",
    "init",
    "broken",
    "kind",
)
DTYPES = {
    "number": np.int64,
    "offset": np.int64,
    "end": np.int64,
    "kind": np.uint8,
    "pc": np.uint64,
    "pc_known": bool,
    "insn": np.uint32,
    "size": np.uint8,
    "next_pc": np.uint64,
    "next_known": bool,
    "reset": bool,
    "init": bool,
    "broken": bool,
    "change_start": np.int64,
    "change_key": np.int64,
    "change_value": np.uint64,
    "change_offset": np.int64,
    "memory_start": np.int64,
    "memory_op": np.uint8,
    "memory_size": np.uint8,
    "memory_address": np.uint64,
    "memory_data": np.uint64,
    "memory_has": np.uint8,
    "memory_result": np.uint8,
    "memory_response": np.uint64,
}
assert set(DTYPES) == {f.name for f in fields(Decoded)} - {"items", "diagnostics", "lost"}
