# SPDX-License-Identifier: Apache-2.0
"""What software did, access by access: each answer against the rules, and what the accesses leave for the counters.

`Software(capture, book, tolerances, blame).run()` compares every outcome and value, and returns the settings that rule
each row and what was written in it, from by which `rules` checks every cycle. Counters, OF and LCOFIP are
taken from what the device shows of them; settings cannot be seen but through reads, so the reference model keeps them;
what a read shows otherwise is reported and adopted.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from rvtrace.models.csr.file import LOW as _LOW
from rvtrace.models.csr.table import Csr
from rvtrace.models.hpm.bulk import Trace
from rvtrace.models.hpm.config import FIRST, LAST
from rvtrace.models.hpm.events import CYCLES, RETIRED, Counts
from rvtrace.models.hpm.model import Hpm
from rvtrace.models.hpm.registers import LCOFI_BIT, OF_BIT, SELECT_MASK, csr_file
from rvtrace.models.hpm.rows import NO_ACCESS
from rvtrace.models.riscv.csr import DONE, OUTCOMES, WRITE, Access, Answer, M
from rvtrace.scoreboards.common.blame import Blame
from rvtrace.scoreboards.common.clauses import ClauseBook, Failure
from rvtrace.scoreboards.csr.check import named, outcomes
from rvtrace.scoreboards.hpm.access import Last, Part, Shown, Suspects, fields, tested
from rvtrace.scoreboards.hpm.capture import HpmCapture
from rvtrace.scoreboards.hpm.cells import HIGH, LOW, WHOLE, Epochs, Written
from rvtrace.scoreboards.hpm.tolerances import Tolerances

VIEWS = ("sip", "sie", "vsip", "vsie")


class Software:
    """The accesses of a run. rules: the model that keeps the settings. disagreed: accesses that ended otherwise than
    they had to.

    For coverage, each to how often: notes: (CSR, mode, operation, xlen32, outcome, its bits of the enables);
    shown_bits: of scountovf, (mode, OF, mcounteren, hcounteren); deltas: of time, (mode, htimedelta is "0", "positive"
    or "negative"); missed: (address, mode) where nothing is.
    """

    def __init__(self, capture: HpmCapture, book: ClauseBook, tolerances: Tolerances, blame: Blame) -> None:
        self.capture, self.book, self.tolerances, self.blame, self.config = (
            capture,
            book,
            tolerances,
            blame,
            capture.config,
        )
        self.rules = Hpm(capture.config)
        self.written = Written.empty(len(capture.rows))
        self.notes: Counter[tuple[str, int, int, int, int, tuple[int, int, int]]] = Counter()
        self.missed: Counter[tuple[int, int]] = Counter()
        self.shown_bits: Counter[tuple[int, int, int, int]] = Counter()
        self.deltas: Counter[tuple[int, str]] = Counter()
        self.file = csr_file(self.config)
        self._csrs, self._named = self.file.at, self.file.named
        self._right: Counter[Suspects] = Counter()
        self._shown: Counter[tuple[Part, ...]] = Counter()
        self._suspects: dict[tuple, Suspects] = {}
        self._fields: dict[tuple, tuple[Part, ...]] = {}
        self._last: dict[str, Last] = {}
        self._adopted: set[tuple[str, bool]] = set()
        self._asked: dict[int, int] = {}
        self.disagreed = 0
        self.doubted: set[str] = set()  # clauses that would explain a failure: that they hold is not certain
        self.freed: set[str] = set()  # clauses of which the device made another choice, which a tolerance allows
        self._moved = 0  # reads of counters that moved in that cycle
        self._begins, self._settings = [0], [self._now()]

    # --- The rows -----------------------------------------------------------------------------------

    def run(self) -> Epochs:
        """Compare all accesses; the settings that rule each row."""
        if self.capture.state is None:
            self._follow()
        else:
            self._observe()
        for suspects, times in self._right.items():
            for clause, _ in suspects:
                self.book.count(clause, times)
                self.blame.passed[clause, ""] += times
        self.book.count("HPM.read.begin", self._moved)
        for parts, times in self._shown.items():
            for clause in dict.fromkeys(part.clause for part in parts):
                if clause not in self.freed:
                    self.book.count(clause, times)
        return self._epochs()

    def _observe(self) -> None:
        """A device that shows its counters: only the accesses are followed."""
        self._reset()
        rows = self.capture.rows
        where = np.flatnonzero(rows.op != NO_ACCESS)
        accesses = zip(*(c[where].tolist() for c in (rows.op, rows.addr, rows.wdata, rows.mode, rows.xlen32)))
        answers = zip(*(c[where].tolist() for c in (rows.time, rows.rdata, rows.outcome)))
        for row, access, (time, rdata, outcome) in zip(where.tolist(), accesses, answers):
            self._access(row, Access._make(access), M, Counts(0, 0, (), 1, time), rdata, outcome)

    def _reset(self) -> None:
        """What the ports show in the first row, before anything has happened: the accesses take it as it is."""
        state = self.capture.state
        if state is None or not self.tolerances.reset_zero:
            return
        shown = {f"counter {n}": int(value) for n, value in enumerate(state.counters[0].tolist())}
        shown |= {"OF": int(state.of[0]), "LCOFIP": int(state.lcofip[0]), "LCOFIE": int(state.lcofie[0])}
        wrong = [(name, "0", f"{value:#x}") for name, value in shown.items() if value]
        text = f"{wrong[0][0]} is not 0 after reset" if wrong else ""
        self.book.check("HPM.reset.zero", not wrong, lambda: self._failure("HPM.reset.zero", 0, text, wrong))

    def _follow(self) -> None:
        """A device that does not: the model counts as well, and what a read shows otherwise is adopted."""
        rows = self.capture.rows
        for row, ((_, priv, counts, access, rdata, outcome), length) in enumerate(
            zip(rows.cycles(), rows.clocks.tolist())
        ):
            if access is None:
                self.rules.cycle(priv, counts)
            else:
                self._access(row, access, priv, counts, rdata, outcome)
            self.rules.idle(priv, length - 1, counts.cycle, counts.stopcount)

    def _access(self, row: int, access: Access, priv: int, counts: Counts, rdata: int, outcome: int) -> None:
        """One access; of the rest of its cycle only `time_i` is in counts, unless the model counts as well."""
        csr = self._csrs.get(access.addr)
        if csr is not None and self.capture.state is not None:
            self._take(csr, row, self.capture.state)
        enables, old = self._enables(csr), self._held(csr)
        self.written.access[row] = 1
        answer = self.rules.cycle(priv, counts, access)
        assert answer is not None
        if csr is None:
            self.missed[access.addr, access.priv] += 1
        self.notes[csr.name if csr else "", access.priv, access.op, access.xlen32, answer.outcome, enables] += 1
        key = (access.addr, self.file.writes(access), access.priv, access.xlen32, enables)
        suspects = self._suspects.get(key)
        if suspects is None:
            suspects = self._suspects[key] = tested(self.config, csr, access, enables)
        if outcome == answer.outcome:
            self._right[suspects] += 1
        else:
            self.disagreed += 1
            clauses = [clause for clause, others in suspects if outcome in others] or ["HPM.csr.done"]
            self.doubted.update(clauses)
            self.blame.add(
                self._failure(
                    clauses[0],
                    row,
                    f"{self._in_words(access)} ended as {OUTCOMES.get(outcome, outcome)}",
                    outcomes(answer.outcome, outcome),
                ),
                tuple((clause, "") for clause in clauses),
            )
        if answer.outcome != DONE:
            self._refused(row, csr, access, rdata, outcome, old)
        elif csr is not None:
            if outcome == DONE:
                self._value(row, csr, access, rdata, answer)
                self._note(row, csr, access.priv)
            if self.file.writes(access):
                self._wrote(row, csr, access, old)

    def _note(self, row: int, csr: Csr, priv: int) -> None:
        c, state = self.rules.controls, self.capture.state
        if csr.state == "scountovf":
            of, m, h = self.rules.of, c["mcounteren"], c["hcounteren"]
            for n in range(FIRST, LAST + 1):
                if self.config.has(n):
                    self.shown_bits[priv, of >> n & 1, m >> n & 1, h >> n & 1] += 1
        elif csr.state == "time":
            delta = c["htimedelta"]
            self.deltas[priv, "0" if not delta else "negative" if delta >> 63 else "positive"] += 1
        elif csr.address >> 8 in (0xB, 0xC) and state is not None and row + 1 < len(state.counters):
            self._moved += state.counters[row, csr.number] != state.counters[row + 1, csr.number]

    # --- What is kept -------------------------------------------------------------------------------

    def _take(self, csr: Csr, row: int, state: Trace) -> None:
        """Counters, OF and LCOFIP that this access can see or change, as the device shows them."""
        rules, name = self.rules, csr.state
        if name == "mip":
            rules.controls["mip"] = int(state.lcofip[row]) << LCOFI_BIT
        elif name == "mie":
            rules.controls["mie"] = int(state.lcofie[row]) << LCOFI_BIT
        elif name == "scountovf" or name.startswith("mhpmevent"):
            of = int(state.of[row])
            for n in range(3, 32) if name == "scountovf" else (csr.number,):
                rules.events[n] = rules.events[n] & ~(1 << OF_BIT) | (of >> n & 1) << OF_BIT
        elif csr.number >= 0 and self.config.has(csr.number) and name != "time":
            rules.counters[csr.number] = int(state.counters[row, csr.number])

    def _enables(self, csr: Csr | None) -> tuple[int, int, int]:
        """The bits of mcounteren, scounteren, hcounteren for a counter."""
        if csr is None or csr.level != "U":
            return 0, 0, 0
        c, bit = self.rules.controls, 1 << csr.number
        return c["mcounteren"] & bit, c["scounteren"] & bit, c["hcounteren"] & bit

    def _held(self, csr: Csr | None) -> int:
        """All 64 bits of the register after a CSR."""
        if csr is None or csr.state in ("time", "scountovf"):
            return 0
        if csr.number >= 0:
            return (
                self.rules.events[csr.number] if csr.state.startswith("mhpmevent") else self.rules.counters[csr.number]
            )
        return self.rules.controls[csr.state]

    def _would(self, csr: Csr, access: Access, old: int) -> int:
        """What a write leaves, before the register drops what it does not have."""
        seen = self.file.seen(csr, access, old)
        return self.file.merged(csr, access, old, self.file.after(access, seen))

    def _delegated(self, csr: Csr) -> bool:
        """Whether sip, sie, vsip or vsie shows bit 13."""
        c = self.rules.controls
        return bool(c["mideleg"] and (c["hideleg"] or csr.name[0] != "v"))

    def _wrote(self, row: int, csr: Csr, access: Access, old: int) -> None:
        """An access that was done writes."""
        rules, written, n, name = self.rules, self.written, csr.number, csr.state
        now = self._held(csr)
        self._last[name] = Last(access, csr, old, now)
        written.op[row], written.operand[row] = access.op, self.file.operand(access) << 32 * csr.high
        written.half[row] = half = HIGH if csr.high else LOW if self.file.narrow(access) else WHOLE
        if name in ("mip", "mie"):
            one = self.file.acting(csr, access.priv)
            if one.name not in VIEWS or self._delegated(one):
                (written.mip if name == "mip" else written.mie)[row] = rules.controls[name] >> LCOFI_BIT
        elif csr.address >> 8 == 0xB:
            written.counter[row], written.value[row], written.raw[row] = n, now, self._would(csr, access, old)
        else:
            if name.startswith("mhpmevent"):
                written.event[row] = n
                self._asked[n] = self.config.selector(self._would(csr, access, old) & SELECT_MASK) or 0
                if half != LOW:
                    written.of[row] = now >> OF_BIT
            self._new(row)

    # --- Settings -----------------------------------------------------------------------------------

    def _now(self) -> tuple[list[int], list[int], list[int], int]:
        """Settings of all counters now."""
        rules = self.rules
        words = list(rules.events)
        words[0], words[2] = rules.controls["mcyclecfg"], rules.controls["minstretcfg"]
        fixed = {0: CYCLES, 2: RETIRED}
        selectors = [fixed.get(n, self.config.selector(word & SELECT_MASK) or 0) for n, word in enumerate(words)]
        asked = [self._asked.get(n, selector) for n, selector in enumerate(selectors)]
        return selectors, asked, [word >> 58 & 31 for word in words], rules.controls["mcountinhibit"]

    def _new(self, row: int) -> None:
        """Other settings rule from the row after this one on."""
        self._begins.append(row + 1)
        self._settings.append(self._now())

    def _epochs(self) -> Epochs:
        rows = self.capture.rows
        of_row = np.searchsorted(np.array(self._begins), np.arange(len(rows)), side="right") - 1
        selectors, asked, filters, inhibit = zip(*self._settings)
        most = rows.width + 3
        known = np.array([[selector if selector < most else 0 for selector in one] for one in asked], np.intp)
        return Epochs(
            of_row, np.array(selectors, np.intp), known, np.array(filters, np.uint8), np.array(inhibit, np.uint32)
        )

    # --- Values -------------------------------------------------------------------------------------

    def _value(self, row: int, csr: Csr, access: Access, rdata: int, answer: Answer) -> None:
        one, last, thin = (
            self.file.acting(csr, access.priv) if not csr.high else csr,
            self._last.get(csr.state),
            self.file.narrow(access),
        )
        delegated = one.name in VIEWS and self._delegated(one)
        key = (access.addr, access.priv, access.xlen32, delegated, last and last.kind)
        parts = self._fields.get(key)
        if parts is None:
            parts = self._fields[key] = fields(self.config, Shown(csr, one, access, thin, delegated, last))
        if rdata == answer.rdata:
            self._shown[parts] += 1
            return
        if not self._may(csr, rdata, answer):
            wrong = [part for part in parts if (rdata ^ answer.rdata) & part.mask]
            clause = self._why(row, csr, access, last, rdata, answer) or (
                wrong[0].clause if wrong else "HPM.csr.xlen32"
            )
            table = [(part.name, f"{answer.rdata & part.mask:#x}", f"{rdata & part.mask:#x}") for part in wrong]
            self._fail(
                clause,
                row,
                f"{self._in_words(access)} gave {rdata:#x}",
                table or [("value", f"{answer.rdata:#x}", f"{rdata:#x}")],
            )
        self._adopt(row, csr, access, rdata, answer)

    def _why(self, row: int, csr: Csr, access: Access, last: Last | None, rdata: int, answer: Answer) -> str:
        """The clause of a wrong value, if something other than its field explains it."""

        def seen(value: int) -> int:
            return self.file.seen(csr, access, value)

        counter, low = csr.address >> 8 in (0xB, 0xC), self._held(csr) & _LOW
        other_half = (low, 0) if counter else (low,) if low else ()
        if csr.high and csr.state not in ("time", "htimedelta") and rdata in other_half:
            return "HPM.half.high"
        if csr.name in VIEWS or csr.state in ("time", "scountovf"):
            return ""
        if csr.number >= 0 and csr.address >> 8 in (0xB, 0xC):
            state = self.capture.state
            behind = (
                state is not None
                and row + 1 < len(state.counters)
                and seen(int(state.counters[row + 1, csr.number])) == rdata
            )
            return "HPM.read.begin" if behind and self.config.has(csr.number) else ""
        if last is None:
            return "HPM.reset.zero" if seen(csr.warl(rdata << 32 * csr.high)) == rdata else ""
        return next((clause for clause, value in last.otherwise(self.config) if seen(value) == rdata), "")

    def _may(self, csr: Csr, rdata: int, answer: Answer) -> bool:
        """Whether this device may show that."""
        if (
            not self.tolerances.reset_zero
            and csr.state not in self._last
            and csr.state not in ("time", "scountovf")
            and (csr.state, csr.high) not in self._adopted
        ):
            return True
        if self.tolerances.select == "any" and csr.state.startswith("mhpmevent"):
            return not (rdata ^ answer.rdata) & ~(SELECT_MASK >> 32 * csr.high)
        counts = self.capture.state is None and csr.address >> 8 in (0xB, 0xC) and csr.state != "time"
        return counts and abs(rdata - answer.rdata) <= self.tolerances.slack

    def _adopt(self, row: int, csr: Csr, access: Access, rdata: int, answer: Answer) -> None:
        """From here on the device's value counts, as far as it is kept here and the access did not write it."""
        self._adopted.add((csr.state, csr.high))
        own, state = self._named.get(csr.state + "h" * csr.high), self.capture.state
        if own is None or csr.state == "time" or (self.file.writes(access) and not csr.read_only):
            return
        if own.address >> 8 == 0xB:
            if state is None:
                moved = self.rules.counters[csr.number] + ((rdata - answer.rdata) << 32 * csr.high)
                self.rules.counters[csr.number] = moved % (1 << self.config.widths[csr.number])
        elif csr.state not in ("mip", "mie") or state is None:
            self.rules.cycle(M, Counts(cycle=0, stopcount=1), Access(WRITE, own.address, rdata, M, access.xlen32))
            self._asked.pop(csr.number, None)
            self._new(row)

    def _refused(self, row: int, csr: Csr | None, access: Access, rdata: int, outcome: int, old: int) -> None:
        if outcome != DONE and self.tolerances.refused_zero:
            self.book.check(
                "HPM.csr.refused",
                rdata == 0,
                lambda: self._failure(
                    "HPM.csr.refused",
                    row,
                    f"{self._in_words(access)} was refused and returned a value",
                    [("value", "0x0", f"{rdata:#x}")],
                ),
            )
        target = self._named.get(csr.state) if csr is not None and self.file.writes(access) else None
        if target is None or csr is None:
            return
        would = self._would(csr, access, old)
        if target.address >> 8 == 0xB:
            self.written.refused[row], self.written.value[row] = csr.number, target.warl(would)
        last = self._last.get(csr.state) or Last(None, target, old, old)
        self._last[csr.state] = last.refusing(would)

    # --- Failures -----------------------------------------------------------------------------------

    def judged(self) -> list[Failure]:
        """What several clauses would explain, each under its clause."""
        return self.blame.judged()

    def named(self, address: int) -> str:
        """The CSR at an address, in words."""
        csr = self._csrs.get(address)
        return csr.name if csr else "the address"

    def _in_words(self, access: Access) -> str:
        return named(self._csrs.get(access.addr), access)

    def _failure(self, clause: str, row: int, headline: str, table: list[tuple[str, str, str]]) -> Failure:
        return Failure(clause, headline, int(self.capture.rows.cycle[row]), None, "", table, at=row)

    def _fail(self, clause: str, row: int, headline: str, table: list[tuple[str, str, str]]) -> None:
        self.book.fail(self._failure(clause, row, headline, table))
