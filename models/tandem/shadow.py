"""The shadow state (section 3.1): what the trace says that the hart holds, and memory as its stores left it.

Of what is absent from a trace, and of all that a group need not tell, the shadow holds what the simulator found.
"""

from __future__ import annotations

from models.riscv.iss_csr import CsrTable
from models.riscv.iss_memory import Memory
from models.riscv.iss_table import STORE
from models.tandem.profile import ALL, COUNTERS
from models.tandem.simulator import PC_KEY, PRIV_KEY, Simulator, Step
from models.tandem.table import FPR_BASE, GPR_BASE


class Shadow:
    """x: 33 numbers (the last is nobody's). csr: by address of the register that holds state. pc, priv. memory: by physical address.

    unknown: bits of counters, by the register that holds them, of which neither a read nor initialization told since reset.
    other: what the simulator does not have, by key: f registers, mtime, physical pc, CSRs.
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
        """Counters may hold anything: behind a reset, behind a gap, and behind a mismatch that showed one to be another."""
        self.unknown = dict.fromkeys(COUNTERS.values(), ALL)

    def counter_told(self, address: int) -> None:
        """What a CSR shows of a counter is known from here on."""
        view = self.table.view(address, self.csr)
        if view.of in self.unknown:
            self.unknown[view.of] &= ~(view.mask << view.shift)

    def read(self, key: int) -> int:
        """State by key; KeyError of what nobody told."""
        if GPR_BASE <= key < FPR_BASE:
            return self.x[key - GPR_BASE]
        if key in self.csr:
            return self.csr[key]
        return {PC_KEY: self.pc, PRIV_KEY: self.priv}.get(key) if key in (PC_KEY, PRIV_KEY) else self.other[key]

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

    def tell(self, key: int, value: int) -> int:
        """What a trace says of a register or of additional state; the key that holds it."""
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

    def copy_to(self, simulator: Simulator) -> None:
        """All of it into a simulator; what that does not have is left out."""
        for address, page in self.memory.copy():
            if simulator.read_memory(address, len(page)) != page:
                simulator.write_memory(address, page)
        keys = [GPR_BASE + n for n in range(1, 32)]
        for key, value in [*self.csr.items(), *((key, self.x[key - GPR_BASE]) for key in keys), (PRIV_KEY, self.priv), (PC_KEY, self.pc)]:
            try:
                simulator.write(key, value)
            except KeyError:
                continue
