# SPDX-License-Identifier: Apache-2.0
"""Records what the programs do when they run: unicorn for those without traps, QEMU for `traps`.

Either leaves a log: for each instruction about to execute its pc, privilege and registers, and for each trap
its cause. From it come the rows and their effects. CSR values are worked out from the instructions and from
the rules of trap entry and xRET (RISC-V privileged manual, 3.1.6, 3.3.2, 4.1), and what QEMU dumps must
agree; loads must read what was stored before. So a wrong log or a wrong reading of it stops the recording.
"""

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from rvtrace.models.riscv import isa
from rvtrace.models.riscv.operands import NO_CSR, Operands, operands
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Effects, Kind, Priv, Retired
from tests.common.there import there

RAM, RAM_SIZE = 0x80000000, 0x02000000
LIMIT = 300_000  # instructions; our programs end long before
CSRS = {
    "mstatus": 0x300, "medeleg": 0x302, "mideleg": 0x303, "mie": 0x304, "mtvec": 0x305,
    "mscratch": 0x340, "mepc": 0x341, "mcause": 0x342, "mtval": 0x343, "mip": 0x344, "stvec": 0x105,
    "sscratch": 0x140, "sepc": 0x141, "scause": 0x142, "stval": 0x143, "satp": 0x180,
}  # fmt: skip
MSTATUS, MIDELEG, MEDELEG, MIP, SATP = 0x300, 0x303, 0x302, 0x344, 0x180
TRAP = re.compile(r"async:(\d), cause:(\w+), epc:(\w+), tval:(\w+)")
ASID = {32: (22, 0x1FF), 64: (44, 0xFFFF)}  # lowest bit and mask in satp
MIE, MPIE, MPP, SIE, SPIE, SPP = 3, 7, 11, 1, 5, 8  # bits of mstatus


class RecordError(RuntimeError):
    """The run went another way than the recorder can explain."""


@dataclass
class Step:
    """The state before an instruction: registers x0..x31 and, from QEMU, CSRs by address."""

    pc: int
    priv: int
    x: tuple[int, ...]
    csrs: dict[int, int] | None = None


@dataclass
class Trap:
    """A trap taken, as QEMU reports it."""

    interrupt: int
    cause: int
    epc: int
    tval: int


def unicorn_log(program: Program) -> Iterator[Step]:
    """States from reset to `halt`, all in machine mode."""
    import unicorn
    from unicorn import riscv_const
    from unicorn.unicorn import Uc

    machine = Uc(unicorn.UC_ARCH_RISCV, unicorn.UC_MODE_RISCV64 if program.xlen == 64 else unicorn.UC_MODE_RISCV32)
    machine.mem_map(RAM, RAM_SIZE)
    for base, body in (*program.segments, *program.data):
        machine.mem_write(base, body)
    numbers = [getattr(riscv_const, f"UC_RISCV_REG_X{n}") for n in range(32)]
    log: list[Step] = []
    machine.hook_add(
        unicorn.UC_HOOK_CODE,
        lambda uc, pc, _size, _: log.append(Step(pc, int(Priv.M), uc.reg_read_batch(numbers))),
    )
    halt = program.symbols["halt"]
    machine.emu_start(program.entry, halt, count=LIMIT)
    if machine.reg_read(riscv_const.UC_RISCV_REG_PC) != halt:
        raise RecordError(f"the program did not reach `halt` within {LIMIT} instructions; make it shorter")
    yield from log
    yield Step(halt, int(Priv.M), machine.reg_read_batch(numbers))


def qemu_log(elf: Path, program: Program) -> Iterator[Step | Trap]:
    """States and traps from `_start` to `halt` on QEMU's `virt` machine.

    One instruction per translation block, time counted in instructions: the same run every time. QEMU
    announces an instruction before it executes; the announcement is void if it says that it stopped or
    rewound, or if the instruction traps.
    """
    command = [
        f"qemu-system-riscv{program.xlen}", "-machine", "virt", "-cpu", f"rv{program.xlen},h=off,f=off,d=off",
        "-bios", "none", "-kernel", str(elf), "-display", "none", "-serial", "none", "-monitor", "none",
        "-icount", "shift=0,sleep=off", "-singlestep", "-accel", "tcg,thread=single",
        "-d", "exec,nochain,int,cpu",
    ]  # fmt: skip
    halt, running = program.symbols["halt"], False
    pending: Step | None = None
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True) as qemu:
        announced = 0
        for line in there(qemu.stderr):
            if line.startswith("Trace"):
                announced += 1
                if announced > LIMIT:
                    break
                if pending:
                    yield pending
                pc, flags = (int(part, 16) for part in line.split("/")[1:3])
                running = running or pc == program.entry
                pending = Step(pc, flags & 3, (), {}) if running else None
            elif not running:
                continue
            elif line.startswith(("Stopped", "cpu_io_recompile")):
                pending = None
            elif line.startswith("riscv_cpu_do_interrupt"):
                trap = Trap(*(int(value, 16) for value in there(TRAP.search(line)).groups()))
                # fetch faults and interrupts come when the instruction before is done
                if pending and (trap.interrupt or pending.pc != trap.epc):
                    yield pending
                pending = None
                yield trap
            elif line.startswith(" x"):
                values = line.split()[1::2]
                pending = there(pending)
                pending.x += tuple(int(v, 16) for v in values)
                if len(pending.x) == 32 and pending.pc == halt:
                    yield pending
                    break
            else:
                name, value = line.split()[0], line.split()[-1]
                if name in CSRS:
                    there(there(pending).csrs)[CSRS[name]] = int(value, 16)
        qemu.kill()
    if not pending or pending.pc != halt:
        raise RecordError(f"{elf} did not reach `halt` within {LIMIT} instructions on QEMU; make it shorter")


