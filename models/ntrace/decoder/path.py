# SPDX-License-Identifier: Apache-2.0
"""The decoder's path: every instruction up to the present one, by the counts of messages (8.3, 8.4, 9.1, 9.2, 9.3,
11.1, NT-3).

`Path` follows code as far as the messages leave no choice. It is kept as numbers of steps
(`rvtrace.models.ntrace.decoder.steps`) and repeats, so that a loop of a million iterations costs a few numbers;
`expand` makes the PCs of it.
"""

from __future__ import annotations

from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.decoder.calls import CallStack, Effect
from rvtrace.models.ntrace.decoder.images import View
from rvtrace.models.ntrace.decoder.steps import End, Jump, Node, Steps
from rvtrace.models.riscv.isa import Flow
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.step_store import Pool, Store

CACHE_LIMIT = 1 << 15  # walks remembered
CACHED_STEPS = 128  # longest walk remembered, in steps
CUSTOM_OPCODES = (0x0B, 0x2B, 0x5B, 0x7B)  # custom-0 to custom-3
PATIENCE = 64  # steps without a decision before a walk looks for a cycle
PLAIN, BRANCH, INDIRECT, CALL, JUMP = End.PLAIN, End.BRANCH, End.INDIRECT, End.CALL, End.JUMP
NOWHERE = -1  # a pc that no walk comes to

Walked = tuple[tuple[int, ...], int, int, int, End, "Jump | None", "Effect | None"]


class Contradiction(Exception):
    """What a message says cannot have happened in this program; `clause` is the requirement it breaks."""

    def __init__(self, clause: str, text: str) -> None:
        super().__init__(text)
        self.clause = clause


class _Image:
    """What is kept of one program image: its steps, cut steps, and the walks remembered."""

    def __init__(self, program: Program | View, config: Config, pool: Pool) -> None:
        self.program = program
        self.nodes = Steps(program, config, pool)
        self.cuts: dict[tuple[int, int], tuple[int, int, int, int]] = {}
        self.cache: dict[tuple[int, int, int, int, int], Walked] = {}


