# SPDX-License-Identifier: Apache-2.0
"""A second waveform beside that of a simulator: what its trace means, as text on the same axis of time.

    for line in annotate(folder, folder / "waves.vcd"): print(line)

writes into the folder of a run with WAVES=1
    decoded.vcd   messages, instructions, source lines, privilege, traps and findings as strings, with the signals of
                  the testbench's top module, so that one viewer shows both
    decoded.gtkw  opens it in GTKWave with groups and a marker at the first finding (gtkwave decoded.gtkw)
    decoded.sucl  the same for Surfer (surfer --command-file decoded.sucl)

A message is shown from the cycle in which its first byte is transferred to that of its last; instructions in the cycle
in which their block crossed the ingress port; a finding from its cycle on, else from the message it is about.
"""

from __future__ import annotations

import heapq
import json
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from vcd import VCDWriter
from vcd.common import Timescale, TimescaleMagnitude, TimescaleUnit
from vcd.gtkw import GTKWSave

from rvtrace.flow.captured.files import TraceFiles, load
from rvtrace.jobs import systems
from rvtrace.jobs.arguments import short
from rvtrace.jobs.job import TIMES
from rvtrace.jobs.names import MAIN, TRACES
from rvtrace.models.ctr.records import TYPES
from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import IType, Kind, Priv, Retired
from rvtrace.models.subsystem.config import Config as SubsystemConfig
from rvtrace.report import listing
from rvtrace.report.vcd_signals import Signals
from rvtrace.report.viewer_rows import source_shown
from rvtrace.report.viewer_traces import Shown, without_program

DECODED, GTKWAVE, SURFER = "decoded.vcd", "decoded.gtkw", "decoded.sucl"
# What an earlier run may have left in the folder, and this one may not leave.
LEFT = (
    TIMES, DECODED, GTKWAVE, SURFER, "trace.bin", "program.elf", "config.json", "beats.npz", "rows.npz", "cycles.npz",
    "retired.csv", *(f"{name}.trace" for name in TRACES),
)  # fmt: skip
_MODES = {int(one): one.name for one in Priv}
SHOWN = 8  # instructions of a block whose text is shown
WAVE_INSTRUCTIONS = 5_000_000  # instructions that are decoded
SCOPE = "rvtrace"
AROUND, FRAMES = 16, 6  # cycles that GTKWave shows around the first finding, in so many of its frames of 200 pixels
# What is of interest of the top module, in this order, if it is there.
PORTS = (
    "clk_o", "rst_ni", "ing_ready_o", "ing_drop_o", "sts_block_o", "out_valid_o", "ready",
    "out_nbytes_o", "out_data_o", "sts_empty_o", "sts_overflow_o", "ret_valid_i", "ret_pc_i", "ret_ready_o",
    "csr_op_i", "csr_addr_i", "csr_wdata_i", "csr_rdata_o",
)  # fmt: skip


@dataclass
class Axis:
    """The simulator's time of cycles. sent: the cycle of each byte of the trace. unit: power of ten of a second."""

    began: int
    period: int
    unit: int
    sent: np.ndarray

    @classmethod
    def load(cls, path: Path) -> Axis:
        """Of the file that the testbench left."""
        with np.load(path) as found:
            return cls(int(found["began"]), int(found["period"]), int(found["unit"]), found["sent"])

    def at(self, cycle: int) -> int:
        """When a cycle begins."""
        return self.began + self.period * cycle


@dataclass
class Signal:
    """A signal of strings: (time, value), in any order; of several at one time the last."""

    group: str
    name: str
    changes: list[tuple[int, str]] = field(default_factory=list)


