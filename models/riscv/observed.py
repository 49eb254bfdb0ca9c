# SPDX-License-Identifier: Apache-2.0
"""Reading ingress blocks back (E-Trace 2.0, chapter 4): the retire stream that a monitor of the port saw."""

from __future__ import annotations

import numpy as np

from rvtrace.models.riscv.beats import LANE_FIELDS, Beats
from rvtrace.models.riscv.isa import ETRACE_VARIANTS, Flow
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import IType, Kind, Priv, Retired
from rvtrace.models.riscv.stream import CONTROL_KINDS, LEVEL_KINDS, RESTART_KINDS, custom_jumps

PULSE_KINDS = (("notify", Kind.NOTIFY), ("ext_notify", Kind.EXT_NOTIFY), ("vendor", Kind.VENDOR))


class BlocksError(ValueError):
    """A stream that has no blocks, or blocks that are no stream; the text says which row."""


def from_beats(beats: Beats, program: Program, variant: str = "v1_0") -> Retired:
    """The rows that a monitor saw: blocks expanded by the program, the other rows from levels and pulses.

    itype and sijump are those of the block for its last instruction and 0 for the others, whatever the program
    says; in rc7 a block with itype 1 that ends in ecall or ebreak retires it. Addresses of control rows are
    those of `observable`. A beat gives its changes of levels (in the order of `stream.LEVEL_KINDS`), its blocks,
    and its pulses (notify, ext_notify, vendor); in E-Trace, its notify immediately after its last instruction. Raises
    BlocksError where a block does not fit the program.
    """
    lane_row, lane = np.nonzero(beats.valid())
    block = {name: getattr(beats, name)[lane_row, lane] for name in LANE_FIELDS}
    start, length, flat = _expand(program, block["iaddr"], block["iretire"])
    is_trap = (block["itype"] == IType.EXCEPTION) | (block["itype"] == IType.INTERRUPT)
    kind, index, beat = _items(beats, lane_row, lane)

    # Rows: an item has a row of its own, or those of its block.
    is_block = kind == Kind.INSN
    if not len(lane):  # nothing to index
        empty = np.zeros(len(kind))
        told = {"cause": _vendor(beats.vendor, kind, beat), "tval": _vendor(beats.vendor_data, kind, beat)}
        return observable(Retired.from_columns(pc=empty, kind=kind, size=empty, **told), program)
    counts = np.where(is_block, length[index] + is_trap[index], 1)
    item = np.repeat(np.arange(len(kind)), counts)
    position = np.arange(len(item)) - np.repeat(np.cumsum(counts) - counts, counts)

    of_block, of = is_block[item], index[item]
    is_insn = of_block & (position < length[of])
    trap_row = of_block & ~is_insn
    last = is_insn & (position == length[of] - 1)
    pc = np.where(is_insn, flat[np.where(is_insn, start[of] + position, 0)], 0).astype(np.uint64)
    columns = program.columns(pc)
    itype = np.where(last & ~is_trap[of], block["itype"][of], 0)
    mask = np.uint64((1 << program.xlen) - 1)
    epc = block["iaddr"] + (block["iretire"].astype(np.uint64) << np.uint64(1)) & mask
    pc = np.where(trap_row, epc[of], pc)
    if variant == "rc7":
        call = last & (block["itype"][of] == IType.EXCEPTION) & (columns.flow == Flow.TRAP)
        itype[call] = IType.EXCEPTION
        pc[1:][call[:-1]] = pc[:-1][call[:-1]]
    kinds = np.where(trap_row, block["itype"][of], kind[item])  # EXCEPTION and INTERRUPT have the same codes
    itype = np.where(trap_row, kinds, itype)
    taken = np.where(itype == IType.TAKEN, 1, np.where(itype == IType.NOT_TAKEN, 0, -1))
    taken = np.where(is_insn & (columns.flow != Flow.INFERABLE), taken, -1)  # all-jumps: itype 5 is not a direction
    vendor, toggle = kind[item] == Kind.VENDOR, kind[item] == Kind.TOGGLE
    cause = np.where(vendor, beats.vendor[beat[item]], np.where(trap_row, block["cause"][of], 0))
    rows = Retired(
        kind=kinds, pc=pc, size=np.where(is_insn, columns.size, 0), itype=itype, taken=taken,
        cause=np.where(toggle, beats.toggle[beat[item]], cause),
        tval=np.where(vendor, beats.vendor_data[beat[item]], np.where(trap_row, block["tval"][of], 0)),
        priv=block["priv"][of], context=block["context"][of], hcontext=block["hcontext"][of],
        sijump=np.where(last & ~is_trap[of], block["sijump"][of], 0),
    )  # fmt: skip
    if variant in ETRACE_VARIANTS:
        rows = rows.select(_before_traps(rows.kind, beat[item]))
    return observable(rows, program)


