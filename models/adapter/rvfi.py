# SPDX-License-Identifier: Apache-2.0
"""What a core with RVFI shows of a retire stream: one row for each retirement, and the events of its trap port.

    core = to_rvfi(run, config, rng)

RVFI is that of riscv-formal (docs/rvfi.md there): an instruction that traps is a row with rvfi_trap, an interrupt is
rvfi_intr on the instruction after it, and nothing reports a cause. What the standard leaves to a core is chosen at
random: whether mem_addr is aligned, whether an instruction that could not be fetched has a row, and all values that
mean nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

import numpy as np

from rvtrace.models.adapter.config import Config
from rvtrace.models.adapter.memory import access_of
from rvtrace.models.adapter.run import FETCH_FAULTS, Run
from rvtrace.models.riscv.retired import IType, Kind

COLUMNS = (
    "order", "insn", "trap", "halt", "intr", "mode", "ixl", "rd_addr", "rd_wdata", "pc_rdata", "pc_wdata", "mem_addr",
    "mem_rmask", "mem_wmask", "mem_rdata", "mem_wdata", "virt", "debug", "context", "csr_valid", "csr_addr",
    "csr_wdata", "frd_valid", "frd_addr", "frd_wdata", "fcsr_valid", "fcsr",
)  # fmt: skip
Row = dict[str, "int | list[int]"]
_MSTATUS, _VSSTATUS = 0x300, 0x200


@dataclass
class Event:
    """A trap as the trap port has it. own: the row of its exception, -1 if it has none."""

    interrupt: int
    cause: int
    tval: int
    epc: int
    status: int
    from_: int
    mode: int
    own: int = -1


@dataclass
class Core:
    """rows: of RVFI, in order, by the names of COLUMNS. events: of the trap port; after: how many rows are before the
    trap of each, with the row of its exception.
    """

    rows: list[Row] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    after: list[int] = field(default_factory=list)


def to_rvfi(run: Run, config: Config, rng: Random) -> Core:
    """What the core shows of a run."""
    writer = _Writer(run, config, rng)
    for k in range(len(run.retired)):
        writer.add(k)
    return writer.core


class _Writer:
    def __init__(self, run: Run, config: Config, rng: Random) -> None:
        self.run, self.config, self.rng, self.core = run, config, rng, Core()
        self.retired, self.effects = run.retired, run.effects
        self.mask = (1 << config.xlen) - 1
        self.order = rng.getrandbits(63)
        self.trapped = False  # the next row is the first of a handler
        self.csrs: dict[int, list[tuple[int, int]]] = {}
        for row, address, value in zip(*(column.tolist() for column in run.csr_columns())):
            self.csrs.setdefault(row, []).append((address, value))

    def add(self, k: int) -> None:
        """One element of the retire stream."""
        kind, retired = int(self.retired.kind[k]), self.retired
        if kind == Kind.INSN:
            self._row(k, False)
            self._debug(k)
            return
        exception = kind == Kind.EXCEPTION
        shown = exception and (k not in self.run.without_row)
        if shown:
            self._row(k, True)
        if self.config.trap_port:
            csrs = dict(self.csrs.get(k, ()))
            mode = self.run.priv_after(k)
            status = csrs[_VSSTATUS if mode >= 4 else _MSTATUS]
            event = Event(int(not exception), int(retired.cause[k]), int(retired.tval[k]), int(retired.pc[k]), status,
                          int(retired.priv[k]), mode, len(self.core.rows) - 1 if shown else -1)  # fmt: skip
            self.core.events.append(event)
            self.core.after.append(len(self.core.rows))
        self.trapped = True

    def _row(self, k: int, trap: bool) -> None:
        rng, config, retired = self.rng, self.config, self.retired
        pc, priv = int(retired.pc[k]), int(retired.priv[k])
        insn = self.run.program.insn(pc)
        raw, size = (insn.raw, insn.size) if insn is not None else (rng.getrandbits(32) | 3, 4)
        if trap and int(retired.cause[k]) in FETCH_FAULTS:
            raw = rng.getrandbits(32)  # nobody has fetched it
        row = self._noise(raw, pc, trap)
        row["mode"], row["virt"] = priv & 3, priv >> 2
        row["context"] = int(retired.context[k])
        row["pc_wdata"] = self._pc_wdata(k)
        row["intr"] = int(self.trapped)
        if not trap:
            self._effects(row, k)
        if config.mask_by_insn:
            access = access_of(raw, size, config.xlen)
            everything = (1 << config.xlen // 8) - 1
            if not access.load or trap:
                row["mem_rmask"] = everything
            if not access.store:
                row["mem_wmask"] = everything if rng.random() < 0.5 else 0
        if trap:
            row["mem_addr"] = self.run.trap_address(k)
            row["mem_rmask"] = row["mem_wmask"] = 0
        self.core.rows.append(row)
        self.trapped = False

    def _pc_wdata(self, k: int) -> int:
        """Where a row leads. It may be wrong where nobody checks it, but for branches, whose itype comes from it."""
        run, retired = self.run, self.retired
        itype, checks = int(retired.itype[k]), self.config.check_pc
        free = itype == IType.XRET if checks else itype not in (IType.TAKEN, IType.NOT_TAKEN)
        free = free and checks < 2 and retired.kind[k] == Kind.INSN
        followed = k + 1 < len(retired) and retired.kind[k + 1] == Kind.INSN and k not in run.debug
        if free and followed and self.rng.random() < 0.5:
            return self.rng.getrandbits(self.config.xlen) & self.mask & ~1
        return run.next_pc(k)

    def _noise(self, raw: int, pc: int, trap: bool) -> Row:
        """A row whose values mean nothing but for what every row has."""
        rng, mask, xlen = self.rng, self.mask, self.config.xlen
        self.order += 1
        # An instruction of 16 bits is in the low half; above it is what the core makes of it.
        high = rng.getrandbits(16) << 16 if raw & 3 != 3 and rng.random() < 0.5 else 0
        return {
            "order": self.order, "insn": raw | high, "trap": int(trap), "halt": 0, "intr": 0, "mode": 0,
            "ixl": 1 if xlen == 32 else 2, "rd_addr": 0, "rd_wdata": 0, "pc_rdata": pc, "pc_wdata": 0,
            "mem_addr": rng.getrandbits(xlen) & mask, "mem_rmask": 0, "mem_wmask": 0,
            "mem_rdata": rng.getrandbits(xlen), "mem_wdata": rng.getrandbits(xlen), "virt": 0, "debug": 0, "context": 0,
            "csr_valid": 0, "csr_addr": [rng.getrandbits(12) for _ in range(4)],
            "csr_wdata": [rng.getrandbits(xlen) for _ in range(4)], "frd_valid": 0, "frd_addr": rng.getrandbits(5),
            "frd_wdata": rng.getrandbits(max(self.config.flen, 1)), "fcsr_valid": 0, "fcsr": rng.getrandbits(32),
        }  # fmt: skip

    def _effects(self, row: Row, k: int) -> None:
        effects, rng, xlen = self.effects, self.rng, self.config.xlen
        row["rd_addr"], row["rd_wdata"] = int(effects.rd[k]), int(effects.rd_value[k])
        if size := int(effects.mem_size[k]):
            self._access(row, int(effects.mem_addr[k]), size, int(effects.mem_value[k]), k)
        csrs = self.csrs.get(k, [])
        row["csr_valid"] = (1 << len(csrs)) - 1
        for slot, (address, value) in enumerate(csrs):
            row["csr_addr"][slot], row["csr_wdata"][slot] = address, value  # type: ignore[index]
        if k in self.run.fpr:
            row["frd_valid"], (row["frd_addr"], row["frd_wdata"]) = 1, self.run.fpr[k]
        elif not self.config.flen and rng.random() < 0.1:
            row["frd_valid"] = row["fcsr_valid"] = 1  # a core without f registers: nobody looks
        if k in self.run.fcsr:
            row["fcsr_valid"], row["fcsr"] = 1, self.run.fcsr[k]
        assert xlen >= 8 * size

    def _access(self, row: Row, address: int, size: int, value: int, k: int) -> None:
        """The masks count from mem_addr, which is the address itself or, where it fits, that of the whole word."""
        rng, width = self.rng, self.config.xlen // 8
        offset = address % width
        aligned = offset + size <= width and rng.random() < 0.5
        first = offset if aligned else 0
        row["mem_addr"] = address - first
        bits = (1 << size) - 1 << first
        noise = rng.getrandbits(8 * width)
        whole = ((1 << 8 * size) - 1) << 8 * first
        data = noise & ~whole | (value << 8 * first) & whole
        if self.effects.mem_store[k]:
            row["mem_wmask"], row["mem_wdata"] = bits, data
            if k in self.run.amos:
                row["mem_rmask"] = bits
        else:
            row["mem_rmask"], row["mem_rdata"] = bits, data

    def _debug(self, k: int) -> None:
        """Instructions in Debug Mode after an instruction, from somewhere else. A breakpoint that leads there is shown
        by some cores: an ebreak in the place of the next instruction, which retires when the breakpoint is gone.
        """
        rng, mask = self.rng, self.mask
        visit = self.run.debug.get(k, 0)
        if visit and rng.random() < 0.5:
            at = self.run.next_pc(k)
            row = self._noise(rng.choice((0x0010_0073, 0x9002)), at, False)
            priv = self.run.priv_after(k)
            row["mode"], row["virt"], row["pc_wdata"] = priv & 3, priv >> 2, at
            row["context"] = int(self.retired.context[k])
            self.core.rows.append(row)
        pc = rng.getrandbits(self.config.xlen) & mask & ~3
        for _ in range(visit):
            row = self._noise(rng.getrandbits(32) | 0x13, pc, rng.random() < 0.1)
            row["debug"], row["mode"], row["rd_addr"] = 1, 3, rng.getrandbits(5)
            row["pc_wdata"] = pc = pc + 4 & mask
            row["insn"] = 0x13
            self.core.rows.append(row)


def columns(rows: list[Row]) -> dict[str, np.ndarray]:
    """Rows as arrays."""
    return {name: np.array([row[name] for row in rows], np.uint64) for name in COLUMNS}
