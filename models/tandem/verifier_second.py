"""The second simulator's opinion: what it does from the state before a group that does not fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from models.riscv.iss_table import STORE
from models.tandem.decoded import Group
from models.tandem.simulator import Simulator, Step
from models.tandem.table import GPR_BASE
from models.tandem.verdict import Difference
from models.tandem.verifier_compare import Comparer, Told
from models.tandem.verifier_sides import AS_FIRST, AS_TRACE

if TYPE_CHECKING:
    from models.tandem.verifier import Verifier


def ask(second: Simulator, verifier: Verifier, group: Group, told: Told, step: Step) -> str:
    """`AS_TRACE`, `AS_FIRST`, or "" where it does neither or cannot tell. The shadow is that before the group; `step` is the first's."""
    shadow = verifier.shadow
    shadow.copy_to(second)
    asked = second.execute() if not second.exact else None
    comparer = Comparer(second, shadow, verifier.profile)
    comparer.pending_told = verifier.comparer.pending_told
    try:
        if second.exact:
            asked, apart = comparer.attempt(group, told)
        elif asked is None or told.csrs:
            return ""
        else:
            apart = [one for one in comparer.compare(group, told, asked) if not _unseen(one, verifier)]
    except KeyError:
        return ""
    if not apart:
        return AS_TRACE
    return AS_FIRST if _same(asked, step, verifier) else ""


def _unseen(one: Difference, verifier: Verifier) -> bool:
    """A simulator that tells changed registers only does not tell one that got the value it had."""
    return one.what == "register" and one.how == "extra" and verifier.shadow.x[one.key - GPR_BASE] == one.told


def _same(one: Step, other: Step, verifier: Verifier) -> bool:
    """Whether two steps lead to the same state."""
    x = verifier.shadow.x
    after = [[step.value if step.rd == n else x[n] for n in range(1, 32)] for step in (one, other)]
    stores = [(step.paddr, step.bytes, step.data) if step.access == STORE else None for step in (one, other)]
    return after[0] == after[1] and stores[0] == stores[1] and (one.next_pc, one.priv) == (other.next_pc, other.priv)
