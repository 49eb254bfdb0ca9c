# SPDX-License-Identifier: Apache-2.0
"""A profile in the format of callgrind, which KCachegrind, QCachegrind and callgrind_annotate open: instructions by
function, address and source line, and who called whom how often.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

import numpy as np

from rvtrace.report.profile import Profile

UNKNOWN = "???"  # the file of what has no line, as callgrind says it


def callgrind(profile: Profile, title: str) -> str:
    """The text of such a file. Each instruction costs 1, in the function that ran it; a call costs what it led to."""
    count = profile.instructions
    lines = [
        "# callgrind format", "version: 1", "creator: rvtrace", f"cmd: {title}", "positions: instr line",
        "events: Instructions", f"summary: {count}", "",
    ]  # fmt: skip
    own, calls = _own(profile), _calls(profile)
    for name in dict.fromkeys((*own, *calls)):
        lines += [f"fl={_file(profile, own.get(name) or [code for code, _, _ in calls[name]])}", f"fn={name}"]
        lines += [f"{_place(profile, code)} {cost}" for code, cost in own.get(name, {}).items()]
        for (code, callee, target), (times, cost) in calls.get(name, {}).items():
            lines += [f"cfi={_file(profile, (target,))}", f"cfn={callee}", f"calls={times} {_place(profile, target)}"]
            lines.append(f"{_place(profile, code)} {cost}")
        lines.append("")
    return "\n".join([*lines, f"totals: {count}", ""])


def _own(profile: Profile) -> dict[str, dict[int, int]]:
    """How often each instruction ran in each function, by its number among the program's instructions."""
    frames, rows = profile.frames, profile.shown.rows
    owner = np.full(profile.instructions, -1, np.int64)
    for n in np.argsort(frames.depth, kind="stable").tolist():
        owner[int(frames.begin[n]) : int(frames.end[n])] = n
    number = {name: i for i, name in enumerate(dict.fromkeys(profile.names))}
    names = np.array([number[name] for name in profile.names] or [0], np.int64)
    found: dict[str, dict[int, int]] = {name: {} for name in number}
    inside = owner >= 0
    pairs, counts = np.unique(np.stack((names[owner[inside]], rows[inside])), axis=1, return_counts=True)
    listed = list(number)
    for (n, code), times in zip(pairs.T.tolist(), counts.tolist()):
        found[listed[n]][code] = times
    outside, counts = np.unique(rows[~inside], return_counts=True)
    if len(outside):
        found["(not in a function)"] = dict(zip(outside.tolist(), counts.tolist()))
    return found


def _calls(profile: Profile) -> dict[str, dict[tuple[int, str, int], list[int]]]:
    """Of each caller: by instruction, callee and its first instruction, how many calls there were and their cost."""
    rows = profile.shown.rows
    found: dict[str, dict[tuple[int, str, int], list[int]]] = defaultdict(dict)
    for caller, callee in _nested(profile):
        begin, end = int(profile.frames.begin[callee]), int(profile.frames.end[callee])
        where = (int(rows[begin - 1]), profile.names[callee], int(rows[begin])) if begin else None
        if where is not None and end > begin:
            entry = found[profile.names[caller]].setdefault(where, [0, 0])
            entry[0] += 1
            entry[1] += end - begin
    return found


def _nested(profile: Profile) -> Iterator[tuple[int, int]]:
    """(frame, frame that it called)."""
    frames = profile.frames
    begins, ends, depths = (one.tolist() for one in (frames.begin, frames.end, frames.depth))
    stack: list[int] = []
    for n in np.lexsort((frames.depth, frames.begin)).tolist():
        while stack and (ends[stack[-1]] <= begins[n] or depths[stack[-1]] >= depths[n]):
            stack.pop()
        if stack:
            yield stack[-1], n
        stack.append(n)


def _place(profile: Profile, code: int) -> str:
    """Address and line of an instruction; line 0: it has none."""
    pc = profile.shown.codes.insns[code].pc
    line = profile.shown.codes.program.lines.at(pc)
    return f"{pc:#x} {0 if line is None else line.number}"


def _file(profile: Profile, codes: Iterable[int]) -> str:
    """The source file of the first of these instructions that has one."""
    for code in codes:
        line = profile.shown.codes.program.lines.at(profile.shown.codes.insns[code].pc)
        if line is not None:
            return line.file
    return UNKNOWN
