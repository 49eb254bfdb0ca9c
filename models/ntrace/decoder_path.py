"""The decoder's path: every instruction up to here, by counts as messages tell them (8.3, 8.4, 9.3, NT-3).

The path is kept as numbers of steps (`decoder_steps`) and repeats, so that a loop that runs a million times
costs a few numbers; `expand` makes the PCs of it.
"""

from __future__ import annotations

from models.ntrace.config import Config
from models.ntrace.decoder_steps import End
from models.ntrace.decoder_walk import NOWHERE, PLAIN, Contradiction, Walker
from models.ntrace.images import View
from models.riscv.isa import Flow
from models.riscv.program import Program
from models.riscv.step_store import Mark

__all__ = ["Contradiction", "End", "Mark", "Path"]

CACHE_LIMIT = 1 << 15  # walks remembered
CACHED_STEPS = 128  # longest walk remembered, in steps
CUSTOM_OPCODES = (0x0B, 0x2B, 0x5B, 0x7B)  # custom-0 to custom-3


class Path(Walker):
    """Where the decoder is and every instruction up to there.

    A message group is zero or more `take_icnt`, `take_hist` (ResourceFull) and one `finish_group` (any other
    message): counts add up, HIST bits concatenate (NT-3), and both are walked at once as far as they leave no
    choice. Where a group ends in an uninferable jump, `arrive` (its target is told) or `infer` (it is predicted, 9.1 and
    9.2) has to follow, or `go_to`. All methods that walk raise Contradiction; the caller then undoes to its mark and calls
    `go_to`.
    """

    def __init__(self, program: Program | View, config: Config) -> None:
        super().__init__(program, config)
        self._predicts = bool(config.implicit_return)
        self._fresh = True  # no ResourceFull since the last group

    # Groups

    def go_to(self, pc: int) -> None:
        """Begin a new group at pc, with nothing pending and no calls known."""
        self.pc = pc
        self._credit, self._end, self._fresh, self._jump = 0, PLAIN, True, None
        self._count_begin = self.count
        self.calls.clear()

    def arrive(self, pc: int) -> None:
        """A message tells where the group that has just ended goes on; a jump at its end does with the return stack what it does."""
        jump, self._jump, self.pc = self._jump, None, pc
        if jump is not None:
            if jump.pops:
                self.calls.pop()
            if jump.back is not None:
                self.calls.push(jump.back)

    def infer(self, what: str) -> None:
        """The group that has just ended goes on as predicted, because `what` follows without telling a target."""
        if self._jump is not None:
            self._follow(what)

    def take_icnt(self, icnt: int) -> None:
        """I-CNT of a ResourceFull: walk up to the next branch whose direction is not told."""
        self._begin()
        self._credit += icnt
        self._linear(False)

    def take_hist(self, hist: int, times: int = 1) -> None:
        """HIST of a ResourceFull, `times` over: all its branches have retired."""
        self._begin()
        items = self.calls.items
        turn, stack, credit, count, left = NOWHERE, [], 0, 0, 0
        patience = gap = 1
        while times:
            if self.pc == turn and stack == items:  # the pattern came back to where it was: nothing new can happen
                turns = times // (left - times)
                self._walk_again(credit, count, turns)
                times -= turns * (left - times)
                turn = NOWHERE
                patience = 0  # and what is left is less than a turn
                continue
            patience -= 1
            if not patience and self._end is PLAIN:
                turn, stack, credit, count, left = self.pc, items.copy(), self._credit, self.count, times
                gap += gap
                patience = gap
            self._branches(hist)
            times -= 1

    def finish_group(self, icnt: int, hist: int, taken: int) -> End:
        """Walk what is left of the group; the kind of its last instruction.

        taken: direction of a last branch that has no HIST bit: 1, 0 or -1 (unknown, pc is then that of 0).
        """
        fresh, items = self._fresh, self.calls.items
        key = (self.pc, icnt, hist, taken, items[-1] if items else NOWHERE)
        if fresh:
            known = self._cache.get(key)
            if known is not None:
                steps, pc, count, last_pc, end, jump, effect = known
                if effect is None or self.calls.apply(effect):
                    self._steps.extend(steps)
                    self._count_begin = self.count
                    self.pc, self.last_pc, self._jump = pc, last_pc, jump
                    self.count += count
                    return end
            if self._predicts:
                self.calls.watch()
        self._begin()
        steps, repeats, count = len(self._steps), len(self._repeats), self.count
        self._credit += icnt
        if hist > 1:
            self._branches(hist)
        self._linear(True, taken)
        end = self._end
        self._credit, self._end, self._fresh = 0, PLAIN, True
        if fresh and len(self._repeats) == repeats and len(self._steps) - steps <= CACHED_STEPS:
            effect = self.calls.effect() if self._predicts else None
            if effect is not None or not self._predicts:
                if len(self._cache) >= CACHE_LIMIT:
                    self._cache.clear()
                walked = tuple(self._steps[steps:])
                self._cache[key] = (walked, self.pc, self.count - count, self.last_pc, end, self._jump, effect)
        return end

    def turn_back(self) -> None:
        """The branch at the end of the group just finished as taken was not taken, if it is one."""
        last = self._nodes.code[self._pool.last_pc(self._steps[-1])]
        if last.flow is Flow.BRANCH:  # all-jumps tells others as branches too
            self._steps[-1] -= 1
            self.pc = last.pc + last.size & self._nodes.mask

    def last(self) -> str:
        """The last instruction of the group just finished, for people."""
        pc = self._group_last_pc()
        return "nothing was counted, so there" if pc is None else self.program.where(pc)

    def ends_in_custom(self) -> bool:
        """Whether the group just finished ends in a custom instruction; it may jump as if uninferable (10.1)."""
        pc = self._group_last_pc()
        if pc is None:
            return False
        insn = self._nodes.code[pc]
        custom = insn.size > 4 or (insn.size == 4 and insn.raw & 0x7F in CUSTOM_OPCODES)
        return custom and insn.flow is Flow.SEQUENTIAL

    def _group_last_pc(self) -> int | None:
        if self.count == self._count_begin:
            return None
        step = self._steps[-1] if self._steps else int(self._packed[-1][-1])
        return self._pool.last_pc(step)

    def again(self, count: int, times: int) -> None:
        """What was walked since there were `count` instructions happened `times` more (RepeatBranch)."""
        self._repeat(count, times)

    def _begin(self) -> None:
        if self._fresh:
            self._fresh, self._count_begin = False, self.count
