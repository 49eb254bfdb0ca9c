# SPDX-License-Identifier: Apache-2.0
"""Lossless: a decoder that has only the bytes reports what the rows did, whatever forms, order and ends the encoder
chose.

Groups of both sides are aligned first (`rvtrace.scoreboards.tandem.alignment`), so that a group that is missing, or
that could not be decoded, hides nothing but itself. Then every register, state and bus transaction is compared in its
group, or between two groups (TV-8: without order). A value that depends on one that was reported wrongly is a
consequence, and not judged.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rvtrace.models.tandem import table as t
from rvtrace.models.tandem.decoder.decoded import Decoded
from rvtrace.models.tandem.table import STATE_KEY
from rvtrace.scoreboards.common.clauses import KEPT_PER_CLAUSE, ClauseBook, Failure
from rvtrace.scoreboards.common.findings import COMPARED
from rvtrace.scoreboards.tandem.alignment import Alignment, align
from rvtrace.scoreboards.tandem.capture import TandemCapture
from rvtrace.scoreboards.tandem.expected import Expected, Requests, requests
from rvtrace.scoreboards.tandem.resemblance import resemblance
from rvtrace.scoreboards.tandem.streams import (
    GROUPS,
    MOVABLE,
    PC_KEY,
    REST,
    Elements,
    Side,
    told_side,
    volatile,
    wanted_side,
)
from rvtrace.scoreboards.tandem.tolerances import Tolerances

COUNTED = ("pc", "ppc", "gpr", "fpr", "fcsr", "csr", "priv", "paddr", "eaddr", "memdata", "mtime", "mcycle", "minstret")
CLAUSE = {name: f"TV.reported.{name}" for name in (*COUNTED, "insn", "reset", "init", "request", "response")}
GROUP_CLAUSE, ORDER_CLAUSE, OUTSIDE_CLAUSE, LENGTH_CLAUSE = (
    "TV.reported.group",
    "TV.reported.order",
    "TV.reported.outside",
    "TV.insn.length",
)
REFUSED_CLAUSE = "TV.port.error"
BASE_CLAUSE = "TV.legal.base"  # an incremental form of what has no base reports nothing
_STATE_PARTS = {t.PC: "pc", t.PPC: "ppc", t.PRIV: "priv", t.PADDR: "paddr", t.EADDR: "eaddr", t.MTIME: "mtime"}
_NOT_JUDGED = -1  # stretch of what belongs to no pair of groups
_SYSTEMATIC = 2  # registers of a part reported under a name of another part: not chance
_SPAN = 1 << 32  # more than there are stretches
Row = tuple[str, str, str]


def part_of(key: int) -> str:
    """The part that a key is of."""
    key -= REST if REST <= key < STATE_KEY + REST else 0
    if key >= STATE_KEY:
        return _STATE_PARTS.get(key - STATE_KEY, "memdata")
    if key >= t.FPR_BASE:
        return "fpr"
    return "gpr" if key >= t.GPR_BASE else "fcsr" if key == t.FCSR else "csr"


def key_name(key: int) -> str:
    """A key for people."""
    if key >= REST:
        return f"other bits of CSR {key - REST:#05x}"
    if key >= STATE_KEY:
        return t.BY_ID[key - STATE_KEY].meaning if key - STATE_KEY in t.BY_ID else f"state {key - STATE_KEY}"
    if key >= t.FPR_BASE:
        return f"f{key - t.FPR_BASE}"
    return f"x{key - t.GPR_BASE}" if key >= t.GPR_BASE else f"CSR {key:#05x}"


@dataclass
class _Found:
    """A difference: its stretch after alignment, what it violates, and where it is on both sides (-1: not there).
    follows: the clause of what it follows from.
    """

    stretch: int
    clause: str
    headline: str
    table: list[Row]
    row: int
    section: int
    follows: str = ""


@dataclass
class _Table:
    """Both sides' reports by key and stretch: whether there is one, its last value, its number (see `Elements.at`)."""

    key: np.ndarray
    stretch: np.ndarray
    has: tuple[np.ndarray, np.ndarray]
    value: tuple[np.ndarray, np.ndarray]
    number: tuple[np.ndarray, np.ndarray]
    full: np.ndarray

    def before(self, side: int) -> np.ndarray:
        """Of each line the last line of the same key before it that has a report of a side, -1 if there is none."""
        line = np.arange(len(self.key))
        last = np.maximum.accumulate(np.where(self.has[side], line, -1))
        last = np.concatenate(([-1], last[:-1])) if len(line) else line
        return np.where((last >= 0) & (self.key[last] == self.key), last, -1)


