# SPDX-License-Identifier: Apache-2.0
"""What every instruction of RV32/RV64 IMA does, as one table: encoding, format, effect.

An effect is a line of Python on these names; `rvtrace.models.riscv.iss.ops` makes functions of them.

    x[d] x[a] x[b]      registers rd, rs1, rs2, as numbers from 0 to M (x[d] of x0 goes nowhere)
    i                   immediate, modulo 2**xlen; of shifts and CSRs as it is encoded
    n, t                pc of the next instruction; pc plus immediate
    M, S, X, K          all ones; the sign bit; xlen; xlen - 1
    load, store, ...    of the hart

Signed comparison is that of the numbers with the sign bit turned (`x[a] ^ S`).
"""

from __future__ import annotations

from typing import NamedTuple

PLAIN, LOAD, STORE, OTHER = range(4)
"""What an instruction does beside x[d] and pc: nothing; reads memory; writes memory; anything."""


class Row(NamedTuple):
    """One instruction. key: opcode, funct3, and what more reports it (`iss_ops.key`). format: of the immediate. rv64:
    only there.
    """

    name: str
    extension: str
    key: tuple[int, ...]
    format: str
    effect: str
    kind: int = PLAIN
    rv64: bool = False


def _sign(value: str, bits: int) -> str:
    return f"(({value} & {(1 << bits) - 1:#x}) ^ {1 << bits - 1:#x}) - {1 << bits - 1:#x} & M"


def _word(value: str) -> str:
    return f"x[d] = {_sign(value, 32)}"


def _rows() -> list[Row]:
    rows = [
        Row("lui", "i", (0x37,), "U", "x[d] = i"),
        Row("auipc", "i", (0x17,), "U", "x[d] = t"),
        Row("jal", "i", (0x6F,), "J", "x[d] = n; return t"),
        Row("jalr", "i", (0x67, 0), "I", "to = x[a] + i & M & ~1; x[d] = n; return to"),
    ]
    branches = {
        "beq": (0, "x[a] == x[b]"),
        "bne": (1, "x[a] != x[b]"),
        "blt": (4, "x[a] ^ S < x[b] ^ S"),
        "bge": (5, "x[a] ^ S >= x[b] ^ S"),
        "bltu": (6, "x[a] < x[b]"),
        "bgeu": (7, "x[a] >= x[b]"),
    }
    rows += [Row(name, "i", (0x63, f), "B", f"return t if {test} else n") for name, (f, test) in branches.items()]
    loads = {"lb": (0, 1, True), "lh": (1, 2, True), "lw": (2, 4, True), "ld": (3, 8, True),
             "lbu": (4, 1, False), "lhu": (5, 2, False), "lwu": (6, 4, False)}  # fmt: skip
    for name, (funct3, size, signed) in loads.items():
        value = f"load(x[a] + i & M, {size})"
        effect = f"x[d] = {_sign(value, 8 * size)}" if signed else f"x[d] = {value}"
        rows.append(Row(name, "i", (0x03, funct3), "I", effect, LOAD, name in ("ld", "lwu")))
    for funct3, name in enumerate(("sb", "sh", "sw", "sd")):
        size = 1 << funct3
        effect = f"store(x[a] + i & M, {size}, x[b] & {(1 << 8 * size) - 1:#x})"
        rows.append(Row(name, "i", (0x23, funct3), "S", effect, STORE, name == "sd"))
    immediates = {
        "addi": (0, "x[a] + i & M"),
        "slti": (2, "1 if x[a] ^ S < i ^ S else 0"),
        "sltiu": (3, "1 if x[a] < i else 0"),
        "xori": (4, "x[a] ^ i"),
        "ori": (6, "x[a] | i"),
        "andi": (7, "x[a] & i"),
    }
    rows += [Row(name, "i", (0x13, f), "I", f"x[d] = {value}") for name, (f, value) in immediates.items()]
    rows += [
        Row("slli", "i", (0x13, 1, 0), "H", "x[d] = x[a] << i & M"),
        Row("srli", "i", (0x13, 5, 0), "H", "x[d] = x[a] >> i"),
        Row("srai", "i", (0x13, 5, 0x20), "H", "x[d] = (x[a] ^ S) - S >> i & M"),
        Row("addiw", "i", (0x1B, 0), "I", _word("x[a] + i"), PLAIN, True),
        Row("slliw", "i", (0x1B, 1, 0), "W", _word("(x[a] << i)"), PLAIN, True),
        Row("srliw", "i", (0x1B, 5, 0), "W", _word("((x[a] & 0xffffffff) >> i)"), PLAIN, True),
        Row(
            "sraiw",
            "i",
            (0x1B, 5, 0x20),
            "W",
            "x[d] = ((x[a] & 0xffffffff) ^ 0x80000000) - 0x80000000 >> i & M",
            PLAIN,
            True,
        ),
    ]
    registers = {
        "add": (0, 0, "x[a] + x[b] & M"),
        "sub": (0, 0x20, "x[a] - x[b] & M"),
        "sll": (1, 0, "x[a] << (x[b] & K) & M"),
        "slt": (2, 0, "1 if x[a] ^ S < x[b] ^ S else 0"),
        "sltu": (3, 0, "1 if x[a] < x[b] else 0"),
        "xor": (4, 0, "x[a] ^ x[b]"),
        "srl": (5, 0, "x[a] >> (x[b] & K)"),
        "sra": (5, 0x20, "(x[a] ^ S) - S >> (x[b] & K) & M"),
        "or": (6, 0, "x[a] | x[b]"),
        "and": (7, 0, "x[a] & x[b]"),
    }
    rows += [Row(name, "i", (0x33, f3, f7), "R", f"x[d] = {value}") for name, (f3, f7, value) in registers.items()]
    rows += [
        Row("addw", "i", (0x3B, 0, 0), "R", _word("x[a] + x[b]"), PLAIN, True),
        Row("subw", "i", (0x3B, 0, 0x20), "R", _word("x[a] - x[b]"), PLAIN, True),
        Row("sllw", "i", (0x3B, 1, 0), "R", _word("(x[a] << (x[b] & 31))"), PLAIN, True),
        Row("srlw", "i", (0x3B, 5, 0), "R", _word("((x[a] & 0xffffffff) >> (x[b] & 31))"), PLAIN, True),
        Row(
            "sraw",
            "i",
            (0x3B, 5, 0x20),
            "R",
            "x[d] = ((x[a] & 0xffffffff) ^ 0x80000000) - 0x80000000 >> (x[b] & 31) & M",
            PLAIN,
            True,
        ),
    ]
    multiplies = {
        "mul": (0, "x[a] * x[b] & M"), "mulh": (1, "((x[a] ^ S) - S) * ((x[b] ^ S) - S) >> X & M"),
        "mulhsu": (2, "((x[a] ^ S) - S) * x[b] >> X & M"), "mulhu": (3, "x[a] * x[b] >> X"),
        "div": (4, "div(x[a], x[b], X)"), "divu": (5, "x[a] // x[b] if x[b] else M"),
        "rem": (6, "rem(x[a], x[b], X)"), "remu": (7, "x[a] % x[b] if x[b] else x[a]"),
    }  # fmt: skip
    rows += [Row(name, "m", (0x33, f3, 1), "R", f"x[d] = {value}") for name, (f3, value) in multiplies.items()]
    low = "(x[a] & 0xffffffff, x[b] & 0xffffffff)"
    words = {"mulw": (0, "x[a] * x[b]"), "divw": (4, f"div(*{low}, 32)"), "divuw": (5, f"divu(*{low}, 32)"),
             "remw": (6, f"rem(*{low}, 32)"), "remuw": (7, f"remu(*{low}, 32)")}  # fmt: skip
    rows += [Row(name, "m", (0x3B, f3, 1), "R", _word(value), PLAIN, True) for name, (f3, value) in words.items()]
    return rows + _atomics() + _system()


