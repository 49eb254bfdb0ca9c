# SPDX-License-Identifier: Apache-2.0
"""The check of the loop: event, overflow, LCOFI, freeze, scountovf, snapshot, bitmap, restart, each step against the
events on the ports.

    verdict = check(capture)

What a counter must hold follows from its start value and the events alone, without a model of the counter. That all
models agree at every step is checked in addition, under separate clauses.
"""

from __future__ import annotations

import numpy as np

from rvtrace.models.loop.sample import FROZEN, Sample, Sampled
from rvtrace.models.riscv.csr import HS, U
from rvtrace.models.sbi_pmu.client import LCOFIP
from rvtrace.scoreboards.common.clauses import ClauseBook, Failure, Plan, plan_of
from rvtrace.scoreboards.common.verdict import Verdict, timed
from rvtrace.scoreboards.ctr import check as ctr
from rvtrace.scoreboards.hpm import check as hpm
from rvtrace.scoreboards.loop.capture import LoopCapture
from rvtrace.scoreboards.sbi_pmu import check as sbi_pmu
from rvtrace.scoreboards.sbi_pmu.check import differs

FIRST_EVENT = 3  # selector of events_i[0]
COUNTED_IN = {"all": (HS, U), "user": (U,), "kernel": (HS,)}


def plan() -> Plan:
    """The clauses of the loop, from the plan.toml beside this file."""
    return plan_of(__file__)


def check(capture: LoopCapture, tolerances: None = None) -> Verdict:
    """Check one run against every clause; this system has no tolerances."""
    verdict = Verdict(ClauseBook(plan(), capture.rerun))
    with timed(verdict, "scoreboard"):
        run = _Check(capture, verdict.book)
        for number, sample in enumerate(capture.samples):
            run.sample(number, sample)
        run.models()
    verdict.stats |= {
        "overflows": len(capture.samples),
        "cycles": int(capture.rows.cycle[-1]) + 1 if len(capture.rows) else 0,
        "transfers": sum(len(sample.history) for sample in capture.samples),
    }
    return verdict


class _Check:
    """One run. `_first` is the cycle on the ports in which the hart began: its first access."""

    def __init__(self, capture: LoopCapture, book: ClauseBook) -> None:
        self.capture, self.book, self.rows = capture, book, capture.rows
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
            "LOOP.lcofi",
            sample.seen >= 0 and due is not None and seen == due + 1,
            f"{where}: LCOFI is pending in the cycle after the event that overflows a counter, and not before",
            due if due is None else due + 1,
            seen,
            seen,
        )
        stop = seen + 1  # the cycle of the trap; after it the hart is in its handler, where nothing is counted
        over = [c for c in sample.counters if (at := wrapped[c.index]) is not None and at <= stop]
        self._hold(
            "LOOP.freeze",
            bool(sample.status & FROZEN),
            f"{where}: the records are frozen in the handler",
            "FROZEN",
            hex(sample.status),
            stop,
        )
        self._path(where, sample, stop)
        bits = sum(1 << counter.number for counter in over)
        self._hold(
            "LOOP.scountovf",
            sample.scountovf == bits,
            f"{where}: scountovf has the counters that overflowed",
            hex(bits),
            hex(sample.scountovf),
            stop,
        )
        logical = sum(1 << counter.index for counter in over)
        self._hold(
            "LOOP.bitmap",
            sample.bitmap == logical,
            f"{where}: the bitmap has the same counters by logical index",
            hex(logical),
            hex(sample.bitmap),
            stop,
        )
        self._hold(
            "LOOP.overflown",
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
                "LOOP.snapshot",
                got == value,
                f"{where}: the snapshot has the value of counter {counter.index}",
                hex(value),
                "none" if got is None else hex(got),
                stop,
            )
        self._hold(
            "LOOP.clear",
            not sample.pending & LCOFIP,
            f"{where}: LCOFIP is clear after the handler",
            0,
            hex(sample.pending),
            stop,
        )
        self._hold(
            "LOOP.thaw", not sample.thawed & FROZEN, f"{where}: the records are thawed", 0, hex(sample.thawed), stop
        )
        if number:
            self._hold(
                "LOOP.again",
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
        depth = self.capture.config.depth
        expected = [(t.source, t.target, t.type) for t in reversed(sample.history)][:depth]
        actual = [(e.source, e.target, e.type) if e.valid else None for e in sample.entries][: len(expected)]
        wrong = next((k for k, (one, two) in enumerate(zip(expected, actual)) if one != two), None)
        shown = (
            (_entry(expected[wrong]), _entry(actual[wrong]))
            if wrong is not None
            else (f"{len(expected)} entries", f"{len(actual)}")
        )
        self._hold("LOOP.path", len(actual) == len(expected) and wrong is None,
                   f"{where}: entry {wrong} is the transfer that retired then", *shown, cycle)  # fmt: skip

    # All models

    def models(self) -> None:
        """Each block against its own model, the SBI implementation against the chapter, and the whole against all
        models together.
        """
        book, capture = self.book, self.capture
        for clause, verdict in (
            ("LOOP.counters", hpm.check(capture.hpm)),
            ("LOOP.records", ctr.check(capture.ctr)),
            ("LOOP.sbi", sbi_pmu.check_record(capture.record)),
        ):
            book.count(clause, sum(checked for checked, _ in verdict.book.results().values()))
            for failure in verdict.failures:
                book.fail(
                    Failure(
                        clause,
                        f"{failure.clause}: {failure.headline}",
                        failure.cycle,
                        table=failure.table,
                        before=failure.before,
                    ),
                    counted=True,
                )
        book.count("LOOP.same", len(capture.model_record.steps) + len(capture.model_samples))
        if found := differs(capture.record, capture.model_record):
            book.fail(Failure("LOOP.same", f"step {found[0]}: {found[1]}"), counted=True)
        for number, (sample, other) in enumerate(zip(capture.samples, capture.model_samples)):
            if sample != other:
                book.fail(Failure("LOOP.same", f"overflow {number} differs on the models"), counted=True)
                break
        book.count("LOOP.memory")
        for clause, texts in (("LOOP.same", capture.problems), ("LOOP.memory", capture.touched)):
            for text in texts:
                book.fail(Failure(clause, text), counted=True)


def _entry(entry: tuple[int, int, int] | None) -> str:
    return "not valid" if entry is None else f"type {entry[2]} {entry[0]:#x} to {entry[1]:#x}"
