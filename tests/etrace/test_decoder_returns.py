# SPDX-License-Identifier: Apache-2.0
"""Implicit returns: call counter and return stack, irreport and irdepth, recursion, anchors (sections implicit-return,
irxx; ET-14).
"""

import pytest

from rvtrace.models.etrace.decoder.decode import decode
from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.program import Program
from tests.etrace.packet_writer import ENDED_REP, PacketWriter

MAIN, BACK, END, HANDLER = 0x1000, 0x1004, 0x1008, 0x4000
F, F_CALL, F_BACK, F_RET = 0x2000, 0x2004, 0x2008, 0x200C
LEAF, OTHER = 0x3000, 0x3100
STACK = {"implicit_return": 1, "return_stack_size_p": 2}
COUNTER = {"implicit_return": 1, "return_stack_size_p": 0, "call_counter_size_p": 2}
DRAFT = COUNTER | {"variant": "draft_0_026"}
ALL = pytest.mark.parametrize("options", [STACK, COUNTER, DRAFT], ids=["stack", "counter", "draft"])


def program() -> Program:
    """main calls f; f calls itself as often as its branch says, then the leaf, and returns without a branch."""
    b = ProgramBuilder(64, MAIN)
    b.jal(1, F)
    b.nop()  # BACK
    b.nop()  # END
    b.jalr(0, 6)
    b.org(F)
    b.beq(10, 0, LEAF - 8)  # taken: no more calls
    b.jal(1, F)  # F_CALL
    b.nop()  # F_BACK
    b.jalr(0, 1)  # F_RET
    b.org(LEAF - 8)
    b.jal(1, LEAF)
    b.jalr(0, 1)
    b.org(LEAF)
    b.jalr(0, 1)
    b.org(OTHER)
    b.nop()
    b.jalr(0, 1)
    b.org(HANDLER)
    b.nop()
    return b.build()


DOWN = [MAIN, F, F_CALL, F, F_CALL, F, LEAF - 8, LEAF]  # three calls of f, then the leaf: four are open
UP = [LEAF - 4, F_BACK, F_RET, F_BACK, F_RET, BACK, END]


def writer(**options: object) -> PacketWriter:
    return PacketWriter(program(), **options).support().start(MAIN)


@ALL
def test_returns_without_a_packet(options: dict) -> None:
    w = writer(**options | {"call_counter_size_p": 3 * ("call_counter_size_p" in options)})
    assert w.at(END, "NNT", irdepth=0).support(ENDED_REP).pcs() == [*DOWN, *UP]


def test_without_the_option_a_return_is_reported() -> None:
    trace = writer(return_stack_size_p=2).at(END, "NNT").decode()
    assert trace.pcs.tolist() == [*DOWN, END]  # the leaf's return leads where the packet says


@pytest.mark.parametrize(("depth", "rounds"), [(2, 1), (1, 2)])
def test_irdepth_selects_one_of_several_equal_places(depth: int, rounds: int) -> None:
    """F_BACK is passed twice on the way up, with no branch between; it is the one with so many calls open."""
    w = writer(**STACK).at(F_BACK, "NNT", irdepth=depth).trap(HANDLER)
    trace = w.good()
    assert trace.pcs.tolist() == [*DOWN, *UP[: 2 * rounds], HANDLER]
    assert trace.of("trap")[0].epc == F_RET and not trace.of("ambiguous")


@pytest.mark.parametrize(("depth", "end"), [(2, F_RET), (1, F_RET)])
def test_irdepth_of_a_return_is_the_one_before_it_pops(depth: int, end: int) -> None:
    trace = writer(**STACK).at(end, "NNT", irdepth=depth).trap(HANDLER).good()
    assert trace.pcs.tolist() == [*DOWN, *UP[: 7 - 2 * depth], HANDLER]


def test_irdepth_of_the_outermost_place_may_be_left_out() -> None:
    """Right after an implicit return, an encoder of the ratified text reports the depth only if it is not 0."""
    for irdepth in (0, None):
        assert writer(**STACK).at(BACK, "NNT", irdepth=irdepth).trap(HANDLER).pcs() == [*DOWN, *UP[:6], HANDLER]


@pytest.mark.parametrize(("depth", "rounds"), [(3, 0), (2, 2), (1, 4)])
def test_a_return_that_goes_elsewhere(depth: int, rounds: int) -> None:
    """irdepth: entries before it. Of the leaf's own 4 there are; the returns before are as predicted."""
    w = writer(**STACK).at(OTHER, "NNT", irdepth=depth).support(ENDED_REP)
    rounds_up = [LEAF - 4, *UP[1:]][: 1 + rounds]
    assert w.pcs() == [*DOWN, *rounds_up, OTHER]


