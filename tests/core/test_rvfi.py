# SPDX-License-Identifier: Apache-2.0
"""RVFI read as a retire stream: of real programs, of traps row by row, and what breaks its rules."""

import numpy as np
import pytest

from rvtrace.models.riscv import recording
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import IType, Kind
from rvtrace.models.riscv.rvfi import RvfiError, retired_of, until
from rvtrace.tb.cores.agents import layout
from tests.common.there import there
from tests.core.rows import of_recording, rows_of, traps_of

NO_TRAPS = traps_of([])
BASE, HANDLER = 0x8000_0000, 0x8000_0020
CODE = {
    0x00: 0x00100093,  # addi x1, x0, 1
    0x04: 0x00000073,  # ecall
    0x08: 0x0020A023,  # sw x2, 0(x1)
    0x0C: 0x00208463,  # beq x1, x2, +8
    0x14: 0x00008067,  # ret
    0x20: 0x34101073,  # csrw mepc, x0
    0x24: 0x30200073,  # mret
}


def program() -> Program:
    body = bytearray(0x28)
    for at, raw in CODE.items():
        body[at : at + 4] = raw.to_bytes(4, "little")
    return Program(32, [(BASE, bytes(body))])


def insn(at: int, to: int, **more):
    return {"pc": BASE + at, "next_pc": BASE + to, "insn": CODE[at], **more}


@pytest.mark.parametrize("name", ["crc", "sort", "dispatch"])
def test_a_recorded_run(name):
    run = recording.load(name, 32)
    found = retired_of(of_recording(run), NO_TRAPS, run.program)
    assert found.differs(run.retired) is None
    assert found.effects is not None and run.retired.effects is not None
    for column, expected in vars(run.retired.effects).items():
        got = getattr(found.effects, column)
        if column == "mem_addr":  # means nothing without an access
            got, expected = (np.where(run.retired.effects.mem_size > 0, one, 0) for one in (got, expected))
        assert np.array_equal(got, expected), column


def trapped():
    """addi; ecall, whose handler writes mepc and returns; then an interrupt before the store, and the handler again."""
    mret = {"csr": {0: (0x300, 0x88)}}
    rows = rows_of([
        insn(0x00, 0x04, rd=1, rd_value=1),
        insn(0x04, 0x08, trap=1),
        insn(0x20, 0x24, intr=1, csr={0: (0x341, BASE + 8)}),
        insn(0x24, 0x08, **mret),
        insn(0x20, 0x24, intr=1, csr={0: (0x341, BASE + 8)}),
        insn(0x24, 0x08, **mret),
        insn(0x08, 0x0C, mem_addr=0x8000_1000, wmask=0xF, mem_wdata=0x1234_5678, mode=0),
        insn(0x0C, 0x14, mode=0),
        insn(0x14, 0x00, mode=0),
    ])  # fmt: skip
    traps = traps_of([
        {"retired": 2, "cause": 11, "epc": BASE + 4, "status": 0x1800},
        {"retired": 4, "interrupt": 1, "cause": 7, "epc": BASE + 8, "status": 0x80, "mode_from": 0},
    ])  # fmt: skip
    return rows, traps


def test_traps_row_by_row():
    rows, traps = trapped()
    found = retired_of(rows, traps, program())
    assert found.kind.tolist() == [Kind.INSN, Kind.EXCEPTION, *[Kind.INSN] * 2, Kind.INTERRUPT, *[Kind.INSN] * 5]
    assert (found.pc - np.uint64(BASE)).tolist() == [0, 4, 0x20, 0x24, 8, 0x20, 0x24, 8, 0xC, 0x14]
    assert found.cause.tolist() == [0, 11, 0, 0, 7, 0, 0, 0, 0, 0]
    assert found.priv.tolist() == [3, 3, 3, 3, 0, 3, 3, 0, 0, 0]
    assert found.size.tolist() == [4, 0, 4, 4, 0, 4, 4, 4, 4, 4]
    assert found.taken.tolist() == [-1] * 8 + [1, -1]
    assert found.itype.tolist() == [0, 1, 0, 3, 2, 0, 3, 0, IType.TAKEN, IType.RETURN]
    effects = found.effects
    assert effects is not None
    assert effects.mem_value.tolist()[7] == 0x1234_5678 and effects.mem_store.tolist() == [0] * 7 + [1, 0, 0]
    written = list(zip(effects.csr_row.tolist(), effects.csr_addr.tolist(), effects.csr_value.tolist()))
    assert [one for one in written if one[0] == 1] == [
        (1, 0x341, BASE + 4), (1, 0x342, 11), (1, 0x300, 0x1800), (1, 0x343, 0)
    ]  # fmt: skip
    assert (4, 0x342, 0x8000_0007) in written and (6, 0x300, 0x88) in written
    assert effects.csr_row.tolist() == sorted(effects.csr_row.tolist())


