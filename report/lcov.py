# SPDX-License-Identifier: Apache-2.0
"""Line and branch coverage of a program from its trace alone, as a file of lcov (`genhtml coverage.info`).

A line was executed as often as that of its instructions that was executed most often. A conditional branch has two
outcomes, branch 0 taken and branch 1 not taken; "-" if it never retired.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from rvtrace.models.riscv.isa import Flow
from rvtrace.models.riscv.program import Program
from rvtrace.report.viewer_traces import Shown


@dataclass
class File:
    """Of one source file: executions of each line; (taken, not taken) of the branches of each line by address, and
    whether each retired; executions of functions as (line, name).
    """

    lines: dict[int, int] = field(default_factory=dict)
    branches: dict[int, dict[int, tuple[int, int]]] = field(default_factory=lambda: defaultdict(dict))
    functions: dict[tuple[int, str], int] = field(default_factory=dict)


def coverage(shown: Shown, program: Program) -> dict[str, File]:
    """By file name. shown: an instruction whose successor is missing (a loss, a trap in its place, the end) has no
    outcome.
    """
    codes = shown.codes
    counts = np.bincount(shown.rows, minlength=len(codes.insns)).tolist() if codes.insns else []
    executed: dict[int, int] = defaultdict(int)
    for insn, many in zip(codes.insns, counts):
        executed[insn.pc] += many
    outcomes = _outcomes(shown)
    files: dict[str, File] = defaultdict(File)
    for span in program.lines.spans():
        at, shared = span.begin, span.begin == span.end
        while (at < span.end or (shared and at == span.begin)) and (insn := program.insn(at)) is not None:
            file = files[span.file]
            file.lines[span.number] = max(file.lines.get(span.number, 0), executed.get(at, 0))
            if insn.flow == Flow.BRANCH and not shared:
                file.branches[span.number][at] = outcomes.get(at, (0, 0))
            at += insn.size
    for address, name in program.lines.functions:
        line = program.lines.at(address)
        if line is not None and line.file in files:
            files[line.file].functions[line.number, name] = executed.get(address, 0)
    return dict(files)


def _outcomes(shown: Shown) -> dict[int, tuple[int, int]]:
    """Of each branch by address how often it was taken and not taken, from the instruction after it."""
    if len(shown.rows) < 2:
        return {}
    code = shown.codes.columns()
    before, now = shown.rows[:-1], shown.rows[1:]
    cuts = {event.index for event in shown.events if event.kind in ("trap", "gap", "error", "reset", "trace_on")}
    cuts |= {loss.index for loss in shown.losses}
    known = code.flow[before] == Flow.BRANCH
    known[[at - 1 for at in cuts if 0 < at < len(shown.rows)]] = False
    fallen = known & (code.pc[now] == (code.pc + code.size.astype(np.uint64))[before])
    taken = known & ~fallen & (code.pc[now] == code.target[before])
    found: dict[int, tuple[int, int]] = {}
    many = len(code.pc)
    for pc, yes, no in zip(
        code.pc.tolist(),
        np.bincount(before[taken], minlength=many).tolist(),
        np.bincount(before[fallen], minlength=many).tolist(),
    ):
        if yes or no:
            had = found.get(pc, (0, 0))
            found[pc] = had[0] + yes, had[1] + no
    return found


def text(files: dict[str, File], test: str = "") -> str:
    """The file of lcov."""
    return "".join(line + "\n" for name in sorted(files) for line in _record(name, files[name], test))


def _record(name: str, file: File, test: str) -> Iterator[str]:
    yield f"TN:{''.join(c if c.isalnum() else '_' for c in test)}"
    yield f"SF:{name}"
    for (line, function), _ in sorted(file.functions.items()):
        yield f"FN:{line},{function}"
    for (_, function), count in sorted(file.functions.items()):
        yield f"FNDA:{count},{function}"
    yield f"FNF:{len(file.functions)}"
    yield f"FNH:{sum(count > 0 for count in file.functions.values())}"
    outcomes = 0
    hit = 0
    for line, branches in sorted(file.branches.items()):
        for block, (_, counts) in enumerate(sorted(branches.items())):
            for branch, count in enumerate(counts):
                yield f"BRDA:{line},{block},{branch},{count if any(counts) else '-'}"
                outcomes, hit = outcomes + 1, hit + (count > 0)
    yield f"BRF:{outcomes}"
    yield f"BRH:{hit}"
    for line, count in sorted(file.lines.items()):
        yield f"DA:{line},{count}"
    yield f"LF:{len(file.lines)}"
    yield f"LH:{sum(count > 0 for count in file.lines.values())}"
    yield "end_of_record"


def summary(files: dict[str, File]) -> str:
    """One line for people."""
    lines = [count for file in files.values() for count in file.lines.values()]
    sides = [n for f in files.values() for per in f.branches.values() for pair in per.values() for n in pair]
    named = [count for file in files.values() for count in file.functions.values()]
    parts = (("lines", lines), ("branch outcomes", sides), ("functions", named))
    return ", ".join(f"{sum(n > 0 for n in some):,} of {len(some):,} {what}" for what, some in parts)
