# SPDX-License-Identifier: Apache-2.0
"""The RISC-V Formal Interface (RVFI) of a core, read as a retire stream: `Retired` with its effects.

    retired = retired_of(rows, traps, program)

`rows` are the cycles with rvfi_valid in order, `traps` the events of the trap port, which says what RVFI does not:
cause, tval and mstatus of a trap. Both are numpy tables with the columns `ROWS` and `TRAPS`; tb/cores/agents/layout.py
has them as files. This reading shares nothing with the adapter rtl/adapters/rvfi_hart_port.sv.

- A row with `trap` did not retire: it is an exception at its pc, with the next event of the trap port.
- A row with `intr` is the first one of a handler. If the row before it was no trap, an interrupt came between the two:
  the next event of the trap port.
- `rd` 0 means that no register is written; the masks say which bytes from `mem_addr` on were read or written, the first
  that is 1 being the first of the access.

What breaks the rules of RVFI is an `RvfiError`: the stream cannot be judged.
"""

from __future__ import annotations

import numpy as np

from rvtrace.models.riscv.isa import Flow
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Effects, IType, Kind, Retired

VARIANT = "v1_0"  # of the rows: ecall and ebreak do not retire, as in models/riscv/recording.py
CSR_SLOTS = 4  # of one row
ROWS = (
    "order", "pc", "next_pc", "insn", "trap", "intr", "unknown", "rd", "rd_value", "mem_addr", "rmask", "wmask",
    "mem_wdata", "mode", "csr_valid",
    *(f"csr_addr{k}" for k in range(CSR_SLOTS)), *(f"csr{k}" for k in range(CSR_SLOTS)),
)  # fmt: skip
TRAPS = ("interrupt", "cause", "tval", "epc", "status", "mode_from")
_MSTATUS, _MEPC, _MCAUSE, _MTVAL = 0x300, 0x341, 0x342, 0x343
_FETCH_FAULTS = (0, 1, 12)  # of these there is no instruction
_SIZES = {0x01: 1, 0x03: 2, 0x0F: 4, 0xFF: 8}  # of a mask


class RvfiError(ValueError):
    """RVFI that breaks its own rules; the text names the row and the rule. row: its number; what comes before it can be
    judged.
    """

    def __init__(self, text: str, row: int = 0) -> None:
        super().__init__(text)
        self.row = row


def until(rows: np.ndarray, traps: np.ndarray, row: int) -> tuple[np.ndarray, np.ndarray]:
    """The rows before this one, and their events of the trap port."""
    kept = rows[:row]
    after_trap = np.concatenate([[False], kept["trap"][:-1] != 0])[: len(kept)]
    return kept, traps[: int((kept["trap"] != 0).sum() + ((kept["intr"] != 0) & ~after_trap).sum())]


def retired_of(rows: np.ndarray, traps: np.ndarray, program: Program) -> Retired:
    """The retire stream of a core's RVFI; RvfiError if it breaks its rules, or if an instruction is not the one that
    memory has.
    """
    if not len(rows):
        raise RvfiError("RVFI has no row: the core retired nothing; look at its reset, its clock and its first fetch")
    rows = _from_first_byte(rows)
    _rules(rows)
    of_trap, before = _events(rows, traps)
    cause = np.zeros(len(rows), np.uint64)
    is_trap = rows["trap"] != 0
    cause[is_trap] = traps["cause"][of_trap]
    _from_memory(rows, cause, program)
    return _stream(rows, traps, of_trap, before, program)


def _from_first_byte(rows: np.ndarray) -> np.ndarray:
    """The rows with bit 0 of the masks being the first byte of the access. A core may also give the address of the
    whole word, with mask and data in the places of its bytes.
    """
    masks = (rows["rmask"] | rows["wmask"]).astype(np.uint8)
    skipped = np.where(masks != 0, np.bitwise_count((masks & -masks) - np.uint8(1)), 0).astype(np.uint8)
    if not skipped.any():
        return rows
    rows = rows.copy()
    rows["mem_addr"] += skipped
    rows["mem_wdata"] >>= np.uint64(8) * skipped.astype(np.uint64)
    for name in ("rmask", "wmask"):
        rows[name] >>= skipped
    return rows


def _place(rows: np.ndarray, k: int) -> str:
    return f"RVFI row {k} (order {int(rows['order'][k])}, pc {int(rows['pc'][k]):#x})"


def _first(mask: np.ndarray) -> int | None:
    return int(np.argmax(mask)) if mask.any() else None