def _bit(value: int, at: int) -> int:
    return value >> at & 1


def _amo(name: str, old: int, operand: int, bits: int) -> int:
    """What an amo writes (unprivileged manual, "Zaamo")."""
    sign = 1 << (bits - 1)
    pair = (old, operand)
    return {
        "amoswap": lambda: operand, "amoadd": lambda: old + operand, "amoxor": lambda: old ^ operand,
        "amoand": lambda: old & operand, "amoor": lambda: old | operand,
        "amominu": lambda: min(pair), "amomaxu": lambda: max(pair),
        "amomin": lambda: min(pair, key=lambda v: v ^ sign),
        "amomax": lambda: max(pair, key=lambda v: v ^ sign),
    }[name]() & ((1 << bits) - 1)  # fmt: skip


@dataclass
class Recorder:
    """Follows a log, and keeps the rows, their effects, and the memory and CSRs as they should be."""

    program: Program
    rows: list[tuple] = field(default_factory=list)  # kind, pc, size, itype, taken, cause, tval, priv, context
    effects: list[tuple] = field(default_factory=list)  # rd, rd_value, mem_addr, mem_size, mem_store, mem_value
    csr_writes: list[tuple] = field(default_factory=list)  # row, csr, value
    memory: dict[int, int] = field(default_factory=dict)
    csrs: dict[int, int] = field(default_factory=dict)
    priv: int = int(Priv.M)

    def __post_init__(self) -> None:
        for base, body in (*self.program.segments, *self.program.data):
            self.memory.update(enumerate(body, base))

    def follow(self, log: Iterator[Step | Trap]) -> tuple[Retired, np.ndarray]:
        """The rows of a log, which ends with the step at `halt`, not a row; and the registers before them."""
        items = list(log)
        first, *later = [item for item in items if isinstance(item, Step)]
        self.csrs = dict(first.csrs or {})
        steps = iter(later)
        for item, following in zip(items, items[1:]):
            if isinstance(item, Trap):
                self.trap(item)
            else:
                self.check(item)
                self.step(item, next(steps), following.pc if isinstance(following, Step) else following.epc)
        self.check(later[-1])
        retired = Retired.from_rows(self.rows)
        columns, writes = zip(*self.effects), list(zip(*self.csr_writes)) or [(), (), ()]
        types = (np.uint8, np.uint64, np.uint64, np.uint8, np.uint8, np.uint64, np.int64, np.uint16, np.uint64)
        retired.effects = Effects(*(np.array(c, dtype=t) for c, t in zip((*columns, *writes), types)))
        return retired, np.array(first.x, dtype=np.uint64)

    def load(self, address: int, size: int) -> int:
        """Memory as the program and the stores so far left it."""
        return sum(self.memory.get(address + i, 0) << 8 * i for i in range(size))

    def context(self) -> int:
        """The address space identifier in satp."""
        low, mask = ASID[self.program.xlen]
        return self.csrs.get(SATP, 0) >> low & mask

    def check(self, step: Step) -> None:
        """The state that the emulator shows is the one worked out; mip also changes by itself."""
        if step.priv != self.priv:
            raise RecordError(f"privilege {step.priv} at {step.pc:#x}, expected {self.priv}")
        for csr, value in (step.csrs or {}).items():
            if csr == MIP:
                self.csrs[csr] = value
            elif self.csrs[csr] != value:
                raise RecordError(f"CSR {csr:#x} is {value:#x} at {step.pc:#x}, expected {self.csrs[csr]:#x}")

    def step(self, step: Step, after: Step, next_pc: int) -> None:
        """One retired instruction; `after`: the next state shown, `next_pc`: of the next row."""
        insn = there(self.program.insn(step.pc))
        o = operands(insn.raw, insn.size, self.program.xlen)
        changed = [n for n in range(32) if step.x[n] != after.x[n]]
        if changed not in ([], [o.rd]):
            raise RecordError(f"at {step.pc:#x} registers {changed} changed, expected {o.rd}")
        taken = int(next_pc == insn.target) if insn.flow == isa.Flow.BRANCH else -1
        itype = int(isa.itype(insn, "v1_0", taken == 1))
        row = (int(Kind.INSN), step.pc, insn.size, itype, taken, 0, 0, step.priv, self.context())
        value = after.x[o.rd] if o.rd else 0
        access = (0, 0, 0, 0)
        if o.size and not (o.atomic == "sc" and value):
            access = self.access(step, o, value)
        if o.csr != NO_CSR:
            self.write_csr(step, after, o, insn.raw)
        elif insn.name in ("mret", "sret"):
            self.leave_trap(insn.name)
        self.rows.append(row)
        self.effects.append((o.rd, value, *access))

    def access(self, step: Step, o: Operands, loaded: int) -> tuple[int, int, int, int]:
        """mem_addr, mem_size, mem_store, mem_value; a load from RAM must give what memory holds."""
        address, mask = step.x[o.rs1] + o.imm & (1 << self.program.xlen) - 1, (1 << 8 * o.size) - 1
        old, value = self.load(address, o.size), step.x[o.rs2] & mask
        reads = not o.store or o.atomic[:3] == "amo"
        if reads and o.rd and address >= RAM and loaded & mask != old:
            raise RecordError(f"at {step.pc:#x} {loaded & mask:#x} was loaded from {address:#x}, which holds {old:#x}")
        if o.atomic[:3] == "amo":
            value = _amo(o.atomic, old, value, 8 * o.size)
        if not o.store:
            return address, o.size, 0, loaded & mask
        self.memory.update((address + i, value >> 8 * i & 255) for i in range(o.size))
        return address, o.size, 1, value

    def set_csr(self, csr: int, value: int) -> None:
        """A CSR write of the row that comes next."""
        self.csrs[csr] = value
        self.csr_writes.append((len(self.rows), csr, value))

    def write_csr(self, step: Step, after: Step, o: Operands, raw: int) -> None:
        """A CSR instruction. sstatus, sie and sip are views of the machine's; others keep what is written."""
        view = {0x100: (MSTATUS, 0xC0122 | 0x3 << 32), 0x104: (0x304, self.csrs.get(MIDELEG, 0)),
                0x144: (MIP, self.csrs.get(MIDELEG, 0))}  # fmt: skip
        csr, mask = view.get(o.csr, (o.csr, (1 << self.program.xlen) - 1))
        funct3, source, old = raw >> 12 & 7, step.x[o.rs1], self.csrs.get(csr, 0)
        source = raw >> 15 & 31 if funct3 & 4 else source
        new = {1: source, 2: old | source, 3: old & ~source}[funct3 & 3] & mask | old & ~mask
        if csr == MIP:
            new = there(after.csrs)[MIP]  # devices set the other bits
        self.csrs[csr] = new
        self.csr_writes.append((len(self.rows), o.csr, new & mask))

    def leave_trap(self, name: str) -> None:
        """mret or sret (privileged manual, 3.3.2)."""
        status = self.csrs[MSTATUS]
        enable, previous, mode, width = (MIE, MPIE, MPP, 3) if name == "mret" else (SIE, SPIE, SPP, 1)
        self.priv = status >> mode & width
        status = status & ~(1 << enable | width << mode) | _bit(status, previous) << enable | 1 << previous
        self.set_csr(MSTATUS, status)

    def trap(self, trap: Trap) -> None:
        """Trap entry (privileged manual, 3.1.6.1, 3.1.8, 3.1.14 to 3.1.16, 4.1)."""
        kind = Kind.INTERRUPT if trap.interrupt else Kind.EXCEPTION
        delegation, status = self.csrs[MIDELEG if trap.interrupt else MEDELEG], self.csrs[MSTATUS]
        row = (int(kind), trap.epc, 0, int(kind), -1, trap.cause, trap.tval, self.priv, self.context())
        to_s = self.priv < Priv.M and _bit(delegation, trap.cause)
        enable, previous, mode, width, epc = (SIE, SPIE, SPP, 1, 0x141) if to_s else (MIE, MPIE, MPP, 3, 0x341)
        cleared = status & ~(1 << enable | 1 << previous | width << mode)
        self.set_csr(MSTATUS, cleared | _bit(status, enable) << previous | self.priv << mode)
        self.set_csr(epc, trap.epc)
        self.set_csr(epc + 1, trap.cause | trap.interrupt << self.program.xlen - 1)
        self.set_csr(epc + 2, trap.tval)
        self.priv = int(Priv.S if to_s else Priv.M)
        self.rows.append(row)
        self.effects.append((0, 0, 0, 0, 0, 0))
