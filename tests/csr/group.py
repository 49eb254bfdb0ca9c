# SPDX-License-Identifier: Apache-2.0
"""A group of CSRs that no system has: what adding a group takes. One table; nothing else of the project knows it."""

from rvtrace.models.csr import Csr, CsrFile, Indirect, Register, one_of, row
from rvtrace.models.csr.standard import indirect_csrs, state_enables

VALUES = range(0x40, 0x44)  # of the iselects: four lanes
LANE = Register(1, "lane", "one lane", "Example 2", (
    row("LEVEL", "3:0", "WARL", "how much", legal=one_of((0, 4, 8), 0), clause="EX.lane"),
    row("ID", "31:28", "RO", "which version", reset=5, clause="EX.id"),
), width=64, clause="EX.other")  # fmt: skip
GROUP = (
    Csr(0x7C0, "mexample", "control", "Example 1", (
        row("MODE", "1:0", "WARL", "how", legal=one_of((0, 1, 2), 0), clause="EX.mode"),
        row("reserved", "3:2", "WPRI", "", clause="EX.wpri"),
        row("ON", "63", "WARL", "whether", clause="EX.on"),
    ), width=64, clause="EX.other"),
    Csr(0x5C0, "sexample", "scratch", "Example 1", (row("WORD", "63:0", "WARL", "any", clause="EX.word"),), width=64,
        level="S", virtual="vsexample", stateen="EX", clause="EX.other"),
    Csr(0x6C0, "vsexample", "scratch while V = 1", "Example 1",
        (row("WORD", "63:0", "WARL", "any", clause="EX.word"),), width=64, level="H", stateen="EX", clause="EX.other"),
    Csr(0xCC0, "example", "version", "Example 1", (row("VERSION", "7:0", "RO", "", reset=3, clause="EX.version"),),
        width=64, level="S", clause="EX.other"),
)  # fmt: skip
STATEEN = {"EX": (3, "the group is open"), "CSRIND": (60, "indirect access is open")}
LANES = Indirect(VALUES, (LANE,), "EX")


def example(xlen: int = 64) -> CsrFile:
    """The group with the standard CSRs that it needs."""
    standard = state_enables(xlen, STATEEN) + indirect_csrs(xlen, "0x40 to 0x43: lane 0 to 3", LANES)
    return CsrFile(xlen, (*GROUP, *standard), (LANES,), {name: bit for name, (bit, _) in STATEEN.items()})
