# SPDX-License-Identifier: Apache-2.0
"""Counters against the decoded trace: instructions, branches, jumps, calls, returns, traps, accesses, cycles; and what
the tandem trace reports counters.

Flow is counted in the account that the majority agrees on, accesses in the tandem trace, mispredictions and what comes
from outside at the hart port. Counters count from the snapshot before; before the first one from 0. A counter with
inhibit bits counts what happened in cycles of the other modes: the mode of a cycle is that of its oldest instruction or
trap, without one the mode after the youngest before it (docs/reference/rtl-subsystem.md).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rvtrace.models.hpm.events import CYCLES, FIRST_EVENT, RETIRED
from rvtrace.models.riscv.csr import DEBUG, HS, VS, VU, M, U
from rvtrace.models.riscv.retired import Kind
from rvtrace.models.subsystem.config import COUNTERS, INHIBITED
from rvtrace.models.subsystem.events import DERIVED, EVENTS, ITYPES
from rvtrace.scoreboards.common.clauses import ClauseBook, Failure
from rvtrace.scoreboards.subsystem.accounts import ABSENT, Effects
from rvtrace.scoreboards.subsystem.capture import Snapshot, SubsystemCapture
from rvtrace.scoreboards.subsystem.transfers import Flow

_WRAP = (1 << 64) - 1
_LOOK = 1000  # cycles that a look at all registers takes, at most
INHIBIT, INSTRET, CYCLE_COUNT, NOTHING, OUTSIDE = (
    "SUB.count.inhibit",
    "SUB.count.instret",
    "SUB.count.cycles",
    "SUB.count.nothing",
    "SUB.count.external",
)
CLAUSES = {
    "branch": "SUB.count.branch",
    "taken_branch": "SUB.count.taken_branch",
    "jump": "SUB.count.jump",
    "call": "SUB.count.call",
    "return": "SUB.count.return",
    "exception": "SUB.count.exception",
    "interrupt": "SUB.count.interrupt",
    "load": "SUB.count.load",
    "store": "SUB.count.store",
    "mispredict": "SUB.count.mispredict",
}
ITEMS = {"mcycle": "SUB.tandem.mcycle", "minstret": "SUB.tandem.minstret"}
_BIT_OF = {
    mode: INHIBITED[name] for mode, name in ((M, "M"), (DEBUG, "M"), (HS, "S"), (U, "U"), (VS, "VS"), (VU, "VU"))
}


class Counts:
    """The counters of every snapshot, and those that the tandem trace reports.

    name: the sources of the flow; effects: None if the tandem trace is the odd one out.
    """

    def __init__(
        self, capture: SubsystemCapture, book: ClauseBook, flow: Flow, effects: Effects | None, name: str
    ) -> None:
        self.capture, self.book, self.flow, self.effects, self._name = capture, book, flow, effects, name
        self._wrong: set[str] = set()  # counters that did not count right
        self._counted = dict(self._masks())
        self._sums = {event: np.concatenate([[0], np.cumsum(mask)]) for event, mask in self._counted.items()}
        self._retired = np.concatenate([[0], np.cumsum(flow.kind == Kind.INSN)])
        self._modes = self._mode_of_cycles() if any(capture.config.inhibit) else np.zeros(0, np.uint8)

    def _masks(self) -> Iterator[tuple[str, np.ndarray]]:
        """Which events of the flow count as what."""
        itype = np.where(self.flow.kind == Kind.INSN, self._itypes(), self.flow.kind)
        for event, itypes in ITYPES.items():
            yield event, np.isin(itype, itypes)
        yield "mispredict", self.capture.missed
        if self.effects is not None:
            yield "load", self.effects.load
            yield "store", self.effects.store

    def _itypes(self) -> np.ndarray:
        found = self.capture.program.columns(self.flow.pc).itype["v1_0"].astype(np.int64)
        found[found == 1] = 0  # an ecall does not retire
        return np.where((found == 4) & (self.flow.taken == 1), 5, found)

    def check(self) -> None:
        """Every snapshot against the one before, then the tandem trace's items."""
        before = Snapshot(0, self.capture.begin, {})
        for number, snapshot in enumerate(self.capture.snapshots):
            self._snapshot(number, before, snapshot)
            before = snapshot
        if self.effects is not None:
            self._items(self.effects)

    def _snapshot(self, number: int, before: Snapshot, snapshot: Snapshot) -> None:
        span = slice(before.at, snapshot.at)
        self._counter(
            number,
            "minstret",
            INSTRET,
            int(self._retired[snapshot.at] - self._retired[before.at]),
            before,
            snapshot,
            f"{self._name}: instructions",
            span,
        )
        if before.counters:
            self._cycles(number, before, snapshot, "mcycle")
        for counter, selector, inhibit in zip(COUNTERS, self.capture.config.events, self.capture.config.inhibit):
            name = f"mhpmcounter{counter}"
            if name not in snapshot.counters:
                continue
            if inhibit:
                self._inhibited(number, name, selector, inhibit, before, snapshot)
                continue
            if selector == CYCLES:
                if before.counters:
                    self._cycles(number, before, snapshot, name)
                continue
            if self.effects is None and selector >= FIRST_EVENT and EVENTS[selector - FIRST_EVENT] in ("load", "store"):
                continue
            self._counter(number, name, *self._expected(selector, before, snapshot), span=span)

    def _expected(
        self, selector: int, before: Snapshot, snapshot: Snapshot
    ) -> tuple[str, int, Snapshot, Snapshot, str]:
        """Clause, count between two snapshots, and what was counted where."""
        if selector == RETIRED:
            count, clause, what = (
                int(self._retired[snapshot.at] - self._retired[before.at]),
                INSTRET,
                f"{self._name}: instructions",
            )
        elif selector < FIRST_EVENT:
            count, clause, what = 0, NOTHING, "selector 0: nothing"
        else:
            event = EVENTS[selector - FIRST_EVENT]
            clause = CLAUSES.get(event, OUTSIDE)
            where = {"load": "tandem trace", "store": "tandem trace", "mispredict": "hart port"}.get(
                event, self._name if event in DERIVED else "hart port"
            )
            count, what = self._between(event, before, snapshot), f"{where}: {event.replace('_', ' ')}"
        return clause, count, before, snapshot, what

    def _between(self, event: str, before: Snapshot, snapshot: Snapshot) -> int:
        if event in self._sums:
            return int(self._sums[event][snapshot.at] - self._sums[event][before.at])
        at = np.searchsorted(self.capture.event_cycle, [before.cycle if before.counters else 0, snapshot.cycle])
        return int(self.capture.events[at[0] : at[1], EVENTS.index(event) - len(DERIVED)].sum(dtype=np.int64))

    def _mode_of_cycles(self) -> np.ndarray:
        """The bit of INHIBITED of the mode in each cycle, up to the last one in which software looked."""
        capture = self.capture
        total = max([snapshot.cycle for snapshot in capture.snapshots] + [0]) + _LOOK
        begins = capture.cycle.astype(np.int64)
        first = np.flatnonzero(np.diff(begins, prepend=-1))
        last = np.append(first[1:], len(begins))[: len(first)] - 1
        edges = np.stack([begins[first], begins[first] + 1], axis=1).ravel()
        modes = np.stack([capture.retired.priv[first], capture.mode_behind[last]], axis=1).ravel()
        lengths = np.diff(np.minimum(np.concatenate([[0], edges, [total]]), total))
        found = np.repeat(np.concatenate([[M], modes]).astype(np.uint8), np.maximum(lengths, 0))
        for begin, end in capture.halted:
            found[begin:end] = DEBUG
        bits = np.zeros(256, np.uint8)
        for mode, bit in _BIT_OF.items():
            bits[mode] = bit
        return bits[found]

    def _inhibited(
        self, number: int, name: str, selector: int, inhibit: int, before: Snapshot, snapshot: Snapshot
    ) -> None:
        """A counter that does not count in some modes."""
        cycles = before.when.get(name, before.cycle), snapshot.when.get(name, snapshot.cycle)
        counts = self._modes & np.uint8(inhibit) == 0
        span = slice(before.at, snapshot.at)
        event = EVENTS[selector - FIRST_EVENT] if selector >= FIRST_EVENT else ""
        what = event.replace("_", " ") or ("nothing", "cycles", "instructions")[selector]
        if selector == CYCLES:
            if not before.counters:
                return
            ran = counts[slice(*cycles)].copy()
            for begin, end in self.capture.stopped:
                ran[max(begin - cycles[0], 0) : max(end - cycles[0], 0)] = False
            count = int(ran.sum())
        elif selector == RETIRED or event in DERIVED:
            if event in ("load", "store") and self.effects is None:
                return
            mask = self._counted[event] if event else self.flow.kind == Kind.INSN
            at = self.capture.cycle[span].astype(np.int64)
            count = int(np.count_nonzero(mask[span] & counts[at]))
        elif event:
            at = slice(*np.searchsorted(self.capture.event_cycle, cycles if before.counters else (0, cycles[1])))
            here = counts[self.capture.event_cycle[at].astype(np.int64)]
            count = int(self.capture.events[at, EVENTS.index(event) - len(DERIVED)][here].sum(dtype=np.int64))
        else:
            count = 0
        modes = " and ".join(mode for mode, bit in INHIBITED.items() if inhibit & bit)
        self._counter(number, name, INHIBIT, count, before, snapshot, f"{what} not in {modes}:", span)

    def _counter(
        self,
        number: int,
        name: str,
        clause: str,
        count: int,
        before: Snapshot,
        snapshot: Snapshot,
        what: str,
        span: slice,
    ) -> None:
        got = (snapshot.counters[name] - before.counters.get(name, 0)) & _WRAP
        cycle = int(self.capture.cycle[span.stop - 1]) if span.stop else None
        self._wrong |= {name} if got != count else set()
        self.book.check(
            clause,
            got == count,
            lambda: Failure(
                clause,
                f"counters are the odd one out: {name} counted {got} up to snapshot {number}, and {what} {count}",
                cycle,
                table=[(name, str(count), str(got)), ("events of the hart", "", f"{span.start} to {span.stop}")],
            ),
        )

    def _cycles(self, number: int, before: Snapshot, snapshot: Snapshot, name: str) -> None:
        """mcycle against the cycles of the clock; another counter of cycles is read a little later than mcycle, and so
        the same later.
        """
        clause = CYCLE_COUNT
        passed = int(self._ran(before.cycle, np.array([snapshot.cycle]))[0])
        got = (snapshot.counters[name] - before.counters[name]) & _WRAP
        self._wrong |= {name} if got != passed else set()
        self.book.check(
            clause,
            got == passed,
            lambda: Failure(
                clause,
                f"counters are the odd one out: {name} went on by {got} up to snapshot {number}, and the hart ran"
                f" {passed} cycles",
                snapshot.cycle,
                table=[(name, str(passed), str(got))],
            ),
        )

    def _items(self, reported: Effects) -> None:
        """minstret and mcycle in the tandem trace are the counters, at the start of the cycle of their row."""
        capture = self.capture
        n = min(len(reported.minstret), len(capture.cycle), len(self.flow))
        first = np.searchsorted(capture.cycle, capture.cycle[:n], side="left")
        self._item("minstret", reported.minstret[:n], self._retired[first])
        if capture.snapshots:
            base = capture.snapshots[0]
            self._item(
                "mcycle",
                reported.mcycle[:n],
                base.counters["mcycle"] + self._ran(base.cycle, capture.cycle[:n].astype(np.int64)),
            )

    def _ran(self, first: int, cycle: np.ndarray) -> np.ndarray:
        """Cycles from `first` up to each cycle in which the hart did not wait."""
        return cycle - first - (self._waited(cycle) - self._waited(np.array([first])))

    def _waited(self, cycle: np.ndarray) -> np.ndarray:
        """Cycles before each cycle in which the hart waited."""
        begin, end = np.array(self.capture.stopped, np.int64).reshape(-1, 2).T
        lengths = np.concatenate([[0], np.cumsum(end - begin)])
        number = np.searchsorted(begin, cycle, side="left")  # waits that began before it, the last of which may go on
        return lengths[number] - np.where(number > 0, np.clip(np.append(end, 0)[number - 1] - cycle, 0, None), 0)

    def _item(self, name: str, reported: np.ndarray, wanted: np.ndarray) -> None:
        at = np.flatnonzero(reported != ABSENT)
        if name in self._wrong:
            return  # the counter is to blame, and tandem trace reported what it was
        clause = ITEMS[name]
        self.book.bulk(
            clause,
            len(at),
            at[reported[at] != wanted[at]],
            lambda k: Failure(
                clause,
                f"tandem trace is the odd one out: {name} is {reported[k]} at event {k}, and the counter was"
                f" {wanted[k]}",
                int(self.capture.cycle[k]),
                int(self.flow.pc[k]),
                self.capture.program.where(int(self.flow.pc[k])),
                [(name, str(wanted[k]), str(reported[k]))],
            ),
        )