def _rules(rows: np.ndarray) -> None:
    """What each row, and two that follow each other, must obey."""
    if (k := _first(rows["unknown"] != 0)) is not None:
        raise RvfiError(f"RVFI row {k} has rvfi_valid=1 and bits that are X; drive every signal of a valid row", k)
    order = rows["order"]
    if (k := _first(order[1:] - order[:-1] != 1)) is not None:
        raise RvfiError(
            f"{_place(rows, k + 1)}: rvfi_order was {int(order[k])} in the row before; it must count every"
            " retirement once",
            k + 1,
        )
    if (k := _first((rows["rd"] == 0) & (rows["rd_value"] != 0))) is not None:
        raise RvfiError(
            f"{_place(rows, k)}: rvfi_rd_addr is 0 and rvfi_rd_wdata is {int(rows['rd_value'][k]):#x}; it must be 0",
            k,
        )
    masks = rows["rmask"] | rows["wmask"]
    if (k := _first((masks != 0) & ~np.isin(masks, list(_SIZES)))) is not None:
        raise RvfiError(
            f"{_place(rows, k)}: the masks of its access are {int(rows['rmask'][k]):#x} and"
            f" {int(rows['wmask'][k]):#x}; give 1, 2, 4 or 8 bytes from rvfi_mem_addr on",
            k,
        )
    apart = (rows["pc"][1:] != rows["next_pc"][:-1]) & (rows["trap"][:-1] == 0) & (rows["intr"][1:] == 0)
    if (k := _first(apart)) is not None:
        raise RvfiError(
            f"{_place(rows, k + 1)}: rvfi_pc_wdata was {int(rows['next_pc'][k]):#x} in the row before, and neither"
            " rvfi_trap there nor rvfi_intr here says why",
            k + 1,
        )


def _events(rows: np.ndarray, traps: np.ndarray) -> tuple[np.ndarray, list[tuple[int, int]]]:
    """(the event of each row with a trap, (row, event) of each interrupt: it came right before that row)."""
    of_trap: list[int] = []
    before: list[tuple[int, int]] = []
    interrupt, epc, count = traps["interrupt"].tolist(), traps["epc"].tolist(), 0
    special = np.flatnonzero((rows["trap"] != 0) | (rows["intr"] != 0))
    for k, trap, intr in zip(special.tolist(), *(rows[name][special].tolist() for name in ("trap", "intr"))):
        if intr and not (k and rows["trap"][k - 1]):
            if count == len(interrupt) or not interrupt[count]:
                raise RvfiError(
                    f"{_place(rows, k)} is the first one of a handler (rvfi_intr), the row before is no trap, and the"
                    " trap port has no interrupt for it",
                    k,
                )
            before.append((k, count))
            count += 1
        if trap:
            if count == len(interrupt) or interrupt[count]:
                found = "nothing" if count == len(interrupt) else f"{_what(traps, count)} with epc {epc[count]:#x}"
                raise RvfiError(
                    f"{_place(rows, k)} is a trap (rvfi_trap), and the next event of the trap port is {found}",
                    k,
                )
            of_trap.append(count)
            count += 1
    left = len(interrupt) - count
    if left > 1 or (left == 1 and not interrupt[count] and not rows["trap"][-1]):
        raise RvfiError(
            f"the trap port has {left} events more than RVFI has traps, the first one {_what(traps, count)} with epc"
            f" {epc[count]:#x}"
        )
    return np.array(of_trap, np.int64), before


def _what(traps: np.ndarray, k: int) -> str:
    return f"{'interrupt' if traps['interrupt'][k] else 'exception'} {int(traps['cause'][k])}"


def _from_memory(rows: np.ndarray, cause: np.ndarray, program: Program) -> None:
    """RvfiError if a row has not the instruction that the program has at its pc."""
    fetched = (rows["trap"] == 0) | ~np.isin(cause, _FETCH_FAULTS)
    had, there = _memory_at(rows["pc"], program)
    wrong = np.flatnonzero((~there | (had != rows["insn"])) & fetched)
    if not len(wrong):
        return
    stores = rows["wmask"] != 0
    written = np.unique(rows["mem_addr"][stores] & ~np.uint64(3))
    pc = rows["pc"][wrong]
    kept = ~np.isin(pc & ~np.uint64(3), written) & ~np.isin(pc + np.uint64(2) & ~np.uint64(3), written)
    if kept.any():  # the others may be what the program wrote itself
        k = int(wrong[np.argmax(kept)])
        found = f"{int(had[k]):#x}" if there[k] else "no instruction"
        raise RvfiError(f"{_place(rows, k)}: rvfi_insn is {int(rows['insn'][k]):#x}, and memory has {found} there", k)


def _memory_at(pc: np.ndarray, program: Program) -> tuple[np.ndarray, np.ndarray]:
    """(bits of the instruction at each address, whether the program has one there)."""
    bits, there = np.zeros(len(pc), np.uint32), np.zeros(len(pc), bool)
    for base, body in program.segments:
        halves = np.frombuffer(bytes(body) + bytes(2 + len(body) % 2), "<u2").astype(np.uint32)
        inside = np.flatnonzero((pc >= base) & (pc < base + len(body)) & (pc % 2 == 0))
        at = (pc[inside] - np.uint64(base)).astype(np.int64) >> 1
        low, wide = halves[at], halves[at] & 3 == 3
        bits[inside] = np.where(wide, low | halves[np.where(wide, at + 1, at)] << np.uint32(16), low)
        there[inside] = 2 * at + np.where(wide, 4, 2) <= len(body)
    return bits, there


