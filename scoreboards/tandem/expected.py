# SPDX-License-Identifier: Apache-2.0
"""The registers and states that rows require in the trace: the scoreboard's own reading of the port
(docs/reference/tandem-profile.md, "Ports").

An element is a key (register address, or `STATE_KEY` + identifier, as the decoder has it) and its value. x0, parts that
are absent, and rows that are not legal require nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rvtrace.models.tandem import table as t
from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.table import STATE_KEY
from rvtrace.models.tandem.trace_data import Rows, illegal

_STATES = (("pc", t.PC), ("ppc", t.PPC), ("priv", t.PRIV), ("paddr", t.PADDR), ("eaddr", t.EADDR), ("mtime", t.MTIME))
PARTS = tuple(part.name for part in t.PARTS)


class Column(NamedTuple):
    """Elements of one part: rows, keys, values; high: the upper half of a counter."""

    part: str
    rows: np.ndarray
    keys: np.ndarray | int
    values: np.ndarray
    high: int = 0


class Expected:
    """Columns over elements in the order in which the reference sends them: row, part (number in `table.PARTS`), key,
    value.

    Over rows: has(part): sent there; sent: something is; group: a group is begun; outside: something is reported
    outside groups; acts: sent or flush. illegal: rows that the port refuses.
    """

    def __init__(self, rows: Rows, config: Config) -> None:
        self.config, self.rows = config, rows.normalized(config)
        self.illegal = illegal(rows)
        self._has = {
            part.name: rows.have(part.name) & ~self.illegal & (not part.absent or config.traces(part.absent))
            for part in t.PARTS
        }
        self.x0 = self._has["gpr"] & (self.rows.gpr_addr == 0)
        self._has["gpr"] &= ~self.x0
        self.flush = self._has["flush"]
        self.sent = np.logical_or.reduce([mask for name, mask in self._has.items() if name not in ("group", "flush")])
        self.group = self._has["group"] & self.sent
        self.outside = self.sent & ~self.group
        self.acts = self.sent | self.flush
        parts = [one for one in self._parts() if len(one.rows)]
        columns = [
            (
                one.rows,
                np.full(len(one.rows), 2 * t.BIT[one.part] + one.high),
                np.broadcast_to(one.keys, one.rows.shape),
                one.values,
            )
            for one in parts
        ]
        row, place, key, value = (
            (np.concatenate(column) for column in zip(*columns)) if columns else (np.zeros(0, np.int64),) * 4
        )
        order = np.lexsort((place, row))
        self.row, self.part, self.key = row[order].astype(np.int64), place[order] >> 1, key[order].astype(np.int64)
        self.value = value[order].astype(np.uint64)

    def __len__(self) -> int:
        return len(self.row)

    def has(self, part: str) -> np.ndarray:
        """Rows that send a part, as a mask."""
        return self._has[part]

    def is_part(self, *parts: str) -> np.ndarray:
        """Reports of these parts, as a mask."""
        return np.isin(self.part, [t.BIT[name] for name in parts])

    def name(self, k: int) -> str:
        """What a report is of: a part, all CSR slots are csr."""
        name = PARTS[int(self.part[k])]
        return "csr" if name.startswith("csr") else name

    def _parts(self) -> list[Column]:
        rows, mask = self.rows, np.uint64((1 << self.config.xlen) - 1)
        out = []
        for name, identifier in _STATES:
            at = np.flatnonzero(self._has[name])
            out.append(Column(name, at, STATE_KEY + identifier, getattr(rows, name)[at].astype(np.uint64)))
        at = np.flatnonzero(self._has["memdata"])
        out.append(
            Column(
                "memdata",
                at,
                STATE_KEY + t.MEMDATA + rows.memdata_size[at].astype(np.int64),
                _low_bytes(rows.memdata[at], rows.memdata_size[at]),
            )
        )
        for name, base in (("gpr", t.GPR_BASE), ("fpr", t.FPR_BASE)):
            at = np.flatnonzero(self._has[name])
            out.append(
                Column(name, at, base + getattr(rows, f"{name}_addr")[at].astype(np.int64), getattr(rows, name)[at])
            )
        at = np.flatnonzero(self._has["fcsr"])
        out.append(Column("fcsr", at, t.FCSR, rows.fcsr[at].astype(np.uint64)))
        for slot in range(t.CSR_SLOTS):
            at = np.flatnonzero(self._has[f"csr{slot}"])
            out.append(Column(f"csr{slot}", at, rows.csr_addr[at, slot].astype(np.int64), rows.csr[at, slot]))
        for name, low, high in (("mcycle", t.MCYCLE, t.MCYCLEH), ("minstret", t.MINSTRET, t.MINSTRETH)):
            at = np.flatnonzero(self._has[name])
            value = getattr(rows, name)[at]
            out.append(Column(name, at, low, value & mask))
            if self.config.xlen == 32:
                out.append(Column(name, at, high, value >> np.uint64(32), 1))
        return out


class Requests(NamedTuple):
    """Memory requests that rows require: row, op, size, address, data (0: none), answered, result, response data (0:
    none).
    """

    row: np.ndarray
    op: np.ndarray
    size: np.ndarray
    address: np.ndarray
    data: np.ndarray
    answered: np.ndarray
    result: np.ndarray
    response: np.ndarray


def requests(expected: Expected) -> Requests:
    """Of all rows; data as the operation and the result have it (TV-2)."""
    rows, config = expected.rows, expected.config
    at = np.flatnonzero(expected.has("request"))
    op, size = rows.req_op[at].astype(np.int64), rows.req_size[at].astype(np.int64)
    answered = expected.has("response")[at]
    result = np.where(answered, rows.rsp_result[at], 0).astype(np.int64)
    asks = np.array([one.request_data for one in t.OPERATIONS])[op]
    replies = (
        np.array([one.response_data for one in t.OPERATIONS])[op]
        & answered
        & ((result == t.SUCCESS) | bool(config.response_data_on_failure))
    )
    zero = np.uint64(0)
    return Requests(
        at,
        op,
        size,
        rows.req_addr[at].astype(np.uint64),
        np.where(asks, _low_bytes(rows.req_data[at], size), zero),
        answered,
        result,
        np.where(replies, _low_bytes(rows.rsp_data[at], size), zero),
    )


def _low_bytes(values: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """1 << size low bytes of each value."""
    return values & np.array([0xFF, 0xFFFF, 0xFFFF_FFFF, 0xFFFF_FFFF_FFFF_FFFF], np.uint64)[sizes]


def contradictions(expected: Expected) -> np.ndarray:
    """Rows that contradict themselves, as a mask: a register reported twice, bits that are no such instruction, a
    privilege that does not exist.
    """
    out, rows = np.zeros(len(expected.rows), bool), expected.rows
    order = np.lexsort((expected.key, expected.row))
    row, key = expected.row[order], expected.key[order]
    out[row[1:][(row[1:] == row[:-1]) & (key[1:] == key[:-1])]] = True
    long = (rows.insn & 3 == 3) if expected.config.compressed else np.ones(len(rows), bool)
    out |= expected.has("insn") & (long == rows.insn16.astype(bool))
    return out | expected.has("priv") & (rows.priv == 2)
