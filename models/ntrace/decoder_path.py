"""The decoder's path through the program: from HIST bits and I-CNT to retired instructions (11.1, 8.3, 8.4).

The path is kept as numbers of steps (`decoder_steps`) and repeats, so that a loop that runs a million times
costs a few numbers; `Path.expand` makes the PCs of it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from models.ntrace.config import Config
from models.ntrace.decoder_steps import End, Node, Steps
from models.riscv.isa import Flow
from models.riscv.program import Program

CACHE_LIMIT = 1 << 15  # walks remembered
CACHED_STEPS = 128  # longest walk remembered, in steps
PATIENCE = 64  # steps without a decision before a walk looks for a cycle
CHUNK = 1 << 16  # steps held as a list; older ones are packed
CUSTOM_OPCODES = (0x0B, 0x2B, 0x5B, 0x7B)  # custom-0 to custom-3


class Contradiction(Exception):
    """What a message says cannot have happened in this program; `clause` is the requirement it breaks."""

    def __init__(self, clause: str, text: str) -> None:
        super().__init__(text)
        self.clause = clause


class Mark(NamedTuple):
    """A place to return to when a message turns out to be wrong."""

    steps: int
    repeats: int
    count: int


class Path:
    """Where the decoder is and every instruction up to there.

    A message group is zero or more `take_icnt`, `take_hist` (ResourceFull) and one `finish_group` (any other
    message): counts add up, HIST bits concatenate (NT-3), and both are walked at once as far as they leave no
    choice. All methods that walk raise Contradiction; the caller then undoes to its mark and calls `go_to`.
    """

    def __init__(self, program: Program, config: Config) -> None:
        self.pc = 0  # the next instruction
        self.count = 0  # instructions so far
        self.wasted = 0  # steps that were undone
        self.last_pc = 0  # of the last instruction, valid after INDIRECT and TRAP
        self._program = program
        self._bits_tell = config.mode == "htm"
        self._ecall_counts = config.variant == "rc7"
        self._nodes = Steps(program, config.xlen)
        self._cuts: dict[tuple[int, int], tuple[int, int, int, int]] = {}
        self._cache: dict[tuple[int, int, int, int], tuple[tuple[int, ...], int, int, int, End]] = {}
        self._credit = 0  # half-words of I-CNT not walked yet; negative: walked for HIST before their I-CNT
        self._end = End.PLAIN  # the last instruction of the open group
        self._fresh = True  # no ResourceFull since the last group
        self._group_count = 0  # instructions before the open group
        self._steps: list[int] = []
        self._packed: list[np.ndarray] = []
        self._packed_steps = 0
        # (at, n, times): before step `at` the last n instructions come `times` more
        self._repeats: list[tuple[int, int, int]] = []

    # Groups

    def go_to(self, pc: int) -> None:
        """Begin a new group at pc, with nothing pending."""
        self.pc = pc
        self._credit, self._end, self._fresh = 0, End.PLAIN, True
        self._group_count = self.count

    def take_icnt(self, icnt: int) -> None:
        """I-CNT of a ResourceFull: walk up to the next branch whose direction is not told."""
        self._begin()
        self._credit += icnt
        self._linear(False)

    def take_hist(self, hist: int, times: int = 1) -> None:
        """HIST of a ResourceFull, `times` over: all its branches have retired."""
        self._begin()
        seen: dict[int, tuple[int, int, int]] = {}
        while times:
            if self.pc in seen:  # the pattern came back to where it was: nothing new can happen
                credit, count, left = seen[self.pc]
                turns = times // (left - times)
                self._repeat(credit, count, turns)
                times -= turns * (left - times)
                seen.clear()
                if not times:
                    break
            seen[self.pc] = (self._credit, self.count, times)
            self._branches(hist)
            times -= 1

    def finish_group(self, icnt: int, hist: int, taken: int) -> End:
        """Walk what is left of the group; the kind of its last instruction.

        taken: direction of a last branch that has no HIST bit: 1, 0 or -1 (unknown, pc is then that of 0).
        """
        fresh = self._fresh
        key = (self.pc, icnt, hist, taken)
        if fresh:
            known = self._cache.get(key)
            if known is not None:
                steps, pc, count, last_pc, end = known
                self._steps.extend(steps)
                self._group_count = self.count
                self.pc, self.last_pc = pc, last_pc
                self.count += count
                return end
        self._begin()
        steps, repeats, count = len(self._steps), len(self._repeats), self.count
        self._credit += icnt
        if hist > 1:
            self._branches(hist)
        self._linear(True, taken)
        end = self._end
        self._credit, self._end, self._fresh = 0, End.PLAIN, True
        if fresh and len(self._repeats) == repeats and len(self._steps) - steps <= CACHED_STEPS:
            if len(self._cache) >= CACHE_LIMIT:
                self._cache.clear()
            walked = tuple(self._steps[steps:])
            self._cache[key] = (walked, self.pc, self.count - count, self.last_pc, end)
        return end

    def last(self) -> str:
        """The last instruction of the group just finished, for people."""
        pc = self._group_last_pc()
        return "nothing was counted, so there" if pc is None else self._where(pc)

    def ends_in_custom(self) -> bool:
        """Whether the group just finished ends in a custom instruction; it may jump as if uninferable (10.1)."""
        pc = self._group_last_pc()
        if pc is None:
            return False
        insn = self._nodes.code[pc]
        custom = insn.size > 4 or (insn.size == 4 and insn.raw & 0x7F in CUSTOM_OPCODES)
        return custom and insn.flow is Flow.SEQUENTIAL

    def _group_last_pc(self) -> int | None:
        if self.count == self._group_count:
            return None
        step = self._steps[-1] if self._steps else int(self._packed[-1][-1])
        return self._nodes.last_pc(step)

    def mark(self) -> Mark:
        """Where to return to if the next message is wrong; packs old steps."""
        if len(self._steps) > CHUNK:
            self._packed.append(np.array(self._steps, dtype=np.uint32))
            self._packed_steps += len(self._steps)
            self._steps = []
        return Mark(len(self._steps), len(self._repeats), self.count)

    def undo(self, mark: Mark) -> None:
        """Forget the instructions since the mark, which must be the last one made."""
        self.wasted += len(self._steps) - mark.steps
        del self._steps[mark.steps :]
        del self._repeats[mark.repeats :]
        self.count = mark.count

    def again(self, mark: Mark, times: int) -> None:
        """What was walked since the mark happened `times` more (RepeatBranch)."""
        self._repeat(self._credit, mark.count, times)

    def _begin(self) -> None:
        if self._fresh:
            self._fresh, self._group_count = False, self.count

    # Walking

    def _branches(self, hist: int) -> None:
        """Follow the HIST bits, oldest first, to behind the last of their branches."""
        nodes, steps = self._nodes, self._steps
        pc, credit, count = self.pc, self._credit, self.count
        if self._end is not End.PLAIN:
            raise Contradiction("NT.8.3.hist", f"HIST goes on behind {self._where(self.last_pc)}")
        for shift in range(hist.bit_length() - 2, -1, -1):
            end, halves, number, after, step, target, taken_step = nodes[pc]
            if end is not End.BRANCH:
                patience, seen = PATIENCE, set()
                while end is not End.BRANCH:
                    if end is not End.PLAIN or pc in seen:
                        why = f"{shift + 1} HIST bits are left but {self._why(pc, end)}"
                        raise Contradiction("NT.8.3.hist", why)
                    patience -= 1
                    if patience < 0:
                        seen.add(pc)
                    steps.append(step)
                    credit -= halves
                    count += number
                    pc = after
                    end, halves, number, after, step, target, taken_step = nodes[pc]
            credit -= halves
            count += number
            if hist >> shift & 1:
                steps.append(taken_step)
                pc = target
            else:
                steps.append(step)
                pc = after
        self.pc, self._credit, self.count = pc, credit, count

    def _linear(self, final: bool, taken: int = 0) -> None:
        """Walk the credit: to its end if `final`, else as far as it leaves no choice."""
        nodes, steps = self._nodes, self._steps
        if self._end is not End.PLAIN and self._credit:
            raise Contradiction("NT.10.indirect", f"I-CNT goes on behind {self._where(self.last_pc)}")
        if final and self._credit < 0:
            raise Contradiction(
                "NT.8.4.count", f"the branches of HIST take {-self._credit} half-words more than I-CNT counts"
            )
        patience, seen = PATIENCE, {}  # seen: pc to (credit, count)
        while self._credit > 0:
            pc, credit = self.pc, self._credit
            node = nodes[pc]
            if node.halves > credit:
                self._cut(pc, credit, final)
                return
            if node.end is End.PLAIN:
                steps.append(node.step)
            elif node.end is End.BRANCH:
                if self._bits_tell:
                    self._stop_at_branch(pc, node, final)
                    return
                if node.halves == credit:
                    if final:
                        self._last_branch(pc, node, taken)
                    return
                steps.append(node.step)  # BTM: the count goes on without a DirectBranch: not taken
            else:
                self._last(pc, node)
                return
            self._credit = credit - node.halves
            self.count += node.count
            self.pc = node.after
            patience -= 1
            if patience < 0 and self._credit > 0:
                if self.pc in seen:  # a last turn is left for the walk to find its end in
                    credit, count = seen[self.pc]
                    self._repeat(credit, count, (self._credit - 1) // (credit - self._credit))
                    seen = {}
                else:
                    seen[self.pc] = (self._credit, self.count)

    def _repeat(self, credit: int, count: int, turns: int) -> None:
        """What was walked since there were `credit` and `count` happened `turns` more."""
        if turns and self.count > count:
            self._repeats.append((self._packed_steps + len(self._steps), self.count - count, turns))
            self._credit -= turns * (credit - self._credit)
            self.count += turns * (self.count - count)

    def _last(self, pc: int, node: Node) -> None:
        """A step that ends in an uninferable jump or a trap: it must be the end of the count."""
        if node.end is End.UNMAPPED:
            raise Contradiction("NT.11.pcs", f"{self._credit} half-words are left at {self._where(pc)}")
        last_pc = self._nodes.last_pc(node.step)
        if node.end is End.TRAP and not self._ecall_counts:
            raise Contradiction("NT.8.4.icnt", f"I-CNT counts {self._where(last_pc)}, which does not retire")
        if node.halves != self._credit:
            left = self._credit - node.halves
            raise Contradiction("NT.10.indirect", f"{left} half-words are left behind {self._where(last_pc)}")
        self._steps.append(node.step)
        self.count += node.count
        self._credit = 0
        self._end, self.last_pc = node.end, last_pc

    def _last_branch(self, pc: int, node: Node, taken: int) -> None:
        step = node.taken_step if taken == 1 else node.step
        if taken < 0:
            step = self._cut_at(pc, node.halves)[0]
        self._steps.append(step)
        self.count += node.count
        self._credit = 0
        self.pc = node.target if taken == 1 else node.after
        self._end, self.last_pc = End.BRANCH, self._nodes.last_pc(node.step)

    def _stop_at_branch(self, pc: int, node: Node, final: bool) -> None:
        """HTM: the credit reaches over a branch without a HIST bit."""
        last = self._nodes.last_pc(node.step)
        if final:
            raise Contradiction("NT.8.3.hist", f"I-CNT counts {self._where(last)}, for which HIST has no bit")
        if last != pc:
            self._cut(pc, node.halves - (self._nodes.code[last].size >> 1), False)

    def _cut(self, pc: int, credit: int, final: bool) -> None:
        """Walk the part of a step that the credit covers."""
        step, halves, count, after = self._cut_at(pc, credit)
        if final and halves != credit:
            raise Contradiction("NT.8.4.count", f"I-CNT ends inside {self._where(after)}")
        if count:
            self._steps.append(step)
            self._credit -= halves
            self.count += count
            self.pc = after

    def _cut_at(self, pc: int, credit: int) -> tuple[int, int, int, int]:
        """(step, half-words, instructions, next pc) of what credit covers of the step at pc."""
        known = self._cuts.get((pc, credit))
        if known is None:
            nodes = self._nodes
            node = nodes[pc]
            start = nodes.start[node.step]
            halves, count, after = 0, 0, pc
            while count < node.count:
                size = nodes.code[nodes.pool[start + count]].size >> 1
                if halves + size > credit:
                    break
                halves += size
                count += 1
                after = nodes.pool[start + count] if count < node.count else node.after
            known = self._cuts[pc, credit] = (nodes.new(start, count, -1), halves, count, after)
        return known

    def _where(self, pc: int) -> str:
        return self._program.where(pc)

    def _why(self, pc: int, end: End) -> str:
        if end is End.PLAIN:
            return f"the code at {self._where(pc)} goes round without a branch"
        last = pc if end is End.UNMAPPED else self._nodes.last_pc(self._nodes[pc].step)
        return f"the code leads to {self._where(last)}"

    # All of it

    def expand(self) -> tuple[np.ndarray, np.ndarray]:
        """pcs (uint64[count]) and taken (int8[count]: 1, 0, or -1 where no branch or not told)."""
        pcs, taken = np.empty(self.count, dtype=np.uint64), np.full(self.count, -1, dtype=np.int8)
        steps = np.concatenate([*self._packed, np.array(self._steps, dtype=np.uint32)])
        columns = self._nodes.arrays()
        at, done = 0, 0
        for place, length, times in [*self._repeats, (len(steps), 0, 0)]:
            for first in range(done, place, CHUNK):
                told_pcs, told_taken = columns.instructions(steps[first : min(first + CHUNK, place)])
                pcs[at : at + len(told_pcs)] = told_pcs
                taken[at : at + len(told_pcs)] = told_taken
                at += len(told_pcs)
            if times:
                end = at + times * length
                for column in (pcs, taken):
                    column[at:end].reshape(times, length)[:] = column[at - length : at]
                at = end
            done = place
        return pcs, taken
