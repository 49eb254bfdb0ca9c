# SPDX-License-Identifier: Apache-2.0
"""The decoder's path: every instruction up to the present one, by the counts of messages (8.3, 8.4, 9.1, 9.2, 9.3,
11.1, NT-3).

The walk itself is in `rvtrace.models.ntrace.decoder.kernel`. `Path` brings it what it needs of the program, and says in
words what it cannot follow. What was walked is kept as numbers of steps (`rvtrace.models.ntrace.decoder.steps`) and
repeats, so that a loop of a million iterations costs a few numbers; `expand` makes the PCs of it.
"""

from __future__ import annotations

from typing import Any

from rvtrace.models.common.decoding import Contradiction, Walk
from rvtrace.models.common.messages import Table
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.decoder import kernel as k
from rvtrace.models.ntrace.decoder.columns import Image, Memory
from rvtrace.models.ntrace.decoder.images import View
from rvtrace.models.ntrace.decoder.steps import End, Steps
from rvtrace.models.ntrace.table import MessageType
from rvtrace.models.riscv.isa import Flow, is_custom
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.step_store import Pool

_ENDS = tuple(End)
# What the kernel cannot follow: {last} is the last instruction walked, {here} and {end} are those of the step at hand
_CANNOT = {
    k.COUNT_GOES_ON: ("NT.10.indirect", "I-CNT goes on after {last}"),
    k.COUNT_EXCEEDED: ("NT.8.4.count", "the branches of HIST take {credit} half-words more than I-CNT counts"),
    k.COUNT_INSIDE: ("NT.8.4.count", "I-CNT ends inside {here}"),
    k.COUNT_UNMAPPED: ("NT.11.pcs", "{credit} half-words are left at {here}"),
    k.COUNT_TRAP: ("NT.8.4.icnt", "I-CNT counts {end}, which does not retire"),
    k.COUNT_AFTER_TRAP: ("NT.10.indirect", "{amount} half-words are left after {end}"),
    k.SILENT_JUMP: ("NT.2.all_jumps", "I-CNT goes on after {end}, which needs its own DirectBranch"),
    k.NO_HIST_BIT: ("NT.8.3.hist", "I-CNT counts {end}, for which HIST has no bit"),
    k.HIST_GOES_ON: ("NT.8.3.hist", "HIST goes on after {last}"),
    k.HIST_ROUND: ("NT.8.3.hist", "{amount} HIST bits are left but the code at {here} goes round without a branch"),
    k.HIST_NO_BRANCH: ("NT.8.3.hist", "{amount} HIST bits are left but the code leads to {end}"),
    k.NOT_TAKEN_JUMP: ("NT.2.all_jumps", "HIST says 0 of {end}"),
}


