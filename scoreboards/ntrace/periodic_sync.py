# SPDX-License-Identifier: Apache-2.0
"""NT-20, periodic synchronization in clock cycles and half-words: judged where each sync appears in the retire stream.

The sync can only come with a block, so a block that arrives when the interval has passed must have one before it.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from rvtrace.models.ntrace.decoder.decode import DecodedTrace
from rvtrace.scoreboards.common.clauses import ClauseBook, Failure
from rvtrace.scoreboards.common.places import ends
from rvtrace.scoreboards.ntrace import table as t
from rvtrace.scoreboards.ntrace.capture import NtraceCapture
from rvtrace.scoreboards.ntrace.edges import STOP_CLAUSE
from rvtrace.scoreboards.ntrace.expected import Expected
from rvtrace.scoreboards.ntrace.tolerances import Tolerances

PERIODIC = "NT-20"
MESSAGES, CYCLES, HALFWORDS = 1, 2, 3  # trTeInstSyncMode


def check_periodic_sync(
    capture: NtraceCapture, book: ClauseBook, expected: Expected, decoded: DecodedTrace, tolerances: Tolerances
) -> None:
    """Age of every block since the last sync; runs only on traces without loss, where PCs count instructions."""
    mode = capture.config.inst_sync_mode
    lossy = any(event.kind in ("error", "gap") for event in decoded.events)
    starts, cycles = expected.block_start, expected.block_cycle
    if mode not in (CYCLES, HALFWORDS) or starts is None or cycles is None or lossy or not len(expected):
        return
    clock = cycles.astype(np.int64) if mode == CYCLES else expected.halfwords[starts]
    # one message can be several events (a trap and its sync): the last one appears where it leads
    events = {e.message.offset: e for e in decoded.events if e.message.get("sync") is not None}
    syncs = [(e.index, e.message.get("sync")) for e in events.values()]
    if not syncs:
        return
    # The block each sync appears before. Trap blocks without instructions share their index with the next block: the
    # sync came with one of blocks at..to, and each rule takes the one that lets it pass.
    places = np.array([index for index, _ in syncs])
    at = np.minimum(np.searchsorted(starts, places, side="left"), len(starts) - 1)
    to = np.maximum(np.searchsorted(starts, places, side="right") - 1, at)
    interval = capture.config.sync_interval
    table = t.MessageTable(decoded.log)
    carriers = np.flatnonzero(table.is_a(*t.BRANCHES))
    told = np.minimum(ends(decoded.first_pc, len(decoded))[carriers], len(expected))
    branches = np.maximum(np.searchsorted(starts, told, side="left") - 1, 0)  # the blocks that they end with
    for number, (index, code) in enumerate(syncs):
        block = int(to[number])
        end = int(at[number + 1]) if number + 1 < len(syncs) else _stop(expected, starts, index)
        last = max(end - 1, block)
        age = int(clock[last] - clock[block])
        most = interval + tolerances.sync_late
        waits = tolerances.sync_delayed and not np.any(
            (clock[branches] >= clock[block] + most) & (branches < end)
        )  # for a branch message that could have been its carrier
        book.check(
            PERIODIC,
            age < most or waits,
            partial(_failure, capture, expected, last, age, interval, "no synchronizing message was sent"),
        )
        if code == 2 and number:
            since = int(clock[block] - clock[int(at[number - 1])])
            book.check(
                PERIODIC,
                since + tolerances.sync_early >= interval,
                partial(_failure, capture, expected, block, since, interval, "a synchronizing message was sent early"),
            )


def _stop(expected: Expected, starts: np.ndarray, index: int) -> int:
    """The block before which tracing stops after instruction `index`."""
    stops = [e.index for e in expected.edges if e.kind in STOP_CLAUSE and e.index >= index]
    return int(np.searchsorted(starts, stops[0])) if stops else len(starts)


def _failure(capture: NtraceCapture, expected: Expected, block: int, age: int, interval: int, text: str) -> Failure:
    assert expected.block_start is not None and expected.block_cycle is not None  # there are blocks
    index = min(int(expected.block_start[block]), len(expected) - 1)
    pc = int(expected.pc[index])
    unit = "cycles" if capture.config.inst_sync_mode == CYCLES else "half-words"
    cycle = int(expected.block_cycle[block])
    return Failure(PERIODIC, f"{text}: {age} {unit} after the last, the interval is {interval}", cycle, pc,
                   capture.program.where(pc))  # fmt: skip
