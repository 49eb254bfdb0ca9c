# SPDX-License-Identifier: Apache-2.0
"""The check of a supervisor that samples: event, overflow, LCOFI, freeze, scountovf, snapshot, bitmap, restart, each
step against the events on the ports.

    check(book, config, rows, sampling)

What a counter must hold follows from its start value and the events alone, without a model of the counter. That the
device does what the models of both blocks do is checked in addition.
"""

from __future__ import annotations

import numpy as np

from rvtrace.models.hpm.rows import Rows
from rvtrace.models.riscv.csr import HS, U
from rvtrace.models.sbi_pmu.client import LCOFIP
from rvtrace.models.sbi_pmu.config import Config
from rvtrace.models.sbi_pmu.sample import FROZEN, Sample, Sampled
from rvtrace.scoreboards.common.clauses import ClauseBook, Failure
from rvtrace.scoreboards.ctr import check as ctr
from rvtrace.scoreboards.sbi_pmu.capture import Sampling
from rvtrace.scoreboards.sbi_pmu.causes import SAME, of_block

FIRST_EVENT = 3  # selector of events_i[0]
COUNTED_IN = {"all": (HS, U), "user": (U,), "kernel": (HS,)}


def check(book: ClauseBook, config: Config, rows: Rows, sampling: Sampling) -> None:
    """Check the samples of one run. rows: what was on the ports of the counters."""
    run = _Check(book, config, rows)
    for number, sample in enumerate(sampling.samples):
        run.sample(number, sample)
    of_block(book, "SBI.sample.records", ctr.check(sampling.ctr))
    book.count(SAME, len(sampling.model_samples))
    pairs = zip(sampling.samples, sampling.model_samples)
    if (wrong := next((number for number, (one, two) in enumerate(pairs) if one != two), None)) is not None:
        book.fail(Failure(SAME, f"overflow {wrong} differs on the models"), counted=True)


class _Check:
    """One run. `_first` is the cycle on the ports in which the hart began: its first access."""

    def __init__(self, book: ClauseBook, config: Config, rows: Rows) -> None:
        self.book, self.depth, self.rows = book, config.records, rows
        self._first = int(self.rows.cycle[self.rows.op != 7].min()) if self.rows.accesses else 0

    def _hold(self, clause: str, ok: bool, what: str, expected: object, actual: object, cycle: int) -> None:
        self.book.check(clause, ok, lambda: Failure(clause, what, cycle, table=[("value", str(expected), str(actual))]))

    # One overflow

    def sample(self, number: int, sample: Sample) -> None:
        """Every step from the events to the restart."""
        begin, seen = sample.begin + self._first, sample.seen + self._first
        where = f"overflow {number}"
        wrapped = {counter.index: self._wrapped(counter, begin) for counter in sample.counters}
        due = min((cycle for cycle in wrapped.values() if cycle is not None), default=None)
        self._hold(
            "SBI.sample.lcofi",
            sample.seen >= 0 and due is not None and seen == due + 1,
            f"{where}: LCOFI is pending in the cycle after the event that overflows a counter, and not before",
            due if due is None else due + 1,
            seen,
            seen,
        )
        stop = seen + 1  # the cycle of the trap; after it the hart is in its handler, where nothing is counted
        over = [c for c in sample.counters if (at := wrapped[c.index]) is not None and at <= stop]
        self._hold(
            "SBI.sample.freeze",
            bool(sample.status & FROZEN),
            f"{where}: the records are frozen in the handler",
            "FROZEN",
            hex(sample.status),
            stop,
        )
        self._path(where, sample, stop)
        bits = sum(1 << counter.number for counter in over)
        self._hold(
            "SBI.sample.scountovf",
            sample.scountovf == bits,
            f"{where}: scountovf has the counters that overflowed",
            hex(bits),
            hex(sample.scountovf),
            stop,
        )
        logical = sum(1 << counter.index for counter in over)
        self._hold(
            "SBI.sample.bitmap",
            sample.bitmap == logical,
            f"{where}: the bitmap has the same counters by logical index",
            hex(logical),
            hex(sample.bitmap),
            stop,
        )
        self._hold(
            "SBI.sample.overflown",
            sample.overflown == [c.index for c in over],
            f"{where}: the supervisor finds who overflowed",
            [c.index for c in over],
            sample.overflown,
            stop,
        )
        for counter in sample.counters:
            value = (counter.start + self._events(counter, begin, stop)) % (1 << counter.width)
            got = sample.values.get(counter.index)
            self._hold(
                "SBI.sample.snapshot",
                got == value,
                f"{where}: the snapshot has the value of counter {counter.index}",
                hex(value),
                "none" if got is None else hex(got),
                stop,
            )
        self._hold(
            "SBI.sample.clear",
            not sample.pending & LCOFIP,
            f"{where}: LCOFIP is clear after the handler",
            0,
            hex(sample.pending),
            stop,
        )
        self._hold(
            "SBI.sample.thaw",
            not sample.thawed & FROZEN,
            f"{where}: the records are thawed",
            0,
            hex(sample.thawed),
            stop,
        )
        if number:
            self._hold(
                "SBI.sample.again",
                sample.seen >= 0,
                f"{where}: a counter that was started again interrupts again",
                "LCOFI",
                "none",
                seen,
            )

    def _in(self, counter: Sampled, begin: int, end: int) -> np.ndarray:
        """Rows of cycles begin to end in which the counter counts."""
        cycle = self.rows.cycle.astype(np.int64)
        return (cycle >= begin) & (cycle <= end) & np.isin(self.rows.priv, COUNTED_IN[counter.filter])

    def _events(self, counter: Sampled, begin: int, end: int) -> int:
        return int(self.rows.events[self._in(counter, begin, end), counter.selector - FIRST_EVENT].sum(dtype=np.int64))

    def _wrapped(self, counter: Sampled, begin: int) -> int | None:
        """The cycle whose events bring the counter to 2^width; None if none does."""
        there = np.flatnonzero(self._in(counter, begin, int(self.rows.cycle[-1])))
        total = np.cumsum(self.rows.events[there, counter.selector - FIRST_EVENT].astype(np.int64))
        over = np.flatnonzero(total >= (1 << counter.width) - counter.start)
        return int(self.rows.cycle[there[over[0]]]) if len(over) else None

    def _path(self, where: str, sample: Sample, cycle: int) -> None:
        """The records: what the hart retired since they were thawed, newest first, and not the trap that froze them."""
        expected = [(t.source, t.target, t.type) for t in reversed(sample.history)][: self.depth]
        actual = [(e.source, e.target, e.type) if e.valid else None for e in sample.entries][: len(expected)]
        wrong = next((k for k, (one, two) in enumerate(zip(expected, actual)) if one != two), None)
        shown = (
            (_entry(expected[wrong]), _entry(actual[wrong]))
            if wrong is not None
            else (f"{len(expected)} entries", f"{len(actual)}")
        )
        self._hold("SBI.sample.path", len(actual) == len(expected) and wrong is None,
                   f"{where}: entry {wrong} is the transfer that retired then", *shown, cycle)  # fmt: skip


def _entry(entry: tuple[int, int, int] | None) -> str:
    return "not valid" if entry is None else f"type {entry[2]} {entry[0]:#x} to {entry[1]:#x}"
