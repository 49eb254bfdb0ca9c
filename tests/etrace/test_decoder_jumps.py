# SPDX-License-Identifier: Apache-2.0
"""Jumps: differences and full addresses, the jump target cache, sequentially inferable pairs, implicit exceptions
(ET-12, ET-13, ET-18).
"""

import pytest

from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.program import Program
from tests.etrace.packet_writer import ENDED_REP, PacketWriter

MAIN, HUB, TARGET, SAME_ENTRY, BRANCH, HANDLER = 0x1000, 0x1004, 0x2000, 0x2040, 0x3010, 0x4000
TOP = 0xFFFF_FFFF_FFFF_F000
CACHE = {"jump_target_cache": 1, "cache_size_p": 5}


def program() -> Program:
    b = ProgramBuilder(64, MAIN)
    b.nop()
    b.jalr(0, 6)  # HUB
    for target in (TARGET, SAME_ENTRY, TOP):
        b.org(target)
        b.jalr(0, 6)
    b.org(BRANCH)
    b.beq(1, 2, BRANCH + 8)
    b.nop()
    b.jalr(0, 6)  # BRANCH + 8
    b.org(HANDLER)
    b.nop()
    return b.build()


def writer(**options: object) -> PacketWriter:
    return PacketWriter(program(), **options).support().start(MAIN)


@pytest.mark.parametrize("full_address", [0, 1])
@pytest.mark.parametrize("lsb", [1, 2])
def test_addresses_from_end_to_end(full_address: int, lsb: int) -> None:
    """ET-18: differences wrap."""
    w = writer(full_address=full_address, iaddress_lsb_p=lsb).at(TOP).at(TARGET).at(TOP).at(MAIN).support(ENDED_REP)
    assert w.pcs() == [MAIN, HUB, TOP, TARGET, TOP, MAIN]


def entry(address: int) -> int:
    return address >> 1 & 31


def test_an_index_means_a_target_reported_before() -> None:
    w = (
        writer(**CACHE)
        .at(TARGET)
        .at(HUB)
        .index(entry(TARGET), address=TARGET)
        .at(HUB)
        .index(entry(HUB))
        .support(ENDED_REP)
    )
    assert w.pcs() == [MAIN, HUB, TARGET, HUB, TARGET, HUB, HUB]


def test_an_entry_holds_the_last_of_its_targets() -> None:
    assert entry(TARGET) == entry(SAME_ENTRY)
    w = writer(**CACHE).at(TARGET).at(SAME_ENTRY).at(HUB).index(entry(TARGET), address=SAME_ENTRY).support(ENDED_REP)
    assert w.pcs() == [MAIN, HUB, TARGET, SAME_ENTRY, HUB, SAME_ENTRY]


def test_the_address_of_an_index_is_where_differences_begin() -> None:
    w = writer(**CACHE).at(TARGET).at(HUB).index(entry(TARGET), address=TARGET).at(BRANCH, "T").support(ENDED_REP)
    assert w.pcs() == [MAIN, HUB, TARGET, HUB, TARGET, BRANCH]


def test_an_index_with_branches() -> None:
    w = writer(**CACHE).at(TARGET).at(BRANCH, "T").index(entry(TARGET), address=TARGET).support(ENDED_REP)
    assert w.pcs() == [MAIN, HUB, TARGET, BRANCH, BRANCH + 8, TARGET]
    w = (
        writer(**CACHE)
        .at(BRANCH, "N")
        .at(TARGET)
        .index(entry(BRANCH), "T", address=BRANCH)
        .at(BRANCH + 8)
        .support(ENDED_REP)
    )
    assert w.pcs() == [MAIN, HUB, BRANCH, BRANCH + 4, BRANCH + 8, TARGET, BRANCH, BRANCH + 8]


def test_what_is_reported_for_other_reasons_is_not_kept() -> None:
    """ET-12: only targets of uninferable jumps fill the cache; a sync empties it."""
    for w in (
        writer(**CACHE).at(HUB, notify=1).index(entry(HUB)),
        writer(**CACHE).at(TARGET).start(HUB).index(entry(TARGET)),
    ):
        assert [d.clause for d in w.decode().diagnostics] == ["ET-12"]


