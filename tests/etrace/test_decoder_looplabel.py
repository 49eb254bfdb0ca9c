# SPDX-License-Identifier: Apache-2.0
"""A loop that an indirect jump closes, entered from above (section updiscon): which time its label is reported."""

from typing import Any

import pytest

from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.program import Program
from tests.etrace.packet_writer import ENDED_NTR, ENDED_REP, TRACE_LOST, PacketWriter

A, LABEL, C, JALR, HANDLER = 0x1000, 0x1004, 0x1008, 0x100C, 0x4000
FIRST = [A, LABEL]
SECOND = [A, LABEL, C, JALR, LABEL]
VARIANTS = pytest.mark.parametrize("variant", ["v2_0", "draft_0_026"])


def program() -> Program:
    b = ProgramBuilder(64, A)
    b.nop()
    b.nop()  # LABEL
    b.nop()
    b.jalr(0, 6)
    b.org(HANDLER)
    b.nop()
    b.mret()
    return b.build()


def loop(variant: str = "v2_0", **options: int) -> PacketWriter:
    return PacketWriter(program(), variant=variant, **options).support().start(A)


@VARIANTS
def test_scenario_1_the_loop_goes_on(variant: str) -> None:
    """Nothing marks the packet, and the next one is no format 3: it was the second time."""
    assert loop(variant).at(LABEL).at(LABEL).support(ENDED_NTR).pcs() == [*SECOND, C, JALR, LABEL]
    assert loop(variant).at(LABEL).at(C).support(ENDED_REP).pcs() == [*SECOND, C]


def test_scenario_2_a_trap_in_the_second_round() -> None:
    """updiscon: it was the second time, and a format 3 follows."""
    trace = loop().at(LABEL, updiscon=1).trap(HANDLER).good()
    assert trace.pcs.tolist() == [*SECOND, HANDLER]
    assert trace.of("trap")[0].epc == C and not trace.of("ambiguous")
    assert loop().at(LABEL, updiscon=1).start(C).at(JALR).support(ENDED_REP).pcs() == [*SECOND, C, JALR]


@VARIANTS
def test_scenario_3_a_trap_in_the_first_round(variant: str) -> None:
    """Nothing marks the packet, and a format 3 follows at once."""
    trace = loop(variant).at(LABEL).trap(HANDLER).good()
    assert trace.pcs.tolist() == [*FIRST, HANDLER]
    assert trace.of("trap")[0].epc == C


def test_scenario_3_a_resync_in_the_first_round() -> None:
    assert loop().at(LABEL).start(C).at(JALR).support(ENDED_REP).pcs() == [*FIRST, C, JALR]


def test_the_draft_reports_no_bare_address_before_a_resync() -> None:
    """Unless branches are reported or context changes, only a jump explains it; it stays doubtful."""
    trace = loop("draft_0_026").at(LABEL).start(C).at(JALR).support(ENDED_REP).good()
    assert trace.pcs.tolist() == [*SECOND, C, JALR]
    assert [(e.index, e.again) for e in trace.of("ambiguous")] == [(4, "before"), (6, "jump")]
    assert loop("draft_0_026").at(LABEL).start(C, context=1).at(JALR).support(ENDED_REP).pcs() == [*FIRST, C, JALR]


def test_scenario_4_a_notification_in_the_first_round() -> None:
    """notify: it was the first time, whatever follows."""
    trace = loop().at(LABEL, notify=1).at(LABEL).support(ENDED_NTR).good()
    assert trace.pcs.tolist() == SECOND
    assert [(e.kind, e.index) for e in trace.of("notify")] == [("notify", 1)]
    assert loop().at(LABEL, notify=1).support(ENDED_NTR).pcs() == FIRST
    assert loop().at(LABEL, notify=1).trap(HANDLER).pcs() == [*FIRST, HANDLER]


@VARIANTS
def test_ended_rep_means_the_first_round_and_ended_ntr_the_second(variant: str) -> None:
    assert loop(variant).at(LABEL).support(ENDED_REP).pcs() == FIRST
    assert loop(variant).at(LABEL).support(ENDED_NTR).pcs() == SECOND


def test_ended_rep_after_updiscon() -> None:
    """An encoder with early access to its filters may use updiscon for the last instruction (section qual_status)."""
    assert loop().at(LABEL, updiscon=1).support(ENDED_REP).pcs() == SECOND


@pytest.mark.parametrize(("flags", "expected"), [({}, FIRST), ({"updiscon": 1}, SECOND), ({"notify": 1}, FIRST)])
def test_all_three_at_the_second_entry_of_a_longer_way(flags: dict[str, Any], expected: list[int]) -> None:
    """The same after a round that is reported: what was passed before plays no part."""
    w = loop().at(LABEL).at(LABEL, **flags).support(ENDED_REP)
    assert w.pcs() == [*SECOND, C, JALR, LABEL]
    assert loop().at(LABEL, **flags).support(ENDED_REP).pcs() == expected


def test_a_resync_later_in_the_second_round() -> None:
    """A 3.0 that is not the very next instruction: the label was reported for the sake of the jump."""
    assert loop().at(LABEL).start(JALR).support(ENDED_NTR).pcs() == [*SECOND, C, JALR]


def test_a_context_packet_decides_nothing() -> None:
    assert loop().at(LABEL).context(5).at(C).support(ENDED_REP).pcs() == [*SECOND, C]
    assert loop().at(LABEL).context(5).trap(HANDLER).pcs() == [*FIRST, HANDLER]


def test_a_loss_decides_nothing() -> None:
    trace = loop().at(LABEL).support(TRACE_LOST).start(C).support(ENDED_NTR).good()
    assert trace.pcs.tolist() == [*FIRST, C]
    assert [(e.index, e.again) for e in trace.of("ambiguous")] == [(1, "jump")]


def test_the_draft_reports_notifications_like_jumps() -> None:
    """Both are format 2 there; the way on is taken if there is one, and said to be doubtful."""
    trace = loop("draft_0_026").at(LABEL).at(C).support(ENDED_REP).good()
    assert [(e.index, e.again) for e in trace.of("ambiguous") if e.again == "before"] == [(4, "before")]


def test_rounds_of_a_loop_of_direct_jumps_cannot_be_counted() -> None:
    b = ProgramBuilder(64, A)
    b.nop()
    b.label("spin")
    b.nop()
    b.jal(0, "spin")
    b.org(HANDLER)
    b.nop()
    w = PacketWriter(b.build()).start(A).at(LABEL).trap(HANDLER, interrupt=1)
    trace = w.good()
    assert trace.pcs.tolist() == [*FIRST, HANDLER]
    assert [(e.index, e.again) for e in trace.of("ambiguous")] == [(1, "loop")]
