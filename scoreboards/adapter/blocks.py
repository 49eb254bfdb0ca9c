# SPDX-License-Identifier: Apache-2.0
"""The check of the ingress port: blocks expand to the rows that were taken at the hart port (E-Trace 2.0, 4)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rvtrace.models.riscv.beats import LANE_FIELDS, Beats
from rvtrace.models.riscv.observed import BlocksError, from_beats
from rvtrace.models.riscv.retired import IType, Retired
from rvtrace.scoreboards.adapter.capture import AdapterCapture
from rvtrace.scoreboards.common.clauses import ClauseBook, Failure

TRAPS = (IType.EXCEPTION, IType.INTERRUPT)
_PRECISE = 2


class _Row(NamedTuple):
    """An instruction or trap of the hart port. halves: half-words that retire."""

    pc: int
    halves: int
    itype: int
    mode: int
    context: int
    cause: int
    tval: int

    @property
    def trap(self) -> bool:
        return self.itype in TRAPS


class _Block(NamedTuple):
    """A block, with the number of its cycle among those recorded."""

    beat: int
    itype: int
    iaddr: int
    iretire: int
    ilastsize: int
    cause: int
    tval: int
    priv: int
    context: int


def check_blocks(capture: AdapterCapture, book: ClauseBook) -> None:
    """Everything about the ingress port."""
    checker = _Check(capture, book)
    checker.lanes()
    checker.halted()
    checker.expand()
    if not any(failure.clause.startswith("AD.") for failure in book.failures):
        checker.program()  # else it fails because of what the hart port had


class _Check:
    def __init__(self, capture: AdapterCapture, book: ClauseBook) -> None:
        self.capture, self.book, self.seen = capture, book, capture.blocks
        hart = capture.hart
        at = np.flatnonzero(hart.reported["reported"] == 1)
        columns = [hart.reported[name][at].tolist() for name in ("pc", "itype", "mode", "context", "cause", "tval")]
        size = np.where(hart.rows.insn16[at] != 0, 1, 2).tolist()
        self.rows = [
            _Row(pc, 0 if itype in TRAPS else halves, itype, mode, context, cause, tval)
            for halves, (pc, itype, mode, context, cause, tval) in zip(size, zip(*columns))
        ]
        lanes = self.seen.lanes
        there = (lanes["iretire"] != 0) | np.isin(lanes["itype"], TRAPS)
        self.there = there
        beat, lane = np.nonzero(there)
        names = ("itype", "iaddr", "iretire", "ilastsize", "cause", "tval", "priv", "context")
        self.blocks = [
            _Block(*one) for one in zip(beat.tolist(), *(lanes[name][beat, lane].tolist() for name in names))
        ]
        self.limit = (1 << capture.config.iretire_width) - 1
        # Rows after which the hart was in Debug Mode.
        rises = np.flatnonzero(hart.halted & ~np.append(False, hart.halted[:-1]))
        self.visits = set(np.searchsorted(hart.beat[at], rises).tolist())

    def _hold(self, clause: str, ok: bool, what: str, expected: object, actual: object, beat: int | None) -> None:
        self.book.check(clause, ok, lambda: Failure(
            clause, what, None if beat is None else int(self.seen.cycle[beat]),
            table=[("value", str(expected), str(actual))]))  # fmt: skip

    # Cycles

    def lanes(self) -> None:
        """Blocks fill lanes from 0, those of a cycle have one mode and context, a trap is the last; what E-Trace has
        once a cycle is that of its trap.
        """
        there, lanes, before = self.there, self.seen.lanes, None
        for beat in np.flatnonzero(there.any(axis=1)).tolist():
            full = np.flatnonzero(there[beat])
            self._hold("ING.cycle", full.tolist() == list(range(len(full))), "blocks fill lanes from 0",
                       list(range(len(full))), full.tolist(), beat)  # fmt: skip
            modes = set(zip(lanes["priv"][beat, full].tolist(), lanes["context"][beat, full].tolist()))
            self._hold(
                "ING.cycle", len(modes) == 1, "the blocks of a cycle have one mode and context", 1, len(modes), beat
            )
            trap = np.isin(lanes["itype"][beat, full], TRAPS)
            self._hold(
                "ING.cycle", not trap[:-1].any(), "a trap is in the last block of a cycle", "last", "before it", beat
            )
            empty = ~there[beat]
            noise = sum(int(lanes[name][beat, empty].sum()) for name in lanes)
            self._hold("ING.cycle", noise == 0, "a lane without a block is 0", 0, noise, beat)
            for name in ("cause", "tval"):
                wanted = int(lanes[name][beat, full][trap].sum()) if trap.any() else 0
                seen = set(lanes[f"once_{name}"][beat, full].tolist())
                self._hold(
                    "ING.once",
                    seen == {wanted},
                    f"every block of a cycle has the {name} of its trap",
                    wanted,
                    seen,
                    beat,
                )
            context = int(lanes["context"][beat, full[0]])
            wanted = _PRECISE if before is not None and context != before else 0
            got = int(self.seen.ctype[beat])
            self._hold(
                "ING.ctype", got == wanted, "ctype is 2 in the first cycle of another context", wanted, got, beat
            )
            before = context

    def halted(self) -> None:
        """Halted between the blocks around each visit to Debug Mode."""
        seen, at = self.seen, 0
        rises = np.flatnonzero(seen.halted & ~np.append(False, seen.halted[:-1])).tolist()
        if not rises and not self.visits:
            return
        quiet = not (self.there.any(axis=1) & seen.halted).any()
        self._hold("ING.halted", quiet, "there is no block while the hart is halted", "none", "some", None)
        found: set[int] = set()
        blocks = iter([*self.blocks, None])
        block = next(blocks)
        for rise in rises:
            while block is not None and block.beat < rise:
                at += self._consumed(block, at)
                block = next(blocks)
            found.add(at)
        self._hold("ING.halted", found == self.visits and len(rises) == len(self.visits),
                   "the hart is halted after the blocks before each visit to Debug Mode", sorted(self.visits),
                   sorted(found), None)  # fmt: skip

    def _consumed(self, block: _Block, at: int) -> int:
        """How many rows a block is."""
        halves, count = 0, 0
        while halves < block.iretire and at + count < len(self.rows):
            halves += self.rows[at + count].halves
            count += 1
        return count + (block.itype in TRAPS)

    # Blocks

    def program(self) -> None:
        """With the program alone, as the models of the encoders read the port, the blocks are what the core did."""
        run, lanes, n = self.capture.run, self.seen.lanes, len(self.seen.cycle)
        beats = Beats.empty(n, self.capture.config.blocks)
        for name in LANE_FIELDS:
            if name in lanes:
                getattr(beats, name)[:] = lanes[name]
        try:
            read = from_beats(beats, run.program, "v2_0")
        except BlocksError as error:
            self.book.fail(Failure("ING.program", str(error)))
            return
        wanted = run.retired
        same = len(read) == len(wanted)
        self._hold("ING.program", same, "as many instructions and traps as the core had", len(wanted), len(read), None)
        n = min(len(read), len(wanted))
        for name in ("kind", "pc", "size", "cause", "tval", "priv", "context"):
            self._read(name, wanted, read, n)

    def _read(self, name: str, wanted: Retired, read: Retired, n: int) -> None:
        wrong = np.flatnonzero(getattr(read, name)[:n] != getattr(wanted, name)[:n])
        self.book.bulk("ING.program", n, wrong[:1], lambda k: self._read_failure(k, name, wanted, read))

    def _read_failure(self, k: int, name: str, wanted: Retired, read: Retired) -> Failure:
        table = [(name, hex(int(getattr(wanted, name)[k])), hex(int(getattr(read, name)[k])))]
        return Failure("ING.program", f"element {k} is not what the core did", None, int(wanted.pc[k]), table=table)

    def expand(self) -> None:
        """Each block, row by row."""
        at = 0
        for block in self.blocks:
            count = self._consumed(block, at)
            rows = self.rows[at : at + count]
            if not self._follows(block, rows, at):
                return
            self._block(block, rows)
            at += count
            self._ends(block, rows[-1], at)
        missing = len(self.rows) - at
        self._hold("ING.end", missing == 0, "at the end every instruction has been in a block", 0, missing, None)

    def _follows(self, block: _Block, rows: list[_Row], at: int) -> bool:
        """Whether the block begins where the rows are; else nothing after it can be compared."""
        mask = (1 << self.capture.config.xlen) - 1
        ok = bool(rows) and block.iaddr == rows[0].pc
        insns = [row for row in rows if not row.trap]
        for row in insns:
            ok = ok and row.pc == (block.iaddr + 2 * sum(r.halves for r in insns[: insns.index(row)])) & mask
        if rows and rows[-1].trap and insns:
            ok = ok and rows[-1].pc == (block.iaddr + 2 * block.iretire) & mask
        ok = ok and (block.itype in TRAPS) == rows[-1].trap and not any(row.trap for row in rows[:-1])
        wanted = hex(rows[0].pc) if rows else "nothing"
        self._hold("ING.instructions", ok, f"the block expands to the instructions from row {at} on", wanted,
                   f"{block.iaddr:#x}, {block.iretire} half-words, itype {block.itype}", block.beat)  # fmt: skip
        return ok

    def _block(self, block: _Block, rows: list[_Row]) -> None:
        insns, last = [row for row in rows if not row.trap], rows[-1]
        inner = [row.itype for row in rows[:-1]]
        self._hold("ING.itype", block.itype == last.itype and not any(inner),
                   "itype is that of the last instruction or trap, and the others have none", [*inner, last.itype],
                   block.itype, block.beat)  # fmt: skip
        halves = sum(row.halves for row in insns)
        size = int(bool(insns) and insns[-1].halves == 2)
        self._hold("ING.size", (block.iretire, block.ilastsize) == (halves, size),
                   "iretire is the sum of all half-words, ilastsize that of the last instruction", (halves, size),
                   (block.iretire, block.ilastsize), block.beat)  # fmt: skip
        modes = {(row.mode, row.context) for row in rows}
        self._hold("ING.mode", modes == {(block.priv, block.context)}, "all of a block have its mode and context",
                   sorted(modes), (block.priv, block.context), block.beat)  # fmt: skip
        cause = (last.cause, last.tval) if last.trap else (0, 0)
        self._hold("ING.trap", (block.cause, block.tval) == cause, "cause and tval are those of the trap that ends it",
                   cause, (block.cause, block.tval), block.beat)  # fmt: skip

    def _ends(self, block: _Block, last: _Row, after: int) -> None:
        """A block whose last instruction has no itype ends for a reason."""
        if block.itype != IType.NONE or after >= len(self.rows):
            return
        follower, mask = self.rows[after], (1 << self.capture.config.xlen) - 1
        reason = (
            follower.pc != (last.pc + 2 * last.halves) & mask
            or (follower.mode, follower.context) != (last.mode, last.context)
            or block.iretire + follower.halves > self.limit
            or after in self.visits
        )
        self._hold(
            "ING.longest",
            reason,
            "a block goes on as long as it can",
            "more",
            f"{block.iretire} half-words",
            block.beat,
        )
