# SPDX-License-Identifier: Apache-2.0
"""The check of the adapters: rows at the hart port against what the core did, blocks at the ingress port against those
rows.

    verdict = check(capture)

Where the order of rows breaks, the columns of what follows say nothing: only the rows before are compared.
"""

from __future__ import annotations

import numpy as np

from rvtrace.models.adapter.hart import REPORTED, hart_rows
from rvtrace.models.riscv.retired import Kind
from rvtrace.models.tandem.table import CSR_SLOTS, HAS
from rvtrace.models.tandem.trace_data import Rows
from rvtrace.scoreboards.adapter.blocks import TRAPS, check_blocks
from rvtrace.scoreboards.adapter.capture import AdapterCapture
from rvtrace.scoreboards.common.clauses import ClauseBook, Failure, Plan, plan_of
from rvtrace.scoreboards.common.verdict import Verdict, timed

ERRORS = {
    1: "AD.error_order", 2: "AD.error_pc", 3: "AD.error_insn", 4: "AD.error_trap", 5: "AD.error_event",
    6: "AD.error_left", 7: "AD.error_overflow", 8: "AD.error_events",
}  # fmt: skip
_LOST = (7, 8)  # errors of a core that does not stop
# Parts of a row and their columns, by clause; the CSRs are apart.
_PARTS: dict[str, tuple[tuple[str, tuple[str, ...]], ...]] = {
    "AD.next_pc": (("group", ()), ("pc", ("pc",))),
    "AD.insn": (("insn", ("insn",)),),
    "AD.gpr": (("gpr", ("gpr_addr", "gpr")),),
    "AD.fpr": (("fpr", ("fpr_addr", "fpr")), ("fcsr", ("fcsr",))),
    "AD.memory": (("paddr", ("paddr",)), ("memdata", ("memdata_size", "memdata"))),
    "AD.priv": (("priv", ("priv",)),),
    "AD.empty": tuple(
        (name, ()) for name in ("flush", "reset", "init", "ppc", "eaddr", "mtime", "mcycle", "minstret", "request",
                                "response")
    ),
}  # fmt: skip


def plan() -> Plan:
    """The clauses of the adapters, from the plan.toml beside this file."""
    return plan_of(__file__)


def check(capture: AdapterCapture, tolerances: None = None) -> Verdict:
    """Check one run against every clause; this system has no tolerances."""
    verdict = Verdict(ClauseBook(plan(), capture.rerun))
    with timed(verdict, "scoreboard"):
        run = _Check(capture, verdict.book)
        run.ends()
        if capture.fault is not None:
            run.fault()
        else:
            run.quiet()
            run.rate()
            run.frame()
            same = run.order()
            run.columns(same)
            run.slots()
            run.debug()
            check_blocks(capture, verdict.book)
    retired = capture.run.retired
    verdict.stats |= {
        "instructions": int((retired.kind == Kind.INSN).sum()),
        "traps": int((retired.kind != Kind.INSN).sum()),
        "blocks": int((capture.blocks.lanes["iretire"] > 0).sum()),
    }
    return verdict