def _before_traps(kind: np.ndarray, beat: np.ndarray) -> np.ndarray:
    """The rows with each notify moved before the trap of its beat, or removed if no instruction ended in its beat."""
    order = np.arange(len(kind))
    behind = np.flatnonzero(
        (kind[1:] == Kind.NOTIFY) & (beat[1:] == beat[:-1]) & np.isin(kind[:-1], (Kind.EXCEPTION, Kind.INTERRUPT))
    )
    order[behind], order[behind + 1] = behind + 1, behind
    moved, place = kind[order], beat[order]
    tells = np.append(False, (moved[:-1] == Kind.INSN) & (place[:-1] == place[1:]))[: len(kind)]
    return order[(moved != Kind.NOTIFY) | tells]


def _items(beats: Beats, lane_row: np.ndarray, lane: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What the beats hold, in order: kind (blocks: INSN), number of the block, and beat."""
    blocks = np.arange(len(lane))
    first = len(LEVEL_KINDS) + 1
    parts = [(lane_row, lane + first, np.zeros(len(lane), dtype=np.int64), blocks)]
    for place, (name, rise, fall) in enumerate(LEVEL_KINDS):
        level = getattr(beats, name)
        row = np.flatnonzero(level[1:] != level[:-1]) + 1
        parts.append((row, np.full(len(row), place), np.where(level[row], rise, fall), np.zeros(len(row), int)))
    row = np.flatnonzero(beats.toggle[1:] != beats.toggle[:-1]) + 1
    parts.append((row, np.full(len(row), len(LEVEL_KINDS)), np.full(len(row), Kind.TOGGLE), np.zeros(len(row), int)))
    for place, (name, kind) in enumerate(PULSE_KINDS, first + beats.lanes):
        row = np.flatnonzero(getattr(beats, name))
        parts.append((row, np.full(len(row), place), np.full(len(row), kind), np.zeros(len(row), int)))
    row, place, kind, index = (np.concatenate(column) for column in zip(*parts))
    order = np.lexsort((place, row))
    return kind[order], index[order], row[order]


def _vendor(column: np.ndarray, kind: np.ndarray, beat: np.ndarray) -> np.ndarray:
    return np.where(kind == Kind.VENDOR, column[beat], 0)


def _expand(program: Program, iaddr: np.ndarray, iretire: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each block: where its instructions begin in the address list (returned last), and how many."""
    known: dict[tuple[int, int], tuple[int, int]] = {}
    flat: list[int] = [0]
    places = []
    for key in zip(iaddr.tolist(), iretire.tolist()):
        place = known.get(key)
        if place is None:
            place = known[key] = len(flat), _append(program, *key, flat)
        places.append(place)
    table = np.array(places, dtype=np.int64).reshape(-1, 2)
    return table[:, 0], table[:, 1], np.array(flat, dtype=np.uint64)


def _append(program: Program, pc: int, halves: int, flat: list[int]) -> int:
    """Append the addresses of a block's instructions; returns how many."""
    begin, size, left, mask = pc, len(flat), 2 * halves, (1 << program.xlen) - 1
    while left > 0:
        insn = program.insn(pc)
        if insn is None or insn.size > left:
            what = "no instruction" if insn is None else f"an instruction of {insn.size} bytes"
            raise BlocksError(
                f"the block at {program.place(begin)} with iretire={halves} has {what} at {pc:#x}, "
                f"{left} bytes before its end; give the program that ran"
            )
        flat.append(pc)
        pc, left = pc + insn.size & mask, left - insn.size
    return len(flat) - size


def observable(retired: Retired, program: Program) -> Retired:
    """The stream with its control rows as an ingress port can report them; all other rows are kept.

    Privilege and contexts: of the next instruction or trap; without one, of the last; without any, M and 0.
    Address: of the next instruction or trap, 0 without one; but up to the first row of `stream.RESTART_KINDS`
    after an instruction, where that instruction leads, unless it is an indirect or a custom jump.
    """
    n = len(retired)
    control = np.isin(retired.kind, CONTROL_KINDS)
    own = np.arange(n)
    before = np.maximum.accumulate(np.where(control, -1, own)) if n else own
    after = np.minimum.accumulate(np.where(control, n, own)[::-1])[::-1] if n else own
    restarts = np.append(0, np.cumsum(np.isin(retired.kind, RESTART_KINDS)))
    restarted = restarts[own + 1] > restarts[before + 1]  # a restart since the last other row, this one included

    columns = program.columns(retired.pc)
    leads = retired.pc + columns.size & np.uint64((1 << program.xlen) - 1)
    jumps = (columns.flow == Flow.INFERABLE) | ((columns.flow == Flow.BRANCH) & (retired.taken == 1))
    leads = np.where(jumps, columns.target, leads)
    known = (retired.kind == Kind.INSN) & (columns.flow != Flow.UNINFERABLE) & (columns.flow != Flow.TRAP)
    known &= ~custom_jumps(retired, program)
    led, is_led = leads[before], known[before] & (before >= 0)  # index -1 reads the last row, and is masked
    following = np.append(retired.pc, np.uint64(0))[after]
    pc = np.where(is_led & ~restarted, led, following)

    result = retired.select(slice(None))
    source = np.where(after < n, after, before)
    result.pc = np.where(control, pc, retired.pc)
    for name, without in (("priv", Priv.M), ("context", 0), ("hcontext", 0)):
        column = getattr(retired, name)
        setattr(result, name, np.where(control & (source < 0), without, column[source]).astype(column.dtype))
    return result
