# SPDX-License-Identifier: Apache-2.0
"""The retire stream: what a hart did, in order, as arrays.

One `Retired` serves every system: the encoders write it as bytes, the control transfer records keep its end,
the counters count it. A row is an event of one `Kind`; most rows are retired instructions.
`Effects`, where a recording has them, hold what each instruction did to registers, memory and CSRs.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass, fields
from enum import IntEnum
from pathlib import Path
from typing import Any

import numpy as np

CSV_HEADER = ("kind", "pc", "size", "itype", "taken", "cause", "tval", "priv", "context")
CSV_EXTRA = ("hcontext", "sijump")  # columns that are written only where one of them is not 0


class Kind(IntEnum):
    """What a row of the retire stream is."""

    INSN = 0
    EXCEPTION = 1
    INTERRUPT = 2
    TRACE_ON = 3
    TRACE_OFF = 4
    DEBUG_ENTRY = 5
    DEBUG_EXIT = 6
    NOTIFY = 7  # a debug trigger with action 4 (trace-notify) fired on the instruction before
    EXT_NOTIFY = 8  # an external trigger whose action is trace-notify
    RESET_ENTRY = 9
    RESET_EXIT = 10
    SLEEP = 11  # entry into low-power mode
    WAKE = 12
    VENDOR = 13  # a vendor-defined message is handed to the encoder: cause is its TCODE, tval its data
    TOGGLE = 14  # E-Trace: from here on the options differ from the configured ones in the bits of cause


class Priv(IntEnum):
    """Privilege of an instruction: {V, PRV[1:0]}, the code of N-Trace's Ownership (section 7.1)."""

    U = 0
    S = 1
    M = 3
    VU = 4
    VS = 5


# Its code on E-Trace's ingress port (table priv; 4 is Debug Mode), which trTeFilterMatchChoicePrivilege has a bit for
# each of.
PRIVILEGE = {0: 0, 1: 1, 3: 3, 4: 5, 5: 6}


class IType(IntEnum):
    """The 4-bit itype of the ingress port (E-Trace 2.0 table 4.3, N-Trace tables 2 to 4)."""

    NONE = 0
    EXCEPTION = 1
    INTERRUPT = 2
    XRET = 3
    NOT_TAKEN = 4
    TAKEN = 5
    UNINFERABLE_JUMP = 6
    RESERVED = 7
    UNINFERABLE_CALL = 8
    INFERABLE_CALL = 9
    UNINFERABLE_TAIL_CALL = 10
    INFERABLE_TAIL_CALL = 11
    COROUTINE_SWAP = 12
    RETURN = 13
    OTHER_UNINFERABLE_JUMP = 14
    OTHER_INFERABLE_JUMP = 15


class RetiredError(ValueError):
    """A retire stream that cannot be read or is inconsistent; the text says what to do."""


@dataclass
class Effects:
    """What each row did, as arrays of the row count, and a sparse table of CSR writes.

    rd: 0 none, 1..31 x register, 32..63 f register; rd_value: value written.
    mem_addr, mem_size (bytes, 0 none), mem_store (1 store, 0 load), mem_value: the memory access.
    csr_row, csr_addr, csr_value: one entry per CSR write, csr_row not decreasing (a trap has several).
    """

    rd: np.ndarray
    rd_value: np.ndarray
    mem_addr: np.ndarray
    mem_size: np.ndarray
    mem_store: np.ndarray
    mem_value: np.ndarray
    csr_row: np.ndarray
    csr_addr: np.ndarray
    csr_value: np.ndarray


_DTYPES = {
    "kind": np.uint8,
    "pc": np.uint64,
    "size": np.uint8,
    "itype": np.uint8,
    "taken": np.int8,
    "cause": np.uint64,
    "tval": np.uint64,
    "priv": np.uint8,
    "context": np.uint64,
    "hcontext": np.uint16,
    "sijump": np.uint8,
}


# Smallest and largest value of each column; kind and priv are names.
_RANGES = {name: (0, int(np.iinfo(dtype).max)) for name, dtype in _DTYPES.items() if name not in ("kind", "priv")} | {
    "itype": (0, 15), "taken": (-1, 1), "sijump": (0, 1),
}  # fmt: skip


ABSENT: Any = None  # of a column that may be left out; `__post_init__` makes it, so that every object has all columns


