# SPDX-License-Identifier: Apache-2.0
"""Rows of recorded programs, and memory-loading traces: what a reader of the trace gets is what
the program is and did.
"""

from copy import copy
from dataclasses import replace

import numpy as np
import pytest

from rvtrace.models.riscv import recording
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Kind, Retired
from rvtrace.models.tandem import table
from rvtrace.models.tandem.config import Config, ConfigError
from rvtrace.models.tandem.decoder.decode import decode
from rvtrace.models.tandem.decoder.decoded import PC_KEY
from rvtrace.models.tandem.encoder.elf_to_trace import elf_to_trace, memory_rows
from rvtrace.models.tandem.encoder.encode import encode
from rvtrace.models.tandem.encoder.from_retired import _Tables, from_recording, from_retired
from rvtrace.models.tandem.table import STATE_KEY
from rvtrace.models.tandem.trace_data import RowsError, _dtype, illegal
from tests.common.there import there
from tests.tandem.hand import BASE, assembled, steps_of

SIZES = {3: 8, 2: 4, 1: 2, 0: 1}


@pytest.mark.parametrize("xlen", [32, 64])
def test_traps(xlen: int) -> None:
    """Group by group: the effects of the recording, traps with their instruction unless fetch failed, privilege after
    each change.
    """
    run = recording.load("traps", xlen)
    config = Config(xlen=xlen, flen=0, incremental=2)
    rows = from_recording(run)
    assert not illegal(rows).any()
    decoded = decode(encode(rows, config).data, config)
    assert not decoded.diagnostics
    groups = [group for group in decoded.groups() if not (group.outside or group.init or group.reset)]
    retired, effects = run.retired, there(run.retired.effects)
    assert len(groups) == len(retired)
    csrs: dict[int, dict[int, int]] = {}
    for row, address, value in zip(effects.csr_row.tolist(), effects.csr_addr.tolist(), effects.csr_value.tolist()):
        csrs.setdefault(row, {})[address] = value
    for k, group in enumerate(groups):
        changes = dict(group.changes)
        assert group.pc == retired.pc[k]
        fetched = retired.kind[k] == Kind.INSN or (
            retired.kind[k] == Kind.EXCEPTION and retired.cause[k] not in (1, 12)
        )
        assert bool(group.size) == fetched
        if fetched:
            insn = run.program.insn(there(group.pc))
            assert insn is not None and (group.insn, group.size) == (insn.raw, insn.size)
        expected = dict(csrs.get(k, {}))
        if effects.rd[k]:
            expected[table.GPR_BASE + int(effects.rd[k])] = int(effects.rd_value[k])
        assert {key: value for key, value in changes.items() if key < STATE_KEY} == expected
        if retired.kind[k] != Kind.INSN:
            assert STATE_KEY + table.PRIV in changes
        if k + 1 < len(retired):
            assert changes[PC_KEY] == retired.pc[k + 1]
            assert changes.get(STATE_KEY + table.PRIV, retired.priv[k]) == retired.priv[k + 1]
        memory = [
            (key, value) for key, value in changes.items() if table.MEMDATA <= key - STATE_KEY < table.MEMDATA + 4
        ]
        if effects.mem_store[k]:
            ((key, value),) = memory
            assert SIZES[key - STATE_KEY - table.MEMDATA] == effects.mem_size[k] and value == effects.mem_value[k]
        assert (STATE_KEY + table.PADDR in changes) == (effects.mem_size[k] > 0) and bool(memory) == (
            effects.mem_store[k] > 0
        )


def test_addresses_of_a_paged_program() -> None:
    """The tables of `traps` map every page to itself; effective addresses are reported where they are translated
    only.
    """
    run = recording.load("traps", 64)
    rows = from_retired(run.retired, run.program)
    effects = there(run.retired.effects)
    assert np.array_equal(rows.paddr, np.where(effects.mem_size > 0, effects.mem_addr, 0))
    virtual = rows.have("eaddr")
    assert virtual.sum() > 1000 and not virtual[run.retired.priv == 3].any()
    assert np.array_equal(rows.eaddr[virtual], effects.mem_addr[virtual])
    assert not from_retired(run.retired, run.program, virtual=False).have("eaddr").any()


def test_interrupts_are_announced() -> None:
    """Right before each interrupt, what was reported of mip has its bit; sip is a view of it."""
    run = recording.load("traps", 32)
    mip, seen = 0, 0
    for row in from_recording(run):
        for address, value in row.csr:
            if address == 0x344:
                mip = value
            elif address == 0x144:
                mip = mip & ~2 | value & 2
            elif address in (0x342, 0x142) and value >> 31:
                assert mip >> (value & 31) & 1 and row.insn is None
                seen += 1
    assert seen == (run.retired.kind == Kind.INTERRUPT).sum() > 10


def image(program: Program) -> dict[int, int]:
    """Memory as the segments say."""
    return {base + k: byte for base, body in [*program.segments, *program.data] for k, byte in enumerate(body)}


def loaded(data: bytes, config: Config) -> dict[int, int]:
    """Memory as the stores of a trace leave it; each is aligned, alone in a state initialization group."""
    decoded, memory = decode(data, config), {}
    assert not decoded.diagnostics and decoded.init.all()
    for group in decoded.groups():
        for one in group.memory:
            size = 1 << one.size
            assert (
                one.op == table.STORE
                and one.address % size == 0
                and size <= config.xlen // 8
                and len(group.memory) == 1
                and one.result is None
            )
            word = there(one.data)
            memory.update({one.address + k: word >> 8 * k & 255 for k in range(size)})
    return memory


