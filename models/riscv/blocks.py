"""Grouping a retire stream into ingress blocks, and reading blocks back (E-Trace 2.0, chapter 4).

A block is a run of contiguous instructions of one privilege and context, of which only the last may have an
itype other than 0. A trap ends the block of the instructions before it, or stands alone with iretire 0 and
iaddr the EPC. One cycle has at most `lanes` blocks of one privilege and context, a trap only in the last of
them.
"""

from __future__ import annotations

import random

import numpy as np

from models.riscv.beats import LANE_FIELDS, Beats
from models.riscv.isa import Flow
from models.riscv.program import Program
from models.riscv.retired import IType, Kind, Priv, Retired
from models.riscv.stream import CONTROL_KINDS

RETIREMENTS = ("single", "block")
_LEVELS = (("inst_tracing", Kind.TRACE_ON, Kind.TRACE_OFF), ("halted", Kind.DEBUG_ENTRY, Kind.DEBUG_EXIT))


class BlocksError(ValueError):
    """A stream that has no blocks, or blocks that are no stream; the text says which row."""


def to_beats(
    retired: Retired,
    lanes: int = 1,
    retirement: str = "block",
    max_iretire: int = 127,
    rng: random.Random | None = None,
    gaps: float = 0.0,
    tracing: bool | None = None,
    halted: bool | None = None,
) -> Beats:
    """The stream as the ingress port carries it.

    lanes: blocks a cycle. retirement: "single" (one instruction a block) or "block" (at most max_iretire
    half-words). Without rng the longest blocks in the fewest cycles; with it any legal grouping: blocks
    split, traps merged or alone, lanes left empty, and with probability `gaps` idle cycles before a beat.

    The first beat is idle with enable 0 and the initial levels: tracing (inst_tracing) and halted, by default
    those that make the first trace and debug rows a change, else 0. Each control row is a beat without
    blocks; with rng, blocks may share the beat of all but debug_entry. Raises BlocksError for what a port
    cannot carry.
    """
    if retirement not in RETIREMENTS or not 1 <= lanes <= 4 or max_iretire < 2:
        raise BlocksError(
            f"lanes={lanes}, retirement={retirement!r}, max_iretire={max_iretire} is no ingress port; "
            f"give 1 to 4 lanes, one of {RETIREMENTS} and at least 2"
        )
    kind = retired.kind
    is_insn, is_trap, is_control = kind == Kind.INSN, kind <= Kind.INTERRUPT, kind >= Kind.TRACE_ON
    is_trap &= ~is_insn
    levels = _levels(kind, tracing, halted)
    _check(retired, is_insn, is_trap, levels[1])
    coin = _Coins(rng)

    # Items: blocks and control rows. `first` marks the row an item begins with.
    size = retired.size.astype(np.int64) >> 1
    n = len(retired)
    first = np.ones(n, dtype=bool)
    same_mode = (retired.priv[1:] == retired.priv[:-1]) & (retired.context[1:] == retired.context[:-1])
    contiguous = retired.pc[1:] == retired.pc[:-1] + retired.size[:-1]
    goes_on = is_insn[:-1] & (retired.itype[:-1] == IType.NONE) & contiguous & same_mode
    follows_call = is_insn[:-1] & (retired.itype[:-1] == IType.EXCEPTION)
    if retirement == "block":
        first[1:] = ~(goes_on & is_insn[1:]) | coin(n - 1, 0.15)
    first[1:] &= ~(goes_on & is_trap[1:] & ~coin(n - 1, 0.5)) & ~follows_call
    _limit(first, size, max_iretire)
    begin = np.flatnonzero(first)
    end = np.append(begin[1:], n)[: len(begin)] - 1  # last row of each item

    # Beats: where each item goes. A beat ends where a rule or a coin says, or when its lanes are full.
    control = is_control[begin]
    mode_change = np.ones(len(begin), dtype=bool)
    mode_change[1:] = ~(
        (retired.priv[begin[1:]] == retired.priv[begin[:-1]])
        & (retired.context[begin[1:]] == retired.context[begin[:-1]])
    )
    shared = control & coin(len(begin), 0.5)  # no block follows debug_entry
    shared &= np.append(~control[1:], False)[: len(begin)]
    after_control, after_shared, after_trap = (
        np.append(False, x)[:-1] for x in (control, shared, is_trap[end])
    )
    forced = control | after_control | after_trap | mode_change | coin(len(begin), 0.2)
    number = np.arange(len(begin))
    lane = (number - np.maximum.accumulate(np.where(forced, number, 0))) % lanes if n else number
    beat = np.cumsum((lane == 0) & ~after_shared)  # beat 0 is the idle one

    beats = Beats.empty(int(beat[-1]) + 1 if len(beat) else 1, lanes, enable=1)
    beats.enable[0] = 0
    for (name, _, _), level in zip(_LEVELS, levels):
        column = getattr(beats, name)
        column[0] = level[-1]  # the initial level is stored behind the rows
        column[beat] = level[begin]
    columns = {
        "itype": np.where(is_trap[end], kind[end], retired.itype[end]),
        "iaddr": retired.pc[begin],
        "iretire": np.add.reduceat(size, begin) if n else size,
        "ilastsize": retired.size[np.where(is_trap[end] & (begin < end), end - 1, end)] == 4,
        "cause": retired.cause[end], "tval": retired.tval[end],
        "priv": retired.priv[begin], "context": retired.context[begin],
    }  # fmt: skip
    where = beat[~control], lane[~control]
    for name, column in columns.items():
        getattr(beats, name)[where] = column[~control]
    idle = coin(len(beats), gaps)
    beats.cycle = beats.cycle + np.cumsum(idle * (1 + coin.bytes(len(beats)) % 8)).astype(np.uint64)
    return beats