class Compared(NamedTuple):
    """Reports by key and stretch (see `_Table`), and those that differ. blamed: of reports of the rows that differ and
    follow from no other, the line, and the clause of the finding.
    """

    table: _Table
    bad: np.ndarray
    blamed: dict[int, tuple[int, str]]


class Lossless:
    """One comparison of a capture with what its decoder reported.

    judged: instructions of the rows whose groups were found and could be decoded. row_of: the row of each section that
    is a group, -1 where it belongs to none.
    """

    def __init__(
        self, capture: TandemCapture, book: ClauseBook, expected: Expected, decoded: Decoded, tolerances: Tolerances
    ) -> None:
        self.capture, self.book, self.expected, self.decoded = capture, book, expected, decoded
        self.free, self.unchanged = tolerances.bytes == "any", tolerances.unchanged
        self._align()
        self.found: list[_Found] = []
        self.aliases: dict[int, str] = {}  # keys under which another register is reported, and its clause
        self.renamed: dict[str, str] = {}  # parts of such registers, and their clauses
        bases = [found.offset for found in decoded.diagnostics if found.name == "unknown_base"]
        self.baseless = set((np.searchsorted(decoded.offset, bases, side="right") - 1).tolist())
        self.follows: list[tuple[Failure, str]] = []  # failures and the clause that each follows from
        self.apart: dict[int, tuple[int, int]] = {}  # of lines with several reports the first values that differ
        self.other_name: dict[int, int] = {}  # of lines that are missing the line with their value
        self.moved: set[int] = set()  # lines whose report is elsewhere
        self.compared: Compared | None = None
        self.lost: set[int] = set()  # rows of groups that are missing
        self.transactions = np.zeros((0, 2), np.int64)  # those that are right, by their numbers on both sides
        self._number()

    def _align(self) -> None:
        """Without groups in which nothing is new, which may be omitted. A wrong value, or a missing mark, can make a
        group look so: if groups remain apart, more are aligned, and what leaves fewest apart counts.
        """
        best: tuple[Side, Side, Alignment] | None = None
        for which in GROUPS:
            wanted = wanted_side(self.expected, requests(self.expected), self.free, self.unchanged, which)
            told = told_side(self.decoded, self.capture.data, self.free, self.unchanged, which)
            aligned = align(wanted.whole, told.whole, wanted.kind, told.kind)
            if best is None or aligned.apart < best[2].apart:
                best = wanted, told, aligned
            if not self.free or not aligned.apart:
                break
        assert best is not None
        self.wanted, self.told, self.aligned = best

    def _number(self) -> None:
        """Stretches by pairs of groups, in place of groups."""
        pairs = self.aligned.pairs
        broken = self.decoded.broken[self.told.section[pairs[:, 1]]]
        self.sound = ~broken
        self.row_of = np.full(len(self.decoded), -1)
        self.row_of[self.told.section[pairs[:, 1]]] = self.wanted.section[pairs[:, 0]]
        self.numbers = [self._ranks(pairs[:, column], side, broken)
                        for column, side in enumerate((self.wanted, self.told))]  # fmt: skip
        insn = self.wanted.size > 0
        self.judged = int(insn[pairs[~broken, 0]].sum())

    @staticmethod
    def _ranks(chosen: np.ndarray, side: Side, broken: np.ndarray) -> np.ndarray:
        """By stretch of a side the one after alignment."""
        paired = np.full(len(side), _NOT_JUDGED)
        paired[chosen[~broken]] = 2 * np.flatnonzero(~broken) + 1
        before = np.zeros(len(side) + 1, np.int64)
        np.add.at(before, chosen + 1, 1)
        out = np.full(2 * len(side) + 1, _NOT_JUDGED)
        out[::2] = 2 * np.cumsum(before)
        out[1::2] = paired
        return out

    def run(self) -> None:
        """Compare everything, count what was compared, and report what differs, in order."""
        self._groups()
        self._changes()
        self._requests()
        self._count()
        self._refused()
        self.found.sort(key=lambda one: (bool(one.follows), one.stretch))
        kept: dict[str, int] = defaultdict(int)
        for one in self.found:
            kept[one.clause] += 1
            shown = kept[one.clause] <= KEPT_PER_CLAUSE
            failure = self._failure(one) if shown else Failure(one.clause, one.headline)
            if one.follows and one.follows != one.clause:
                self.follows.append((failure, one.follows))
            self.book.fail(failure, counted=True)

    def _refused(self) -> None:
        """What is missing of legal rows that the device refused, as error_o says, follows from that."""
        if self.capture.errors is None:
            return
        refused = set(np.flatnonzero(np.asarray(self.capture.errors, bool) & ~self.expected.illegal).tolist())
        for one in self.found if refused else ():
            if one.row in refused:
                one.follows = one.follows or REFUSED_CLAUSE

    # --- Groups

    def _groups(self) -> None:
        aligned: Alignment = self.aligned
        rank = {int(j): n for n, j in enumerate(aligned.pairs[:, 1])}

        def stretch_at(j: int) -> int:
            return next((2 * rank[k] for k in range(j, min(j + 3, len(self.told))) if k in rank), 2 * len(rank))

        for i, count, j in aligned.missing:
            end = " at the end" if i + count == len(self.wanted) else ""
            what = "a group is missing" if count == 1 else f"{count} groups are missing"
            self._add(stretch_at(j), GROUP_CLAUSE, what + end, [], int(self.wanted.section[i]), self._section(j - 1))
            self.lost |= set(self.wanted.section[i : i + count].tolist())
        for j, count, i in aligned.extra:
            what = "there is a group that no row makes" if count == 1 else f"there are {count} groups that no row makes"
            self._add(stretch_at(j), GROUP_CLAUSE, what, [], self._row(i), self._section(j))
        for i, j in aligned.swapped:
            self._add(stretch_at(j), ORDER_CLAUSE, "two groups are reported in the wrong order", [],
                      self._row(i), self._section(j))  # fmt: skip
        sound = aligned.pairs[self.sound]
        place = np.flatnonzero(self.sound)
        wanted, told = self.wanted, self.told
        for name in ("reset", "init", "size", "insn"):
            a, b = getattr(wanted, name)[sound[:, 0]], getattr(told, name)[sound[:, 1]]
            for n in np.flatnonzero(a != b).tolist():
                self._head(name, 2 * int(place[n]) + 1, *sound[n].tolist())

    def _head(self, name: str, stretch: int, i: int, j: int) -> None:
        """A group whose head differs in something."""
        wanted, told = int(getattr(self.wanted, name)[i]), int(getattr(self.told, name)[j])
        at = int(self.wanted.section[i]), int(self.told.section[j])
        if name in ("reset", "init"):
            self._add(stretch, CLAUSE[name], f"{name} of a group", [(name, str(wanted), str(told))], *at)
        elif name == "size" and wanted and told:
            text = "an instruction is reported with another length"
            self._add(stretch, LENGTH_CLAUSE, text, [("bytes", str(wanted), str(told))], *at)
        elif name == "insn" and self.wanted.size[i] and self.told.size[j]:
            text = f"the instruction of a group is wrong{resemblance(wanted, told, 8 * int(self.wanted.size[i]))}"
            self._add(stretch, CLAUSE["insn"], text, [("instruction", f"{wanted:#x}", f"{told:#x}")], *at)
        elif name == "size":
            insns = [f"{int(side.insn[n]):#x}" if side.size[n] else "none"
                     for side, n in ((self.wanted, i), (self.told, j))]  # fmt: skip
            text = (
                "the instruction of a group is not reported" if wanted else "a group has an instruction that no row has"
            )
            self._add(stretch, CLAUSE["insn"], text, [("instruction", insns[0], insns[1])], *at)

    # --- Registers and state

    def _elements(self, which: int) -> tuple[Elements, np.ndarray]:
        """The reports of a side that belong to pairs, and their stretches."""
        side = (self.wanted, self.told)[which]
        stretch = self.numbers[which][side.stretch]
        keep = np.flatnonzero(stretch != _NOT_JUDGED)
        return side.elements.select(keep), stretch[keep]

    def _changes(self) -> None:
        (wanted, at), (told, there) = self._elements(0), self._elements(1)
        keep = ~self._unknown(wanted, at)
        wanted, at = wanted.select(keep), at[keep]
        if self.free:
            at = self._moved(wanted, at, told, there)
        if self.unchanged:
            (wanted, at), (told, there) = _steps(wanted, at), _steps(told, there)
        codes = [elements.key * _SPAN + stretch for elements, stretch in ((wanted, at), (told, there))]
        every = np.unique(np.concatenate(codes))
        table = self._table(every, codes, (wanted, told))
        unequal = table.has[0] & table.has[1] & (table.value[0] != table.value[1])
        bad = (table.has[0] != table.has[1]) | unequal
        if self.unchanged:
            steady = ~volatile(table.key)
            for here, other in ((0, 1), (1, 0)):
                before = table.before(other)
                same = (before >= 0) & (table.value[other][before] == table.value[here])
                bad &= ~(steady & table.has[here] & ~table.has[other] & same)
        bad |= self._several(every, codes, (wanted, told), table)
        self._judge(table, bad)

    def _unknown(self, wanted: Elements, stretch: np.ndarray) -> np.ndarray:
        """Next pcs that nobody can know, because opcode 3 counts from one that was lost: not judged."""
        decoded, data = self.decoded, np.frombuffer(self.capture.data, np.uint8)
        pairs = self.aligned.pairs
        lost = np.zeros(len(pairs), bool)
        for n in np.flatnonzero(~decoded.next_known[self.told.section[pairs[:, 1]]]).tolist():
            section = self.told.section[pairs[n, 1]]
            lost[n] = t.INCREMENT_PC in data[decoded.offset[section] : decoded.end[section]]
        odd = stretch & 1 == 1
        return (
            (wanted.key == PC_KEY) & odd & lost[np.minimum(stretch >> 1, max(len(lost) - 1, 0))] if len(lost) else odd
        )

    def _moved(self, wanted: Elements, at: np.ndarray, told: Elements, there: np.ndarray) -> np.ndarray:
        """Timers of a group that are reported right before it."""
        here = np.isin(told.key * _SPAN + there, wanted.key * _SPAN + at)
        free = (told.key * _SPAN + there)[np.isin(told.key, MOVABLE)]
        init = np.concatenate((self.wanted.init[self.aligned.pairs[:, 0]], [False]))
        may = np.isin(wanted.key, MOVABLE) & (at & 1 == 1) & ~init[np.minimum(at >> 1, len(init) - 1)]
        codes = wanted.key * _SPAN + at
        moved = may & ~np.isin(codes, (told.key * _SPAN + there)[here]) & np.isin(codes - 1, free)
        return np.where(moved, at - 1, at)

    @staticmethod
    def _table(every: np.ndarray, codes: list[np.ndarray], sides: tuple[Elements, Elements]) -> _Table:
        has, value, number = [], [], []
        full = np.zeros(len(every), bool)
        for code, elements in zip(codes, sides):
            place = np.searchsorted(every, code)
            there, values, numbers = (np.zeros(len(every), dtype) for dtype in (bool, np.uint64, np.int64))
            there[place], values[place], numbers[place], full[place] = True, elements.value, elements.at, elements.full
            has.append(there)
            value.append(values)
            number.append(numbers)
        key, stretch = every // _SPAN, every % _SPAN
        return _Table(key, stretch, (has[0], has[1]), (value[0], value[1]), (number[0], number[1]), full)

    def _several(
        self, every: np.ndarray, codes: list[np.ndarray], sides: tuple[Elements, Elements], table: _Table
    ) -> np.ndarray:
        """Lines with several reports of one side: what was reported last counts (nothing is ordered between two
        groups), and nothing is reported that did not happen.
        """
        bad, before = np.zeros(len(every), bool), table.before(1)
        many = [np.unique(code[1:][code[1:] == code[:-1]]) for code in map(np.sort, codes)]
        for code in np.union1d(*many).tolist():
            lists = [elements.value[of == code].tolist() for of, elements in zip(codes, sides)]
            last = int(before[np.searchsorted(every, code)])
            if self.unchanged and last >= 0 and len(lists[1]) > 1 and lists[1][0] == int(table.value[1][last]):
                del lists[1][0]  # repeats what was reported before
            if all(lists) and (not _within(*lists) if self.unchanged else lists[0] != lists[1]):
                line = int(np.searchsorted(every, code))
                bad[line] = True
                if len(lists[0]) == len(lists[1]):
                    self.apart[line] = next((a, b) for a, b in zip(*lists) if a != b)
        return bad

    def _judge(self, table: _Table, bad: np.ndarray) -> None:
        """What differs, but for values that depend on a wrong one."""
        gaps = np.array(sorted(self._gaps()), np.int64)
        before = table.before(1)
        last_full = np.maximum.accumulate(np.where(table.has[1] & table.full, np.arange(len(bad)), -1))
        lone = volatile(table.key)  # says nothing of what comes later
        tainted, previous = -1, -1
        causes: list[int] = []
        for n in np.flatnonzero(bad).tolist():
            key, there = int(table.key[n]), bool(table.has[1][n])
            follows = (
                tainted == key
                and not (there and table.full[n])
                and not lone[n]
                and (before[n] <= previous or bool(bad[before[n]]))
            )
            if there and not table.full[n] and not follows and len(gaps):
                since = int(last_full[n])
                start = int(table.stretch[since]) if since >= 0 and table.key[since] == key else 0
                follows = bool(((gaps > start) & (gaps <= table.stretch[n])).any())
            tainted, previous = key, n
            if not follows:
                causes.append(n)
        self._renamed(table, np.flatnonzero(bad).tolist())
        self._aliased(table)
        self.compared = Compared(table, bad, {})
        renamed = set(self.other_name.values())
        for n in causes:
            if n not in renamed:
                self._change(table, n)

    def _renamed(self, table: _Table, lines: list[int]) -> None:
        """What is missing, and is reported under another name at its place: one mistake."""
        missing = {(int(table.stretch[n]), int(table.value[0][n])): n for n in lines if not table.has[1][n]}
        for n in lines:
            if not table.has[0][n]:
                stretch, value = int(table.stretch[n]), int(table.value[1][n])
                for place in (stretch, stretch + 1, stretch - 1):
                    at = missing.get((place, value))
                    if at is not None and at not in self.other_name and table.key[at] != table.key[n]:
                        self.other_name[at] = n
                        break

    def _aliased(self, table: _Table) -> None:
        """A register that is reported under another name more than once: what else is wrong of that name follows."""
        pairs = [(int(table.key[a]), int(table.key[b]), a) for a, b in self.other_name.items()]
        kinds = Counter((part_of(key), part_of(other)) for key, other, _ in pairs)
        for key, other, a in pairs:
            if kinds[part_of(key), part_of(other)] >= _SYSTEMATIC:
                clause = CLAUSE[self._part(key, int(table.number[0][a]))]
                self.aliases.setdefault(other, clause)
                self.renamed[part_of(key)] = clause

    def attribute(self, book: ClauseBook) -> None:
        """What follows from registers that are reported under another name, once the book has attributed the rest."""
        rules = ("TV.legal.unambiguous", "TV.legal.x0", "TV.legal.update")
        roots = set(self.aliases.values())
        for failure in book.failures:
            if failure.clause in roots and failure.cause in rules:
                failure.cause = ""
            elif failure.clause in rules and not failure.cause:
                failure.cause = self._cause_of_rule(failure)
        for failure, cause in self.follows:
            failure.cause = failure.cause or cause

    def _cause_of_rule(self, failure: Failure) -> str:
        """Of a rule that is broken in a group: the clause of what the group reports under another name."""
        if failure.at is None or not len(self.decoded):
            return ""
        section = max(0, int(np.searchsorted(self.decoded.offset, failure.at, side="right")) - 1)
        row = int(self.row_of[section])
        if section in self.baseless or row < 0:
            return BASE_CLAUSE if section in self.baseless else ""
        low, high = np.searchsorted(self.expected.row, (row, row + 1))
        parts = {part_of(int(key)) for key in self.expected.key[low:high]}
        return next((clause for part, clause in self.renamed.items() if part in parts), "")

    def _gaps(self) -> set[int]:
        """Stretches before which groups are missing, too many, or could not be decoded."""
        out = {2 * int(n) + 1 for n in np.flatnonzero(~self.sound)}
        return out | {one.stretch for one in self.found if one.clause in (GROUP_CLAUSE, ORDER_CLAUSE)}

    def _change(self, table: _Table, n: int) -> None:
        key, stretch, name = int(table.key[n]), int(table.stretch[n]), key_name(int(table.key[n]))
        there = [bool(table.has[side][n]) for side in (0, 1)]
        wanted, told = (int(table.value[side][n]) if there[side] else None for side in (0, 1))
        wanted, told = self.apart.get(n, (wanted, told))
        number = int(table.number[0][n]) if there[0] else -1
        row = int(self.expected.row[number]) if there[0] else self._row_of(stretch)
        section = self._told_section(int(table.number[1][n])) if there[1] else self._section_of(stretch)
        clause = CLAUSE[self._part(key, number)]
        if n in self.other_name:
            headline = f"{name} is reported as {key_name(int(table.key[self.other_name[n]]))}"
        elif told is None:
            headline = f"{name} is not reported"
        elif wanted is None:
            headline = f"{name} is reported, but did not change"
        else:
            headline = f"{name} is reported with another value{resemblance(wanted, told, 64)}"
        if (
            n not in self.other_name
            and (wanted is None) != (told is None)
            and (moved := self._elsewhere(table, n, there))
        ):
            clause, headline, other = OUTSIDE_CLAUSE, *moved
            if other in self.moved:
                self._blame(n, number, clause)
                return  # the other half of the same mistake
            self.moved.add(n)
        if wanted is not None and wanted == told:  # several times, not the same times
            clause, headline = OUTSIDE_CLAUSE, f"{name} is not reported as often as it happened"
        self._blame(n, number, clause)
        rows = [(name, "" if wanted is None else f"{wanted:#x}", "" if told is None else f"{told:#x}")]
        follows = "" if n in self.other_name else self.aliases.get(key, "")
        if told is None and section in self.baseless:
            follows = BASE_CLAUSE
        self._add(stretch, clause, headline, rows, row, section, follows)

    def _elsewhere(self, table: _Table, n: int, there: list[bool]) -> tuple[str, int] | None:
        """TV-8: it is reported, but on the other side of a begin or an end: before it happened, or after. In words, and
        the line where the other side has it.
        """
        side, other = (0, 1) if there[0] else (1, 0)
        for k in (n - 1, n + 1, n - 2, n + 2):
            if not 0 <= k < len(table.key) or table.key[k] != table.key[n] or not table.has[other][k]:
                continue
            far = abs(int(table.stretch[k]) - int(table.stretch[n]))
            if far > 2 or table.has[side][k] or table.value[other][k] != table.value[side][n]:
                continue
            if not (table.stretch[k] & table.stretch[n] & 1):
                early = (table.stretch[k] < table.stretch[n]) == there[0]
                name = key_name(int(table.key[n]))
                return f"{name} is reported {'before' if early else 'after'} its place outside groups", k
        return None

    def _blame(self, line: int, number: int, clause: str) -> None:
        if self.compared is not None and number >= 0:
            self.compared.blamed[number] = line, clause

    def _part(self, key: int, number: int) -> str:
        """The part that reports a key: fcsr and counters may be reported by a slot as well."""
        if number >= 0:
            return self.expected.name(number)
        part = "fcsr" if key in (t.FFLAGS, t.FRM) or key >= REST else part_of(key)
        if key in (t.MCYCLE, t.MCYCLEH, t.MINSTRET, t.MINSTRETH):
            return "mcycle" if key in (t.MCYCLE, t.MCYCLEH) else "minstret"
        return part

    # --- Requests

    def _requests(self) -> None:
        sides = []
        for which, side in ((0, self.wanted), (1, self.told)):
            stretch = self.numbers[which][side.request_stretch]
            keep = np.flatnonzero(stretch != _NOT_JUDGED)
            sides.append((side, keep, stretch[keep]))
        (wanted, mine, at), (told, theirs, there) = sides
        aligned = align(
            wanted.request_whole[mine], told.request_whole[theirs], wanted.request_kind[mine], told.request_kind[theirs]
        )
        for i, count, j in aligned.missing:
            for k in range(i, i + count):
                self._request("a memory request is not reported", mine[k], None, int(at[k]), j, theirs)
        for j, count, _ in aligned.extra:
            for k in range(j, j + count):
                self._request(
                    "a memory request is reported that did not happen", None, theirs[k], int(there[k]), k, theirs
                )
        for i, j in aligned.swapped:
            self._request(
                "two memory requests are reported in the wrong order", mine[i], theirs[j], int(at[i]), j, theirs
            )
        init = np.concatenate((self.wanted.init[self.aligned.pairs[:, 0]], [False]))
        pairs = aligned.pairs
        apart = there[pairs[:, 1]] - at[pairs[:, 0]]
        inside = (at[pairs[:, 0]] & 1 == 1) & ~init[np.minimum(at[pairs[:, 0]] >> 1, len(init) - 1)]
        misplaced = np.where(inside & self.free, np.abs(apart) > 1, apart != 0)
        differ = np.zeros(len(pairs), bool)
        for name in Requests._fields[1:]:
            a, b = getattr(wanted.requests, name)[mine[pairs[:, 0]]], getattr(told.requests, name)[theirs[pairs[:, 1]]]
            differ |= a != b
        right = pairs[~(differ | misplaced)]
        self.transactions = np.stack((mine[right[:, 0]], theirs[right[:, 1]]), axis=1)
        for n in np.flatnonzero(differ | misplaced).tolist():
            i, j = mine[pairs[n, 0]], theirs[pairs[n, 1]]
            if differ[n]:
                self._request("a memory request or its response is reported wrongly", i, j, int(at[pairs[n, 0]]),
                              int(pairs[n, 1]), theirs)  # fmt: skip
                continue
            side = "before" if apart[n] < 0 else "after"
            section = self._request_section(int(j))
            text = f"a memory request is reported {side} its place outside groups"
            self._add(int(at[pairs[n, 0]]), OUTSIDE_CLAUSE, text, [], int(self.wanted.requests.row[i]), section)

    def _request(self, text: str, i: int | None, j: int | None, stretch: int, near: int, theirs: np.ndarray) -> None:
        """A transaction that is wrong, missing or too many."""
        wanted, told = self.wanted.requests, self.told.requests
        rows = [
            (
                name,
                "" if i is None else f"{int(getattr(wanted, name)[i]):#x}",
                "" if j is None else f"{int(getattr(told, name)[j]):#x}",
            )
            for name in Requests._fields[1:]
        ]
        wrong = {name for name, a, b in rows if a != b}
        answer = i is not None and j is not None and wrong <= {"answered", "result", "response"}
        if i is not None and j is not None and len(wrong) == 1:
            (name,) = wrong
            a, b = (int(getattr(side, name)[k]) for side, k in ((wanted, i), (told, j)))
            text += f": {name}{resemblance(a, b, 64)}"
        section = self._request_section(j) if j is not None else self._section_of(stretch)
        row = int(wanted.row[i]) if i is not None else self._row_of(stretch)
        self._add(stretch, CLAUSE["response" if answer else "request"], text, rows, row, section)

    def _request_section(self, j: int) -> int:
        return int(np.searchsorted(self.decoded.memory_start, j, side="right")) - 1

    # --- Counts

    @property
    def of_row(self) -> np.ndarray:
        """Rows that were compared, as a mask."""
        return self.numbers[0][self.wanted.section_stretch] != _NOT_JUDGED

    def _count(self) -> None:
        """What was compared."""
        expected, book = self.expected, self.book
        of_row = self.of_row
        for name in COUNTED:
            parts = [f"csr{slot}" for slot in range(t.CSR_SLOTS)] if name == "csr" else [name]
            book.count(CLAUSE[name], sum(int((expected.has(part) & of_row).sum()) for part in parts))
        for name in ("insn", "reset", "init", "request", "response"):
            book.count(CLAUSE[name], int((expected.has(name) & of_row).sum()))
        book.count(LENGTH_CLAUSE, int((expected.has("insn") & of_row).sum()))
        groups = len(self.wanted)
        book.count(GROUP_CLAUSE, groups)
        book.count(ORDER_CLAUSE, int(self.sound.sum()))
        book.count(OUTSIDE_CLAUSE, int((expected.outside & of_row).sum()))

    # --- Places

    def _add(
        self, stretch: int, clause: str, headline: str, table: list[Row], row: int, section: int, follows: str = ""
    ) -> None:
        self.found.append(_Found(stretch, clause, headline, table, row, section, follows))

    def _row(self, i: int) -> int:
        """The row of a group, or the last one."""
        return int(self.wanted.section[min(i, len(self.wanted) - 1)]) if len(self.wanted) else -1

    def _section(self, j: int) -> int:
        return int(self.told.section[j]) if 0 <= j < len(self.told) else -1

    def _row_of(self, stretch: int) -> int:
        pairs = self.aligned.pairs
        return self._row(int(pairs[stretch >> 1, 0])) if stretch >> 1 < len(pairs) else len(self.expected.rows) - 1

    def _section_of(self, stretch: int) -> int:
        """The section of a group; of what is between two groups the one before it."""
        pairs, n = self.aligned.pairs, (stretch >> 1) - (stretch & 1 == 0)
        return self._section(int(pairs[n, 1])) if 0 <= n < len(pairs) else -1

    def _told_section(self, number: int) -> int:
        return int(np.searchsorted(self.decoded.change_start, number, side="right")) - 1

    def _failure(self, one: _Found) -> Failure:
        """At the row; `at` is where the section begins of the bytes in which it shows. What is missing between two
        groups has the place after the first.
        """
        if not len(self.expected.rows):
            found = Failure(one.clause, one.headline, table=one.table)
        else:
            row = min(max(one.row, 0), len(self.expected.rows) - 1)
            found = located(self.capture, self.expected, one.clause, one.headline, row, one.table)
        outside = one.stretch & 1 == 0 and one.clause not in (GROUP_CLAUSE, ORDER_CLAUSE)
        section = self._section_of(one.stretch) if outside else one.section
        found.at = 0
        if section >= 0:
            found.at = int((self.decoded.end if outside else self.decoded.offset)[section])
        found.found = COMPARED
        return found


