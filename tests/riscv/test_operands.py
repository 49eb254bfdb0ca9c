# SPDX-License-Identifier: Apache-2.0
"""`rvtrace.models.riscv.operands` against capstone: all compressed encodings, and random ones of full size."""

import random
import re

import capstone
import pytest

from rvtrace.models.riscv.operands import NO_CSR, Operands, operands

NUMBERS = {f"x{n}": n for n in range(32)} | {
    name: n
    for n, name in enumerate(
        "zero ra sp gp tp t0 t1 t2 s0 s1 a0 a1 a2 a3 a4 a5 a6 a7 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 t3 t4 t5 t6".split()
    )
}
WIDTHS = {"b": 1, "h": 2, "w": 4, "d": 8}
# How capstone lists the registers: D rd, S rs1, T rs2, B both rd and rs1.
FORMS = {
    "c.lw c.ld c.lwsp c.ldsp lb lh lw ld lbu lhu lwu": "DS", "c.sw c.sd c.swsp c.sdsp sb sh sw sd": "TS",
    "c.add c.sub c.and c.or c.xor c.addw c.subw": "BT", "c.mv": "DT", "c.li c.lui lui auipc": "D",
    "c.addi c.addiw c.slli c.srli c.srai c.andi c.addi16sp": "B", "c.addi4spn": "DS",
    "c.beqz c.bnez c.jr": "S",
    "add sub sll slt sltu xor srl sra or and addw subw sllw srlw sraw mul mulh mulhsu mulhu div divu rem "
    "remu mulw divw divuw remw remuw": "DST",
    "addi slti sltiu xori ori andi slli srli srai addiw slliw srliw sraiw": "DS",
    "beq bne blt bge bltu bgeu": "ST",
    "lr.w lr.d": "DS",
    " ".join(f"{n}.{w}" for w in "wd" for n in (
        "sc amoadd amoswap amoxor amoand amoor amomin amomax amominu amomaxu"
    ).split()): "DTS",
}  # fmt: skip
FORM = {name: form for names, form in FORMS.items() for name in names.split()}


def expected(mnemonic: str, text: str) -> Operands | None:
    """The operands as capstone prints them; None if not in `FORM` (pseudo-instructions, floating point)."""
    mnemonic = re.sub(r"\.(aqrl|aq|rl)$", "", mnemonic)
    form = FORM.get(mnemonic)
    if form is None:
        return None
    registers = [NUMBERS[word] for word in re.findall(r"[a-z]\w*", re.sub(r"0x\w+", "", text))]
    assert len(registers) == len(form), f"{mnemonic} {text}"
    fields: dict = {}
    for letter, register in zip(form, registers):
        for name in {"D": ("rd",), "S": ("rs1",), "T": ("rs2",), "B": ("rd", "rs1")}[letter]:
            fields[name] = register
    base = mnemonic.removeprefix("c.").removesuffix("sp")
    if re.fullmatch(r"(l[bhwd]u?|s[bhwd])", base):
        fields |= {
            "size": WIDTHS[base[1]],
            "store": int(base[0] == "s"),
            "imm": int(text.split("(")[0].split(",")[1], 0),
        }
    elif base[-2:] in (".w", ".d"):
        fields |= {"size": WIDTHS[base[-1]], "store": int(base[:2] != "lr"), "atomic": base[:-2]}
    return Operands(**fields)


def disassembler(xlen: int) -> capstone.Cs:
    mode = capstone.CS_MODE_RISCV64 if xlen == 64 else capstone.CS_MODE_RISCV32
    return capstone.Cs(capstone.CS_ARCH_RISCV, mode | capstone.CS_MODE_RISCVC)


