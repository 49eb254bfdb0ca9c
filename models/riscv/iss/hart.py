# SPDX-License-Identifier: Apache-2.0
"""An instruction set simulator: RV32 and RV64 IMAC, Zicsr, Zifencei, modes M, S and U with traps and virtual memory.

    hart = Hart(virt(64))
    hart.memory.write(address, body)
    step = hart.execute()          the next instruction, or the trap instead of it, and all it changed

The effects of instructions are in `rvtrace.models.riscv.iss.table`, the CSRs in `rvtrace.models.riscv.iss.csr`. Every
pc is decoded once into a function; `fence.i`, `sfence.vma`, a new satp and writes to memory that holds decoded
instructions forget them. Nothing happens by itself: time and interrupts are what the user writes (section 3.1 of the
trace specification).
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any, Final, Literal, NamedTuple

from rvtrace.models.riscv.compressed import expand
from rvtrace.models.riscv.iss import translate as vm
from rvtrace.models.riscv.iss.config import HartConfig
from rvtrace.models.riscv.iss.csr import (
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
    CsrTable,
)
from rvtrace.models.riscv.iss.memory import DEVICE, LINE, NOTHING, PAGE, PAGE_SIZE, Memory, ReadOnly
from rvtrace.models.riscv.iss.ops import HART, LOAD, OTHER, PLAIN, STORE, decode, function
from rvtrace.models.riscv.iss.table import Row
from rvtrace.models.riscv.iss.translate import Trap

ILLEGAL, BREAKPOINT, ECALL_U = 2, 3, 8
WRITE, SET, CLEAR = range(3)
_REARRANGE = {MSTATUS, SATP, MCOUNTINHIBIT}
NO_CHANGE: dict[int, int] = {}
_Entry = tuple[Callable[[], int], int, int, int, int, str]  # function, rd, kind, bits, bytes and name


class Wanted(NamedTuple):
    """What `Hart.follow` compares, by number. kind: PLAIN or LOAD of what does nothing else, else -1; -1 after the
    last. paddr, eaddr: of loads.
    """

    kind: list[int]
    pc: list[int]
    insn: list[int]
    next_pc: list[int]
    rd: list[int]
    value: list[int]
    paddr: list[int]
    eaddr: list[int]


class Unchanged(Enum):
    """The reservation before a step that did not touch it. An Enum, so that type checkers tell it from one."""

    UNCHANGED = 0


UNCHANGED: Final = Unchanged.UNCHANGED
NOWHERE = -1
_LOADS = frozenset(("lb", "lh", "lw", "ld", "lbu", "lhu", "lwu"))
ACCESS_CAUSES = frozenset((*vm.MISALIGNED[1:], *vm.ACCESS_FAULT[1:], *vm.PAGE_FAULT[1:]))


class Step:
    """What one `execute` did; one object, filled anew each time.

    pc: where it was. insn: bits of the instruction, size: its bytes; both 0 of an interrupt and of a fetch that failed.
    next_pc, priv: after it. rd, value: x register written (0 none). csrs: registers that hold state, by address, with
    their new value. access: 0 none, 1 load, 2 store; eaddr, paddr, bytes, data: of that access (data: what memory holds
    after a store). trap: None, or (interrupt, cause). device: whether the access was to a device. seen: address of the
    CSR read, "reservation" of an sc; which of them may change by themselves is for the user to know. counted, ticked:
    what it added to minstret and mcycle, by a write as well.
    Of an access that trapped (ACCESS_CAUSES) and of an sc that failed access is 0; eaddr is where it was to be, paddr
    that or NOWHERE if no translation gave it. reserved: the reservation before it, of lr and sc; else UNCHANGED. parts:
    (paddr, bytes) of an access that crosses a page, else empty.
    """

    __slots__ = (
        "pc",
        "insn",
        "size",
        "next_pc",
        "priv",
        "rd",
        "value",
        "csrs",
        "access",
        "eaddr",
        "paddr",
        "bytes",
        "data",
        "trap",
        "device",
        "seen",
        "counted",
        "ticked",
        "reserved",
        "parts",
        "name",
    )
    pc: int
    insn: int
    size: int
    next_pc: int
    priv: int
    rd: int
    value: int
    csrs: dict[int, int]
    access: int
    eaddr: int
    paddr: int
    bytes: int
    data: int
    trap: tuple[int, int] | None
    device: int
    seen: tuple[int | Literal["reservation"], ...]
    counted: int
    ticked: int
    reserved: tuple[int, int] | Unchanged | None
    parts: tuple[tuple[int, int], ...]
    name: str

    def __init__(self) -> None:
        for name in self.__slots__:
            setattr(self, name, 0)
        self.csrs, self.trap, self.seen, self.name, self.parts, self.reserved = NO_CHANGE, None, (), "", (), UNCHANGED

    def copy(self) -> Step:
        """What it says now; the original goes on."""
        out = Step()
        for name in self.__slots__:
            setattr(out, name, getattr(self, name))
        return out


class Hart:
    """One hart and its memory.

    x: 33 numbers, x0 to x31 and one that is never read. pc, priv: 0, 1 or 3. csr: state by address. memory: physical.
    interrupt: cause of the interrupt that devices present to the next `execute`, -1 none. reservation: (address, bytes)
    or None.
    """

    config: HartConfig
    table: CsrTable
    csr: dict[int, int]
    step: Step
    pc: int
    priv: int
    _cycles: int
    _instructions: int

    def __init__(self, config: HartConfig) -> None:
        self.config = config
        self.table = CsrTable(config)
        self.memory = Memory(config.ram, config.devices)
        self.memory.on_code = self.forget
        self.x = [0] * 33
        self.step = Step()
        self._codes: dict[tuple[int, int], dict[int, _Entry]] = {}
        self._code: dict[int, _Entry] = {}
        self._tlb: dict[tuple[int, int], int] = {}
        self._functions: dict[str, Any] = {name: getattr(self, name) for name in HART}
        self.reset()

    def reset(self) -> None:
        """The hart's state after reset (3.4); memory and x registers stay as they are."""
        self.csr = dict(self.table.reset)
        self.pc, self.priv = self.config.reset_pc, 3
        self.interrupt, self.reservation = -1, None
        self.forget()

    def forget(self) -> None:
        """Everything that was decoded or translated is looked up anew."""
        self._codes.clear()
        self._tlb.clear()
        self.memory.code.clear()
        self.arrange()

    def forget_translations(self) -> None:
        """Page tables are walked anew."""
        self._tlb.clear()
        if len(self._codes) > 1:
            self.forget()

    def set_priv(self, priv: int) -> None:
        """Go on at another privilege: 0, 1 or 3."""
        self.priv = priv
        self.arrange()

    def arrange(self) -> None:
        """Take over privilege, mstatus, satp and mcountinhibit: which code is in force, how addresses are translated,
        what counts.
        """
        status, satp, inhibit = self.csr[MSTATUS], self.csr.get(SATP, 0), self.csr[MCOUNTINHIBIT]
        self._cycles, self._instructions = 1 & ~inhibit, 1 & ~(inhibit >> 2)
        self._code = self._codes.setdefault((self.priv, satp if self.priv < 3 else 0), {})
        self._data_priv = status >> 11 & 3 if status & ST_MPRV else self.priv
        self._virtual = satp >> (31 if self.config.xlen == 32 else 60) in self.config.paging
        self._paged = self._data_priv < 3 and self._virtual

    # --- one instruction

    def execute(self) -> Step:
        """Take the interrupt that is presented, if it is enabled, or else try to execute one instruction."""
        step, pc = self.step, self.pc
        step.pc, step.trap, step.csrs, step.rd, step.access, step.seen, step.device = pc, None, NO_CHANGE, 0, 0, (), 0
        step.counted = step.ticked = 0
        step.reserved, step.parts = UNCHANGED, ()
        if self.interrupt >= 0 and self.taken(self.interrupt):
            step.insn = step.size = 0
            self.enter(1, self.interrupt, pc, 0)
            return step
        try:
            entry = self._code.get(pc)
            if entry is None:
                step.insn = step.size = 0
                entry = self._fetch(pc)
            run, rd, kind, step.insn, step.size, step.name = entry
            self.pc = step.next_pc = run()
        except Trap as trap:
            step.rd = step.access = 0
            if trap.cause in vm.MISALIGNED[1:]:
                step.eaddr, step.paddr = trap.tval, NOWHERE if self._paged else trap.tval
            self.enter(0, trap.cause, pc, trap.tval)
            return step
        if rd:
            step.rd, step.value = rd, self.x[rd]
        if kind and kind != OTHER:
            step.access = kind
        step.priv = self.priv
        csr = self.csr
        csr[MCYCLE] += self._cycles
        csr[MINSTRET] += self._instructions
        step.ticked += self._cycles
        step.counted += self._instructions
        return step

    def follow(self, wanted: Wanted, k: int, x: list[int]) -> int:
        """Execute instructions from number k on that compute or load, as long as each is the one wanted, with the
        result wanted; the first that is not, which was not executed. x: gets the results, too.
        """
        kinds, pcs, insns, nexts, rds, values, paddrs, eaddrs = wanted
        if self.interrupt >= 0:
            return k
        code, mine, step, pc, first = self._code, self.x, self.step, self.pc, k
        while kinds[k] >= 0 and pcs[k] == pc:
            entry = code.get(pc)
            if entry is None or entry[2] != kinds[k] or entry[3] != insns[k]:
                break
            rd = entry[1]
            if rd != rds[k] or (entry[2] and entry[5] not in _LOADS):
                break
            before = mine[rd]
            try:
                to = entry[0]()
            except Trap:
                mine[rd] = before
                break
            if to != nexts[k] or (entry[2] and (step.paddr != paddrs[k] or step.eaddr != eaddrs[k])):
                mine[rd] = before
                break
            if rd:
                if mine[rd] != values[k]:
                    mine[rd] = before
                    break
                x[rd] = values[k]
            pc = to
            k += 1
        self.pc = pc
        self.csr[MCYCLE] += self._cycles * (k - first)
        self.csr[MINSTRET] += self._instructions * (k - first)
        return k

    def _fetch(self, pc: int) -> _Entry:
        """Decode the instruction at pc; Trap if it cannot be fetched."""
        priv, raw, size = self.priv, 0, 0
        paged = priv < 3 and self._virtual
        while size < 4:
            address = pc + size & self.config.mask
            place = self.translate(address, vm.FETCH, priv) if paged else address
            if self.memory.what(place, 2):
                raise Trap(vm.ACCESS_FAULT[vm.FETCH], address)
            self.memory.code.add(place >> LINE)
            raw |= self.memory.load(place, 2) << 8 * size
            size += 2
            if raw & 3 != 3 and self.config.compressed:
                break
        entry = self._code[pc] = self._decode(raw, size, pc)
        return entry

    def _decode(self, raw: int, size: int, pc: int) -> _Entry:
        config = self.config
        full = expand(raw, config.xlen) if size == 2 else raw
        if full is None or (row := decode(full, config.xlen, config.extensions)) is None:
            return self._illegal(raw), 0, OTHER, raw, size, "illegal instruction"
        run, rd = function(row, full, pc, size, config.xlen, self.x, self._functions)
        if row.kind == OTHER and row.format == "C":
            run = self._bits_for_tval(run, raw)
        elif not config.compressed and row.key[0] in (0x63, 0x67, 0x6F):
            run = self._aligned(run, rd)
        elif row.kind == OTHER and row.key[0] == 0x73:
            run = self._bits_for_tval(run, raw)
        return run, rd, row.kind, raw, size, row.name

    def _illegal(self, raw: int) -> Any:
        tval = raw if self.config.tval_illegal else 0

        def refuse() -> int:
            raise Trap(2, tval)

        return refuse

    def _bits_for_tval(self, run: Any, raw: int) -> Any:
        """The same function; an illegal instruction exception gets the instruction's bits."""
        tval = raw if self.config.tval_illegal else 0

        def checked() -> int:
            try:
                return run()
            except Trap as trap:
                if trap.cause == 2:
                    trap.tval = tval
                raise

        return checked

    def _aligned(self, run: Any, rd: int) -> Any:
        """The same jump; a target that is not a multiple of 4 is an exception of a hart without C."""
        x = self.x

        def checked() -> int:
            old = x[rd or 32]
            to = run()
            if to & 3:
                x[rd or 32] = old
                raise Trap(vm.MISALIGNED[vm.FETCH], to)
            return to

        return checked

    # --- memory

    def translate(self, address: int, access: int, priv: int) -> int:
        """Physical address of a virtual one; Trap if there is none. Translations are kept until `sfence.vma`."""
        key = (address >> PAGE, access | priv << 2)
        frame = self._tlb.get(key)
        if frame is None:
            place = vm.walk(self.memory, self.config, self.csr[SATP], self.csr[MSTATUS], priv, address, access)
            frame = self._tlb[key] = place >> PAGE
        return frame << PAGE | address & PAGE_SIZE - 1

    def place_of_pc(self) -> int | None:
        """Physical address of the present pc, None if it has none; nothing changes, neither memory nor the translations
        that are kept.
        """
        if self.priv == 3 or not self._virtual:
            return self.pc
        frame = self._tlb.get((self.pc >> PAGE, vm.FETCH | self.priv << 2))
        if frame is not None:
            return frame << PAGE | self.pc & PAGE_SIZE - 1
        try:
            return vm.walk(
                ReadOnly(self.memory), self.config, self.csr[SATP], self.csr[MSTATUS], self.priv, self.pc, vm.FETCH
            )
        except Trap:
            return None

    def _place(self, address: int, size: int, access: int) -> int:
        """Physical address of a data access that stays in its page, checked; notes what the step accesses."""
        step, place = self.step, address
        step.eaddr = address
        if self._paged:
            step.paddr = NOWHERE
            place = self.translate(address, access, self._data_priv)
        step.paddr, step.bytes = place, size
        what = self.memory.what(place, size)
        if what == NOTHING:
            raise Trap(vm.ACCESS_FAULT[access], address)
        step.device = what == DEVICE
        return place

    def load(self, address: int, size: int) -> int:
        """A load, as a number without sign."""
        if address % size:
            self._misaligned(address, vm.LOAD)
            if (address & PAGE_SIZE - 1) + size > PAGE_SIZE:
                return self._load_split(address, size)
        place = self._place(address, size, vm.LOAD)
        page = self.memory.pages.get(place >> PAGE)
        if page is None:
            return 0
        offset = place & PAGE_SIZE - 1
        return int.from_bytes(page[offset : offset + size], "little")

    def store(self, address: int, size: int, value: int) -> None:
        """A store."""
        if address % size:
            self._misaligned(address, vm.STORE)
            if (address & PAGE_SIZE - 1) + size > PAGE_SIZE:
                self._store_split(address, size, value)
                return
        place = self._place(address, size, vm.STORE)
        self._put(place, size, value)

    def _put(self, place: int, size: int, value: int) -> None:
        self.step.data = value
        number, offset = place >> PAGE, place & PAGE_SIZE - 1
        memory = self.memory
        page = memory.pages.get(number)
        if page is None:
            page = memory.page(number)
        page[offset : offset + size] = value.to_bytes(size, "little")
        if place >> LINE in memory.code or (place + size - 1) >> LINE in memory.code:
            self.forget()

    def _misaligned(self, address: int, access: int) -> None:
        if not self.config.misaligned:
            raise Trap(vm.MISALIGNED[access], address)

    def _split(self, address: int, size: int, access: int) -> list[tuple[int, int]]:
        """(physical address, bytes) of the two parts of an access that crosses a page."""
        first = PAGE_SIZE - (address & PAGE_SIZE - 1)
        try:
            second = self._place(address + first & self.config.mask, size - first, access)
        except Trap:  # mtval gets the address of that part; the access is still that of the whole
            self.step.eaddr, self.step.paddr = address, NOWHERE if self._paged else address
            raise
        parts = [(self._place(address, first, access), first), (second, size - first)]
        self.step.bytes, self.step.parts = size, tuple(parts)
        return parts

    def _load_split(self, address: int, size: int) -> int:
        data = b"".join(self.memory.read(place, count) for place, count in self._split(address, size, vm.LOAD))
        return int.from_bytes(data, "little")

    def _store_split(self, address: int, size: int, value: int) -> None:
        data, at = value.to_bytes(size, "little"), 0
        for place, count in self._split(address, size, vm.STORE):
            self.memory.write(place, data[at : at + count])
            at += count
        self.step.data = value

    def amo(self, address: int, size: int, operand: int, combine: Any) -> int:
        """An AMO: the old value; `combine` makes the new one of it and the operand."""
        if address % size:
            raise Trap(vm.MISALIGNED[vm.STORE], address)
        place = self._place(address, size, vm.STORE)
        old = self.memory.load(place, size)
        self._put(place, size, combine(old, operand))
        return old

    def load_reserved(self, address: int, size: int) -> int:
        """LR: a load that reserves its bytes."""
        if address % size:
            raise Trap(vm.MISALIGNED[vm.LOAD], address)
        place = self._place(address, size, vm.LOAD)
        self.step.reserved, self.reservation = self.reservation, (place, size)
        self.step.access = LOAD
        return self.memory.load(place, size)

    def store_conditional(self, address: int, size: int, value: int) -> int:
        """SC: 0 if the reservation holds, else 1 and no store."""
        if address % size:
            raise Trap(vm.MISALIGNED[vm.STORE], address)
        place = self._place(address, size, vm.STORE)
        step = self.step
        step.reserved, self.reservation = self.reservation, None
        step.seen = ("reservation",)
        if step.reserved != (place, size):
            return 1
        self._put(place, size, value)
        step.access = STORE
        return 0

    # CSR accesses, traps and returns (privileged manual, 2.1, 3.1.6 to 3.1.16, 3.3, 4.1)

    # --- CSRs

    def read_csr(self, address: int) -> int:
        """What a CSR shows, whatever privilege there is; KeyError if it does not exist."""
        view = self.table.view(address, self.csr)
        return (self.csr[view.of] >> view.shift) & view.mask & self.config.mask

    def write_csr(self, address: int, value: int) -> int:
        """Write a CSR whatever privilege there is; the register that holds the state."""
        view = self.table.view(address, self.csr)
        old = self.csr[view.of]
        new = self.table.legal(
            view.of, old, old & ~(view.writable << view.shift) | (value & view.writable) << view.shift
        )
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
        """csrrw, csrrs, csrrc and their immediate forms. a: number of rs1 or immediate, d: of rd (32 for x0); the value
        before.
        """
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


__all__ = ["Hart", "LOAD", "NO_CHANGE", "PLAIN", "Row", "STORE", "Step", "UNCHANGED"]
