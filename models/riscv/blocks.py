# SPDX-License-Identifier: Apache-2.0
"""Grouping a retire stream into ingress blocks (E-Trace 2.0, chapter 4); `rvtrace.models.riscv.observed` reads them
back.

A block is a run of contiguous instructions of one privilege, scontext and hcontext, of which only the last may
have an itype other than 0. A trap ends the block of the instructions before it, or is alone with iretire 0
and iaddr the EPC. One cycle has at most `lanes` blocks of one privilege and context, a trap only in the last of
them.
"""

from __future__ import annotations

import random

import numpy as np

from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.observed import PULSE_KINDS, BlocksError, from_beats, observable
from rvtrace.models.riscv.retired import IType, Kind, Retired
from rvtrace.models.riscv.stream import LEVEL_KINDS

__all__ = [
    "RETIREMENTS",
    "BlocksError",
    "from_beats",
    "observable",
    "once_a_cycle",
    "report_contexts",
    "to_beats",
    "without_stray_triggers",
]

RETIREMENTS = ("single", "block")
VENDOR_TCODES = range(56, 63)  # of messages that an encoder passes through
_MODE = ("priv", "context", "hcontext")


def to_beats(
    retired: Retired,
    lanes: int = 1,
    retirement: str = "block",
    max_iretire: int = 127,
    rng: random.Random | None = None,
    gaps: float = 0.0,
    tracing: bool | None = None,
    halted: bool | None = None,
    per_cycle: bool = False,
) -> Beats:
    """The stream as the ingress port carries it.

    lanes: blocks a cycle. retirement: "single" (one instruction a block) or "block" (at most max_iretire
    half-words). Without rng the longest blocks in the fewest cycles; with it any legal grouping: blocks
    split, traps merged or alone, lanes left empty, and with probability `gaps` idle cycles before a beat.

    The first beat is idle with enable 0 and the initial levels: tracing (inst_tracing) and halted if given, else
    those that make the first row of each level a change, or 0. Each change of a level is a beat without
    blocks; with rng, blocks may share the beat of those that do not stop the hart. A pulse is in the beat of the
    row before it, after its blocks; with rng it may have a beat of its own. Raises BlocksError for what a port
    cannot carry.

    per_cycle: for E-Trace, whose trigger is a signal of a block: a notify must follow its instruction, is in the beat
    in which that is the last, and a trap may share that beat, even that block; all blocks of a beat have its cause and
    tval. `report_contexts` chooses ctype.
    """
    if retirement not in RETIREMENTS or not 1 <= lanes <= 4 or max_iretire < 2:
        raise BlocksError(
            f"lanes={lanes}, retirement={retirement!r}, max_iretire={max_iretire} is not an ingress port; "
            f"give 1 to 4 lanes, one of {RETIREMENTS} and at least 2"
        )
    retired, noted = _notified(retired) if per_cycle else (retired, np.zeros(len(retired), dtype=bool))
    kind = retired.kind
    is_insn, is_trap, is_control = kind == Kind.INSN, kind <= Kind.INTERRUPT, kind >= Kind.TRACE_ON
    is_trap &= ~is_insn
    levels = _levels(kind, (tracing, halted, None, None))
    _check(retired, is_insn, is_trap, np.bitwise_or.reduce(levels[1:]))
    coin = _Coins(rng)

    # Items: blocks and control rows. `first` marks the row an item begins with.
    size = retired.size.astype(np.int64) >> 1
    n = len(retired)
    first = np.ones(n, dtype=bool)
    same_mode = _same(retired, np.arange(1, n), np.arange(n - 1)) if n else first[1:]
    contiguous = retired.pc[1:] == retired.pc[:-1] + retired.size[:-1]
    goes_on = is_insn[:-1] & (retired.itype[:-1] == IType.NONE) & contiguous & same_mode
    follows_call = is_insn[:-1] & (retired.itype[:-1] == IType.EXCEPTION)
    if retirement == "block":
        first[1:] = ~(goes_on & is_insn[1:]) | coin(n - 1, 0.15)
    first[1:] |= noted[:-1] & is_insn[1:]
    first[1:] &= ~(goes_on & is_trap[1:] & ~coin(n - 1, 0.5)) & ~follows_call
    _limit(first, size, max_iretire)
    begin = np.flatnonzero(first)
    end = np.append(begin[1:], n)[: len(begin)] - 1  # last row of each item

    # Beats: where each item goes. A beat ends where a rule or a coin says, or when its lanes are full; a pulse
    # joins the beat of the item before it, the pulses of one beat in the order of their kinds.
    what = kind[begin]
    control, pulse = is_control[begin], np.isin(what, [number for _, number in PULSE_KINDS])
    joins = pulse & ~coin(len(begin), 0.4)
    joins[:1] = False
    joins[1:] &= ~pulse[:-1] | (what[1:] > what[:-1])
    mode_change = np.ones(len(begin), dtype=bool)
    mode_change[1:] = ~_same(retired, begin[1:], begin[:-1])
    shared = control & ~pulse & coin(len(begin), 0.5)  # with the block after it; none follows what stops the hart
    shared &= np.append(~control[1:], False)[: len(begin)]
    tells = noted[end] | (
        noted[np.maximum(end - 1, 0)] & is_trap[end] & (begin < end)
    )  # its last instruction has a trigger
    closes = is_trap[end] | (tells & ~np.append(is_trap[end] & (begin == end), False)[1:])
    after_control, after_shared, after_trap = (np.append(False, x)[:-1] for x in (control, shared, closes))
    forced = (control | after_control | after_trap | mode_change | coin(len(begin), 0.2))[~joins]
    number = np.arange(len(forced))
    lane, beat = np.zeros(len(begin), dtype=np.int64), np.zeros(len(begin), dtype=np.int64)
    lane[~joins] = (number - np.maximum.accumulate(np.where(forced, number, 0))) % lanes if n else number
    beat = np.cumsum((lane == 0) & ~after_shared & ~joins)  # beat 0 is the idle one

    beats = Beats.empty(int(beat[-1]) + 1 if len(beat) else 1, lanes, enable=1)
    beats.enable[0] = 0
    for (name, _, _), level in zip(LEVEL_KINDS, levels):
        column = getattr(beats, name)
        column[0] = level[-1]  # the initial level is stored after the rows
        column[beat] = level[begin]
    beats.toggle[beat] = _toggles(retired)[begin]
    beats.notify[beat[tells]] = 1
    columns = {
        "itype": np.where(is_trap[end], kind[end], retired.itype[end]),
        "iaddr": retired.pc[begin],
        "iretire": np.add.reduceat(size, begin) if n else size,
        "ilastsize": retired.size[np.where(is_trap[end] & (begin < end), end - 1, end)] == 4,
        "cause": retired.cause[end],
        "tval": retired.tval[end],
        "sijump": np.where(is_trap[end], 0, retired.sijump[end]),
        **{name: getattr(retired, name)[begin] for name in _MODE},
    }
    where = beat[~control], lane[~control]
    for name, column in columns.items():
        getattr(beats, name)[where] = column[~control]
    for name, number in PULSE_KINDS:
        getattr(beats, name)[beat[what == number]] = retired.cause[begin[what == number]] if name == "vendor" else 1
    beats.vendor_data[beat[what == Kind.VENDOR]] = retired.tval[begin[what == Kind.VENDOR]]
    idle = coin(len(beats), gaps)
    beats.cycle = beats.cycle + np.cumsum(idle * (1 + coin.bytes(len(beats)) % 8)).astype(np.uint64)
    return once_a_cycle(beats) if per_cycle else beats


