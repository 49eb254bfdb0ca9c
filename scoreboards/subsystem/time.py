# SPDX-License-Identifier: Apache-2.0
"""Timestamps against the clock: what a message reports happened between two instructions, and its time must lie between
their cycles.

The time of an encoder and the cycle of the clock differ by an unknown number, one for a whole run. Each
message bounds it from both sides; where the bounds leave no number, the time is wrong there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rvtrace.scoreboards.common.clauses import ClauseBook, Failure
from rvtrace.scoreboards.ntrace.table import ABSENT, TC_ERROR, MessageTable
from rvtrace.scoreboards.subsystem import accounts
from rvtrace.scoreboards.subsystem.accounts import ETRACE, NTRACE, Account, packets_of
from rvtrace.scoreboards.subsystem.capture import SubsystemCapture

CLAUSES = {NTRACE: "SUB.time.ntrace", ETRACE: "SUB.time.etrace"}
_FULL_TURN = 1 << 16  # of the time in the transport of E-Trace


class Times(NamedTuple):
    """Timed messages in order: time; instructions of the account known before and after each, the latter with those of
    the next message.
    """

    time: np.ndarray
    before: np.ndarray
    behind: np.ndarray


def check_times(capture: SubsystemCapture, book: ClauseBook, ntrace: Account | None, etrace: Account | None) -> None:
    """Both encoders' times; an account is None if it is not believed."""
    if not capture.config.timestamp:
        return
    cycle = capture.cycle[capture.retired.kind == 0].astype(np.int64)
    if ntrace is not None and len(cycle):
        _check(capture, book, ntrace, _ntrace(ntrace), cycle)
    if etrace is not None and len(cycle):
        _check(capture, book, etrace, _etrace(capture, etrace, cycle), cycle)


def _spans(first: np.ndarray, total: int, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Instructions known after each message, and after the next that counts (or the end)."""
    after = np.append(first[1:], total).astype(np.int64)
    following = np.append(np.flatnonzero(counts), len(first))[
        np.searchsorted(np.flatnonzero(counts), np.arange(len(first)), side="right")
    ]
    return after, np.append(after, total)[following]


def _ntrace(account: Account) -> Times:
    table = MessageTable(account.decoded.log)
    after, behind = _spans(np.asarray(account.decoded.first_pc), len(account), table["icnt"] != ABSENT)
    rows = np.flatnonzero(table.timed & ~table.is_a(TC_ERROR))
    return Times(table.time[rows].astype(np.int64), after[rows], behind[rows])


def _etrace(capture: SubsystemCapture, account: Account, cycle: np.ndarray) -> Times:
    """The whole time of each packet: that with its 16 bits which is nearest to the instructions it reports."""
    told = np.array(packets_of(capture)[1], np.int64)
    after, behind = _spans(np.asarray(account.decoded.first_pc), len(account), np.ones(len(told), bool))
    rows = np.flatnonzero(told != accounts.ABSENT)
    near = cycle[np.clip(after[rows] - 1, 0, len(cycle) - 1)]
    if not len(rows):
        return Times(near, after[rows], behind[rows])
    shift = told[rows[0]] - near[0]
    turned = (told[rows] - (near + shift) + _FULL_TURN // 2) % _FULL_TURN - _FULL_TURN // 2
    return Times(near + shift + turned, after[rows], behind[rows])


def _check(capture: SubsystemCapture, book: ClauseBook, account: Account, times: Times, cycle: np.ndarray) -> None:
    clause, n = CLAUSES[account.name], len(times.time)
    book.count(clause, n)
    back = np.flatnonzero(np.diff(times.time) < 0)
    if len(back):
        k = int(back[0]) + 1
        _fail(capture, book, clause, account, times, k, f"goes back to {times.time[k]} from {times.time[k - 1]}")
        return
    early = np.where(times.before > 0, cycle[np.clip(times.before - 1, 0, len(cycle) - 1)], 0)
    late = np.where(
        times.behind < len(cycle), cycle[np.clip(times.behind, 0, len(cycle) - 1)], np.iinfo(np.int64).max // 2
    )
    low, high = times.time - late, times.time - early  # bounds of the difference between time and cycle
    lowest, highest = np.maximum.accumulate(low), np.minimum.accumulate(high)
    bad = np.flatnonzero(lowest > highest)
    if len(bad):
        k = int(bad[0])
        base = int(highest[k - 1])
        _fail(
            capture,
            book,
            clause,
            account,
            times,
            k,
            f"is {times.time[k]}, and its instructions ran at times {early[k] + base} to {late[k] + base}",
        )


def _fail(
    capture: SubsystemCapture, book: ClauseBook, clause: str, account: Account, times: Times, k: int, text: str
) -> None:
    index = min(max(int(times.before[k]) - 1, 0), len(account) - 1)
    pc = int(account.pc[index])
    cycle = int(capture.cycle[capture.retired.kind == 0][index])
    book.fail(
        Failure(
            clause,
            f"{account.name} is the odd one out: the time of its message {k} {text}",
            cycle,
            pc,
            capture.program.where(pc),
        ),
        counted=True,
    )
