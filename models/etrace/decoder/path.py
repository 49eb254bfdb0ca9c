# SPDX-License-Identifier: Apache-2.0
"""The decoder's path: every instruction up to the present one, by the branches and addresses of packets.

The walk itself is in `rvtrace.models.etrace.decoder.kernel`. `Path` brings it what it needs of the program, and says in
words what it cannot follow. What was walked is kept as numbers of steps (`rvtrace.models.etrace.decoder.steps`) and
repeats, so that a loop of a million iterations costs a few numbers; `expand` makes the PCs of it.
"""

from __future__ import annotations

from typing import Any

from rvtrace.models.common.decoding import Contradiction, LimitReached, Walk
from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.decoder import kernel as k
from rvtrace.models.etrace.decoder.columns import Image, Memory
from rvtrace.models.etrace.decoder.steps import NOWHERE, End, Exit, Steps
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.step_store import Pool

# What the kernel cannot follow: {pc} is the last instruction walked, {goal} the one reported, {here} where it failed
_CANNOT = {
    k.TRAPS: ("ET.bt.traps", "trace goes on after {jump}, which traps"),
    k.NO_OUTCOME: ("ET.pay.map_length", "the outcome of {goal} is not reported"),
    k.NO_START: ("ET-2", "an address is reported where nothing has retired"),
    k.LEFT_AT_START: ("ET-2", "branches are reported where nothing has retired"),
    k.LEFT_UNMAPPED: ("ET.pay.map_length", "{amount} branches are left at {here}"),
    k.LEFT_ROUND: ("ET.pay.map_length", "{amount} branches are left, but the code at {here} has none"),
    k.EMPTY_ENTRY: ("ET-12", "entry {amount} of the jump target cache is empty"),
    k.NOT_A_BRANCH: ("ET.opt.prediction", "no branch is at {goal}, but it failed its prediction"),
    k.BAD_FORMAT: ("ET.opt.prediction", "branch_fmt is 1, which cannot occur"),
}
_LEFT = (k.LEFT_AT_START, k.LEFT_UNMAPPED, k.LEFT_ROUND)
_NOT_MET = {  # likewise, of the way to {goal}
    k.WRONG_DEPTH: ("ET.pay.differential", "irdepth is {irdepth}, and {amount} calls are open"),
    k.BRANCH_FIRST: ("ET.pay.map_length", "{here} comes first, whose outcome is not reported"),
    k.LEADS_NOWHERE: ("ET.bt.sequential", "the code leads to {here}"),
    k.GOES_ROUND: ("ET.pay.differential", "the code at {here} goes round without it"),
    k.TOO_FAR: ("ET.pay.differential", "it is too far from {here}"),
}


