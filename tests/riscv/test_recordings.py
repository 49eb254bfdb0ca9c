# SPDX-License-Identifier: Apache-2.0
"""The recorded programs: in step with their programs, effects that replay, and what each is there for."""

from functools import cache

import numpy as np
import pytest

from rvtrace.models.riscv import recording
from rvtrace.models.riscv.isa import Flow
from rvtrace.models.riscv.operands import operands
from rvtrace.models.riscv.recording import Recording
from rvtrace.models.riscv.retired import IType, Kind, Priv
from tests.common.there import there
from tests.programs.reference import CHECKSUMS

ALL = [(name, xlen) for name in CHECKSUMS for xlen in (32, 64)]
LONG = recording.names(recording.LONG)
RAM = 0x80000000
each_recording = pytest.mark.parametrize("name, xlen", ALL)


@cache
def load(name: str, xlen: int) -> Recording:
    return recording.load(name, xlen, recording.LONG if name in LONG else recording.DIRECTORY)


def count(name: str, xlen: int, itype: IType) -> int:
    return int((load(name, xlen).retired.itype == itype).sum())


def test_names() -> None:
    assert LONG and sorted([*recording.names(), *LONG]) == sorted(CHECKSUMS)


@each_recording
def test_flow_follows_the_program(name: str, xlen: int) -> None:
    run = load(name, xlen)
    r, program = run.retired, run.program
    assert len(r) >= 19_000 and r.pc[0] == program.entry and r.effects is not None
    pcs, kinds, takens = r.pc.tolist(), r.kind.tolist(), r.taken.tolist()
    vector, direct = (program.symbols.get(entry) for entry in ("m_vector", "s_entry"))
    for i, (pc, kind, taken, following) in enumerate(zip(pcs, kinds, takens, [*pcs[1:], program.symbols["halt"]])):
        if kind != Kind.INSN:
            slot = 4 * int(r.cause[i]) if kind == Kind.INTERRUPT else 0
            assert following in (there(vector) + slot, direct), f"row {i}: trap to {following:#x}"
            continue
        insn = there(program.insn(pc))
        assert (taken >= 0) == (insn.flow == Flow.BRANCH) and r.size[i] == insn.size and insn.flow != Flow.TRAP
        if insn.flow == Flow.INFERABLE or taken == 1:
            assert following == insn.target, f"row {i}: {program.where(pc)} goes to {following:#x}"
        elif insn.flow != Flow.UNINFERABLE:
            assert following == pc + insn.size, f"row {i}: {program.where(pc)} goes to {following:#x}"


def branches(name: str, a: int, b: int, xlen: int) -> bool:
    """Whether a branch is taken on these register values."""
    signed_a, signed_b = (v - (v >> (xlen - 1) << xlen) for v in (a, b))
    return {
        "beq": a == b, "bne": a != b, "blt": signed_a < signed_b, "bge": signed_a >= signed_b,
        "bltu": a < b, "bgeu": a >= b, "c.beqz": a == 0, "c.bnez": a != 0,
    }[name]  # fmt: skip


@each_recording
def test_effects_replay(name: str, xlen: int) -> None:
    """Addresses, stored values, branches and jump targets come from registers, loaded values from stores."""
    run = load(name, xlen)
    r, e, mask = run.retired, there(run.retired.effects), (1 << xlen) - 1
    x = run.initial.tolist()
    images = (*run.program.segments, *run.program.data)
    memory = {address: byte for base, body in images for address, byte in enumerate(body, base)}
    columns = [r.kind, r.pc, r.taken, e.rd, e.rd_value, e.mem_addr, e.mem_size, e.mem_store, e.mem_value]
    rows = zip(*(c.tolist() for c in columns), [*r.pc.tolist()[1:], run.program.symbols["halt"]])
    for kind, pc, taken, rd, value, addr, size, store, stored, following in rows:
        if kind != Kind.INSN:
            assert (rd, size) == (0, 0)
            continue
        insn, place = there(run.program.insn(pc)), run.program.where
        o = operands(insn.raw, insn.size, xlen)
        assert rd == o.rd and value <= mask
        if size:
            bits, amo = (1 << 8 * size) - 1, o.atomic.startswith("amo")
            held = sum(memory.get(addr + k, 0) << 8 * k for k in range(size))
            assert addr == (x[o.rs1] + o.imm) & mask and stored <= bits, place(pc)
            assert not store or amo or stored == x[o.rs2] & bits, place(pc)
            assert addr < RAM or store or stored == held, place(pc)
            assert addr < RAM or not rd or (store and not amo) or value & bits == held, place(pc)
            if store:
                memory.update((addr + k, stored >> 8 * k & 255) for k in range(size))
        if insn.flow == Flow.BRANCH:
            assert taken == branches(insn.name, x[o.rs1], x[o.rs2], xlen), place(pc)
        elif insn.name in ("jalr", "c.jr", "c.jalr"):
            offset = (insn.raw >> 20 ^ 0x800) - 0x800 if insn.size == 4 else 0
            assert following == (x[o.rs1] + offset) & mask & ~1, place(pc)
        if insn.flow != Flow.SEQUENTIAL and rd:
            assert value == pc + insn.size, place(pc)
        if rd:
            x[rd] = value