@pytest.mark.parametrize("name", ["sort", "traps"])
@pytest.mark.parametrize("config", [Config(xlen=32, mlen=34), Config(xlen=32, implied_end=1), Config(xlen=64)], ids=str)
def test_elf_to_trace(name: str, config: Config) -> None:
    """Every byte of the program is stored once, and the pc is its entry."""
    run = recording.load(name, config.xlen)
    data = elf_to_trace(run.program_path, config)
    assert loaded(data, config) == image(run.program)
    decoded = decode(data, config)
    assert decoded.group(len(decoded) - 1).changes == [(PC_KEY, run.program.entry)]


def test_odd_segments() -> None:
    """Segments that begin and end anywhere."""
    for base, size in ((0, 1), (1, 1), (3, 2), (5, 9), (7, 30), (8, 8), (6, 2), (0, 15), (2, 12)):
        for xlen in (32, 64):
            config = Config(xlen=xlen)
            program = Program(xlen, [(base, bytes(range(1, size + 1)))])
            assert loaded(encode(memory_rows(program), config).data, config) == image(program)


@pytest.mark.parametrize("cause", [31, 32, 63, 64, 200])
def test_an_interrupt_without_a_bit_in_mip(cause: int) -> None:
    """mip has XLEN bits: an interrupt with a greater cause is announced by nothing."""
    run = recording.load("traps", 32)
    retired = copy(run.retired)
    retired.cause = retired.cause.copy()
    retired.cause[np.flatnonzero(retired.kind == Kind.INTERRUPT)[3]] = cause
    told = [value for row in from_recording(replace(run, retired=retired)) for at, value in row.csr if at == 0x344]
    assert all(value < 1 << 32 for value in told) and any(value >> 31 for value in told) == (cause == 31)


def test_interrupts_end_with_their_reason() -> None:
    """After a store to MSIP (0x2000000) bit 3 of mip is what was stored, after one to mtimecmp bit 7 is 0."""
    mip, stored, timed = 0, 0, 0
    wanted: dict[int, int] = {}
    for row in from_recording(recording.load("traps", 32)):
        mip = next((value for address, value in row.csr if address == 0x344), mip)
        if not row.group:
            continue
        assert all(mip >> bit & 1 == value for bit, value in wanted.items())
        wanted = {}
        if row.memdata and row.paddr == 0x2000000:
            wanted, stored = {3: row.memdata[1] & 1}, stored + 1
        elif row.memdata and row.paddr in (0x2004000, 0x2004004):
            wanted, timed = {7: 0}, timed + 1
    assert stored > 3 and timed > 3


def test_returns_from_traps_report_the_mode() -> None:
    """mret and sret, whether it changes or not."""
    run = recording.load("traps", 64)
    rows = from_retired(run.retired, run.program)
    returns = rows.have("insn") & np.isin(rows.insn, (0x30200073, 0x10200073)) & ~rows.insn16.astype(bool)
    assert returns.sum() > 10 and rows.have("priv")[returns].all()
    assert not rows.have("priv")[(run.retired.kind == Kind.INSN) & ~returns].any()


def test_a_page_that_is_not_mapped() -> None:
    """Sv39, of which entry 1 of the root is not valid, whatever its entry 2 is: 1 GiB from 0x40000000 on."""
    root = bytearray(4096)
    root[16:24] = (0x2000_0000 | 0xF).to_bytes(8, "little")  # page number 0x80000; V, R, W and X
    tables = _Tables(Program(64, [(0x8000_0000, bytes(root))]))
    satp = 8 << 60 | 0x80000
    assert tables.physical(2 << 30 | 0x1234, satp) == 0x8000_1234
    with pytest.raises(RowsError, match="maps it nowhere"):
        tables.physical(1 << 30 | 2 << 21, satp)


def test_steps_as_rows() -> None:
    """The mode is reported where it may change: by a trap and by a return from one."""
    ecall, mret, nop = 0x73, 0x30200073, 0x13
    rows = steps_of(assembled(nop, ecall, nop, mret), 6, lambda simulator: simulator.write(0x305, BASE + 8))
    told = {row.insn[1]: row.priv for row in rows if row.insn}
    assert told == {nop: None, ecall: 3, mret: 3}


def test_columns_hold_their_fields() -> None:
    assert [_dtype(width) for width in (1, 8, 9, 16, 17, 32, 33, 64, "xlen")] == (
        [np.uint8] * 2 + [np.uint16] * 2 + [np.uint32] * 2 + [np.uint64] * 3
    )


def test_refused() -> None:
    """A program of another width, a trace without requests, a stream without effects."""
    path = recording.load("sort", 32).program_path
    with pytest.raises(ConfigError, match="is an RV32 program; give XLEN=32"):
        elf_to_trace(path, Config())
    with pytest.raises(ConfigError, match="take request out of ABSENT"):
        elf_to_trace(path, Config(xlen=32, absent=("request",)))
    with pytest.raises(RowsError, match="has no effects"):
        from_retired(Retired.from_columns(pc=[0]), Program(32, [(0, bytes(4))]))
