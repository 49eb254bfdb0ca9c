# SPDX-License-Identifier: Apache-2.0
"""Which trace source is the odd one out: four accounts of one flow, compared place by place, and the majority decides.

    alive = agreed(accounts, judge)     the accounts that agree on every instruction and trap; every other one was named

An account that was named is not compared again. Without a majority the sides are named, and none of them is relied on.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from rvtrace.scoreboards.common.clauses import ClauseBook, Failure
from rvtrace.scoreboards.subsystem.accounts import ABSENT, ETRACE, HART, NTRACE, TANDEM, Account, Trap
from rvtrace.scoreboards.subsystem.capture import SubsystemCapture

CLAUSES: dict[str, dict[str, str]] = {  # by what is compared, who leaves which
    "pcs": {HART: "SUB.pcs.hart", ETRACE: "SUB.pcs.etrace", NTRACE: "SUB.pcs.ntrace", TANDEM: "SUB.pcs.tandem"},
    "traps": {
        HART: "SUB.traps.hart",
        ETRACE: "SUB.traps.etrace",
        NTRACE: "SUB.traps.ntrace",
        TANDEM: "SUB.traps.tandem",
    },
    "modes": {
        HART: "SUB.modes.hart",
        ETRACE: "SUB.modes.etrace",
        NTRACE: "SUB.modes.ntrace",
        TANDEM: "SUB.modes.tandem",
    },
}
ENDS = None  # what an account has after its end
_SHOWN = 3  # instructions before


def sides(values: Mapping[str, Hashable]) -> list[tuple[Hashable, list[str]]]:
    """The values and who has them, most voices first."""
    found: dict[Hashable, list[str]] = {}
    for name, value in values.items():
        found.setdefault(value, []).append(name)
    return sorted(found.items(), key=lambda side: -len(side[1]))


def listed(names: Sequence[str]) -> str:
    """Names for a sentence."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


class Judge:
    """Reports who is the odd one out under his clause, with the place."""

    def __init__(self, capture: SubsystemCapture, book: ClauseBook) -> None:
        self.capture, self.book = capture, book
        self._insns = np.flatnonzero(capture.retired.kind == 0)

    def cycle(self, index: int) -> int | None:
        """Cycle in which instruction `index` was seen at the hart port."""
        return int(self.capture.cycle[self._insns[index]]) if 0 <= index < len(self._insns) else None

    def place(self, pc: int | None) -> str:
        """Symbol and disassembly."""
        return "" if pc is None else self.capture.program.where(pc)

    def blame(
        self,
        topic: str,
        values: Mapping[str, Hashable],
        index: int,
        what: str,
        show: Callable[[Any], str],
        accounts: dict[str, Account],
    ) -> list[str]:
        """Names who has another value than most; all of them if no side has more voices. Returns who was named.

        topic: of CLAUSES. index: instructions before the place. what: is compared there.
        """
        found = sides(values)
        (value, most), rest = found[0], found[1:]
        tied = bool(rest) and len(rest[0][1]) == len(most)
        odd = [name for _, names in (found if tied else rest) for name in names]
        if tied:
            text = " against ".join(f"{listed(names)} ({show(v)})" for v, names in found)
            for name in odd:
                self._fail(topic, name, f"no majority at {what}: {text}", values, value, index, show, accounts)
            return odd
        for name in odd:
            others = f"{listed(most)} {'have' if len(most) > 1 else 'has'} {show(value)}"
            self._fail(
                topic,
                name,
                f"{name} is the odd one out: {what} is {show(values[name])}, and {others}",
                values,
                value,
                index,
                show,
                accounts,
            )
        return odd

    def _fail(self, topic: str, name: str, headline: str, values: Mapping[str, Hashable], wanted: Hashable, index: int,
              show: Callable[[Any], str], accounts: dict[str, Account]) -> None:  # fmt: skip
        account = next((accounts[n] for n, v in values.items() if v == wanted and n in accounts), None)
        pc = int(account.pc[index]) if account is not None and index < len(account) else None
        before = (
            []
            if account is None
            else [self.place(int(one)) for one in account.pc[max(0, index - _SHOWN) : index].tolist()]
        )
        if name in accounts and accounts[name].trouble:
            before.append(f"its decoder reports: {accounts[name].trouble}")
        self.book.fail(Failure(
            CLAUSES[topic][name], headline, self.cycle(index), pc, self.place(pc),
            [(who, show(wanted), show(value)) for who, value in values.items()], before,
        ), counted=True)  # fmt: skip


