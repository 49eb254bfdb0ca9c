# SPDX-License-Identifier: Apache-2.0
"""The shadow state (section 3.1): what the hart holds according to the trace, and memory as its stores left it.

Of what is absent from a trace, and of all that a group need not report, the shadow holds what the simulator computed.
"""

from __future__ import annotations

from rvtrace.models.riscv.iss.csr import CsrTable
from rvtrace.models.riscv.iss.memory import Memory
from rvtrace.models.riscv.iss.table import STORE
from rvtrace.models.tandem.simulator.interface import PC_KEY, PRIV_KEY, PartialSimulator, Step
from rvtrace.models.tandem.table import FPR_BASE, GPR_BASE
from rvtrace.models.tandem.verifier.profile import ALL, COUNTERS

_COUNTED = frozenset(COUNTERS.values())


class Shadow:
    """x: 33 numbers (the last is nobody's). csr: by address of the register that holds state. pc, priv. memory: by
    physical address.

    unknown: bits of counters, and of CSRs whose value after reset is the implementation's, by the register that holds
    them, of which neither a read, a write nor a report gave the value since reset. other: what the simulator does not
    have, by key: f registers, mtime, physical pc, CSRs.
    """

    def __init__(self, table: CsrTable) -> None:
        self.table = table
        self.x = [0] * 33
        self.csr = dict(table.reset)
        self.pc, self.priv = 0, 3
        self.memory = Memory()
        self.other: dict[int, int] = {}
        self.unknown: dict[int, int] = {}
        self.forget_counters()

    def forget_counters(self) -> None:
        """Counters may hold any value: after a reset, after a gap, and after a mismatch of a counter."""
        self.unknown |= dict.fromkeys(COUNTERS.values(), ALL)

    def forget_reset(self) -> None:
        """After a reset: counters, and what the privileged manual leaves to the implementation (3.4)."""
        self.forget_counters()
        self.unknown |= self.table.unspecified
        for n, value in self.table.reset_x.items():
            self.x[n] = value

    @property
    def settled(self) -> bool:
        """Whether only counters are unknown."""
        return len(self.unknown) <= len(COUNTERS)

    def settle(self, bits: dict[int, int]) -> None:
        """These bits of CSRs, by the register that holds them, are known from now on."""
        for address, known in bits.items():
            left = self.unknown.get(address, 0) & ~known
            if left or address in _COUNTED:
                self.unknown[address] = left
            else:
                self.unknown.pop(address, None)

    def counter_known(self, address: int) -> None:
        """The part of a counter that this CSR shows is known from now on."""
        view = self.table.view(address, self.csr)
        if view.of in self.unknown:
            self.settle({view.of: view.mask << view.shift})

    def read(self, key: int) -> int:
        """State by key; KeyError for what was never reported."""
        if GPR_BASE <= key < FPR_BASE:
            return self.x[key - GPR_BASE]
        if key in self.csr:
            return self.csr[key]
        if key == PC_KEY:
            return self.pc
        return self.priv if key == PRIV_KEY else self.other[key]

    def write(self, key: int, value: int) -> None:
        """Set state by key; CSRs by the address of the register that holds it."""
        if GPR_BASE < key < FPR_BASE:
            self.x[key - GPR_BASE] = value
        elif key in self.csr:
            self.csr[key] = value
        elif key == PC_KEY:
            self.pc = value
        elif key == PRIV_KEY:
            self.priv = value
        else:
            self.other[key] = value

    def report(self, key: int, value: int) -> int:
        """Set a register or additional state to a reported value; the key that holds it."""
        if key < GPR_BASE and key in self.table.names:
            of, state = self.table.told(key, value, self.csr)
            self.csr[of] = state
            return of
        self.write(key, value)
        return key

    def follow(self, step: Step) -> None:
        """What the simulator did."""
        if step.rd:
            self.x[step.rd] = step.value
        if step.csrs:
            self.csr.update(step.csrs)
        if step.access == STORE:
            self.store(step)
        self.pc, self.priv = step.next_pc, step.priv

    def store(self, step: Step) -> None:
        """The store of a step."""
        data = step.data.to_bytes(step.bytes, "little")
        for place, count in step.parts or ((step.paddr, step.bytes),):
            self.memory.write(place, data[:count])
            data = data[count:]

    def copy_to(self, simulator: PartialSimulator) -> None:
        """All of it into a simulator; what that does not have is left out."""
        for address, page in self.memory.copy():
            if simulator.read_memory(address, len(page)) != page:
                simulator.write_memory(address, page)
        keys = [GPR_BASE + n for n in range(1, 32)]
        for key, value in [
            *self.csr.items(),
            *((key, self.x[key - GPR_BASE]) for key in keys),
            (PRIV_KEY, self.priv),
            (PC_KEY, self.pc),
        ]:
            try:
                simulator.write(key, value)
            except KeyError:
                continue
