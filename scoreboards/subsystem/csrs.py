# SPDX-License-Identifier: Apache-2.0
"""Accesses of the CSR port: done, illegal or virtual instruction, as the mode and the enables say.

Counters and records know their own CSRs; the hart gets the answer of the one that has the register, and one that
neither has is illegal (docs/reference/rtl-subsystem.md, "Registers"). Which answer that is, the models of both say from
all accesses before it. Values are compared where software alone changes the register; counters, status and entries have
clauses of their own.
"""

from __future__ import annotations

from rvtrace.models.ctr.model import Ctr
from rvtrace.models.ctr.registers import csrs as ctr_csrs
from rvtrace.models.hpm.model import Hpm
from rvtrace.models.hpm.registers import csrs as hpm_csrs
from rvtrace.models.riscv.csr import DONE, ILLEGAL, OPS, OUTCOMES, PRIVILEGES, Access, Answer
from rvtrace.scoreboards.common.clauses import ClauseBook, Failure
from rvtrace.scoreboards.subsystem.capture import SubsystemCapture

CLAUSE = "SUB.csr"
_ENTRY = "ireg"  # a register of the selected entry


class Csrs:
    """Follows the accesses of one run."""

    def __init__(self, capture: SubsystemCapture, book: ClauseBook) -> None:
        self.capture, self.book = capture, book
        config = capture.config
        self._hpm, self._ctr = Hpm(config.hpm), Ctr(config.ctr)
        self._counters = {csr.address: csr for csr in hpm_csrs(config.hpm)}
        self._records = {csr.address: csr for csr in ctr_csrs(config.ctr)}

    def check(self) -> None:
        """Every access."""
        if self.capture.csrs is None:
            return
        for row in self.capture.csrs:
            access = Access(int(row["op"]), int(row["addr"]), int(row["wdata"]), int(row["priv"]))
            wanted, fixed = self._answer(access)
            seen = Answer(int(row["rdata"]), int(row["outcome"]))
            good = seen.outcome == wanted.outcome and (not fixed or seen.rdata == wanted.rdata)
            self.book.check(CLAUSE, good, lambda r=row, a=access, w=wanted, s=seen: _failure(int(r["cycle"]), a, w, s))

    def _answer(self, access: Access) -> tuple[Answer, bool]:
        """The answer, and whether its value is known: a refused access gives 0."""
        answer, fixed = Answer(0, ILLEGAL), True
        if csr := self._counters.get(access.addr):
            answer, fixed = self._hpm.access(access), not any(f.volatile for f in csr.fields)
        elif record := self._records.get(access.addr):
            answer = self._ctr.access(access)
            fixed = _ENTRY not in record.name and not any(f.volatile for f in record.fields)
        return answer, fixed or answer.outcome != DONE


def _failure(cycle: int, access: Access, wanted: Answer, seen: Answer) -> Failure:
    shown = [(OUTCOMES.get(one.outcome, f"outcome {one.outcome}"), hex(one.rdata)) for one in (wanted, seen)]
    mode = PRIVILEGES.get(access.priv, access.priv)
    return Failure(
        CLAUSE,
        f"a {OPS.get(access.op, 'SCTRCLR')} of CSR {access.addr:#05x} in mode {mode}"
        f" ends as {shown[1][0]}, and the mode and the enables say {shown[0][0]}",
        cycle,
        table=[("outcome", shown[0][0], shown[1][0]), ("value", shown[0][1], shown[1][1])],
    )