def annotate(folder: Path, wave: Path) -> Iterator[str]:
    """Write the files; lines about what they are, and sentences about what is missing. The folder has a result.json,
    and what a run leaves with `keep`.
    """
    if not (folder / TIMES).is_file() or not wave.is_file():
        yield f"note: {DECODED} is not written: there is no {TIMES} in {folder}, which has the simulator's time"
        return
    axis = Axis.load(folder / TIMES)
    notes: list[str] = []
    found = _result(folder)
    ip = found.get("ip", "")
    signals: list[Signal] = []
    marks: list[int] = []
    if ip == MAIN and (folder / "cycles.npz").is_file():
        signals += _of_subsystem(folder, axis, notes)
    elif ip in TRACES and (folder / "trace.bin").is_file():
        signals += _of_trace(folder, axis, notes, marks)
    else:
        notes.append(f"the run left no trace to decode: {DECODED} has what was on the ports, and findings")
    if ip != MAIN:
        signals += _of_ports(folder, ip, axis, notes)
    findings, first = _findings(found.get("failures", []), axis, marks)
    signals += findings
    with Signals.open(wave) as copied:
        if copied.missing:
            notes.append(copied.missing)
        elif copied.unit != axis.unit:
            notes.append(f"{wave.name} has another unit of time than the simulator, so that its signals are not copied")
            copied.names.clear()
        _write(folder / DECODED, signals, copied, axis)
        ports = {f"{copied.top or 'testbench'}.{name}": copied.names[name] for name in PORTS if name in copied.names}
    _write_gtkw(folder, signals, ports, first, axis.period)
    (folder / SURFER).write_text(_surfer(signals, ports, first))
    yield from (f"note: {note}" for note in notes)
    failures = found.get("failures", [])
    where = "no finding has a place" if failures else "no finding"
    where = where if first is None else f"the first finding at {first}"
    yield f"decoded   {short(folder / DECODED)} ({GTKWAVE} and {SURFER} beside it open it; {where})"


def _result(folder: Path) -> Mapping[str, Any]:
    for name in ("result.json", "rerun.json"):
        try:
            return json.loads((folder / name).read_text())
        except (OSError, ValueError):
            continue
    return {}


def _of_trace(folder: Path, axis: Axis, notes: list[str], marks: list[int]) -> Iterator[Signal]:
    """Messages. marks: gets the time at which each begins."""
    try:
        given = {"TRACE": "trace.bin", "CONFIG": "config.json", "ELF": "program.elf"}
        there = {word: str(folder / name) for word, name in given.items() if (folder / name).is_file()}
        files = load(there, need_program="ELF" in there)
        content = _decoded(files)
    except ValueError as error:
        notes.append(f"the trace was not decoded: {error}")
        return
    if len(axis.sent) < len(files.data):
        notes.append("the run did not record in which cycle each byte left: messages are not shown")
        return
    yield from _of_messages("messages", content, axis, notes, marks)


def _of_subsystem(folder: Path, axis: Axis, notes: list[str]) -> Iterator[Signal]:
    """Messages of each trace source, and what the hart did."""
    settings = SubsystemConfig.from_dict(json.loads((folder / "config.json").read_text()))
    program = Program.from_elf(folder / "program.elf")
    with np.load(folder / "cycles.npz", allow_pickle=False) as kept:
        cycles = {name: kept[name].astype(np.int64) for name in kept}
    for name in TRACES:
        try:
            content = source_shown(folder, settings, program, name, WAVE_INSTRUCTIONS)
        except ValueError as error:
            notes.append(f"{systems.judge(name).title} cannot be decoded: {error}")
            continue
        yield from _of_messages(f"{name}_messages", content, replace(axis, sent=cycles[name]), notes, [])
    yield from _of_retired(Retired.from_csv(folder / "retired.csv"), cycles["retired"], program, axis)


