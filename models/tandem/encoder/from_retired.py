# SPDX-License-Identifier: Apache-2.0
"""Rows of the encoder's port from a recorded run of a real program.

    rows = from_recording(recording.load("traps", 64))

They begin with reset and, as state initialization, the program's memory and the registers; then one row for each
instruction or trap; flush at the end. What a recording does not have is not there: counters, time, bus transactions.
"""

from __future__ import annotations

import numpy as np

from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.recording import Recording
from rvtrace.models.riscv.retired import Effects, Kind, Priv, Retired
from rvtrace.models.tandem.encoder.elf_to_trace import memory_rows
from rvtrace.models.tandem.table import CSR_SLOTS, HAS
from rvtrace.models.tandem.trace_data import FLUSH, Rows, RowsError, TraceData

_MSTATUS, _SATP, _MIP, _SIP = 0x300, 0x180, 0x344, 0x144
_FETCH_FAULTS = (1, 12)  # access fault, page fault: there is no instruction (TV-7)
_TRAP_ORDER = {0x341: 0, 0x141: 0, 0x342: 1, 0x142: 1, _MSTATUS: 2, 0x343: 3, 0x143: 3}  # as tables C.7 and C.8
_XRET = (0x30200073, 0x10200073)
# The CLINT of the machine that recorded: one hart's software interrupt bit, and its mtimecmp.
_MSIP, _MTIMECMP = 0x2000000, (0x2004000, 0x2004004)
_SSIP_BIT, _MSIP_BIT, _MTIP_BIT = 1 << 1, 1 << 3, 1 << 7


def from_recording(recording: Recording, load: bool = True, lanes: int = 1, virtual: bool = True) -> Rows:
    """All rows of a run. load: with memory and registers before the first instruction. virtual: eaddr where addresses
    are translated.
    """
    run = recording.retired
    parts = [Rows.from_rows([TraceData(reset=True, pc=int(run.pc[0]), priv=int(run.priv[0]))])]
    if load:
        initial = [TraceData(init=True, gpr=(n, int(recording.initial[n]))) for n in range(1, 32)]
        parts += [memory_rows(recording.program), Rows.from_rows(initial)]
    rows = from_retired(run, recording.program, virtual)
    parts += [_with_pending(rows, run, recording.program.xlen), Rows.from_rows([FLUSH])]
    return Rows.concat(parts).in_lanes(lanes)


def from_retired(run: Retired, program: Program, virtual: bool = True) -> Rows:
    """One row for each instruction, exception and interrupt of a retire stream with effects; RowsError if it has none,
    or too many CSRs.

    The pc after the last one is that in sequence.
    """
    if run.effects is None:
        raise RowsError("the retire stream has no effects; give a recording, or a stream whose effects were kept")
    n, effects = len(run), run.effects
    rows = Rows(n)
    insn = run.kind == Kind.INSN
    rows.has[:] = HAS["group"] | HAS["pc"]
    last = program.insn(int(run.pc[-1])) if n else None
    rows.pc[:] = np.append(run.pc[1:], np.uint64(run.pc[-1] + (last.size if last else 0) if n else 0))[:n]
    # An exception has its instruction unless the fetch failed.
    shown = insn | (run.kind == Kind.EXCEPTION) & ~np.isin(run.cause, _FETCH_FAULTS)
    _instructions(rows, run.pc, np.flatnonzero(shown), program)
    writes = np.flatnonzero((effects.rd > 0) & (effects.rd < 32))
    rows.has[writes] |= np.uint32(HAS["gpr"])
    rows.gpr_addr[writes], rows.gpr[writes] = effects.rd[writes], effects.rd_value[writes]
    _memory(rows, run, effects, program, virtual)
    _csrs(rows, effects)
    # A trap or xRET reports the privilege after it, also if it is the same.
    xret = insn & np.isin(rows.insn, _XRET) & ~rows.insn16.astype(bool)
    change = np.flatnonzero(~insn | xret)
    rows.has[change] |= np.uint32(HAS["priv"])
    rows.priv[change] = np.append(run.priv[1:], run.priv[-1:])[change]
    return rows


def _instructions(rows: Rows, pc: np.ndarray, where: np.ndarray, program: Program) -> None:
    pcs, index = np.unique(pc[where], return_inverse=True)
    found = [program.insn(address) for address in pcs.tolist()]
    # A longer encoding, which no hart of ours executes, is its first 32 bits.
    bits = np.array([one.raw & 0xFFFF_FFFF if one else 0 for one in found], np.uint32)[index]
    size = np.array([min(one.size, 4) if one else 0 for one in found], np.uint8)[index]
    where, bits, size = where[size > 0], bits[size > 0], size[size > 0]
    rows.has[where] |= np.uint32(HAS["insn"])
    rows.insn[where], rows.insn16[where] = bits, size == 2


def _memory(rows: Rows, run: Retired, effects: Effects, program: Program, virtual: bool) -> None:
    access = np.flatnonzero(effects.mem_size)
    rows.has[access] |= np.uint32(HAS["paddr"])
    rows.paddr[access] = effects.mem_addr[access]
    translated = _translated(run, effects, program)
    where = np.array(sorted(translated), np.int64)
    rows.paddr[where] = [translated[k] for k in where.tolist()]
    if virtual:
        rows.has[where] |= np.uint32(HAS["eaddr"])
        rows.eaddr[where] = effects.mem_addr[where]
    stores = np.flatnonzero((effects.mem_size > 0) & (effects.mem_store > 0))
    rows.has[stores] |= np.uint32(HAS["memdata"])
    rows.memdata_size[stores] = np.log2(np.maximum(effects.mem_size[stores], 1)).astype(np.uint8)
    rows.memdata[stores] = effects.mem_value[stores]


