# SPDX-License-Identifier: Apache-2.0
"""Lossless: a decoder that has only the bytes reports what the rows did, whatever forms, order and ends the encoder
chose.

Rows are compared with sections in stretches: a group, or what is reported between two groups (TV-8: without order). The
first stretch that differs is reported; what follows may come from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from rvtrace.models.tandem import table as t
from rvtrace.models.tandem.decoder.decoded import GROUP, Decoded
from rvtrace.models.tandem.table import STATE_KEY
from rvtrace.scoreboards.common.clauses import ClauseBook, Failure
from rvtrace.scoreboards.tandem.capture import TandemCapture
from rvtrace.scoreboards.tandem.expected import Expected, Requests, requests
from rvtrace.scoreboards.tandem.tolerances import Tolerances

COUNTED = ("pc", "ppc", "gpr", "fpr", "fcsr", "csr", "priv", "paddr", "eaddr", "memdata", "mtime", "mcycle", "minstret")
CLAUSE = {name: f"TV.told.{name}" for name in (*COUNTED, "insn", "reset", "init", "request", "response")}
GROUP_CLAUSE, ORDER_CLAUSE, OUTSIDE_CLAUSE, LENGTH_CLAUSE = (
    "TV.told.group",
    "TV.told.order",
    "TV.told.outside",
    "TV.insn.length",
)
_STATE_PARTS = {t.PC: "pc", t.PPC: "ppc", t.PRIV: "priv", t.PADDR: "paddr", t.EADDR: "eaddr", t.MTIME: "mtime"}


class Lines(NamedTuple):
    """Changes in order of stretch and key. at: number of the report or of the change."""

    stretch: np.ndarray
    key: np.ndarray
    value: np.ndarray
    at: np.ndarray

    def of(self, stretch: int) -> dict[int, int]:
        """What a stretch reports in the end, by key."""
        low, high = np.searchsorted(self.stretch, (stretch, stretch + 1))
        return dict(zip(self.key[low:high].tolist(), self.value[low:high].tolist()))


def _lines(stretch: np.ndarray, key: np.ndarray, value: np.ndarray) -> Lines:
    order = np.lexsort((key, stretch))
    return Lines(stretch[order], key[order], value[order], order)


def part_of(key: int) -> str:
    """The part that a key is of."""
    if key >= STATE_KEY:
        return _STATE_PARTS.get(key - STATE_KEY, "memdata")
    if key >= t.FPR_BASE:
        return "fpr"
    return "gpr" if key >= t.GPR_BASE else "fcsr" if key == t.FCSR else "csr"


def key_name(key: int) -> str:
    """A key for people."""
    if key >= STATE_KEY:
        return t.BY_ID[key - STATE_KEY].meaning if key - STATE_KEY in t.BY_ID else f"state {key - STATE_KEY}"
    if key >= t.FPR_BASE:
        return f"f{key - t.FPR_BASE}"
    return f"x{key - t.GPR_BASE}" if key >= t.GPR_BASE else f"CSR {key:#05x}"


@dataclass
class Groups:
    """Of each group: reset, init, instruction and its bytes; of rows their number, of a decoder none."""

    reset: np.ndarray
    init: np.ndarray
    insn: np.ndarray
    size: np.ndarray
    row: np.ndarray

    def __len__(self) -> int:
        return len(self.size)


class Lossless:
    """One comparison of a capture with what its decoder reported."""

    def __init__(
        self, capture: TandemCapture, book: ClauseBook, expected: Expected, decoded: Decoded, tolerances: Tolerances
    ) -> None:
        self.capture, self.book, self.expected, self.decoded, self.tolerances = (
            capture,
            book,
            expected,
            decoded,
            tolerances,
        )
        at = np.flatnonzero(expected.group)
        has_insn = expected.has("insn")[at]
        self.wanted = Groups(
            expected.has("reset")[at], expected.has("init")[at], np.where(has_insn, expected.rows.insn[at], 0),
            np.where(has_insn, np.where(expected.rows.insn16[at], 2, 4), 0), at,
        )  # fmt: skip
        self.wanted.insn = np.where(self.wanted.size == 2, self.wanted.insn & 0xFFFF, self.wanted.insn)
        kind = decoded.kind == GROUP
        self.told = Groups(
            decoded.reset[kind], decoded.init[kind], decoded.insn[kind], decoded.size[kind], np.flatnonzero(kind)
        )
        # A group is the stretch 2 n + 1, what appears before it 2 n.
        before = np.cumsum(expected.group)
        self.row_stretch = np.where(expected.group, 2 * before - 1, 2 * before)
        sections = np.where(kind, 2 * decoded.number + 1, 2 * decoded.number + 2)
        count = np.diff(decoded.change_start)
        self.lines = _lines(self.row_stretch[expected.row], expected.key, expected.value)
        self.changes = _lines(np.repeat(sections, count), decoded.change_key, decoded.change_value)
        self.requests = requests(expected)
        self.memory = np.repeat(sections, np.diff(decoded.memory_start))

    def run(self) -> None:
        """Count what fits up to the first stretch that does not, and report that."""
        first = min(self._first_group(), self._first_change(), self._first_request())
        self._count(first)
        whole = first >= 2 * max(len(self.wanted), len(self.told)) + 2
        if not whole:
            for failure in self._explain(first):
                self.book.fail(failure)

    # --- Where both first differ

    def _first_group(self) -> int:
        n = min(len(self.wanted), len(self.told))
        wrong = np.zeros(n, bool)
        for name in ("reset", "init", "insn", "size"):
            wrong |= getattr(self.wanted, name)[:n] != getattr(self.told, name)[:n]
        if wrong.any():
            return 2 * int(np.argmax(wrong)) + 1
        return 2 * n + 1 if len(self.wanted) != len(self.told) else 2 * n + 2

    def _first_change(self) -> int:
        lines, changes = self.lines, self.changes
        if self.tolerances.unchanged:
            lines, changes = _effective(lines), _effective(changes)
        n = min(len(lines.key), len(changes.key))
        wrong = (
            (lines.stretch[:n] != changes.stretch[:n])
            | (lines.key[:n] != changes.key[:n])
            | (lines.value[:n] != changes.value[:n])
        )
        if wrong.any():
            k = int(np.argmax(wrong))
            return int(min(lines.stretch[k], changes.stretch[k]))
        rest = [int(part.stretch[n]) for part in (lines, changes) if len(part.key) > n]
        return rest[0] if rest else self._end

    @property
    def _end(self) -> int:
        return 2 * max(len(self.wanted), len(self.told)) + 2

    def _told_requests(self) -> Requests:
        d = self.decoded
        return Requests(
            np.zeros(0, np.int64),
            d.memory_op,
            d.memory_size,
            d.memory_address,
            d.memory_data,
            d.memory_has >> 1 & 1,
            d.memory_result,
            d.memory_response,
        )

    def _first_request(self) -> int:
        wanted, told = self.requests, self._told_requests()
        stretch = self.row_stretch[wanted.row]
        n = min(len(wanted.op), len(told.op))
        wrong = stretch[:n] != self.memory[:n]
        for name in Requests._fields[1:]:
            wrong |= getattr(wanted, name)[:n] != getattr(told, name)[:n]
        if wrong.any():
            k = int(np.argmax(wrong))
            return int(min(stretch[k], self.memory[k]))
        rest = [int(part[n]) for part in (stretch, self.memory) if len(part) > n]
        return rest[0] if rest else self._end

    # --- What fits

    def _count(self, first: int) -> None:
        expected, book, good = self.expected, self.book, self.row_stretch < first
        for name in COUNTED:
            parts = [f"csr{slot}" for slot in range(t.CSR_SLOTS)] if name == "csr" else [name]
            book.count(CLAUSE[name], sum(int((expected.has(part) & good).sum()) for part in parts))
        for name in ("insn", "reset", "init", "request", "response"):
            book.count(CLAUSE[name], int((expected.has(name) & good).sum()))
        book.count(LENGTH_CLAUSE, int((expected.has("insn") & good).sum()))
        groups = int((expected.group & good).sum())
        book.count(GROUP_CLAUSE, groups)
        book.count(ORDER_CLAUSE, groups)
        book.count(OUTSIDE_CLAUSE, int((expected.outside & good).sum()))

    # --- What does not

    def _explain(self, stretch: int) -> list[Failure]:
        if stretch % 2:
            moved = self._moved(stretch // 2)
            if moved:
                return [moved]
        wanted, told = self.lines.of(stretch), self.changes.of(stretch)
        out = [
            self._elsewhere(stretch, key, wanted.get(key), told.get(key))
            or self._change(stretch, key, wanted.get(key), told.get(key))
            for key in sorted(wanted.keys() | told.keys())
            if wanted.get(key) != told.get(key)
        ]
        if stretch % 2:
            out += self._group(stretch // 2)
        out += self._request(stretch)
        return out or [
            self._failure(
                OUTSIDE_CLAUSE if stretch % 2 == 0 else GROUP_CLAUSE,
                "it is not reported as often as it happened",
                stretch,
            )
        ]

    def _signature(self, groups: Groups, lines: Lines, n: int) -> tuple | None:
        if not 0 <= n < len(groups):
            return None
        told = [
            (key, value) for key, value in lines.of(2 * n + 1).items() if key != STATE_KEY + t.PC
        ]  # an increment depends on where it appears
        return (*(int(getattr(groups, name)[n]) for name in ("reset", "init", "insn", "size")), tuple(sorted(told)))

    def _moved(self, n: int) -> Failure | None:
        """Groups that are missing, reported twice, or in another order."""
        here, after = (self._signature(self.wanted, self.lines, n + k) for k in (0, 1))
        told, told_after = (self._signature(self.told, self.changes, n + k) for k in (0, 1))
        stretch = 2 * n + 1
        if told is None:
            return self._failure(GROUP_CLAUSE, f"{len(self.wanted) - n} groups are missing at the end", stretch)
        if here is None:
            return self._failure(
                GROUP_CLAUSE, f"there are {len(self.told) - n} groups more than rows that make one", stretch
            )
        if told == here:
            return None
        if told == after and told_after == here:
            return self._failure(ORDER_CLAUSE, "two groups are reported in the wrong order", stretch)
        if told == after:
            return self._failure(GROUP_CLAUSE, "a group is missing", stretch)
        if told_after == here:
            return self._failure(GROUP_CLAUSE, "there is a group that no row makes", stretch)
        return None

    def _elsewhere(self, stretch: int, key: int, wanted: int | None, told: int | None) -> Failure | None:
        """TV-8: it is reported, but on the other side of a begin or an end: before it happened, or after."""
        value = told if wanted is None else wanted
        if wanted is not None and told is not None:
            return None
        for other in (stretch + 1, stretch + 2):
            there = [lines.of(other).get(key) for lines in (self.lines, self.changes)]
            if there == ([value, None] if wanted is None else [None, value]) and not (stretch & other & 1):
                return self._failure(
                    OUTSIDE_CLAUSE,
                    f"{key_name(key)} is reported {'before' if wanted is None else 'after'} its place outside groups",
                    stretch,
                )
        return None

    def _change(self, stretch: int, key: int, wanted: int | None, told: int | None) -> Failure:
        part, name = part_of(key), key_name(key)
        if part == "csr" and key in (t.MCYCLE, t.MCYCLEH, t.MINSTRET, t.MINSTRETH):
            part = self._counter(stretch, key)
        if told is None:
            headline = f"{name} is not reported"
        elif wanted is None:
            headline = f"{name} is reported, but did not change"
        else:
            headline = f"{name} is reported with another value"
        table = [(name, "" if wanted is None else f"{wanted:#x}", "" if told is None else f"{told:#x}")]
        return self._failure(CLAUSE[part], headline, stretch, table)

    def _counter(self, stretch: int, key: int) -> str:
        """A counter's address is reported by its part, or by a slot."""
        low, high = np.searchsorted(self.lines.stretch, (stretch, stretch + 1))
        for k in range(low, high):
            if self.lines.key[k] == key:
                return self.expected.name(int(self.lines.at[k]))
        return "mcycle" if key in (t.MCYCLE, t.MCYCLEH) else "minstret"

    def _group(self, n: int) -> list[Failure]:
        wanted, told, stretch = self.wanted, self.told, 2 * n + 1
        out = [
            self._failure(
                CLAUSE[name],
                f"{name} of a group",
                stretch,
                [(name, str(int(getattr(wanted, name)[n])), str(int(getattr(told, name)[n])))],
            )
            for name in ("reset", "init")
            if getattr(wanted, name)[n] != getattr(told, name)[n]
        ]
        if wanted.size[n] and told.size[n] and wanted.size[n] != told.size[n]:
            row = ("bytes", str(int(wanted.size[n])), str(int(told.size[n])))
            out.append(self._failure(LENGTH_CLAUSE, "an instruction is reported with another length", stretch, [row]))
        if (wanted.insn[n], bool(wanted.size[n])) != (told.insn[n], bool(told.size[n])):
            row = ("instruction", f"{int(wanted.insn[n]):#x}", f"{int(told.insn[n]):#x}")
            out.append(self._failure(CLAUSE["insn"], "the instruction of a group is wrong", stretch, [row]))
        return out

    def _request(self, stretch: int) -> list[Failure]:
        wanted, told = self.requests, self._told_requests()
        mine = np.flatnonzero(self.row_stretch[wanted.row] == stretch)
        theirs = np.flatnonzero(self.memory == stretch)
        for i, j in zip(mine.tolist(), theirs.tolist()):
            rows = [
                (name, f"{int(getattr(wanted, name)[i]):#x}", f"{int(getattr(told, name)[j]):#x}")
                for name in Requests._fields[1:]
            ]
            wrong = {name for name, a, b in rows if a != b}
            if wrong:
                answer = wrong <= {"answered", "result", "response"}
                return [
                    self._failure(
                        CLAUSE["response" if answer else "request"],
                        "a memory request or its response is reported wrongly",
                        stretch,
                        rows,
                    )
                ]
        if len(mine) != len(theirs):
            k = int((mine if len(mine) > len(theirs) else theirs)[min(len(mine), len(theirs))])
            if k < min(len(wanted.op), len(told.op)) and all(
                getattr(wanted, name)[k] == getattr(told, name)[k] for name in Requests._fields[1:]
            ):
                here, there = int(self.row_stretch[wanted.row[k]]), int(self.memory[k])
                if not here & there & 1:
                    headline = (
                        f"a memory request is reported {'before' if there < here else 'after'} its place outside groups"
                    )
                    return [self._failure(OUTSIDE_CLAUSE, headline, stretch)]
            row = ("requests", str(len(mine)), str(len(theirs)))
            return [
                self._failure(CLAUSE["request"], "memory requests are missing, or there are too many", stretch, [row])
            ]
        return []

    def _failure(
        self, clause: str, headline: str, stretch: int, table: list[tuple[str, str, str]] | None = None
    ) -> Failure:
        """A failure at the row that makes this stretch, or the one before."""
        at = np.searchsorted(self.row_stretch, stretch)
        if not len(self.row_stretch):
            return Failure(clause, headline, table=table or [])
        row = int(min(at, len(self.row_stretch) - 1))
        return located(self.capture, self.expected, clause, headline, row, table)


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


def _effective(lines: Lines) -> Lines:
    """Without registers and state that are reported again with the value they have."""
    order = np.lexsort((np.arange(len(lines.key)), lines.stretch, lines.key))
    same = np.zeros(len(order), bool)
    key, value = lines.key[order], lines.value[order]
    volatile = (
        (key == STATE_KEY + t.PC)
        | (key == STATE_KEY + t.PADDR)
        | (key == STATE_KEY + t.EADDR)
        | ((key >= STATE_KEY + t.MEMDATA) & (key < STATE_KEY + t.MTIME))
    )
    same[1:] = (key[1:] == key[:-1]) & (value[1:] == value[:-1]) & ~volatile[1:]
    keep = np.ones(len(order), bool)
    keep[order[same]] = False
    return Lines(*(column[keep] for column in lines))
