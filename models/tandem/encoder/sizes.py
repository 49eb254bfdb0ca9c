# SPDX-License-Identifier: Apache-2.0
"""Appendix D: how many bytes each kind of instruction takes, computed by the encoder and not copied from a table.

    for row in sizes(Config()): row.category, row.fields, row.printed, row.bytes

As in the specification: RV64 with f registers, next pc by opcode 3 where it is in sequence, fcsr by bits that are set.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.encoder.encode import encode
from rvtrace.models.tandem.trace_data import Rows, TraceData

_START, _ELSEWHERE = 0x80000000, 0x80001000
_GPR, _FPR, _CSR, _DATA = (
    (5, 0x1234_5678_9ABC),
    (7, 0x3FF0_0000_0000_0000),
    ((0x340, 0x1234_5678_9ABC),),
    (3, 0x1234_5678_9ABC),
)
_TRAP = ((0x341, 0x80000010), (0x342, 2), (0x300, 0x1800), (0x343, 0))
_ADDRESS: dict[str, Any] = {"paddr": 0x80002000}
_VIRTUAL: dict[str, Any] = _ADDRESS | {"eaddr": 0x40002000}


class Category(NamedTuple):
    """A row of the table: what it is called, its fields as printed, the size printed, the parts of its TraceData, and
    whether the pc jumps.
    """

    category: str
    fields: str
    printed: int
    parts: dict[str, Any]
    jumps: bool = False
    has_insn: bool = True


class Size(NamedTuple):
    """A row of the table, and its size as the encoder makes it."""

    category: str
    fields: str
    printed: int
    bytes: int


CATEGORIES: tuple[Category, ...] = (
    Category("integer computation", "pc, instr, gpr", 23, {"gpr": _GPR}),
    Category("nop", "pc, instr", 12, {}),
    Category("branch, jump", "pc, instr", 27, {}, jumps=True),
    Category("branch and link, jump and link", "pc, instr, gpr", 32, {"gpr": _GPR}, jumps=True),
    Category("load", "pc, instr, gpr, paddr", 33, {"gpr": _GPR} | _ADDRESS),
    Category("load (virtual address)", "pc, instr, gpr, paddr, eaddr", 43, {"gpr": _GPR} | _VIRTUAL),
    Category("store", "pc, instr, paddr, memdata", 32, {"memdata": _DATA} | _ADDRESS),
    Category("store (virtual address)", "pc, instr, paddr, eaddr, memdata", 42, {"memdata": _DATA} | _VIRTUAL),
    Category("sc, amo", "pc, instr, gpr, paddr, eaddr, memdata", 53, {"gpr": _GPR, "memdata": _DATA} | _VIRTUAL),
    Category("csr read-write", "pc, instr, csr, gpr", 34, {"csr": _CSR, "gpr": _GPR}),
    Category("csr read only", "pc, instr, gpr", 23, {"gpr": _GPR}),
    Category("csr write only", "pc, instr, csr", 23, {"csr": _CSR}),
    Category("floating point computation", "pc, instr, fpr, fcsr", 27, {"fpr": _FPR, "fcsr": 1}),
    Category("floating point move", "pc, instr, gpr", 23, {"gpr": _GPR}),
    Category("floating point conversion", "pc, instr, gpr, fcsr", 27, {"gpr": _GPR, "fcsr": 1}),
    Category("floating point load", "pc, instr, fpr, paddr, eaddr", 43, {"fpr": _FPR} | _VIRTUAL),
    Category("floating point store", "pc, instr, paddr, eaddr, memdata", 42, {"memdata": _DATA} | _VIRTUAL),
    Category(
        "interrupt", "pc, xepc, xcause, xstatus, xtval, priv", 59, {"csr": _TRAP, "priv": 3}, jumps=True, has_insn=False
    ),
    Category("exception", "pc, instr, xepc, xcause, xstatus, xtval, priv", 68, {"csr": _TRAP, "priv": 3}, jumps=True),
)


def sizes(config: Config, length: int = 4) -> list[Size]:
    """Every row of the table, with instructions of that many bytes."""
    before = TraceData(reset=True, pc=_START, fcsr=0)
    out = []
    for category, fields, printed, parts, jumps, has_insn in CATEGORIES:
        insn = (length, 0x13 if length == 4 else 0x01) if has_insn else None
        row = TraceData(pc=_ELSEWHERE if jumps else _START + length, insn=insn, **parts)
        encoded = encode(Rows.from_rows([before, row]), config)
        out.append(Size(category, fields, printed, len(encoded.of(1))))
    return out
