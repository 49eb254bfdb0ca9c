# SPDX-License-Identifier: Apache-2.0
"""How the coverage points of the subsystem are counted: from what was on the ports of one run."""

from __future__ import annotations

from collections import Counter

import numpy as np
from rvtrace.models.ctr.config import Config as CtrConfig
from rvtrace.models.ctr.records import TYPES, Record
from rvtrace.models.riscv.retired import Kind
from rvtrace.models.subsystem.config import COUNTERS
from rvtrace.scoreboards.common.verdict import Verdict
from rvtrace.scoreboards.subsystem.capture import Snapshot, SubsystemCapture
from rvtrace.tb.common.coverage.model import Counts
from rvtrace.tb.subsystem.coverage.points import (
    COUNTED,
    CYCLES,
    FILTERS,
    FULL,
    KINDS,
    OPTIONS,
    POINTS,
    PRIVS,
    SELECTED,
    SLOTS,
    SUBSYSTEM,
    WHERE,
)

_PRIV = dict(zip((0, 1, 3, 4, 5), PRIVS))
_KIND = {0: "plain", **TYPES}
_MODES = sum(CtrConfig().bit(name) for name in ("M", "S", "U"))


def sample(capture: SubsystemCapture, verdict: Verdict) -> Counts:
    """The stamped counts of one run: ready for result.json, and for `SUBSYSTEM.merge` with those of other runs."""
    return SUBSYSTEM.stamped(observe(capture))


def observe(capture: SubsystemCapture) -> Counts:
    """The counts of one run."""
    hits = {point.name: Counter[str]() for point in POINTS}
    config, xlen = capture.config, f"RV{capture.config.xlen}"
    hits["build_cg"][f"{xlen} x {config.retire} a cycle"] += 1
    values = {option: getattr(config, option.split()[0]) for option in OPTIONS}
    hits["option_cg"].update(option for option, value in values.items() if option.split()[1] == str(value))
    hits["stopped_cg"]["sometimes" if capture.stopped else "never"] += 1
    hits["program_cg"][f"{'program' if capture.rows.have('init').any() else 'walk'} x {xlen}"] += 1
    _flow(capture, hits, xlen)
    _items(capture, hits, xlen)
    _filters(capture, hits)
    before = None
    for snapshot in capture.snapshots:
        _snapshot(capture, hits, xlen, snapshot)
        if before is not None:
            _counted(capture, hits, before, snapshot)
        before = snapshot
    return {name: dict(counts) for name, counts in hits.items()}


def _flow(capture: SubsystemCapture, hits: dict[str, Counter[str]], xlen: str) -> None:
    run, cycle = capture.retired, capture.cycle
    if not len(run):
        return
    same = cycle[1:] == cycle[:-1]
    second, first = np.append(False, same), np.append(same, False)
    slot = np.where(second, 2, first.astype(int))
    type_ = np.where(run.kind == Kind.INSN, np.where(np.isin(run.itype, (1, 6, 7)), 0, run.itype), run.kind)
    for code, name in _KIND.items():
        for place, where in enumerate(SLOTS):
            hits["kind_cg"][f"{name} x {where}"] += int(np.count_nonzero((type_ == code) & (slot == place)))
    for priv, name in _PRIV.items():
        hits["priv_cg"][f"{xlen} x {name}"] += int(np.count_nonzero((run.priv == priv) & (run.kind == Kind.INSN)))


def _items(capture: SubsystemCapture, hits: dict[str, Counter[str]], xlen: str) -> None:
    rows = capture.rows
    second = np.append(False, rows.cycle[1:] == rows.cycle[:-1])[: len(rows)]
    for name in ("mcycle", "minstret"):
        present = rows.have(name)
        for slot, mask in enumerate((~second, second)):
            hits["item_cg"][f"{name} x {xlen} x slot {slot}"] += int(np.count_nonzero(present & mask))


def _filters(capture: SubsystemCapture, hits: dict[str, Counter[str]]) -> None:
    ctl = capture.config.ctr_ctl
    if ctl & _MODES != _MODES:
        hits["filter_cg"][FILTERS[1]] += 1
    if ctl & ~_MODES:
        hits["filter_cg"][FILTERS[2]] += 1
    if ctl == _MODES:
        hits["filter_cg"][FILTERS[0]] += 1


def _snapshot(capture: SubsystemCapture, hits: dict[str, Counter[str]], xlen: str, snapshot: Snapshot) -> None:
    run, config = capture.retired, capture.config
    entries = [Record.of_registers(source | 1, target, data) for source, target, data in snapshot.ctr]
    hits["full_cg"][f"{config.ctr_depth} x {FULL[(len(entries) > 0) + (len(entries) == config.ctr_depth)]}"] += 1
    for entry in entries:
        if entry.type in TYPES:
            hits["entry_cg"][f"{TYPES[entry.type]} x {xlen}"] += 1
        hits["missed_cg"]["mispredicted" if entry.misp else "predicted"] += 1
        cycles = -1 if entry.cycles is None else entry.cycles
        hits["elapsed_cg"][CYCLES[int(np.searchsorted((0, 2, 16, 4096), cycles, side="right"))]] += 1
    if not snapshot.at:
        hits["snapshot_cg"][WHERE[0]] += 1
        return
    kind, itype = int(run.kind[snapshot.at - 1]), int(run.itype[snapshot.at - 1])
    hits["snapshot_cg"][WHERE[2] if kind else WHERE[1] if itype > 2 else WHERE[3]] += 1
    hits["snapshot_cg"][WHERE[4]] += int(snapshot.at == len(run))


def _counted(capture: SubsystemCapture, hits: dict[str, Counter[str]], before: Snapshot, snapshot: Snapshot) -> None:
    for counter, selector in zip(COUNTERS, capture.config.events):
        name = f"mhpmcounter{counter}"
        number = snapshot.counters[name] - before.counters[name]
        hits["count_cg"][f"{SELECTED[selector]} x {COUNTED[(number > 0) + (number > 15)]}"] += 1


assert set(_KIND.values()) == set(KINDS)