class Path(Store):
    """The decoder's place in the program and every instruction up to there.

    pc: the next instruction, not known while `_jump` waits. count: instructions so far. last_pc: of the last
    instruction, valid after INDIRECT and TRAP. calls: the return stack.

    A message group is zero or more `take_icnt`, `take_hist` (ResourceFull) and one `finish_group` (any other
    message): counts add up, HIST bits concatenate (NT-3), and both are walked at once as far as they leave no
    choice. Where a group ends in an uninferable jump, `arrive` (its target is reported) or `infer` (it is predicted,
    9.1 and 9.2) has to follow, or `go_to`. All methods that walk raise Contradiction; the caller then undoes to its
    mark and calls `go_to`.
    """

    pc: int
    count: int

    def __init__(self, program: Program | View, config: Config) -> None:
        super().__init__()
        self.pc = self.last_pc = 0
        self.calls = CallStack()
        self._config = config
        self._bits_tell = config.mode == "htm"
        self._ecall_counts = config.variant == "rc7"
        self._constants = bool(config.sequential_jump)
        self._images: dict[int, _Image] = {}
        self._credit = 0  # half-words of I-CNT not walked yet; negative: walked for HIST before their I-CNT
        self._end = PLAIN  # the last instruction of the open count
        self._jump: Jump | None = None  # walked, its target neither reported nor predicted yet
        self._count_begin = 0  # instructions before the open count
        self.use(program)
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
        """A message reports where the group that has just ended goes on; a jump at its end does with the return stack
        what it does.
        """
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
        """I-CNT of a ResourceFull: walk up to the next branch whose direction is not reported."""
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
        if last.flow is Flow.BRANCH:  # all-jumps reports others as branches too
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

    # Walking: from HIST bits and half-words of I-CNT through the program

    def use(self, program: Program | View) -> None:
        """From here on the code is this one's."""
        if id(program) not in self._images:
            self._images[id(program)] = _Image(program, self._config, self._pool)
        image = self._images[id(program)]
        self.program, self._nodes, self._cuts, self._cache = image.program, image.nodes, image.cuts, image.cache

    def _follow(self, left: str, clause: str = "NT.10.indirect") -> None:
        """The jump that waits goes where the program or the return stack says, because `left` comes after it.

        clause: broken if neither says anything, and it is not that they should.
        """
        jump = self._jump
        assert jump is not None
        target = self._constant(jump.pc) if self._constants else None
        if jump.pops:
            back = self.calls.pop()
            target = back if target is None else target
        if target is None:
            raise self._lost(jump, left, clause)
        if jump.back is not None:
            self.calls.push(jump.back)
        self.pc, self._jump, self._end = target, None, PLAIN

    def _lost(self, jump: Jump, left: str, clause: str) -> Contradiction:
        where = self.program.where(jump.pc)
        if jump.pops:
            return Contradiction(
                "NT.9.2.implicit_return", f"{left} after {where}, which returns from no call that is known"
            )
        if self._constants and self._nodes.loads(jump.pc):
            return Contradiction(
                "NT.9.1.sequential_jump", f"{left} after {where}, whose register was not loaded in the same count"
            )
        return Contradiction(clause, f"{left} after {where}")

    def _constant(self, pc: int) -> int | None:
        """Target of the jump just walked if the instruction before it, in the same count, loads its register (9.1)."""
        if self.count - self._count_begin < 2:
            return None
        step, pool = self._steps[-1], self._pool
        if pool.length[step] > 1:
            before = pool.pcs[pool.start[step] + pool.length[step] - 2]
        elif len(self._steps) > 1:
            before = pool.last_pc(self._steps[-2])
        else:
            return None
        return self._nodes.constant(before, pc)

    def _branches(self, hist: int) -> None:
        """Follow the HIST bits, oldest first, to after the last of their branches."""
        nodes, steps, calls = self._nodes, self._steps, self.calls
        if self._end is not PLAIN:
            if self._end is not INDIRECT:
                raise Contradiction("NT.8.3.hist", f"HIST goes on after {self.program.where(self.last_pc)}")
            self._follow("HIST goes on", "NT.8.3.hist")
        pc, credit, count = self.pc, self._credit, self.count
        for shift in range(hist.bit_length() - 2, -1, -1):
            end, halves, number, after, step, target, taken_step, jump = nodes[pc]
            if end is not BRANCH:
                patience = gap = PATIENCE
                turn, stack = NOWHERE, []
                while end is not BRANCH:
                    if end is JUMP:
                        if not hist >> shift & 1:
                            raise Contradiction("NT.2.all_jumps", f"HIST says 0 of {self.program.where(jump.pc)}")
                        break
                    if pc == turn and stack == calls.items:
                        text = (
                            f"{shift + 1} HIST bits are left but the code at {self.program.where(pc)} goes round"
                            " without a branch"
                        )
                        raise Contradiction("NT.8.3.hist", text)
                    patience -= 1
                    if not patience:
                        turn, stack = pc, calls.items.copy()
                        gap += gap
                        patience = gap
                    steps.append(step)
                    credit -= halves
                    count += number
                    pc = after
                    if end is not PLAIN:
                        if end is CALL:
                            calls.push(jump.back)
                        elif end is INDIRECT:
                            self.count, self._jump, self.last_pc = count, jump, jump.pc
                            self._follow(f"{shift + 1} HIST bits are left", "NT.8.3.hist")
                            pc = self.pc
                        else:
                            self._no_branch(pc, end, step, shift + 1)
                    end, halves, number, after, step, target, taken_step, jump = nodes[pc]
            credit -= halves
            count += number
            if hist >> shift & 1:
                steps.append(taken_step)
                pc = target
            else:
                steps.append(step)
                pc = after
        self.pc, self._credit, self.count = pc, credit, count

    def _no_branch(self, pc: int, end: End, step: int, bits: int) -> None:
        last = pc if end is End.UNMAPPED else self._pool.last_pc(step)
        text = f"{bits} HIST bits are left but the code leads to {self.program.where(last)}"
        raise Contradiction("NT.8.3.hist", text)

    def _linear(self, final: bool, taken: int = 0) -> None:
        """Walk the credit: to its end if `final`, else as far as it leaves no choice."""
        nodes, steps, calls = self._nodes, self._steps, self.calls
        if self._end is not PLAIN and self._credit > 0:
            if self._end is not INDIRECT:
                raise Contradiction("NT.10.indirect", f"I-CNT goes on after {self.program.where(self.last_pc)}")
            self._follow("I-CNT goes on")
        if final and self._credit < 0:
            raise Contradiction(
                "NT.8.4.count", f"the branches of HIST take {-self._credit} half-words more than I-CNT counts"
            )
        patience = gap = PATIENCE
        turn, stack, turn_credit, turn_count = NOWHERE, [], 0, 0
        while self._credit > 0:
            pc, credit = self.pc, self._credit
            node = nodes[pc]
            end = node.end
            if node.halves > credit:
                self._cut(pc, credit, final)
                return
            if end is PLAIN:
                steps.append(node.step)
            elif end is BRANCH or end is JUMP:
                if self._bits_tell:
                    self._stop_at_branch(pc, node, final)
                    return
                if node.halves == credit:
                    if final:
                        self._last_branch(pc, node, taken)
                    return
                if end is JUMP:
                    raise self._silent_jump(node)
                steps.append(node.step)  # BTM: the count goes on without a DirectBranch: not taken
            elif end is CALL:
                steps.append(node.step)
                calls.push(node.jump.back)
            elif end is INDIRECT:
                steps.append(node.step)
                self._credit = credit - node.halves
                self.count += node.count
                self._jump, self.last_pc, self._end = node.jump, node.jump.pc, INDIRECT
                if not self._credit:
                    return
                self._follow(f"{self._credit} half-words are left")
            else:
                self._stop(pc, node)
                return
            if end is not INDIRECT:
                self._credit = credit - node.halves
                self.count += node.count
                self.pc = node.after
            if self.pc == turn and self._credit > 0 and stack == calls.items:
                # a last turn is left for the walk to find its end in
                self._walk_again(turn_credit, turn_count, (self._credit - 1) // (turn_credit - self._credit))
                turn, patience = NOWHERE, 0
            patience -= 1
            if not patience:
                turn, stack, turn_credit, turn_count = self.pc, calls.items.copy(), self._credit, self.count
                gap += gap
                patience = gap

    def _walk_again(self, credit: int, count: int, turns: int) -> None:
        """What was walked since there were `credit` and `count` happened `turns` more."""
        if self.count > count:
            self._credit -= turns * (credit - self._credit)
            self._repeat(count, turns)

    def _stop(self, pc: int, node: Node) -> None:
        """A step that ends in a trap: it must be the end of the count."""
        if node.end is End.UNMAPPED:
            raise Contradiction("NT.11.pcs", f"{self._credit} half-words are left at {self.program.where(pc)}")
        last_pc = self._pool.last_pc(node.step)
        if not self._ecall_counts:
            raise Contradiction("NT.8.4.icnt", f"I-CNT counts {self.program.where(last_pc)}, which does not retire")
        if node.halves != self._credit:
            left = self._credit - node.halves
            raise Contradiction("NT.10.indirect", f"{left} half-words are left after {self.program.where(last_pc)}")
        self._steps.append(node.step)
        self.count += node.count
        self._credit = 0
        self._end, self.last_pc = node.end, last_pc

    def _silent_jump(self, node: Node) -> Contradiction:
        where = self.program.where(node.jump.pc)
        return Contradiction("NT.2.all_jumps", f"I-CNT goes on after {where}, which needs its own DirectBranch")

    def _last_branch(self, pc: int, node: Node, taken: int) -> None:
        step = node.taken_step if taken == 1 else node.step
        if node.end is JUMP:
            if taken == 0:
                raise self._silent_jump(node)
        elif taken < 0:
            step = self._cut_at(pc, node.halves)[0]
        self._steps.append(step)
        self.count += node.count
        self._credit = 0
        self.pc = node.target if taken == 1 else node.after
        self._end, self.last_pc = BRANCH, self._pool.last_pc(node.step)

    def _stop_at_branch(self, pc: int, node: Node, final: bool) -> None:
        """HTM: the credit reaches over a branch without a HIST bit."""
        last = self._pool.last_pc(node.step)
        if final:
            clause = "NT.2.all_jumps" if node.end is JUMP else "NT.8.3.hist"
            raise Contradiction(clause, f"I-CNT counts {self.program.where(last)}, for which HIST has no bit")
        if last != pc:
            self._cut(pc, node.halves - (self._nodes.code[last].size >> 1), False)

    def _cut(self, pc: int, credit: int, final: bool) -> None:
        """Walk the part of a step that the credit covers."""
        step, halves, count, after = self._cut_at(pc, credit)
        if final and halves != credit:
            raise Contradiction("NT.8.4.count", f"I-CNT ends inside {self.program.where(after)}")
        if count:
            self._steps.append(step)
            self._credit -= halves
            self.count += count
            self.pc = after

    def _cut_at(self, pc: int, credit: int) -> tuple[int, int, int, int]:
        """(step, half-words, instructions, next pc) of what credit covers of the step at pc."""
        known = self._cuts.get((pc, credit))
        if known is None:
            nodes, pool = self._nodes, self._pool
            node = nodes[pc]
            start = pool.start[node.step]
            halves, count, after = 0, 0, pc
            while count < node.count:
                size = nodes.code[pool.pcs[start + count]].size >> 1
                if halves + size > credit:
                    break
                halves += size
                count += 1
                after = pool.pcs[start + count] if count < node.count else node.after
            known = self._cuts[pc, credit] = (pool.new(start, count, -1), halves, count, after)
        return known
