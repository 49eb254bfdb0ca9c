# SPDX-License-Identifier: Apache-2.0
"""Words everybody uses about control transfer records: type codes, transfers, records, the CC encoding.

Codes are those of the ports in docs/reference/ctr-profile.md; types are the itype codes of table Control Transfer Type
Definitions.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from rvtrace.models.riscv.csr import OPS as CSR_OPS
from rvtrace.models.riscv.csr import M

EXCEPTION, INTERRUPT, TRAP_RETURN, NOT_TAKEN, TAKEN = 1, 2, 3, 4, 5
INDIRECT_CALL, DIRECT_CALL, INDIRECT_JUMP, DIRECT_JUMP, SWAP, RETURN, INDIRECT_LINK, DIRECT_LINK = range(8, 16)
TYPES = {
    1: "exception", 2: "interrupt", 3: "trap return", 4: "not-taken branch", 5: "taken branch", 8: "indirect call",
    9: "direct call", 10: "indirect jump", 11: "direct jump", 12: "co-routine swap", 13: "return",
    14: "other indirect jump", 15: "other direct jump",
}  # fmt: skip
BREAKPOINT, LCOFI = 3, 13  # causes, of an exception and of an interrupt

SCTRCLR = 4  # csr_op, besides those of models/riscv/csr.py
OPS = {**CSR_OPS, SCTRCLR: "sctrclr"}

MANTISSA_BITS = 12
_CCM = (1 << MANTISSA_BITS) - 1


class Transfer(NamedTuple):
    """One retired transfer: itype, PC (of a trap the EPC), PC of the next instruction, predicted wrong, privilege
    before and after, cause of a trap.
    """

    type: int
    source: int
    target: int
    misp: int = 0
    from_: int = M
    to: int = M
    cause: int = 0


class Record(NamedTuple):
    """One entry as its three registers hold it; source and target are addresses, their bit 0 is V and MISP. cc: the raw
    field.
    """

    valid: bool
    source: int
    target: int
    misp: int
    type: int
    ccv: bool
    cc: int

    @classmethod
    def of_registers(cls, ctrsource: int, ctrtarget: int, ctrdata: int) -> Record:
        """From what sireg, sireg2 and sireg3 give."""
        return cls(bool(ctrsource & 1), ctrsource & ~1, ctrtarget & ~1, ctrtarget & 1,
                   ctrdata & 15, bool(ctrdata >> 15 & 1), ctrdata >> 16 & 0xFFFF)  # fmt: skip

    def registers(self) -> tuple[int, int, int]:
        """ctrsource, ctrtarget, ctrdata."""
        return (self.source | self.valid, self.target | self.misp, self.type | self.ccv << 15 | self.cc << 16)

    @property
    def cycles(self) -> int | None:
        """Elapsed cycles (chapter Cycle Counting); None if CCV is 0."""
        return decode_cc(self.cc) if self.ccv else None

    def to_dict(self) -> dict[str, Any]:
        """As in `entries.json`: addresses in hexadecimal, cc in cycles or null."""
        return {"source": f"{self.source:#x}", "target": f"{self.target:#x}", "type": self.type,
                "valid": self.valid, "cc": self.cycles, "ccv": self.ccv}  # fmt: skip


def encode_cc(count: int, cce_bits: int = 4) -> int:
    """CC of a count of cycles: CCE 0 below 4096, else index of the top one bit minus 11; CCM is count[CCE+10:CCE-1].
    Saturates.
    """
    count = min(count, largest_count(cce_bits))
    if count <= _CCM:
        return count
    cce = count.bit_length() - MANTISSA_BITS
    return cce << MANTISSA_BITS | (count >> (cce - 1)) & _CCM


def decode_cc(cc: int) -> int:
    """Cycles that CC encodes: CCM if CCE is 0, else (4096 + CCM) << (CCE - 1)."""
    cce, ccm = cc >> MANTISSA_BITS, cc & _CCM
    return ccm if cce == 0 else (1 << MANTISSA_BITS) + ccm << (cce - 1)


def largest_count(cce_bits: int) -> int:
    """Max elapsed cycle value of table Cycle Counter Size Options: all implemented bits of CC are 1."""
    return decode_cc(((1 << cce_bits) - 1) << MANTISSA_BITS | _CCM)