def test_what_is_left_after_a_wrong_prediction() -> None:
    """The entry was popped all the same: the return of OTHER goes where the next one says."""
    w = writer(**STACK).at(OTHER, "NNT", irdepth=2).at(END, irdepth=0).support(ENDED_REP)
    assert w.pcs() == [*DOWN, *UP[:3], OTHER, OTHER + 4, BACK, END]


def test_a_full_stack_forgets_the_oldest() -> None:
    """Two entries: the third return up is reported, without irreport, since its stack is empty."""
    w = writer(implicit_return=1, return_stack_size_p=1).at(F_BACK, "NNT").at(BACK).at(END).support(ENDED_REP)
    assert w.pcs() == [*DOWN, *UP]


@pytest.mark.parametrize("variant", ["v2_0", "draft_0_026"])
def test_a_counter_stays_at_its_most(variant: str) -> None:
    """It counts three of four calls: of the four returns, the last is reported."""
    w = writer(**COUNTER, variant=variant).at(BACK, "NNT").at(END).support(ENDED_REP)
    assert w.pcs() == [*DOWN, *UP]


def test_a_counter_does_not_say_where_a_return_goes() -> None:
    """ET-14: only a return stack finds out that a return went elsewhere, so an encoder with a counter never reports
    that. What irdepth selects on the way up is F_BACK, and the packet has another address.
    """
    trace = writer(**COUNTER | {"call_counter_size_p": 3}).at(OTHER, "NNT", irdepth=2).decode()
    assert [one.clause for one in trace.diagnostics] == ["ET-14"] and OTHER not in trace.pcs
    assert writer(**STACK).at(OTHER, "NNT", irdepth=2).support(ENDED_REP).pcs()[-1] == OTHER


@pytest.mark.parametrize(("options", "clause"), [(STACK, "ET.opt.stack"), (COUNTER, "ET.pay.map_length")])
def test_a_branch_is_reported_after_a_return_for_which_no_call_is_open(options: dict, clause: str) -> None:
    """It is an uninferable jump whose target has to be reported; of a stack it may have dropped the call."""
    trace = PacketWriter(program(), **options).support().start(LEAF).at(F_CALL, "N").decode()
    assert [one.clause for one in trace.diagnostics] == [clause]


def test_an_address_after_a_return_of_a_draft_need_not_be_the_target_of_a_jump() -> None:
    """A draft reports the last instruction before a 3.0 also where a return was implicit. So BACK is where the return
    led, and not a later round to which the jump after END led; nothing says which, and that is reported.
    """
    b = ProgramBuilder(64, MAIN)
    b.jal(1, LEAF)
    b.nop()  # BACK
    b.nop()  # END
    b.jalr(0, 6)
    b.org(LEAF)
    b.jalr(0, 1)
    w = PacketWriter(b.build(), **DRAFT).support().start(MAIN).at(BACK).start(END).support(ENDED_REP)
    assert w.pcs() == [MAIN, LEAF, BACK, END]
    assert {event.again for event in w.good().of("ambiguous")} == {"jump"}


@ALL
def test_a_sync_forgets_all_calls(options: dict) -> None:
    w = writer(**options).at(LEAF, "NNT").start(LEAF - 4).at(F_BACK).at(F_BACK).at(BACK).support(ENDED_REP)
    assert w.pcs() == [*DOWN, *UP[:-1]]


def test_a_trap_forgets_all_calls() -> None:
    w = writer(**STACK).at(LEAF - 8, "NNT").trap(LEAF).at(END).support(ENDED_REP)
    assert w.pcs() == [*DOWN[:-1], LEAF, END]


def test_a_sync_that_is_a_call_counts_it() -> None:
    assert PacketWriter(program(), **STACK).support().start(MAIN).at(BACK, "T").support(ENDED_REP).pcs()[-1] == BACK


def test_an_address_that_is_settled_is_no_target_of_a_jump() -> None:
    """Draft: the address of an indirect call, then its target. Two calls, the first one to itself, or only one: then
    the second return has none.
    """
    b = ProgramBuilder(64, MAIN)
    b.nop()
    b.jalr(1, 6)  # CALL
    b.jalr(0, 1)  # AFTER
    b.org(LEAF)
    b.jalr(0, 1)
    b.org(OTHER)
    b.nop()
    call, after = MAIN + 4, MAIN + 8
    w = PacketWriter(b.build(), **DRAFT).support().start(MAIN).at(call).at(LEAF).at(OTHER).support(ENDED_REP)
    once = [MAIN, call, LEAF, after, OTHER]
    assert w.pcs() == [MAIN, call, call, LEAF, after, after, OTHER]
    settled = decode(w.payloads, w.program, w.config, settled=(3,))
    assert settled.pcs.tolist() == once and not settled.diagnostics
    assert decode(w.payloads, w.program, w.config, settled=(2, 4)).pcs.tolist() == w.pcs()
