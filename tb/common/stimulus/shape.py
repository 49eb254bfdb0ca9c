# SPDX-License-Identifier: Apache-2.0
"""The beats of an encoder as the ingress port of a foreign device can take them: other rows, the same hart.

What a device cannot observe in one cycle is played in several: blocks before a trap, long
blocks, levels that change together. The record of a run has what was played, so that nothing else need know of it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rvtrace.models.riscv.beats import LANE_FIELDS, Beats
from rvtrace.models.riscv.retired import IType

LEVELS = ("enable", "inst_tracing", "halted", "in_reset", "low_power")
PULSES = ("notify", "ext_notify", "vendor", "vendor_data")


def shaped(shape: dict[str, Any], beats: Beats) -> Beats:
    """The beats in the shape that a job asks for.

    Keys of shape: trap_lane (traps only in lane 0), lane_halfwords (the most
    half-words that retire in each lane), levels: by name those that change alone, in a cycle without blocks, and of
    each before and after (cycles without blocks around a change) and least (cycles that it stays 1 at least).
    """
    if not len(beats):
        return beats
    before = 0
    while before != len(beats):  # what moved to another lane may not fit there either
        before, beats = len(beats), _in_lanes(shape, beats)
    for name, how in shape.get("levels", {}).items():
        beats = _alone(name, beats)
        beats = _apart(name, how.get("before", 0), how.get("after", 0), beats)
        beats = _lasting(name, how.get("least", 0), beats)
    return beats


def _in_lanes(shape: dict[str, Any], beats: Beats) -> Beats:
    """Rows cut before each lane whose block has to be in lane 0."""
    valid, trap = beats.valid(), np.isin(beats.itype, (IType.EXCEPTION, IType.INTERRUPT))
    cut = np.zeros(beats.itype.shape, bool)
    if shape.get("trap_lane"):
        cut |= trap
    for lane, most in enumerate(shape.get("lane_halfwords", ())):
        if lane < beats.lanes:
            cut[:, lane] |= beats.iretire[:, lane] > most
    cut[:, 0] = False
    cut &= valid
    rows = np.flatnonzero(cut.any(axis=1))
    parts, done = [], 0
    for row in rows.tolist():
        starts = [0, *np.flatnonzero(cut[row]).tolist(), int(valid[row].sum())]
        parts += [beats.select(slice(done, row))] if row > done else []
        parts += [_lanes(beats, row, first, last) for first, last in zip(starts, starts[1:])]
        done = row + 1
    return _joined([*parts, beats.select(slice(done, None))], beats) if parts else beats


def _lanes(beats: Beats, row: int, first: int, last: int) -> Beats:
    """Lanes of a row, moved to lane 0. Pulses, which may be about the last instruction, are in the last part."""
    found = beats.select(np.array([row]))
    for name in LANE_FIELDS:
        column = getattr(found, name)
        moved = np.zeros_like(column)
        moved[0, : last - first] = column[0, first:last]
        setattr(found, name, moved)
    if last < int(beats.valid()[row].sum()):
        _quiet(found)
    return found


def _quiet(beats: Beats) -> None:
    for name in PULSES:
        getattr(beats, name)[:] = 0


def _alone(name: str, beats: Beats) -> Beats:
    """Before each change of a level one or two rows without blocks: with the others changed, if it begins; with it
    changed. One that ends does so before the others.
    """
    level = getattr(beats, name)
    parts, done = [], 0
    for row in _changes(level).tolist():
        before = beats.select(np.array([row - 1])) if row else Beats.empty(1, beats.lanes)
        same = all(getattr(before, other)[0] == getattr(beats, other)[row] for other in LEVELS if other != name)
        if same and not beats.valid()[row].any() and not any(getattr(beats, pulse)[row] for pulse in PULSES):
            continue
        parts += [beats.select(slice(done, row))] if row > done else []
        done = row
        rises = bool(level[row])
        for other_value, value in ((True, False), (True, True)) if rises else ((False, True),):
            if other_value and not value and same:
                continue
            found = _idle(beats, row)
            for other in (*LEVELS, "toggle"):
                new = value if other == name else other_value
                getattr(found, other)[0] = getattr(beats if new else before, other)[row if new else 0]
            parts.append(found)
    return _joined([*parts, beats.select(slice(done, None))], beats) if parts else beats


def _changes(level: np.ndarray) -> np.ndarray:
    """The rows in which a level differs from the row before; before the first it is 0."""
    return np.flatnonzero(level != np.concatenate([level[:1] * 0, level[:-1]]))


def _apart(name: str, before: int, after: int, beats: Beats) -> Beats:
    """Cycles without blocks around each change of a level that changes alone."""
    cycle, changed = beats.cycle.astype(np.int64), _changes(getattr(beats, name))
    gaps = np.diff(cycle, prepend=cycle[:1] - 1)
    gaps[changed] = np.maximum(gaps[changed], before + 1)
    later = changed[changed + 1 < len(beats)] + 1
    gaps[later] = np.maximum(gaps[later], after + 1)
    beats.cycle = (int(cycle[0]) - 1 + np.cumsum(gaps)).astype(beats.cycle.dtype)
    return beats


def _idle(beats: Beats, row: int) -> Beats:
    """A row with the levels of another, and nothing else."""
    found = beats.select(np.array([row]))
    _quiet(found)
    found.ctype[:] = 0
    for name in LANE_FIELDS:
        getattr(found, name)[:] = 0
    return found


def _lasting(name: str, cycles: int, beats: Beats) -> Beats:
    """A level that is 1 stays so for a number of cycles: the rows after it come later."""
    level, cycle = getattr(beats, name) != 0, beats.cycle.astype(np.int64)
    edges = _changes(level)
    more = np.zeros(len(beats), np.int64)
    for begin, end in zip(edges[::2].tolist(), edges[1::2].tolist()):
        more[end] = max(0, cycles - int(cycle[end] - cycle[begin]))
    beats.cycle = (cycle + np.cumsum(more)).astype(beats.cycle.dtype)
    return beats


def _joined(parts: list[Beats], beats: Beats) -> Beats:
    """Parts of some beats, with the gaps that these had: a row more takes a cycle more."""
    gaps = np.diff(beats.cycle.astype(np.int64), prepend=beats.cycle[:1].astype(np.int64) - 1)
    kept = {int(cycle): int(gap) for cycle, gap in zip(beats.cycle, gaps)}
    found = Beats.concat(parts)
    source = np.concatenate([part.cycle for part in parts]).astype(np.int64)
    first = np.concatenate([[True], source[1:] != source[:-1]])
    steps = np.where(first, [kept[int(cycle)] for cycle in source], 1)
    found.cycle = (int(beats.cycle[0]) - 1 + np.cumsum(steps)).astype(beats.cycle.dtype)
    return found
