# SPDX-License-Identifier: Apache-2.0
"""Many cycles without accesses at once, with numpy: what they leave, and the state at the start of each.

    advance(hpm, block)                what the cycles of the block leave in the model
    trace = follow(hpm, block)         the same, and every counter, OF and LCOFIP at the start of each of its rows

Both give what `Hpm.cycle` gives one cycle at a time (tests/hpm/test_model_bulk.py).
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from rvtrace.models.hpm.events import CYCLES, FIRST_EVENT, RETIRED
from rvtrace.models.hpm.model import Hpm

_CHUNK = 8192  # rows: what is computed at once fits in a cache
_MODES = (0, 1, 3, 4, 5, 7)


class Block(NamedTuple):
    """Inputs of n rows without access. priv, stopcount, running (`cycle_i`), retired: shape [n]; events: [n, NEvents].

    clocks: how many cycles the row represents; after the first there is nothing but cycles of the hart, if running.
    """

    priv: np.ndarray
    stopcount: np.ndarray
    running: np.ndarray
    retired: np.ndarray
    events: np.ndarray
    clocks: np.ndarray

    def part(self, where: slice) -> Block:
        """Some of the rows."""
        return Block(*(column[where] for column in self))


class Trace(NamedTuple):
    """The state at the start of each of n rows: counters [n, 32] (by number), of [n] (a bit for each counter), lcofip
    [n], lcofie [n].
    """

    counters: np.ndarray
    of: np.ndarray
    lcofip: np.ndarray
    lcofie: np.ndarray

    @classmethod
    def empty(cls, n: int) -> Trace:
        """All 0."""
        return cls(np.zeros((n, 32), np.uint64), np.zeros(n, np.uint32), np.zeros(n, np.uint8), np.zeros(n, np.uint8))


def advance(hpm: Hpm, block: Block) -> None:
    """Run the block; only what is left at the end counts, so the sum of each event in each mode is enough."""
    sums = [0] * 32
    for priv in _MODES:
        rows = np.flatnonzero((block.priv == priv) & (block.stopcount == 0))
        if not len(rows):
            continue
        totals = _totals(block, rows)
        for n, selector in hpm.counting(priv):
            sums[n] += totals[selector]
    limits = [1 << width for width in hpm.config.widths]
    new = [value + more for value, more in zip(hpm.counters, sums)]
    hpm.advance([value % limit for value, limit in zip(new, limits)], [n for n in range(32) if new[n] >= limits[n]])


def _totals(block: Block, rows: np.ndarray) -> list[int]:
    """How often each selector's event happened in some rows."""
    cycles = int((block.running[rows].astype(np.uint64) * block.clocks[rows].astype(np.uint64)).sum())
    events = block.events[rows].sum(axis=0, dtype=np.uint64).tolist()
    return [0, cycles, int(block.retired[rows].sum(dtype=np.uint64)), *events]


def follow(hpm: Hpm, block: Block) -> Trace:
    """Run the block, and give the state at the start of each of its rows."""
    trace = Trace.empty(len(block.priv))
    for begin in range(0, len(block.priv), _CHUNK):
        where = slice(begin, begin + _CHUNK)
        _follow(hpm, block.part(where), Trace(*(column[where] for column in trace)))
    return trace


def _follow(hpm: Hpm, block: Block, out: Trace) -> None:
    size = len(block.priv)
    source = np.zeros((size, FIRST_EVENT + block.events.shape[1]), np.uint64)
    source[:, CYCLES] = block.running.astype(np.uint64) * block.clocks.astype(np.uint64)
    source[:, RETIRED] = block.retired
    source[:, FIRST_EVENT:] = block.events
    source[block.stopcount != 0] = 0
    chosen = np.zeros((8, 32), np.intp)
    for priv in _MODES:
        for n, selector in hpm.counting(priv):
            chosen[priv, n] = selector
    counting = np.flatnonzero(chosen.any(axis=0))
    out.counters[:] = np.array(hpm.counters, np.uint64)
    out.of[:], out.lcofip[:], out.lcofie[:] = hpm.of, hpm.lcofip, hpm.lcofie
    new, wrapped = list(hpm.counters), []
    for n in counting.tolist():
        width, selectors = hpm.config.widths[n], chosen[block.priv, n]
        same = int(selectors[0])
        increments = source[:, same] if (selectors == same).all() else source[np.arange(size), selectors]
        sums = np.cumsum(increments)
        sums += np.uint64(hpm.counters[n])  # modulo 2^64
        before = np.concatenate(([np.uint64(hpm.counters[n])], sums[:-1]))
        over = sums < before if width == 64 else (sums >> np.uint64(width)) != (before >> np.uint64(width))
        keep = np.uint64((1 << width) - 1)
        out.counters[:, n] = before & keep
        new[n] = int(sums[-1] & keep)
        if over.any():
            wrapped.append(n)
            _mark(hpm, n, int(np.argmax(over)) + 1, out)
    hpm.advance(new, wrapped)


def _mark(hpm: Hpm, n: int, row: int, out: Trace) -> None:
    """Counter n first wrapped in the row before `row`."""
    if n > 2 and hpm.config.has_sscofpmf and not hpm.of >> n & 1:
        out.of[row:] |= np.uint32(1 << n)
        out.lcofip[row:] = 1


def save_state(path: Path, trace: Trace) -> None:
    """Write an .npz file."""
    np.savez_compressed(path, **trace._asdict())


def load_state(path: Path) -> Trace:
    """Read what `save_state` wrote."""
    with np.load(path) as stored:
        return Trace(**{name: stored[name] for name in Trace._fields})
