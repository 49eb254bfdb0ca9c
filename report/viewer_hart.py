# SPDX-License-Identifier: Apache-2.0
"""The hart beside the trace: what retired, and what the trace says, around a finding and after a loss.

Both are walked from their starts. Where they differ, or the trace lost something, they are together again at the place
after which most instructions agree: of the places that a loop offers, the one that explains most of what follows.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rvtrace.models.riscv.isa import disassemble
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Kind, Retired
from rvtrace.report.viewer_traces import Shown
from rvtrace.scoreboards.common.matching import same_start

TRAPS = {Kind.EXCEPTION: "exception", Kind.INTERRUPT: "interrupt"}
WINDOW = 8  # instructions that agree before two places are taken for the same: about two basic blocks
NEAR = 64  # instructions of the trace that may be wrong before all places are compared
FAR = 4096  # that may be wrong at all
ENOUGH = 256  # instructions that agree, beyond which one place is no better than another
STRETCHES = 200  # that are looked for: a page shows the first places
PLACES = 100  # that have an excerpt
AROUND = 6  # lines before and after a difference
LINES = 24  # of a difference; the middle of a longer one is left out
CLOSE = 256  # instructions from a finding to the difference that is shown with it


class Stretch(NamedTuple):
    """Instructions that trace and hart have both: the first of each, and how many."""

    reported: int
    did: int
    count: int


def instructions_of(part: Shown, retired: Retired) -> np.ndarray:
    """The events of `retired` that are instructions of a trace; a tandem trace has those that trapped too."""
    kinds = (Kind.INSN, Kind.EXCEPTION) if part.noun == "group" else (Kind.INSN,)
    return np.flatnonzero(np.isin(retired.kind, kinds))


def stretches(reported: np.ndarray, did: np.ndarray) -> list[Stretch]:
    """Where both agree, in order; the arrays hold addresses."""
    found: list[Stretch] = []
    where = _Windows(did)
    i = k = 0
    while i < len(reported) and k < len(did) and len(found) < STRETCHES:
        count = _agree(reported, i, did, k, len(reported))
        if count:
            found.append(Stretch(i, k, count))
        i, k = i + count, k + count
        again = where.after(reported, i, k)
        if again is None:
            break
        i, k = again
    return found


def _agree(reported: np.ndarray, i: int, did: np.ndarray, k: int, most: int) -> int:
    """How many instructions agree from two places on, at most `most`."""
    count, step = 0, WINDOW
    while count < most:
        equal = same_start(reported[i + count : i + count + step], did[k + count : k + count + step])
        count += equal
        if equal < step:
            break
        step *= 4
    return min(count, most)


class _Windows:
    """Places of each sequence of WINDOW addresses."""

    def __init__(self, pcs: np.ndarray) -> None:
        self._pcs = pcs
        self._order: np.ndarray | None = None

    def after(self, reported: np.ndarray, i: int, k: int) -> tuple[int, int] | None:
        """Where the trace, from i on, and the hart, from k on, are together again; None if that is nowhere."""
        if self._order is None:
            keys = _keys(self._pcs)
            self._order = np.argsort(keys, kind="stable")
            self._keys = keys[self._order]
        best, place = (0, 0), None
        for j, key in enumerate(_keys(reported[i : i + FAR + WINDOW]).tolist(), i):
            if j - i >= NEAR and place is not None:
                break
            begin, end = (
                np.searchsorted(self._keys, np.uint64(key)),
                np.searchsorted(self._keys, np.uint64(key), "right"),
            )
            count, at = self._longest(reported[j : j + ENOUGH], self._order[begin:end], k)
            score = (count, (i - j) + (k - at))
            if count >= WINDOW and score > best:
                best, place = score, (j, at)
        return place

    def _longest(self, reported: np.ndarray, places: np.ndarray, k: int) -> tuple[int, int]:
        """How many instructions agree at the place, from k on, at which most do, and the first such place."""
        left = places[np.searchsorted(places, k) :]
        at, count = -1, 0
        for pc in reported:
            left = left[left + count < len(self._pcs)]
            left = left[self._pcs[left + count] == pc]
            if not len(left):
                break
            at, count = int(left[0]), count + 1
        return count, at


def _keys(pcs: np.ndarray) -> np.ndarray:
    """A number for each sequence of WINDOW addresses."""
    many = len(pcs) - WINDOW + 1
    keys = np.zeros(max(many, 0), np.uint64)
    for n in range(WINDOW if many > 0 else 0):
        keys = keys * np.uint64(0x9E3779B97F4A7C15) + pcs[n : n + many]  # 2^64 / golden ratio: spreads what is close
    return keys


class Beside:
    """The excerpts of one trace. hart: what retired. program: for the text of instructions that the trace lacks."""

    def __init__(self, shown: Shown, retired: Retired, program: Program) -> None:
        events = instructions_of(shown, retired)
        self.reported = shown.codes.columns().pc[shown.rows]
        self.did = retired.pc[events].astype(np.uint64)
        self.stretches = stretches(self.reported, self.did)
        self.code: list[tuple[str, str]] = []  # text and symbol of each address of the hart
        self._program, self._known = program, dict[int, int]()
        self._told_traps = {e.index: e.text or e.kind for e in shown.events if e.kind == "trap"}
        self._did_traps: dict[int, str] = {}
        for kind, name in TRAPS.items():
            rows = np.flatnonzero(retired.kind == kind)
            for row, before in zip(rows.tolist(), np.searchsorted(events, rows, side="right").tolist()):
                self._did_traps.setdefault(before, f"{name} {int(retired.cause[row])}")

    @classmethod
    def of(cls, shown: Shown, path: Path | None, program: Program | None) -> Beside | None:
        """None if nothing is known of the hart, or of the trace."""
        if path is None or program is None or not path.is_file() or not len(shown.rows):
            return None
        try:
            return cls(shown, Retired.from_csv(path), program)
        except ValueError:  # the check has said so
            return None

    def to_dict(self, findings: Iterable[int], losses: Iterable[int]) -> dict[str, Any]:
        """For the page: excerpts of the instructions at which findings are and before which something was lost."""
        excerpts: list[list[list[Any]]] = []
        known: dict[int, int] = {}

        def number(index: int) -> int:
            if index < 0 or (index not in known and len(known) >= PLACES):
                return -1
            if index not in known:
                known[index] = len(excerpts)
                excerpts.append(self._excerpt(index))
            return known[index]

        at = [number(index) for index in findings], [number(index) for index in losses]
        return {"findings": at[0], "losses": at[1], "excerpts": excerpts, "code": self.code}

    def _excerpt(self, index: int) -> list[list[Any]]:
        """Lines around an instruction of the trace: [instruction of the hart, its code, its trap, instruction of the
        trace, its trap, how many are left out]; -1 and "" where there is none.
        """
        if not self.stretches:
            return self._lines(0, min(LINES, len(self.did)), 0, min(LINES, len(self.reported)))
        ends = [one.reported + one.count for one in self.stretches]
        near = min(range(len(ends)), key=lambda n: abs(ends[n] - index))
        before = self.stretches[near]
        reported, did = ends[near], before.did + before.count
        if abs(reported - index) > CLOSE or (reported == len(self.reported) and did == len(self.did)):
            n = max(int(np.searchsorted([one.reported for one in self.stretches], index, side="right")) - 1, 0)
            one = self.stretches[n]
            low, high = max(index - AROUND, one.reported), min(index + AROUND + 1, one.reported + one.count)
            return (
                self._lines(low + one.did - one.reported, high + one.did - one.reported, low, high)
                if high > low
                else []
            )
        after = self.stretches[near + 1] if near + 1 < len(ends) else None
        back = min(AROUND, before.count)
        lines = self._lines(did - back, did, reported - back, reported)
        if after is None:
            return lines + self._lines(
                did, min(did + LINES, len(self.did)), reported, min(reported + LINES, len(self.reported))
            )
        lines += self._lines(did, after.did, reported, after.reported)
        ahead = min(AROUND, after.count)
        return lines + self._lines(after.did, after.did + ahead, after.reported, after.reported + ahead)

    def _lines(self, did: int, did_end: int, reported: int, reported_end: int) -> list[list[Any]]:
        """Instructions side by side, the middle of more than LINES left out."""
        many, lines = max(did_end - did, reported_end - reported), list[list[Any]]()
        for n in range(many):
            if many > LINES and LINES // 2 <= n < many - LINES // 2:
                if n == LINES // 2:
                    lines.append([-1, -1, "", -1, "", many - LINES])
                continue
            h, t = (did + n if did + n < did_end else -1), (reported + n if reported + n < reported_end else -1)
            trap, said = self._did_traps.get(h, ""), self._told_traps.get(t, "")
            lines.append([h, self._code(h) if h >= 0 else -1, trap, t, said, 0])
        return lines

    def _code(self, h: int) -> int:
        pc = int(self.did[h])
        if pc not in self._known:
            insn = self._program.insn(pc)
            self._known[pc] = len(self.code)
            text = f"{pc:x} {disassemble(insn, self._program) if insn else ''}".strip()
            self.code.append((text, self._program.symbol(pc)))
        return self._known[pc]
