"""Flow changes that no message tells: implicit returns and sequentially inferable jumps (9.1, 9.2, NT-4, NT-5).

That the decoder follows them is lossless; here each must have been allowed: the call of a suppressed return was told since the
last synchronizing message and is not deeper than 32, and the load before a suppressed jump is counted in the same message.
"""

from __future__ import annotations

from collections import deque
from functools import cached_property

import numpy as np

from models.riscv.isa import Flow
from models.riscv.retired import IType
from scoreboards import ntrace_table as t
from scoreboards.ntrace_align import Alignment
from scoreboards.ntrace_knobs import Knobs
from scoreboards.ntrace_segment import Segment

DEEPEST = 32
PUSHES = (IType.UNINFERABLE_CALL, IType.INFERABLE_CALL, IType.COROUTINE_SWAP)
POPS = (IType.RETURN, IType.COROUTINE_SWAP)
MODE_CLAUSE = {1: "NT.9.2.mode_counter", 2: "NT.9.2.mode_partial", 3: "NT.9.2.mode_full"}
MARKS = (0, 4, 6)  # SYNC codes that reset no encoder in rc7


class Inferred:
    """The flow changes that one trace does not tell."""

    def __init__(self, lossless: Alignment, knobs: Knobs) -> None:
        self._lossless, self._knobs = lossless, knobs
        self._mode = lossless.capture.config.implicit_return
        self._mask = np.uint64((1 << lossless.capture.config.xlen) - 1)

    def check(self) -> None:
        """All segments whose place is known."""
        config = self._lossless.capture.config
        if not (self._mode or config.sequential_jump):
            return
        for segment in self._lossless.segments:
            if segment.at is not None and segment.end > segment.begin:
                told, ends = self._told(segment)
                silent = self._silent(segment, told)
                if config.sequential_jump:
                    self._jumps(silent, ends)
                if self._mode:
                    self._returns(segment, silent, ends)

    # What the messages tell, as traced instructions

    @cached_property
    def _after(self) -> np.ndarray:
        return t.ends(self._lossless.decoded.first_pc, len(self._lossless.decoded))

    def _told(self, segment: Segment) -> tuple[np.ndarray, np.ndarray]:
        """(places behind instructions whose successor a message tells, places where a message with I-CNT ends)."""
        table, shift = self._lossless.table, segment.at - segment.begin
        rows = np.arange(segment.first, segment.last)
        counts = rows[table["icnt"][rows] != t.ABSENT]
        ends = self._after[counts] + shift
        places = [ends]
        first = self._lossless.decoded.first_pc
        for row in rows[table.is_a(t.TC_REPEAT)[rows]].tolist():
            begin, end, times = int(first[row]), int(self._after[row]), int(table["bcnt"][row])
            places.append(np.arange(1, times + 1) * ((end - begin) // max(times, 1)) + begin + shift)
        told = np.concatenate(places) if len(places) > 1 else ends
        return told, ends

    def _silent(self, segment: Segment, told: np.ndarray) -> np.ndarray:
        """Uninferable flow changes of a segment that no message tells; a place behind its last one is unknown."""
        expected = self._lossless.expected
        begin, end = segment.at, segment.at + segment.end - segment.begin - 1
        flow = self._lossless.capture.program.columns(expected.pc[begin:end]).flow
        jumps = np.flatnonzero(flow == Flow.UNINFERABLE) + begin
        return jumps[~np.isin(jumps + 1, told)]

    def _jumps(self, silent: np.ndarray, ends: np.ndarray) -> None:
        expected = self._lossless.expected
        jumps = silent[expected.sijump[silent]]
        self._lossless.book.count("NT.9.1.sequential_jump", len(jumps))

        def apart(number: int):
            return self._lossless.failure("NT.9.1.same_message", "a jump that is not told, but the load before it is in another message",
                                          int(jumps[number]), [])  # fmt: skip

        self._lossless.book.bulk("NT.9.1.same_message", len(jumps), np.flatnonzero(np.isin(jumps, ends)), apart)

    # The call stack

    def _steps(self, segment: Segment, until: int) -> list[tuple[int, int]]:
        """(instruction, itype) of calls and returns of a segment, with (instruction, -1) for each stack reset before it."""
        expected, table = self._lossless.expected, self._lossless.table
        itype = expected.itype[segment.at : until]
        kinds = [int(k) for k in {*PUSHES, *POPS}]
        if self._lossless.capture.config.all_jumps:
            kinds.remove(int(IType.INFERABLE_CALL))  # reported as a taken branch: never pushed
        at = np.flatnonzero(np.isin(itype, kinds))
        rows = np.arange(segment.first, segment.last)
        sync = table["sync"][rows]
        resets = sync != t.ABSENT
        if self._lossless.capture.config.variant == "rc7" and self._knobs.sync_keeps_stack:
            resets &= ~np.isin(sync, MARKS)
        places = self._after[rows[resets]] + segment.at - segment.begin
        steps = np.concatenate((places * 2, (at + segment.at) * 2 + 1))
        kinds_of = np.concatenate((np.full(len(places), -1), itype[at].astype(np.int64)))
        order = np.argsort(steps, kind="stable")
        return list(zip((steps[order] >> 1).tolist(), kinds_of[order].tolist()))

    def _returns(self, segment: Segment, silent: np.ndarray, ends: np.ndarray) -> None:
        """Every suppressed return against a stack of its own."""
        expected, book = self._lossless.expected, self._lossless.book
        quiet = set(silent[np.isin(expected.itype[silent], POPS) & ~expected.sijump[silent]].tolist())
        if not quiet:
            return
        for clause in ("NT.9.2.implicit_return", "NT-4", "NT-5", MODE_CLAUSE[self._mode]):
            book.count(clause, len(quiet))
        stack: deque[tuple[int, int]] = deque(maxlen=DEEPEST)  # (return address, instruction of the call)
        ends = np.sort(ends)
        for index, kind in self._steps(segment, segment.at + segment.end - segment.begin):
            if kind < 0:
                stack.clear()
                continue
            if kind in POPS:
                top = stack.pop() if stack else None
                if index in quiet and (problem := self._problem(index, top, ends)):
                    book.fail(self._lossless.failure(problem[0], problem[1], index, problem[2]), counted=True)
                    return
            if kind in PUSHES:
                stack.append((self._behind(index), index))

    def _problem(self, index: int, top: tuple[int, int] | None, ends: np.ndarray) -> tuple[str, str, list] | None:
        """Why the return at `index` should have been told."""
        following = f"{int(self._lossless.expected.pc[index + 1]):#x}"
        if top is None:
            return "NT-5", "a return is not told, and no call since the last synchronizing message is open", []
        if top[0] != int(self._lossless.expected.pc[index + 1]):
            return "NT-4", "a return that leads elsewhere than its call is not told", [("next pc", following, f"{top[0]:#x}")]
        told = np.searchsorted(ends, index, side="right")  # messages that end before the return
        if self._knobs.strict_reported_call and (not told or ends[told - 1] <= top[1]):
            return "NT-5", "a return is not told, and its call is in no earlier message", []
        return None

    def _behind(self, index: int) -> int:
        expected = self._lossless.expected
        return int(expected.pc[index] + np.uint64(expected.size[index]) & self._mask)

    # Where the trace cannot be followed

    def misled(self, segment: Segment, index: int, told: int) -> bool:
        """Whether the hart returned elsewhere than its call at `index - 1`, which modes 1 and 2 do not see: `told` is what a
        decoder must believe. The trace cannot be followed from there, which is no fault of the device."""
        expected = self._lossless.expected
        if self._mode not in (1, 2) or not index or expected.itype[index - 1] not in POPS:
            return False
        stack: deque[int] = deque(maxlen=DEEPEST)
        for at, kind in self._steps(segment, index - 1):
            if kind < 0:
                stack.clear()
                continue
            if kind in POPS and stack:
                stack.pop()
            if kind in PUSHES:
                stack.append(self._behind(at))
        low = 0x7FE if self._mode == 2 else 0
        return bool(stack) and stack[-1] == told and stack[-1] & low == int(expected.pc[index]) & low