def once_a_cycle(beats: Beats) -> Beats:
    """The beats at a port that reports cause and tval once a cycle: every block of a trap's beat has them."""
    result, valid = beats.select(slice(None)), beats.valid()
    trap = valid & ((beats.itype == IType.EXCEPTION) | (beats.itype == IType.INTERRUPT))
    for name in ("cause", "tval"):
        told = np.where(trap, getattr(beats, name), 0).max(axis=1, keepdims=True)
        setattr(result, name, np.where(valid, told, 0).astype(getattr(beats, name).dtype))
    return result


def report_contexts(beats: Beats, how: str, rng: random.Random, variant: str = "v2_0") -> Beats:
    """The beats with ctype as the hart reports a change of context: `how` is "0" to "3", or "mixed" for one of them
    each time.

    It is not 0 only in the first beat with a block of a new context (E-Trace 2.0, table context type). In the draft of
    2019 no code says that there is nothing to report, and an encoder has to see it: then other beats have any code but
    that of a notification, 3.
    """
    result = beats.select(slice(None))
    rows = np.flatnonzero(beats.valid()[:, 0])
    context = beats.context[rows, 0]
    new = rows[1:][context[1:] != context[:-1]]
    chosen = (
        [rng.randrange(4) for _ in new] if how == "mixed" else int(how)
    )  # first: the changes are the same ones in any grouping
    result.ctype = np.zeros(len(beats), np.uint8)
    if variant == "draft_0_026":
        result.ctype[rows] = np.frombuffer(rng.randbytes(len(rows)), np.uint8) % 3
    result.ctype[new] = chosen
    return result


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


