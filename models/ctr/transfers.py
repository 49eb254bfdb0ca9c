# SPDX-License-Identifier: Apache-2.0
"""The transfer port: control transfers of a hart as columns, made from a retire stream.

A `Transfers` is what a driver plays and what a monitor saw; models and checks read the monitor's. Ports:
docs/reference/ctr-profile.md. Types are those of the table Control Transfer Type Definitions, also for compressed, Zcmp
and Zcmt jumps (CTR-8).
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from rvtrace.models.ctr.records import BREAKPOINT, EXCEPTION, TRAP_RETURN, Transfer
from rvtrace.models.riscv.csr import DEBUG
from rvtrace.models.riscv.program import NO_TARGET, Program
from rvtrace.models.riscv.retired import IType, Kind, Retired

_DTYPES: dict[str, Any] = {
    "cycle": np.uint64, "slot": np.uint8, "type": np.uint8, "source": np.uint64, "target": np.uint64,
    "misp": np.uint8, "from_": np.uint8, "to": np.uint8, "cause": np.uint8, "priv": np.uint8,
}  # fmt: skip
_PREDICTED = frozenset(
    (4, 5, *range(8, 16))
)  # a trap is no instruction that could be mispredicted, and xRET is not predicted here
_LONG = (4200, 9000, 17_000, 33_000)  # cycles of rare stalls: each is beyond another boundary of the cycle count


class TransfersError(ValueError):
    """Transfers that no port can carry; the text says which."""


@dataclass
class Transfers:
    """Transfers in order, one element each; those of one cycle are neighbours, in slots 0, 1, ...

    cycle: clock cycle, not decreasing. slot. type: 1 to 5, 8 to 15. source, target: addresses. misp: 0 or 1. from_, to:
    privilege before and after, 7 for Debug Mode. cause: of a trap, its low 8 bits. priv: `priv_i` in its cycle; in the
    cycles between it is the `to` of the transfer before.
    """

    cycle: np.ndarray
    slot: np.ndarray
    type: np.ndarray
    source: np.ndarray
    target: np.ndarray
    misp: np.ndarray
    from_: np.ndarray
    to: np.ndarray
    cause: np.ndarray
    priv: np.ndarray

    def __post_init__(self) -> None:
        for name, dtype in _DTYPES.items():
            setattr(self, name, np.ascontiguousarray(getattr(self, name), dtype=dtype))
        lengths = {name: len(getattr(self, name)) for name in _DTYPES}
        if len(set(lengths.values())) != 1:
            raise TransfersError(f"columns of transfers differ in length: {lengths}; give one element per transfer")

    def __len__(self) -> int:
        return len(self.cycle)

    @classmethod
    def from_columns(cls, **columns: Any) -> Transfers:
        """From the columns given; `type` is required, `cycle` and `slot` default to one transfer a cycle, modes to M,
        the rest to 0.
        """
        n = len(columns["type"])
        default: dict[str, Any] = {"cycle": np.arange(n), "from_": np.full(n, 3), "to": np.full(n, 3)}
        default["priv"] = columns.get("from_", default["from_"])
        return cls(**{name: columns.get(name, default.get(name, np.zeros(n))) for name in _DTYPES})

    def select(self, index: Any) -> Transfers:
        """The transfers of a mask, slice or index array."""
        return Transfers(**{name: getattr(self, name)[index] for name in _DTYPES})

    def cycles(self) -> Iterator[tuple[int, int, list[Transfer]]]:
        """Each cycle with transfers: its number, its privilege, its transfers."""
        first = (
            np.flatnonzero(np.diff(self.cycle, prepend=self.cycle[:1] - np.uint64(1)) != 0).tolist()
            if len(self)
            else []
        )
        rows = list(map(Transfer._make, zip(*(getattr(self, name).tolist() for name in Transfer._fields))))
        number, priv = self.cycle.tolist(), self.priv.tolist()
        for begin, end in zip(first, [*first[1:], len(self)]):
            yield number[begin], priv[begin], rows[begin:end]

    def save(self, path: str | Path) -> None:
        """Write an .npz file."""
        np.savez(path, **{name: getattr(self, name) for name in _DTYPES})

    @classmethod
    def load(cls, path: str | Path) -> Transfers:
        """Read what `save` wrote."""
        with np.load(path) as stored:
            return cls(**{name: stored[name] for name in _DTYPES})

    @classmethod
    def of_retired(
        cls,
        retired: Retired,
        program: Program | None = None,
        rng: random.Random | None = None,
        *,
        slots: int = 1,
        gaps: float = 0.3,
        misp: float = 0.2,
        stall: float = 0.0,
    ) -> Transfers:
        """The transfers of a retire stream: branches taken or not, jumps, traps, trap returns, Debug Mode entered and
        left.

        The program's own types are taken, not those of the stream, which may be another variant's (but for custom
        instructions that jump: 14); without a program the stream's (v1_0). The target is the PC of the next row; a last
        transfer whose target nobody knows is left out. Without rng every cycle has all its `slots` filled; with it
        slots are left empty, with probability `gaps` idle cycles come before a cycle, with `stall` very many, and with
        `misp` an instruction was mispredicted. Entry into Debug Mode looks like a breakpoint and leaving it like a trap
        return, but for `to` and `from_`.
        """
        if not 1 <= slots <= 4:
            raise TransfersError(f"slots={slots} is no transfer port; give 1 to 4")
        type_ = _types(retired, program)
        at = np.flatnonzero(type_)
        at = at[: len(at) - _unfinished(retired, program, at)]
        entry, leave = retired.kind[at] == Kind.DEBUG_ENTRY, retired.kind[at] == Kind.DEBUG_EXIT
        kind, behind = type_[at], np.minimum(at + 1, len(retired) - 1)
        changes = kind <= TRAP_RETURN
        from_ = np.where(leave, DEBUG, retired.priv[at])
        to = np.where(entry, DEBUG, np.where(changes & ~leave, retired.priv[behind], retired.priv[at]))
        coins = _Coins(rng)
        columns = {
            "type": kind, "source": retired.pc[at], "target": _targets(retired, program, at), "from_": from_, "to": to,
            "cause": np.where(entry, BREAKPOINT, np.where(kind < TRAP_RETURN, retired.cause[at] & np.uint64(0xFF), 0)),
            "misp": coins(len(at), misp) & np.isin(kind, list(_PREDICTED)),
        }  # fmt: skip
        cycle, slot = _schedule(from_, to, slots, coins, gaps, stall)
        return cls(cycle=cycle, slot=slot, priv=from_[np.arange(len(at)) - slot.astype(np.intp)], **columns)


def rows_of(retired: Retired, program: Program | None = None) -> np.ndarray:
    """Rows of a retire stream that are transfers."""
    return np.flatnonzero(_types(retired, program))


def _types(retired: Retired, program: Program | None) -> np.ndarray:
    """Type of each row, 0 where it is no transfer."""
    told = retired.itype if program is None else program.columns(retired.pc).itype["v1_0"]
    told = np.where((told == 0) & (retired.itype == IType.OTHER_UNINFERABLE_JUMP), retired.itype, told)
    insn = retired.kind == Kind.INSN
    type_ = np.where(insn & (told >= IType.XRET), told, 0).astype(
        np.uint8
    )  # ecall and ebreak transfer nothing, their traps do
    type_[(type_ == IType.NOT_TAKEN) & (retired.taken == 1)] = IType.TAKEN
    type_[np.isin(type_, (6, 7))] = 0
    trap = (retired.kind == Kind.EXCEPTION) | (retired.kind == Kind.INTERRUPT)
    type_[trap] = retired.kind[trap]
    type_[retired.kind == Kind.DEBUG_ENTRY] = EXCEPTION
    type_[retired.kind == Kind.DEBUG_EXIT] = TRAP_RETURN
    return type_


def _unfinished(retired: Retired, program: Program | None, at: np.ndarray) -> int:
    """1 if the last transfer is the last row and its target is not in its opcode, else 0."""
    if not len(at) or at[-1] < len(retired) - 1:
        return 0
    direct = (
        program is not None
        and retired.kind[-1] == Kind.INSN
        and int(program.columns(retired.pc[-1:]).target[0]) != NO_TARGET
    )
    return int(not direct and retired.kind[-1] != Kind.DEBUG_EXIT)


def _targets(retired: Retired, program: Program | None, at: np.ndarray) -> np.ndarray:
    """PC of the next row; at the end of the stream what the opcode says. Leaving Debug Mode goes to its row's PC."""
    target = np.append(retired.pc, np.uint64(0))[at + 1]
    leave = retired.kind[at] == Kind.DEBUG_EXIT
    target[leave] = retired.pc[at][leave]
    if len(at) and at[-1] == len(retired) - 1 and program is not None and not leave[-1]:
        taken = retired.taken[-1] != 0
        mask = np.uint64((1 << program.xlen) - 1)
        after = retired.pc[-1] + np.uint64(retired.size[-1])
        target[-1] = program.columns(retired.pc[-1:]).target[0] if taken else after & mask
    return target


