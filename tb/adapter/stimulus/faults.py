# SPDX-License-Identifier: Apache-2.0
"""Rules of RVFI and of the trap port that a core breaks on purpose: one in a run, with the error that must be reported.

fault = FAULTS["order"](core, rng)     # changes what the core shows
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from rvtrace.models.adapter.config import EVENT_DEPTH
from rvtrace.models.adapter.rvfi import Core, Event
from rvtrace.scoreboards.adapter.capture import Fault

ORDER, PC, INSN, TRAP, EVENT, LEFT, OVERFLOW, EVENTS = range(1, 9)
Break = Callable[[Core, Random], Fault]


def _plain(core: Core) -> list[int]:
    """Rows of instructions that retired, with a plain one after them."""

    def plain(k: int) -> bool:
        row = core.rows[k]
        return not (row["trap"] or row["intr"] or row["debug"])

    return [k for k in range(len(core.rows) // 2, len(core.rows) - 1) if plain(k) and plain(k + 1)]


def order(core: Core, rng: Random) -> Fault:
    """A retirement is missing."""
    at = rng.choice(_plain(core))
    for row in core.rows[at:]:
        row["order"] += 1  # type: ignore[operator]
    return Fault(ORDER, core.rows[at]["pc_rdata"])  # type: ignore[arg-type]


def pc(core: Core, rng: Random) -> Fault:
    """An instruction leads elsewhere than it says."""
    at = rng.choice([k for k in _plain(core) if core.rows[k]["insn"] not in (0x30200073, 0x10200073)])
    core.rows[at]["pc_wdata"] ^= 8  # type: ignore[operator]
    return Fault(PC, core.rows[at + 1]["pc_rdata"])  # type: ignore[arg-type]


def insn(core: Core, rng: Random) -> Fault:
    """What retired is no instruction."""
    at = rng.choice(_plain(core))
    core.rows[at]["insn"] = rng.choice((0, 0xABCD_0000, 0xFFFF_FFFF, 0x0000_001F))
    return Fault(INSN, core.rows[at]["pc_rdata"])  # type: ignore[arg-type]


def trap(core: Core, rng: Random) -> Fault:
    """From a trap on the trap port is silent."""
    firsts = [e for e in range(len(core.events)) if not e or core.after[e] != core.after[e - 1]]
    at = rng.choice([e for e in firsts if core.events[e].own >= 0 or not _own_before(core, e)])
    row = core.events[at].own if core.events[at].own >= 0 else core.after[at]
    del core.events[at:], core.after[at:]
    return Fault(TRAP, core.rows[row]["pc_rdata"])  # type: ignore[arg-type]


def _own_before(core: Core, e: int) -> bool:
    """The gap of an event begins with the exception of a row."""
    return bool(core.rows[core.after[e] - 1]["trap"]) if core.after[e] else False


def event(core: Core, rng: Random) -> Fault:
    """The event of an exception is an interrupt, or of another pc."""
    at = rng.choice([e for e, event in enumerate(core.events) if event.own >= 0 and not core.rows[event.own]["intr"]])
    found = core.events[at]
    if rng.random() < 0.5:
        found.interrupt = 1
    else:
        found.epc ^= 4
    return Fault(EVENT, core.rows[found.own]["pc_rdata"])  # type: ignore[arg-type]


def _stray(core: Core, rng: Random, count: int) -> int:
    """Events for which there is no trap; the epc of the last."""
    epc = 0
    for _ in range(count):
        epc = rng.getrandbits(31)
        core.events.append(Event(1, 7, 0, epc, 0, 3, 3))
        core.after.append(len(core.rows))
    return epc


def left(core: Core, rng: Random) -> Fault:
    """At the end there is an event for which there was no trap."""
    return Fault(LEFT, _stray(core, rng, 1))


def events(core: Core, rng: Random) -> Fault:
    """More events than the queue holds."""
    return Fault(EVENTS, _stray(core, rng, EVENT_DEPTH + 1))


def overflow(core: Core, rng: Random) -> Fault:
    """The core goes on though stall_o is 1: the bench ignores it."""
    return Fault(OVERFLOW)


FAULTS: dict[str, Break] = {one.__name__: one for one in (order, pc, insn, trap, event, left, overflow, events)}
