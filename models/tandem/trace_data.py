# SPDX-License-Identifier: Apache-2.0
"""TraceData and Rows: what a hart does at one retirement, as one record and as columns (Appendix B with what its errata
add).

Rows are what the RTL's port gets and what the encoder model encodes. `has` says which parts a row has (bits:
`table.HAS`); columns of parts that it does not have mean nothing. Ports and their order:
docs/reference/tandem-profile.md.

    rows = Rows.from_rows([TraceData(reset=True, pc=0x80000000, priv=3),
                           TraceData(pc=0x80000004, insn=(4, 0x00500513), gpr=(10, 5))])
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.table import BIT, COLUMNS, CSR_SLOTS, HAS, PARTS, column_width


def _dtype(width: int | str) -> Any:
    if isinstance(width, str) or width > 32:
        return np.uint64
    return np.uint8 if width <= 8 else np.uint16 if width <= 16 else np.uint32


DTYPES: dict[str, Any] = {"cycle": np.uint64, "has": np.uint32} | {
    column.name: _dtype(column.width) for column in COLUMNS
}
_COUNTS = {column.name: column.count for column in COLUMNS}


class RowsError(ValueError):
    """Rows that no port can carry; the text says which."""


class TraceData(NamedTuple):
    """One row; None (False, or no CSR) where the row does not have it.

    pc: of the next instruction; ppc: its physical address. insn: (bytes, bits). gpr, fpr: (number, value). csr: up to
    four (address, value). memdata: (size code, value): 0 to 3 for 1 to 8 bytes. request: (op, size code, address,
    data). response: (result, data). group: False for what is reported outside groups. flush: alone, closes an open
    group.
    """

    pc: int | None = None
    insn: tuple[int, int] | None = None
    gpr: tuple[int, int] | None = None
    fpr: tuple[int, int] | None = None
    csr: tuple[tuple[int, int], ...] = ()
    paddr: int | None = None
    eaddr: int | None = None
    memdata: tuple[int, int] | None = None
    fcsr: int | None = None
    priv: int | None = None
    mtime: int | None = None
    mcycle: int | None = None
    minstret: int | None = None
    request: tuple[int, int, int, int] | None = None
    response: tuple[int, int] | None = None
    ppc: int | None = None
    reset: bool = False
    init: bool = False
    group: bool = True
    flush: bool = False


FLUSH = TraceData(group=False, flush=True)
_PAIRS = {
    "insn": ("insn16", "insn"),
    "gpr": ("gpr_addr", "gpr"),
    "fpr": ("fpr_addr", "fpr"),
    "memdata": ("memdata_size", "memdata"),
    "request": ("req_op", "req_size", "req_addr", "req_data"),
    "response": ("rsp_result", "rsp_data"),
}
_SINGLES = ("pc", "ppc", "paddr", "eaddr", "fcsr", "priv", "mtime", "mcycle", "minstret")


class Rows:
    """Columns of n rows, as attributes: cycle (not decreasing, at most one row for each lane), has, and those of
    `table.COLUMNS`.

    csr_addr and csr have the shape [n, 4], all others [n]. Columns that are not given are 0; cycle is the row's number.
    """

    cycle: np.ndarray
    has: np.ndarray
    pc: np.ndarray
    ppc: np.ndarray
    insn: np.ndarray
    insn16: np.ndarray
    gpr_addr: np.ndarray
    gpr: np.ndarray
    fpr_addr: np.ndarray
    fpr: np.ndarray
    fcsr: np.ndarray
    csr_addr: np.ndarray
    csr: np.ndarray
    priv: np.ndarray
    paddr: np.ndarray
    eaddr: np.ndarray
    memdata_size: np.ndarray
    memdata: np.ndarray
    mtime: np.ndarray
    mcycle: np.ndarray
    minstret: np.ndarray
    req_op: np.ndarray
    req_size: np.ndarray
    req_addr: np.ndarray
    req_data: np.ndarray
    rsp_result: np.ndarray
    rsp_data: np.ndarray

    def __init__(self, n: int, **columns: Any) -> None:
        unknown = set(columns) - set(DTYPES)
        if unknown:
            raise RowsError(f"there is no column {min(unknown)}; give some of {', '.join(DTYPES)}")
        self._n = n
        for name, dtype in DTYPES.items():
            shape = (n, CSR_SLOTS) if _COUNTS.get(name, 1) > 1 else (n,)
            default = np.arange(n, dtype=dtype) if name == "cycle" else np.zeros(shape, dtype)
            column = np.ascontiguousarray(columns[name], dtype=dtype) if name in columns else default
            if column.shape != shape:
                raise RowsError(f"column {name} has the shape {column.shape}; give {shape}")
            setattr(self, name, column)

    def __len__(self) -> int:
        return self._n

    def columns(self) -> dict[str, np.ndarray]:
        """Every column by name."""
        return {name: getattr(self, name) for name in DTYPES}

    def have(self, part: str) -> np.ndarray:
        """Which rows have a part, as a mask."""
        return (self.has >> np.uint32(BIT[part]) & np.uint32(1)).astype(bool)

    @classmethod
    def from_rows(cls, rows: Iterable[TraceData], lanes: int = 1) -> Rows:
        """From records, `lanes` in each cycle."""
        table = list(rows)
        columns: dict[str, list[Any]] = {name: [0] * len(table) for name in DTYPES if _COUNTS.get(name, 1) == 1}
        columns["cycle"] = [k // lanes for k in range(len(table))]
        out = cls(len(table))
        for k, row in enumerate(table):
            has = sum(HAS[name] for name in ("group", "flush", "reset", "init") if getattr(row, name))
            for name in _SINGLES:
                if (value := getattr(row, name)) is not None:
                    has, columns[name][k] = has | HAS[name], value
            for name, targets in _PAIRS.items():
                if (values := getattr(row, name)) is not None:
                    has |= HAS[name]
                    for target, value in zip(targets, values):
                        columns[target][k] = int(value == 2) if target == "insn16" else value
            if len(row.csr) > CSR_SLOTS:
                raise RowsError(
                    f"row {k} has {len(row.csr)} CSRs; give at most {CSR_SLOTS}, the others in a row outside groups"
                    " before it"
                )
            for slot, (address, value) in enumerate(row.csr):
                has |= HAS[f"csr{slot}"]
                out.csr_addr[k, slot], out.csr[k, slot] = address, value
            columns["has"][k] = has
        for name, column in columns.items():
            setattr(out, name, np.array(column, dtype=DTYPES[name]))
        return out

    def row(self, k: int) -> TraceData:
        """Row k as a record."""
        has = int(self.has[k])
        values: dict[str, Any] = {name: bool(has & HAS[name]) for name in ("group", "flush", "reset", "init")}
        for name in _SINGLES:
            if has & HAS[name]:
                values[name] = int(getattr(self, name)[k])
        for name, sources in _PAIRS.items():
            if has & HAS[name]:
                values[name] = tuple(int(getattr(self, source)[k]) for source in sources)
        if has & HAS["insn"]:
            values["insn"] = (2 if self.insn16[k] else 4, int(self.insn[k]))
        values["csr"] = tuple(
            (int(self.csr_addr[k, s]), int(self.csr[k, s])) for s in range(CSR_SLOTS) if has & HAS[f"csr{s}"]
        )
        return TraceData(**values)

    def __iter__(self) -> Iterator[TraceData]:
        return (self.row(k) for k in range(self._n))

    def select(self, index: Any) -> Rows:
        """The rows of a mask, slice or index array."""
        columns = {name: column[index] for name, column in self.columns().items()}
        return Rows(len(columns["has"]), **columns)

    @staticmethod
    def concat(parts: Iterable[Rows]) -> Rows:
        """The parts one after the other, each in the cycle after the one before."""
        kept, begin = [], 0
        for part in parts:
            if len(part):
                columns = part.columns()
                columns["cycle"] = part.cycle - part.cycle[0] + np.uint64(begin)
                begin = int(columns["cycle"][-1]) + 1
                kept.append(columns)
        if not kept:
            return Rows(0)
        joined = {name: np.concatenate([columns[name] for columns in kept]) for name in DTYPES}
        return Rows(len(joined["has"]), **joined)

    def in_lanes(self, lanes: int) -> Rows:
        """The same rows, `lanes` in each cycle."""
        return Rows(self._n, **self.columns() | {"cycle": np.arange(self._n) // lanes})

    def normalized(self, config: Config) -> Rows:
        """The rows with every column cut to its width, and 0 where the row does not have its part."""
        columns = self.columns()
        for part in PARTS:
            for column in part.columns:
                width, value = column_width(config, column), columns[column.name]
                kept = value & DTYPES[column.name]((1 << width) - 1 & np.iinfo(DTYPES[column.name]).max)
                if column.count > 1:
                    mask = np.stack([self.have(f"csr{slot}") for slot in range(CSR_SLOTS)], axis=1)
                else:
                    mask = self.have(part.name)
                columns[column.name] = np.where(mask, kept, DTYPES[column.name](0))
        return Rows(self._n, **columns)

    def differs(self, other: Rows) -> tuple[int, str] | None:
        """First row that is another one, and the column; None if there is none. Cycles do not count; `normalized` first
        where needed.
        """
        n = min(len(self), len(other))
        first: tuple[int, str] | None = None if len(self) == len(other) else (n, "has")
        for name in DTYPES:
            if name == "cycle":
                continue
            apart = getattr(self, name)[:n] != getattr(other, name)[:n]
            apart = apart.any(axis=1) if apart.ndim > 1 else apart
            if apart.any() and (first is None or int(np.argmax(apart)) < first[0]):
                first = int(np.argmax(apart)), name
        return first

    def save(self, path: str | Path) -> None:
        """Write an .npz file."""
        np.savez(path, **{name: getattr(self, name) for name in DTYPES})

    @classmethod
    def load(cls, path: str | Path) -> Rows:
        """Read what `save` wrote."""
        with np.load(path) as stored:
            return cls(len(stored["has"]), **{name: stored[name] for name in DTYPES})


def illegal(rows: Rows) -> np.ndarray:
    """Which rows are none that the port takes (docs/reference/tandem-profile.md, "Legal rows"), as a mask: nothing is
    sent for them.
    """
    group, flush, reset, init, insn = (rows.have(name) for name in ("group", "flush", "reset", "init", "insn"))
    request, response = rows.have("request"), rows.have("response")
    wrong = ~group & (reset | init | insn) | init & (insn | reset) | reset & insn | response & ~request
    return wrong | request & (rows.req_op > 13) | flush & (rows.has != HAS["flush"])
