# SPDX-License-Identifier: Apache-2.0
"""A tiny assembler: instructions that matter to trace, labels, and a `Program` at the end.

    b = ProgramBuilder(64, 0x80000000)
    b.label("main"); b.addi(10, 0, 3)
    b.label("loop"); b.addi(10, 10, -1); b.bne(10, 0, "loop"); b.c_jr(1)
    program = b.build()

Every emitting method returns the address of its instruction. Targets are labels, before or after, or
addresses.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from rvtrace.models.riscv.program import Program

Target = str | int
JVT_ALIGN = 64
_JT_ENTRIES, _JALT_ENTRIES = range(32), range(32, 256)


class BuilderError(ValueError):
    """A program that cannot be assembled; the text says which instruction or label and what to do."""


@dataclass(frozen=True, slots=True)
class _Format:
    """Where the bits of an immediate go: (immediate bit, width, instruction bit), and how far it reaches."""

    pieces: tuple[tuple[int, int, int], ...]
    bits: int  # of the signed byte offset

    def encode(self, offset: int) -> int:
        return sum((offset >> source & (1 << width) - 1) << to for source, width, to in self.pieces)

    def reaches(self, offset: int) -> bool:
        return offset % 2 == 0 and -(1 << self.bits - 1) <= offset < 1 << self.bits - 1


_B = _Format(((11, 1, 7), (1, 4, 8), (5, 6, 25), (12, 1, 31)), 13)
_J = _Format(((12, 8, 12), (11, 1, 20), (1, 10, 21), (20, 1, 31)), 21)
_CB = _Format(((5, 1, 2), (1, 2, 3), (6, 2, 5), (3, 2, 10), (8, 1, 12)), 9)
_CJ = _Format(((5, 1, 2), (1, 3, 3), (7, 1, 6), (6, 1, 7), (10, 1, 8), (8, 2, 9), (4, 1, 11), (11, 1, 12)), 12)


@dataclass(slots=True)
class _Pair:
    """A register loaded with an address, and a jump through it; the second instruction may add an offset."""

    segment: int
    position: int
    pc: int
    load: str
    jump: str
    target: Target

    def parts(self, target: int, xlen: int) -> tuple[int, int] | None:
        """Immediates of the load (in units of 4096) and of the jump; None if they do not reach."""
        half = 1 << xlen - 1
        value = (target - (self.pc if self.load == "auipc" else 0) + half) % (1 << xlen) - half
        low = (value + 0x800) % 0x1000 - 0x800 if self.jump == "jalr" else 0
        bits = 6 if self.load == "c_lui" else 20
        high, rest = divmod(value - low, 0x1000)
        if xlen == 32 and bits == 20:  # the sum wraps
            high = (high + (1 << 19)) % (1 << 20) - (1 << 19)
        reaches = not rest and -(1 << bits - 1) <= high < 1 << bits - 1 and (high or self.load != "c_lui")
        return (high, low) if reaches else None


@dataclass(slots=True)
class _Fixup:
    segment: int
    position: int
    pc: int
    size: int
    form: _Format
    target: Target


class ProgramBuilder:
    """Collects instructions from `base` on; `org` begins another segment.

    jvt: where the Zcmt jump table goes (64-byte aligned), by default after the last instruction.
    zcmp: whether the program uses Zcmp (else the encodings mean c.fsdsp).
    """

    def __init__(self, xlen: int = 64, base: int = 0x80000000, jvt: int | None = None, zcmp: bool = True) -> None:
        self.xlen, self.zcmp = xlen, zcmp
        self.labels: dict[str, int] = {}
        self._segments: list[tuple[int, bytearray]] = [(base, bytearray())]
        self._fixups: list[_Fixup] = []
        self._pairs: list[_Pair] = []
        self._jvt = jvt
        self._table: dict[int, Target] = {}

    @property
    def here(self) -> int:
        """Address of the next instruction."""
        base, body = self._segments[-1]
        return base + len(body) & (1 << self.xlen) - 1

    def label(self, name: str) -> int:
        """Name the next instruction; names that begin with a dot do not become symbols."""
        if name in self.labels:
            raise BuilderError(f"label {name!r} is already at {self.labels[name]:#x}; choose another name")
        self.labels[name] = self.here
        return self.here

    def org(self, address: int) -> None:
        """Go on at another address."""
        self._segments.append((address, bytearray()))

    def align(self, count: int) -> None:
        """Fill with c.nop up to a multiple of `count` bytes (an even number)."""
        while self.here % count:
            self.c_nop()

    def raw(self, bits: int, size: int) -> int:
        """Any instruction by its bits, `size` in bytes."""
        pc = self.here
        self._segments[-1][1].extend(bits.to_bytes(size, "little"))
        return pc

    def _direct(self, bits: int, size: int, form: _Format, target: Target) -> int:
        body = self._segments[-1][1]
        self._fixups.append(_Fixup(len(self._segments) - 1, len(body), self.here, size, form, target))
        return self.raw(bits, size)

    # 32-bit instructions

    def nop(self) -> int:
        return self.addi(0, 0, 0)

    def addi(self, rd: int, rs1: int, imm: int) -> int:
        return self.raw((imm & 0xFFF) << 20 | rs1 << 15 | rd << 7 | 0x13, 4)

    def lui(self, rd: int, imm20: int) -> int:
        return self.raw((imm20 & 0xFFFFF) << 12 | rd << 7 | 0x37, 4)

    def auipc(self, rd: int, imm20: int) -> int:
        return self.raw((imm20 & 0xFFFFF) << 12 | rd << 7 | 0x17, 4)

    def csrw(self, csr: int, rs1: int) -> int:
        return self.raw(csr << 20 | rs1 << 15 | 0x1073, 4)

    def branch(self, funct3: int, rs1: int, rs2: int, target: Target) -> int:
        """beq 0, bne 1, blt 4, bge 5, bltu 6, bgeu 7."""
        return self._direct(rs2 << 20 | rs1 << 15 | funct3 << 12 | 0x63, 4, _B, target)

    def beq(self, rs1: int, rs2: int, target: Target) -> int:
        return self.branch(0, rs1, rs2, target)

    def bne(self, rs1: int, rs2: int, target: Target) -> int:
        return self.branch(1, rs1, rs2, target)

    def jal(self, rd: int, target: Target) -> int:
        return self._direct(rd << 7 | 0x6F, 4, _J, target)

    def jalr(self, rd: int, rs1: int, imm: int = 0) -> int:
        return self.raw((imm & 0xFFF) << 20 | rs1 << 15 | rd << 7 | 0x67, 4)

    def pair(self, load: str, jump: str, rd: int, rs1: int, target: Target) -> int:
        """Load rs1 with the target (or its upper part) and jump through it: sequentially inferable (N-Trace 9.1).

        load: auipc, lui or c_lui. jump: jalr (with rd, which adds an offset), or c_jr and c_jalr (whose rd is x0 and
        x1, for a target that is a multiple of 4096 from what the load can give). Two instructions; returns the first
        one's address.
        """
        position = len(self._segments[-1][1])
        self._pairs.append(_Pair(len(self._segments) - 1, position, self.here, load, jump, target))
        pc = self.raw(0x6001 | rs1 << 7, 2) if load == "c_lui" else getattr(self, load)(rs1, 0)
        self.jalr(rd, rs1) if jump == "jalr" else getattr(self, jump)(rs1)
        return pc

    def ecall(self) -> int:
        return self.raw(0x00000073, 4)

    def ebreak(self) -> int:
        return self.raw(0x00100073, 4)

    def uret(self) -> int:
        return self.raw(0x00200073, 4)

    def sret(self) -> int:
        return self.raw(0x10200073, 4)

    def mret(self) -> int:
        return self.raw(0x30200073, 4)

    def mnret(self) -> int:
        return self.raw(0x70200073, 4)

    # 16-bit instructions

    def c_nop(self) -> int:
        return self.raw(0x0001, 2)

    def c_beqz(self, rs1: int, target: Target) -> int:
        """rs1: x8 to x15."""
        return self._direct(0xC001 | rs1 - 8 << 7, 2, _CB, target)

    def c_bnez(self, rs1: int, target: Target) -> int:
        """rs1: x8 to x15."""
        return self._direct(0xE001 | rs1 - 8 << 7, 2, _CB, target)

    def c_j(self, target: Target) -> int:
        return self._direct(0xA001, 2, _CJ, target)

    def c_jal(self, target: Target) -> int:
        """RV32 only: on RV64 the encoding is c.addiw."""
        if self.xlen != 32:
            raise BuilderError("c.jal exists on RV32 only; use jal(1, target)")
        return self._direct(0x2001, 2, _CJ, target)

    def c_jr(self, rs1: int) -> int:
        return self.raw(0x8002 | rs1 << 7, 2)

    def c_jalr(self, rs1: int) -> int:
        return self.raw(0x9002 | rs1 << 7, 2)

    def c_ebreak(self) -> int:
        return self.raw(0x9002, 2)

    # Zcmp and Zcmt

    def cm_push(self, rlist: int = 4, spimm: int = 0) -> int:
        return self.raw(0xB802 | rlist << 4 | spimm << 2, 2)

    def cm_pop(self, rlist: int = 4, spimm: int = 0) -> int:
        return self.raw(0xBA02 | rlist << 4 | spimm << 2, 2)

    def cm_popretz(self, rlist: int = 4, spimm: int = 0) -> int:
        return self.raw(0xBC02 | rlist << 4 | spimm << 2, 2)

    def cm_popret(self, rlist: int = 4, spimm: int = 0) -> int:
        return self.raw(0xBE02 | rlist << 4 | spimm << 2, 2)

    def cm_jt(self, target: Target) -> int:
        return self.raw(0xA002 | self._entry(target, _JT_ENTRIES) << 2, 2)

    def cm_jalt(self, target: Target) -> int:
        return self.raw(0xA002 | self._entry(target, _JALT_ENTRIES) << 2, 2)

    def _entry(self, target: Target, indices: range) -> int:
        """The jump table index that leads to the target: an old one, or the next that is free."""
        for index in indices:
            if self._table.setdefault(index, target) == target:
                return index
        raise BuilderError(f"the jump table has no free entry for {target!r} among {indices}; use fewer targets")

    def filler(self, rng: random.Random, size: int | None = None) -> int:
        """Some sequential instruction of 2 or 4 bytes (by default either)."""
        r = rng.randrange
        rd, rs1, rs2, low, imm = r(6, 32), r(32), r(6, 32), r(8), r(32)
        if (size or rng.choice((2, 4))) == 2:
            choices = (
                0x0001,  # c.nop
                0x0001 | rd << 7 | max(imm, 1) << 2,  # c.addi
                0x4001 | rd << 7 | imm << 2,  # c.li
                0x8002 | rd << 7 | rs2 << 2,  # c.mv
                0x9002 | rd << 7 | rs2 << 2,  # c.add
                0x4000 | low << 7 | (imm & 7) << 2,  # c.lw
                0xC000 | low << 7 | (imm & 7) << 2,  # c.sw
            ) + ((0xB842, 0xBA42, 0xAC62) if self.zcmp else ())  # cm.push, cm.pop, cm.mva01s
            return self.raw(rng.choice(choices), 2)
        register = rs2 << 20 | rs1 << 15 | rd << 7
        choices = (
            imm << 20 | rs1 << 15 | rd << 7 | 0x13,  # addi
            imm << 22 | 2 << 15 | rd << 7 | 0x2003,  # lw from the stack
            rs2 << 20 | 2 << 15 | (imm & 28) << 7 | 0x2023,  # sw to the stack
            register | 0x33,  # add
            register | 0x02000033,  # mul
            imm << 12 | rd << 7 | 0x37,  # lui
            imm << 12 | rd << 7 | 0x17,  # auipc
            0x0FF0000F,  # fence
        )
        return self.raw(rng.choice(choices), 4)

    def _load(self, pair: _Pair, body: bytearray) -> None:
        """Write the immediates of a pair into its segment."""
        parts = pair.parts(self._address(pair.target), self.xlen)
        if parts is None:
            raise BuilderError(
                f"{pair.load} and {pair.jump} at {pair.pc:#x} do not reach {pair.target!r}; use auipc and jalr, or a"
                " table"
            )
        (high, low), at = parts, pair.position
        size = 2 if pair.load == "c_lui" else 4
        bits = (high & 31) << 2 | (high >> 5 & 1) << 12 if size == 2 else (high & 0xFFFFF) << 12
        for place, length, more in ((at, size, bits), (at + size, 4, (low & 0xFFF) << 20))[: 2 if low else 1]:
            whole = int.from_bytes(body[place : place + length], "little") | more
            body[place : place + length] = whole.to_bytes(length, "little")

    def _address(self, target: Target) -> int:
        if isinstance(target, int):
            return target
        if target not in self.labels:
            raise BuilderError(f"label {target!r} is used and never placed; call label({target!r}) where it belongs")
        return self.labels[target]

    def _offset(self, fixup: _Fixup) -> int:
        return (self._address(fixup.target) - fixup.pc + (1 << self.xlen - 1)) % (1 << self.xlen) - (1 << self.xlen - 1)

    def unreachable(self) -> list[int]:
        """Addresses of the branches, jumps and pairs whose encoding does not reach their target."""
        pairs = [pair.pc for pair in self._pairs if pair.parts(self._address(pair.target), self.xlen) is None]
        return pairs + [fixup.pc for fixup in self._fixups if not fixup.form.reaches(self._offset(fixup))]

    def build(self, entry: Target | None = None) -> Program:
        """The program; entry is by default the first address. Raises BuilderError, ProgramError."""
        segments = [(base, bytearray(body)) for base, body in self._segments]
        for fixup in self._fixups:
            offset = self._offset(fixup)
            if not fixup.form.reaches(offset):
                raise BuilderError(
                    f"the {fixup.size}-byte jump or branch at {fixup.pc:#x} does not reach {fixup.target!r}, "
                    f"{offset:+#x} bytes away; use a longer encoding"
                )
            where = slice(fixup.position, fixup.position + fixup.size)
            body = segments[fixup.segment][1]
            bits = int.from_bytes(body[where], "little") | fixup.form.encode(offset)
            body[where] = bits.to_bytes(fixup.size, "little")
        for pair in self._pairs:
            self._load(pair, segments[pair.segment][1])
        jvt, data = 0, []
        if self._table:
            jvt = -(-self.here // JVT_ALIGN) * JVT_ALIGN if self._jvt is None else self._jvt
            width = self.xlen // 8
            table = bytearray((max(self._table) + 1) * width)
            for index, target in self._table.items():
                table[index * width : (index + 1) * width] = self._address(target).to_bytes(width, "little")
            data.append((jvt, table))
        symbols = {name: address for name, address in self.labels.items() if name[:1] != "."}
        entry = self._segments[0][0] if entry is None else self._address(entry)
        return Program(self.xlen, segments, symbols, entry, jvt, data, self.zcmp)