class Code:
    """The steps of a program, kept for several decoders that read it one after the other, in Python."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._made: dict[bool, tuple[Pool, dict[bool, Image]]] = {}

    def of(self, config: Config) -> tuple[Pool, dict[bool, Image]]:
        """The steps, and their images without and with a return stack; new ones after a decoder has compiled them."""
        constant_returns = not config.ignores_sijump_of_returns
        kept = self._made.get(constant_returns)
        if kept is not None and all(isinstance(image.nodes, list) for image in kept[1].values()):
            return kept
        pool = Pool()
        images = {stacked: Image(Steps(self._program, pool, stacked, constant_returns)) for stacked in (False, True)}
        self._made[constant_returns] = pool, images
        return pool, images


class Path(Walk):
    """The decoder's place in the program and every instruction up to there.

    memory: what the kernel works on; there is all that a walk changes. Methods that walk raise Contradiction.
    code: of the program, from an earlier decoder of it.
    """

    def __init__(self, program: Program, config: Config, limit: int, code: Code | None = None) -> None:
        self.program, self._limit = program, limit
        self._pool, self._images = (code or Code(program)).of(config)
        self.memory = Memory(config, limit, self._images[False])
        self.configure({})

    # Where it is

    @property
    def pc(self) -> int:
        """The last instruction, NOWHERE if it is not known."""
        return self.memory.walk.pc << 1 if self.memory.walk.pc >= 0 else NOWHERE

    @property
    def _place(self) -> Any:
        return self.memory.walk

    def _waste(self, steps: int) -> None:
        self.memory.trace.wasted += steps

    @property
    def spent(self) -> int:
        """Instructions so far, and what was undone."""
        return self.count + self.memory.trace.wasted * k.WASTE

    @property
    def pending(self) -> Exit | None:
        """The exit of a call or jump that is not left yet."""
        node = self.memory.walk.pending
        return None if node < 0 else self.exit(self.memory.image.row(node).last_pc << 1)

    def exit(self, pc: int) -> Exit:
        """How the instruction at pc is left."""
        return self.memory.image.steps.exits[pc]

    # The program, the return stack and the predictor

    def configure(self, options: dict[str, int]) -> None:
        """The options in force from here on."""
        memory, m = self.memory, self.memory
        implicit = bool(options.get("implicit_return"))
        for entry, name in (
            ("implicit", "implicit_return"), ("predicts", "branch_prediction"), ("constants", "sijump"),
            ("caches", "jump_target_cache"), ("full_address", "full_address"),
        ):  # fmt: skip
            setattr(m.options, entry, int(bool(options.get(name))))
        m.options.depths = int(implicit and not m.options.draft)
        leaves = self.pending
        memory.use(self._images[implicit])
        m.walk.node = NOWHERE
        if m.walk.pc < 0:
            return
        now = self.exit(self.pc)  # a call may count from here on, or no longer
        if leaves is None and now.end is not End.CALL:
            return
        m.walk.returned = 0 if leaves is not None else m.walk.returned
        if now.end is End.PLAIN:
            m.walk.pending, m.walk.next = NOWHERE, now.after >> 1
        else:
            m.walk.pending, m.walk.next = memory.node(now.pc >> 1), NOWHERE

    def synchronize(self, taken: int, jumped: bool = False) -> None:
        """What every synchronization packet does. taken: outcome of the instruction it reports, if that is a branch;
        jumped: that is the target of an uninferable jump.
        """
        is_branch = self.pc != NOWHERE and self.exit(self.pc).end is End.BRANCH
        self.memory.kernel.synchronize(self.memory.columns, taken if is_branch else k.UNREPORTED, int(jumped))

    def interrupt(self) -> None:
        """What comes next does not come from here (a trap, or an end)."""
        m = self.memory
        m.walk.pc = m.walk.next = m.walk.node = m.walk.pending = NOWHERE
        m.state.seam = m.walk.count

    # Walking

    def flow(self) -> None:
        """The packet of formats 0 to 2 whose fields are in the state."""
        self._walk("flow")

    def go_on(self) -> None:
        """The address met by inference was the target of an uninferable jump: walk on to it."""
        self._walk("go_on")

    def settle(self) -> None:
        """The address met by inference, if there is one, was meant that time."""
        self._walk("settle")

    def walk_to(self, pc: int, taken: int, unchanged: bool) -> bool:
        """Up to the instruction of a 3.0, which trace goes through; whether an uninferable jump led there. unchanged:
        the privilege is that of before.
        """
        return self._walk("walk_to", pc >> 1, taken, int(unchanged)) == k.JUMP

    def arrive(self, pc: int, taken: int | None) -> None:
        """The instruction at pc retires. taken: of a branch."""
        node = self.memory.node(pc >> 1)
        self._walk("arrive", node, pc >> 1, k.UNREPORTED if taken is None else taken)

    def expected(self) -> int | None:
        """The pc that would be next, with nothing changed; None if it is not known."""
        memory = self.memory
        found = int(memory.kernel.expected(memory.columns))
        return None if found < 0 else found << 1

    def _walk(self, name: str, *arguments: int) -> int:
        """Call a function of the kernel, and again while it needs something; Contradiction if it cannot go on."""
        memory = self.memory
        while True:
            kernel, columns = memory.kernel, memory.columns
            memory.keep()
            status = int(getattr(kernel, name)(columns, *arguments))
            if status >= 0:
                return status
            if status == k.LIMITED:
                raise LimitReached.of(self._limit)
            if status < k.FULL:
                raise self._contradiction(status)
            kernel.restore(columns)
            memory.provide(status)

    def _contradiction(self, status: int) -> Contradiction:
        m = self.memory
        if status == k.UNINFERABLE:
            return self._uninferable()
        if status == k.NOT_ARRIVED:
            where = self.program.place(m.state.where << 1)
            return Contradiction("ET.pay.differential", f"no instruction is at {where}")
        if status in _NOT_MET:
            clause, text = _NOT_MET[status]
            clause = "ET-4" if m.goal.sync else "ET-14" if m.goal.irdepth >= 0 else clause
            text = f"the way to {{goal}} is not known: {text}"
        else:
            clause, text = _CANNOT[status]
            if status in _LEFT and m.state.part == k.BY_PREDICTION:
                clause, text = "ET.opt.prediction", f"as predicted, {text}"
        for name, pc in (("{goal}", m.goal.address << 1), ("{here}", m.state.where << 1)):
            if name in text:
                text = text.replace(name, self.program.where(pc))
        if status == k.TRAPS and (leaves := self.pending):
            text = text.replace("{jump}", self.program.where(leaves.pc))
        text = text.replace("{amount}", str(m.state.amount)).replace("{irdepth}", str(m.goal.irdepth))
        return Contradiction(clause, text)

    def _uninferable(self) -> Contradiction:
        """Branches are reported after a jump whose target is not known."""
        m, part, leaves = self.memory, self.memory.state.part, self.pending
        text = f"{m.state.amount} branches are left after {self.program.where(self.pc)}"
        if m.options.compares and m.options.implicit and leaves is not None and leaves.pops:
            return Contradiction("ET.opt.stack", f"{text}, a return for which no call is open")
        if part == k.ONLY_BRANCHES:  # the format says how many branches there are: a packet before it is missing
            return Contradiction("ET.bt.uninferable", f"{text}, and its target is not reported")
        if part == k.BY_PREDICTION:
            return Contradiction("ET.opt.prediction", f"as predicted, {text}")
        return Contradiction("ET.pay.map_length", text)
