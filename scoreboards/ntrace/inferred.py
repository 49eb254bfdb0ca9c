# SPDX-License-Identifier: Apache-2.0
"""Flow changes that no message reports: implicit returns and sequentially inferable jumps (9.1, 9.2, NT-4, NT-5).

That the decoder follows them is lossless, and it follows a jump only where the load before it is counted in the same
message. Here each return must have been allowed: its call was reported since the last synchronizing message and is not
deeper than 32.
"""

from __future__ import annotations

from collections import deque
from functools import cached_property

import numpy as np

from rvtrace.models.riscv.isa import Flow
from rvtrace.models.riscv.retired import IType
from rvtrace.scoreboards.common.places import ends
from rvtrace.scoreboards.ntrace import table as t
from rvtrace.scoreboards.ntrace.align import Alignment, Segment
from rvtrace.scoreboards.ntrace.expected import POPS, PUSHES
from rvtrace.scoreboards.ntrace.tolerances import Tolerances

DEEPEST = 32
FAR = 100_000  # instructions that one message may represent, where a decoder lost its way
FULL_ADDRESSES = 3  # trTeInstImplicitReturnMode
MODE_CLAUSE = {1: "NT.9.2.mode_counter", 2: "NT.9.2.mode_partial", 3: "NT.9.2.mode_full"}
MARKS = (0, 4, 6)  # SYNC codes that reset no encoder in rc7