def pairs() -> Program:
    """lui and auipc before jumps, and a way into the middle of each pair."""
    b = ProgramBuilder(64, MAIN)
    b.auipc(5, 1)
    b.jalr(0, 5)  # to TARGET
    b.org(TARGET)
    b.lui(7, 0x3)
    b.jalr(1, 7, 0x18)  # to BRANCH + 8, a call
    b.nop()
    b.org(BRANCH + 8)
    b.beq(1, 2, BRANCH + 20)
    b.lui(7, 0x1)
    b.nop()
    b.jalr(0, 7)  # BRANCH + 20: the constant is not right before it
    b.raw(0x6291, 2)  # c.lui x5, 4
    b.c_jr(5)  # to HANDLER
    b.org(HANDLER)
    b.nop()
    b.jalr(0, 1)
    return b.build()


def test_pairs_are_inferred() -> None:
    w = PacketWriter(pairs(), sijump=1, implicit_return=1).support().start(MAIN).at(BRANCH + 8, "T").support(ENDED_REP)
    assert w.pcs() == [MAIN, MAIN + 4, TARGET, TARGET + 4, BRANCH + 8]
    w = w.start(BRANCH + 24).at(HANDLER + 4).support(ENDED_REP)
    assert w.pcs()[5:] == [BRANCH + 24, BRANCH + 26, HANDLER, HANDLER + 4]


def test_the_call_of_a_pair_counts() -> None:
    w = (
        PacketWriter(pairs(), sijump=1, implicit_return=1)
        .support()
        .start(TARGET)
        .at(HANDLER, "N")
        .at(TARGET + 8)
        .support(ENDED_REP)
    )
    assert w.pcs() == [TARGET, TARGET + 4, *range(BRANCH + 8, BRANCH + 24, 4), HANDLER, HANDLER + 4, TARGET + 8]


def test_a_jump_whose_constant_is_not_right_before_it_is_reported() -> None:
    w = PacketWriter(pairs(), sijump=1).support().start(BRANCH + 8).at(HANDLER).support(ENDED_REP)
    assert w.pcs() == [*range(BRANCH + 8, BRANCH + 24, 4), HANDLER]


def test_half_a_pair_is_none() -> None:
    """ET-13: tracing begins at the jump, or a trap came between."""
    w = PacketWriter(pairs(), sijump=1).support().start(TARGET + 4).at(HANDLER).support(ENDED_REP)
    assert w.pcs() == [TARGET + 4, HANDLER]
    w = PacketWriter(pairs(), sijump=1).support().start(TARGET).trap(TARGET + 4).at(HANDLER).support(ENDED_REP)
    assert w.pcs() == [TARGET, TARGET + 4, HANDLER]


def test_a_resync_within_a_pair_does_not_part_it() -> None:
    w = PacketWriter(pairs(), sijump=1).support().start(TARGET).start(TARGET + 4).at(BRANCH + 8, "T").support(ENDED_REP)
    assert w.pcs() == [TARGET, TARGET + 4, BRANCH + 8]


@pytest.mark.parametrize("variant", ["v2_0", "draft_0_026"])
def test_implicit_exception(variant: str) -> None:
    """The address of the handler is what the configuration says for the cause."""
    vectors = ((0, 2, HANDLER), (1, 2, TARGET))
    w = PacketWriter(program(), variant=variant, implicit_exception=1, trap_vectors=vectors)
    w.support().start(MAIN).trap(HANDLER, ecause=2).trap(TARGET, ecause=2, interrupt=1).at(HUB).support(ENDED_REP)
    assert w.pcs() == [MAIN, HANDLER, TARGET, HUB]
    assert [e.handler for e in w.good().of("trap")] == [HANDLER, TARGET]
    trace = w.trap(HANDLER, ecause=3).at(MAIN).start(MAIN).decode()
    assert [d.clause for d in trace.diagnostics] == ["ET.opt.implicit_exception"]
    assert trace.pcs.tolist() == [MAIN, HANDLER, TARGET, HUB, MAIN]


def test_implicit_exception_still_reports_an_epc() -> None:
    w = PacketWriter(program(), implicit_exception=1, trap_vectors=((0, 2, HANDLER),))
    w.support().start(MAIN).at(HUB).trap(TARGET, thaddr=0).start(HANDLER)
    assert [(e.epc, e.handler) for e in w.good().of("trap")] == [(TARGET, HANDLER)]
