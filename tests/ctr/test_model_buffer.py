# SPDX-License-Identifier: Apache-2.0
"""The buffer: logical and physical entries, software writes, several transfers and an access in one cycle (CTR-13)."""

import random

import pytest

from rvtrace.models.ctr.config import Config
from rvtrace.models.ctr.records import SCTRCLR, Record
from rvtrace.models.ctr.transfers import Transfers
from rvtrace.models.riscv.csr import CLEAR, DONE, HS, READ, SET, VS, WRITE, Access, M
from tests.ctr.blocks import DRAFT, block, jump, read


@pytest.mark.parametrize("depth", [16, 32, 64, 128, 256])
@pytest.mark.parametrize("config", [Config(has_stateen=0), DRAFT], ids=["v1_0", "v0_1_4"])
def test_entries_are_youngest_first_and_wrap(config: Config, depth: int) -> None:
    ctr, total = block(config, depth), depth + 3
    for n in range(total):
        ctr.retire(M, [jump(n)])
    assert [read(ctr, x) for x in range(256)] == [(total - 1 - x) * 16 | 1 if x < depth else 0 for x in range(256)]
    assert ctr.state.wrptr == 3 and ctr.recorder.physical(0) == 2 and ctr.recorder.physical(3) == depth - 1
    wrapped = ctr.access(Access(READ, 0x383 if config.draft else 0x14F)).rdata
    assert wrapped == (3 | 1 << 14 if config.draft else 3)


def test_a_group_wraps_inside_a_cycle_in_order() -> None:
    ctr = block()
    ctr.access(Access(WRITE, 0x14F, 14))
    ctr.retire(M, [jump(1), jump(2), jump(3), jump(4)])
    assert [ctr.recorder.source[p] for p in (14, 15, 0, 1)] == [0x11, 0x21, 0x31, 0x41]
    assert [ctr.entry(x).source for x in range(4)] == [0x40, 0x30, 0x20, 0x10] and ctr.state.wrptr == 2


def test_transfers_come_before_the_access_of_their_cycle() -> None:
    ctr = block()
    assert ctr.cycle(M, [jump(1)], Access(READ, 0x14F)) == (1, DONE)
    assert ctr.cycle(M, [jump(2)], Access(WRITE, 0x14F, 7)) == (2, DONE) and ctr.state.wrptr == 7
    assert ctr.cycle(M, [jump(3)], Access(WRITE, 0x34E, 0)) == (4, DONE)  # with the control registers of the start
    assert ctr.cycle(M, [jump(4)], Access(READ, 0x14F)) == (8, DONE)
    ctr.access(Access(WRITE, 0x150, 0x200))
    ctr.access(Access(WRITE, 0x34E, 4))
    assert ctr.cycle(M, [jump(5)], Access(SET, 0x151, 0x10000)) == (0x51, DONE)
    assert read(ctr, 0) == 0x10051
    assert ctr.cycle(M, [jump(6)], Access(SCTRCLR)) == (0, DONE)
    assert [ctr.entry(x).valid for x in range(2)] == [False, False] and ctr.state.wrptr == 10
    assert ctr.cycle(M, []) is None


def test_status_writes_are_modulo_depth() -> None:
    ctr = block(depth=32)
    ctr.access(Access(WRITE, 0x14F, (1 << 64) - 1))
    assert ctr.access(Access(READ, 0x14F)).rdata == 1 << 31 | 31
    ctr.access(Access(CLEAR, 0x14F, 1 << 31))
    assert ctr.access(Access(READ, 0x14F)).rdata == 31
    draft = block(DRAFT, 16)
    draft.access(Access(WRITE, 0x183, 0xFFFFFFFF, VS))
    assert draft.access(Access(READ, 0x383)).rdata == 0xC00F


def test_software_writes_entries_of_the_depth_only() -> None:
    ctr = block(Config(has_stateen=0, cce_bits=2))
    for part, value, kept in (
        (1, (1 << 64) - 1, (1 << 64) - 1),
        (2, 0x1234567, 0x1234567),
        (3, (1 << 64) - 1, 0x3FFF800F),
        (5, 1, 0),
    ):
        for logical in (0, 15, 16, 255):
            ctr.access(Access(WRITE, 0x150, 0x200 + logical))
            assert ctr.access(Access(WRITE, 0x150 + part, value)).outcome == DONE
            assert read(ctr, logical, part) == (kept if logical < 16 else 0)


def test_a_guest_and_the_hypervisor_see_the_same_entries() -> None:
    ctr = block()
    ctr.retire(M, [jump(1)])
    ctr.access(Access(WRITE, 0x150, 0x200, VS))  # really vsiselect
    assert ctr.state.vsiselect == 0x200 and ctr.state.siselect == 0
    assert ctr.access(Access(READ, 0x151, 0, VS)).rdata == ctr.access(Access(READ, 0x251, 0, HS)).rdata == 0x11
    draft = block(DRAFT)
    draft.retire(M, [jump(2)])
    draft.access(Access(WRITE, 0x350, 0x200))
    assert [draft.access(Access(READ, 0x350 + part)).rdata for part in (1, 2, 3, 5)] == [0x21, 0x8020, 11, 0]


def test_many_cycles_at_once_are_those_one_by_one() -> None:
    rng = random.Random("run")
    steps = [rng.choice((0, 1, 1, 5)) for _ in range(300)]
    slots, cycles = [0], [7]
    for step in steps[1:]:
        slots.append(0 if step or slots[-1] == 3 else slots[-1] + 1)
        cycles.append(cycles[-1] + (step or slots[-1] == 0))
    given = Transfers.from_columns(
        type=[rng.choice((5, 9, 11, 13)) for _ in steps], source=[2 * n for n in range(300)], cycle=cycles, slot=slots
    )
    fast, slow = block(), block()
    fast.run(given)
    groups = {cycle: group for cycle, _, group in given.cycles()}
    for cycle in range(cycles[0], cycles[-1] + 1):
        slow.cycle(M, groups.get(cycle, []))
    assert fast.state == slow.state and [fast.entry(x) for x in range(16)] == [slow.entry(x) for x in range(16)]


def test_a_record_is_its_three_registers() -> None:
    found = Record.of_registers(0x1001, 0x2000, 0x2001800D)
    assert found == Record(True, 0x1000, 0x2000, 0, 13, True, 0x2001) and found.registers() == (
        0x1001,
        0x2000,
        0x2001800D,
    )
    assert found.to_dict() == {
        "source": "0x1000",
        "target": "0x2000",
        "type": 13,
        "valid": True,
        "cc": 8194,
        "ccv": True,
    }
    assert Record.of_registers(0, 0, 0x10000).to_dict()["cc"] is None
