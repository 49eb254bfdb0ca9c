# SPDX-License-Identifier: Apache-2.0
"""A run of a core, as it was: what it retired with the effects of each instruction, and when it was in Debug Mode.

    run = walked(Config(), Random("1:walk"), 2000)

A walk computes nothing: what its instructions write and access is made up, and a trap writes its CSRs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

import numpy as np

from rvtrace.models.adapter.config import Config
from rvtrace.models.adapter.memory import access_of, derived_cause
from rvtrace.models.adapter.season import seasoned
from rvtrace.models.riscv.generate import generate
from rvtrace.models.riscv.operands import NONE, operands
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.random_walk import random_walk
from rvtrace.models.riscv.retired import Effects, IType, Kind, Priv, Retired
from rvtrace.models.riscv.walk_probabilities import WalkProbabilities

FETCH_FAULTS = (1, 12, 20)  # access fault, page fault, guest-page fault: there is no instruction
_QUIET = dict.fromkeys(("trace", "debug", "reset", "sleep", "notify", "ext_notify", "vendor", "custom", "toggle"), 0.0)
_TRAPS = {"trap": 0.04, "trap_at_target": 0.05, "back_to_back": 0.3, "switch": 0.3}
_TRAP_CSRS = {  # of the mode that handles it: epc, cause, status, tval
    Priv.S: (0x141, 0x142, 0x300, 0x143),
    Priv.VS: (0x241, 0x242, 0x200, 0x243),
}
_M_CSRS = (0x341, 0x342, 0x300, 0x343)
_CSRS = (0x001, 0x105, 0x140, 0x304, 0x305, 0x306, 0x340, 0x3A0, 0x3B0, 0x7A1, 0x7C0, 0xB00, 0xB02)


@dataclass
class Run:
    """retired: instructions, exceptions and interrupts, with effects; the last one goes on in sequence, or is an
    exception of which nobody knows where it leads.

    debug: instructions in Debug Mode after element k. without_row: exceptions that RVFI does not show. fpr, fcsr: what
    element k writes there (register, value; value). amos: elements that read and write memory. addresses: of the
    access of an instruction that trapped.
    """

    program: Program
    retired: Retired
    debug: dict[int, int] = field(default_factory=dict)
    without_row: set[int] = field(default_factory=set)
    fpr: dict[int, tuple[int, int]] = field(default_factory=dict)
    fcsr: dict[int, int] = field(default_factory=dict)
    amos: set[int] = field(default_factory=set)
    addresses: dict[int, int] = field(default_factory=dict)

    @property
    def effects(self) -> Effects:
        """Those of `retired`."""
        assert self.retired.effects is not None, "a run has effects"
        return self.retired.effects

    def csr_columns(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Element, address and value of each CSR write, in order."""
        return self.effects.csr_row, self.effects.csr_addr, self.effects.csr_value

    def next_pc(self, k: int) -> int:
        """Where element k leads."""
        retired = self.retired
        if k + 1 < len(retired):
            return int(retired.pc[k + 1])
        pc, size = int(retired.pc[k]), int(retired.size[k])
        if retired.kind[k] == Kind.EXCEPTION:
            insn = self.program.insn(pc)
            size = insn.size if insn is not None else 0
        return pc + size & (1 << self.program.xlen) - 1

    def priv_after(self, k: int) -> int:
        """The mode after element k; M-mode after an exception that is the last."""
        if k + 1 == len(self.retired) and self.retired.kind[k] == Kind.EXCEPTION:
            return Priv.M
        return int(self.retired.priv[min(k + 1, len(self.retired) - 1)])

    def trap_address(self, k: int) -> int:
        """What the instruction that trapped would have accessed."""
        return self.addresses.get(k, 0)