@each_recording
def test_result(name: str, xlen: int) -> None:
    effects = there(load(name, xlen).retired.effects)
    assert effects.mem_store[-1] and effects.mem_value[-1] == CHECKSUMS[name]()


@pytest.mark.parametrize("xlen", (32, 64))
def test_purposes(xlen: int) -> None:
    assert count("dispatch", xlen, IType.UNINFERABLE_TAIL_CALL) > 1000
    assert count("dispatch", xlen, IType.COROUTINE_SWAP) == 400
    for itype in (IType.UNINFERABLE_CALL, IType.OTHER_UNINFERABLE_JUMP, IType.OTHER_INFERABLE_JUMP):
        assert count("dispatch", xlen, itype) > 500
    assert count("switch", xlen, IType.UNINFERABLE_TAIL_CALL) > 500  # a jump table's `jr`
    assert count("sort", xlen, IType.UNINFERABLE_CALL) > 1000
    assert count("crc", xlen, IType.TAKEN) > 5000
    itype = load("recursion", xlen).retired.itype
    depth = np.cumsum((itype == IType.INFERABLE_CALL).astype(int) - (itype == IType.RETURN))
    assert depth.max() > 120 and depth[-1] == 0


@pytest.mark.parametrize("xlen", (32, 64))
def test_traps(xlen: int) -> None:
    run = load("traps", xlen)
    r, e = run.retired, there(run.retired.effects)
    exception, interrupt = r.kind == Kind.EXCEPTION, r.kind == Kind.INTERRUPT
    assert set(r.cause[exception].tolist()) == {1, 2, 3, 5, 7, 8, 9, 11, 13, 15}
    assert set(r.cause[interrupt].tolist()) == {1, 3, 5, 7}
    assert set(r.priv.tolist()) == {Priv.U, Priv.S, Priv.M} and set(r.context.tolist()) == {0, 1, 2}
    returns = {there(run.program.insn(int(pc))).name for pc in r.pc[r.itype == IType.XRET]}
    assert returns == {"mret", "sret"}
    assert (exception & (r.tval != 0)).any()
    after_return = np.append(False, (r.itype == IType.XRET)[:-1])
    assert (after_return & interrupt).sum() >= 4, "an interrupt straight after xRET"
    in_handler = exception & (r.cause == 3) & (r.priv == Priv.M) & (r.pc > run.program.symbols["m_handle_exception"])
    assert in_handler.sum() == 2, "exceptions within a handler"
    status = {0x300, 0x341, 0x342, 0x343}, {0x300, 0x141, 0x142, 0x143}
    for row in np.flatnonzero(exception | interrupt).tolist():
        written = dict(zip(e.csr_addr[e.csr_row == row].tolist(), e.csr_value[e.csr_row == row].tolist()))
        assert set(written) in status
        epc, cause = (written.get(a, written.get(b)) for a, b in ((0x341, 0x141), (0x342, 0x142)))
        assert epc == r.pc[row] and cause == int(r.cause[row]) | int(interrupt[row]) << xlen - 1
    assert {0x180, 0x105, 0x3B0, 0x144, 0x100} <= set(e.csr_addr.tolist())