def _schedule(
    from_: np.ndarray, to: np.ndarray, slots: int, coins: _Coins, gaps: float, stall: float
) -> tuple[np.ndarray, np.ndarray]:
    """Cycle and slot of each transfer. A cycle has one mode at its begin, so what does not go on from there begins a
    new one.
    """
    n = len(from_)
    fresh = coins(n, 0.5) if slots > 1 else np.ones(n, dtype=bool)
    fresh[:1] = True
    fresh[1:] |= (from_[1:] != to[:-1]) | (from_[1:] == DEBUG) | (to[:-1] == DEBUG)
    number = np.arange(n)
    slot = (number - np.maximum.accumulate(np.where(fresh, number, 0))) % slots if n else number
    idle = coins(n, gaps) * (1 + coins.bytes(n).astype(np.uint64) % np.uint64(12))
    rare = coins(n, stall)
    idle = np.where(rare, np.array(_LONG, np.uint64)[coins.bytes(n) % len(_LONG)], idle)
    step = np.where(slot == 0, 1 + idle, 0).astype(np.uint64)
    return np.cumsum(step, dtype=np.uint64), slot.astype(np.uint8)


class _Coins:
    """Random masks and bytes from a `random.Random`; without one all 0."""

    def __init__(self, rng: random.Random | None) -> None:
        self._rng = rng

    def bytes(self, n: int) -> np.ndarray:
        """n random bytes."""
        return np.frombuffer(self._rng.randbytes(n), np.uint8) if self._rng else np.zeros(n, np.uint8)

    def __call__(self, n: int, probability: float) -> np.ndarray:
        """A mask of n, writable."""
        if self._rng is None or not probability:
            return np.zeros(n, dtype=bool)
        return np.frombuffer(self._rng.randbytes(2 * n), np.uint16) < probability * 65536


assert tuple(_DTYPES) == tuple(f.name for f in fields(Transfers)) and set(Transfer._fields) < set(_DTYPES)