def _same(retired: Retired, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Whether rows a have the privilege and contexts of rows b."""
    return np.logical_and.reduce([getattr(retired, name)[a] == getattr(retired, name)[b] for name in _MODE])


def without_stray_triggers(retired: Retired) -> Retired:
    """The stream without those of its triggers (kind NOTIFY) that E-Trace cannot report: they follow no instruction."""
    before = np.append(np.uint8(Kind.TRACE_ON), retired.kind)[: len(retired)]
    return retired.select((retired.kind != Kind.NOTIFY) | (before == Kind.INSN))


def _notified(retired: Retired) -> tuple[Retired, np.ndarray]:
    """The stream without its triggers, and a mask of the instructions that had one."""
    notify = retired.kind == Kind.NOTIFY
    rows = np.flatnonzero(notify)
    stray = (rows == 0) | (retired.kind[rows - 1] != Kind.INSN)
    if stray.any():
        row = int(rows[np.argmax(stray)])
        raise BlocksError(
            f"row {row} is a trigger that follows no instruction; the ingress port of E-Trace cannot carry it"
        )
    return retired.select(~notify), np.append(notify[1:], False)[~notify] if len(notify) else notify


def _toggles(retired: Retired) -> np.ndarray:
    """The options that are toggled at each row."""
    rows = np.flatnonzero(retired.kind == Kind.TOGGLE)
    values = np.append(np.uint64(0), retired.cause[rows])
    if (values[1:] == values[:-1]).any() or (values > 63).any():
        raise BlocksError(
            "a toggle changes none of the six options, or one beyond them; the ingress port cannot carry it"
        )
    lengths = np.diff(np.concatenate([[0], rows, [len(retired)]]))
    return np.repeat(values, lengths).astype(np.uint8)


def _levels(kind: np.ndarray, initials: tuple[bool | None, ...]) -> list[np.ndarray]:
    """For each of LEVEL_KINDS the level in force at each row, and the initial one as an extra last element."""
    levels = []
    for (_, rise, fall), initial in zip(LEVEL_KINDS, initials):
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
    return levels


def _check(retired: Retired, is_insn: np.ndarray, is_trap: np.ndarray, stopped: np.ndarray) -> None:
    """Raise BlocksError at the first row that has no block."""
    vendor = retired.kind == Kind.VENDOR
    call = is_insn & (retired.itype == IType.EXCEPTION)
    told = np.append((retired.kind[1:] == Kind.EXCEPTION) & (retired.pc[1:] == retired.pc[:-1]), False)
    wrong = {
        "retires or traps in Debug Mode, in reset or asleep": (is_insn | is_trap) & (stopped[:-1] == 1),
        "is a vendor-defined message whose TCODE is not 56 to 62, or with more than 32 bits": (
            vendor & (~np.isin(retired.cause, VENDOR_TCODES) | (retired.tval > 0xFFFF_FFFF))
        ),
        "is an instruction that is neither 2 nor 4 bytes long": is_insn & (retired.size != 2) & (retired.size != 4),
        "has a cause of more than 8 bits": is_trap & (retired.cause > 0xFF),
        "has a context of more than 32 bits": retired.context > 0xFFFF_FFFF,
        "is an ecall or ebreak that no exception follows": call & ~told[: len(call)],
    }
    for reason, rows in wrong.items():
        if rows.any():
            row = int(np.argmax(rows))
            raise BlocksError(f"row {row} at {int(retired.pc[row]):#x} {reason}; the ingress port cannot carry it")


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
