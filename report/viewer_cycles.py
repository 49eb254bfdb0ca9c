# SPDX-License-Identifier: Apache-2.0
"""Clock cycles of a trace, as far as a simulation saw them (cycles.npz), and what follows from them: how long messages
wait in the encoder.
"""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

FILE = "cycles.npz"
LARGEST = (1 << 31) - 1  # that a column holds


@dataclass
class Cycles:
    """message: the cycle in which the first byte of each left, -1 where unknown. insn: that of each instruction at the
    ingress port; None if unknown, or if the trace does not have all of them. waiting: of each message, when it
    leaves, how many there are whose instructions had retired and that had not left, itself included; None if unknown.
    """

    message: np.ndarray
    insn: np.ndarray | None = None
    waiting: np.ndarray | None = None

    @classmethod
    def of(cls, sent: np.ndarray, insn: np.ndarray | None, offset: np.ndarray, first: np.ndarray, rows: int) -> Cycles:
        """From columns: of bytes, of instructions; where each message begins; instructions before each, and of all."""
        at = np.minimum(offset, len(sent) - 1) if len(sent) else offset
        message = sent[at].astype(np.int64) if len(sent) else np.full(len(offset), -1, np.int64)
        if insn is None or len(insn) != rows or not rows:
            return cls(message)
        found = cls(message, insn.astype(np.int64))
        if len(message) and len(sent):
            after = np.append(first[1:], rows)
            made = np.maximum.accumulate(found.insn[np.clip(after - 1, 0, rows - 1)])  # type: ignore[index]
            ready = np.searchsorted(made, message, side="right")
            found.waiting = np.maximum(ready - np.arange(len(message)), 1)
        return found


def read(folder: Path | None, size: int) -> tuple[np.ndarray, np.ndarray | None]:
    """Cycles of the bytes (empty if unknown, or of another trace than one of `size` bytes) and of the instructions."""
    nothing = np.zeros(0, np.int64)
    if folder is None or not (folder / FILE).is_file():
        return nothing, None
    try:
        with np.load(folder / FILE, allow_pickle=False) as found:
            sent = found["bytes"].astype(np.int64)
            insn = found["instructions"].astype(np.int64) if "instructions" in found else None
    except (OSError, ValueError, KeyError, zipfile.BadZipFile):
        return nothing, None
    if len(sent) and (len(sent) != size or int(sent.max()) > LARGEST):
        return nothing, None
    return sent, insn if insn is None or not len(insn) or int(insn.max()) <= LARGEST else None
