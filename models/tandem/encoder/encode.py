# SPDX-License-Identifier: Apache-2.0
"""The encoder model: rows of the port in, the very bytes of the reference profile out
(docs/reference/tandem-profile.md, "Bytes of a row").

    encoded = encode(rows, Config(incremental=2, implied_end=1))
    encoded.data, encoded.of(k)                all bytes, those of row k

Each kind of item is one `Slot` over all rows: which rows send it, its header bytes and its value. What depends on rows
before (pc, bases of registers, ends kept back) is worked out first, by looking up the last row that reported it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from rvtrace.models.tandem import table
from rvtrace.models.tandem.config import INCREMENT_ALL, NO_INCREMENT, Config
from rvtrace.models.tandem.places import places
from rvtrace.models.tandem.table import GPR_BASE, STATE
from rvtrace.models.tandem.trace_data import Rows, illegal

_NO_VALUE = np.zeros(0, np.uint64)


class Slot(NamedTuple):
    """One kind of item: rows that send it, header bytes (each one number or one for each of these rows), values, their
    bytes, and the bytes after them.
    """

    rows: np.ndarray
    header: tuple[int | np.ndarray, ...]
    value: np.ndarray = _NO_VALUE
    width: int | np.ndarray = 0
    trailer: tuple[int, ...] = ()


@dataclass
class Encoded:
    """data: the trace. starts: int64[rows + 1], offset of each row's first byte (an end that was kept back is of the
    row that brings it).

    errors: bool[rows], rows that are not legal.
    """

    data: bytes
    starts: np.ndarray
    errors: np.ndarray

    def of(self, row: int) -> bytes:
        """The bytes of one row."""
        return self.data[int(self.starts[row]) : int(self.starts[row + 1])]

    def row_at(self, offset: int) -> int:
        """The row that the byte at this offset belongs to."""
        return int(np.searchsorted(self.starts, offset, side="right")) - 1


def encode(rows: Rows, config: Config) -> Encoded:
    """The bytes of these rows, in order, from `rst_ni` on."""
    rows, wrong = rows.normalized(config), illegal(rows)
    sent = _Sent(rows, config, ~wrong)
    slots = [*sent.before(), *_pc(sent), *_fixed_before(sent), *_registers(sent), *_fixed_behind(sent), *sent.behind()]
    return Encoded(*_lay_out(len(rows), slots), wrong)


class _Sent:
    """What of each part is sent, and which rows are groups, bring an end, or end."""

    def __init__(self, rows: Rows, config: Config, legal: np.ndarray) -> None:
        self.rows, self.config, self._place = rows, config, places(config)
        self._parts = {
            part.name: rows.have(part.name) & legal & (not part.absent or config.traces(part.absent))
            for part in table.PARTS
        }
        self._parts["gpr"] &= rows.gpr_addr != 0
        framing = ("group", "flush")
        anything = np.logical_or.reduce([mask for name, mask in self._parts.items() if name not in framing])
        group, flush = self._parts["group"] & anything, self._parts["flush"]
        self.group = group
        # An end is kept back from a group to the next row that sends anything, or flushes.
        acts = np.flatnonzero(anything | flush)
        kept = np.zeros(len(rows), bool)
        kept[acts[1:]] = group[acts[:-1]]
        self.late_end = kept & ~group if config.implied_end else np.zeros(len(rows), bool)
        # Resets up to and including each row: what was known before the last one is forgotten.
        self.epoch = np.cumsum(self._parts["reset"])
        self.counters: list[Slot] = []  # `_registers` finds them, `_fixed_behind` sends them

    def where(self, part: str) -> np.ndarray:
        """The rows that send a part."""
        return np.flatnonzero(self._parts[part])

    def before(self) -> list[Slot]:
        return [self.item(np.flatnonzero(self.late_end), table.END), self.item(np.flatnonzero(self.group), table.BEGIN),
                self.item(self.where("reset"), table.RESET), self.item(self.where("init"), table.INIT)]  # fmt: skip

    def behind(self) -> list[Slot]:
        return [] if self.config.implied_end else [self.item(np.flatnonzero(self.group), table.END)]

    def item(self, rows: np.ndarray, code: int, value: np.ndarray = _NO_VALUE, width: Any = 0, **fields: Any) -> Slot:
        """An item of the table. value, width: of its last field that is known, in bytes; fields: of those before it."""
        return Slot(rows, self._place.header(code, **fields), value, width, self._place.trailer(code))

    def state(self, part: str, identifier: int, width: int) -> Slot:
        where = self.where(part)
        return self.item(where, STATE, getattr(self.rows, part)[where], width, id=identifier)


def _pc(sent: _Sent) -> list[Slot]:
    """Opcode 3 where the next pc is what follows the instruction of the same row, else identifier 10."""
    rows, config, where = sent.rows, sent.config, sent.where("pc")
    pc = rows.pc[where]
    by_three = np.zeros(len(where), bool)
    if config.incremental != NO_INCREMENT and len(where):
        length = np.where(rows.insn16[where], 2, 4).astype(np.uint64)
        follows = pc[1:] == pc[:-1] + length[1:] & np.uint64((1 << config.xlen) - 1)
        known = sent.epoch[where[1:]] == sent.epoch[where[:-1]]
        has_insn = np.isin(where[1:], sent.where("insn"))
        by_three[1:] = follows & known & has_insn & sent.group[where[1:]]
    return [
        sent.item(where[by_three], table.INCREMENT_PC),
        sent.item(where[~by_three], STATE, pc[~by_three], config.xlen // 8, id=table.PC),
    ]


def _fixed_before(sent: _Sent) -> list[Slot]:
    rows, insn = sent.rows, sent.where("insn")
    short, bits = rows.insn16[insn].astype(bool), rows.insn[insn].astype(np.uint64)
    return [
        sent.state("ppc", table.PPC, sent.config.mlen_bytes),
        sent.item(insn[short], table.INSN16, bits[short], 2),
        sent.item(insn[~short], table.INSN32, bits[~short], 4),
    ]


class _Writes(NamedTuple):
    """Registers reported by one part: rows, addresses, values; whether always in full."""

    rows: np.ndarray
    address: np.ndarray
    value: np.ndarray
    full: bool


def _registers(sent: _Sent) -> list[Slot]:
    """gpr, fpr, fcsr and the CSR slots; the counters come after, but their bases are found together with these."""
    rows, config = sent.rows, sent.config
    gpr, fpr, fcsr = (sent.where(name) for name in ("gpr", "fpr", "fcsr"))
    parts = [
        _Writes(gpr, rows.gpr_addr[gpr] + np.int64(GPR_BASE), rows.gpr[gpr], config.incremental < INCREMENT_ALL),
        _Writes(
            fcsr, np.full(len(fcsr), table.FCSR), rows.fcsr[fcsr].astype(np.uint64), config.incremental == NO_INCREMENT
        ),
    ]
    for slot in range(table.CSR_SLOTS):
        where = sent.where(f"csr{slot}")
        parts.append(_Writes(where, rows.csr_addr[where, slot].astype(np.int64), rows.csr[where, slot], True))
    for name, low, high in (("mcycle", table.MCYCLE, table.MCYCLEH), ("minstret", table.MINSTRET, table.MINSTRETH)):
        where = sent.where(name)
        value = getattr(rows, name)[where]
        full = config.incremental < INCREMENT_ALL
        parts.append(_Writes(where, np.full(len(where), low), value & np.uint64((1 << config.xlen) - 1), full))
        if config.xlen == 32:
            parts.append(_Writes(where, np.full(len(where), high), value >> np.uint64(32), full))
    slots = [_forms(part, base, known, sent) for part, (base, known) in zip(parts, _bases(parts, sent))]
    sent.counters = [slot for group in slots[2 + table.CSR_SLOTS :] for slot in group]
    address = rows.fpr_addr[fpr] + np.int64(table.FPR_BASE)
    in_full = sent.item(fpr, table.REGISTER, rows.fpr[fpr], config.flen // 8, address=address)
    groups = [slots[0], [in_full], *slots[1 : 2 + table.CSR_SLOTS]]
    return [slot for group in groups for slot in group]


def _bases(parts: list[_Writes], sent: _Sent) -> list[tuple[np.ndarray, np.ndarray]]:
    """For each write the value last reported of its register, and whether there is one since reset."""
    row = np.concatenate([part.rows for part in parts])
    place = np.concatenate([np.full(len(part.rows), k) for k, part in enumerate(parts)])
    address = np.concatenate([part.address for part in parts])
    value = np.concatenate([part.value for part in parts])
    partial = (address == table.FFLAGS) | (address == table.FRM)  # fcsr is no longer what was reported of it
    register = np.where(partial, table.FCSR, address)
    order = np.lexsort((place, row, register))
    before, behind = order[:-1], order[1:]
    base, known = np.zeros(len(row), np.uint64), np.zeros(len(row), bool)
    base[behind] = value[before]
    epoch = sent.epoch[row]
    known[behind] = (register[before] == register[behind]) & (epoch[before] == epoch[behind]) & ~partial[before]
    edges = np.cumsum([len(part.rows) for part in parts])[:-1]
    return list(zip(np.split(base, edges), np.split(known, edges)))


def _forms(part: _Writes, base: np.ndarray, known: np.ndarray, sent: _Sent) -> list[Slot]:
    """Bits set, an offset, or in full."""
    new, byte, config = part.value, np.uint64(0xFF), sent.config
    added = new & ~base
    bits = known & (base & ~new == 0) & (added <= byte)
    step = new - base + np.uint64(128) & np.uint64((1 << config.xlen) - 1)
    offset = known & ~bits & (step <= byte)
    if part.full:
        bits = offset = np.zeros(len(new), bool)
    full = ~bits & ~offset
    return [
        sent.item(part.rows[bits], table.OR, added[bits], 1, address=part.address[bits]),
        sent.item(part.rows[offset], table.ADD, (new - base)[offset], 1, address=part.address[offset]),
        sent.item(part.rows[full], table.REGISTER, new[full], config.xlen // 8, address=part.address[full]),
    ]


def _fixed_behind(sent: _Sent) -> list[Slot]:
    """From priv on."""
    rows, mlen = sent.rows, sent.config.mlen_bytes
    data, requests, responses = sent.where("memdata"), sent.where("request"), sent.where("response")
    size, op = rows.memdata_size[data].astype(np.int64), rows.req_op[requests]
    with_data = np.array([operation.request_data for operation in table.OPERATIONS] + [False, False])
    request_width = np.where(with_data[op], 1 << rows.req_size[requests].astype(np.int64), 0)
    answered, result = rows.req_op[responses], rows.rsp_result[responses]
    replies = np.array(
        [
            [table.response_has_data(sent.config, code, result) for result in (0, 1)]
            for code in range(len(table.OPERATIONS))
        ]
    )
    response_width = np.where(replies[answered, result], 1 << rows.req_size[responses].astype(np.int64), 0)
    return [
        sent.state("priv", table.PRIV, 1),
        sent.state("paddr", table.PADDR, mlen),
        sent.state("eaddr", table.EADDR, mlen),
        sent.item(data, STATE, rows.memdata[data], 1 << size, id=size + table.MEMDATA),
        sent.state("mtime", table.MTIME, 8),
        *sent.counters,
        sent.item(
            requests,
            table.REQUEST,
            rows.req_data[requests],
            request_width,
            address=rows.req_addr[requests],
            op=op.astype(np.int64),
            size=rows.req_size[requests].astype(np.int64),
        ),
        sent.item(
            responses,
            table.RESPONSE,
            rows.rsp_data[responses],
            response_width,
            size=rows.req_size[responses].astype(np.int64),
            result=result.astype(np.int64),
        ),
    ]


def _lay_out(n: int, slots: list[Slot]) -> tuple[bytes, np.ndarray]:
    """The bytes of all rows, and where each row begins: sizes first, then every byte to its place."""
    sizes = np.zeros(n, np.int64)
    for slot in slots:
        sizes[slot.rows] += len(slot.header) + slot.width + len(slot.trailer)
    starts = np.concatenate(([0], np.cumsum(sizes)))
    out, cursor = np.zeros(int(starts[-1]), np.uint8), starts[:-1].copy()
    for rows, header, value, width, trailer in slots:
        at = cursor[rows]
        for k, byte in enumerate(header):
            out[at + k] = byte
        at += len(header)
        for k in range(int(np.max(width, initial=0))):
            byte = (value >> np.uint64(8 * k)).astype(np.uint8)
            if isinstance(width, int):
                out[at + k] = byte
            else:
                out[at[width > k] + k] = byte[width > k]
        cursor[rows] = at + width + len(trailer)  # which are zeros
    return out.tobytes(), starts
