"""CSR accesses, traps and returns of the instruction set simulator (privileged manual, 2.1, 3.1.6 to 3.1.16, 3.3, 4.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from models.riscv.iss_csr import (
    CYCLE,
    MCAUSE,
    MCOUNTEREN,
    MCOUNTINHIBIT,
    MCYCLE,
    MEDELEG,
    MEPC,
    MIDELEG,
    MIE,
    MINSTRET,
    MSTATUS,
    MTVAL,
    MTVEC,
    SATP,
    SCAUSE,
    SCOUNTEREN,
    SEPC,
    ST_MIE,
    ST_MPIE,
    ST_MPP,
    ST_MPRV,
    ST_SIE,
    ST_SPIE,
    ST_SPP,
    ST_TSR,
    ST_TVM,
    ST_TW,
    STVAL,
    STVEC,
)  # fmt: skip
from models.riscv.iss_translate import Trap

if TYPE_CHECKING:
    from models.riscv.iss import Step
    from models.riscv.iss_config import HartConfig
    from models.riscv.iss_csr import CsrTable

ILLEGAL, BREAKPOINT, ECALL_U = 2, 3, 8
WRITE, SET, CLEAR = range(3)
_REARRANGE = {MSTATUS, SATP, MCOUNTINHIBIT}


class Privileged:
    """The privileged half of a `Hart`."""

    config: HartConfig
    table: CsrTable
    csr: dict[int, int]
    step: Step
    pc: int
    priv: int
    _cycles: int
    _instructions: int

    # --- CSRs

    def read_csr(self, address: int) -> int:
        """What a CSR shows, whatever privilege there is; KeyError if it does not exist."""
        view = self.table.view(address, self.csr)
        return (self.csr[view.of] >> view.shift) & view.mask & self.config.mask

    def write_csr(self, address: int, value: int) -> int:
        """Write a CSR whatever privilege there is; the register that holds the state."""
        view = self.table.view(address, self.csr)
        old = self.csr[view.of]
        new = self.table.legal(view.of, old, old & ~(view.writable << view.shift) | (value & view.writable) << view.shift)
        self.csr[view.of] = new
        if view.of in _REARRANGE:
            self._rearrange(view.of, old != new)
        return view.of

    def set_csr(self, address: int, value: int) -> None:
        """Make a CSR show a value, read-only bits included, legal or not; KeyError if it does not exist."""
        of, new = self.table.told(address, value, self.csr)
        changed, self.csr[of] = self.csr[of] != new, new
        if of in _REARRANGE:
            self._rearrange(of, changed)

    def _rearrange(self, address: int, changed: bool) -> None:
        if changed or address == SATP:
            self._tlb.clear()
            self.arrange()

    def csr_access(self, op: int, address: int, source: int, a: int, d: int) -> int:
        """csrrw, csrrs, csrrc and their immediate forms. a: number of rs1 or immediate, d: of rd (32 for x0); the value before."""
        writes = op == WRITE or a != 0
        if address not in self.table.names or address >> 8 & 3 > self.priv or (writes and address >> 10 == 3):
            raise Trap(ILLEGAL)
        if address == SATP and self.priv == 1 and self.csr[MSTATUS] & ST_TVM:
            raise Trap(ILLEGAL)
        if CYCLE <= address < 0xCA0:
            self._counter_enabled(address & 31)
        view = self.table.view(address, self.csr)
        old = self.read_csr(address)
        if d != 32 or (op and writes):
            self.step.seen = (address,)
        if writes:
            self._csr_write(address, view.of, {WRITE: source, SET: old | source, CLEAR: old & ~source}[op])
        return old

    def _csr_write(self, address: int, of: int, value: int) -> None:
        old = self.csr[of]
        self.write_csr(address, value)
        step = self.step
        step.csrs = {of: self.csr[of]}
        if of == MCYCLE:  # the write takes the place of the increment, if there is one (3.1.10)
            self.csr[of] -= self._cycles
            step.ticked = self.csr[of] - old
        elif of == MINSTRET:
            self.csr[of] -= self._instructions
            step.counted = self.csr[of] - old

    def _counter_enabled(self, n: int) -> None:
        if (self.priv < 3 and not self.csr[MCOUNTEREN] >> n & 1) or (
            self.priv == 0 and "s" in self.config.modes and not self.csr[SCOUNTEREN] >> n & 1
        ):
            raise Trap(ILLEGAL)

    # --- traps

    def taken(self, cause: int) -> bool:
        """Whether an interrupt that is pending would be taken now (3.1.9, 4.1.3)."""
        csr, status = self.csr, self.csr[MSTATUS]
        if not csr[MIE] >> cause & 1:
            return False
        if csr.get(MIDELEG, 0) >> cause & 1:
            return self.priv == 0 or (self.priv == 1 and bool(status & ST_SIE))
        return self.priv < 3 or bool(status & ST_MIE)

    def enter(self, interrupt: int, cause: int, pc: int, tval: int) -> None:
        """Trap entry; fills `step` and moves pc and privilege."""
        csr, step, before = self.csr, self.step, self.priv
        status = csr[MSTATUS]
        delegated = before < 3 and csr.get(MIDELEG if interrupt else MEDELEG, 0) >> cause & 1
        if delegated:
            epc, number, value, vector, self.priv = SEPC, SCAUSE, STVAL, csr[STVEC], 1
            status = status & ~(ST_SPP | ST_SPIE | ST_SIE) | before << 8 | (ST_SPIE if status & ST_SIE else 0)
        else:
            epc, number, value, vector, self.priv = MEPC, MCAUSE, MTVAL, csr[MTVEC], 3
            status = status & ~(ST_MPP | ST_MPIE | ST_MIE) | before << 11 | (ST_MPIE if status & ST_MIE else 0)
        csr[epc], csr[number], csr[value] = pc, cause | interrupt << self.config.xlen - 1, tval
        changed = csr[MSTATUS] != status
        csr[MSTATUS] = status
        step.csrs = {MSTATUS: status, epc: pc, number: csr[number], value: tval}
        self.pc = step.next_pc = (vector & ~3) + (4 * cause if interrupt and vector & 1 else 0) & self.config.mask
        step.priv, step.trap = self.priv, (interrupt, cause)
        if changed or before != self.priv:
            self._rearrange(MSTATUS, changed or before != self.priv)
        csr[MCYCLE] += self._cycles
        step.ticked = self._cycles

    def ecall(self) -> None:
        """Environment call."""
        raise Trap(ECALL_U + self.priv)

    def ebreak(self, _after: int) -> None:
        """Breakpoint."""
        raise Trap(BREAKPOINT, self.pc if self.config.tval_breakpoint else 0)

    def mret(self) -> int:
        """Return from machine mode (3.3.2)."""
        if self.priv < 3:
            raise Trap(ILLEGAL)
        status = self.csr[MSTATUS]
        to = status >> 11 & 3
        status = status & ~(ST_MIE | ST_MPP) | (ST_MIE if status & ST_MPIE else 0) | ST_MPIE
        return self._return(status, to, MEPC)

    def sret(self) -> int:
        """Return from supervisor mode (3.3.2)."""
        status = self.csr[MSTATUS]
        if self.priv == 0 or "s" not in self.config.modes or (self.priv == 1 and status & ST_TSR):
            raise Trap(ILLEGAL)
        to = status >> 8 & 1
        status = status & ~(ST_SIE | ST_SPP) | (ST_SIE if status & ST_SPIE else 0) | ST_SPIE
        return self._return(status, to, SEPC)

    def _return(self, status: int, to: int, epc: int) -> int:
        if to < 3:
            status &= ~ST_MPRV
        least = 0 if "u" in self.config.modes else 3  # MPP becomes the least mode there is
        status |= least << 11 if epc == MEPC else 0
        self.csr[MSTATUS], self.priv = status, to
        self.step.csrs = {MSTATUS: status}
        self._rearrange(MSTATUS, True)
        return self.csr[epc]

    def wfi(self) -> None:
        """Wait for interrupt: nothing here; illegal below M-mode with TW, and in U-mode by choice (3.3.3)."""
        status = self.csr[MSTATUS]
        if (self.priv < 3 and status & ST_TW) or (self.priv == 0 and not self.config.wfi_u):
            raise Trap(ILLEGAL)

    def fence_i(self) -> None:
        """Instructions are fetched anew."""
        self.forget()

    def sfence_vma(self) -> None:
        """Translations are made anew (4.2.1)."""
        if self.priv == 0 or "s" not in self.config.modes or (self.priv == 1 and self.csr[MSTATUS] & ST_TVM):
            raise Trap(ILLEGAL)
        self.forget()

