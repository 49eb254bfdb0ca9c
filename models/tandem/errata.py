# SPDX-License-Identifier: Apache-2.0
"""The errata of the specification (version 2018-11-20) as data, and its examples, line by line, as they should be.

`EXAMPLES` are tables C.1 to C.8, corrected. An `Erratum` that concerns bytes says which line of which example was
printed how, and what a reader of the trace finds there: a decoder's diagnostic, or a verifier's mismatch where the
format is kept.

    printed("pc id", "C.2")        bytes of that example with this erratum as printed
    as_printed("C.7")              the whole example as printed
    PREAMBLE                       a group that makes pc and fcsr known, as the examples need
"""

from __future__ import annotations

from typing import NamedTuple

Line = tuple[str, str]  # bytes in hex, meaning

_BEGIN, _END, _INC = ("01", "begin group"), ("02", "end group"), ("03", "increment pc")
_FULL, _STATE = ("04", "full register"), ("07", "additional state")
_INSN16, _INSN32 = ("10", "16-bit instruction"), ("11", "32-bit instruction")
_TRAP_PC = (_STATE, ("0a", "pc"), ("00 00 01 00 00 00 00 00", "new pc value"))
_TRAP_END = (
    _FULL, ("00 03", "mstatus"), ("b0 18 00 00 0a 00 00 00", "new mstatus value"),
    _FULL, ("43 03", "mtval"), ("00 00 00 00 00 00 00 00", "new mtval value"),
    _STATE, ("01", "privilege mode"), ("03", "machine mode"), _END,
)  # fmt: skip
EXAMPLES: dict[str, tuple[Line, ...]] = {
    "C.1": (
        _BEGIN,
        _INC,
        _INSN32,
        ("b3 81 62 00", "add gp, t0, t1"),
        _FULL,
        ("03 10", "gp (x3)"),
        ("34 12 00 00 00 00 00 00", "new gp data"),
        _END,
    ),
    "C.2": (
        _BEGIN,
        _STATE,
        ("0a", "pc"),
        ("00 01 00 0c 00 00 00 00", "new pc value"),
        _INSN32,
        ("67 00 01 10", "jr 256(sp)"),
        _END,
    ),
    "C.3": (
        _BEGIN,
        _INC,
        _INSN32,
        ("d3 f3 16 01", "fadd.s ft7, fa3, fa7"),
        _FULL,
        ("27 10", "ft7 (f7)"),
        ("f9 f4 fe 66 ff ff ff ff", "new ft7 data"),
        ("06", "incremental register update (OR)"),
        ("03 00", "fcsr"),
        ("01", "fcsr bits to set"),
        _END,
    ),
    "C.4": (
        _BEGIN,
        _INC,
        _INSN16,
        ("0d 8d", "c.sub a0, a1"),
        _FULL,
        ("0a 10", "a0 (x10)"),
        ("78 56 34 12 ff ff ff ff", "new a0 data"),
        _END,
    ),
    "C.5": (
        _BEGIN,
        _INC,
        _INSN32,
        ("03 a2 82 00", "lw tp, 8(t0)"),
        _FULL,
        ("04 10", "tp (x4)"),
        ("aa 55 aa 55 00 00 00 00", "new tp data"),
        _STATE,
        ("02", "physical address identifier"),
        ("08 00 00 01 00 00 00 00", "physical address"),
        _END,
    ),
    "C.6": (
        _BEGIN,
        _INC,
        _INSN32,
        ("f3 b4 45 30", "csrrc s1, mie, a1"),
        _FULL,
        ("09 10", "s1 (x9)"),
        ("88 08 00 00 00 00 00 00", "new s1 value"),
        _FULL,
        ("04 03", "mie"),
        ("80 08 00 00 00 00 00 00", "new mie value"),
        _END,
    ),
    "C.7": (
        _BEGIN,
        *_TRAP_PC,
        _INSN16,
        ("00 00", "illegal instruction"),
        _FULL,
        ("41 03", "mepc"),
        ("34 12 08 00 00 00 00 00", "new mepc value"),
        _FULL,
        ("42 03", "mcause"),
        ("02 00 00 00 00 00 00 00", "new mcause value"),
        *_TRAP_END,
    ),
    "C.8": (
        _BEGIN,
        *_TRAP_PC,
        _FULL,
        ("41 03", "mepc"),
        ("56 12 08 00 00 00 00 00", "new mepc value"),
        _FULL,
        ("42 03", "mcause"),
        ("03 00 00 00 00 00 00 80", "new mcause value"),
        *_TRAP_END,
    ),
}
BYTES = {"C.1": 19, "C.2": 17, "C.3": 23, "C.4": 17, "C.5": 29, "C.6": 30, "C.7": 62, "C.8": 59}  # of each, corrected