def _of_retired(retired: Retired, cycles: np.ndarray, program: Program, axis: Axis) -> list[Signal]:
    """Instructions and traps in the cycle in which they retired."""
    symbol, insn, line, priv, trap = _instructions()
    known: dict[int, tuple[str, str, str]] = {}
    together: dict[int, list[int]] = defaultdict(list)
    for n, cycle in enumerate(cycles.tolist()):
        together[cycle].append(n)
    last = -1
    for cycle, rows in together.items():
        at, texts, traps = axis.at(cycle), [], []
        for n in rows:
            pc, kind = int(retired.pc[n]), int(retired.kind[n])
            if kind == Kind.INSN:
                if pc not in known:
                    known[pc] = _block(program, pc, int(retired.size[n]) // 2)
                texts.append(known[pc])
            elif kind in (Kind.EXCEPTION, Kind.INTERRUPT):
                traps.append(f"{Kind(kind).name.lower()} {int(retired.cause[n])}")
            if int(retired.priv[n]) != last:
                last = int(retired.priv[n])
                priv.changes.append((at, _MODES.get(last, str(last))))
        for signal, column in ((symbol, 0), (insn, 1), (line, 2)):
            signal.changes += [(at, "; ".join(dict.fromkeys(text[column] for text in texts))), (at + axis.period, "")]
        trap.changes += [(at, "; ".join(traps)), (at + axis.period, "")]
    return [symbol, insn, *([line] if not program.lines.missing else []), priv, trap]


def _of_messages(group: str, content: Shown, axis: Axis, notes: list[str], marks: list[int]) -> Iterator[Signal]:
    """The messages of a trace, whose bytes left in the cycles of the axis. marks: gets the time of each."""
    notes += content.notes
    messages = content.messages
    names, fields = Signal(group, "name"), Signal(group, "fields")
    texts = _texts(content)
    begin = axis.began + axis.period * axis.sent[messages.offset]
    end = axis.began + axis.period * (axis.sent[messages.offset + np.maximum(messages.length, 1) - 1] + 1)
    marks += begin.tolist()
    together: dict[int, list[int]] = defaultdict(list)
    for n, at in enumerate(begin.tolist()):
        together[at].append(n)
    order = sorted(together)
    for at, after in zip(order, [*order[1:], 1 << 62]):
        some = together[at]
        # With its number, so that two of one name differ.
        names.changes.append((at, " + ".join(f"{n} {messages.shapes[int(messages.shape[n])].name}" for n in some)))
        fields.changes.append((at, " + ".join(texts[n] for n in some)))
        stop = int(max(end[n] for n in some))
        if stop < after:
            names.changes.append((stop, ""))
            fields.changes.append((stop, ""))
    yield names
    yield fields
    losses = Signal(group, "loss")
    size = len(axis.sent)
    for one in content.losses:
        place, stop = min(one.begin, size - 1), min(max(one.end, one.begin + 1), size)
        losses.changes.append((axis.at(int(axis.sent[place])), f"{one.clause} {one.text}".strip()))
        losses.changes.append((axis.at(int(axis.sent[stop - 1]) + 1), ""))
    yield losses


def _decoded(files: TraceFiles) -> Shown:
    show = listing.of(files.system.ip)
    assert show is not None
    if files.program is None and not files.captured.replayed:
        return without_program(files)
    return listing.viewed(files, show.decode(files, WAVE_INSTRUCTIONS, False))


def _texts(content: Shown) -> list[str]:
    """Each message with its fields."""
    messages, place, found = content.messages, 0, []
    values = messages.values.tolist()
    for number in messages.shape.tolist():
        shape = messages.shapes[number]
        parts = [shape.name]
        for one in shape.fields:
            if one.form == "text":
                parts.append(str(one.codes))
                continue
            value, place = values[place], place + 1
            meaning = one.codes.get(value) if isinstance(one.codes, dict) else None
            hexadecimal = one.form in ("hex", "addr", "half", "quarter", "hist", "bits")
            text = (
                f"{value:#x}"
                if hexadecimal
                else str(value - (1 << 64) if one.form == "signed" and value >> 63 else value)
            )
            parts.append(f"{one.name}={text}" + (f" ({meaning})" if meaning else ""))
        found.append(" ".join(parts))
    return found


def _of_ports(folder: Path, ip: str, axis: Axis, notes: list[str]) -> list[Signal]:
    """What crossed the ports: blocks of instructions, or rows."""
    elf = folder / "program.elf"
    program = Program.from_elf(elf) if elf.is_file() else None
    if program is not None and program.lines.missing:
        notes.append(program.lines.missing)
    if (folder / "beats.npz").is_file() and program is not None:
        return _of_beats(Beats.load(folder / "beats.npz"), program, axis)
    if (folder / "rows.npz").is_file():
        with np.load(folder / "rows.npz") as found:
            return _of_rows({name: found[name] for name in found.files}, ip, program, axis)
    notes.append("the run did not record what crossed its ports: instructions are not shown")
    return []


def _of_beats(beats: Beats, program: Program, axis: Axis) -> list[Signal]:
    symbol, insn, line, priv, trap = _instructions()
    known: dict[tuple[int, int], tuple[str, str, str]] = {}
    columns = (beats.itype, beats.iaddr, beats.iretire, beats.cause, beats.priv, beats.valid())
    last = -1
    for cycle, *lanes in zip(beats.cycle.tolist(), *(column.tolist() for column in columns)):
        at, texts, traps = axis.at(cycle), [], []
        for itype, address, halfwords, cause, mode, valid in zip(*lanes):
            if not valid:
                continue
            if halfwords:
                key = address, halfwords
                if key not in known:
                    known[key] = _block(program, address, halfwords)
                texts.append(known[key])
            if itype in (IType.EXCEPTION, IType.INTERRUPT):
                traps.append(f"{'interrupt' if itype == IType.INTERRUPT else 'exception'} {cause}")
            if mode != last:
                last = mode
                priv.changes.append((at, _MODES.get(mode, str(mode))))
        for signal, column in ((symbol, 0), (insn, 1), (line, 2)):
            signal.changes += [(at, "; ".join(dict.fromkeys(text[column] for text in texts))), (at + axis.period, "")]
        trap.changes += [(at, "; ".join(traps)), (at + axis.period, "")]
    return [symbol, insn, *([line] if not program.lines.missing else []), priv, trap]


def _instructions() -> list[Signal]:
    return [Signal("instructions", name) for name in ("symbol", "disassembly", "source", "privilege", "trap")]


def _block(program: Program, address: int, halfwords: int) -> tuple[str, str, str]:
    """Symbol, instructions and source lines of a block."""
    at, end = address, address + 2 * halfwords
    texts: list[str] = []
    lines: dict[str, None] = {}
    while at < end and (insn := program.insn(at)) is not None:
        texts.append(program.where(at).partition(": ")[2].partition("  ; ")[0])
        if (line := program.lines.at(at)) is not None:
            lines[str(line)] = None
        at += insn.size
    more = f"; ({len(texts) - SHOWN} more)" if len(texts) > SHOWN else ""
    return program.symbol(address), "; ".join(texts[:SHOWN]) + more, "; ".join(list(lines)[:SHOWN])


def _of_rows(rows: Mapping[str, np.ndarray], ip: str, program: Program | None, axis: Axis) -> list[Signal]:
    """CTR: transfers; tandem trace: instructions; counters: what happened."""
    if "cycle" not in rows:
        return []
    signal = Signal("ports", {"ctr": "transfers", "tandem": "instruction"}.get(ip, "row"))
    name = (lambda pc: program.symbol(pc)) if program is not None else hex
    cycles = rows["cycle"].tolist()
    for n, cycle in enumerate(cycles):
        if ip == "ctr" and "type" in rows:
            some = zip(rows["type"][n].tolist(), rows["source"][n].tolist(), rows["target"][n].tolist())
            text = "; ".join(f"{TYPES.get(t, t)} {name(a)} > {name(b)}" for t, a, b in some if t)
        elif "pc" in rows:
            pcs = np.atleast_1d(rows["pc"][n]).tolist()
            text = "; ".join(name(pc) if program is None else program.where(pc) for pc in pcs)
        elif "retired" in rows:
            text = f"{int(rows['retired'][n])} retired, events {np.atleast_1d(rows['events'][n]).tolist()}"
        else:
            text = f"row {n}"
        if text:
            signal.changes += [(axis.at(cycle), text), (axis.at(cycle + 1), "")]
    return [signal]


def _findings(failures: list[Mapping[str, Any]], axis: Axis, marks: list[int]) -> tuple[list[Signal], int | None]:
    """Signals, and when the first one is. marks: when each message of the trace began."""
    clause, headline, elsewhere = (Signal("findings", name) for name in ("clause", "headline", "without_a_place"))
    first: int | None = None
    together: dict[int, list[Mapping[str, Any]]] = defaultdict(list)
    for one in failures:
        at, cycle = one.get("at"), one.get("cycle")
        if cycle is not None:
            together[axis.at(int(cycle))].append(one)
        elif at is not None and 0 <= at < len(marks):
            together[marks[at]].append(one)
        else:
            elsewhere.changes = [(0, "; ".join(filter(None, [*(t for _, t in elsewhere.changes), _said(one)])))]
    for at in sorted(together):
        first = at if first is None else first
        clause.changes.append((at, ", ".join(dict.fromkeys(one["clause"] for one in together[at]))))
        headline.changes.append((at, "; ".join(one.get("headline", "") for one in together[at])))
    return [clause, headline, elsewhere], first


def _said(failure: Mapping[str, Any]) -> str:
    return f"{failure['clause']} {failure.get('headline', '')}".strip()


def _write(path: Path, signals: list[Signal], copied: Signals, axis: Axis) -> None:
    """All of them in one VCD."""
    magnitude, unit = 10 ** (axis.unit % 3), {0: "s", -3: "ms", -6: "us", -9: "ns", -12: "ps", -15: "fs"}
    scale = Timescale(TimescaleMagnitude(magnitude), TimescaleUnit(unit[axis.unit - axis.unit % 3]))
    with path.open("w", encoding="utf-8") as file, VCDWriter(file, timescale=scale, date="", check_values=False) as out:
        made: dict[tuple[str, str], Any] = {}
        for one in signals:
            made[one.group, one.name] = out.register_var(f"{SCOPE}.{one.group}", one.name, "string", init="")
        for name, size in copied.names.items():
            made["", name] = out.register_var(copied.top or "testbench", name, "wire", size=size, init="x")
        ours = heapq.merge(*(_ordered(one) for one in signals), key=lambda change: change[0])
        theirs = ((time, "", name, value) for time, name, value in (copied.changes() if copied.names else ()))
        last = 0
        for time, group, name, value in heapq.merge(ours, theirs, key=lambda change: change[0]):
            last = max(last, time)
            out.change(made[group, name], last, value)


def _ordered(signal: Signal) -> list[tuple[int, str, str, str]]:
    """In the order of time, each value once: of several at one time the last that says something."""
    at: dict[int, str] = {}
    for time, value in signal.changes:
        if value or time not in at:
            at[max(time, 0)] = value
    return [(time, signal.group, signal.name, at[time]) for time in sorted(at)]


def _groups(signals: list[Signal]) -> dict[str, list[Signal]]:
    """Those that ever have a value."""
    found: dict[str, list[Signal]] = defaultdict(list)
    for one in signals:
        if any(value for _, value in one.changes):
            found[one.group].append(one)
    return found


def _write_gtkw(folder: Path, signals: list[Signal], ports: Mapping[str, int], first: int | None, period: int) -> None:
    """ports: name to bits. period: of the clock, for a view of some cycles around the first finding."""
    with (folder / GTKWAVE).open("w", encoding="utf-8") as file:
        save = GTKWSave(file)
        # GTKWave finds the VCD beside the save file, wherever both are, if both names are there.
        save.dumpfile(DECODED, abspath=False)
        save.savefile(GTKWAVE, abspath=False)
        save.size(1500, 800)
        save.signals_width(180)
        save.sst_expanded(False)
        save.treeopen(f"{SCOPE}.")
        if first is not None:
            save.zoom_markers(-math.log2(period * AROUND / FRAMES), first, a=first)
            save.timestart(max(0, first - period * AROUND // 4))
        for group, some in _groups(signals).items():
            with save.group(group):
                for one in some:
                    save.trace(f"{SCOPE}.{group}.{one.name}", alias=one.name, datafmt="ascii")
        with save.group("testbench"):
            for name, size in ports.items():
                save.trace(f"{name}[{size - 1}:0]" if size > 1 else name)  # as GTKWave names a vector without range


def _surfer(signals: list[Signal], ports: Iterable[str], first: int | None) -> str:
    lines = [f"load_file {DECODED}"]
    for group, some in _groups(signals).items():
        lines.append(f"divider_add {group}")
        lines += [f"variable_add {SCOPE}.{group}.{one.name}" for one in some]
    lines += ["divider_add testbench", *(f"variable_add {name}" for name in ports), "zoom_fit"]
    if first is not None:
        lines += [f"cursor_set {first}", "marker_set first_finding", "goto_cursor"]
    return "\n".join(lines) + "\n"
