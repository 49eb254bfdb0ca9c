"""Behind a gap in the trace nobody knows what registers and memory hold: what a mismatch then means, until the trace has told again.

A gap is bytes or groups lost in such numbers that the verifier lost the pc, or a trace that begins without reset. An instruction that reads what was
not told since may give anything: its group is believed, and counted as not compared.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from models.riscv.iss_table import LOAD
from models.riscv.operands import operands
from models.tandem.decoded import Group
from models.tandem.simulator import Step
from models.tandem.table import FPR_BASE, GPR_BASE
from models.tandem.verdict import Difference
from models.tandem.verifier_compare import COUNTED, MEMDATA_KEY, PADDR_KEY, Told

if TYPE_CHECKING:
    from models.tandem.verifier import Verifier

_WORD = 2  # memory is known by words of 4 bytes


class Stale:
    """What was not told since section `first`."""

    def __init__(self, verifier: Verifier, first: int) -> None:
        self.v, self._at = verifier, first
        self._registers = set(range(1, 32))
        self._csrs = set(verifier.table.names)
        self._known: set[int] = set()  # words of memory

    def _follow(self, k: int) -> None:
        """Take in what sections before k told."""
        decoded = self.v.decoded
        if k <= self._at:
            return
        low, high = int(decoded.change_start[self._at]), int(decoded.change_start[k])
        key, value = decoded.change_key[low:high], decoded.change_value[low:high]
        section = np.repeat(np.arange(k - self._at), np.diff(decoded.change_start[self._at : k + 1]))
        self._at = k
        told = np.unique(key[key < FPR_BASE])
        self._registers.difference_update((told[told > GPR_BASE] - GPR_BASE).tolist())
        self._csrs.difference_update(told[told < GPR_BASE].tolist())
        for first, last, more in ((MEMDATA_KEY, MEMDATA_KEY + 3, 0), (MEMDATA_KEY + 3, MEMDATA_KEY + 3, 1)):  # 8 bytes are two words
            stores = np.unique(section[(key >= first) & (key <= last)])
            places = value[(key == PADDR_KEY) & np.isin(section, stores)]
            self._known.update(((np.unique(places) >> np.uint64(_WORD)) + np.uint64(more)).tolist())

    def explains(self, k: int, group: Group, told: Told, step: Step, apart: list[Difference]) -> bool:
        """Whether the group of section k differs because of something that was not told since the gap; that is then known."""
        self._follow(k)
        if any(one.what == "insn" for one in apart) or not group.size:
            return False
        csrs = {self.v.table.view(one.key, self.v.shadow.csr).of for one in apart if one.what == "csr"}
        if csrs & self._csrs or any(seen == "reservation" or self.v.comparer.moving(seen) for seen in step.seen):
            self._csrs -= csrs
            return True
        o = operands(group.insn, group.size, self.v.profile.hart.xlen)
        if {o.rs1, o.rs2} & self._registers:
            return True
        if step.access == LOAD or o.atomic:
            words = set(range(step.paddr >> _WORD, (step.paddr + step.bytes - 1 >> _WORD) + 1))
            unknown = bool(words - self._known)
            self._known |= words
            return unknown
        if group.insn & 0x7F == 0x73 and group.size == 4:  # reads a CSR
            address = group.insn >> 20
            if address in self.v.table.names and self.v.table.view(address, self.v.shadow.csr).of in COUNTED:
                return False  # of counters the shadow says what is unknown
            unknown = address in self._csrs
            self._csrs.discard(address)
            return unknown
        return False

    def believe(self, told: Told, step: Step) -> None:
        """What the group says is so; a load shows what memory holds, a CSR read what the CSR holds. The step was done by the simulator and by the shadow."""
        v = self.v
        if step.access == LOAD and told.registers:
            value = next(iter(told.registers.values())) & (1 << 8 * step.bytes) - 1
            v.set_memory(told.paddr if told.paddr is not None else step.paddr, value.to_bytes(step.bytes, "little"))
        if step.seen and step.seen[0] in v.table.names and told.registers and v.table.view(step.seen[0], v.shadow.csr).of not in (*step.csrs, *COUNTED):
            v.set_csr(step.seen[0], next(iter(told.registers.values())))
        v.apply(told)


__all__ = ["Stale"]