def walked(config: Config, rng: Random, size: int, to_exception: bool = False, **probabilities: object) -> Run:
    """A walk through a random program with everything that RVFI can show. to_exception: see made."""
    program = generate(rng, config.xlen, zcm=bool(config.zcm))
    habits = WalkProbabilities(**{**_QUIET, **_TRAPS, "start": "trace_on", "hcontext": 0, **probabilities})  # type: ignore[arg-type]
    retired = random_walk(program, rng, size, habits, "v2_0")
    retired = retired.select(retired.kind <= Kind.INTERRUPT)
    trapped = set(retired.pc[retired.kind == Kind.EXCEPTION].tolist())
    return made(seasoned(program, retired.pc, rng, trapped), retired, config, rng, to_exception=to_exception)


def made(
    program: Program, retired: Retired, config: Config, rng: Random, debug: bool = True, to_exception: bool = False
) -> Run:
    """A run of a retire stream with made-up effects; its end may be cut off. debug: with visits to Debug Mode.
    to_exception: the last element is an exception of an instruction.
    """
    # A trap before anything has retired is not among what an adapter can know.
    retired = retired.select(slice(int(np.argmax(retired.kind == Kind.INSN)), None))
    addresses = {k: _address(rng, config.xlen, 1) for k in np.flatnonzero(retired.kind == Kind.EXCEPTION).tolist()}
    if not config.trap_port:
        retired, addresses = _visible(retired, program, addresses)
    ending = (retired.kind == Kind.INSN) & (retired.itype == IType.NONE)
    if to_exception:
        there = np.array([program.insn(pc) is not None for pc in retired.pc.tolist()], bool)
        ending = (retired.kind == Kind.EXCEPTION) & there & ~np.isin(retired.cause, FETCH_FAULTS)
    ends = np.flatnonzero(ending)
    retired = retired.select(slice(0, int(ends[-1]) + 1 if len(ends) else 0))
    for k in np.flatnonzero(retired.kind == Kind.EXCEPTION).tolist():
        if program.insn(int(retired.pc[k])) is None and int(retired.cause[k]) not in FETCH_FAULTS:
            retired.cause[k] = FETCH_FAULTS[0]  # a walk chooses any cause
    run = Run(program, retired, addresses=addresses)
    _rows(run, config, rng)
    retired.effects = _Maker(run, config, rng).effects()
    insn = retired.kind == Kind.INSN
    same = insn[:-1] & insn[1:] & (retired.priv[:-1] == retired.priv[1:]) & (retired.itype[:-1] != IType.XRET)
    for k in np.flatnonzero(same).tolist():
        if debug and rng.random() < 0.005:
            run.debug[k] = rng.randrange(1, 5)
    return run


def _visible(retired: Retired, program: Program, addresses: dict[int, int]) -> tuple[Retired, dict[int, int]]:
    """What RVFI without a trap port can show: one interrupt between two instructions, whose mode is that of the one
    before, no trap without an instruction, and causes that the instruction has.
    """
    kept: list[int] = []
    moved: dict[int, int] = {}
    for k in range(len(retired)):
        kind, before = int(retired.kind[k]), kept[-1] if kept else -1
        if kind == Kind.EXCEPTION and program.insn(int(retired.pc[k])) is None:
            continue
        if kind == Kind.INTERRUPT:
            if before < 0 or retired.kind[before] != Kind.INSN or retired.priv[before] != retired.priv[k]:
                continue
            if retired.itype[before] == IType.XRET or k + 1 == len(retired) or k - before > 1:
                continue
        if kind == Kind.EXCEPTION:
            moved[len(kept)] = addresses[k]
        kept.append(k)
    out = retired.select(np.array(kept, np.int64))
    for k, address in moved.items():
        insn = program.insn(int(out.pc[k]))
        assert insn is not None, "those without an instruction were left out"
        out.cause[k] = derived_cause(insn, int(out.priv[k]), address, program.xlen)
    out.cause[out.kind == Kind.INTERRUPT] = 0
    out.tval[out.kind != Kind.INSN] = 0
    return out, moved


