# SPDX-License-Identifier: Apache-2.0
"""A hart and the plainest N-Trace encoder in one, for decoder tests: from a flow to bytes and truth.

Written from chapters 7, 8 and 10 for these tests alone. It shares nothing with the encoder model, and lets a test
make any choice a legal encoder may make (and illegal ones, with `send`).
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from rvtrace.models.ntrace.codec import pack
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.decoder.decode import decode
from rvtrace.models.ntrace.decoder.decoded import DecodedTrace
from rvtrace.models.ntrace.table import BY_NAME, message
from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.isa import Flow, Insn
from rvtrace.models.riscv.program import Program
from tests.common.there import there

if TYPE_CHECKING:
    from typing_extensions import Self  # of the type checker; typing has it from Python 3.11 on

STOP_BIT = 1
LINK = (1, 5)

HANDLER, MAIN = 0x4000, 0x1000


def sample_program(xlen: int = 64) -> Program:
    """A bit of everything; the comments give the addresses that tests use."""
    b = ProgramBuilder(xlen, MAIN)
    b.label("main")
    b.c_nop()
    b.nop()
    b.label("loop")
    b.nop()  # 0x1006
    b.c_bnez(8, "loop")  # 0x100a
    b.jal(1, "far")
    b.label("back")
    b.bne(1, 2, "main")  # 0x1010
    b.ecall()  # 0x1014
    b.c_jr(1)  # 0x1018
    b.label("far")
    b.c_nop()  # 0x101a
    b.c_jr(1)  # 0x101c
    b.label("idle")
    b.c_j("idle")  # 0x101e
    b.org(HANDLER)
    b.c_nop()
    b.mret()
    return b.build()


class Writer:
    """Every call appends to data; pcs, taken (-1: no branch) and traps (index, epc, btype) are the truth.

    Methods return the writer, so that a flow reads as one line: `w.start(0x100).step(2).branch(1).stop()`.
    chatty: TSTAMP and Ownership are added where the configuration has them, else they are left to the test.
    calls: return addresses known since the last synchronizing message.
    """

    def __init__(self, program: Program, config: Config | None = None, chatty: bool = False, **options: Any) -> None:
        self.program, self.chatty = program, chatty
        self.config = config or Config(**{"xlen": program.xlen, **options})
        self.htm = self.config.mode == "htm"
        self.data = bytearray()
        self.pcs: list[int] = []
        self.taken: list[int] = []
        self.traps: list[tuple[int, int, int]] = []
        self.calls: list[int] = []
        self.pc = self.icnt = self.reference = self.time = 0
        self.hist = STOP_BIT

    def send(self, name: str, *values: int, tstamp: int | None = None, src: int | None = None) -> Self:
        """Any message, right or wrong; SRC is the configuration's unless given."""
        source, has_sync = self.config.src_id if src is None else src, BY_NAME[name].has_sync
        if self.chatty and self.config.timestamp:
            self.time += 3
            tstamp = self.time if has_sync else 3
        made = message(name, *values).replaced(src=source, tstamp=tstamp)
        self.data += pack(made, self.config.source_bits, self.config.address_bits)
        if has_sync:
            self.calls = []
            if self.chatty and self.config.ownership:
                self.send("Ownership", 5 << 5 | 0b1110)
        return self

    @property
    def insn(self) -> Insn:
        """The instruction at pc."""
        return there(self.program.insn(self.pc))

    def counts(self) -> tuple[int, int]:
        """I-CNT and HIST since the last message, which are reset."""
        reported = self.icnt, self.hist
        self.icnt, self.hist = 0, STOP_BIT
        return reported

    def start(self, pc: int, sync: int = 5) -> Self:
        self.counts()
        self.pc = self.reference = pc
        return self.send("ProgTraceSync", sync, 0, pc >> 1)

    def retire(self, taken: int = -1) -> None:
        self.pcs.append(self.pc)
        self.taken.append(taken)
        self.icnt += self.insn.size // 2

    def step(self, count: int = 1) -> Self:
        """Instructions whose next pc the program determines; also one that does not retire as a jump."""
        for _ in range(count):
            insn = self.insn
            jumps = insn.flow is Flow.INFERABLE
            if jumps and self.config.all_jumps:
                self.retire(1)
                self.pc = there(insn.target)
                self.reported_branch(1)
                continue
            self.retire()
            self.pc = there(insn.target) if jumps else self.pc + insn.size
            if jumps and insn.rd in LINK:
                self.calls.append(self.pcs[-1] + insn.size)
        return self

    def branch(self, taken: int) -> Self:
        insn = self.insn
        assert insn.flow is Flow.BRANCH, self.program.where(self.pc)
        self.retire(taken)
        self.pc = there(insn.target) if taken else self.pc + insn.size
        return self.reported_branch(taken)

    def reported_branch(self, taken: int) -> Self:
        """The branch that has just retired, by HIST or a message."""
        if self.htm:
            self.hist = self.hist << 1 | taken
            if self.hist >> 31:
                self.full_hist()
        elif taken:
            self.send("DirectBranch", self.counts()[0])
        return self

    def infer(self, target: int) -> Self:
        """An uninferable jump at pc that no message reports (9.1, 9.2)."""
        self.uninferable()
        self.pc = target
        return self

    def predictable(self) -> bool:
        """Whether the jump at pc takes an entry off the return stack that an encoder may leave out (9.2)."""
        insn = self.insn
        return bool(self.config.implicit_return and self.calls and insn.rs1 in LINK and insn.rd != insn.rs1)

    def uninferable(self) -> None:
        """The jump at pc retires; the return stack does what it does."""
        insn = self.insn
        self.retire()
        if insn.rs1 in LINK and insn.rd != insn.rs1 and self.calls:
            self.calls.pop()
        if insn.rd in LINK:
            self.calls.append(insn.pc + insn.size)

    def full_hist(self) -> Self:
        self.hist, reported = STOP_BIT, self.hist
        return self.send("ResourceFull", 1, reported)

    def full_icnt(self) -> Self:
        self.icnt, reported = 0, self.icnt
        return self.send("ResourceFull", 0, reported)

    def indirect(self, btype: int, target: int, sync: int | None) -> Self:
        icnt, hist = self.counts()
        address = target >> 1 if sync is not None else (target ^ self.reference) >> 1
        name = "IndirectBranchHist" if self.htm else "IndirectBranch"
        head = (btype, icnt) if sync is None else (sync, btype, icnt)
        self.pc = self.reference = target
        tail = (hist,) if self.htm else ()
        return self.send(name + ("" if sync is None else "Sync"), *head, address, *tail)

    def jump(self, target: int, sync: int | None = None) -> Self:
        """An uninferable jump at pc."""
        self.uninferable()
        return self.indirect(0, target, sync)

    def trap(self, target: int, btype: int = 2, sync: int | None = None) -> Self:
        """A trap at pc, before it retires."""
        self.traps.append((len(self.pcs), self.pc, btype))
        return self.indirect(btype, target, sync)

    def sync(self, sync: int = 2) -> Self:
        """A synchronizing message on linear code, with HIST if there is any."""
        icnt, hist = self.counts()
        self.reference = self.pc
        if hist == STOP_BIT:
            return self.send("ProgTraceSync", sync, icnt, self.pc >> 1)
        return self.send("IndirectBranchHistSync", sync, 0, icnt, self.pc >> 1, hist)

    def stop(self, evcode: int = 4) -> Self:
        icnt, hist = self.counts()
        if not self.htm and icnt and self.taken[-1] == 0:
            self.taken[-1] = -1  # nothing says whether it would have been taken
        return self.send("ProgTraceCorrelation", evcode, int(self.htm), icnt, *((hist,) if self.htm else ()))

    def wander(self, rng: random.Random, count: int, handler: int, targets: list[int]) -> Self:
        """At least `count` instructions: random directions, targets and a few traps and syncs."""
        until = len(self.pcs) + count
        while len(self.pcs) < until:
            flow = self.insn.flow
            chance = rng.random()
            if chance < 0.01:
                self.trap(handler, rng.choice((2, 3)))
            elif chance < 0.03:
                self.sync()
            elif flow is Flow.BRANCH:
                self.branch(rng.randrange(2))
            elif flow is Flow.UNINFERABLE and self.predictable() and chance < 0.7:
                self.infer(self.calls[-1])
            elif flow is Flow.UNINFERABLE:
                self.jump(rng.choice(targets))
            else:
                self.step()
        return self

    def decode(self, **options: Any) -> DecodedTrace:
        return decode(bytes(self.data), self.program, self.config, **options)

    def check(self) -> DecodedTrace:
        """Decode; everything must be as it was."""
        trace = self.decode()
        assert [str(d) for d in trace.diagnostics] == []
        assert trace.pcs.tolist() == self.pcs
        assert trace.taken.tolist() == self.taken
        assert [(e.index, e.epc, e.btype) for e in trace.events if e.kind == "trap"] == self.traps
        return trace