def _steps(elements: Elements, stretch: np.ndarray) -> tuple[Elements, np.ndarray]:
    """Without reports that repeat the one right before them in the same stretch."""
    order = np.lexsort((np.arange(len(stretch)), stretch, elements.key))
    again = np.zeros(len(order), bool)
    key, value, at = elements.key[order], elements.value[order], stretch[order]
    again[1:] = (key[1:] == key[:-1]) & (value[1:] == value[:-1]) & (at[1:] == at[:-1])
    keep = np.sort(order[~again])
    return elements.select(keep), stretch[keep]


def _within(wanted: list[int], told: list[int]) -> bool:
    """Whether what is told is among what is wanted, in its order, and the last is the last."""
    rest = iter(wanted)
    return told[-1] == wanted[-1] and all(value in rest for value in told)


def located(
    capture: TandemCapture,
    expected: Expected,
    clause: str,
    headline: str,
    row: int,
    table: list[tuple[str, str, str]] | None = None,
) -> Failure:
    """A failure at a row: its cycle, the pc of its instruction, and the rows before it."""
    pc = None
    told = np.flatnonzero(expected.has("pc")[:row])
    if len(told):
        pc = int(expected.rows.pc[told[-1]])
    place = capture.program.where(pc) if capture.program is not None and pc is not None else ""
    before = [f"row {k}: {shown(expected, k)}" for k in range(max(0, row - 3), row + 1)]
    return Failure(clause, f"row {row}: {headline}", int(capture.cycle[row]), pc, place, table or [], before)


def shown(expected: Expected, row: int) -> str:
    """A row in a line: its parts, and the values that it reports."""
    flags = [
        name
        for name in ("group", "flush", "reset", "init", "insn", "request", "response")
        if expected.rows.have(name)[row]
    ]
    low, high = np.searchsorted(expected.row, (row, row + 1))
    flags += [f"{key_name(int(expected.key[k]))}={int(expected.value[k]):#x}" for k in range(low, high)]
    return " ".join((["illegal"] if expected.illegal[row] else []) + flags) or "nothing"