def _atomics() -> list[Row]:
    """RV32A and RV64A; an amo's function takes what memory holds and rs2."""
    rows = []
    for funct3, (suffix, bits) in {2: (".w", 32), 3: (".d", 64)}.items():
        size, sign, ones = bits // 8, 1 << bits - 1, (1 << bits) - 1
        effects = {
            "amoadd": (0, f"o + v & {ones:#x}"),
            "amoswap": (1, "v"),
            "amoxor": (4, "o ^ v"),
            "amoor": (8, "o | v"),
            "amoand": (12, "o & v"),
            "amomin": (16, f"o if o ^ {sign:#x} < v ^ {sign:#x} else v"),
            "amomax": (20, f"o if o ^ {sign:#x} > v ^ {sign:#x} else v"),
            "amominu": (24, "o if o < v else v"),
            "amomaxu": (28, "o if o > v else v"),
        }
        for name, (funct5, value) in effects.items():
            old = f"amo(x[a], {size}, x[b] & {ones:#x}, lambda o, v: {value})"
            rows.append(
                Row(name + suffix, "a", (0x2F, funct3, funct5), "R", f"x[d] = {_sign(old, bits)}", STORE, bits == 64)
            )
        reserved = _sign(f"load_reserved(x[a], {size})", bits)
        rows.append(Row("lr" + suffix, "a", (0x2F, funct3, 2, 0), "R", f"x[d] = {reserved}", OTHER, bits == 64))
        conditional = f"x[d] = store_conditional(x[a], {size}, x[b] & {ones:#x})"
        rows.append(Row("sc" + suffix, "a", (0x2F, funct3, 3), "R", conditional, OTHER, bits == 64))
    return rows


def _system() -> list[Row]:
    """Fences, environment calls, CSRs, and the privileged instructions."""
    rows = [
        Row("fence", "i", (0x0F, 0), "I", "pass"),
        Row("fence.i", "i", (0x0F, 1), "I", "fence_i()"),
        Row("ecall", "i", (0x73, 0, 0x000), "N", "ecall()", OTHER),
        Row("ebreak", "i", (0x73, 0, 0x001), "N", "ebreak(n)", OTHER),
        Row("sret", "i", (0x73, 0, 0x102), "N", "return sret()", OTHER),
        Row("mret", "i", (0x73, 0, 0x302), "N", "return mret()", OTHER),
        Row("wfi", "i", (0x73, 0, 0x105), "N", "wfi()", OTHER),
    ]
    for funct3, name in enumerate(("csrrw", "csrrs", "csrrc")):
        for immediate in (0, 4):
            source = "a" if immediate else "x[a]"
            effect = f"x[d] = csr_access({funct3}, i, {source}, a, d)"
            rows.append(Row(name + "i" * bool(immediate), "i", (0x73, 1 + funct3 + immediate), "C", effect, OTHER))
    return rows


SFENCE_VMA = Row("sfence.vma", "i", (0x73, 0, 0x09), "R", "sfence_vma()", OTHER)
ROWS = _rows()
BY_KEY = {row.key: row for row in [*ROWS, SFENCE_VMA]}
