# SPDX-License-Identifier: Apache-2.0
"""Names of CSRs for their numbers, and which instructions access one."""

from __future__ import annotations

import re
from functools import cache

from rvtrace.models.riscv.isa import Insn

# What no table of a model has: floating point (unprivileged specification), debug specification 1.0 (4.9, 5.7),
# hypervisor (privileged specification, table of CSRs).
_OTHERS = {
    1: "fflags", 2: "frm", 3: "fcsr", 0x7B0: "dcsr", 0x7B1: "dpc", 0x7B2: "dscratch0", 0x7B3: "dscratch1",
    0x7A0: "tselect", 0x7A1: "tdata1", 0x7A2: "tdata2", 0x7A3: "tdata3", 0x7A4: "tinfo", 0x7A5: "tcontrol",
    0x7A8: "mcontext", 0x5A8: "scontext", 0x6A8: "hcontext",
    0x200: "vsstatus", 0x205: "vstvec", 0x240: "vsscratch", 0x241: "vsepc", 0x242: "vscause", 0x243: "vstval",
    0x280: "vsatp", 0x600: "hstatus", 0x602: "hedeleg", 0x604: "hie", 0x607: "hgeie", 0x60A: "henvcfg",
    0x643: "htval", 0x644: "hip", 0x645: "hvip", 0x64A: "htinst", 0x680: "hgatp", 0xE12: "hgeip",
    0x34A: "mtinst", 0x34B: "mtval2",
}  # fmt: skip
_NUMBER = re.compile(r"(?<![\w-])(?:0x[0-9a-f]+|\d+)\b")


@cache
def names(xlen: int) -> dict[int, str]:
    """Names of the CSRs that any part of this project knows. Their models are loaded for programs that access one."""
    from rvtrace.models.ctr.config import Config as CtrConfig
    from rvtrace.models.ctr.registers import csrs as ctr_csrs
    from rvtrace.models.hpm.config import Config as HpmConfig
    from rvtrace.models.hpm.registers import csrs as hpm_csrs
    from rvtrace.models.riscv.iss.config import virt
    from rvtrace.models.riscv.iss.csr import CsrTable

    of_systems = {one.address: one.name for one in (*hpm_csrs(HpmConfig(xlen=xlen)), *ctr_csrs(CtrConfig(xlen=xlen)))}
    return _OTHERS | of_systems | CsrTable(virt(xlen)).names


def name(address: int, xlen: int = 64) -> str:
    """`mhpmcounter3`; of a number that nobody has given a name the number."""
    return names(xlen).get(address, f"{address:#05x}")


def accessed(insn: Insn) -> int | None:
    """The CSR that an instruction accesses; None if it is none of Zicsr (opcode SYSTEM, funct3 1 to 3 and 5 to 7)."""
    return insn.raw >> 20 if insn.size == 4 and insn.raw & 0x7F == 0x73 and insn.raw >> 12 & 3 else None


def named(text: str, insn: Insn, xlen: int) -> str:
    """The text of an instruction with the name of its CSR in place of a number."""
    address = accessed(insn)
    if address is None or address not in names(xlen):
        return text
    # of csrrwi it is the first of two numbers
    return _NUMBER.sub(lambda one: names(xlen)[address] if int(one[0], 0) == address else one[0], text, count=1)
