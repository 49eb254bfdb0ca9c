"""What the accesses of a run leave for its counters, row by row: the settings that rule, and what is written."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

NONE = -1
LOW, HIGH, WHOLE = 1, 2, 3  # halves of a register that a write reaches


@dataclass
class Epochs:
    """Settings that rule, one of e epochs in each row.

    of_row: [rows]. selector, asked (as it was written, what is no selector is 0), filters (VUINH to MINH, bits 0 to 4): [e, 32].
    inhibit: mcountinhibit, [e].
    """

    of_row: np.ndarray
    selector: np.ndarray
    asked: np.ndarray
    filters: np.ndarray
    inhibit: np.ndarray


@dataclass
class Written:
    """What the access of each row writes; NONE: nothing.

    access: whether there is one. counter, event: number of the one written. refused: of the one that a refused write would have written. half: LOW, HIGH, WHOLE.
    value: of the counter behind the write; raw: before the bits that it does not have are dropped. operand: on its 64 bits. op: csr_op.
    of: OF as written. mip, mie: LCOFIP and LCOFIE as written.
    """

    access: np.ndarray
    counter: np.ndarray
    event: np.ndarray
    refused: np.ndarray
    half: np.ndarray
    op: np.ndarray
    of: np.ndarray
    mip: np.ndarray
    mie: np.ndarray
    value: np.ndarray
    raw: np.ndarray
    operand: np.ndarray

    @classmethod
    def empty(cls, n: int) -> Written:
        """Nothing is written."""
        small = {name: np.full(n, NONE, np.int8) for name in ("access", "counter", "event", "refused", "half", "op", "of", "mip", "mie")}
        return cls(**small, **{name: np.zeros(n, np.uint64) for name in ("value", "raw", "operand")})