class _Check:
    """One run. `reported`: the rows of the hart port that are instructions or traps."""

    def __init__(self, capture: AdapterCapture, book: ClauseBook) -> None:
        self.capture, self.book, self.seen = capture, book, capture.hart
        self.places = np.flatnonzero(self.seen.reported["reported"] == 1)
        self.rows, self.reported = hart_rows(capture.run, capture.config)

    def _hold(self, clause: str, ok: bool, what: str, expected: object, actual: object, cycle: int | None) -> None:
        self.book.check(clause, ok, lambda: Failure(clause, what, cycle, table=[("value", str(expected), str(actual))]))

    # The run as a whole

    def ends(self) -> None:
        """It came to its end, and nothing moved under the eyes of who was not ready."""
        for text in self.capture.problems:
            self.book.fail(Failure("AD.flush", text))
        status = self.capture.status
        flags = set().union(*(one.flags for one in status)) if status else set()
        last = status[-1].cycle if status else None
        ended = "ended" in flags
        self._hold("AD.flush", ended, "with flush_i everything leaves, and both adapters are idle", "idle", flags, last)
        self._hold("AD.hold", "hart_moved" not in flags, "a row that is not taken stays", "the same", "another", last)
        if self.capture.fault is None:
            self._hold(
                "ING.hold", "ingress_moved" not in flags, "a block that is not taken stays", "the same", "another", last
            )

    def fault(self) -> None:
        """The error of a core that breaks a rule is the first, and the one of that rule."""
        fault = self.capture.fault
        assert fault is not None
        clause = ERRORS[fault.code]
        first = next((one for one in self.capture.status if one.error), None)
        code, pc = (first.error, first.pc) if first else (0, 0)
        cycle = first.cycle if first else None
        self._hold(
            clause, code == fault.code, "the error has the code of the rule that is broken", fault.code, code, cycle
        )
        if code == fault.code and fault.pc is not None:
            self._hold(clause, pc == fault.pc, "error_pc_o is where the rule is broken", hex(fault.pc), hex(pc), cycle)
        if first is not None:
            after = {(one.error, one.pc) for one in self.capture.status if one.cycle >= first.cycle}
            self._hold(clause, len(after) == 1, "the first error stays", 1, len(after), cycle)

    def quiet(self) -> None:
        """No error of a core that keeps the rules; if it has to stop, in time."""
        first = next((one for one in self.capture.status if one.error), None)
        code = first.error if first else 0
        cycle = first.cycle if first else None
        if any("stall" in one.flags for one in self.capture.status):
            self._hold(
                "AD.stall", code not in _LOST, "what comes within two cycles of stall_o fits", "no loss", code, cycle
            )
        self._hold("AD.quiet", code == 0 or code in _LOST, "a core that keeps the rules makes no error", 0, code, cycle)

    def rate(self) -> None:
        """Nothing but waiting, traps, changes of mode or context, Debug Mode, or too few lanes makes a core stop."""
        run, config = self.capture.run, self.capture.config
        retired = run.retired
        modes = np.column_stack([retired.priv, retired.context])
        steady = bool((retired.kind == Kind.INSN).all() and (modes == modes[:1]).all()) and not run.debug
        if self.capture.waits or not steady or config.blocks < config.channels:
            return
        first = next((one.cycle for one in self.capture.status if "stall" in one.flags), None)
        rule = "with nobody waiting the core never has to stop"
        self._hold("AD.rate", first is None, rule, "no stall", "stall", first)

    def frame(self) -> None:
        """The row of reset before all others, that of flush after them."""
        rows, run = self.seen.rows, self.capture.run
        expected = HAS["group"] | HAS["reset"] | HAS["pc"] | HAS["priv"]
        resets = np.flatnonzero(rows.have("reset")).tolist()
        self._hold("AD.reset", resets == [0], "the first row is that of reset, and no other", [0], resets, 0)
        if resets:
            seen = int(rows.has[0]), int(rows.pc[0]), int(rows.priv[0])
            wanted = expected, int(run.retired.pc[0]), int(run.retired.priv[0]) & 3
            self._hold(
                "AD.reset",
                seen == wanted,
                "reset has the pc and the privilege of the first retirement",
                wanted,
                seen,
                0,
            )
        flushes = np.flatnonzero(rows.have("flush")).tolist()
        self._hold(
            "AD.flush", flushes == [len(rows) - 1], "the last row closes the group", [len(rows) - 1], flushes, None
        )
        strays = len(rows) - len(self.places) - len(resets) - len(flushes)
        self._hold("AD.rows", strays == 0, "there are no other rows", 0, strays, None)

    # Rows

    def order(self) -> int:
        """How many rows are those of the core, in order: kind and pc."""
        reported, n = self.seen.reported, min(len(self.places), len(self.rows))
        trap = np.isin(reported["itype"][self.places], TRAPS)
        wanted = self.capture.run.retired
        kind = np.where(trap, reported["itype"][self.places], Kind.INSN)
        same = (kind[:n] == wanted.kind[:n]) & (reported["pc"][self.places][:n] == wanted.pc[:n])
        bad = np.flatnonzero(~same)
        first = int(bad[0]) if len(bad) else n
        self.book.bulk("AD.rows", n, bad[:1], lambda k: self._row_failure(k, int(kind[k])))
        if not len(bad):
            self._hold("AD.rows", len(self.places) == len(self.rows), "every retirement and trap has a row",
                       len(self.rows), len(self.places), None)  # fmt: skip
        return first

    def _row_failure(self, k: int, kind: int) -> Failure:
        wanted, at = self.capture.run.retired, int(self.places[k])
        pc, seen = int(wanted.pc[k]), int(self.seen.reported["pc"][at])
        table = [("kind", Kind(int(wanted.kind[k])).name, Kind(kind).name), ("pc", hex(pc), hex(seen))]
        return Failure("AD.rows", f"row {k} is not what the core did", int(self.seen.rows.cycle[at]), pc, table=table)

    def columns(self, n: int) -> None:
        """All columns of the first n rows."""
        reported = {name: self.seen.reported[name][self.places][:n] for name in REPORTED}
        trap = self.capture.run.retired.kind[:n] != Kind.INSN
        config = self.capture.config
        for clause, names, rows in (
            ("AD.mode", ("mode", "mode_next"), None),
            ("AD.context", ("context",), None),
            ("AD.itype", ("itype",), None),
            ("AD.trap" if config.trap_port else "AD.derived", ("cause", "tval"), trap),
            ("AD.empty", ("cause", "tval"), ~trap),
        ):
            for name in names:
                self._same(clause, name, self.reported[name][:n], reported[name], rows)
        seen = self.seen.rows.select(self.places[:n])
        wanted = self.rows.select(slice(0, n))
        for clause, parts in _PARTS.items():
            if clause == "AD.fpr" and not config.flen:
                clause = "AD.empty"
            for part, names in parts:
                self._part(clause, part, names, wanted, seen)
        self._same("AD.insn", "insn16", wanted.insn16, seen.insn16, wanted.have("insn"))
        for slot in range(CSR_SLOTS):
            self._csr(slot, wanted, seen, trap)
        self._same("AD.empty", "misp", np.zeros(n), self.seen.reported["misp"][self.places][:n])

    def _part(self, clause: str, part: str, names: tuple[str, ...], wanted: Rows, seen: Rows) -> None:
        """Which rows have a part, and where they have, its columns."""
        there = wanted.have(part)
        self._same(clause, f"has {part}", there, seen.have(part))
        both = there & seen.have(part)
        for name in names:
            self._same(clause, name, getattr(wanted, name), getattr(seen, name), both)

    def _csr(self, slot: int, wanted: Rows, seen: Rows, trap: np.ndarray) -> None:
        part = f"csr{slot}"
        there, found = wanted.have(part), seen.have(part)
        clauses = [("AD.csr", ~trap), ("AD.trap_csrs" if self.capture.config.trap_port else "AD.empty", trap)]
        for clause, rows in clauses:
            self._same(clause, f"has {part}", there, found, rows)
            for name in ("csr_addr", "csr"):
                self._same(clause, f"{name} {slot}", getattr(wanted, name)[:, slot], getattr(seen, name)[:, slot],
                           rows & there & found)  # fmt: skip

    def _same(
        self, clause: str, name: str, expected: np.ndarray, actual: np.ndarray, rows: np.ndarray | None = None
    ) -> None:
        wrong = expected != actual
        if rows is not None:
            wrong = wrong & rows
        checked = len(wrong) if rows is None else int(rows.sum())
        self.book.bulk(
            clause, checked, np.flatnonzero(wrong), lambda k: self._failure(clause, name, expected, actual, k)
        )

    def _failure(self, clause: str, name: str, expected: np.ndarray, actual: np.ndarray, k: int) -> Failure:
        pc = int(self.capture.run.retired.pc[k])
        cycle = int(self.seen.rows.cycle[self.places[k]])
        table = [(name, hex(int(expected[k])), hex(int(actual[k])))]
        place = self.capture.run.program.where(pc)
        return Failure(clause, f"row {k}: {name} is not as expected", cycle, pc, place, table)

    # Cycles

    def slots(self) -> None:
        """Slots fill from 0; those reported together have one mode and context, and a trap is the last."""
        seen, book = self.seen, self.book
        gaps = np.flatnonzero((~seen.valid[:, :-1] & seen.valid[:, 1:]).any(axis=1))
        book.bulk(
            "AD.slots", len(seen.valid), gaps, lambda k: self._slot_failure(k, "an empty slot is before a full one")
        )
        at, reported = self.places, seen.reported
        together = np.flatnonzero(seen.beat[at][1:] == seen.beat[at][:-1])
        one, two = at[together], at[together + 1]
        apart = reported["mode"][one] != reported["mode"][two]
        apart |= reported["context"][one] != reported["context"][two]
        apart |= np.isin(reported["itype"][one], TRAPS)
        rule = "what is reported in one cycle has one mode and context, and a trap is the last"
        bad = np.flatnonzero(apart)
        book.bulk("AD.slots", len(together), bad, lambda k: self._slot_failure(int(seen.beat[one[k]]), rule))

    def _slot_failure(self, beat: int, what: str) -> Failure:
        return Failure("AD.slots", what, int(self.seen.cycle[beat]))

    def debug(self) -> None:
        """The hart is halted between the rows around each visit to Debug Mode, and nowhere else."""
        seen, visits = self.seen, self.capture.run.debug
        rises = np.flatnonzero(seen.halted & ~np.append(False, seen.halted[:-1]))
        with_rows = np.flatnonzero(seen.halted & seen.valid.any(axis=1))
        stray = np.isin(seen.beat[self.places], with_rows)
        if not visits and not len(rises):
            return
        self._hold(
            "AD.debug", not stray.any(), "nothing is reported while the hart is halted", 0, int(stray.sum()), None
        )
        where = np.searchsorted(seen.beat[self.places], rises).tolist()
        wanted = [k + 1 for k in sorted(visits)]
        self._hold("AD.debug", where == wanted, "the hart is halted after the rows before each visit to Debug Mode",
                   wanted, where, None)  # fmt: skip
