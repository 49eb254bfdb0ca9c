# SPDX-License-Identifier: Apache-2.0
"""The check of performance counters: one capture in, a verdict clause by clause out; needs no simulator.

    verdict = check(capture)
    verdict.passed, verdict.book.results(), [f.text() for f in verdict.failures]

Every counter, OF, LCOFIP and LCOFIE is compared in every cycle, starting from what the device showed in the cycle
before: one wrong cycle is one failure, and what follows is judged separately. Accesses are compared one by one
(`rvtrace.scoreboards.hpm.software`), cycles many at once (`rvtrace.scoreboards.hpm.cells`); the rules
(`rvtrace.scoreboards.hpm.rules`) decide what a cycle tests and which clause a wrong one violates. A device that
does not declare the profile is compared with what the specification decides (`rvtrace.scoreboards.hpm.free`): at each
read, and in each row if it shows its counters.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from rvtrace.models.hpm.events import selector_name
from rvtrace.models.hpm.rows import NO_ACCESS
from rvtrace.models.riscv.csr import OPS, PRIVILEGES
from rvtrace.scoreboards.common.blame import Blame
from rvtrace.scoreboards.common.clauses import ClauseBook, Failure, Plan, plan_of
from rvtrace.scoreboards.common.verdict import Verdict, chosen, timed
from rvtrace.scoreboards.diagnosis.budget import Budget
from rvtrace.scoreboards.diagnosis.explain import add_note
from rvtrace.scoreboards.diagnosis.search import put_first
from rvtrace.scoreboards.hpm.capture import HpmCapture
from rvtrace.scoreboards.hpm.cells import Cells, Epochs, broken, steps
from rvtrace.scoreboards.hpm.free import FreeSoftware
from rvtrace.scoreboards.hpm.hypotheses import Assumed, Hypothesis, TooMany, Tried, assumed, explain, failures, until
from rvtrace.scoreboards.hpm.rules import Overflow, Rule, enable_rules, of_rules, request_rules, rules, unexplained
from rvtrace.scoreboards.hpm.software import Software
from rvtrace.scoreboards.hpm.tolerances import Tolerances

__all__ = ["Verdict", "check", "plan"]

CHUNK = 4096  # rows: what is computed at once fits in a cache
KEPT = 1 << 15  # rows: of a longer run the cells are worked out again for coverage
FEWER = 0.75  # share of the failed checks below which another reading is considered
STRAY = "a counter that is not there"  # what monitors that record the others only say of it
MOST_TOLD = 64  # wrong cells of a stretch that are reported
Told = tuple[str, str, list[tuple[str, str, str]]]  # of a wrong cell: headline, clause if no rule explains it, table
Tell = Callable[[Cells, Overflow, int, int], Told]


def plan() -> Plan:
    """The clauses of the performance counters, from the plan.toml beside this file."""
    return plan_of(__file__)


def check(capture: HpmCapture, tolerances: Tolerances | None = None) -> Verdict:
    """Check one capture against every clause that applies to it. The check stays in verdict.encoded, for coverage.

    Without the profile the run is read as one of a device with little latency and the choices of the reference first;
    with more of what is left open if that fails. The verdict is that of the reading with the fewest causes.
    """
    given = chosen(tolerances, capture, Tolerances)
    found: list[tuple[Tolerances, Verdict]] = []
    for one in [given] if capture.exact else given.readings():
        found.append((one, _judged(capture, one)))
        if found[-1][1].passed:
            break
    if capture.exact or found[-1][1].passed:
        verdict = found[-1][1]
    else:
        verdict, claimed, causes = min((_explained(capture, *one) for one in _fewest(found)), key=_own)
        if causes:
            one = claimed.encoded.software
            doubted = one.doubted if isinstance(one, FreeSoftware) else set()
            verdict.book.withdraw(sorted({*claimed.book.failed, *doubted}))
            put_first(verdict.book, causes, claimed.book.failures)
    rows = capture.rows
    cycles = int(rows.cycle[-1] - rows.cycle[0]) + 1 if len(rows) else 0
    verdict.stats |= {"cycles": cycles, "accesses": rows.accesses, "overflows": verdict.encoded.overflows}
    verdict.stats |= {"instructions": cycles, "judged": max(min(cycles, 1), int(cycles * verdict.encoded.judged))}
    return verdict


class Explained(NamedTuple):
    """A verdict with the deviations taken back that explain it, that of the run as claimed, and the deviations as
    failures; none if nothing explains it, then both are the same.
    """

    verdict: Verdict
    claimed: Verdict
    causes: tuple[Failure, ...] = ()


def _fewest(found: list[tuple[Tolerances, Verdict]]) -> list[tuple[Tolerances, Verdict]]:
    """Of the readings with the fewest clauses that fail the strictest; and that with the fewest failed checks, if these
    are clearly fewer: then some of what fails may be the device's latency, and not what is wrong with it.
    """
    strict = min(found, key=lambda one: len(one[1].book.failed))
    least = min(found, key=lambda one: _failed(one[1]))
    return [strict] if _failed(strict[1]) * FEWER <= _failed(least[1]) else [strict, least]


def _own(explained: Explained) -> tuple[int, int]:
    """Clauses that fail by themselves, and failed checks; an explanation that says little counts as several."""
    verdict, one = explained.verdict, explained.verdict.encoded.software
    vague = sum(found.vague for found in one.hypotheses) if isinstance(one, Assumed) else 0
    clauses = {*verdict.book.causes, *(failure.clause for failure in explained.causes)}
    return len(clauses) + 2 * vague, _failed(verdict) + len(explained.causes)


def _judged(
    capture: HpmCapture,
    tolerances: Tolerances,
    hypotheses: tuple[Hypothesis, ...] = (),
    only: frozenset[int] = frozenset(),
    limit: int = sys.maxsize,
) -> Verdict:
    found = Verdict(ClauseBook(plan(), capture.rerun, f"RV{capture.config.xlen}"))
    with timed(found, "scoreboard"):
        found.encoded = Check(assumed(capture, hypotheses), found.book, tolerances, hypotheses, only, limit)
        found.encoded.run()
    return found


def _explained(capture: HpmCapture, tolerances: Tolerances, verdict: Verdict) -> Explained:
    """The verdict with the deviations that explain most of what fails as findings, and the rest judged with them; as it
    is if none does.
    """
    rows = capture.rows.cycle
    first = int(np.searchsorted(rows, min((f.cycle for f in verdict.book.failures if f.cycle is not None), default=0)))

    def judge(hypotheses: tuple[Hypothesis, ...], more: int, only: frozenset[int], limit: int) -> Tried | None:
        try:
            one = _judged(until(capture, first + more), tolerances, hypotheses, only, limit)
        except TooMany:
            return None
        seen = one.encoded.software
        return Tried(hypotheses, _failed(one), seen.looks, tuple(n for n, _ in seen.numbers.most_common()), seen)

    budget = Budget.of(len(capture.rows), watched=True)
    explanation = explain(capture, judge, budget)
    if not explanation.hypotheses:
        add_note(verdict.book, budget.sentence())
        return Explained(verdict, verdict)
    found = _judged(capture, tolerances, explanation.hypotheses)
    if _failed(found) >= _failed(verdict):
        return Explained(verdict, verdict)
    causes = failures(
        explanation.hypotheses, _failed(verdict), _failed(found), budget.sentence(), verdict.book.failures
    )
    return Explained(found, verdict, tuple(causes))


def _failed(verdict: Verdict) -> int:
    return sum(failed for _, failed in verdict.book.results().values())


class Check:
    """One run. software: its accesses. epochs: the settings of each row. overflows: of counters with OF."""

    def __init__(
        self,
        capture: HpmCapture,
        book: ClauseBook,
        tolerances: Tolerances,
        hypotheses: tuple[Hypothesis, ...] = (),
        only: frozenset[int] = frozenset(),
        limit: int = sys.maxsize,
    ) -> None:
        self.capture, self.book, self.tolerances = capture, book, tolerances
        self.blame = Blame()
        self.software = (
            Software(capture, book, tolerances, self.blame)
            if capture.exact
            else Assumed(capture, book, tolerances, self.blame, hypotheses, only, limit)
        )
        self.epochs: Epochs | None = None
        self.overflows = 0
        self.cycles = self.wrong = 0  # of `cells`: all, and those in which a counter is wrong
        self._kept: dict[int, tuple[Cells, Overflow]] = {}  # by first row: of a short run, for coverage

    @property
    def judged(self) -> float:
        """The share of the cycles in which it is known what each counter had to count, and it did: of those between two
        looks at a counter, and of a device that declares the profile of all. Where no counter was looked at, the share
        of the accesses that ended as they had to.
        """
        one = self.software
        if isinstance(one, FreeSoftware):
            if one.between:
                return one.judged_between / one.between
            accesses = self.capture.rows.accesses
            return 1 - one.disagreed / accesses if accesses else 1.0
        return 1 - self.wrong / self.cycles if self.cycles else 1.0

    def run(self) -> None:
        """Compare everything."""
        capture = self.capture
        self.book.count("HPM.port.unknown", len(capture.rows))
        for text in capture.problems:
            self.book.fail(Failure("HPM.absent.counts" if STRAY in text else "HPM.port.unknown", text))
        if len(capture.rows):
            self.epochs = self.software.run()
            for cells, overflow in self.cells():
                self._count(cells, overflow)
        for failure in self.software.judged():
            self.book.fail(failure)

    def cells(self) -> Iterable[tuple[Cells, Overflow]]:
        """The cycles of the run, many at a time; none if the device does not declare the profile."""
        rows, state = self.capture.rows, self.capture.state
        if state is None or self.epochs is None or not self.capture.exact:
            return
        for row in broken(rows, state).tolist():
            self.book.fail(
                Failure(
                    "HPM.count.idle",
                    "the counters do not move by the same number in each cycle up to the next row",
                    int(rows.cycle[row]),
                )
            )
        for begin in range(0, len(rows) - 1, CHUNK):
            found = self._kept.get(begin)
            if found is None:
                part = steps(rows, state, self.epochs, begin, min(begin + CHUNK, len(rows) - 1))
                cells = Cells(self.capture.config, part, self.epochs, self.software.written)
                found = cells, Overflow(cells)
                if len(rows) <= KEPT:
                    self._kept[begin] = found
            yield found

    def _count(self, c: Cells, o: Overflow) -> None:
        self.overflows += int(o.over.sum())
        self.cycles += int(c.steps.weight.sum())
        self.wrong += int(c.steps.weight[(c.want != c.after).any(axis=1)].sum())
        self._judge(c, o, rules(c), c.want, c.after, self._counter)
        self._judge(c, o, of_rules(o), o.of, o.of_after, self._of)
        self._judge(c, o, request_rules(o), o.ip[:, None], o.ip_after[:, None], self._lcofip)
        self._judge(c, o, enable_rules(o), o.ie[:, None], o.ie_after[:, None], self._lcofie)
        self._fixed(c)

    def _judge(
        self, c: Cells, o: Overflow, found: Iterable[Rule], want: np.ndarray, got: np.ndarray, tell: Tell
    ) -> None:
        """Count what each rule tests; a wrong cell belongs to one of the rules that explain it."""
        wrong, weight = want != got, c.steps.weight
        failed = [(i, j) for i, j in np.argwhere(wrong).tolist()[:MOST_TOLD]]
        explained: dict[tuple[int, int], list[str]] = {cell: [] for cell in failed}
        heavy = np.flatnonzero(weight != 1)
        at, right = np.zeros(0, np.intp), want
        for clause, rows, values, where in found:
            if rows is not at:  # rules of the same cycles follow each other
                at, right = rows, want if len(rows) == len(want) else want[rows]
            tested = values != right
            if where is not None:
                tested &= where
            if failed:
                mine = tested & wrong[rows] & (values == got[rows])
                for k, j in np.argwhere(mine).tolist():
                    if (int(rows[k]), j) in explained:
                        explained[int(rows[k]), j].append(clause)
                tested &= ~wrong[rows]
            times = int(np.count_nonzero(tested))
            if len(heavy) and times:
                many = weight[rows] - 1
                some = np.flatnonzero(many)
                times += int((np.count_nonzero(tested[some], axis=1) * many[some]).sum())
            self.book.count(clause, times)
            self.blame.passed[clause, ""] += times
        for (i, j), clauses in explained.items():
            failure = self._failure(c, o, i, j, tell)
            self.blame.add(failure, tuple((clause, "") for clause in dict.fromkeys(clauses or [failure.clause])))

    def _failure(self, c: Cells, o: Overflow, i: int, j: int, tell: Tell) -> Failure:
        headline, clause, table = tell(c, o, i, j)
        rows, row = self.capture.rows, int(c.steps.row[i])
        cycle = int(rows.cycle[row]) if c.steps.first[i] else int(rows.cycle[row + 1]) - 1
        table.append(("in the cycle", "", self._happened(c, i)))
        return Failure(clause, headline, cycle, None, "", table, at=row)

    # --- What is said -------------------------------------------------------------------------------

    def _happened(self, c: Cells, i: int) -> str:
        """The inputs of a cycle in words."""
        s, rows = c.steps, self.capture.rows
        what = [PRIVILEGES.get(int(s.priv[i]), "?") + (" stopped" if s.stop[i] else "")]
        what += [f"{int(number)} x {selector_name(selector)}" for selector, number in enumerate(s.source[i]) if number]
        row = int(s.row[i])
        if s.first[i] and rows.op[row] != NO_ACCESS:
            csr = self.software.named(int(rows.addr[row]))
            value = f" {int(rows.wdata[row]):#x}" if rows.op[row] else ""
            what.append(
                f"{OPS.get(int(rows.op[row]), '?')} {csr}{value} from {PRIVILEGES.get(int(rows.mode[row]), '?')}"
            )
        return ", ".join(what)

    def _counter(self, c: Cells, o: Overflow, i: int, j: int) -> Told:
        number = int(c.numbers[j])
        name = {0: "mcycle", 2: "minstret"}.get(number, f"mhpmcounter{number}")
        table = [
            (name, f"{int(c.want[i, j]):#x}", f"{int(c.after[i, j]):#x}"),
            ("before", "", f"{int(c.before[i, j]):#x}"),
            ("counts", "", selector_name(int(c.selected[i, j]))),
            ("increment", str(int(c.counted[i, j])), ""),
        ]
        return f"{name} is wrong after the cycle", unexplained(c, i, j), table

    def _of(self, c: Cells, o: Overflow, i: int, j: int) -> Told:
        number = int(c.numbers[c.programmable[j]])
        table = [
            (f"OF{number}", str(int(o.of[i, j])), str(int(o.of_after[i, j]))),
            ("before", "", str(int(o.of_before[i, j]))),
        ]
        return (
            f"OF of mhpmevent{number} is wrong after the cycle",
            "HPM.of.only" if o.of_after[i, j] else "HPM.of.sticky",
            table,
        )

    def _lcofip(self, c: Cells, o: Overflow, i: int, j: int) -> Told:
        table = [("LCOFIP", str(int(o.ip[i])), str(int(o.ip_after[i]))), ("before", "", str(int(o.ip_before[i])))]
        return "LCOFIP is wrong after the cycle", "HPM.lcofi.only" if o.ip_after[i] else "HPM.lcofi.holds", table

    def _lcofie(self, c: Cells, o: Overflow, i: int, j: int) -> Told:
        table = [("LCOFIE", str(int(o.ie[i])), str(int(o.ie_after[i]))), ("before", "", str(int(o.ie_before[i])))]
        return "LCOFIE is wrong after the cycle", "HPM.lcofi.enable", table

    def _fixed(self, c: Cells) -> None:
        """Counters that are not there are 0, and so are their OF and those of mcycle and minstret."""
        s = c.steps
        absent = [n for n in range(32) if not self.capture.config.has(n)]
        bad = np.flatnonzero(s.after[:, absent].any(axis=1))
        self._bulk("HPM.absent.counts", c, bad, "a counter that is not implemented is not 0")
        mask = np.uint32(self.capture.config.counters)
        bad = np.flatnonzero(s.of[1] & ~mask)
        self._bulk("HPM.of.fixed", c, bad, "a counter without OF has one")

    def _bulk(self, clause: str, c: Cells, bad: np.ndarray, text: str) -> None:
        cycles = self.capture.rows.cycle
        self.book.bulk(clause, len(c.steps), bad, lambda i: Failure(clause, text, int(cycles[c.steps.row[i]])))