class Path(Walk):
    """The decoder's place in the program and every instruction up to there.

    pc: the next instruction, not known while a jump waits for its target. count: instructions so far. last_pc: of the
    last instruction, valid after INDIRECT and TRAP. wasted: steps that were undone. memory: what the kernel works on.

    A message group is zero or more `take_icnt`, `take_hist` (ResourceFull) and one `finish_group` (any other
    message): counts add up, HIST bits concatenate (NT-3), and both are walked at once as far as they leave no
    choice. Where a group ends in an uninferable jump, `arrive` (its target is reported) or `infer` (it is predicted,
    9.1 and 9.2) has to follow, or `go_to`. All methods that walk raise Contradiction; the caller then undoes to its
    mark and calls `go_to`.
    """

    def __init__(self, program: Program | View, config: Config, table: Table[MessageType] | None = None) -> None:
        self.memory = Memory(config, table)
        self.wasted = 0
        self._config, self._pool = config, Pool()
        self._images: dict[int, tuple[Program | View, Image]] = {}
        self.program = program
        self.use(program)

    @property
    def pc(self) -> int:
        """The next instruction."""
        return self.memory.image.row(self.memory.state.node).pc << 1

    @property
    def last_pc(self) -> int:
        """The last instruction."""
        return self.memory.state.last << 1

    @property
    def _place(self) -> Any:
        return self.memory.state

    def _waste(self, steps: int) -> None:
        self.wasted += steps

    @property
    def calls(self) -> list[int]:
        """The return stack, in half-words, the newest entry last."""
        return [self.memory.call(index) for index in range(self.memory.state.deep)]

    def forget_calls(self) -> None:
        """A synchronizing message (NT-5)."""
        self.memory.state.deep = 0

    # Groups

    def go_to(self, pc: int) -> None:
        """Begin a new group at pc, with nothing pending and no calls known."""
        s = self.memory.state
        s.node = self._node(pc)
        s.credit, s.counted, s.fresh, s.waiting = 0, k.PLAIN, 1, k.NOWHERE
        s.begin = s.count
        self.forget_calls()

    def arrive(self, pc: int) -> None:
        """A message reports where the group that has just ended goes on; a jump at its end does with the return stack
        what it does.
        """
        self._walk("arrive", pc >> 1)

    def infer(self, what: str) -> None:
        """The group that has just ended goes on as predicted, because `what` follows without telling a target."""
        if self.memory.state.waiting >= 0:
            self._walk("follow", k.LEFT_OTHER, 0, what=what)

    def take_icnt(self, icnt: int) -> None:
        """I-CNT of a ResourceFull: walk up to the next branch whose direction is not reported."""
        self._walk("take_icnt", icnt)

    def take_hist(self, hist: int, times: int = 1) -> None:
        """HIST of a ResourceFull, `times` over: all its branches have retired."""
        self._walk("take_hist", hist, min(times, k.MOST_TIMES))

    def finish_group(self, icnt: int, hist: int, taken: int) -> End:
        """Walk what is left of the group; the kind of its last instruction.

        taken: direction of a last branch that has no HIST bit: 1, 0 or -1 (unknown, pc is then that of 0).
        """
        return _ENDS[self._walk("finish_group", icnt, hist, taken)]

    def turn_back(self) -> None:
        """The branch at the end of the group just finished as taken was not taken, if it is one."""
        memory = self.memory
        last = memory.state.steps - 1
        insn = memory.image.steps.code[self._pool.last_pc(int(memory.steps[last]))]
        if insn.flow is Flow.BRANCH:  # all-jumps reports others as branches too
            memory.steps[last] -= 1
            memory.state.node = self._node(insn.pc + insn.size & memory.image.steps.mask)

    def last(self) -> str:
        """The last instruction of the group just finished, for people."""
        pc = self._group_last_pc()
        return "nothing was counted, so there" if pc is None else self.program.where(pc)

    def ends_in_custom(self) -> bool:
        """Whether the group just finished ends in a custom instruction; it may jump as if uninferable (10.1)."""
        pc = self._group_last_pc()
        if pc is None:
            return False
        insn = self.memory.image.steps.code[pc]
        return (insn.size > 4 or is_custom(insn)) and insn.flow is Flow.SEQUENTIAL

    def _group_last_pc(self) -> int | None:
        s = self.memory.state
        if s.count == s.begin:
            return None
        return self._pool.last_pc(int(self.memory.steps[s.steps - 1]))

    def again(self, count: int, times: int) -> None:
        """What was walked since there were `count` instructions happened `times` more (RepeatBranch)."""
        self._walk("repeat", count, min(times, k.MOST_TIMES))

    # The kernel's needs and answers

    def use(self, program: Program | View) -> None:
        """From here on the code is this one's."""
        memory, s = self.memory, self.memory.state
        if id(program) not in self._images:
            self._images[id(program)] = (program, Image(Steps(program, self._config, self._pool)))
        if not memory.columns:
            memory.use(self._images[id(program)][1])
            s.node = self._node(0)
            return
        old, pc, waiting = memory.image, self.pc, s.waiting
        self.program, image = self._images[id(program)]
        memory.use(image)
        s.node = self._node(pc)
        if waiting >= 0:  # it does with the stack what it did in the old image
            row = old.row(waiting)
            loaded, short = image.steps.loaded(old.steps[row.pc << 1], row.last_pc << 1)
            s.waiting = image.append((*k.NODE.get(old.nodes, waiting)[:-2], loaded, short))
            memory.refresh()

    def _node(self, pc: int) -> int:
        node = self.memory.image.node(pc >> 1)
        self.memory.refresh()
        return node

    def _walk(self, name: str, *arguments: int, what: str = "") -> int:
        """Call a function of the kernel, and again while it needs something; Contradiction if it cannot go on."""
        memory = self.memory
        while True:
            kernel, columns = memory.kernel, memory.columns
            memory.keep()
            status = getattr(kernel, name)(columns, *arguments)
            if status >= 0:
                return status
            if status < k.FULL:
                raise self._contradiction(status, what)
            kernel.restore(columns)
            memory.provide(status)

    def _contradiction(self, status: int, what: str) -> Contradiction:
        memory, work = self.memory, self.memory.work
        node = memory.image.row(work.where)
        end = node.last_pc << 1
        if status == k.NO_TARGET:
            return self._lost(end, bool(node.pops), what, work.amount)
        clause, text = _CANNOT[status]
        if status == k.NO_HIST_BIT and node.kind == k.JUMP:
            clause = "NT.2.all_jumps"
        for name, pc in (("{last}", self.last_pc), ("{here}", node.pc << 1), ("{end}", end)):
            if name in text:
                text = text.replace(name, self.program.where(pc))
        text = text.replace("{credit}", str(abs(memory.state.credit))).replace("{amount}", str(work.amount))
        return Contradiction(clause, text)

    def _lost(self, jump: int, pops: bool, what: str, amount: int) -> Contradiction:
        """Something comes after a jump, and neither the program nor the return stack says where it leads."""
        left, clause = {
            k.LEFT_OTHER: (what, "NT.10.indirect"),
            k.LEFT_COUNT: ("I-CNT goes on", "NT.10.indirect"),
            k.LEFT_HALVES: (f"{amount} half-words are left", "NT.10.indirect"),
            k.LEFT_HIST: ("HIST goes on", "NT.8.3.hist"),
            k.LEFT_BITS: (f"{amount} HIST bits are left", "NT.8.3.hist"),
        }[self.memory.work.left]
        where = self.program.where(jump)
        if pops:
            return Contradiction(
                "NT.9.2.implicit_return", f"{left} after {where}, which returns from no call that is known"
            )
        if self._config.sequential_jump and self.memory.image.steps.loads(jump):
            return Contradiction(
                "NT.9.1.sequential_jump", f"{left} after {where}, whose register was not loaded in the same count"
            )
        return Contradiction(clause, f"{left} after {where}")
