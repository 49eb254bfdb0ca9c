# SPDX-License-Identifier: Apache-2.0
"""What trTsCounterLow and trTsCounterHigh read, against the time that is known from elsewhere: in mode 1 that of the
external source, in the other modes the time at the encoder's port in the rows around the read.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rvtrace.models.tci.register_model import MASK, RegisterModel
from rvtrace.scoreboards.common.clauses import ClauseBook, Failure
from rvtrace.scoreboards.tci.capture import HartRun, TciCapture
from rvtrace.scoreboards.tci.encoder import SETTLE, SYSTEM_PERIOD, external_time, time_settings
from rvtrace.scoreboards.tci.registers import Access

COUNTER = "TCI.ts.counter"
LATE = 16  # cycles that the value of a read may be old, in any legal device; that of the reference is of its cycle
EXTERNAL, SYSTEM, CORE, SHARED = 1, 2, 3, 4  # trTsMode
CONTROL, LOW, HIGH = 0x40, 0x48, 0x4C


class _Span(NamedTuple):
    """Time since trTsControl changed. since: that cycle. setting: as `time_settings` gives it."""

    since: int
    setting: tuple[int, ...]


def check_counters(capture: TciCapture, book: ClauseBook) -> None:
    """Every read of a timestamp counter of the encoders and, in mode 1, of the funnel."""
    runs = {f"encoder{hart}" if len(capture.harts) > 1 else "encoder": run for hart, run in enumerate(capture.harts)}
    for name, run in (*runs.items(), ("funnel", None)):
        _component(capture, book, name, run)


def _component(capture: TciCapture, book: ClauseBook, name: str, run: HartRun | None) -> None:
    model = RegisterModel(capture.params)
    place, funnel = model.place(name), model.place("funnel")
    span = _Span(-SETTLE, ())
    late = 0 if capture.exact else LATE
    for access in capture.accesses:
        if not access.write:
            if access.addr - place.base in (LOW, HIGH) and span.setting and span.setting[0]:
                bounds = _bounds(access.cycle, span, run, late)
                if bounds is not None:
                    _judge(book, name, access, access.addr - place.base, *bounds)
            continue
        model.write(access.addr, access.data)
        now = time_settings(place)
        reset = access.addr == place.base + CONTROL and access.data & 4
        shared = access.addr in (funnel.base, funnel.base + CONTROL)
        if now != span.setting or reset or shared:
            span = _Span(access.cycle, now)


def _bounds(cycle: int, span: _Span, run: HartRun | None, late: int) -> tuple[int, int] | None:
    """The least and the greatest time that a read in this cycle may give; None if neither is known."""
    _, mode, count, prescale, in_debug = span.setting
    if mode == EXTERNAL:
        return (external_time(cycle - late), external_time(cycle)) if cycle - late > span.since + SETTLE else None
    if run is None or mode not in (SYSTEM, CORE, SHARED):
        return None
    before, after = _rows_around(run, cycle, late)
    if before is None or int(run.beats.cycle[before]) <= span.since + SETTLE:
        return None
    first, least = int(run.beats.cycle[before]), int(run.beats.tstamp[before])
    if mode == SHARED:
        return None if after is None else (least, int(run.beats.tstamp[after]))
    step = 4**prescale * (SYSTEM_PERIOD if mode == SYSTEM else 1)
    passed = cycle - first
    most = least + (-(-passed // step) if count else 0)
    around = [before] if after is None else [before, after]
    if count and (mode == SYSTEM or in_debug or not run.beats.halted[around].any()):
        least += max(0, passed - late) // step
    return least, most


def _rows_around(run: HartRun, cycle: int, late: int) -> tuple[int | None, int | None]:
    """The last row before a value that is at most `late` cycles old, and the first one that is not before the read."""
    cycles = run.beats.cycle.astype(np.int64)
    before = int(np.searchsorted(cycles, cycle - late, "right")) - 1
    after = int(np.searchsorted(cycles, cycle, "left"))
    return before if before >= 0 else None, after if after < len(cycles) else None


def _judge(book: ClauseBook, name: str, access: Access, offset: int, least: int, most: int) -> None:
    half = "High" if offset == HIGH else "Low"
    if half == "High":
        good, wanted = least >> 32 <= access.data <= most >> 32, (least >> 32, most >> 32)
    else:  # the low half starts again at 0
        good, wanted = (access.data - least & MASK) <= most - least, (least & MASK, most & MASK)
    book.check(
        COUNTER,
        good,
        lambda: Failure(
            COUNTER,
            f"{name} trTsCounter{half} is not the time at that moment",
            cycle=access.cycle,
            table=[("time", " to ".join(f"{one:#x}" for one in dict.fromkeys(wanted)), f"{access.data:#x}")],
        ),
    )
