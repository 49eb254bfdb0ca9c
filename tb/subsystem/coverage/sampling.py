# SPDX-License-Identifier: Apache-2.0
"""How the coverage points of the subsystem are counted: from what was on the ports of one run."""

from __future__ import annotations

from collections import Counter

import numpy as np

from rvtrace.jobs.coverage import Counts
from rvtrace.models.ctr.config import Config as CtrConfig
from rvtrace.models.ctr.records import BREAKPOINT, LCOFI, TYPES, Record
from rvtrace.models.ctr.registers import csrs as ctr_csrs
from rvtrace.models.hpm.events import CYCLES as COUNTS_CYCLES
from rvtrace.models.hpm.events import RETIRED
from rvtrace.models.hpm.registers import csrs as hpm_csrs
from rvtrace.models.riscv.retired import Kind
from rvtrace.models.subsystem.config import COUNTERS, INHIBITED
from rvtrace.models.tandem.trace_data import illegal
from rvtrace.scoreboards.common.verdict import Verdict
from rvtrace.scoreboards.subsystem.capture import Snapshot, SubsystemCapture
from rvtrace.tb.subsystem.coverage.points import (
    ANSWERS,
    COUNTED,
    CYCLES,
    FILTERS,
    FROZEN,
    FULL,
    KINDS,
    OPTIONS,
    OWNERS,
    POINTS,
    PRIVS,
    ROWS,
    SELECTED,
    SLOTS,
    SUBSYSTEM,
    WHERE,
)

_PRIV = dict(zip((0, 1, 3, 4, 5), PRIVS))
_KIND = {0: "plain", **TYPES}
_FROZEN = 31  # bit of sctrstatus
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
    _inhibited(capture, hits)
    _frozen(capture, hits, xlen)
    _accesses(capture, hits)
    _rows(capture, hits)
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


def _inhibited(capture: SubsystemCapture, hits: dict[str, Counter[str]]) -> None:
    modes = {name: int(np.count_nonzero(capture.retired.priv == priv)) for priv, name in _PRIV.items()}
    for selector, inhibit in zip(capture.config.events, capture.config.inhibit):
        counted = {0: "", COUNTS_CYCLES: "cycles", RETIRED: "instructions"}.get(selector, "an event")
        for name, bit in INHIBITED.items():
            if counted and inhibit & bit and modes[name]:
                hits["inhibit_cg"][f"{name} x {counted}"] += 1


def _frozen(capture: SubsystemCapture, hits: dict[str, Counter[str]], xlen: str) -> None:
    if not any(snapshot.ctr_status >> _FROZEN & 1 for snapshot in capture.snapshots):
        return
    config = capture.config.ctr
    for name, kind, cause, by in (
        ("BPFRZ", Kind.EXCEPTION, BREAKPOINT, FROZEN[0]),
        ("LCOFIFRZ", Kind.INTERRUPT, LCOFI, FROZEN[1]),
    ):
        set_ = (config.ctl | config.vsctl) & config.bit(name)
        if set_ and ((capture.retired.kind == kind) & (capture.retired.cause == cause)).any():
            hits["freeze_cg"][f"{by} x {xlen}"] += 1


def _accesses(capture: SubsystemCapture, hits: dict[str, Counter[str]]) -> None:
    if capture.csrs is None:
        return
    owners = {csr.address: OWNERS[0] for csr in hpm_csrs(capture.config.hpm)}
    owners |= {csr.address: OWNERS[1] for csr in ctr_csrs(capture.config.ctr)}
    for row in capture.csrs:
        if int(row["outcome"]) < len(ANSWERS):
            hits["access_cg"][f"{owners.get(int(row['addr']), OWNERS[2])} x {ANSWERS[int(row['outcome'])]}"] += 1


def _rows(capture: SubsystemCapture, hits: dict[str, Counter[str]]) -> None:
    rows, wrong = capture.rows, illegal(capture.rows)
    same = rows.cycle[1:] == rows.cycle[:-1]
    slot = np.where(np.append(False, same)[: len(rows)], 2, np.append(same, False)[: len(rows)].astype(int))
    outside = ~rows.have("group") & ~rows.have("flush") & ~wrong
    for name, mask in zip(ROWS, (outside & ~rows.have("request"), outside & rows.have("request"), wrong)):
        for place, where in enumerate(SLOTS):
            hits["row_cg"][f"{name} x {where}"] += int(np.count_nonzero(mask & (slot == place)))


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
