# SPDX-License-Identifier: Apache-2.0
"""System scenarios about time: every mode of the timestamp units, their pace, stopping and clearing them."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np

from rvtrace.models.riscv.beats import Beats
from rvtrace.tb.tci.stimulus.scenarios.base import (
    ENCODERS,
    TciStimulus,
    finish,
    hart_stimulus,
    harts,
    reset_all,
    scenario,
    set_up_encoders,
    start,
)

if TYPE_CHECKING:
    from rvtrace.tb.tci.job import TciJob
    from rvtrace.tb.tci.stimulus.session import Session


def _timed(job: TciJob, rng: random.Random, mode: int) -> TciStimulus:
    prescale = rng.randrange(3) if mode in (2, 3) else 0
    debug = rng.randrange(2) if mode == 3 else 0
    source = rng.choice((1, 2)) if mode == 4 else 0  # the funnel's: external, or the system clock
    options = {
        "timestamp": 1,
        "ts_mode": mode if mode in (1, 2, 3) else 2,
        "ts_prescale": prescale,
        "ts_run_in_debug": debug,
    }
    made = harts(job, rng, 800, probabilities={"debug": 0.02}, **options)
    if mode == 3:  # the time of one hart goes on in Debug Mode, that of the other stops
        made[1] = hart_stimulus(
            job, rng, 1, 800, probabilities={"debug": 0.02}, **options | {"ts_run_in_debug": 1 - debug}
        )
    for one in made:
        _stay_halted(one.beats, rng)
    ts = {"trTsControl": {"trTsMode": mode}} if mode in (0, 4) else {}

    async def run(s: Session) -> None:
        await reset_all(s)
        await s.tool.set_up_ram()
        if mode == 4:
            await s.tool.set("funnel", "trTsControl", {"trTsActive": 1})
            await s.tool.set("funnel", "trTsControl", {"trTsActive": 1, "trTsCount": 1, "trTsMode": source})
        await set_up_encoders(s, ts)
        await start(s)
        running = s.playing()
        for _ in range(4):
            await s.cycles(s.rng.randrange(10, 80))
            await _read_time(s, ENCODERS[0])
        if mode == 4:
            await _read_time(s, "funnel")
        await running
        await finish(s)
        s.readback = await s.tool.read_back()
        if mode in (2, 3):
            await _stop_and_clear(s, prescale)

    return TciStimulus(made, run)


def _stay_halted(beats: Beats, rng: random.Random) -> None:
    """A debugger takes its time: after a row in Debug Mode the next one comes later, by more than the counter needs to
    move with any prescale.
    """
    later = [rng.randrange(80, 160) if halted else 0 for halted in beats.halted.tolist()]
    beats.cycle[1:] += np.cumsum(later[:-1]).astype(np.uint64)


async def _read_time(s: Session, name: str) -> None:
    """The timestamp counter, low word first; it only grows."""
    values = [
        await s.tool.read(name, "trTsCounterLow") | await s.tool.read(name, "trTsCounterHigh") << 32 for _ in range(2)
    ]
    s.tool.check(
        "TCI.ts.counter", values[0] <= values[1], f"{name}: trTsCounter reads {values[0]:#x}, then {values[1]:#x}"
    )


async def _stop_and_clear(s: Session, prescale: int) -> None:
    """trTsCount = 0 stops an internal counter, trTsReset sets it to 0, trTsActive = 0 resets the unit."""
    name, mode = ENCODERS[0], s.harts[0].config.ts_mode
    await s.tool.set(name, "trTsControl", {"trTsActive": 1, "trTsMode": mode, "trTsPrescale": prescale})
    await s.cycles(2)
    first, _ = [await s.tool.read(name, "trTsCounterLow") for _ in range(2)]
    await s.cycles(200)
    second = await s.tool.read(name, "trTsCounterLow")
    s.tool.check("TCI.ts.count", first == second, f"trTsCount=0, and the counter went from {first} to {second}")
    s.tool.check("TCI.ts.count", first > 0, "the counter never ran")
    await s.tool.set(name, "trTsControl", {"trTsActive": 1, "trTsMode": mode, "trTsReset": 1})
    value = await s.tool.read(name, "trTsCounterLow")
    s.tool.check("TCI.ts.reset", value == 0, f"after trTsReset the counter reads {value}")
    again = await s.tool.read(name, "trTsControl")
    s.tool.check("TCI.ts.reset", not again & 4, "trTsReset reads 1")


def _make_timed(mode: int, name: str, what: str) -> None:
    def build(job: TciJob, rng: random.Random) -> TciStimulus:
        return _timed(job, rng, mode)

    build.__name__, build.__doc__ = f"time_{name}", what
    scenario(f"TCI.ts.{name}", "TCI.ts.counter", *(("TCI.ts.count", "TCI.ts.reset") if mode in (2, 3) else ()))(build)


_make_timed(0, "none", "Without a timestamp mode all timestamps are 0.")
_make_timed(1, "external", "Timestamps from an external source.")
_make_timed(2, "system", "Timestamps of the system clock, with prescale; the counter stops and is cleared.")
_make_timed(3, "core", "Timestamps of the core clock, running in Debug Mode or not; the counter stops and is cleared.")
_make_timed(4, "shared", "Both encoders share the funnel's timestamp.")
