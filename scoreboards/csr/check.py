# SPDX-License-Identifier: Apache-2.0
"""The check of accesses to a CSR file, by its table alone: outcomes, and every field of every value read.

    check = CsrCheck([CsrModel(file)], book, "EX.access", {"done": "EX.done"})
    check.access(cycle, Access(READ, 0x7C0), Answer(rdata, outcome))

Each group of CSRs has a model that says what an access must give. A wrong field fails under its clause, or that of its
register; a wrong outcome under the clause of the rule that is broken. What hardware changes is not compared here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from rvtrace.models.csr.file import ALL, LOW, CsrFile, Gates
from rvtrace.models.csr.table import Csr, Register
from rvtrace.models.riscv.csr import DONE, ILLEGAL, OPS, OUTCOMES, PRIVILEGES, READ, Access, Answer
from rvtrace.scoreboards.common.clauses import ClauseBook, Failure
from rvtrace.scoreboards.common.places import Rows
from rvtrace.scoreboards.csr.rules import tested


class Model(Protocol):
    """What answers for one group of CSRs."""

    file: CsrFile

    def effective(self) -> Gates:
        """What decides about access now."""
        ...

    def access(self, access: Access) -> Answer:
        """The answer to an access, which is done."""
        ...


class CsrCheck:
    """Follows the accesses of one port. clause: of what has no clause of its own; rules: clauses of rules of access."""

    def __init__(
        self, models: Sequence[Any], book: ClauseBook, clause: str, rules: Mapping[str, str] | None = None
    ) -> None:
        self.models: Sequence[Model] = models
        self.book, self.clause, self.rules = book, clause, rules or {}

    def access(self, cycle: int, access: Access, seen: Answer) -> None:
        """One access with the device's answer."""
        model = next((one for one in self.models if access.addr in one.file.at), None)
        csr = model.file.at[access.addr] if model else None
        suspects = tested(model.file, model.effective(), csr, access, self.rules) if model and self.rules else ()
        shown = self._shown(model, csr, access) if model and csr else None
        wanted = model.access(access) if model else Answer(0, ILLEGAL)
        ended = seen.outcome == wanted.outcome
        verdicts = {clause: ended or seen.outcome not in wrong for clause, wrong in suspects}
        for clause, mask in self._parts(csr, shown, wanted) if ended else ():
            verdicts[clause] = verdicts.get(clause, True) and not (seen.rdata ^ wanted.rdata) & mask
        verdicts.setdefault(self.clause, ended or not all(verdicts.values()))
        for clause, good in verdicts.items():
            self.book.check(clause, good, lambda c=clause: failure(c, cycle, csr, access, wanted, seen))

    def known(self, csr: Csr, shown: Register) -> int:
        """Bits of what an access shows that software alone decides about: all but what hardware changes."""
        return ALL & ~shown.volatile_mask

    @staticmethod
    def _shown(model: Model, csr: Csr, access: Access) -> Register | None:
        """The register that an access shows: the CSR that acts, or what an iselect selects."""
        if not csr.ireg:
            return csr if csr.high else model.file.acting(csr, access.priv)
        chosen = model.file.selected(model.effective(), csr, access)
        return chosen[0].register(csr.ireg) if chosen else None

    def _parts(self, csr: Csr | None, shown: Register | None, wanted: Answer) -> list[tuple[str, int]]:
        """(clause, bits of the value) of an answer; a refused access gives 0."""
        if csr is None or wanted.outcome != DONE or shown is None:
            return [(self.clause, ALL)]
        shift, known, own = 32 * csr.high, self.known(csr, shown), shown.clause or self.clause
        parts = [(f.clause or own, f.mask & known) for f in shown.fields]
        parts.append((own, known & ~sum(f.mask for f in shown.fields)))
        return [(clause, mask >> shift & (LOW if csr.high else ALL)) for clause, mask in parts if mask]


def named(csr: Csr | None, access: Access, *, operand: bool = True) -> str:
    """An access in words: `a write of mip (0x344) with 0x2000 from M`."""
    given = f" with {access.wdata:#x}" if operand and access.op != READ else ""
    what = csr.name if csr else "the address"
    return f"a {OPS.get(access.op, '?')} of {what} ({access.addr:#05x}){given} from {PRIVILEGES.get(access.priv, '?')}"


def outcomes(wanted: int, seen: int) -> Rows:
    """The row of a failure's table about an outcome."""
    return [("outcome", OUTCOMES[wanted], OUTCOMES.get(seen, str(seen)))]


def failure(clause: str, cycle: int, csr: Csr | None, access: Access, wanted: Answer, seen: Answer) -> Failure:
    """An answer that is not the one that the table gives."""
    ended = OUTCOMES.get(seen.outcome, f"outcome {seen.outcome}")
    text = f"{named(csr, access)} ended as {ended}" if seen.outcome != wanted.outcome else f"{named(csr, access)} gave"
    value = "" if seen.outcome != wanted.outcome else f" {seen.rdata:#x}"
    table = [*outcomes(wanted.outcome, seen.outcome), ("value", f"{wanted.rdata:#x}", f"{seen.rdata:#x}")]
    return Failure(clause, text + value, cycle, table=table)