def agreed(accounts: Sequence[Account], judge: Judge) -> list[Account]:
    """Compare instructions, then traps, then privilege; the accounts on which all are one."""
    most = max(map(len, accounts), default=0)
    for account in accounts:
        for topic, number in (("pcs", most), ("traps", max((len(a.traps) for a in accounts), default=0))):
            judge.book.count(CLAUSES[topic][account.name], number)
        judge.book.count(CLAUSES["modes"][account.name], len(account.modes))
    alive = _same_pcs(list(accounts), judge)
    alive = _same_traps(alive, judge)
    return _same_modes(alive, judge)


def _same_pcs(alive: list[Account], judge: Judge) -> list[Account]:
    while len(alive) > 1:
        index = _first_difference(alive)
        if index is None:
            return alive
        values: Mapping[str, Hashable] = {a.name: int(a.pc[index]) if index < len(a) else ENDS for a in alive}
        odd = judge.blame("pcs", values, index, f"instruction {index}", _address, {a.name: a for a in alive})
        alive = [a for a in alive if a.name not in odd]
    return alive


def _first_difference(alive: Sequence[Account]) -> int | None:
    shortest = min(map(len, alive))
    apart = np.zeros(shortest, bool)
    for account in alive[1:]:
        apart |= account.pc[:shortest] != alive[0].pc[:shortest]
    if apart.any():
        return int(np.argmax(apart))
    return shortest if any(len(a) != shortest for a in alive) else None


def _address(value: int | None) -> str:
    return "nothing (its trace ends)" if value is ENDS else f"{value:#x}"


def _same_traps(alive: list[Account], judge: Judge) -> list[Account]:
    """One after the other; what a trace source does not report a trap agrees with anything.

    A trap after the last instruction leads nowhere: E-Trace and N-Trace report a trap with what follows it, so they
    need not report that one.
    """
    number = 0
    while len(alive) > 1 and any(number < len(a.traps) for a in alive):
        reported = {a.name: a.traps[number] if number < len(a.traps) else None for a in alive}
        if all(t.index == len(alive[0]) for t in reported.values() if t is not None):
            reported = {name: t for name, t in reported.items() if t is not None or name not in (ETRACE, NTRACE)}
        for field in Trap._fields:
            values = {
                n: getattr(t, field) if t is not None else ENDS
                for n, t in reported.items()
                if t is None or field == "index" or getattr(t, field) is not None
            }
            if len(set(values.values())) > 1:
                at = min(t.index for t in reported.values() if t is not None)
                what = f"{'place' if field == 'index' else field} of trap {number}"
                odd = judge.blame("traps", values, at, what, _shown(field), {a.name: a for a in alive})
                alive = [a for a in alive if a.name not in odd]
                reported = {n: t for n, t in reported.items() if n not in odd}
        number += 1
    return alive


def _shown(field: str) -> Callable[[Any], str]:
    def show(value: Any) -> str:
        if value is ENDS:
            return "none"
        if field == "interrupt":
            return "an interrupt" if value else "an exception"
        return f"after {value} instructions" if field == "index" else hex(value)

    return show


def _same_modes(alive: list[Account], judge: Judge) -> list[Account]:
    """Privilege wherever two or more report it of one instruction; whether V = 1 is reported by all but the tandem
    trace.
    """
    for mask, asked in ((3, {a.name for a in alive}), (7, {a.name for a in alive} - {TANDEM})):
        while True:
            columns = {a.name: _dense(a, mask) for a in alive if a.name in asked}
            if len(columns) < 2:
                break
            table = np.stack(list(columns.values()))
            low, high = np.where(table < 0, 99, table).min(axis=0), table.max(axis=0)
            apart = (high >= 0) & (low != high)
            if not apart.any():
                break
            index = int(np.argmax(apart))
            values: Mapping[str, Hashable] = {
                name: int(column[index]) for name, column in columns.items() if column[index] >= 0
            }
            odd = judge.blame(
                "modes", values, index, f"privilege of instruction {index}", str, {a.name: a for a in alive}
            )
            alive = [a for a in alive if a.name not in odd]
    return alive


def _dense(account: Account, mask: int) -> np.ndarray:
    """Privilege of every instruction; before the first that it reports, ABSENT."""
    index, value = np.array([(0, ABSENT), *account.modes], np.int64).T
    value = np.where(value < 0, ABSENT, value & mask)
    return np.repeat(value, np.diff(np.append(np.minimum(np.maximum.accumulate(index), len(account)), len(account))))
