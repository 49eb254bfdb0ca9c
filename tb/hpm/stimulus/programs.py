# SPDX-License-Identifier: Apache-2.0
"""A recorded program as a hart that counters watch: what retires in each cycle, its events, and the software that reads
the counters.

Its events are those of models/hpm/readout.py. Which loads miss and which branches are predicted wrong is random; a miss
stops the hart for some cycles.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import numpy as np

from rvtrace.models.hpm.config import FIRST, Config
from rvtrace.models.hpm.events import CYCLES, FIRST_EVENT, RETIRED
from rvtrace.models.hpm.readout import EVENTS, registers
from rvtrace.models.hpm.registers import OF_BIT
from rvtrace.models.hpm.rows import Rows
from rvtrace.models.riscv.csr import CLEAR, HS, PRIVILEGES, READ, VS, VU, Access, M, U
from rvtrace.models.riscv.retired import IType, Kind, Retired
from rvtrace.tb.hpm.stimulus.script import LCOFI, Script

_MISS, _WRONG = 0.05, 0.1  # share of loads and stores, of branches
_STALL = 12  # cycles of a miss
_LOOKS = 4000  # rows between two looks at all counters
_NEAR = 500  # counts before the first overflow
_MODES = ("MINH", "SINH", "UINH")
_CALLS = (IType.UNINFERABLE_CALL, IType.INFERABLE_CALL, IType.COROUTINE_SWAP)


def missing_mode(retired: Retired, config: Config) -> str | None:
    """A mode that the program runs in and the hart does not have; None if there is none."""
    there = {M: True, U: bool(config.has_u), HS: bool(config.has_s), VU: bool(config.has_h), VS: bool(config.has_h)}
    return next((PRIVILEGES[priv] for priv in np.unique(retired.priv).tolist() if not there[priv]), None)


def program_rows(retired: Retired, config: Config, rng: Random, gaps: int = 0, size: int | None = None) -> Rows:
    """The whole run, or its first `size` cycles with something in them: set up, watched, read out. gaps: % of cycles
    with idle ones before.
    """
    begin, end = Script(config), Script(config)
    _set_up(begin)
    read_out(end)
    body = rows_of_program(retired, config, rng, gaps).select(slice(0, size))
    _look(body, config)
    return Rows.concat([begin.rows(), body, end.rows()])


def rows_of_program(retired: Retired, config: Config, rng: Random, gaps: int = 0) -> Rows:
    """A row for each cycle in which instructions retire or a trap is taken."""
    known = np.isin(retired.kind, (Kind.INSN, Kind.EXCEPTION, Kind.INTERRUPT, Kind.SLEEP))
    kept = retired.select(known)
    memory = (retired.effects.mem_size != 0)[known] if retired.effects is not None else np.zeros(len(kept), bool)
    insn, moved = kept.kind == Kind.INSN, kept.itype >= IType.UNINFERABLE_JUMP
    happened = _happened(kept, memory, rng)[: config.events]
    ends = ~insn | moved | (kept.taken == 1) | (kept.itype == IType.XRET)  # of a group that retires together
    first = np.ones(len(insn), bool)
    first[1:] = ends[:-1] | ~insn[1:] | (np.diff(kept.priv.astype(np.int8)) != 0)
    places = np.arange(len(first))
    place = places - np.maximum.accumulate(np.where(first, places, 0))
    row = np.cumsum(place % min(config.retired, (1 << config.event_bits) - 1) == 0) - 1  # so that counts of events fit
    n = int(row[-1]) + 1 if len(row) else 0
    rows = Rows.empty(n, config.events)
    counts = [np.bincount(row, weights=column, minlength=n).astype(np.uint8) for column in (insn, *happened)]
    rows.retired, rows.events[:, : len(happened)] = counts[0], np.stack(counts[1:], axis=1)
    rows.priv[row] = kept.priv
    rows.running[row[kept.kind == Kind.SLEEP]] = 0
    noise = np.random.Generator(np.random.PCG64(rng.getrandbits(64)))
    idle = noise.integers(1, 6, n) * (noise.random(n) < gaps / 100)
    if len(happened) > 1:
        idle += _STALL * (counts[2] != 0)
    rows.cycle = np.arange(n, dtype=np.uint64) + np.cumsum(idle).astype(np.uint64)
    rows.time = rows.cycle // np.uint64(10)
    return rows


def _happened(retired: Retired, memory: np.ndarray, rng: Random) -> np.ndarray:
    """Whether each row is one of `EVENTS`, shape [8, rows]."""
    noise = np.random.Generator(np.random.PCG64(rng.getrandbits(64)))
    branch = np.isin(retired.itype, (IType.NOT_TAKEN, IType.TAKEN))
    chance, jump = noise.random(len(memory)), retired.itype >= IType.UNINFERABLE_JUMP
    insn, trap = retired.kind == Kind.INSN, np.isin(retired.kind, (Kind.EXCEPTION, Kind.INTERRUPT))
    found = (
        memory,
        memory & (chance < _MISS),
        branch,
        branch & (chance < _WRONG),
        trap,
        (retired.itype == IType.TAKEN) | jump,
        np.isin(retired.itype, _CALLS),
        retired.itype == IType.RETURN,
    )
    return np.stack([column & (insn | trap) for column in found])


# --- Software ----------------------------------------------------------------------------------------


def _set_up(s: Script) -> None:
    """Counters open to all; each counts a different event, then instructions and cycles by mode; the first soon
    overflows.
    """
    s.open()
    plan = _plan(s.config)
    for n, (selector, inhibited) in plan.items():
        s.count(n, selector, *inhibited)
    for n in list(plan)[:1]:
        s.preset(n, -_NEAR)


def _plan(config: Config) -> dict[int, tuple[int, tuple[str, ...]]]:
    """What each counter counts, and where not."""
    wanted: list[tuple[int, tuple[str, ...]]] = [(FIRST_EVENT + k, ()) for k in range(min(config.events, len(EVENTS)))]
    wanted += [(selector, tuple(m for m in _MODES if m != only)) for only in _MODES for selector in (RETIRED, CYCLES)]
    plan, k = {}, 0
    for n in range(FIRST, 32):
        if config.has(n):
            fits = [want for want in wanted[k:] + wanted[:k] if config.selectors[n] >> want[0] & 1]
            plan[n] = fits[0] if fits else (0, ())
            k = (k + 1) % len(wanted)
    return plan


def _watching(config: Config) -> Iterator[tuple[Access, int]]:
    """What software reads when it looks at the counters: the access of M-mode and the address of the view for other
    modes (0: none).
    """
    halves = (False, True) if config.xlen == 32 else (False,)
    for n in (n for n in range(32) if config.has(n)):
        for high in halves:
            yield Access(READ, 0xB00 + 0x80 * high + n), 0xC00 + 0x80 * high + n
        if n >= FIRST and config.has_sscofpmf:  # overflows are taken note of
            of = (
                Access(CLEAR, 0x720 + n, 1 << OF_BIT - 32)
                if config.xlen == 32
                else Access(CLEAR, 0x320 + n, 1 << OF_BIT)
            )
            yield of, 0
    yield Access(CLEAR, 0x344, LCOFI), 0


def _look(rows: Rows, config: Config) -> None:
    """Accesses in consecutive rows, begun every few thousand; where the hart is not in M-mode it reads the
    view, or nothing.
    """
    plan = list(_watching(config))
    priv = rows.priv.tolist()
    for begin in range(_LOOKS // 4, len(rows), _LOOKS):
        at = begin
        for access, view in plan:
            while at < len(rows) and not (priv[at] == M or view):
                at += 1
            if at >= min(len(rows), begin + _LOOKS):
                break
            made = access if priv[at] == M else Access(READ, view)
            rows.op[at], rows.addr[at], rows.wdata[at], rows.mode[at], rows.xlen32[at] = made._replace(priv=priv[at])
            at += 1


def read_out(s: Script) -> None:
    """Read every counter and what it counts: `counters_read` finds them at the end of a run."""
    for name in registers(s.config):
        s.read(name, M)