class _Coins:
    """Random masks from a `random.Random`; without one, all False."""

    def __init__(self, rng: random.Random | None) -> None:
        self._rng = rng

    def bytes(self, n: int) -> np.ndarray:
        return np.frombuffer(self._rng.randbytes(n), np.uint8) if self._rng else np.zeros(n, np.uint8)

    def __call__(self, n: int, probability: float) -> np.ndarray:
        n = max(n, 0)
        if self._rng is None or not probability:
            return np.zeros(n, dtype=bool)
        return np.frombuffer(self._rng.randbytes(2 * n), np.uint16) < probability * 65536


def _levels(kind: np.ndarray, tracing: bool | None, halted: bool | None) -> tuple[np.ndarray, np.ndarray]:
    """inst_tracing and halted in force at each row, and the initial level as an extra last element."""
    levels = []
    for (_, rise, fall), initial in zip(_LEVELS, (tracing, halted)):
        changes = np.flatnonzero((kind == rise) | (kind == fall))
        values = kind[changes] == rise
        if initial is None:
            initial = bool(len(values)) and not values[0]
        values = np.concatenate([[bool(initial)], values])
        repeated = np.flatnonzero(values[1:] == values[:-1])
        if len(repeated):
            row = int(changes[repeated[0]])
            raise BlocksError(
                f"row {row} is {Kind(int(kind[row])).name.lower()}, and that level is in force already; "
                "remove the row or give other initial levels"
            )
        lengths = np.diff(np.concatenate([[0], changes, [len(kind)]]))
        levels.append(np.append(np.repeat(values, lengths), values[0]).astype(np.uint8))
    return levels[0], levels[1]


def _check(retired: Retired, is_insn: np.ndarray, is_trap: np.ndarray, halted: np.ndarray) -> None:
    """Raise BlocksError at the first row that has no block."""
    call = is_insn & (retired.itype == IType.EXCEPTION)
    told = np.append((retired.kind[1:] == Kind.EXCEPTION) & (retired.pc[1:] == retired.pc[:-1]), False)
    wrong = {
        "retires or traps in Debug Mode": (is_insn | is_trap) & (halted[:-1] == 1),
        "is an instruction that is neither 2 nor 4 bytes long": is_insn
        & (retired.size != 2)
        & (retired.size != 4),
        "has a cause of more than 8 bits": is_trap & (retired.cause > 0xFF),
        "has a context of more than 32 bits": retired.context > 0xFFFF_FFFF,
        "is an ecall or ebreak that no exception follows": call & ~told[: len(call)],
    }
    for reason, rows in wrong.items():
        if rows.any():
            row = int(np.argmax(rows))
            raise BlocksError(
                f"row {row} at {int(retired.pc[row]):#x} {reason}; the ingress port cannot carry it"
            )


def _limit(first: np.ndarray, size: np.ndarray, most: int) -> None:
    """Begin another block wherever one would get longer than `most` half-words."""
    total = np.concatenate([[0], np.cumsum(size)])
    begin = np.flatnonzero(first)
    end = np.append(begin[1:], len(first))[: len(begin)]
    too_long = total[end] - total[begin] > most
    for start, stop in zip(begin[too_long].tolist(), end[too_long].tolist()):
        while total[stop] - total[start] > most:
            start = int(np.searchsorted(total, total[start] + most, side="right")) - 1
            first[start] = True


