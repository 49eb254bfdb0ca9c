# SPDX-License-Identifier: Apache-2.0
"""What rows of ports have in common that are recorded cycle by cycle, with at most one CSR access each: columns as
arrays.

Rows of one system are a dataclass of columns that inherits `PortRows` and names their types in DTYPES; `cycle`, and the
columns of ACCESS, are always there.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numpy as np

NO_ACCESS = 7  # op of a row without one
ACCESS: dict[str, Any] = {
    "op": np.uint8,
    "addr": np.uint16,
    "wdata": np.uint64,
    "mode": np.uint8,
    "xlen32": np.uint8,
    "rdata": np.uint64,
    "outcome": np.uint8,
}
T = TypeVar("T", bound="PortRows")


class RowsError(ValueError):
    """Rows that no port can carry; the text says which."""


class PortRows:
    """Columns of n rows. cycle: number of the clock, strictly increasing. Columns have the shape [n], or [n, lanes].

    op, addr, wdata, mode (`csr_priv_i`), xlen32: the access; op is NO_ACCESS where there is none. rdata, outcome: the
    device's answer.
    """

    DTYPES: ClassVar[dict[str, Any]]
    cycle: np.ndarray
    op: np.ndarray

    def __post_init__(self) -> None:
        for name, dtype in self.DTYPES.items():
            setattr(self, name, np.ascontiguousarray(getattr(self, name), dtype=dtype))
        late = np.diff(self.cycle.astype(np.int64)) <= 0
        if late.any():
            raise RowsError(
                f"row {int(np.argmax(late)) + 1} is not in a later cycle than the one before; give each row a later"
                " cycle"
            )

    def __len__(self) -> int:
        return len(self.cycle)

    @property
    def accesses(self) -> int:
        """How many accesses there are."""
        return int(np.count_nonzero(self.op != NO_ACCESS))

    def select(self: T, index: Any) -> T:
        """The rows of a mask, slice or index array."""
        return type(self)(**{name: getattr(self, name)[index] for name in self.DTYPES})

    @classmethod
    def concat(cls: type[T], parts: Iterable[T], gap: int = 0) -> T:
        """The parts one after the other, each `gap` cycles after the one before."""
        kept, begin = [], 0
        for part in parts:
            if not len(part):
                continue
            cycle = part.cycle - part.cycle[0] + np.uint64(begin)
            begin = int(cycle[-1]) + 1 + gap
            kept.append({name: cycle if name == "cycle" else getattr(part, name) for name in cls.DTYPES})
        return cls(**{name: np.concatenate([columns[name] for columns in kept]) for name in cls.DTYPES})

    def differs(self: T, other: T) -> int | None:
        """Index of the first row that is another one, None if there is none."""
        n = min(len(self), len(other))
        unequal = np.zeros(n, dtype=bool)
        for name in self.DTYPES:
            apart = getattr(self, name)[:n] != getattr(other, name)[:n]
            unequal |= apart.any(axis=1) if apart.ndim > 1 else apart
        if unequal.any():
            return int(np.argmax(unequal))
        return None if len(self) == len(other) else n

    def save(self, path: str | Path) -> None:
        """Write an .npz file."""
        np.savez(path, **{name: getattr(self, name) for name in self.DTYPES})

    @classmethod
    def load(cls: type[T], path: str | Path) -> T:
        """Read what `save` wrote."""
        with np.load(path) as stored:
            return cls(**{name: stored[name] for name in cls.DTYPES})
