# SPDX-License-Identifier: Apache-2.0
"""Control transfer records against the decoded trace: each entry is a transfer that it shows, newest first, and none
that had to be recorded is missing.

What a transfer is follows from the decoded instructions and traps and from the program; which of them are recorded,
from the rules of the control registers (`rvtrace.models.ctr.rules`). The cycles of an entry are those between the two
transfers at the hart port.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import NamedTuple

import numpy as np

from rvtrace.models.ctr.records import TYPES, Record, encode_cc, largest_count
from rvtrace.models.ctr.rules import FREEZE, NO_SOURCE, NO_TARGET, NOTHING, WHOLE, Rules
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Kind, Retired
from rvtrace.scoreboards.common.clauses import ClauseBook, Failure
from rvtrace.scoreboards.subsystem.accounts import Account, Trap
from rvtrace.scoreboards.subsystem.capture import Snapshot, SubsystemCapture

UNKNOWN = -1
_CAUSES = 0xFF
_EVERY_MODE = 7  # M, S and U of mctrctl
_BELOW_M = 3  # S and U of vsctrctl
_FROZEN = 31  # bit of sctrstatus


class Shown(NamedTuple):
    """A transfer as the trace shows it, of which the trace source recorded source and target (0 where the rules leave
    them out): event, cycle, mispredicted.
    """

    event: int
    type: int
    source: int
    target: int
    cycle: int
    missed: bool


def rows_of(retired: Retired, program: Program) -> np.ndarray:
    """Which events of a retire stream are transfers: those whose type is none of 0, 6, 7."""
    return np.flatnonzero(types(retired.kind, retired.pc, retired.taken, program))


def types(kind: np.ndarray, pc: np.ndarray, taken: np.ndarray, program: Program) -> np.ndarray:
    """Table Control Transfer Type Definitions, of each event; 0 if it transfers nothing."""
    reported = program.columns(pc).itype["v1_0"].astype(np.int64)
    reported = np.where((reported == 4) & (taken == 1), 5, reported)
    reported[np.isin(reported, (1, 6, 7))] = 0  # ecall and ebreak transfer nothing, their traps do
    return np.where(kind == Kind.INSN, reported, np.where(kind <= Kind.INTERRUPT, kind, 0))


@dataclass
class Flow:
    """The account that the majority agrees on, as events: kind, pc and direction of instructions and traps in order."""

    kind: np.ndarray
    pc: np.ndarray
    taken: np.ndarray
    type: np.ndarray

    @classmethod
    def of(cls, accounts: Sequence[Account], program: Program) -> Flow:
        """The events of accounts that agree: what one of them does not report a trap, another does."""
        first = accounts[0]
        traps = []
        for same in zip_longest(*(a.traps for a in accounts)):
            reports = [trap for trap in same if trap is not None]
            beside = zip(*(trap[1:] for trap in reports))
            merged = (next((value for value in reported if value is not None), None) for reported in beside)
            traps.append(Trap(reports[0].index, *merged))
        at = [trap.index for trap in traps]
        kinds = [Kind.INTERRUPT if trap.interrupt else Kind.EXCEPTION for trap in traps]
        kind = np.insert(np.zeros(len(first), np.uint8), at, np.array(kinds, np.uint8))
        pc = np.insert(first.pc, at, np.array([trap.epc or 0 for trap in traps], np.uint64))
        taken = np.insert(first.taken, at, np.full(len(at), -1, np.int8))
        return cls(kind, pc, taken, types(kind, pc, taken, program))

    def __len__(self) -> int:
        return len(self.kind)


class Records:
    """The entries of every snapshot."""

    def __init__(self, capture: SubsystemCapture, book: ClauseBook, flow: Flow, name: str) -> None:
        self.capture, self.book, self.flow, self._name = capture, book, flow, name
        config = capture.config.ctr
        self._rules, self._depth = Rules(config, config.ctl, config.vsctl), capture.config.ctr_depth
        self._mask = (1 << capture.config.xlen) - 2
        self._counted = config.ctl & _EVERY_MODE == _EVERY_MODE and config.vsctl & _BELOW_M == _BELOW_M
        self._limit = largest_count(config.cce_bits)
        self._frozen = self._first_freeze()

    def check(self) -> None:
        """Every snapshot."""
        for number, snapshot in enumerate(self.capture.snapshots):
            self._snapshot(number, snapshot)

    def expected(self, at: int) -> list[Shown]:
        """The transfers after which software read at event `at`, newest first, and one more for the cycles between."""
        found: list[Shown] = []
        for event in np.flatnonzero(self.flow.type[: min(at, self._frozen)])[::-1].tolist():
            if len(found) > self._depth:
                break
            behind = min(event + 1, len(self.flow) - 1)
            kind, action = int(self.flow.type[event]), self._action(event)
            if action == NOTHING:
                continue
            assert action in (WHOLE, NO_SOURCE, NO_TARGET)
            target = int(self.flow.pc[behind]) if event < behind else UNKNOWN
            found.append(Shown(
                event, kind, 0 if action == NO_SOURCE else int(self.flow.pc[event]) & self._mask,
                0 if action == NO_TARGET else target & self._mask if target != UNKNOWN else UNKNOWN,
                int(self.capture.cycle[event]), bool(self.capture.missed[event]),
            ))  # fmt: skip
        return found

    def _action(self, event: int) -> int:
        """What the control registers make of the transfer of one event."""
        run, kind = self.capture.retired, int(self.flow.type[event])
        from_, cause = int(run.priv[event]), int(run.cause[event]) & _CAUSES
        to = int(self.capture.mode_behind[event]) if kind <= 3 else from_
        return self._rules.action(kind, from_, to, cause if kind < 3 else 0)

    def _first_freeze(self) -> int:
        """The event that sets FROZEN, which software never clears; after the last event if none does."""
        traps = np.flatnonzero((self.flow.type == Kind.EXCEPTION) | (self.flow.type == Kind.INTERRUPT)).tolist()
        return next((event for event in traps if self._action(event) == FREEZE), len(self.flow))

    def _status(self, number: int, snapshot: Snapshot) -> None:
        """FROZEN as software read it."""
        want, have = int(snapshot.at > self._frozen), snapshot.ctr_status >> _FROZEN & 1
        self.book.count("SUB.ctr.freeze")
        verb = "show" if " and " in self._name else "shows"
        if want != have:
            self._fail(
                "SUB.ctr.freeze",
                f"CTR is the odd one out: snapshot {number} reads FROZEN={have}, and {self._name}"
                f" {verb} {'a' if want else 'no'} trap that freezes the records",
                None,
                [("FROZEN", str(want), str(have))],
            )

    def _snapshot(self, number: int, snapshot: Snapshot) -> None:
        self._status(number, snapshot)
        shown = self.expected(snapshot.at)
        wanted = shown[: self._depth]
        entries = [Record.of_registers(source | 1, target, data) for source, target, data in snapshot.ctr]
        self.book.count("SUB.ctr.entries", max(len(wanted), len(entries), 1))
        self.book.count("SUB.ctr.missed", len(wanted))
        for k in range(max(len(wanted), len(entries))):
            want, entry = wanted[k] if k < len(wanted) else None, entries[k] if k < len(entries) else None
            if want is None or entry is None or not _same(want, entry):
                self._differs(number, snapshot, k, want, entry)
                return
            if bool(entry.misp) != want.missed:
                self._fail(
                    "SUB.ctr.missed",
                    f"snapshot {number}, entry {k}: CTR reports {_missed(entry.misp)}, and the hart port reported"
                    f" {_missed(want.missed)}",
                    want,
                )
                return
        self._cycles(number, shown, entries)

    def _differs(self, number: int, snapshot: Snapshot, k: int, want: Shown | None, entry: Record | None) -> None:
        table = [
            (
                name,
                "none" if want is None else show(getattr(want, name)),
                "none" if entry is None else show(getattr(entry, name)),
            )
            for name, show in (("type", _type), ("source", _address), ("target", _address))
        ]
        have = "nothing" if entry is None else f"{_type(entry.type)} {entry.source:#x} to {entry.target:#x}"
        show = "nothing" if want is None else f"{_type(want.type)} {want.source:#x} to {_address(want.target)}"
        self._fail(
            "SUB.ctr.entries",
            f"CTR is the odd one out: snapshot {number}, entry {k} (newest is 0) is {have}, and {self._name}"
            f" {'show' if ' and ' in self._name else 'shows'} {show}",
            want,
            table,
        )

    def _cycles(self, number: int, shown: list[Shown], entries: list[Record]) -> None:
        """CC: cycles since the transfer recorded before; without one CCV is 0.

        Modes that are not recorded are not counted, so then nothing can be said.
        """
        if not self._counted:
            return
        for k, entry in enumerate(entries):
            before = shown[k + 1] if k + 1 < len(shown) else None
            self.book.count("SUB.ctr.cycles")
            if before is None:
                if entry.ccv:
                    self._fail(
                        "SUB.ctr.cycles",
                        f"CTR is the odd one out: snapshot {number}, entry {k} reports cycles, and nothing was recorded"
                        " before it",
                        shown[k],
                    )
                continue
            cycles = min(self._elapsed(before.cycle, shown[k].cycle), self._limit)
            if not entry.ccv or entry.cc != encode_cc(cycles, self.capture.config.ctr.cce_bits):
                have = "reports none" if not entry.ccv else f"has {entry.cycles}"
                self._fail(
                    "SUB.ctr.cycles",
                    f"CTR is the odd one out: snapshot {number}, entry {k} {have}, and {cycles} cycles were between the"
                    " transfers at the hart port",
                    shown[k],
                    [("cycles", str(cycles), str(entry.cycles))],
                )
                return

    def _elapsed(self, first: int, last: int) -> int:
        """Cycles between two transfers without those in Debug Mode, in which nothing is counted."""
        return last - first - sum(max(min(end, last) - max(begin, first), 0) for begin, end in self.capture.halted)

    def _fail(
        self, clause: str, text: str, want: Shown | None, table: list[tuple[str, str, str]] | None = None
    ) -> None:
        pc = None if want is None else int(self.flow.pc[want.event])
        place = "" if pc is None else self.capture.program.where(pc)
        self.book.fail(
            Failure(clause, text, None if want is None else want.cycle, pc, place, table or []), counted=True
        )


def _same(want: Shown, entry: Record) -> bool:
    return (want.type, want.source) == (entry.type, entry.source) and want.target in (UNKNOWN, entry.target)


def _type(code: int) -> str:
    return TYPES.get(code, f"type {code}")


def _address(value: int) -> str:
    return "unknown" if value == UNKNOWN else f"{value:#x}"


def _missed(missed: int | bool) -> str:
    return "mispredicted" if missed else "predicted"
