"""What one run of a control transfer records block left behind: its rows, and the record that every check takes.

`Rows` serves both ways: what a driver is to play (rdata and outcome are 0), and what a monitor saw at the ports of docs/ctr-profile.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from models.ctr.config import Config
from models.ctr.records import Access, Transfer
from models.riscv.program import Program

SLOTS = 4  # columns of a row, whatever the block's NTransfers
_ROW = ("cycle", "before", "priv", "count", "valid", "op", "addr", "wdata", "csr_priv", "xlen32", "rdata", "outcome")
_SLOT = ("type", "source", "target", "misp", "from_", "to", "cause")
_WIDE = {"cycle", "wdata", "rdata", "source", "target"}


class RowsError(ValueError):
    """Rows that no port can have carried; the text says which."""


class Row(NamedTuple):
    """One cycle. gap: idle cycles before it, all in the mode `before`. access, rdata, outcome: None, 0, 0 without a CSR access."""

    cycle: int
    gap: int
    before: int
    priv: int
    transfers: list[Transfer]
    access: Access | None
    rdata: int
    outcome: int


@dataclass
class Rows:
    """n cycles in order, one element of each column for each; between two of them nothing but idle cycles.

    cycle: uint64[n], clock cycle, increasing; cycle 0 is the first behind reset. before: uint8[n], `priv_i` in the idle cycles
    before the row (all of them; a change of mode in between is a row of its own). priv: uint8[n], `priv_i`.
    count: uint8[n], transfers; type, source, target, misp, from_, to, cause: [n, 4], those of slot 0 to 3.
    valid: uint8[n], 1 where there is a CSR access; op, addr, wdata, csr_priv, xlen32: the access; rdata, outcome: what the device said.
    """

    cycle: np.ndarray
    before: np.ndarray
    priv: np.ndarray
    count: np.ndarray
    valid: np.ndarray
    op: np.ndarray
    addr: np.ndarray
    wdata: np.ndarray
    csr_priv: np.ndarray
    xlen32: np.ndarray
    rdata: np.ndarray
    outcome: np.ndarray
    type: np.ndarray
    source: np.ndarray
    target: np.ndarray
    misp: np.ndarray
    from_: np.ndarray
    to: np.ndarray
    cause: np.ndarray

    def __post_init__(self) -> None:
        n = len(self.cycle)
        for name in (*_ROW, *_SLOT):
            dtype = np.uint64 if name in _WIDE else np.uint16 if name == "addr" else np.uint8
            column = np.ascontiguousarray(getattr(self, name), dtype=dtype)
            shape = (n, SLOTS) if name in _SLOT else (n,)
            if column.shape != shape:
                raise RowsError(f"column {name} of rows has the shape {column.shape}; give {shape}")
            setattr(self, name, column)
        if n and (np.diff(self.cycle.astype(np.int64)) <= 0).any():
            raise RowsError("the cycles of rows do not increase; give one row for each cycle")

    def __len__(self) -> int:
        return len(self.cycle)

    @classmethod
    def of(cls, rows: Iterable[Row]) -> Rows:
        """From rows one by one; `gap` follows from `cycle`."""
        listed = list(rows)
        n = len(listed)
        columns: dict[str, Any] = {name: np.zeros((n, SLOTS) if name in _SLOT else n, np.uint64) for name in (*_ROW, *_SLOT)}
        for index, row in enumerate(listed):
            columns["cycle"][index], columns["before"][index], columns["priv"][index] = row.cycle, row.before, row.priv
            columns["count"][index] = len(row.transfers)
            for slot, transfer in enumerate(row.transfers):
                for name, value in zip(Transfer._fields, transfer):
                    columns[name][index, slot] = value
            if row.access is not None:
                columns["valid"][index] = 1
                for name, value in zip(("op", "addr", "wdata", "csr_priv", "xlen32"), row.access):
                    columns[name][index] = value
                columns["rdata"][index], columns["outcome"][index] = row.rdata, row.outcome
        return cls(**columns)

    def __iter__(self) -> Iterator[Row]:
        slots = zip(*(getattr(self, name).tolist() for name in Transfer._fields))
        accesses = zip(*(getattr(self, name).tolist() for name in ("op", "addr", "wdata", "csr_priv", "xlen32")))
        rest = zip(*(getattr(self, name).tolist() for name in ("cycle", "before", "priv", "count", "valid", "rdata", "outcome")))
        last = -1
        for (cycle, before, priv, count, valid, rdata, outcome), columns, access in zip(rest, slots, accesses):
            transfers = [Transfer(*values) for values in zip(*(column[:count] for column in columns))] if count else []
            yield Row(cycle, cycle - last - 1, before, priv, transfers, Access(*access) if valid else None, rdata, outcome)
            last = cycle

    def select(self, index: Any) -> Rows:
        """The rows of a mask, slice or index array."""
        return Rows(**{name: getattr(self, name)[index] for name in (*_ROW, *_SLOT)})

    @property
    def transfers(self) -> int:
        """Number of transfers."""
        return int(self.count.sum())

    @property
    def accesses(self) -> int:
        """Number of CSR accesses."""
        return int(self.valid.sum())

    def save(self, path: str | Path) -> None:
        """Write an .npz file."""
        np.savez_compressed(path, **{name: getattr(self, name) for name in (*_ROW, *_SLOT)})

    @classmethod
    def load(cls, path: str | Path) -> Rows:
        """Read what `save` wrote."""
        with np.load(path) as stored:
            return cls(**{name: stored[name] for name in (*_ROW, *_SLOT)})


@dataclass
class CtrCapture:
    """The monitors' record of one run.

    rows: every cycle from reset on in which something happened, as the ports carried it. problems: sentences of the monitors about
    the run itself (an X on an output); each is a failure. exact: whether the device declares docs/ctr-profile.md.
    rerun: the one command that repeats the run. program: what the hart ran, for addresses in messages; None if there is none.
    """

    config: Config
    rows: Rows
    problems: list[str] = field(default_factory=list)
    exact: bool = True
    rerun: str = ""
    program: Program | None = None