def _rows(run: Run, config: Config, rng: Random) -> None:
    """Which exceptions have no row of RVFI: some cores show none where nothing could be fetched."""
    retired = run.retired
    for k in np.flatnonzero(retired.kind == Kind.EXCEPTION).tolist():
        missing = run.program.insn(int(retired.pc[k])) is None
        again = k + 1 < len(retired) and retired.kind[k + 1] == Kind.EXCEPTION and retired.pc[k + 1] == retired.pc[k]
        if config.trap_port and int(retired.cause[k]) in FETCH_FAULTS and not again and (missing or rng.random() < 0.5):
            run.without_row.add(k)


def _address(rng: Random, xlen: int, size: int) -> int:
    """Any, now and then at the end of a word."""
    address = rng.getrandbits(xlen)
    return min(address, (1 << xlen) - 16) & (~(size - 1) if rng.random() < 0.7 else -1)


class _Maker:
    """Effects of a run."""

    def __init__(self, run: Run, config: Config, rng: Random) -> None:
        self.run, self.config, self.rng = run, config, rng
        n = len(run.retired)
        self.columns = {
            name: np.zeros(n, np.uint64)
            for name in ("rd", "rd_value", "mem_addr", "mem_size", "mem_store", "mem_value")
        }
        self.csrs: list[tuple[int, int, int]] = []

    def effects(self) -> Effects:
        """Of all elements."""
        retired = self.run.retired
        for k in range(len(retired)):
            if retired.kind[k] == Kind.INSN:
                self._insn(k)
            elif self.config.trap_port:
                self._trap(k)
        row, address, value = (list(column) for column in zip(*self.csrs)) if self.csrs else ([], [], [])
        c = self.columns
        return Effects(
            c["rd"].astype(np.uint8), c["rd_value"], c["mem_addr"], c["mem_size"].astype(np.uint8),
            c["mem_store"].astype(np.uint8), c["mem_value"], np.array(row, np.int64), np.array(address, np.uint16),
            np.array(value, np.uint64),
        )  # fmt: skip

    def _insn(self, k: int) -> None:
        run, rng, config, retired = self.run, self.rng, self.config, self.run.retired
        insn = run.program.insn(int(retired.pc[k]))
        o = operands(insn.raw, insn.size, config.xlen) if insn else NONE
        self._set(k, rd=o.rd, rd_value=rng.getrandbits(config.xlen) if o.rd else 0)
        access = access_of(insn.raw, insn.size, config.xlen) if insn else None
        if access and 0 < access.size <= config.xlen // 8:
            self._set(k, mem_addr=_address(rng, config.xlen, access.size), mem_size=access.size,
                      mem_store=int(access.store), mem_value=rng.getrandbits(8 * access.size))  # fmt: skip
            if access.load and access.store:
                run.amos.add(k)
        if retired.itype[k] == IType.XRET:
            self.csrs.append((k, 0x300, rng.getrandbits(config.xlen)))
        elif rng.random() < 0.1:
            for address in sorted(rng.sample(_CSRS, rng.randrange(1, 5))):
                self.csrs.append((k, address, rng.getrandbits(config.xlen)))
        if config.flen and rng.random() < 0.1:
            run.fpr[k] = rng.getrandbits(5), rng.getrandbits(config.flen)
        if config.flen and rng.random() < 0.1:
            run.fcsr[k] = rng.getrandbits(8)

    def _trap(self, k: int) -> None:
        retired, rng, xlen = self.run.retired, self.rng, self.config.xlen
        interrupt = int(retired.kind[k] == Kind.INTERRUPT)
        values = (int(retired.pc[k]), int(retired.cause[k]) | interrupt << xlen - 1, rng.getrandbits(xlen),
                  int(retired.tval[k]))  # fmt: skip
        addresses = _TRAP_CSRS.get(Priv(self.run.priv_after(k)), _M_CSRS)
        self.csrs += [(k, address, value) for address, value in zip(addresses, values)]

    def _set(self, k: int, **values: int) -> None:
        for name, value in values.items():
            self.columns[name][k] = value