def from_beats(beats: Beats, program: Program, variant: str = "v1_0") -> Retired:
    """The rows that a monitor saw: blocks expanded by the program, trace and debug rows from the levels.

    itype is that of the block for its last instruction and 0 for the others, whatever the program says; in
    rc7 a block with itype 1 that ends in ecall or ebreak retires it. Addresses of control rows are those of
    `observable`. A change of both levels in one beat gives the trace row first.
    Raises BlocksError where a block does not fit the program.
    """
    lane_row, lane = np.nonzero(beats.valid())
    block = {name: getattr(beats, name)[lane_row, lane] for name in LANE_FIELDS}
    start, length, flat = _expand(program, block["iaddr"], block["iretire"])
    is_trap = (block["itype"] == IType.EXCEPTION) | (block["itype"] == IType.INTERRUPT)

    # Items in order: the changes of each beat, then its blocks. An item has a kind (blocks: INSN) and rows.
    parts = [(lane_row, lane + len(_LEVELS), np.zeros(len(lane), dtype=np.int64), np.arange(len(lane)))]
    for place, (name, rise, fall) in enumerate(_LEVELS):
        level = getattr(beats, name)
        row = np.flatnonzero(level[1:] != level[:-1]) + 1
        parts.append(
            (row, np.full(len(row), place), np.where(level[row], rise, fall), np.zeros(len(row), int))
        )
    row, place, kind, index = (np.concatenate(column) for column in zip(*parts))
    order = np.lexsort((place, row))
    kind, index = kind[order], index[order]
    is_block = kind == Kind.INSN
    if not len(lane):  # nothing to index
        empty = np.zeros(len(kind))
        bare = Retired.from_columns(pc=empty, kind=kind, size=empty)
        return observable(bare, program)
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
    epc = block["iaddr"] + (block["iretire"].astype(np.uint64) << np.uint64(1)) & np.uint64(
        (1 << program.xlen) - 1
    )
    pc = np.where(trap_row, epc[of], pc)
    if variant == "rc7":
        call = last & (block["itype"][of] == IType.EXCEPTION) & (columns.flow == Flow.TRAP)
        itype[call] = IType.EXCEPTION
        pc[1:][call[:-1]] = pc[:-1][call[:-1]]
    kinds = np.where(trap_row, block["itype"][of], kind[item])  # EXCEPTION and INTERRUPT have the same codes
    itype = np.where(trap_row, kinds, itype)
    taken = np.where(itype == IType.TAKEN, 1, np.where(itype == IType.NOT_TAKEN, 0, -1))
    rows = Retired(
        kind=kinds, pc=pc, size=np.where(is_insn, columns.size, 0), itype=itype,
        taken=np.where(is_insn, taken, -1),
        cause=np.where(trap_row, block["cause"][of], 0), tval=np.where(trap_row, block["tval"][of], 0),
        priv=block["priv"][of], context=block["context"][of],
    )  # fmt: skip
    return observable(rows, program)


def _expand(
    program: Program, iaddr: np.ndarray, iretire: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
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
    begin, size, left = pc, len(flat), 2 * halves
    while left > 0:
        insn = program.insn(pc)
        if insn is None or insn.size > left:
            what = "no instruction" if insn is None else f"an instruction of {insn.size} bytes"
            raise BlocksError(
                f"the block at {program.place(begin)} with iretire={halves} has {what} at {pc:#x}, "
                f"{left} bytes before its end; give the program that ran"
            )
        flat.append(pc)
        pc, left = pc + insn.size, left - insn.size
    return len(flat) - size


def observable(retired: Retired, program: Program) -> Retired:
    """The stream with its control rows as an ingress port can tell them; all other rows are kept.

    Privilege and context: of the next instruction or trap; without one, of the last; without any, M and 0.
    Address: of the next instruction or trap, 0 without one; but up to the first trace_on or debug_exit after
    an instruction, where that instruction leads, unless it is an indirect jump.
    """
    n = len(retired)
    control = np.isin(retired.kind, CONTROL_KINDS)
    own = np.arange(n)
    before = np.maximum.accumulate(np.where(control, -1, own)) if n else own
    after = np.minimum.accumulate(np.where(control, n, own)[::-1])[::-1] if n else own
    restart = (retired.kind == Kind.TRACE_ON) | (retired.kind == Kind.DEBUG_EXIT)
    restarts = np.append(0, np.cumsum(restart))
    restarted = (
        restarts[own + 1] > restarts[before + 1]
    )  # a restart since the last other row, this one included

    columns = program.columns(retired.pc)
    leads = retired.pc + columns.size & np.uint64((1 << program.xlen) - 1)
    jumps = (columns.flow == Flow.INFERABLE) | ((columns.flow == Flow.BRANCH) & (retired.taken == 1))
    leads = np.where(jumps, columns.target, leads)
    known = (retired.kind == Kind.INSN) & (columns.flow != Flow.UNINFERABLE) & (columns.flow != Flow.TRAP)
    led, is_led = leads[before], known[before] & (before >= 0)  # index -1 reads the last row, and is masked
    following = np.append(retired.pc, np.uint64(0))[after]
    pc = np.where(is_led & ~restarted, led, following)

    result = retired.select(slice(None))
    source = np.where(after < n, after, before)
    result.pc = np.where(control, pc, retired.pc)
    result.priv = np.where(control & (source < 0), Priv.M, retired.priv[source]).astype(np.uint8)
    result.context = np.where(control & (source < 0), 0, retired.context[source]).astype(np.uint64)
    return result
