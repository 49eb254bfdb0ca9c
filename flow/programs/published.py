# SPDX-License-Identifier: Apache-2.0
"""Published figures of the programs that `rvtrace figures sizes SET=riscv-tests` measures, and where they are
published.

E-Trace: the group's figures of nine benchmarks of riscv-tests, with implicit return; payloads alone. N-Trace: the
group's reference encoder on 32 programs, of each its instructions and the bytes of five encodings
(tg-nexus-trace, refcode/c/examples/all, all0.txt to all4.txt). The nine are the same files in both; the instruction
counts of the second are therefore those of the first.
"""

from __future__ import annotations

from typing import NamedTuple

ETRACE = {
    "dhrystone": 0.209, "median": 0.432, "mm": 0.054, "multiply": 0.267, "qsort": 0.305, "rsort": 0.044,
    "spmv": 0.132, "towers": 0.126, "vvadd": 0.252,
}  # fmt: skip
NTRACE_METHODS = ("BTM", "HTM", "HTM + repeated history", "HTM + implicit return", "HTM + both")
NTRACE_MEANS = (1.773, 0.537, 0.462, 0.291, 0.213)  # of all 32 programs


class Bytes(NamedTuple):
    """Of one program: instructions, and bytes by `NTRACE_METHODS`."""

    instructions: int
    sizes: tuple[int, int, int, int, int]

    def bits(self, method: int) -> float:
        """Bits per instruction."""
        return 8 * self.sizes[method] / self.instructions


NTRACE = {
    "dhrystone": Bytes(215010, (71264, 44160, 42834, 8902, 7576)),
    "median": Bytes(15010, (7675, 1569, 1099, 1384, 913)),
    "mm": Bytes(297033, (31019, 5368, 2816, 4293, 1747)),
    "multiply": Bytes(55011, (29981, 4802, 4239, 3756, 3184)),
    "qsort": Bytes(235010, (76348, 14501, 11442, 14292, 11246)),
    "rsort": Bytes(375011, (36100, 4917, 955, 4708, 780)),
    "spmv": Bytes(70010, (7759, 1901, 1669, 1709, 1472)),
    "towers": Bytes(15011, (3386, 1812, 1701, 439, 328)),
    "vvadd": Bytes(10011, (4411, 884, 450, 710, 276)),
    "coremark": Bytes(33399227, (6308812, 1586381, 1529254, 1286129, 1227088)),
}
