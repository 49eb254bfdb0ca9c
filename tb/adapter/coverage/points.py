# SPDX-License-Identifier: Apache-2.0
"""The coverage points of the adapters: what came through them, and how."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from rvtrace.jobs.coverage import Counts, Definition, Point
from rvtrace.models.riscv.retired import IType, Kind
from rvtrace.scoreboards.adapter.check import ERRORS

if TYPE_CHECKING:
    from rvtrace.scoreboards.adapter.capture import AdapterCapture
    from rvtrace.scoreboards.common.verdict import Verdict

_XLENS, _CHANNELS = ("RV32", "RV64"), ("one channel", "two channels")
_ITYPES = {int(one): one.name.lower() for one in IType if one.name not in ("UNINFERABLE_JUMP", "RESERVED")}
_SIZES = ("16 bits", "32 bits")
_ACCESSES = ("load", "store", "both")
_BYTES = ("1", "2", "4", "8")
_CHAINS = ("one", "two", "more")
_ENDS = ("itype", "trap", "no room", "elsewhere or other mode")
POINTS = (
    Point(
        "itype_cg",
        "rows of the hart port by XLEN and itype",
        "each is another decoder",
        {"xlen": _XLENS, "itype": tuple(_ITYPES.values())},
    ),
    Point(
        "size_cg",
        "instructions by size and slot",
        "both slots decode",
        {"size": _SIZES, "slot": ("slot 0", "slot 1")},
    ),
    Point(
        "chain_cg",
        "traps without an instruction between them, by channels",
        "the queue of events",
        {"channels": _CHANNELS, "traps": _CHAINS},
    ),
    Point(
        "first_cg",
        "first trap of those",
        "an exception has a row of RVFI, an interrupt has none",
        {"trap": ("exception", "exception without a row", "interrupt")},
    ),
    Point(
        "access_cg",
        "accesses by XLEN, kind and bytes",
        "masks count bytes",
        {"xlen": _XLENS, "access": _ACCESSES, "bytes": _BYTES},
        {
            "RV32 * 8": "RVFI of RV32 has 4 bits of mask",
            "* x both x [12]": "an AMO is of 4 or 8 bytes",
        },
    ),
    Point(
        "stall_cg",
        "runs in which the core had to stop, by channels",
        "what comes after stall_o fits",
        {"channels": _CHANNELS, "stall": ("stalled", "never")},
    ),
    Point(
        "end_cg", "why a block ended, by lanes", "blocks go on over cycles", {"lanes": ("1", "2", "4"), "end": _ENDS}
    ),
    Point("lanes_cg", "blocks in a cycle", "lanes fill from 0", {"blocks": ("1", "2", "3", "4")}),
    Point("debug_cg", "visits to Debug Mode, by channels", "a level between two rows", {"channels": _CHANNELS}),
    Point(
        "error_cg",
        "errors by code",
        "each rule of RVFI",
        {"error": tuple(clause[9:] for clause in ERRORS.values())},
    ),
)
ADAPTER = Definition("adapter", POINTS)


def sample(capture: AdapterCapture, verdict: Verdict) -> Counts:
    """The stamped counts of one run: ready for result.json, and for `ADAPTER.merge` with those of other runs."""
    hits = {point.name: Counter[str]() for point in POINTS}
    config, run = capture.config, capture.run
    xlen, channels = f"RV{config.xlen}", _CHANNELS[config.channels - 1]
    first = next((one.error for one in capture.status if one.error), 0)
    if first in ERRORS:
        hits["error_cg"][ERRORS[first][9:]] += 1
    stalled = any("stall" in one.flags for one in capture.status)
    hits["stall_cg"][f"{channels} x {('never', 'stalled')[stalled]}"] += 1
    if capture.fault is None:
        _rows(capture, hits, xlen)
        _chains(capture, hits["chain_cg"], hits["first_cg"], channels)
        _blocks(capture, hits)
        hits["debug_cg"][channels] += len(run.debug)
    return ADAPTER.stamped({name: dict(counts) for name, counts in hits.items()})


def _rows(capture: AdapterCapture, hits: dict[str, Counter[str]], xlen: str) -> None:
    seen = capture.hart
    reported = seen.reported["reported"] == 1
    for itype, count in Counter(seen.reported["itype"][reported].tolist()).items():
        if itype in _ITYPES:
            hits["itype_cg"][f"{xlen} x {_ITYPES[itype]}"] += count
    insn = reported & ~np.isin(seen.reported["itype"], (IType.EXCEPTION, IType.INTERRUPT))
    for (small, slot), count in Counter(zip(seen.rows.insn16[insn].tolist(), seen.slot[insn].tolist())).items():
        hits["size_cg"][f"{_SIZES[not small]} x slot {slot}"] += count
    effects = capture.run.effects
    for k in np.flatnonzero(effects.mem_size).tolist():
        kind = "both" if k in capture.run.amos else ("load", "store")[int(effects.mem_store[k])]
        hits["access_cg"][f"{xlen} x {kind} x {int(effects.mem_size[k])}"] += 1


def _chains(capture: AdapterCapture, chains: Counter[str], firsts: Counter[str], channels: str) -> None:
    kind, length = capture.run.retired.kind.tolist(), 0
    for k, what in enumerate(kind):
        if what != Kind.INSN:
            if not length:
                without = k in capture.run.without_row
                firsts[
                    "interrupt" if what == Kind.INTERRUPT else "exception without a row" if without else "exception"
                ] += 1
            length += 1
        elif length:
            chains[f"{channels} x {_CHAINS[min(length, 3) - 1]}"] += 1
            length = 0


def _blocks(capture: AdapterCapture, hits: dict[str, Counter[str]]) -> None:
    lanes, config = capture.blocks.lanes, capture.config
    trap = np.isin(lanes["itype"], (IType.EXCEPTION, IType.INTERRUPT))
    there = (lanes["iretire"] != 0) | trap
    for count, times in Counter(there.sum(axis=1).tolist()).items():
        if count:
            hits["lanes_cg"][str(count)] += times
    limit = (1 << config.iretire_width) - 2
    if str(config.blocks) in ("1", "2", "4"):
        for itype, iretire in zip(lanes["itype"][there].tolist(), lanes["iretire"][there].tolist()):
            end = _ENDS[1] if itype in (1, 2) else _ENDS[0] if itype else _ENDS[2] if iretire >= limit else _ENDS[3]
            hits["end_cg"][f"{config.blocks} x {end}"] += 1
