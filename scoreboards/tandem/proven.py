# SPDX-License-Identifier: Apache-2.0
"""What the lossless comparison proves of the sentences of the format, on a device that chooses forms and order itself.

`exact` counts a clause where the bytes are those of the reference. Of another device a sentence is counted in the
situations it is about where the decoder's reading of the device's own bytes is what the row has: the value after an
offset that does not fit opcode 5, the second lane's pc that counts from the first's. Where a report is wrong in such a
situation, it is not known whether the sentence was broken or another: the clause then fails because of that finding.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from rvtrace.models.tandem import table as t
from rvtrace.models.tandem.config import INCREMENT_ALL
from rvtrace.models.tandem.table import STATE_KEY
from rvtrace.scoreboards.common.clauses import ClauseBook
from rvtrace.scoreboards.tandem.capture import TandemCapture
from rvtrace.scoreboards.tandem.lossless import (
    GROUP_CLAUSE,
    ORDER_CLAUSE,
    OUTSIDE_CLAUSE,
    Lossless,
    located,
)
from rvtrace.scoreboards.tandem.situations import Situations
from rvtrace.scoreboards.tandem.table import ItemTable

OPCODE = {opcode.code: f"TV.opcode.{opcode.name}" for opcode in t.OPCODES if opcode.code != t.STATE}
IDENTIFIER = {state.id: f"TV.id.{state.name}" for state in t.STATES}
SHORT = (t.ADD, t.OR)
# Clauses about one report: by which opcodes the device sent it, () for any.
REPORTS: dict[str, tuple[int, ...]] = {
    "TV.form.first": (),
    "TV.form.reset": (),
    "TV.form.lane": SHORT,
    "TV.form.high_half": (),
    "TV.form.beyond": (),
    "TV.form.high_bit": (),
    "TV.form.cleared": (),
    "TV.pc.jump": (),
    "TV.pc.length": (t.INCREMENT_PC,),
    "TV.pc.other_length": (),
    "TV.pc.gap": (t.INCREMENT_PC,),
    "TV.pc.lane": (t.INCREMENT_PC,),
    "TV.pc.first": (),
    "TV.pc.reset": (),
    "TV.pc.insn": (),
    "TV.pc.outside": (),
}
# Those about what does not fit an opcode: a device that never uses it shows nothing of them.
MISFITS = {"TV.form.beyond": t.ADD, "TV.form.high_bit": t.OR, "TV.form.cleared": t.OR, "TV.pc.jump": t.INCREMENT_PC,
           "TV.pc.other_length": t.INCREMENT_PC}  # fmt: skip
# Clauses about rows: findings at a row of theirs that may be their violation.
ROWS: dict[str, tuple[str, ...]] = {
    "TV.group.begin": (GROUP_CLAUSE, OUTSIDE_CLAUSE, ORDER_CLAUSE),
    "TV.group.outside": (GROUP_CLAUSE, OUTSIDE_CLAUSE),
    "TV.end.outside": (GROUP_CLAUSE, OUTSIDE_CLAUSE),
    "TV.row.illegal": (GROUP_CLAUSE, OUTSIDE_CLAUSE, ORDER_CLAUSE),
    "TV.row.absent": (GROUP_CLAUSE, OUTSIDE_CLAUSE),
    "TV.order.lanes": (GROUP_CLAUSE, ORDER_CLAUSE),
    "TV.order.rows": (GROUP_CLAUSE, ORDER_CLAUSE),
    "TV.order.lost": (GROUP_CLAUSE,),
}
# Rules of the bytes alone that say the same of what cannot be decoded.
RULES: dict[str, tuple[str, ...]] = {
    "TV.form.first": ("TV.legal.base",),
    "TV.form.reset": ("TV.legal.base",),
    "TV.pc.first": ("TV.legal.pc_known",),
    "TV.pc.reset": ("TV.legal.pc_known",),
    "TV.pc.insn": ("TV.legal.increment",),
    "TV.pc.outside": ("TV.legal.inside",),
    "TV.row.absent": ("TV.legal.absent",),
    "TV.field.mlen": ("TV.legal.zeros",),
    "TV.opcode.end": ("TV.legal.end",),
    "TV-1": ("TV.legal.request", "TV.legal.response"),
}
FOUND = (GROUP_CLAUSE, ORDER_CLAUSE, OUTSIDE_CLAUSE)
ADDRESSES = "TV.field.mlen"
TRANSACTIONS = ("TV-1", "TV.request.data", OPCODE[t.REQUEST])
ANSWERS = ("TV.response.data", OPCODE[t.RESPONSE])
_HEADS = {"reset": OPCODE[t.RESET], "init": OPCODE[t.INIT]}
_ADDRESSED = tuple(STATE_KEY + n for n in (t.PADDR, t.EADDR, t.PPC))


class Proven:
    """Of one comparison that has run, after the rules of `legal`. proven: how often, by clause. doubt: of a clause that
    something wrong may be a violation of, the row, and the clause of the finding there. met: clauses whose situation
    occurred.
    """

    def __init__(self, capture: TandemCapture, book: ClauseBook, lossless: Lossless, items: ItemTable) -> None:
        self.capture, self.book, self.lossless, self.items = capture, book, lossless, items
        self.expected, self.decoded = lossless.expected, lossless.decoded
        self.proven: dict[str, int] = {}
        self.doubt: dict[str, tuple[int, str]] = {}
        self.met: set[str] = set()
        self._reports()

    def _reports(self) -> None:
        """Of each report of the rows by which opcode it was sent, 0 if it was not, and the clause if it is wrong."""
        n, data = len(self.expected), np.frombuffer(self.capture.data, np.uint8)
        self.code, self.sent_at = np.zeros(n, np.int64), np.full(n, -1)
        self.wrong: dict[int, str] = {}
        compared = self.lossless.compared
        if compared is None or not len(data):
            return
        table, bad = compared.table, compared.bad
        right = np.flatnonzero(table.has[0] & table.has[1] & ~bad)
        self.sent_at[table.number[0][right]] = table.number[1][right]
        self.code[table.number[0][right]] = data[self.decoded.change_offset[table.number[1][right]]]
        for line in np.flatnonzero(bad & table.has[0]).tolist():
            at = int(table.number[0][line])
            self.code[at], self.sent_at[at] = 0, -1
        for at, (line, clause) in compared.blamed.items():
            self.wrong[at] = clause
            if table.has[1][line]:
                self.sent_at[at] = int(table.number[1][line])

    def count(self) -> None:
        """Everything."""
        self._situations()
        self._items()
        self._heads()
        self._transactions()
        failed = self.book.failed
        for clause, rules in RULES.items():
            for rule in rules:
                if rule in failed and (self.proven.get(clause) or clause in self.met):
                    self._doubt(clause, 0, rule)
        for clause, times in self.proven.items():
            self.book.count(clause, times)
        for clause, (row, cause) in self.doubt.items():
            failure = located(self.capture, self.expected, clause, f"not shown: {cause} is broken here", row)
            self.lossless.follows.append((failure, cause))
            self.book.fail(failure)

    def _add(self, clause: str, times: int) -> None:
        if times:
            self.proven[clause] = self.proven.get(clause, 0) + int(times)

    def _doubt(self, clause: str, row: int, cause: str) -> None:
        self.doubt.setdefault(clause, (row, cause))

    # --- Situations of the rows

    def _situations(self) -> None:
        situations = Situations(self.expected)
        situations.config = replace(self.capture.config, incremental=INCREMENT_ALL)  # any device may use any form
        used = set(np.unique(self.items.code).tolist())
        for clause, rows, reports in (*situations.all(), ("TV.order.lost", np.flatnonzero(self.expected.sent), None)):
            if len(rows):
                self.met.add(clause)
            if clause in REPORTS and reports is not None:
                if MISFITS.get(clause, t.BEGIN) in used:
                    self._of_reports(clause, reports, REPORTS[clause])
            elif clause in ROWS:
                self._of_rows(clause, rows)

    def _of_reports(self, clause: str, reports: np.ndarray, codes: tuple[int, ...]) -> None:
        code = self.code[reports]
        self._add(clause, int(np.isin(code, codes).sum() if codes else (code > 0).sum()))
        for at in sorted(self.wrong.keys() & set(reports.tolist())) if self.wrong else ():
            if not codes or self.sent_at[at] < 0 or self._code(at) in codes:
                self._doubt(clause, int(self.expected.row[at]), self.wrong[at])
                break

    def _code(self, at: int) -> int:
        """By which opcode a report was sent that is wrong."""
        return self.capture.data[int(self.decoded.change_offset[self.sent_at[at]])]

    def _of_rows(self, clause: str, rows: np.ndarray) -> None:
        self._add(clause, int(self.lossless.of_row[rows].sum()))
        places = self._places()
        for row in sorted(places.keys() & set(rows.tolist())) if places else ():
            if cause := next((one for one in ROWS[clause] if one in places[row]), ""):
                self._doubt(clause, row, cause)
                break

    def _places(self) -> dict[int, set[str]]:
        """Rows and the clauses of what was found there; of what is too much, the rows around it."""
        found: dict[int, set[str]] = {row: {GROUP_CLAUSE} for row in self.lossless.lost}
        for one in self.lossless.found:
            if one.clause in FOUND:
                for row in (one.row - 1, one.row, one.row + 1):
                    found.setdefault(row, set()).add(one.clause)
        return found

    # --- Items

    def _items(self) -> None:
        """Reports by the opcode and the identifier by which they were sent."""
        expected = self.expected
        for code in (t.INCREMENT_PC, t.REGISTER, *SHORT):
            self._add(OPCODE[code], int((self.code == code).sum()))
        states = self.code == t.STATE
        for identifier, clause in IDENTIFIER.items():
            self._add(clause, int((states & (expected.key == STATE_KEY + identifier)).sum()))
        self._add(ADDRESSES, int((states & np.isin(expected.key, _ADDRESSED)).sum()))
        for at, cause in self.wrong.items():
            for clause in self._sent_by(at):
                self._doubt(clause, int(expected.row[at]), cause)

    def _sent_by(self, at: int) -> Iterator[str]:
        """The clauses of the item by which a report is wrong, or should have been sent."""
        key = int(self.expected.key[at])
        code = self._code(at) if self.sent_at[at] >= 0 else t.STATE if key >= STATE_KEY else t.REGISTER
        if code == t.STATE and key >= STATE_KEY:
            yield IDENTIFIER[key - STATE_KEY]
            if key in _ADDRESSED:
                yield ADDRESSES
        elif code in OPCODE:
            yield OPCODE[code]

    def _heads(self) -> None:
        """Begin and end of groups, instructions, and marks."""
        lossless = self.lossless
        sound = lossless.aligned.pairs[lossless.sound]
        wanted, reported = lossless.wanted, lossless.told
        self._add(OPCODE[t.BEGIN], len(sound))
        same = (wanted.size[sound[:, 0]] == reported.size[sound[:, 1]]) & (
            wanted.insn[sound[:, 0]] == reported.insn[sound[:, 1]]
        )
        for code, size in ((t.INSN16, 2), (t.INSN32, 4)):
            of = wanted.size[sound[:, 0]] == size
            self._add(OPCODE[code], int((of & same).sum()))
            for i in sound[of & ~same, 0][:1].tolist():
                self._doubt(OPCODE[code], int(wanted.section[i]), "TV.reported.insn")
        for name, clause in _HEADS.items():
            a, b = getattr(wanted, name)[sound[:, 0]], getattr(reported, name)[sound[:, 1]]
            self._add(clause, int((a & b).sum()))
            for i in sound[a != b, 0][:1].tolist():
                self._doubt(clause, int(wanted.section[i]), f"TV.reported.{name}")
        ends = np.flatnonzero(self.items.of(t.END))
        section = np.searchsorted(self.decoded.offset, self.items.start[ends], side="right") - 1
        self._add(OPCODE[t.END], int((~self.decoded.broken[section[section >= 0]]).sum()))
        for one in lossless.found:
            if one.clause in (GROUP_CLAUSE, OUTSIDE_CLAUSE):
                self._doubt(OPCODE[t.BEGIN], max(one.row, 0), one.clause)
                self._doubt(OPCODE[t.END], max(one.row, 0), one.clause)

    def _transactions(self) -> None:
        """Requests and responses, with the byte that has operation and size."""
        wanted = self.lossless.wanted.requests
        mine = self.lossless.transactions[:, 0]
        for clause in TRANSACTIONS:
            self._add(clause, len(mine))
        self._add(ADDRESSES, len(mine))
        for clause in ANSWERS:
            self._add(clause, int(np.count_nonzero(wanted.answered[mine])))
        for one in self.lossless.found:
            if one.clause in ("TV.reported.request", "TV.reported.response"):
                clauses = TRANSACTIONS if one.clause == "TV.reported.request" else ("TV-1", *ANSWERS)
                for clause in clauses:
                    self._doubt(clause, max(one.row, 0), one.clause)
                if one.clause == "TV.reported.request":
                    self._doubt(ADDRESSES, max(one.row, 0), one.clause)