def _stream(
    rows: np.ndarray, traps: np.ndarray, of_trap: np.ndarray, before: list[tuple[int, int]], program: Program
) -> Retired:
    """Rows and interrupts in order."""
    at = np.array([k for k, _ in before], np.int64)
    events = np.array([event for _, event in before], np.int64)
    n = len(rows) + len(at)
    place = np.arange(len(rows)) + np.searchsorted(at, np.arange(len(rows)), side="right")  # of each row
    there = at + np.arange(len(at))  # of each interrupt
    is_trap = rows["trap"] != 0

    def column(of_row: np.ndarray, of_interrupt: np.ndarray | int, dtype: type = np.uint64) -> np.ndarray:
        out = np.zeros(n, dtype)
        out[place], out[there] = of_row, of_interrupt
        return out

    def trapped(name: str) -> np.ndarray:
        out = np.zeros(len(rows), np.uint64)
        out[is_trap] = traps[name][of_trap]
        return column(out, traps[name][events])

    kind = column(np.where(is_trap, Kind.EXCEPTION, Kind.INSN), Kind.INTERRUPT, np.uint8)
    # An interrupt comes where the row before it went, whatever the core puts into mepc.
    came = np.where(at > 0, rows["next_pc"][np.maximum(at, 1) - 1], traps["epc"][events])
    pc = column(rows["pc"], came)
    insn = kind == Kind.INSN
    size = column(np.where(is_trap, 0, np.where(rows["insn"] & 3 == 3, 4, 2)), 0, np.uint8)
    static = program.columns(pc)
    branch = insn & (static.flow == Flow.BRANCH)
    taken = np.full(n, -1, np.int8)
    taken[branch] = (column(rows["next_pc"], 0) != pc + size)[branch]
    itype = static.itype[VARIANT].copy()
    itype[taken == 1] = IType.TAKEN
    itype[~insn] = kind[~insn]  # Kind and IType share the numbers of exception and interrupt
    priv = column(rows["mode"], traps["mode_from"][events], np.uint8)
    return Retired(
        kind, pc, size, itype, taken, trapped("cause"), trapped("tval"), priv, np.zeros(n, np.uint64),
        _effects(rows, traps, place, there, np.flatnonzero(is_trap), of_trap, events, n, program.xlen),
    )  # fmt: skip


def _effects(
    rows: np.ndarray, traps: np.ndarray, place: np.ndarray, there: np.ndarray, trap_rows: np.ndarray,
    of_trap: np.ndarray, events: np.ndarray, n: int, xlen: int,
) -> Effects:  # fmt: skip
    retired = rows["trap"] == 0

    def column(values: np.ndarray, dtype: type = np.uint64) -> np.ndarray:
        out = np.zeros(n, dtype)
        out[place] = np.where(retired, values, 0)
        return out

    size = np.zeros(256, np.uint8)
    size[list(_SIZES)] = list(_SIZES.values())
    rmask, wmask = rows["rmask"], rows["wmask"]
    bytes_ = size[rmask | wmask]
    limit = np.uint64(0xFFFF_FFFF_FFFF_FFFF) >> (np.uint64(64) - np.uint64(8) * np.maximum(bytes_, 1).astype(np.uint64))
    value = np.where(wmask != 0, rows["mem_wdata"], rows["rd_value"]) & limit
    # CSRs: of instructions, then of traps; of one row in the order of its slots.
    slot_row, slot = np.nonzero(rows["csr_valid"][:, None] >> np.arange(CSR_SLOTS, dtype=np.uint8) & 1)
    kept = retired[slot_row]
    slot_row, slot = slot_row[kept], slot[kept]
    addr = np.stack([rows[f"csr_addr{k}"] for k in range(CSR_SLOTS)], axis=1)
    csr = np.stack([rows[f"csr{k}"] for k in range(CSR_SLOTS)], axis=1)
    trap_at = np.concatenate([place[trap_rows], there])
    event = np.concatenate([of_trap, events])
    interrupt = traps["interrupt"][event].astype(np.uint64) << np.uint64(xlen - 1)
    entries = {
        _MEPC: traps["epc"][event], _MCAUSE: traps["cause"][event] | interrupt, _MSTATUS: traps["status"][event],
        _MTVAL: traps["tval"][event],
    }  # fmt: skip
    row = np.concatenate([place[slot_row], *([trap_at] * len(entries))])
    address = np.concatenate([addr[slot_row, slot], *(np.full(len(event), name) for name in entries)])
    values = np.concatenate([csr[slot_row, slot], *entries.values()])
    order = np.argsort(row, kind="stable")
    access = np.where(bytes_ > 0, bytes_, 0)
    return Effects(
        rd=column(rows["rd"], np.uint8), rd_value=column(rows["rd_value"]),
        mem_addr=column(np.where(bytes_ > 0, rows["mem_addr"], 0)), mem_size=column(access, np.uint8),
        mem_store=column(wmask != 0, np.uint8), mem_value=column(np.where(bytes_ > 0, value, 0)),
        csr_row=row[order].astype(np.int64), csr_addr=address[order].astype(np.uint16),
        csr_value=values[order].astype(np.uint64),
    )  # fmt: skip
