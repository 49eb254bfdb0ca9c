"""The decoder's walk: from HIST bits and half-words of I-CNT through the program (11.1, 8.3, 8.4, 9.1, 9.2).

`Walker` follows code as far as what was told leaves no choice. What messages are, and where counts begin and end, is
`decoder_path`.
"""

from __future__ import annotations

from models.ntrace.config import Config
from models.ntrace.decoder_calls import CallStack, Effect
from models.ntrace.decoder_steps import End, Jump, Node, Steps
from models.ntrace.images import View
from models.riscv.program import Program
from models.riscv.step_store import Pool, Store

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


class Walker(Store):
    """A place in a program, and the half-words that are still to be walked.

    pc: the next instruction, not known while `_jump` waits. count: instructions so far. last_pc: of the last instruction,
    valid after INDIRECT and TRAP. calls: the return stack.
    """

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
        self._jump: Jump | None = None  # walked, its target neither told nor predicted yet
        self._count_begin = 0  # instructions before the open count
        self.use(program)

    def use(self, program: Program | View) -> None:
        """From here on the code is this one's."""
        if id(program) not in self._images:
            self._images[id(program)] = _Image(program, self._config, self._pool)
        image = self._images[id(program)]
        self.program, self._nodes, self._cuts, self._cache = image.program, image.nodes, image.cuts, image.cache

    def _follow(self, left: str, clause: str = "NT.10.indirect") -> None:
        """The jump that waits goes where the program or the return stack says, because `left` comes behind it.

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
            return Contradiction("NT.9.2.implicit_return", f"{left} behind {where}, which returns from no call that is known")
        if self._constants and self._nodes.loads(jump.pc):
            return Contradiction("NT.9.1.sequential_jump", f"{left} behind {where}, whose register was not loaded in the same count")
        return Contradiction(clause, f"{left} behind {where}")

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
        """Follow the HIST bits, oldest first, to behind the last of their branches."""
        nodes, steps, calls = self._nodes, self._steps, self.calls
        if self._end is not PLAIN:
            if self._end is not INDIRECT:
                raise Contradiction("NT.8.3.hist", f"HIST goes on behind {self.program.where(self.last_pc)}")
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
                        text = f"{shift + 1} HIST bits are left but the code at {self.program.where(pc)} goes round without a branch"
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
                raise Contradiction("NT.10.indirect", f"I-CNT goes on behind {self.program.where(self.last_pc)}")
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
            raise Contradiction("NT.10.indirect", f"{left} half-words are left behind {self.program.where(last_pc)}")
        self._steps.append(node.step)
        self.count += node.count
        self._credit = 0
        self._end, self.last_pc = node.end, last_pc

    def _silent_jump(self, node: Node) -> Contradiction:
        where = self.program.where(node.jump.pc)
        return Contradiction("NT.2.all_jumps", f"I-CNT goes on behind {where}, which needs its own DirectBranch")

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
