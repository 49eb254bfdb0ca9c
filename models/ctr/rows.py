# SPDX-License-Identifier: Apache-2.0
"""Rows: what happened at the ports of a control transfer records block, cycle by cycle, as arrays.

The same record is played (rdata and outcome 0) and comes back from the monitors (with what the device answered);
checks, coverage and models read it. Ports: docs/reference/ctr-profile.md.

    rows = Rows.of_transfers(Transfers.of_retired(retired, program, slots=2), 2)
    for cycle, priv, transfers, access, rdata, outcome in rows.cycles(): ...

In the cycles between two rows there is neither transfer nor access, and `priv_i` is that of the row before. So whatever
changes it is followed by a row, and a row may hold nothing but its privilege.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from rvtrace.models.common.port_rows import ACCESS, NO_ACCESS, PortRows, RowsError
from rvtrace.models.ctr.config import Config
from rvtrace.models.ctr.model import Ctr
from rvtrace.models.ctr.records import Record, Transfer
from rvtrace.models.ctr.transfers import Transfers
from rvtrace.models.riscv.csr import Access

_SLOTS: dict[str, Any] = {
    "type": np.uint8,
    "source": np.uint64,
    "target": np.uint64,
    "misp": np.uint8,
    "from_": np.uint8,
    "to": np.uint8,
    "cause": np.uint8,
}
_DTYPES: dict[str, Any] = {"cycle": np.uint64, "priv": np.uint8} | ACCESS | _SLOTS
assert tuple(_SLOTS) == Transfer._fields

Row = tuple[int, int, list[Transfer], Access | None, int, int]


@dataclass
class Rows(PortRows):
    """Columns of n rows (what all ports have in common: models/common/port_rows.py). priv: `priv_i` in the cycle.

    type (0: the slot is empty; full slots come first), source, target, misp, from_, to, cause: shape [n, slots].
    """

    DTYPES = _DTYPES

    cycle: np.ndarray
    priv: np.ndarray
    op: np.ndarray
    addr: np.ndarray
    wdata: np.ndarray
    mode: np.ndarray
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
        super().__post_init__()
        full = self.type != 0
        if (full[:, 1:] & ~full[:, :-1]).any():
            raise RowsError("a slot is empty below a full one; fill the slots of a cycle from 0")

    @property
    def slots(self) -> int:
        """Transfers that fit in a cycle."""
        return int(self.type.shape[1])

    @property
    def transfers(self) -> int:
        """How many transfers there are."""
        return int(np.count_nonzero(self.type))

    @classmethod
    def empty(cls, n: int, slots: int) -> Rows:
        """n rows in cycles 0, 1, ... in M-mode, without transfers and accesses."""
        columns = {name: np.zeros((n, slots) if name in _SLOTS else n, dtype) for name, dtype in _DTYPES.items()}
        return cls(**columns | {"cycle": np.arange(n), "priv": np.full(n, 3), "op": np.full(n, NO_ACCESS)})

    @classmethod
    def from_rows(cls, rows: Iterable[tuple[int, int, Iterable[Transfer], Access | None]], slots: int) -> Rows:
        """From (cycle, priv, transfers, access) tuples; RowsError if a cycle has more transfers than slots."""
        table = list(rows)
        out = cls.empty(len(table), slots)
        cycle = [row[0] for row in table]
        out.cycle, out.priv = np.array(cycle, np.uint64), np.array([row[1] for row in table], np.uint8)
        for k, (_, _, transfers, access) in enumerate(table):
            for slot, transfer in enumerate(transfers):
                if slot >= slots:
                    raise RowsError(f"cycle {cycle[k]} has more than {slots} transfers")
                for name, value in zip(_SLOTS, transfer):
                    getattr(out, name)[k, slot] = value
            if access is not None:
                out.op[k], out.addr[k], out.wdata[k], out.mode[k], out.xlen32[k] = access
        out.__post_init__()
        return out

    @classmethod
    def of_transfers(cls, transfers: Transfers, slots: int) -> Rows:
        """Transfers without accesses; a row follows each change of privilege. RowsError if a cycle needs more slots."""
        if len(transfers) and int(transfers.slot.max()) >= slots:
            raise RowsError(f"a cycle has {int(transfers.slot.max()) + 1} transfers, and there are {slots} slots")
        first = transfers.slot == 0
        row = np.cumsum(first) - 1
        at, priv = transfers.cycle[first], transfers.priv[first]
        last = np.append(np.flatnonzero(first)[1:], len(transfers)) - 1
        mode = transfers.to[last] if len(transfers) else transfers.to
        follows = np.append(at[1:] == at[:-1] + np.uint64(1), False) if len(at) else np.zeros(0, bool)
        extra = (mode != priv) & ~follows
        cycle = np.concatenate([at, at[extra] + np.uint64(1)])
        order = np.argsort(cycle, kind="stable")
        out = cls.empty(len(cycle), slots)
        out.cycle, out.priv = cycle[order], np.concatenate([priv, mode[extra]])[order]
        place = np.argsort(order)[: len(at)][row]
        for name in _SLOTS:
            getattr(out, name)[place, transfers.slot] = getattr(transfers, name)
        return out

    def cycles(self) -> Iterator[Row]:
        """Each row: cycle, privilege, transfers, access or None, rdata, outcome."""
        full, asks = self.type != 0, self.op != NO_ACCESS
        transfers = list(map(Transfer._make, zip(*(getattr(self, name)[full].tolist() for name in _SLOTS))))
        accesses = map(
            Access._make,
            zip(*(column[asks].tolist() for column in (self.op, self.addr, self.wdata, self.mode, self.xlen32))),
        )
        ends = np.cumsum(np.count_nonzero(full, axis=1))
        columns = (column.tolist() for column in (self.cycle, self.priv, ends, asks, self.rdata, self.outcome))
        begin = 0
        for cycle, priv, end, asked, rdata, outcome in zip(*columns):
            yield cycle, priv, transfers[begin:end], next(accesses) if asked else None, rdata, outcome
            begin = end


def answered(rows: Rows, config: Config) -> Rows:
    """The rows with what the reference model answers to each access: a device that is right, without a simulator."""
    model = Ctr(config)
    out = rows.select(np.arange(len(rows.cycle)))  # a copy
    before: tuple[int, int] | None = None
    for k, (cycle, priv, transfers, access, _, _) in enumerate(rows.cycles()):
        if before is not None and cycle > before[0] + 1:
            model.idle(before[1], cycle - before[0] - 1)
        answer = model.cycle(priv, transfers, access)
        out.rdata[k], out.outcome[k] = answer or (0, 0)
        before = cycle, priv
    return out


def entries_read(rows: Rows, config: Config) -> list[Record]:
    """The logical entries as the last accesses of a run read them, each by a write of its number and three reads;
    of the configuration's depth.
    """
    last = rows.rdata[rows.op != NO_ACCESS][-4 * config.depth :].reshape(-1, 4)
    return [Record.of_registers(*values) for values in last[:, 1:].tolist()]
