# SPDX-License-Identifier: Apache-2.0
"""The decoder's path: every instruction up to the present one, by the branches and addresses of packets.

`Path` walks branches by their bits or by the predictor, and to the instruction that a packet reports (`seek`; sections
updiscon and irxx): all branches reported before that instruction precede it, and the way between is inferred, so the
first place that fits is as good as a later one unless flags or the packet after it select one. The path is kept as
numbers of steps (`rvtrace.models.etrace.decoder.steps`) and repeats.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.decoder.steps import NOWHERE, End, Exit, Steps
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.step_store import Mark, Store

WALK_LIMIT = 1 << 15  # steps without a decision
PATIENCE = 16  # branches before a walk by prediction looks for a cycle
PLAIN, BRANCH, CALL, INDIRECT, TRAP, UNMAPPED = End
TRAIN = (
    (0, 1),
    (0, 3),
    (0, 3),
    (2, 3),
)  # next state of a predictor entry by state and outcome (branch prediction mode)
WEAKLY_NOT_TAKEN = 1
AS_PREDICTED, MISPREDICTED = 2, 3
LOOK_AHEAD = 256  # steps in which a second place is looked for
SEEK_PATIENCE = 64  # steps before a walk looks for a cycle


class Contradiction(Exception):
    """What a packet says cannot have happened in this program; `clause` is the requirement it breaks."""

    def __init__(self, clause: str, text: str) -> None:
        super().__init__(text)
        self.clause = clause


class Uninferable(Contradiction):
    """Branches are reported after a jump whose target is not known."""


class LimitReached(Exception):
    """The trace reports more instructions than the decoder is to follow."""


class Place(NamedTuple):
    """All a walk changes, for a walk that may have to be taken back. Branches must not lie between."""

    mark: Mark
    pc: int
    next: int
    pending: Exit | None
    stack: list[int]
    returned: bool
    ret_open: bool
    since: bool


class How(Enum):
    """How the walk came to the instruction reported."""

    JUMP = "by an uninferable jump"
    INFERRED = "by inference"
    HERE = "it was there"


class Goal(NamedTuple):
    """The instruction a packet reports.

    taken: outcome, if it is a branch, or one of AS_PREDICTED and MISPREDICTED; None: it is none. inferable: it may be
    met without an uninferable jump; fallback: and if it must not be, that is better than nothing. irdepth: entries of
    the return stack there, None if not reported; depths: whether an encoder reports it where it matters. sync: of a
    synchronization packet. not_next: more than one instruction lies ahead.
    """

    address: int
    taken: int | None
    inferable: bool = True
    fallback: bool = True
    irdepth: int | None = None
    depths: bool = False
    sync: bool = False
    not_next: bool = False


class Path(Store):
    """The decoder's place in the program and every instruction up to there; see `seek` for goals.

    pc: the last instruction. next: the one after it, NOWHERE if it is not known or if `pending`, the exit of a call or
    jump not left yet, has still to change the return stack. stack: return addresses. returned: next is the target of an
    implicit return; ret_open: there was one since the last branch, call or synchronization; since: likewise, and since
    the last address reported. doubtful: the last goal was found only where it should not have been. Methods that walk
    raise Contradiction.
    """

    def __init__(self, program: Program, config: Config, limit: int) -> None:
        super().__init__()
        self.program = program
        self.pc: int = NOWHERE
        self.next: int = NOWHERE
        self.pending: Exit | None = None
        self.stack: list[int] = []
        self.returned = self.ret_open = self.since = False
        self.limit = limit
        self._steps_of = {
            stacked: Steps(program, self._pool, stacked, not config.ignores_sijump_of_returns)
            for stacked in (False, True)
        }
        self._depth = (
            1 << config.return_stack_size_p if config.return_stack_size_p else (1 << config.call_counter_size_p) - 1
        )
        self._shift, self._mask = config.iaddress_lsb_p, (1 << config.bpred_size_p) - 1
        self._entries = bytearray(1 << config.bpred_size_p)
        self._seam = 0  # instructions before the last place at which the hart may not have gone on
        self.configure({})
        self.doubtful = False
        self._compares = bool(config.return_stack_size_p)

    def seek(self, goal: Goal) -> How:
        """Walk to the goal, without a branch before it."""
        self.doubtful = self.since = False
        address, inferable, start = goal.address, goal.inferable, self.count
        fallback: tuple[Place, int, int] | None = None
        patience = gap = SEEK_PATIENCE
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
                    why = f"{self.program.where(node.exit.pc)} comes first, whose outcome is not reported"
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
        """Whether the goal, `found` instructions after `next`, is the one that is meant."""
        if goal.sync:
            return not (goal.not_next and self.count == start and not found)
        if goal.irdepth is not None:
            return len(self.stack) == goal.irdepth
        # "If the reported address is the instruction following a return": depth 0 is not reported
        return not (goal.depths and self.since) or (self.returned and not found and not self.stack)

    def _is_explicit(self, leaves: Exit, goal: Goal) -> bool:
        """Whether this return, for which the stack has an entry, went elsewhere, and the goal is where."""
        if not self._compares or not self.stack or (self._constants and self._constant(leaves) is not None):
            return False
        if goal.sync:  # returns before it are reported, so this one is the last instruction
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
            raise Contradiction(
                "ET.pay.map_length", f"the outcome of {self.program.where(goal.address)} is not reported"
            )
        if goal.taken > 1:
            return self.prediction(goal.address) ^ (goal.taken == MISPREDICTED)
        return goal.taken

    def again(self, goal: Goal, jumps: bool) -> str:
        """How the hart could have come from the goal to it once more with nothing reported: by "loop", "return",
        "jump", or "".

        jumps: the target of one uninferable jump would not have been reported.
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

    # The place in the program, the return stack and the predictor

    def configure(self, options: dict[str, int]) -> None:
        """The options in force from here on."""
        self.implicit = bool(options.get("implicit_return"))
        self.nodes = self._steps_of[self.implicit]
        self._predicts, self._constants = bool(options.get("branch_prediction")), bool(options.get("sijump"))
        if self.pending is None and self.pc != NOWHERE and self.next != NOWHERE:
            leaves = self.nodes.exits[self.pc]  # a call may count from here on, or no longer
            if leaves.end is CALL:
                self.pending, self.next = leaves, NOWHERE
        elif self.pending is not None:
            self._stand(self.pc)

    # Where it is

    def synchronize(self) -> None:
        """Forget what a synchronization packet makes forget: return stack and predictor."""
        self.stack.clear()
        self.returned = self.ret_open = self.since = False
        self._entries = bytearray([WEAKLY_NOT_TAKEN]) * len(self._entries)

    def interrupt(self) -> None:
        """What comes next does not come from here (a trap, or an end)."""
        self.pc = self.next = NOWHERE
        self.pending = None
        self._seam = self.count

    def arrive(self, pc: int, taken: int | None) -> None:
        """The instruction at pc retires. taken: of a branch."""
        leaves = self.nodes.exits[pc]
        if leaves.end is UNMAPPED:
            raise Contradiction("ET.pay.differential", f"no instruction is at {self.program.place(pc)}")
        if leaves.end is BRANCH:
            node, taken = self.nodes[pc], taken or 0
            self._steps.append(node.taken_step if taken else node.step)
            self.train(pc, taken)
        else:
            self._steps.append(self.nodes.cut(pc, 1))
        self.count += 1
        self._stand(pc, taken)

    def _stand(self, pc: int, taken: int | None = None) -> None:
        """pc is the last instruction; it is not left yet."""
        leaves = self.nodes.exits[pc]
        self.pc, self.returned, self.pending, self.next = pc, False, None, leaves.after
        if leaves.end is BRANCH:
            self.ret_open = self.since = False
            if taken:
                self.next = leaves.target
        elif leaves.end is not PLAIN:
            self.pending, self.next = leaves, NOWHERE

    def train(self, pc: int, taken: int) -> None:
        """The predictor learns the outcome of a branch."""
        if self._predicts:
            index = pc >> self._shift & self._mask
            self._entries[index] = TRAIN[self._entries[index]][taken]

    def prediction(self, pc: int) -> int:
        """The outcome expected of the branch at pc, as 0 or 1."""
        return self._entries[pc >> self._shift & self._mask] >> 1

    # Leaving instructions

    def infer(self, leaves: Exit) -> bool:
        """Leave the call or jump `pending` if its target is known: `next` is; False if it is uninferable."""
        if leaves.end is CALL:
            self.push(leaves.back)
            self.next, self.pending = leaves.after, None
            return True
        if leaves.end is not INDIRECT:
            raise Contradiction("ET.bt.traps", f"trace goes on after {self.program.where(leaves.pc)}, which traps")
        target = self._constant(leaves) if self._constants else None
        implicit = leaves.pops and bool(self.stack)
        if target is None and not implicit:
            return False
        back = self.stack.pop() if implicit else NOWHERE
        if implicit and target in (None, back):
            self.returned = self.ret_open = self.since = True
        if leaves.back is not None:
            self.push(leaves.back)
        self.next, self.pending = back if target is None else target, None
        return True

    def told(self, leaves: Exit) -> None:
        """The uninferable jump `pending` is left for a target that a packet reports."""
        if leaves.pops and self.stack:
            self.stack.pop()
        if leaves.back is not None:
            self.push(leaves.back)

    def push(self, back: int) -> None:
        """A call."""
        self.stack.append(back)
        self.ret_open = self.since = False
        if len(self.stack) > self._depth:
            del self.stack[0]

    def _constant(self, leaves: Exit) -> int | None:
        """Target of the jump just walked if the instruction before it, with nothing between, loads its register."""
        if leaves.xret or self.count - self._seam < 2:
            return None
        step, pool = self._steps[-1], self._pool
        if pool.length[step] > 1:
            before = pool.pcs[pool.start[step] + pool.length[step] - 2]
        elif len(self._steps) > 1:
            before = pool.last_pc(self._steps[-2])
        else:
            return None
        return self.nodes.constant(before, leaves.pc)

    def expected(self) -> int | None:
        """The pc that would be next, with nothing changed; None if it is not known."""
        if self.pending is None:
            return self.next if self.next != NOWHERE else None
        place = self.place()
        known = self.pending.end is not TRAP and self.infer(self.pending)
        target = self.next
        self.back_to(place)
        return target if known else None

    # Walking

    def follow(self, bits: int, branches: int) -> None:
        """Walk that many branches by their bits (1: not taken), the oldest lowest, to the last of them."""
        nodes, steps, count, pc = self.nodes, self._steps, self.count, self._begin(branches)
        train, entries, shift, mask = self._predicts, self._entries, self._shift, self._mask
        for done in range(branches):
            end, number, step, after, target, taken_step, leaves, _ = nodes[pc]
            if end is not BRANCH:
                self.count = count
                pc = self._to_branch(pc, branches - done)
                count = self.count
                end, number, step, after, target, taken_step, leaves, _ = nodes[pc]
            count += number
            if bits >> done & 1:
                steps.append(step)
                pc, taken = after, 0
            else:
                steps.append(taken_step)
                pc, taken = target, 1
            if train:
                index = leaves.pc >> shift & mask
                entries[index] = TRAIN[entries[index]][taken]
        if branches:
            self._ended(leaves.pc, pc, count)

    def predict(self, branches: int) -> None:
        """Walk that many branches as the predictor says, to the last of them."""
        nodes, steps, count, pc = self.nodes, self._steps, self.count, self._begin(branches)
        entries, shift, mask = self._entries, self._shift, self._mask
        changes = 0
        turn, stack, was, left_then, count_then = NOWHERE, [], 0, 0, 0
        patience = gap = PATIENCE
        left, leaves = branches, None
        while left:
            if pc == turn and was == changes and stack == self.stack:  # everything is as it was: it goes on like this
                turns = left // (left_then - left)
                self.count = count
                self._repeat(count_then, turns)
                count, turn = self.count, NOWHERE
                left -= turns * (left_then - left)
                patience = left + 1
                continue
            patience -= 1
            if not patience:
                turn, stack, was, left_then, count_then = pc, self.stack.copy(), changes, left, count
                gap += gap
                patience = gap
                if count > self.limit:
                    raise LimitReached(f"more than {self.limit} instructions; give a larger max_instructions")
            end, number, step, after, target, taken_step, leaves, _ = nodes[pc]
            if end is not BRANCH:
                self.count = count
                pc = self._to_branch(pc, left)
                count = self.count
                end, number, step, after, target, taken_step, leaves, _ = nodes[pc]
            count += number
            index = leaves.pc >> shift & mask
            state = entries[index]
            if state >> 1:
                steps.append(taken_step)
                pc = target
            else:
                steps.append(step)
                pc = after
            new = TRAIN[state][state >> 1]
            if new != state:
                entries[index] = new
                changes += 1
            left -= 1
        if leaves is not None:
            self._ended(leaves.pc, pc, count)

    def mispredict(self) -> None:
        """Walk to the next branch, which goes against its prediction."""
        pc = self._to_branch(self._begin(1), 1)
        node = self.nodes[pc]
        self.follow_one(node.exit.pc, 1 - self.prediction(node.exit.pc), pc)

    def follow_one(self, branch: int, taken: int, begin: int) -> None:
        """The step at `begin`, which ends in this branch."""
        node = self.nodes[begin]
        self._steps.append(node.taken_step if taken else node.step)
        self.train(branch, taken)
        self._ended(branch, node.target if taken else node.after, self.count + node.count)

    def _ended(self, branch: int, after: int, count: int) -> None:
        self.pc, self.next, self.pending, self.count = branch, after, None, count
        self.returned = self.ret_open = self.since = False

    def _begin(self, branches: int) -> int:
        """The pc to go on from; the call or jump that was last is left."""
        if not branches:
            return self.next
        if self.pending is not None and not self.infer(self.pending):
            raise self._uninferable(branches)
        if self.next == NOWHERE:
            raise Contradiction("ET-2", "branches are reported where nothing has retired")
        return self.next

    def _to_branch(self, pc: int, branches: int) -> int:
        """Walk to the step that ends in the next branch; its pc."""
        nodes, steps = self.nodes, self._steps
        turn, stack, gap = NOWHERE, [], PATIENCE
        for done in range(WALK_LIMIT):
            node = nodes[pc]
            if node.end is BRANCH:
                return pc
            if pc == turn and stack == self.stack:
                break
            if done == gap:
                turn, stack = pc, self.stack.copy()
                gap += gap
            if node.end is UNMAPPED:
                raise Contradiction("ET.pay.map_length", f"{branches} branches are left at {self.program.where(pc)}")
            steps.append(node.step)
            self.count += node.count
            pc = node.after
            if node.end is not PLAIN:
                self.pc, self.pending = node.exit.pc, node.exit
                if node.end is TRAP or not self.infer(node.exit):
                    raise self._uninferable(branches)
                pc = self.next
        raise Contradiction(
            "ET.pay.map_length", f"{branches} branches are left, but the code at {self.program.where(pc)} has none"
        )

    def _uninferable(self, branches: int) -> Contradiction:
        text = f"{branches} branches are left after {self.program.where(self.pc)}"
        if self._compares and self.implicit and self.pending is not None and self.pending.pops:
            return Contradiction("ET.opt.stack", f"{text}, a return for which no call is open")
        return Uninferable("ET.pay.map_length", text)

    # Steps of which the caller knows

    def run(self, pc: int) -> End:
        """Walk the step at pc, which does not end in a branch; what it ends in. The caller leaves `pending`, if there
        is one.
        """
        node = self.nodes[pc]
        if node.end is UNMAPPED:
            raise Contradiction("ET.bt.sequential", f"the code leads to {self.program.where(pc)}")
        self._steps.append(node.step)
        self.count += node.count
        self._stand(node.exit.pc)
        return node.end

    def part(self, begin: int, count: int, pc: int) -> None:
        """Walk the first instructions of the step at `begin`, up to the one at pc, which is not a branch."""
        self._steps.append(self.nodes.cut(begin, count))
        self.count += count
        self._stand(pc)

    def place(self) -> Place:
        """All that a walk without branches changes."""
        return Place(
            self.here(), self.pc, self.next, self.pending, self.stack.copy(), self.returned, self.ret_open, self.since
        )

    def back_to(self, place: Place) -> None:
        """As if the walk since then had not been."""
        self.undo(place.mark)
        _, self.pc, self.next, self.pending, stack, self.returned, self.ret_open, self.since = place
        self.stack = stack.copy()