@dataclass
class Retired:
    """Arrays of equal length, one element per event.

    kind: a `Kind`. pc: address of the instruction; for a trap the EPC; for the other kinds the address of the
    next instruction. size: bytes, 0 unless INSN. itype: an `IType` of the variant in force. taken: 0/1 for a branch,
    else -1. cause, tval: of a trap (cause without the interrupt bit). priv, context (scontext), hcontext: those in
    which the instruction ran; for a trap those before it. sijump: 1 for an uninferable jump whose register the
    instruction right before loaded with a constant (section 9.1; `rvtrace.models.riscv.sequential` marks them).
    """

    kind: np.ndarray
    pc: np.ndarray
    size: np.ndarray
    itype: np.ndarray
    taken: np.ndarray
    cause: np.ndarray
    tval: np.ndarray
    priv: np.ndarray
    context: np.ndarray
    effects: Effects | None = None
    hcontext: np.ndarray = ABSENT
    sijump: np.ndarray = ABSENT

    def __post_init__(self) -> None:
        for name in CSV_EXTRA:
            if getattr(self, name) is None:
                setattr(self, name, np.zeros(len(self.pc), _DTYPES[name]))
        for name, dtype in _DTYPES.items():
            setattr(self, name, np.ascontiguousarray(getattr(self, name), dtype=dtype))
        lengths = {name: len(getattr(self, name)) for name in _DTYPES}
        if len(set(lengths.values())) != 1:
            raise RetiredError(f"columns of a retire stream differ in length: {lengths}; give one element per event")

    def __len__(self) -> int:
        return len(self.kind)

    @classmethod
    def from_columns(cls, **columns: Any) -> Retired:
        """A stream from the columns given; `pc` is required, the others default to a plain row."""
        n = len(columns["pc"])
        default = {"taken": -1, "size": 4, "priv": int(Priv.M)}
        full = {name: columns.get(name, np.full(n, default.get(name, 0))) for name in _DTYPES}
        return cls(**full)

    @classmethod
    def from_rows(cls, rows: Iterable[tuple[int, ...]]) -> Retired:
        """A stream from tuples in the order of `CSV_HEADER` and `CSV_EXTRA` (numbers, taken -1 where none)."""
        table = list(rows)
        columns = zip(*table) if table else ([] for _ in CSV_HEADER)
        arrays: dict[str, Any] = {name: np.array(c, dtype=t) for c, (name, t) in zip(columns, _DTYPES.items())}
        return cls(**arrays)

    def select(self, index: Any) -> Retired:
        """The rows of a mask, slice or index array, without effects."""
        return Retired(**{name: getattr(self, name)[index] for name in _DTYPES})

    @staticmethod
    def concat(parts: list[Retired]) -> Retired:
        """The parts one after the other, without effects."""
        columns: dict[str, Any] = {name: np.concatenate([getattr(p, name) for p in parts]) for name in _DTYPES}
        return Retired(**columns)

    def differs(self, other: Retired) -> int | None:
        """Index of the first row that differs, the shorter length if one is a prefix, None if equal."""
        n = min(len(self), len(other))
        unequal = np.zeros(n, dtype=bool)
        for name in _DTYPES:
            unequal |= getattr(self, name)[:n] != getattr(other, name)[:n]
        if unequal.any():
            return int(np.argmax(unequal))
        return None if len(self) == len(other) else n

    def to_csv(self, path: str | Path) -> None:
        """Write `retired.csv`: pc, cause, tval and context in hex, the rest as the header's names say."""
        kinds = [k.name.lower() for k in Kind]
        privs = {int(p): p.name for p in Priv}
        extra = any(getattr(self, name).any() for name in CSV_EXTRA)
        columns = [getattr(self, name).tolist() for name in _DTYPES]
        with open(path, "w", newline="\n") as out:
            out.write(",".join(CSV_HEADER + CSV_EXTRA * extra) + "\n")
            out.writelines(
                f"{kinds[k]},{pc:#x},{size},{itype},{'' if taken < 0 else taken},{cause:#x},{tval:#x},"
                f"{privs.get(priv, priv)},{context:#x}" + (f",{hcontext:#x},{sijump}\n" if extra else "\n")
                for k, pc, size, itype, taken, cause, tval, priv, context, hcontext, sijump in zip(*columns)
            )

    @classmethod
    def from_csv(cls, path: str | Path) -> Retired:
        """Read what `to_csv` wrote; RetiredError names the line that is not of that form."""
        rows = []
        with open(path, newline="") as source:
            reader = csv.reader(source)
            header = tuple(next(reader, ()))
            if header not in (CSV_HEADER, CSV_HEADER + CSV_EXTRA):
                raise RetiredError(
                    f"{path} starts with {','.join(header)!r}, needed the header {','.join(CSV_HEADER)!r}; "
                    "write it with `make capture` or give your tool's log that form"
                )
            for row in reader:
                try:
                    rows.append(_parse_row(row))
                except (ValueError, KeyError) as error:
                    raise RetiredError(
                        f"{path} line {reader.line_num}: {','.join(row)!r} is not an event ({error}); "
                        f"needed {','.join(CSV_HEADER)}"
                    ) from None
        for name, (low, high) in _RANGES.items():
            at = (*CSV_HEADER, *CSV_EXTRA).index(name)
            if at >= len(header) or not rows:
                continue
            column = [row[at] for row in rows]
            if low <= min(column) and max(column) <= high:
                continue
            row = next(n for n, value in enumerate(column) if not low <= value <= high)
            value = f"{column[row]:#x}" if high > 255 else str(column[row])
            most = f"{high:#x}" if high > 255 else str(high)
            raise RetiredError(f"{path} line {row + 2}: {name} {value} is out of range; give {low} to {most}")
        return cls.from_rows(rows)


def _parse_row(row: list[str]) -> tuple[int, ...]:
    kind, pc, size, itype, taken, cause, tval, priv, context, *extra = row
    return (
        int(Kind[kind.upper()]), int(pc, 16), int(size), int(itype), int(taken) if taken else -1,
        int(cause or "0", 16), int(tval or "0", 16), int(Priv[priv]), int(context or "0", 16),
        *(int(value or "0", 0) for value in extra),
    )  # fmt: skip


assert tuple(_DTYPES) == CSV_HEADER + CSV_EXTRA and {*_DTYPES, "effects"} == {f.name for f in fields(Retired)}
