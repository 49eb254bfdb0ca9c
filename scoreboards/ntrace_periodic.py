"""NT-20, periodic synchronization in clock cycles and half-words: judged where each sync stands in the retire stream.

The sync can only come with a block, so a block that arrives when the interval has passed must have one before it.
"""

from __future__ import annotations

import numpy as np

from models.ntrace.decoder import DecodedTrace
from scoreboards.capture import Capture
from scoreboards.clauses import ClauseBook, Failure
from scoreboards.ntrace_expected import Expected
from scoreboards.ntrace_legal import Knobs

CLAUSE = "NT-20"
MESSAGES, CYCLES, HALFWORDS = 1, 2, 3  # trTeInstSyncMode


def check_periodic(
    capture: Capture, book: ClauseBook, expected: Expected, decoded: DecodedTrace, knobs: Knobs
) -> None:
    """Age of every block since the last sync; runs only on traces without loss, where PCs count instructions."""
    mode = capture.config.inst_sync_mode
    lossy = any(event.kind in ("error", "gap") for event in decoded.events)
    if mode not in (CYCLES, HALFWORDS) or expected.block_start is None or lossy or not len(expected):
        return
    starts = expected.block_start
    clock = expected.block_cycle.astype(np.int64) if mode == CYCLES else expected.halfwords[starts]
    syncs = [(e.index, e.message.get("sync")) for e in decoded.events if e.message.get("sync") is not None]
    if not syncs:
        return
    # the block each sync stands before; a trap block without instructions shares its index with the next block
    at = np.searchsorted(starts, np.array([index for index, _ in syncs]), side="left")
    at = np.minimum(at, len(starts) - 1)
    interval = capture.config.sync_interval
    for number, (index, code) in enumerate(syncs):
        block = int(at[number])
        end = int(at[number + 1]) if number + 1 < len(syncs) else _stop(expected, starts, index)
        last = max(end - 1, block)
        age = int(clock[last] - clock[block])
        late = knobs.sync_late
        book.check(CLAUSE, age < interval + late, lambda: _failure(capture, expected, last, age, interval, "no sync came"))
        if code == 2 and number:
            since = int(clock[block] - clock[int(at[number - 1])])
            early = _slack(expected, starts, int(at[number - 1]), clock) + knobs.sync_early
            book.check(CLAUSE, since + early >= interval,
                       lambda: _failure(capture, expected, block, since, interval, "a sync came early"))  # fmt: skip


def _stop(expected: Expected, starts: np.ndarray, index: int) -> int:
    """The block before which tracing stops after instruction `index`."""
    stops = [e.index for e in expected.edges if e.kind in ("trace_off", "debug_entry") and e.index >= index]
    return int(np.searchsorted(starts, stops[0])) if stops else len(starts)


def _slack(expected: Expected, starts: np.ndarray, block: int, clock: np.ndarray) -> int:
    """How far the clock may have gone on among blocks that share the first one's index."""
    same = np.flatnonzero(starts == starts[block])
    return int(clock[same[-1]] - clock[same[0]])


def _failure(capture: Capture, expected: Expected, block: int, age: int, interval: int, text: str) -> Failure:
    index = min(int(expected.block_start[block]), len(expected) - 1)
    pc = int(expected.pc[index])
    unit = "cycles" if capture.config.inst_sync_mode == CYCLES else "half-words"
    cycle = int(expected.block_cycle[block])
    return Failure(CLAUSE, f"{text}: {age} {unit} after the last, the interval is {interval}", cycle, pc,
                   capture.program.where(pc))  # fmt: skip
