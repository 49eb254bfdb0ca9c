# SPDX-License-Identifier: Apache-2.0
"""A profile as files of other tools: speedscope (evented profiles) and Perfetto (Chrome's trace event format).

Both show the call stack over instructions, or over the time of the trace where it has any.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from rvtrace.report.profile import Profile
from rvtrace.report.viewer_calls import TRAP

SCHEMA = "https://www.speedscope.app/file-format-schema.json"
_STACK, _PRIVILEGE, _EVENTS = 1, 2, 3  # tracks in Perfetto


def speedscope(profile: Profile, title: str) -> str:
    """JSON of speedscope's own format: one profile by instructions and, with time, one by ticks."""
    numbers: dict[str, int] = {}
    frame = [numbers.setdefault(name, len(numbers)) for name in profile.names]
    lines = profile.shown.codes.program.lines
    where = {name: address for address, name in reversed(profile.shown.codes.functions)}
    frames = []
    for name in numbers:
        line = lines.at(where[name]) if name in where else None
        frames.append({"name": name} | ({} if line is None else {"file": line.file, "line": line.number}))
    clocks: list[tuple[str, np.ndarray]] = [("instructions", np.arange(profile.instructions + 1))]
    if profile.clock is not None:
        clocks.append(("time of the trace, ticks", profile.clock))
    profiles = [
        {
            "type": "evented",
            "name": name,
            "unit": "none",
            "startValue": _number(clock[0]),
            "endValue": _number(clock[-1]),
            "events": [{"type": kind, "frame": frame[n], "at": _number(clock[at])} for kind, n, at in _events(profile)],
        }
        for name, clock in clocks
    ]
    made = {"$schema": SCHEMA, "shared": {"frames": frames}, "profiles": profiles, "name": title, "exporter": "rvtrace"}
    return json.dumps(made, separators=(",", ":"))


def perfetto(profile: Profile, title: str) -> str:
    """JSON in Chrome's trace event format, which Perfetto opens: call stack, privilege, traps, losses, bytes of trace.

    Its unit is the microsecond; here one is an instruction, or a tick of the trace's time.
    """
    clock = np.arange(profile.instructions + 1) if profile.clock is None else profile.clock
    unit = "instructions" if profile.clock is None else "ticks of the trace's time"
    made = [_meta("process_name", 0, f"{title} (1 us = one of {unit})")]
    tracks = ((_STACK, "call stack"), (_PRIVILEGE, "privilege"), (_EVENTS, "events"))
    made += [_meta("thread_name", track, name) for track, name in tracks]
    made += list(_slices(profile, lambda at: _number(clock[at])))
    return json.dumps({"traceEvents": made, "displayTimeUnit": "ns"}, separators=(",", ":"))


def _slices(profile: Profile, at: Callable[[int], float]) -> Iterator[dict[str, Any]]:
    shown, frames, last = profile.shown, profile.frames, profile.instructions
    columns = (frames.begin.tolist(), frames.end.tolist(), frames.depth.tolist(), frames.kind.tolist())
    rows = sorted(zip(*columns, profile.names), key=lambda row: (row[0], row[2]))
    for begin, end, depth, kind, name in rows:
        args = {"instructions": end - begin, "depth": depth}
        yield _slice(_STACK, name, "trap" if kind == TRAP else "call", at(begin), at(end), args)
    privileges = [*shown.priv, (last, "")]
    for (begin, name), (end, _) in pairwise(privileges):
        if end > begin:
            yield _slice(_PRIVILEGE, name, "privilege", at(begin), at(end), {})
    for event in shown.events:
        yield _mark(event.kind, at(min(event.index, last)), {"text": event.text})
    for loss in shown.losses:
        yield _mark("loss", at(min(loss.index, last)), {"bytes": loss.end - loss.begin, "text": loss.text})
    messages = shown.messages
    for offset, length, first in zip(messages.offset.tolist(), messages.length.tolist(), messages.first.tolist()):
        yield {
            "ph": "C", "name": "trace", "pid": 1, "tid": 0, "ts": at(min(first, last)),
            "args": {"bytes": offset + length},
        }  # fmt: skip


def _slice(track: int, name: str, kind: str, begin: float, end: float, args: dict[str, Any]) -> dict[str, Any]:
    return {
        "ph": "X", "name": name, "cat": kind, "pid": 1, "tid": track, "ts": begin, "dur": round(end - begin, 3),
        "args": args,
    }  # fmt: skip


def _mark(name: str, at: float, args: dict[str, Any]) -> dict[str, Any]:
    return {"ph": "i", "name": name, "pid": 1, "tid": _EVENTS, "ts": at, "s": "t", "args": args}


def _meta(what: str, track: int, name: str) -> dict[str, Any]:
    return {"ph": "M", "name": what, "pid": 1, "tid": track, "args": {"name": name}}


def _events(profile: Profile) -> Iterator[tuple[str, int, int]]:
    """("O" or "C", frame, instruction) in an order in which they nest: at one place the deepest closes first, and all
    close before one opens.
    """
    frames = profile.frames
    many = len(frames.begin)
    number = np.tile(np.arange(many), 2)
    at = np.concatenate((frames.begin, frames.end))
    opens = np.repeat([True, False], many)
    depth = np.where(opens, frames.depth[number], -frames.depth[number]) if many else number
    for n in np.lexsort((depth, opens, at)).tolist():
        yield "O" if opens[n] else "C", int(number[n]), int(at[n])


def _number(value: Any) -> float:
    """As short as JSON can have it."""
    found = round(float(value), 3)
    return int(found) if found == int(found) else found
