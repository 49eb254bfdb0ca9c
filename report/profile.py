# SPDX-License-Identifier: Apache-2.0
"""Where a program spent its instructions, and its time where the trace has any: a row for each function, and as text.

profile = Profile.of(shown)
print(profile.text())
"""

from __future__ import annotations

import csv
from dataclasses import dataclass, field
from io import StringIO
from typing import Any

import numpy as np

from rvtrace.report.viewer_calls import CALL, TRAP, Frames
from rvtrace.report.viewer_traces import Shown

NO_TIME = "the trace has no time: only instructions are counted"
_KINDS = {CALL: "call", TRAP: "trap"}


@dataclass
class Row:
    """A function. own: instructions of itself; total: with those it called, of a recursion once. calls: times it was
    entered, traps: of these by a trap. own_time, total_time: the same in ticks of the trace's time, 0 without.
    """

    name: str
    own: int = 0
    total: int = 0
    calls: int = 0
    traps: int = 0
    own_time: float = 0.0
    total_time: float = 0.0


@dataclass
class Profile:
    """All functions, the one with the most instructions of its own first. clock: the time before each instruction and
    after the last, None if the trace has none. names: of the frames. notes: what is missing, sentences.
    """

    shown: Shown
    frames: Frames
    names: list[str]
    clock: np.ndarray | None
    rows: list[Row]
    notes: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, shown: Shown) -> Profile:
        """Of a trace that was decoded."""
        frames = shown.frames()
        names, clock = frame_names(shown, frames), clock_of(shown)
        return cls(shown, frames, names, clock, _rows(frames, names, clock), list(_missing(shown, clock)))

    @property
    def instructions(self) -> int:
        """That were decoded."""
        return len(self.shown.rows)

    def text(self) -> str:
        """A table."""
        timed = self.clock is not None
        head = f"{'self':>12} {'self %':>7} {'total':>12} {'total %':>8} {'calls':>8} {'traps':>7}"
        lines = [head + (f" {'self time':>12} {'total time':>12}" if timed else "") + "  function"]
        count = max(self.instructions, 1)
        for row in self.rows:
            line = (
                f"{row.own:>12,} {100 * row.own / count:>6.2f}% {row.total:>12,} {100 * row.total / count:>7.2f}%"
                f" {row.calls:>8,} {row.traps:>7,}"
            )
            line += f" {row.own_time:>12,.0f} {row.total_time:>12,.0f}" if timed else ""
            lines.append(f"{line}  {row.name}")
        lines += [f"# {note}" for note in self.notes]
        lines.append(f"# {self.instructions:,} instructions, {len(self.rows):,} functions")
        return "\n".join(lines) + "\n"

    def csv(self) -> str:
        """The same as comma-separated values, with a line of names; times are empty where the trace has none."""
        made = StringIO()
        table = csv.writer(made, lineterminator="\n")
        table.writerow(("function", "self", "total", "calls", "traps", "self_time", "total_time"))
        for row in self.rows:
            times = ("", "") if self.clock is None else (round(row.own_time, 3), round(row.total_time, 3))
            table.writerow((row.name, row.own, row.total, row.calls, row.traps, *times))
        return made.getvalue()


def frame_names(shown: Shown, frames: Frames) -> list[str]:
    """The symbol of each frame, else the address of its first instruction."""
    functions = [name for _, name in shown.codes.functions]
    pcs = [insn.pc for insn in shown.codes.insns]
    firsts = shown.rows[frames.begin].tolist() if len(frames.begin) else []
    return [functions[n] if n >= 0 else f"{pcs[row]:#x}" for n, row in zip(frames.function.tolist(), firsts)]


def clock_of(shown: Shown) -> np.ndarray | None:
    """The time at each instruction, interpolated between the messages that report it; None if fewer than two do.

    A message has the time at which it was made, and encodes the instructions up to there. Before the first and after
    the last one that has a time, time does not go on.
    """
    messages, count = shown.messages, len(shown.rows)
    known = np.flatnonzero(messages.time >= 0)
    if len(known) < 2 or not count:
        return None
    after = np.append(messages.first[1:], count)[known]
    time = np.maximum.accumulate(messages.time[known])  # a decoder reports a time that goes back
    last = np.append(np.diff(after) > 0, True)  # of several messages about no instruction the last
    return np.interp(np.arange(count + 1), after[last], time[last])


def _missing(shown: Shown, clock: np.ndarray | None) -> Any:
    """Sentences about what a reader may look for and will not find."""
    if not len(shown.rows):
        yield "no instruction could be decoded"
    elif not shown.codes.functions:
        yield "the program has no symbols: functions are shown by address"
    if len(shown.rows) and clock is None:
        yield NO_TIME
    if shown.losses:
        lost = sum(one.end - one.begin for one in shown.losses)
        yield (
            f"{lost:,} of {len(shown.data):,} bytes say nothing, in {len(shown.losses):,} places: the instructions"
            " there are not counted, and callers are not known after them"
        )
    yield from shown.notes


def _rows(frames: Frames, names: list[str], clock: np.ndarray | None) -> list[Row]:
    rows: dict[str, Row] = {}
    size = (frames.end - frames.begin).tolist()
    time = [0.0] * len(size) if clock is None else (clock[frames.end] - clock[frames.begin]).tolist()
    order = np.lexsort((frames.depth, frames.begin)).tolist()  # a caller before what it calls
    begins, ends, depths, kinds = (one.tolist() for one in (frames.begin, frames.end, frames.depth, frames.kind))
    stack: list[int] = []
    for n in order:
        while stack and (ends[stack[-1]] <= begins[n] or depths[stack[-1]] >= depths[n]):
            stack.pop()
        row = rows.setdefault(names[n], Row(names[n]))
        row.own += size[n]
        row.own_time += time[n]
        row.calls += 1
        row.traps += kinds[n] == TRAP
        if all(names[above] != names[n] for above in stack):
            row.total += size[n]
            row.total_time += time[n]
        if stack:
            above = rows[names[stack[-1]]]
            above.own -= size[n]
            above.own_time -= time[n]
        stack.append(n)
    return sorted(rows.values(), key=lambda row: (-row.own, row.name))
