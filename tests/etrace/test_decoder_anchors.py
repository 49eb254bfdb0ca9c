# SPDX-License-Identifier: Apache-2.0
"""Implicit returns where the text leaves a decoder in doubt: anchors, depths that do not fit, traps after a return
(ET-14).
"""

from rvtrace.models.riscv.builder import ProgramBuilder
from tests.etrace.packet_writer import PacketWriter
from tests.etrace.test_decoder_returns import BACK, COUNTER, DOWN, F_BACK, HANDLER, LEAF, MAIN, OTHER, STACK, UP, writer


def test_anchors() -> None:
    """A call after an implicit return is reported with notify, so that a loop of calls can be counted."""
    b = ProgramBuilder(64, MAIN)
    b.label("loop")
    b.jal(1, LEAF)
    b.jal(0, "loop")  # BACK
    b.org(LEAF)
    b.jalr(0, 1)
    b.org(HANDLER)
    b.nop()
    w = PacketWriter(b.build(), **STACK).start(MAIN)
    for _ in range(3):
        w.at(MAIN, irdepth=0, notify=1)
    w.at(LEAF).trap(HANDLER, interrupt=1)
    assert w.pcs() == [*[MAIN, LEAF, BACK] * 3, MAIN, LEAF, HANDLER]


def test_without_anchors_the_first_place_is_taken_and_said_to_be_doubtful() -> None:
    """The published algorithm has no anchors: nothing says how often the loop of calls went round (ET-14)."""
    b = ProgramBuilder(64, MAIN)
    b.label("loop")
    b.jal(1, LEAF)
    b.jal(0, "loop")
    b.org(LEAF)
    b.jalr(0, 1)
    b.org(HANDLER)
    b.nop()
    trace = PacketWriter(b.build(), **STACK).start(MAIN).at(LEAF).trap(HANDLER, interrupt=1).good()
    assert trace.pcs.tolist() == [MAIN, LEAF, HANDLER]
    assert [(e.index, e.again) for e in trace.of("ambiguous")] == [(1, "return")]


def test_an_impossible_depth_is_a_contradiction_or_a_doubt() -> None:
    trace = writer(**STACK).at(F_BACK, "NNT", irdepth=7).trap(HANDLER).good()
    assert trace.pcs.tolist() == [*DOWN, *UP[:2], HANDLER]
    assert [e.again for e in trace.of("ambiguous")][:1] == ["return"]
    lost = writer(**STACK).at(OTHER, "NNT", irdepth=7).decode()
    assert [d.clause for d in lost.diagnostics] == ["ET-14"]


def test_trap_after_a_return() -> None:
    """Its EPC is the predicted one, if an exception does not report another; of an interrupt a stack cannot know."""
    w = writer(**STACK).at(LEAF, "NNT")
    assert w.trap(HANDLER).good().of("trap")[0].epc == LEAF - 4
    w = writer(**STACK).at(LEAF, "NNT").trap(HANDLER, interrupt=1)
    assert w.good().of("trap")[0].epc is None
    w = writer(**STACK).at(LEAF, "NNT").trap(OTHER, thaddr=0).start(HANDLER)
    assert [(e.epc, e.handler) for e in w.good().of("trap")] == [(OTHER, HANDLER)]
    w = writer(**COUNTER).at(LEAF, "NNT").trap(HANDLER, interrupt=1)
    assert w.good().of("trap")[0].epc == LEAF - 4
