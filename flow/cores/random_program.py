# SPDX-License-Identifier: Apache-2.0
"""Random programs that compute: every instruction of RV32IM (with C if the core has it) with random operands, loads and
stores of all sizes, forward branches, loops, calls, CSR accesses, exceptions, software interrupts and user mode.

    program = random_program(Random("7:random_program"), core.hart, core.traps, core.faults, core.counter_addresses)

For a core without trap CSRs there are no CSRs, exceptions and interrupts.

A program starts at `_start`, comes to `halt` whatever its instructions compute, and touches no memory but its own.
Traps are skipped by its handler: mepc goes on after the instruction, an interrupt is cleared.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.iss.config import HartConfig
from rvtrace.models.riscv.program import Program

BASE, VECTORS, HANDLER, CODE, DATA = 0x8000_0000, 0x8000_0100, 0x8000_0200, 0x8000_1000, 0x8008_0000
FAR = 0x7_0000  # bytes from CODE on, in which the functions are
DATA_BYTES = 528  # few, so that what is stored is loaded again
MSIP = 0x0200_0000
PIECES = 60  # of a program, each some instructions
# Registers that a program does not compute with: links, pointers into the data, loop counter, mode, handler.
LINKS, SP, POINTER, C_POINTER, MODE, COUNTER, FIRST, SECOND = (1, 5), 2, 29, 15, 27, 28, 30, 31
WORK = [n for n in range(1, 27) if n not in (*LINKS, SP, C_POINTER)]
C_WORK = [n for n in WORK if 8 <= n < 16]
# (funct3, funct7) of OP; M has funct7 1.
OPS = [(f3, 0) for f3 in range(8)] + [(0, 0x20), (5, 0x20)]
LOADS = {0: 1, 1: 2, 2: 4, 4: 1, 5: 2}  # funct3 to bytes
STORES = {0: 1, 1: 2, 2: 4}
RANGE = (-256, 256)  # of the offsets of loads and stores
BRANCHES = (0, 1, 4, 5, 6, 7)
MSTATUS, MIE, MTVEC, MSCRATCH, MEPC, MCAUSE, MTVAL = 0x300, 0x304, 0x305, 0x340, 0x341, 0x342, 0x343
READ = (MSTATUS, MIE, MTVEC, MSCRATCH, MEPC, MCAUSE, MTVAL, 0x301, 0xF14, 0xB00, 0xB02, 0xB80, 0xB82)
MIE_BIT, MSIE_BIT, MPIE_BIT, MPP = 1 << 3, 1 << 3, 1 << 7, 3 << 11
ILLEGAL = (0x0000_0000, 0xFFFF_FF5B, 0x0000_000B, 0x3020_0077, 0x1231_1073)  # the last one is a CSR that nobody has
# Opcodes with the values of funct3 that RV32 does not have there.
RESERVED = {0x67: range(1, 8), 0x63: (2, 3), 0x03: (3, 6, 7), 0x23: range(3, 8)}
READ_ONLY = (0xF11, 0xF14)
SPECIAL = (0, 1, 0xFFFF_FFFF, 0x8000_0000, 0x7FFF_FFFF)


def random_program(
    rng: Random,
    hart: HartConfig,
    traps: bool = True,
    faults: bool = True,
    counters: Sequence[int] = (),
    pieces: int = PIECES,
) -> Program:
    """A program for this hart, of so many pieces. traps: whether it has the standard trap CSRs. faults: whether an
    access where nothing is makes an exception. counters: addresses of those that are read.
    """
    return _Writer(rng, hart, traps, faults, counters).program(pieces)


class _Writer:
    """One program on its way."""

    def __init__(self, rng: Random, hart: HartConfig, traps: bool, faults: bool, counters: Sequence[int]) -> None:
        self.rng, self.hart, self.traps, self.faults, self.counters = rng, hart, traps, faults, counters
        self.b = ProgramBuilder(32, BASE)
        self.functions: list[str] = []
        self.labels = 0
        simple: dict[Callable[[], object], int] = {
            self.register: 10, self.immediate: 8, self.upper: 3, self.load: 4, self.store: 4,
        }  # fmt: skip
        if "m" in hart.extensions:
            simple[self.multiply] = 5
        if hart.compressed:
            simple[self.compressed] = 10
        whole: dict[Callable[[], object], int] = {
            self.straight: 10, self.branch: 8, self.loop: 3, self.call: 4, self.indirect: 2,
        }  # fmt: skip
        if traps:
            whole |= {self.trap: 2, self.csr: 4, self.interrupt: 1}
        if counters:
            whole[self.counter] = 4
        self.simple, self.whole = simple, whole

    def program(self, pieces: int) -> Program:
        """Start, pieces, the functions that they call, vectors, handler and data."""
        b, rng = self.b, self.rng
        b.label("_start")
        b.jal(0, "main")
        self.vectors()
        b.org(CODE)
        b.label("main")
        if self.traps:
            self.csr_op(1, MTVEC, SECOND, VECTORS + 1)
        for register, value in (
            (SP, DATA), (C_POINTER, DATA + 128), (POINTER, DATA + 256), (MODE, 0), *((n, self.value()) for n in WORK),
        ):  # fmt: skip
            self.constant(register, value)
        if self.traps:
            self.csr_op(1, MIE, SECOND, MSIE_BIT)
            self.csr_op(2, MSTATUS, SECOND, MIE_BIT)
        for n in range(pieces):
            if self.traps and "u" in self.hart.modes and n % 20 == 10:
                self.user_mode(n)
            self.piece()
        self.sweep()
        b.label("halt")
        b.jal(0, "halt")
        places = sorted(rng.sample(range(b.here + 256 & ~0xFF, CODE + FAR, 256), len(self.functions)))
        rng.shuffle(self.functions)
        for name, place in zip(self.functions, places):
            b.org(place + rng.randrange(0, 64, 2 if self.hart.compressed else 4))
            b.label(name)
            for _ in range(rng.randrange(1, 6)):
                self.one()
            b.jalr(0, LINKS[name.startswith("alternate")])
        b.org(DATA)
        for _ in range(DATA_BYTES // 4):
            b.raw(rng.getrandbits(32), 4)
        return b.build("_start")

    def sweep(self) -> None:
        """Load all of the data, so that a store that went wrong is seen."""
        b, (at, end, value, total) = self.b, self.rng.sample(WORK, 4)
        self.constant(at, DATA)
        b.addi(end, at, DATA_BYTES)
        b.label(".sweep")
        b.raw(at << 15 | 2 << 12 | value << 7 | 0x03, 4)  # lw
        b.raw(value << 20 | total << 15 | 4 << 12 | total << 7 | 0x33, 4)  # xor
        b.addi(at, at, 4)
        b.bne(at, end, ".sweep")

    def vectors(self) -> None:
        """What mtvec points to, in both of its modes, and the handler."""
        b = self.b
        b.org(VECTORS)
        for n in range(32):
            b.jal(0, "exception" if n in (0, 1) else "interrupt")
        b.org(HANDLER)
        b.label("exception")
        self.csr_read(SECOND, MCAUSE)
        b.branch(4, SECOND, 0, "interrupt")  # not vectored
        self.csr_read(SECOND, MEPC)
        b.raw(SECOND << 15 | 5 << 12 | FIRST << 7 | 0x03, 4)  # lhu
        b.raw(3 << 20 | FIRST << 15 | 7 << 12 | FIRST << 7 | 0x13, 4)  # andi
        b.addi(FIRST, FIRST, -3)
        b.addi(SECOND, SECOND, 2)
        b.bne(FIRST, 0, ".short")
        b.addi(SECOND, SECOND, 2)
        b.label(".short")
        b.csrw(MEPC, SECOND)
        b.addi(FIRST, MODE, -2)  # user mode is over
        b.bne(FIRST, 0, ".stay")
        self.csr_op(2, MSTATUS, FIRST, MPP)
        b.addi(MODE, 0, 0)
        b.label(".stay")
        b.mret()
        b.label("interrupt")
        b.lui(SECOND, MSIP >> 12)
        b.raw(SECOND << 15 | 2 << 12 | 0x23, 4)  # sw x0
        b.raw(SECOND << 15 | 2 << 12 | SECOND << 7 | 0x03, 4)  # the store has arrived
        b.mret()

    # What pieces are made of

    def value(self) -> int:
        return self.rng.choice(SPECIAL) if self.rng.random() < 0.3 else self.rng.getrandbits(32)

    def label(self) -> str:
        self.labels += 1
        return f".{self.labels}"

    def work(self) -> int:
        return self.rng.choice(WORK)

    def source(self) -> int:
        return 0 if self.rng.random() < 0.05 else self.work()

    def constant(self, register: int, value: int) -> None:
        """lui and addi."""
        low = (value + 0x800 & 0xFFF) - 0x800
        self.b.lui(register, (value - low >> 12) & 0xFFFFF)
        self.b.addi(register, register, low)

    def csr_read(self, rd: int, csr: int) -> None:
        self.b.raw(csr << 20 | 2 << 12 | rd << 7 | 0x73, 4)

    def csr_op(self, funct3: int, csr: int, scratch: int, value: int) -> None:
        """Write (1), set (2) or clear (3) a constant."""
        self.constant(scratch, value)
        self.b.raw(csr << 20 | scratch << 15 | funct3 << 12 | 0x73, 4)

    def choose(self, weights: dict[Callable[[], object], int]) -> Callable[[], object]:
        return self.rng.choices(list(weights), list(weights.values()))[0]

    def one(self) -> None:
        """One instruction that goes on in sequence."""
        self.choose(self.simple)()

    def piece(self) -> None:
        self.choose(self.whole)()

    # Instructions

    def register(self) -> None:
        funct3, funct7 = self.rng.choice(OPS)
        self.b.raw(funct7 << 25 | self.source() << 20 | self.source() << 15 | funct3 << 12 | self.work() << 7 | 0x33, 4)

    def multiply(self) -> None:
        funct3 = self.rng.randrange(8)
        by = 0 if self.rng.random() < 0.15 else self.work()
        self.b.raw(1 << 25 | by << 20 | self.source() << 15 | funct3 << 12 | self.work() << 7 | 0x33, 4)

    def immediate(self) -> None:
        funct3 = self.rng.randrange(8)
        value = self.rng.getrandbits(12)
        if funct3 in (1, 5):  # shifts
            value = self.rng.randrange(32) | (self.rng.choice((0, 0x400)) if funct3 == 5 else 0)
        self.b.raw(value << 20 | self.source() << 15 | funct3 << 12 | self.work() << 7 | 0x13, 4)

    def upper(self) -> None:
        self.b.raw(self.rng.getrandbits(20) << 12 | self.work() << 7 | self.rng.choice((0x37, 0x17)), 4)

    def offset(self, size: int) -> int:
        """Aligned, now and then not: that is legal, or a trap."""
        aligned = self.rng.random() < 0.9 or not (self.traps or self.hart.misaligned)
        return self.rng.randrange(*RANGE) // size * size + (0 if aligned else self.rng.randrange(4))

    def load(self) -> None:
        funct3 = self.rng.choice(list(LOADS))
        at = self.offset(LOADS[funct3]) & 0xFFF
        self.b.raw(at << 20 | POINTER << 15 | funct3 << 12 | self.work() << 7 | 0x03, 4)

    def store(self) -> None:
        funct3 = self.rng.choice(list(STORES))
        at = self.offset(STORES[funct3]) & 0xFFF
        self.b.raw(at >> 5 << 25 | self.source() << 20 | POINTER << 15 | funct3 << 12 | (at & 31) << 7 | 0x23, 4)

    def compressed(self) -> None:
        """One of 16 bits."""
        rng, rd, rs2 = self.rng, self.work(), self.work()
        small, other = rng.choice(C_WORK) - 8, rng.choice(C_WORK) - 8
        imm, word = rng.getrandbits(6), rng.randrange(64)
        six = imm >> 5 << 12 | (imm & 31) << 2
        kinds = [
            lambda: 0x0001 | six | rd << 7,  # c.addi
            lambda: 0x4001 | six | rd << 7,  # c.li
            lambda: 0x6001 | (six or 1 << 2) | rd << 7,  # c.lui
            lambda: 0x8001 | rng.randrange(1, 32) << 2 | small << 7,  # c.srli
            lambda: 0x8401 | rng.randrange(1, 32) << 2 | small << 7,  # c.srai
            lambda: 0x8801 | six | small << 7,  # c.andi
            lambda: 0x8C01 | rng.randrange(4) << 5 | other << 2 | small << 7,  # c.sub, c.xor, c.or, c.and
            lambda: 0x0002 | rng.randrange(1, 32) << 2 | rd << 7,  # c.slli
            lambda: 0x8002 | rs2 << 2 | rd << 7,  # c.mv
            lambda: 0x9002 | rs2 << 2 | rd << 7,  # c.add
            lambda: 0x0000 | rng.randrange(1, 256) << 5 | small << 2,  # c.addi4spn
            lambda: (
                0x4000
                | (word & 1) << 6
                | (word >> 1 & 7) << 10
                | (word >> 4 & 1) << 5
                | C_POINTER - 8 << 7
                | small << 2
            ),  # c.lw
            lambda: (
                0xC000
                | (word & 1) << 6
                | (word >> 1 & 7) << 10
                | (word >> 4 & 1) << 5
                | C_POINTER - 8 << 7
                | small << 2
            ),  # c.sw
            lambda: 0x4002 | (word & 7) << 4 | (word >> 3 & 1) << 12 | (word >> 4) << 2 | rd << 7,  # c.lwsp
            lambda: 0xC002 | (word & 15) << 9 | (word >> 4) << 7 | rs2 << 2,  # c.swsp
        ]
        self.b.raw(rng.choice(kinds)(), 2)

    # Pieces

    def straight(self) -> None:
        for _ in range(self.rng.randrange(1, 8)):
            self.one()

    def branch(self) -> None:
        """A forward branch over some instructions, taken or not."""
        target = self.label()
        if self.hart.compressed and self.rng.random() < 0.3:
            getattr(self.b, self.rng.choice(("c_beqz", "c_bnez")))(self.rng.choice(C_WORK), target)
        else:
            self.b.branch(self.rng.choice(BRANCHES), self.source(), self.source(), target)
        for _ in range(self.rng.randrange(1, 6)):
            self.one()
        self.b.label(target)

    def loop(self) -> None:
        """Two to six rounds; nothing in it changes the counter."""
        self.b.addi(COUNTER, 0, self.rng.randrange(2, 7))
        back = self.label()
        self.b.label(back)
        for _ in range(self.rng.randrange(1, 6)):
            self.one()
        self.b.addi(COUNTER, COUNTER, -1)
        self.b.bne(COUNTER, 0, back)

    def call(self) -> None:
        """A function, by jal, or by auipc and jalr; with either link register."""
        link = self.rng.randrange(2)
        name = f"{('function', 'alternate')[link]}{len(self.functions)}"
        self.functions.append(name)
        if self.rng.random() < 0.5:
            self.b.jal(LINKS[link], name)
        else:
            self.b.pair("auipc", "jalr", LINKS[link], self.work(), name)

    def indirect(self) -> None:
        """A jump over what must not be executed."""
        target = self.label()
        if self.hart.compressed and self.rng.random() < 0.3:
            self.b.c_j(target)
        elif self.rng.random() < 0.5:
            self.b.jal(0, target)
        else:
            self.b.pair("auipc", "jalr", self.work(), self.work(), target)
        self.b.raw(self.rng.choice(ILLEGAL[1:3]), 4)
        self.b.label(target)

    def trap(self) -> None:
        """An exception; the handler goes on after it."""
        kinds: list[Callable[[], object]] = [
            self.b.ecall, self.b.ebreak, lambda: self.b.raw(self.rng.choice(ILLEGAL[1:]), 4), self.reserved,
        ]  # fmt: skip
        if self.faults:
            kinds.append(self.nowhere)
        if self.hart.compressed:
            kinds += [self.b.c_ebreak, lambda: self.b.raw(0, 2)]
        self.rng.choice(kinds)()

    def reserved(self) -> None:
        """An encoding that RV32 does not have."""
        opcode = self.rng.choice(list(RESERVED))
        funct3 = self.rng.choice(list(RESERVED[opcode]))
        self.b.raw(self.source() << 20 | self.work() << 15 | funct3 << 12 | self.work() << 7 | opcode, 4)

    def nowhere(self) -> None:
        """A load or store where there is no memory."""
        address = self.work()
        self.constant(address, 0x1000_0000 + self.rng.randrange(0, 4096, 4))
        if self.rng.random() < 0.5:
            self.b.raw(address << 15 | 2 << 12 | self.work() << 7 | 0x03, 4)
        else:
            self.b.raw(self.work() << 20 | address << 15 | 2 << 12 | 0x23, 4)

    def csr(self) -> None:
        """Read any of them, or write what does not change how the program goes on. In user mode it is an exception."""
        rng, kind = self.rng, self.rng.random()
        if kind < 0.4:
            self.csr_read(self.work(), rng.choice(READ))
            return
        if kind < 0.5:  # an exception in every mode
            self.b.raw(rng.choice(READ_ONLY) << 20 | self.work() << 15 | 1 << 12 | self.work() << 7 | 0x73, 4)
            return
        if kind < 0.65:  # interrupts wait, or no longer
            bit = rng.choice((2, 3)) | 4
            self.b.raw(MSTATUS << 20 | MIE_BIT << 15 | bit << 12 | self.work() << 7 | 0x73, 4)
            return
        for _ in range(rng.randrange(1, 5)):
            immediate, funct3 = rng.random() < 0.3, rng.randrange(1, 4)
            source = rng.randrange(32) if immediate else self.source()
            self.b.raw(MSCRATCH << 20 | source << 15 | (funct3 | 4 * immediate) << 12 | self.work() << 7 | 0x73, 4)

    def counter(self) -> None:
        """Read a counter before and after some instructions. In user mode these are exceptions."""
        csr = self.rng.choice(list(self.counters))
        self.csr_read(self.work(), csr)
        self.rng.choice((self.straight, self.branch, self.loop, self.indirect))()
        self.csr_read(self.work(), csr)

    def interrupt(self) -> None:
        """A software interrupt of this hart, and time for it to arrive."""
        address, one = self.rng.sample(WORK, 2)
        self.b.lui(address, MSIP >> 12)
        self.b.addi(one, 0, 1)
        self.b.raw(one << 20 | address << 15 | 2 << 12 | 0x23, 4)
        for _ in range(self.rng.randrange(2, 6)):
            self.one()

    def user_mode(self, n: int) -> None:
        """Some pieces in user mode, entered by mret and left by an exception."""
        b, there = self.b, f".user{n}"
        b.addi(MODE, 0, 1)
        self.csr_op(3, MSTATUS, SECOND, MPP)
        self.csr_op(2, MSTATUS, SECOND, MPIE_BIT)
        b.pair("auipc", "jalr", 0, SECOND, f".enter{n}")
        b.label(f".enter{n}")
        b.raw(SECOND << 7 | 0x17, 4)  # auipc: here
        b.addi(SECOND, SECOND, 16)
        b.csrw(MEPC, SECOND)
        b.mret()
        b.label(there)
        for _ in range(self.rng.randrange(2, 6)):
            self.piece()
        b.addi(MODE, 0, 2)
        b.ecall()
