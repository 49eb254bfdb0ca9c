# SPDX-License-Identifier: Apache-2.0
"""Accesses of the CSR port: done, illegal or virtual instruction, as the mode and the enables say.

Counters and records are groups of one CSR file (docs/reference/rtl-subsystem.md, "Registers"); an address of neither is
illegal. What each access must give, the models of both say from all accesses before it. Values are compared where
software alone changes the register; counters, status and entries have clauses of their own.
"""

from __future__ import annotations

from rvtrace.models.csr.file import ALL
from rvtrace.models.csr.table import Csr, Register
from rvtrace.models.ctr.model import Ctr
from rvtrace.models.hpm.model import Hpm
from rvtrace.models.riscv.csr import Access, Answer
from rvtrace.scoreboards.common.clauses import ClauseBook
from rvtrace.scoreboards.csr.check import CsrCheck
from rvtrace.scoreboards.subsystem.capture import SubsystemCapture

CSR = "SUB.csr"


class Csrs(CsrCheck):
    """Follows the accesses of one run."""

    def __init__(self, capture: SubsystemCapture, book: ClauseBook) -> None:
        config = capture.config
        super().__init__([Hpm(config.hpm), Ctr(config.ctr)], book, CSR)
        self.capture = capture

    def check(self) -> None:
        """Every access."""
        for row in self.capture.csrs if self.capture.csrs is not None else ():
            access = Access(int(row["op"]), int(row["addr"]), int(row["wdata"]), int(row["priv"]))
            self.access(int(row["cycle"]), access, Answer(int(row["rdata"]), int(row["outcome"])))

    def known(self, csr: Csr, shown: Register) -> int:
        """All of a register that hardware does not change; nothing of others, or of an entry."""
        return 0 if csr.ireg or any(f.volatile for f in csr.fields) else ALL
