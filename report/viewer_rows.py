# SPDX-License-Identifier: Apache-2.0
"""Runs of systems that leave rows of cycles, and of the subsystem, in the form that the viewer shows.

CTR: transfers are its messages, and what was read last a table of entries. Counters: accesses are its messages, values
over time its lanes. Subsystem: the N-Trace in full, the other trace sources, CTR snapshots and counters as lanes. All
of it over the instructions of retired.csv. Other systems: the findings alone.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from rvtrace.flow.captured import ctr as ctr_files
from rvtrace.flow.captured.files import TraceFiles
from rvtrace.jobs import systems
from rvtrace.jobs.arguments import ArgumentError
from rvtrace.jobs.names import TRACES
from rvtrace.models.common.port_rows import NO_ACCESS
from rvtrace.models.ctr.config import Config as CtrConfig
from rvtrace.models.ctr.records import EXCEPTION, INTERRUPT, TYPES, Record
from rvtrace.models.ctr.rows import Rows as CtrRows
from rvtrace.models.hpm.config import Config as HpmConfig
from rvtrace.models.hpm.rows import Rows as HpmRows
from rvtrace.models.riscv.csr import OPS, OUTCOMES
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Kind, Priv, Retired
from rvtrace.models.subsystem.config import Config as SubsystemConfig
from rvtrace.report import listing, viewer_csrs
from rvtrace.report.viewer_code import Codes
from rvtrace.report.viewer_cycles import LARGEST, Cycles
from rvtrace.report.viewer_hart import TRAPS, instructions_of
from rvtrace.report.viewer_traces import (
    EventShown,
    FieldShown,
    Messages,
    Shape,
    Shown,
    Table,
    Track,
    rows_of,
    runs_of,
)  # fmt: skip


def rows_shown(
    folder: Path, ip: str, config: Mapping[str, Any], limit: int, stream: str = TRACES[0]
) -> tuple[Shown, Path | None, int]:
    """What a folder has, its ELF file, and XLEN. stream: of the subsystem, the trace source in full. ValueError if it
    cannot be read.
    """
    elf = folder / "program.elf"
    program = Program.from_elf(elf) if elf.is_file() else None
    make: Callable[..., Shown] = {"ctr": _ctr, "hpm": _hpm, "subsystem": partial(_subsystem, which=stream)}.get(
        ip, _nothing
    )
    try:
        found = make(folder, config, program, limit)
    except ArgumentError:
        raise
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
        raise ArgumentError(f"{folder} cannot be shown ({error}); capture again with `make capture IP={ip}`") from None
    return found, elf if program is not None else None, int(config.get("xlen", 64))


def _nothing(folder: Path, config: Mapping[str, Any], program: Program | None, limit: int) -> Shown:
    found = _of_retired("message", folder, program or Program(int(config.get("xlen", 64)), []), limit)
    found.notes.append("this system leaves no trace to look into: findings, and what the hart retired")
    return found


def _of_retired(noun: str, folder: Path, program: Program, limit: int) -> Shown:
    """The instructions, traps, privilege and context of retired.csv, without messages; nothing if it is not there."""
    codes = Codes(program)
    found = Shown(noun, b"", _messages([], [], [], []), codes, np.zeros(0, np.int32))
    path = folder / "retired.csv"
    if not path.is_file():
        found.notes.append("there is no retired.csv: the instructions are not known")
        return found
    retired = Retired.from_csv(path)
    insn = retired.kind == Kind.INSN
    before = np.cumsum(insn) - insn
    pcs = retired.pc[insn]
    if len(pcs) > limit:
        found.notes.append(f"only the first {limit:,} instructions are shown; give LIMIT=<more>")
        pcs = pcs[:limit]
    distinct, found.rows = rows_of(pcs)
    codes.add_all(distinct)
    for kind, name in TRAPS.items():
        for row in np.flatnonzero((retired.kind == kind) & (before < len(pcs))).tolist():
            found.events.append(EventShown("trap", int(before[row]), -1, f"{name} {int(retired.cause[row])}"))
    found.events.sort(key=lambda event: event.index)
    names = {int(priv): priv.name for priv in Priv}
    changes = np.flatnonzero(np.diff(retired.priv[insn].astype(np.int64), prepend=-1))
    found.priv = runs_of((int(k), names.get(int(retired.priv[insn][k]), "?")) for k in changes if k < len(pcs))
    return found


def _messages(first: Any, shapes: list[int], kinds: list[Shape], values: list[int]) -> Messages:
    """Messages without bytes."""
    count = len(shapes)
    return Messages(
        np.zeros(count, np.int64), np.zeros(count, np.int64), np.asarray(first, np.int64), np.array(shapes, np.int64),
        kinds, np.array(values, np.uint64), np.full(count, -1, np.int64),
    )  # fmt: skip


def _ctr(folder: Path, config: Mapping[str, Any], program: Program | None, limit: int) -> Shown:
    """Transfers as messages; the entries read last as a table."""
    rows, settings = CtrRows.load(folder / "rows.npz"), CtrConfig.from_dict(config)
    found = _of_retired("transfer", folder, program or Program(settings.xlen, []), limit)
    full = rows.type != 0
    names = {int(priv): priv.name for priv in Priv}
    fields = [("source", "addr", None), ("target", "addr", None), ("misp", "dec", None), ("from_", "dec", names),
              ("to", "dec", names), ("cause", "dec", None)]  # fmt: skip
    kinds = rows.type[full].tolist()
    known = sorted(set(kinds))
    shapes = [
        Shape(TYPES.get(kind, f"type {kind}"), tuple(FieldShown(n.strip("_"), form, of) for n, form, of in fields))
        for kind in known
    ]
    values = np.column_stack([getattr(rows, name)[full].astype(np.uint64) for name, *_ in fields]).reshape(-1)
    source, cycle = rows.source[full], np.repeat(rows.cycle, full.sum(axis=1)).astype(np.int64)
    first = _places(source, np.isin(rows.type[full], (EXCEPTION, INTERRUPT)), found)
    found.messages = _messages(first, [known.index(kind) for kind in kinds], shapes, values.tolist())
    if len(cycle) and int(cycle.max()) <= LARGEST:
        found.cycles = Cycles(cycle)
    entries = folder / "entries.json"
    if entries.is_file():
        read = ctr_files.load(entries)
        title = f"CTR entries at the end: {sum(one['valid'] for one in read)} of {len(read)} are valid"
        records = [(int(e["source"], 16), int(e["target"], 16), e["type"], e["valid"], e["cc"]) for e in read]
        _snapshots(found, [(len(found.rows), title, records)], program)
    return found


def _places(source: np.ndarray, trap: np.ndarray, found: Shown) -> np.ndarray:
    """Instructions before each transfer: its source, looked for in order among what retired; of a trap those before
    the first of its handler.
    """
    pcs = found.codes.columns().pc[found.rows] if len(found.rows) else np.zeros(0, np.uint64)
    at: dict[int, np.ndarray] = {}
    order = np.argsort(pcs, kind="stable")
    starts = np.searchsorted(pcs[order], np.unique(pcs))
    for pc, places in zip(np.unique(pcs).tolist(), np.split(order, starts[1:])):
        at[pc] = places
    traps = iter([event.index for event in found.events if event.kind == "trap"])
    here, places = -1, []  # the instruction of the last transfer
    for pc, trapped in zip(source.tolist(), trap.tolist()):
        all_of = at.get(pc)
        if trapped:
            here = max(next(traps, 0) - 1, here)
        elif all_of is not None and (k := int(np.searchsorted(all_of, here, side="right"))) < len(all_of):
            here = int(all_of[k])
        places.append(min(here + 1, max(len(pcs) - 1, 0)) if trapped else max(here, 0))
    return np.array(places, np.int64)


def _snapshots(
    found: Shown, looks: list[tuple[int, str, list[tuple[int, int, int, bool, int | None]]]], program: Program | None
) -> None:
    """CTR entries as tables (source, target, type, valid, cycles of each), with a mark at the place of each look."""

    def where(address: int) -> str:
        return "-" if not address else program.symbol(address) if program else f"{address:#x}"

    places, numbers = [], []
    for at, title, records in looks:
        rows = [
            (str(n), TYPES.get(kind, "-"), where(source), where(target), "-" if cycles is None else str(cycles),
             "" if valid else "not valid")
            for n, (source, target, kind, valid, cycles) in enumerate(records)
            if valid or source or target
        ]  # fmt: skip
        places.append(at)
        numbers.append(len(found.tables))
        found.tables.append(Table(title, ("entry", "type", "source", "target", "cycles", ""), rows))
    found.tracks.append(Track("CTR entries (select one)", "marks", np.array(places), np.array(numbers), ""))


def _hpm(folder: Path, config: Mapping[str, Any], program: Program | None, limit: int) -> Shown:
    """Values of the counters as levels, overflows as events, accesses as messages."""
    rows, settings = HpmRows.load(folder / "rows.npz"), HpmConfig.from_dict(config)
    found = _of_retired("operation", folder, program or Program(settings.xlen, []), limit)
    index = np.cumsum(rows.retired.astype(np.int64)) - rows.retired
    index = np.minimum(index, max(len(found.rows), 1))
    asked = np.flatnonzero(rows.op != NO_ACCESS)
    names = {int(priv): priv.name for priv in Priv}
    known = sorted({(int(rows.op[k]), int(rows.addr[k])) for k in asked})
    fields = tuple(
        FieldShown(n, f, of)
        for n, f, of in (
            ("written", "hex", None),
            ("read", "hex", None),
            ("mode", "dec", names),
            ("outcome", "dec", OUTCOMES),
        )
    )
    shapes = [Shape(f"{OPS.get(op, op)} {viewer_csrs.name(addr, settings.xlen)}", fields) for op, addr in known]
    values = np.column_stack(
        [getattr(rows, name)[asked].astype(np.uint64) for name in ("wdata", "rdata", "mode", "outcome")]
    )
    numbers = [known.index((int(rows.op[k]), int(rows.addr[k]))) for k in asked]
    found.messages = _messages(index[asked], numbers, shapes, values.reshape(-1).tolist())
    cycle = rows.cycle.astype(np.int64)
    if len(cycle) and int(cycle.max()) <= LARGEST:
        found.cycles = Cycles(cycle[asked], _of_each(index, cycle, len(found.rows)))
    state = folder / "state.npz"
    if not state.is_file():
        found.notes.append("there is no state.npz: the values of the counters between accesses are not known")
        return found
    with np.load(state, allow_pickle=False) as kept:
        counters, of, pending = kept["counters"], kept["of"], kept["lcofip"]
    read = folder / "counters.json"
    named = json.loads(read.read_text()) if read.is_file() else []
    describe: Any = listing.of("hpm")
    titles = {int(one["n"]): f"{one['csr']} ({describe.counted(one)})" for one in named}
    cycles = {int(one["n"]) for one in named if describe.counted(one) == "cycles"}
    for n in range(counters.shape[1]):
        values = counters[:, n]
        changed = np.flatnonzero(np.diff(values.astype(np.int64), prepend=-1))
        if len(changed) < 2:
            continue
        unit = "cycles" if n in cycles else ""
        found.tracks.append(Track(titles.get(n, f"counter {n}"), "counter", index[changed], values[changed], unit))
    bits = of.astype(np.int64)
    rising = bits & ~np.concatenate(([0], bits[:-1]))
    for k in np.flatnonzero(rising).tolist():
        over = ", ".join(titles.get(n, f"counter {n}") for n in range(32) if int(rising[k]) >> n & 1)
        found.events.append(EventShown("overflow", int(index[k]), -1, over))
    for k in np.flatnonzero(np.diff(pending.astype(np.int64), prepend=0) > 0).tolist():
        found.events.append(EventShown("interrupt", int(index[k]), -1, "LCOFIP is set"))
    found.events.sort(key=lambda event: event.index)
    return found


def _of_each(index: np.ndarray, cycle: np.ndarray, count: int) -> np.ndarray | None:
    """The cycle of each instruction, from the instructions before each row and its cycle."""
    if not count:
        return None
    row = np.searchsorted(index, np.arange(count), side="right") - 1
    return cycle[np.clip(row, 0, len(cycle) - 1)]


def _subsystem(
    folder: Path, config: Mapping[str, Any], program: Program | None, limit: int, which: str = "ntrace"
) -> Shown:
    """One trace source in full; the others, CTR snapshots and counters as lanes."""
    settings = SubsystemConfig.from_dict(config)
    retired = Retired.from_csv(folder / "retired.csv")
    with np.load(folder / "cycles.npz", allow_pickle=False) as kept:
        cycles = {name: kept[name].astype(np.int64) for name in kept}
    found = source_shown(folder, settings, program, which, limit)
    base = instructions_of(found, retired)
    known = len(base) == len(found.rows) and len(cycles["retired"]) == len(retired)
    found.clocked(cycles.get(which, np.zeros(0, np.int64)), cycles["retired"][base] if known else None)
    for other in TRACES:
        if other == which:
            continue
        try:
            part = source_shown(folder, settings, program, other, limit)
        except ValueError as error:
            found.notes.append(f"{systems.judge(other).title} cannot be decoded: {error}")
            continue
        name = f"{systems.judge(other).title} {part.noun}s, bytes"
        its = np.append(instructions_of(part, retired), len(retired))
        at = np.searchsorted(base, its[np.minimum(part.messages.first, len(its) - 1)])
        found.tracks.append(Track(name, "bars", at, part.messages.length, "bytes"))
    looks = json.loads((folder / "snapshots.json").read_text())
    places = [int(np.searchsorted(base, look["at"])) for look in looks]
    records = []
    for place, look in zip(places, looks):
        read = [Record.of_registers(*entry) for entry in look["ctr"]]
        rows = [(one.source, one.target, one.type, one.valid, one.cycles) for one in read]
        records.append((place, f"CTR entries at cycle {look['cycle']:,}: {sum(r[3] for r in rows)} valid", rows))
    if records:
        _snapshots(found, records, program)
    for name in looks[0]["counters"] if looks else ():
        values = np.array([look["counters"].get(name, 0) for look in looks], np.uint64)
        if len(set(values.tolist())) > 1:
            unit = "cycles" if name == "mcycle" else ""
            found.tracks.append(Track(f"{name} (as read)", "sampled", np.array(places), values, unit))
    return found


def source_shown(folder: Path, settings: SubsystemConfig, program: Program | None, which: str, limit: int) -> Shown:
    """One trace source of the subsystem, decoded."""
    path, config, system = folder / f"{which}.trace", getattr(settings, which), systems.judge(which)
    data = system.read(path, config)
    files = TraceFiles(system, path, data, config, folder / "program.elf", program, len(data))
    show: Any = listing.of(which)
    return listing.viewed(files, show.decode(files, limit, False))