@pytest.mark.parametrize(("size", "at"), [(size, at) for size in (1, 2, 4, 8) for at in range(0, 8, size)])
def test_masks_and_data_of_a_whole_word(size: int, at: int):
    """The access begins at the first bit that is 1: the word's address, with bytes in their places, says the same."""
    rows, traps = trapped()
    bytes_, value = (1 << size) - 1, 0x8877_6655_4433_2211 & (1 << 8 * size) - 1
    rows["mem_addr"][6], rows["wmask"][6], rows["mem_wdata"][6] = 0x8000_1000 + at, bytes_, value
    want = retired_of(rows, traps, program()).effects
    rows["mem_addr"][6], rows["wmask"][6], rows["mem_wdata"][6] = 0x8000_1000, bytes_ << at, value << 8 * at
    found = retired_of(rows, traps, program()).effects
    assert want is not None and found is not None and want.mem_addr[7] == 0x8000_1000 + at
    for name in ("mem_addr", "mem_size", "mem_value", "mem_store"):
        assert getattr(found, name).tolist() == getattr(want, name).tolist()


def test_an_interrupt_after_the_last_row_is_not_of_the_run():
    rows, traps = trapped()
    more = np.concatenate([traps, traps[1:]])
    assert len(retired_of(rows, more, program())) == len(retired_of(rows, traps, program()))


def test_nothing_retired():
    with pytest.raises(RvfiError, match="has no row: the core retired nothing"):
        retired_of(np.zeros(0, layout.RVFI.dtype()), NO_TRAPS, program())


@pytest.mark.parametrize(
    ("row", "column", "value", "sentence"),
    [
        (3, "unknown", 1, "row 3 has rvfi_valid=1 and bits that are X"),
        (3, "order", 9, r"row 3 \(order 9, pc 0x80000024\): rvfi_order was 2 in the row before"),
        (3, "order", 2, "rvfi_order was 2 in the row before; it must count every retirement once"),
        (3, "rd_value", 5, "rvfi_rd_addr is 0 and rvfi_rd_wdata is 0x5"),
        (6, "wmask", 0x5, "the masks of its access are 0x0 and 0x5"),
        (7, "next_pc", BASE + 0x10, "rvfi_pc_wdata was 0x80000010 in the row before"),
        (7, "insn", 0x13, "rvfi_insn is 0x13, and memory has 0x208463 there"),
        (4, "intr", 0, "neither rvfi_trap there nor rvfi_intr here says why"),
        (1, "trap", 0, "is the first one of a handler|neither rvfi_trap"),
        (5, "trap", 1, "the next event of the trap port is nothing"),
    ],
)
def test_broken_rules(row, column, value, sentence):
    rows, traps = trapped()
    if (column, row) == ("next_pc", 7):
        rows["pc"][8] = BASE + 0x14
    rows[column][row] = value
    with pytest.raises(RvfiError, match=sentence):
        retired_of(rows, traps, program())


@pytest.mark.parametrize(
    ("event", "column", "value", "sentence"),
    [
        (0, "interrupt", 1, "the next event of the trap port is interrupt 11"),
        (1, "interrupt", 0, "the trap port has no interrupt for it"),
    ],
)
def test_events_of_other_traps(event, column, value, sentence):
    rows, traps = trapped()
    traps[column][event] = value
    with pytest.raises(RvfiError, match=sentence):
        retired_of(rows, traps, program())


@pytest.mark.parametrize("event", [0, 1])
def test_a_wrong_epc_is_the_cores_mepc_and_not_where_it_was(event):
    """Where a trap came is known from RVFI: that mepc says something else is for the verifier to find."""
    rows, traps = trapped()
    right = retired_of(rows, traps, program())
    traps["epc"][event] = BASE + 0x40
    wrong = retired_of(rows, traps, program())
    assert right.differs(wrong) is None
    effects = there(wrong.effects)
    kind = wrong.kind[effects.csr_row]
    mepc = effects.csr_value[(effects.csr_addr == 0x341) & (kind != Kind.INSN)]
    assert mepc[event] == BASE + 0x40 and mepc[1 - event] != BASE + 0x40 and len(mepc) == 2


def test_what_comes_before_a_broken_row_can_be_judged():
    rows, traps = trapped()
    whole = retired_of(rows, traps, program())
    rows["order"][8:] += 1
    with pytest.raises(RvfiError, match="rvfi_order was") as error:
        retired_of(rows, traps, program())
    assert error.value.row == 8
    part = retired_of(*until(rows, traps, 8), program())
    assert 8 <= len(part) < len(whole) and whole.select(slice(len(part))).differs(part) is None


def test_more_events_than_traps():
    rows, traps = trapped()
    with pytest.raises(RvfiError, match="2 events more than RVFI has traps, the first one exception 11"):
        retired_of(rows, np.concatenate([traps, traps]), program())


def test_a_pc_outside_the_program():
    rows, traps = trapped()
    rows["pc"][-1] = rows["next_pc"][-2] = 0x9000_0000
    with pytest.raises(RvfiError, match="rvfi_insn is 0x8067, and memory has no instruction there"):
        retired_of(rows, traps, program())


def test_an_instruction_that_the_program_wrote_itself():
    rows, traps = trapped()
    rows["mem_addr"][6] = BASE + 0x14
    rows["insn"][-1] = 0x13
    assert len(retired_of(rows, traps, program())) == len(rows) + 1


def test_a_fetch_that_failed_has_any_bits():
    rows, traps = trapped()
    rows["pc"][1], rows["insn"][1], rows["next_pc"][0] = 0x40, 0xFFFF, 0x40
    traps["epc"][0], traps["cause"][0] = 0x40, 1
    assert retired_of(rows, traps, program()).cause[1] == 1