def _translated(run: Retired, effects: Effects, program: Program) -> dict[int, int]:
    """Physical address of each access that is translated: below M while satp is on (privileged manual, 4.3 to 4.5)."""
    xlen = program.xlen
    satp = np.zeros(len(run), np.uint64)
    writes = effects.csr_addr == _SATP
    if not writes.any():
        return {}
    at = effects.csr_row[writes]
    place = np.searchsorted(at, np.arange(len(run)), side="left") - 1
    satp = np.where(place >= 0, effects.csr_value[writes][np.maximum(place, 0)], np.uint64(0))
    paged = (effects.mem_size > 0) & (run.priv < Priv.M) & (satp >> np.uint64(31 if xlen == 32 else 60) > 0)
    memory = _Tables(program)
    out: dict[int, int] = {}
    stores = effects.mem_store & (effects.mem_size > 0)
    for k in np.flatnonzero(paged | stores.astype(bool)).tolist():
        address = int(effects.mem_addr[k])
        if paged[k]:
            address = out[k] = memory.physical(address, int(satp[k]))
        if stores[k]:
            memory.store(address, int(effects.mem_size[k]), int(effects.mem_value[k]))
    return out


class _Tables:
    """Memory as a walk of page tables sees it."""

    def __init__(self, program: Program) -> None:
        self._program, self._bytes, self._wide = program, {}, program.xlen == 64

    def store(self, address: int, size: int, value: int) -> None:
        self._bytes.update((address + k, value >> 8 * k & 255) for k in range(size))

    def _entry(self, address: int, size: int) -> int:
        image = self._program.read(address, size) or bytes(size)
        return int.from_bytes(bytes(self._bytes.get(address + k, image[k]) for k in range(size)), "little")

    def physical(self, address: int, satp: int) -> int:
        """Sv32, Sv39 and deeper: down to the first leaf; the recorder has seen that the access was allowed."""
        size, index_bits = (8, 9) if self._wide else (4, 10)
        levels = (satp >> 60) - 5 if self._wide else 2
        table = (satp & ((1 << 44) - 1 if self._wide else (1 << 22) - 1)) << 12
        for level in range(levels - 1, -1, -1):
            shift = 12 + level * index_bits
            entry = self._entry(table + (address >> shift & (1 << index_bits) - 1) * size, size)
            frame = entry >> 10 & ((1 << 44) - 1 if self._wide else (1 << 22) - 1)
            if not entry & 1:
                break
            if entry & 0b1110:
                return frame >> level * index_bits << shift | address & (1 << shift) - 1
            table = frame << 12
        raise RowsError(
            f"address {address:#x} was accessed, but satp {satp:#x} maps it nowhere; the recording is not one of this"
            " program"
        )


def _csrs(rows: Rows, effects: Effects) -> None:
    row, address, value = effects.csr_row, effects.csr_addr, effects.csr_value
    rank = np.array([_TRAP_ORDER.get(one, 4) for one in address.tolist()], np.int64)
    order = np.lexsort((rank, row))
    row, address, value = row[order], address[order], value[order]
    slot = np.arange(len(row)) - np.searchsorted(row, row)
    if len(slot) and slot.max() >= CSR_SLOTS:
        raise RowsError(f"row {int(row[np.argmax(slot)])} writes {int(slot.max()) + 1} CSRs; a row holds {CSR_SLOTS}")
    rows.csr_addr[row, slot], rows.csr[row, slot] = address, value
    np.bitwise_or.at(rows.has, row, np.uint32(HAS["csr0"]) << slot.astype(np.uint32))


def _with_pending(rows: Rows, run: Retired, xlen: int) -> Rows:
    """The rows with mip outside groups wherever a device changes it: a verifier takes interrupts when the trace says
    so.

    A device's bit rises at the latest right before its interrupt, and falls with the store that takes the reason away.
    mip has XLEN bits: an interrupt with a greater cause has none.
    """
    effects, mip = run.effects, 0
    before: dict[int, list[int]] = {}
    assert effects is not None  # else there were no rows
    device = np.isin(effects.mem_addr, (_MSIP, *_MTIMECMP)) & (effects.mem_store > 0) & (effects.mem_size > 0)
    told = zip(effects.csr_row.tolist(), effects.csr_addr.tolist(), effects.csr_value.tolist())
    written = {row: (address, value) for row, address, value in told if address in (_MIP, _SIP)}
    for k in np.flatnonzero(
        device | (run.kind == Kind.INTERRUPT) | np.isin(np.arange(len(run)), list(written))
    ).tolist():
        now = mip
        if run.kind[k] == Kind.INTERRUPT:
            now |= 1 << int(run.cause[k]) if run.cause[k] < xlen else 0
            if now != mip:
                before.setdefault(k, []).append(now)
        elif k in written:
            address, value = written[k]  # sip is a view of mip in which only SSIP can be written
            now = value if address == _MIP else mip & ~_SSIP_BIT | value & _SSIP_BIT
        elif int(effects.mem_addr[k]) == _MSIP:
            now = mip & ~_MSIP_BIT | (int(effects.mem_value[k]) & 1) << 3
        else:
            now = mip & ~_MTIP_BIT
        if run.kind[k] != Kind.INTERRUPT and k not in written and now != mip:
            before.setdefault(k + 1, []).append(now)
        mip = now
    return _insert(rows, before)


def _insert(rows: Rows, before: dict[int, list[int]]) -> Rows:
    """Rows with mip outside groups put in before row k."""
    parts, at = [], 0
    for k in sorted(before):
        parts += [
            rows.select(slice(at, k)),
            Rows.from_rows([TraceData(group=False, csr=((_MIP, value),)) for value in before[k]]),
        ]
        at = k
    return Rows.concat([*parts, rows.select(slice(at, None))])
