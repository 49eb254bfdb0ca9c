# SPDX-License-Identifier: Apache-2.0
"""One instruction from its bits: size, control flow, direct target, `itype` and text.

Covers RV32 and RV64 IMAFDC, Zicsr, Zcmp and Zcmt; everything else is sequential, its size taken from the low
bits (RISC-V unprivileged manual, "Base Instruction-Length Encoding"). Zcmp and Zcmt take the encodings of
c.fsdsp, so whether a program has them is a parameter.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Protocol

from rvtrace.models.riscv.bits import gather, signed
from rvtrace.models.riscv.compressed import expand
from rvtrace.models.riscv.retired import IType

ETRACE_VARIANTS = ("v2_0", "draft_0_026")
VARIANTS = ("v1_0", "rc7", *ETRACE_VARIANTS)
"""N-Trace 1.0 and its rc7, E-Trace 2.0 and its draft of 2019."""
LINK = (1, 5)
X_NAMES = "zero ra sp gp tp t0 t1 t2 s0 s1 a0 a1 a2 a3 a4 a5 a6 a7 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 t3 t4 t5 t6".split()
MaybeNone = Any  # in a union: None where the rest of the object says so, hence not asked for again in inner loops


class Flow(IntEnum):
    """What an instruction does to the program counter, as far as the program alone reports."""

    SEQUENTIAL = 0
    BRANCH = 1  # direct and conditional
    INFERABLE = 2  # direct jump or call
    UNINFERABLE = 3  # indirect jump, call or return, xRET
    TRAP = 4  # ecall, ebreak


@dataclass(frozen=True, slots=True)
class Insn:
    """One decoded instruction.

    pc: address. raw: its bits (as many as `size` says). size: bytes. flow: a `Flow`. target: where a
    BRANCH (when taken), INFERABLE instruction or jalr from x0 (which is UNINFERABLE: N-Trace table 2, ruling ET-1)
    leads, else None. name: mnemonic if it can change the flow, else "". rd, rs1: registers of a jump (0 and 1 for
    cm.popret), 0 if it has none.
    """

    pc: int
    raw: int
    size: int
    flow: Flow
    target: int | MaybeNone = None
    name: str = ""
    rd: int = 0
    rs1: int = 0


_SYSTEM = {
    0x00000073: ("ecall", Flow.TRAP), 0x00100073: ("ebreak", Flow.TRAP),
    0x00200073: ("uret", Flow.UNINFERABLE), 0x10200073: ("sret", Flow.UNINFERABLE),
    0x30200073: ("mret", Flow.UNINFERABLE), 0x70200073: ("mnret", Flow.UNINFERABLE),
}  # fmt: skip
_BRANCHES = {0: "beq", 1: "bne", 4: "blt", 5: "bge", 6: "bltu", 7: "bgeu"}
CUSTOM = (0x0B, 0x2B, 0x5B, 0x7B)  # the opcodes custom-0 to custom-3
XRET = ("mret", "sret", "uret", "mnret")


def size_of(parcel: int) -> int:
    """Bytes of the instruction that begins with this 16-bit parcel: 2, 4, 6, 8, 10 to 22; 24 if reserved."""
    if parcel & 3 != 3:
        return 2
    if parcel & 0x1C != 0x1C:
        return 4
    if parcel & 0x3F == 0x1F:
        return 6
    return 8 if parcel & 0x7F == 0x3F else 10 + 2 * (parcel >> 12 & 7)


def is_custom(insn: Insn) -> bool:
    """Whether the opcode is custom-0 to custom-3: it may do anything, so a hart may report it as a jump (10.1)."""
    return insn.size == 4 and insn.raw & 0x7F in CUSTOM


def _imm_b(raw: int) -> int:
    return signed(gather(raw, (8, 4, 1), (25, 6, 5), (7, 1, 11), (31, 1, 12)), 13)


def _imm_j(raw: int) -> int:
    return signed(gather(raw, (21, 10, 1), (20, 1, 11), (12, 8, 12), (31, 1, 20)), 21)


def decode(
    pc: int,
    raw: int,
    xlen: int,
    *,
    zcmp: bool = True,
    zcmt: bool = True,
    entry: Callable[[int], int | None] | None = None,
) -> Insn:
    """The instruction `raw` at `pc`.

    Bits of raw above the instruction's own are ignored. zcmp, zcmt: whether the hart has these extensions
    (if not, the encodings are c.fsdsp). entry: content of the jump table by index, None where it cannot be
    read; without the entry cm.jt and cm.jalt are UNINFERABLE. Reserved encodings of jumps and branches are
    SEQUENTIAL.
    """
    size = size_of(raw & 0xFFFF)
    raw &= (1 << 8 * size) - 1
    mask = (1 << xlen) - 1

    def direct(flow: Flow, name: str, offset: int, rd: int = 0) -> Insn:
        return Insn(pc, raw, size, flow, (pc + offset) & mask, name, rd)

    if size == 4:
        opcode, rd, funct3, rs1 = raw & 0x7F, raw >> 7 & 31, raw >> 12 & 7, raw >> 15 & 31
        if opcode == 0x63 and funct3 in _BRANCHES:
            return direct(Flow.BRANCH, _BRANCHES[funct3], _imm_b(raw))
        if opcode == 0x6F:
            return direct(Flow.INFERABLE, "jal", _imm_j(raw), rd)
        if opcode == 0x67 and funct3 == 0:
            target = None if rs1 else signed(raw >> 20, 12) & mask & ~1
            return Insn(pc, raw, size, Flow.UNINFERABLE, target, "jalr", rd, rs1)
        if raw in _SYSTEM:
            name, flow = _SYSTEM[raw]
            return Insn(pc, raw, size, flow, None, name)
    elif size == 2:
        quadrant, funct3, register = raw & 3, raw >> 13, raw >> 7 & 31
        if quadrant == 1:
            if funct3 == 5:
                return direct(Flow.INFERABLE, "c.j", _imm_j(expand(raw, xlen) or 0))
            if funct3 == 1 and xlen == 32:
                return direct(Flow.INFERABLE, "c.jal", _imm_j(expand(raw, xlen) or 0), 1)
            if funct3 >= 6:
                return direct(Flow.BRANCH, "c.beqz" if funct3 == 6 else "c.bnez", _imm_b(expand(raw, xlen) or 0))
        elif quadrant == 2 and funct3 == 4 and raw & 0x7C == 0:
            link = raw >> 12 & 1
            if register:
                return Insn(pc, raw, size, Flow.UNINFERABLE, None, "c.jalr" if link else "c.jr", link, register)
            if link:
                return Insn(pc, raw, size, Flow.TRAP, None, "c.ebreak")
        elif quadrant == 2 and funct3 == 5:
            if zcmt and raw >> 10 == 0x28:
                index = raw >> 2 & 0xFF
                target = entry(index) if entry else None
                name, rd = ("cm.jt", 0) if index < 32 else ("cm.jalt", 1)
                if target is None:
                    return Insn(pc, raw, size, Flow.UNINFERABLE, None, name, rd)
                return Insn(pc, raw, size, Flow.INFERABLE, target & mask & ~1, name, rd)
            if zcmp and raw >> 8 in (0xBC, 0xBE) and raw & 0xC0:
                name = "cm.popretz" if raw >> 8 == 0xBC else "cm.popret"
                return Insn(pc, raw, size, Flow.UNINFERABLE, None, name, 0, 1)
    return Insn(pc, raw, size, Flow.SEQUENTIAL)


# Table 2 of the N-Trace specification; the columns in which the variants differ. A jump is direct or not, with rd = x0
# or another register that is not a link register.
_JUMP_WITHOUT_LINK = {
    "rc7": {(True, True): IType.OTHER_INFERABLE_JUMP, (True, False): IType.OTHER_INFERABLE_JUMP,
            (False, True): IType.OTHER_UNINFERABLE_JUMP, (False, False): IType.OTHER_UNINFERABLE_JUMP},
    "v1_0": {(True, True): IType.INFERABLE_TAIL_CALL, (True, False): IType.OTHER_INFERABLE_JUMP,
             (False, True): IType.UNINFERABLE_TAIL_CALL, (False, False): IType.OTHER_UNINFERABLE_JUMP},
}  # fmt: skip
_JUMP_WITHOUT_LINK |= dict.fromkeys(ETRACE_VARIANTS, _JUMP_WITHOUT_LINK["v1_0"])
_DRAFT = {IType.COROUTINE_SWAP: IType.RESERVED, IType.RETURN: IType.COROUTINE_SWAP}  # codes 7 and 12 there


def itype(insn: Insn, variant: str, taken: bool = False) -> IType:
    """The 4-bit itype with which the instruction retires (N-Trace Table 2).

    taken: direction of a branch. ecall and ebreak give EXCEPTION; only in rc7 they retire at all.
    Raises KeyError for a variant that is not in `VARIANTS`.
    """
    if variant == "draft_0_026":
        code = itype(insn, "v2_0", taken)
        return _DRAFT.get(code, code)
    without_link = _JUMP_WITHOUT_LINK[variant]
    if insn.flow == Flow.SEQUENTIAL:
        return IType.NONE
    if insn.flow == Flow.BRANCH:
        return IType.TAKEN if taken else IType.NOT_TAKEN
    if insn.flow == Flow.TRAP:
        return IType.EXCEPTION
    if insn.name in XRET:
        return IType.XRET
    if insn.name == "cm.jt" and variant == "rc7":
        return IType.NONE
    rd_link, rs1_link = insn.rd in LINK, insn.rs1 in LINK
    if insn.name in ("jal", "c.j", "c.jal", "cm.jt", "cm.jalt"):
        return IType.INFERABLE_CALL if rd_link else without_link[True, insn.rd == 0]
    if rd_link:
        return IType.COROUTINE_SWAP if rs1_link and insn.rd != insn.rs1 else IType.UNINFERABLE_CALL
    return IType.RETURN if rs1_link else without_link[False, insn.rd == 0]


_SREGS = ("s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7")
_engines: dict[int, Any] = {}


def _engine(xlen: int) -> Any:
    """capstone for a width, which is imported by the first text that is asked for; None without it: disassembly is a
    convenience, and a decoder works without it.
    """
    if xlen not in _engines:
        try:
            import capstone
        except ImportError:
            _engines[xlen] = None
        else:
            mode = capstone.CS_MODE_RISCV64 if xlen == 64 else capstone.CS_MODE_RISCV32
            _engines[xlen] = capstone.Cs(capstone.CS_ARCH_RISCV, mode | capstone.CS_MODE_RISCVC)
    return _engines[xlen]


def _zcm_text(insn: Insn, xlen: int) -> str | None:
    """Text of a Zcmp or Zcmt instruction, None if it is not one (quadrant 2, funct3 5)."""
    raw, high = insn.raw, insn.raw >> 8
    if insn.name in ("cm.jt", "cm.jalt"):
        return f"{insn.name} {raw >> 2 & 0xFF}"
    rlist, names = raw >> 4 & 15, {0xB8: "cm.push", 0xBA: "cm.pop", 0xBC: "cm.popretz", 0xBE: "cm.popret"}
    if high in names and rlist >= 4:
        saved = {4: "", 5: ", s0"}.get(rlist, f", s0-s{rlist - 5 if rlist < 15 else 11}")
        registers = rlist - 3 if rlist < 15 else 13
        space = -(-registers * (xlen // 8) // 16) * 16 + 16 * (raw >> 2 & 3)
        return f"{names[high]} {{ra{saved}}}, {-space if high == 0xB8 else space}"
    if raw >> 10 == 0x2B and raw >> 5 & 1:
        name = "cm.mva01s" if raw >> 6 & 1 else "cm.mvsa01"
        return f"{name} {_SREGS[raw >> 7 & 7]}, {_SREGS[raw >> 2 & 7]}"
    return None


class Listing(Protocol):
    """What disassembly needs of a `rvtrace.models.riscv.program.Program`."""

    xlen: int
    zcmp: bool
    zcmt: bool

    def place(self, pc: int) -> str:
        """An address with its symbol."""
        ...


def disassemble(insn: Insn, program: Listing) -> str:
    """Text of the instruction, e.g. `beq a0, a1, 0x80000010 <main+0x10>`; `.insn 0x...` if it has no mnemonic here.

    Uses capstone if it is installed; direct targets are absolute, with their symbol.
    """
    text = None
    if insn.size == 2 and insn.raw & 0xE003 == 0xA002 and (program.zcmp or program.zcmt):
        text = _zcm_text(insn, program.xlen)
    if text is None and (engine := _engine(program.xlen)) is not None:
        found = engine.disasm_lite(insn.raw.to_bytes(insn.size, "little"), insn.pc, 1)
        for _, length, name, operands in found:
            if length == insn.size:
                operands = (
                    operands if insn.target is None or insn.flow == Flow.UNINFERABLE else operands.rpartition(", ")[0]
                )
                text = f"{name} {operands}".strip()
    if text is None:
        text = f".insn {insn.raw:#0{2 + 2 * insn.size}x}"
    if insn.target is None or insn.flow == Flow.UNINFERABLE:
        return text
    separator = "," if " " in text else ""
    return f"{text}{separator} {program.place(insn.target)}"
