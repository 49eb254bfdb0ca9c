# SPDX-License-Identifier: Apache-2.0
"""What crosses the ingress port: blocks of retired instructions, one row per clock cycle of interest.

A `Beats` is what a driver plays and what a monitor saw; the models and scoreboards read the monitor's.
The block fields are those of E-Trace 2.0, chapter 4 (instruction trace interface).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rvtrace.models.riscv.retired import ABSENT, IType

LEVELS = ("enable", "inst_tracing", "halted", "in_reset", "low_power")  # they stay until a row changes them
PULSES = ("notify", "ext_notify", "vendor", "vendor_data")  # 0 in the cycles between rows
CYCLE_FIELDS = {
    "cycle": np.uint64,
    **dict.fromkeys((*LEVELS, "drop", "notify", "ext_notify", "vendor", "ctype", "toggle"), np.uint8),
    "vendor_data": np.uint32,
    "tstamp": np.uint64,
}
LANE_FIELDS = {
    "itype": np.uint8, "iaddr": np.uint64, "iretire": np.uint16, "ilastsize": np.uint8, "sijump": np.uint8,
    "cause": np.uint8, "tval": np.uint64, "priv": np.uint8, "context": np.uint32, "hcontext": np.uint16,
}  # fmt: skip


@dataclass
class Beats:
    """Accepted cycles of the ingress port, in order.

    Arrays of shape [n]: cycle (clock cycle at which the row was, or is to be, accepted; strictly increasing:
    the cycles left out have no blocks, and the levels and drop of the row before), enable, inst_tracing, halted
    in_reset, low_power (control levels), drop (monitor only: accepted without room in the output queue, see
    docs/reference/ntrace-profile.md). notify (a debug trigger with action 4), ext_notify (the same by an external
    trigger), vendor (TCODE of a vendor-defined message to pass through, 0 none) and vendor_data are pulses of one
    cycle; tstamp (monitor only) is the timestamp in that cycle. Only E-Trace has ctype (how the first block of a new
    context reports it, else 0; in its draft anything) and toggle (a level: bits that differ from the configured
    options); notify there is about the last instruction of its beat. A monitor therefore keeps a row for every cycle
    with a block, a pulse, or another level or drop than the row before. Arrays of shape [n, lanes], lane 0 the oldest:
    itype, iaddr, iretire (half-words), ilastsize (0: the last instruction has 16 bits, 1: 32), sijump (the jump that
    ends the block is sequentially inferable), cause, tval, priv ({V, PRV}), context (scontext), hcontext. A lane holds
    a block if iretire is not 0 or itype is 1 or 2; empty lanes are all 0, and blocks fill lanes from 0.
    """

    cycle: np.ndarray
    enable: np.ndarray
    inst_tracing: np.ndarray
    halted: np.ndarray
    drop: np.ndarray
    itype: np.ndarray
    iaddr: np.ndarray
    iretire: np.ndarray
    ilastsize: np.ndarray
    cause: np.ndarray
    tval: np.ndarray
    priv: np.ndarray
    context: np.ndarray
    # What most ports and streams do not use is 0 unless given.
    in_reset: np.ndarray = ABSENT
    low_power: np.ndarray = ABSENT
    notify: np.ndarray = ABSENT
    ext_notify: np.ndarray = ABSENT
    vendor: np.ndarray = ABSENT
    vendor_data: np.ndarray = ABSENT
    tstamp: np.ndarray = ABSENT
    ctype: np.ndarray = ABSENT
    toggle: np.ndarray = ABSENT
    sijump: np.ndarray = ABSENT
    hcontext: np.ndarray = ABSENT

    def __post_init__(self) -> None:
        for names, like in ((CYCLE_FIELDS, self.cycle), (LANE_FIELDS, self.itype)):
            for name in names:
                if getattr(self, name) is None:
                    setattr(self, name, np.zeros(np.shape(like), names[name]))
        for name, dtype in {**CYCLE_FIELDS, **LANE_FIELDS}.items():
            setattr(self, name, np.ascontiguousarray(getattr(self, name), dtype=dtype))
        n = len(self.cycle)
        for name in CYCLE_FIELDS:
            if getattr(self, name).shape != (n,):
                raise ValueError(f"Beats.{name} has shape {getattr(self, name).shape}, needed ({n},)")
        for name in LANE_FIELDS:
            if getattr(self, name).shape != self.itype.shape or self.itype.shape[0] != n:
                raise ValueError(f"Beats.{name} has shape {getattr(self, name).shape}, needed ({n}, lanes)")

    def __len__(self) -> int:
        return len(self.cycle)

    @property
    def lanes(self) -> int:
        """Blocks a cycle."""
        return int(self.itype.shape[1])

    @classmethod
    def empty(cls, n: int, lanes: int, **levels: int) -> Beats:
        """n idle rows at cycles 0..n-1 with the control levels given (0 by default)."""
        columns: dict[str, Any] = {name: np.full(n, levels.get(name, 0)) for name in CYCLE_FIELDS}
        columns["cycle"] = np.arange(n)
        columns |= {name: np.zeros((n, lanes), dtype=t) for name, t in LANE_FIELDS.items()}
        return cls(**columns)

    def valid(self) -> np.ndarray:
        """Mask [n, lanes] of the lanes that hold a block."""
        trap = (self.itype == IType.EXCEPTION) | (self.itype == IType.INTERRUPT)
        return (self.iretire != 0) | trap

    def select(self, index: Any) -> Beats:
        """The rows of a mask, slice or index array."""
        return Beats(**{name: getattr(self, name)[index] for name in {**CYCLE_FIELDS, **LANE_FIELDS}})

    @staticmethod
    def concat(parts: list[Beats]) -> Beats:
        """The parts one after the other; the cycles of later parts are moved after those of earlier ones."""
        columns = {n: np.concatenate([getattr(p, n) for p in parts]) for n in {**CYCLE_FIELDS, **LANE_FIELDS}}
        shift, moved = 0, []
        for part in parts:
            moved.append(part.cycle + np.uint64(shift))
            shift = int(moved[-1][-1]) + 1 if len(part) else shift
        columns["cycle"] = np.concatenate(moved)
        return Beats(**columns)

    def save(self, path: Any) -> None:
        """Write all arrays to an .npz file."""
        np.savez_compressed(path, **{name: getattr(self, name) for name in {**CYCLE_FIELDS, **LANE_FIELDS}})

    @classmethod
    def load(cls, path: Any) -> Beats:
        """Read what `save` wrote."""
        with np.load(path) as data:
            return cls(**{name: data[name] for name in {**CYCLE_FIELDS, **LANE_FIELDS} if name in data})