def check(raws: list[int], size: int, xlen: int) -> set[str]:
    """Compare all of these; the mnemonics compared."""
    tool, seen = disassembler(xlen), set()
    for raw in raws:
        for _, length, mnemonic, text in tool.disasm_lite(raw.to_bytes(size, "little"), 0, 1):
            wanted = expected(mnemonic, text) if length == size else None
            if wanted is not None:
                seen.add(re.sub(r"\.(aqrl|aq|rl)$", "", mnemonic))
                assert operands(raw, size, xlen) == wanted, f"{raw:#x} {mnemonic} {text}"
    return seen


def listed_only(raw: int, xlen: int) -> bool:
    """Whether capstone lists an encoding that has no meaning: c.lui of 0 is reserved, a shift by 32 or more on RV32 is
    left to custom extensions (unprivileged manual, chapter C).
    """
    shift = raw & 0xE003 == 0x0002 or raw & 0xE803 == 0x8001
    lui = raw & 0xF07F == 0x6001 and raw >> 7 & 31 != 2
    return lui or (xlen == 32 and shift and bool(raw >> 12 & 1))


@pytest.mark.parametrize("xlen", (32, 64))
def test_all_compressed(xlen: int) -> None:
    wide = {"c.ld", "c.sd", "c.ldsp", "c.sdsp", "c.addiw", "c.addw", "c.subw"}
    raws = [raw for raw in range(1 << 16) if raw & 3 != 3]
    without = [raw for raw in raws if listed_only(raw, xlen)]
    assert without and all(operands(raw, 2, xlen) == Operands() for raw in without)
    seen = check([raw for raw in raws if not listed_only(raw, xlen)], 2, xlen)
    assert seen == {name for name in FORM if name.startswith("c.")} - (wide if xlen == 32 else set())


@pytest.mark.parametrize("xlen", (32, 64))
def test_full_size(xlen: int) -> None:
    choose = random.Random(f"operands:{xlen}")
    opcodes = (0x03, 0x13, 0x17, 0x1B, 0x23, 0x2F, 0x33, 0x37, 0x3B, 0x63)
    funct7 = (0, 1, 0x20)
    raws = []
    for _ in range(60_000):
        raw = choose.getrandbits(25) << 7 | choose.choice(opcodes)
        if raw & 0x7F in (0x13, 0x1B, 0x33, 0x3B):
            raw = raw & 0x1FFFFFF | choose.choice(funct7) << 25
        elif raw & 0x7F == 0x2F and raw >> 27 == 2:
            raw &= ~(31 << 20)  # lr has no rs2
        raws.append(raw)
    seen = check(raws, 4, xlen)
    wide = {name for name in FORM if name.endswith(".d")} | set(
        "ld lwu sd addiw slliw srliw sraiw addw subw sllw srlw sraw mulw divw divuw remw remuw".split()
    )
    assert seen == {name for name in FORM if not name.startswith("c.")} - (wide if xlen == 32 else set())


def test_csr_writes() -> None:
    assert operands(0x34011173, 4, 64) == Operands(rd=2, rs1=2, csr=0x340)  # csrrw sp, mscratch, sp
    assert operands(0x342025F3, 4, 64) == Operands(rd=11)  # csrr a1, mcause: rs1 = x0 only reads
    assert operands(0x30046073, 4, 64) == Operands(csr=0x300)  # csrsi mstatus, 8: the field is no register
    assert operands(0x30200073, 4, 64).csr == NO_CSR  # mret


@pytest.mark.parametrize("raw, size, wanted", [
    (0x00008067, 4, Operands(0, 1)), (0x000780E7, 4, Operands(1, 15)), (0x0000006F, 4, Operands()),
    (0x9782, 2, Operands(1, 15)), (0x8082, 2, Operands(0, 1)), (0x9002, 2, Operands()),
    (0xA001, 2, Operands()),
])  # fmt: skip
def test_jumps(raw: int, size: int, wanted: Operands) -> None:
    assert operands(raw, size, 64) == wanted


def test_compressed_call_on_rv32() -> None:
    assert operands(0x2001, 2, 32) == Operands(1)