class Inferred:
    """The flow changes that one trace does not report."""

    def __init__(self, lossless: Alignment, tolerances: Tolerances) -> None:
        self._lossless, self._tolerances = lossless, tolerances
        self._mode = lossless.capture.config.implicit_return
        self._mask = np.uint64((1 << lossless.capture.config.xlen) - 1)

    def check(self) -> None:
        """All segments whose place is known."""
        config, expected = self._lossless.capture.config, self._lossless.expected
        if not (self._mode or config.sequential_jump):
            return
        for segment in self._lossless.segments:
            if segment.at is not None and segment.end > segment.begin:
                told, ends = self._told(segment)
                silent = self._silent(segment, told)
                if config.sequential_jump:
                    self._lossless.book.count("NT.9.1.sequential_jump", int(expected.sijump[silent].sum()))
                if self._mode:
                    self._returns(segment, silent, ends)

    # What the messages report, as traced instructions

    @cached_property
    def _after(self) -> np.ndarray:
        return ends(self._lossless.decoded.first_pc, len(self._lossless.decoded))

    def _told(self, segment: Segment) -> tuple[np.ndarray, np.ndarray]:
        """(places after instructions whose successor a message reports, places where a message with I-CNT ends)."""
        table, shift = self._lossless.table, segment.start - segment.begin
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
        """Uninferable flow changes of a segment that no message reports; a place after its last one is unknown."""
        expected = self._lossless.expected
        begin, end = segment.start, segment.start + segment.end - segment.begin - 1
        flow = self._lossless.capture.program.columns(expected.pc[begin:end]).flow
        jumps = np.flatnonzero(flow == Flow.UNINFERABLE) + begin
        return jumps[~np.isin(jumps + 1, told)]

    # The call stack

    def _steps(
        self, segment: Segment, at: int, until: int, direct: bool = False, offset: int | None = None
    ) -> list[tuple[int, int]]:
        """(instruction, itype) of calls and returns of a segment at `at`, with (instruction, -1) for each stack reset
        before it.
        """
        expected, table = self._lossless.expected, self._lossless.table
        itype = expected.itype[at:until]
        kinds = [int(k) for k in {*PUSHES, *POPS}]
        if self._lossless.capture.config.all_jumps:  # calls are reported as taken branches
            name = self._lossless.capture.program.columns(expected.pc[at:until]).itype["v1_0"]
            call = (itype == IType.TAKEN) & (name == IType.INFERABLE_CALL)
            itype = np.where(
                call | (itype == IType.INFERABLE_CALL), IType.INFERABLE_CALL if direct else IType.NONE, itype
            )
        calls = np.flatnonzero(np.isin(itype, kinds))
        rows = np.arange(segment.first, segment.last)
        rows = rows if offset is None else rows[table.offset[rows] < offset]
        sync = table["sync"][rows]
        resets = sync != t.ABSENT
        if self._lossless.capture.config.variant == "rc7" and self._tolerances.sync_keeps_stack:
            resets &= ~np.isin(sync, MARKS)
        places = self._after[rows[resets]] + at - segment.begin
        steps = np.concatenate((places * 2, (calls + at) * 2 + 1))
        kinds_of = np.concatenate((np.full(len(places), -1), itype[calls].astype(np.int64)))
        order = np.argsort(steps, kind="stable")
        return list(zip((steps[order] >> 1).tolist(), kinds_of[order].tolist()))

    def _returns(self, segment: Segment, silent: np.ndarray, ends: np.ndarray) -> None:
        """Every suppressed return against a separate stack."""
        expected, book = self._lossless.expected, self._lossless.book
        quiet = set(silent[np.isin(expected.itype[silent], POPS) & ~expected.sijump[silent]].tolist())
        if not quiet:
            return
        for clause in ("NT.9.2.implicit_return", "NT-4", "NT-5", MODE_CLAUSE[self._mode]):
            book.count(clause, len(quiet))
        stack: deque[tuple[int, int]] = deque(maxlen=DEEPEST)  # (return address, instruction of the call)
        ends = np.sort(ends)
        for index, kind in self._steps(segment, segment.start, segment.start + segment.end - segment.begin):
            if kind < 0:
                stack.clear()
                continue
            if kind in POPS:
                top = stack.pop() if stack else None
                if index in quiet and (problem := self._problem(index, top, ends)):
                    self._lossless.fail(problem[0], problem[1], index, problem[2])
                    return
            if kind in PUSHES:
                stack.append((self._behind(index), index))

    def _problem(self, index: int, top: tuple[int, int] | None, ends: np.ndarray) -> tuple[str, str, list] | None:
        """Why the return at `index` should have been reported."""
        if top is None:
            return "NT-5", "a return is not reported, and no call since the last synchronizing message is open", []
        following = self._following(index)
        # modes 1 and 2 do not compare all of it: that the decoder follows them is enough
        if self._mode == FULL_ADDRESSES and top[0] != following:
            return (
                "NT-4",
                "a return that leads elsewhere than its call is not reported",
                [("next pc", f"{following:#x}", f"{top[0]:#x}")],
            )
        told = np.searchsorted(ends, index, side="right")  # messages that end before the return
        if self._tolerances.strict_reported_call and (not told or ends[told - 1] <= top[1]):
            return "NT-5", "a return is not reported, and its call is in no earlier message", []
        return None

    def _behind(self, index: int) -> int:
        expected = self._lossless.expected
        return int(expected.pc[index] + np.uint64(expected.size[index]) & self._mask)

    # Where the trace cannot be followed

    def misled(self, segment: Segment, at: int, index: int, told: int | None, offset: int) -> bool:
        """Whether the hart returned elsewhere than its call at instruction `index` of a segment at `at`, or not far
        after it if no PC was `told` there, which modes 1 and 2 do not see. The trace cannot be followed from byte
        `offset` on, and the device is not to blame.
        """
        options = (False, True) if self._lossless.capture.config.all_jumps else (True,)
        return self._mode in (1, 2) and any(self._goes_astray(segment, at, index, told, offset, way) for way in options)

    def _goes_astray(self, segment: Segment, at: int, index: int, told: int | None, offset: int, direct: bool) -> bool:
        """direct: the decoder takes direct calls for calls, although all jumps are reported as branches."""
        expected, low = self._lossless.expected, 0x7FE if self._mode == 2 else 0
        until = at + index if told is not None else min(at + index + FAR, len(expected) - 1)
        stack: deque[int] = deque(maxlen=DEEPEST)
        for place, kind in self._steps(segment, at, until, direct, offset):
            if kind < 0:
                stack.clear()
                continue
            top = stack.pop() if kind in POPS and stack else None
            if place + 1 >= at + index and top is not None:
                following = self._following(place)
                if top != following and top & low == following & low and told in (None, top):
                    return True
            if kind in PUSHES:
                stack.append(self._behind(place))
        return False

    def _following(self, index: int) -> int:
        """Where the instruction at `index` led: to the next one, or to where a trap was taken."""
        trap = self._trap_at.get(index + 1)
        return int(self._lossless.expected.pc[index + 1]) if trap is None else trap

    @cached_property
    def _trap_at(self) -> dict[int, int]:
        return {trap.index: trap.epc for trap in reversed(self._lossless.expected.traps)}
