"""Which of several places an address stands for: walking to the instruction a packet reports (sections updiscon, irxx).

All branches told before it are behind; what lies between is inferred, so the first place that fits is as good as any later
one unless flags or the packet behind say which.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from models.etrace.config import Config
from models.etrace.decoder_ends import Contradiction
from models.etrace.decoder_path import BRANCH, UNMAPPED, WALK_LIMIT, Path, Place
from models.etrace.decoder_steps import NOWHERE, Exit
from models.riscv.program import Program

AS_PREDICTED, MISPREDICTED = 2, 3
LOOK_AHEAD = 256  # steps in which a second place is looked for
PATIENCE = 64  # steps before a walk looks for a cycle


class How(Enum):
    """How the walk came to the instruction reported."""

    JUMP = "by an uninferable jump"
    INFERRED = "by inference"
    HERE = "it was there"


class Goal(NamedTuple):
    """The instruction a packet reports.

    taken: outcome, if it is a branch, or one of AS_PREDICTED and MISPREDICTED; None: it is none. inferable: it may be met without an
    uninferable jump; fallback: and if it must not be, that is better than nothing. irdepth: entries of the return stack there,
    None if not told; depths: whether an encoder tells it where it matters. sync: of a synchronization packet. not_next: more
    than one instruction lies ahead.
    """

    address: int
    taken: int | None
    inferable: bool = True
    fallback: bool = True
    irdepth: int | None = None
    depths: bool = False
    sync: bool = False
    not_next: bool = False


class Seeker(Path):
    """A `Path` that finds goals. doubtful: the last goal was found only where it should not have been."""

    def __init__(self, program: Program, config: Config, limit: int) -> None:
        super().__init__(program, config, limit)
        self.doubtful = False
        self._compares = bool(config.return_stack_size_p)

    def seek(self, goal: Goal) -> How:
        """Walk to the goal, without a branch before it."""
        self.doubtful = self.since = False
        address, inferable, start = goal.address, goal.inferable, self.count
        fallback: tuple[Place, int, int] | None = None
        patience = gap = PATIENCE
        turn, stack = NOWHERE, []
        try:
            while True:
                if self.pending is not None:
                    leaves = self.pending
                    explicit = leaves.pops and self._is_explicit(leaves, goal)
                    if explicit or not self.infer(leaves):
                        depth = len(self.stack)
                        self.told(leaves)
                        if not explicit and goal.irdepth not in (None, depth, len(self.stack)):
                            raise self._not_met(goal, f"irdepth is {goal.irdepth}, and {depth} calls are open")
                        self.arrive(address, self._outcome(goal))
                        return How.JUMP
                begin = self.next
                if begin == NOWHERE:
                    raise Contradiction("ET-2", "an address is reported where nothing has retired")
                node = self.nodes[begin]
                found = node.index.get(address)
                if found is not None:
                    if inferable and self._fits(goal, found, start):
                        self._stop(goal, begin, found)
                        return How.INFERRED
                    if fallback is None and goal.fallback:
                        fallback = self.place(), begin, found
                if node.end is BRANCH:
                    why = f"{self.program.where(node.exit.pc)} comes first, whose outcome is not told"
                    raise self._not_met(goal, why, "ET.pay.map_length")
                if node.end is UNMAPPED:
                    raise self._not_met(goal, f"the code leads to {self.program.where(begin)}", "ET.bt.sequential")
                if begin == turn and stack == self.stack:
                    raise self._not_met(goal, f"the code at {self.program.where(begin)} goes round without it")
                patience -= 1
                if not patience:
                    turn, stack = begin, self.stack.copy()
                    gap += gap
                    patience = gap
                    if gap > WALK_LIMIT:
                        raise self._not_met(goal, f"it is too far from {self.program.where(self.pc)}")
                self.run(begin)
        except Contradiction:
            if fallback is None:
                raise
            place, begin, found = fallback
            self.back_to(place)
            self._stop(goal, begin, found)
            self.doubtful = True
            return How.INFERRED

    def _not_met(self, goal: Goal, why: str, clause: str = "ET.pay.differential") -> Contradiction:
        clause = "ET-4" if goal.sync else "ET-14" if goal.irdepth is not None else clause
        return Contradiction(clause, f"the way to {self.program.where(goal.address)} is not known: {why}")

    def _fits(self, goal: Goal, found: int, start: int) -> bool:
        """Whether the goal, `found` instructions behind `next`, is the one that is meant."""
        if goal.sync:
            return not (goal.not_next and self.count == start and not found)
        if goal.irdepth is not None:
            return len(self.stack) == goal.irdepth
        # "If the reported address is the instruction following a return": depth 0 is not told
        return not (goal.depths and self.since) or (self.returned and not found and not self.stack)

    def _is_explicit(self, leaves: Exit, goal: Goal) -> bool:
        """Whether this return, for which the stack has an entry, went elsewhere, and the goal is where."""
        if not self._compares or not self.stack or (self._constants and self._constant(leaves) is not None):
            return False
        if goal.sync:  # returns before it are told, so this one is the last instruction
            return self.stack[-1] != goal.address
        return goal.irdepth == len(self.stack)

    def _stop(self, goal: Goal, begin: int, found: int) -> None:
        taken = self._outcome(goal)
        if self.nodes.exits[goal.address].end is BRANCH:
            self.follow_one(goal.address, taken or 0, begin)
        else:
            self.part(begin, found + 1, goal.address)

    def _outcome(self, goal: Goal) -> int | None:
        leaves = self.nodes.exits[goal.address]
        if leaves.end is not BRANCH:
            return None
        if goal.taken is None:
            raise Contradiction("ET.pay.map_length", f"the outcome of {self.program.where(goal.address)} is not told")
        if goal.taken > 1:
            return self.prediction(goal.address) ^ (goal.taken == MISPREDICTED)
        return goal.taken

    def again(self, goal: Goal, jumps: bool) -> str:
        """How the hart could have come from the goal to it once more with nothing told: by "loop", "return", "jump", or "".

        jumps: the target of one uninferable jump would not have been told.
        """
        place, wasted = self.place(), self.wasted
        returns, how, start = False, "", self.count
        try:
            for _ in range(LOOK_AHEAD):
                if self.pending is not None:
                    leaves = self.pending
                    returns |= leaves.pops
                    if not self.infer(leaves):
                        how = "jump" if jumps else ""
                        break
                begin = self.next
                if begin == NOWHERE:
                    break
                node = self.nodes[begin]
                found = node.index.get(goal.address)
                if found is not None and self._fits(goal, found, start):
                    how = "return" if returns else "loop"
                    break
                if node.end is BRANCH or node.end is UNMAPPED:
                    break
                self.run(begin)
        except Contradiction:
            pass
        self.back_to(place)
        self.wasted = wasted
        return how