class Erratum(NamedTuple):
    """where: tables, chapter or appendix. printed, right: in words or bytes. lines: (table, number of the line, bytes
    printed).

    finds: "decoder" with the diagnostic, "verifier" with what does not fit, or "" where no byte is wrong.
    """

    name: str
    where: str
    printed: str
    right: str
    lines: tuple[tuple[str, int, str], ...] = ()
    finds: str = ""
    diagnostic: str = ""


ERRATA: tuple[Erratum, ...] = (
    Erratum(
        "pc id",
        "C.2, C.7, C.8",
        "identifier 10 of the pc as the byte 10",
        "0a (10 is a decimal number)",
        (("C.2", 2, "10"), ("C.7", 2, "10"), ("C.8", 2, "10")),
        "decoder",
        "unknown_id",
    ),
    Erratum(
        "a0 register",
        "C.4",
        "register bytes 10 10 (x16)",
        "0a 10 (x10, as the label says)",
        (("C.4", 5, "10 10"),),
        "verifier",
        "register",
    ),
    Erratum(
        "lw opcode",
        "C.5",
        "opcode 10 before a 32-bit instruction",
        "11",
        (("C.5", 2, "10"),),
        "decoder",
        "instruction_length",
    ),
    Erratum(
        "lw result",
        "C.5",
        "lw gives 0x55aa55aa55aa55aa, which is no sign-extended word",
        "aa 55 aa 55 00 00 00 00",
        (("C.5", 6, "aa 55 aa 55 aa 55 aa 55"),),
        "verifier",
        "register",
    ),
    Erratum(
        "illegal instruction",
        "C.7",
        "a 32-bit instruction of zeros on a hart with 16-bit instructions",
        "10 00 00: the first 16 bits are the illegal one; 62 bytes",
        (("C.7", 4, "11"), ("C.7", 5, "00 00 00 00")),
        "decoder",
        "instruction_length",
    ),
    Erratum(
        "mstatus bit 4",
        "C.7, C.8",
        "a bit that mstatus does not have is set",
        "the data of a register is opaque to the format",
    ),
    Erratum("end label", "C.8", "02 end", "02 end group"),
    Erratum("response lengths", "chapter 2, opcode 9", "16, 24, 40 or 72 bits", "8 as well: a response without data"),
    Erratum(
        "TraceData",
        "Appendix B",
        "no privilege, reset, state initialization, memory request or response",
        "they are there: C.7 and C.8 need them",
    ),
    Erratum(
        "sizes",
        "Appendix D",
        "every row with an instruction counts it as 9 bytes",
        "5, or 3 for a 16-bit instruction; see models/tandem/encoder/sizes.py",
    ),
)

# A group with hart reset, a pc and fcsr: what opcodes 3 and 6 of the examples increment.
PREAMBLE = bytes.fromhex("01 0a 07 0a 34 12 08 00 00 00 00 00 04 03 00 00 00 00 00 00 00 00 00 02")


def example(table: str, changes: dict[int, str] | None = None) -> bytes:
    """The bytes of an example, with some lines as given."""
    lines = [(changes or {}).get(number, text) for number, (text, _) in enumerate(EXAMPLES[table])]
    return bytes.fromhex(" ".join(lines))


def printed(name: str, table: str) -> bytes:
    """An example in which this erratum alone is as printed."""
    erratum = next(one for one in ERRATA if one.name == name)
    return example(table, {number: text for where, number, text in erratum.lines if where == table})


def as_printed(table: str) -> bytes:
    """An example with every erratum as printed."""
    return example(table, {number: text for one in ERRATA for where, number, text in one.lines if where == table})
