# SPDX-License-Identifier: Apache-2.0
"""Choices another encoder may make (payload chapter, branch trace chapter): the decoder reads them all the same."""

import pytest

from rvtrace.models.riscv.builder import ProgramBuilder
from tests.etrace.packet_writer import ENDED_NTR, ENDED_REP, PacketWriter
from tests.etrace.test_decoder_branches import INNER, JUMP, LOOP, OUTER, program, walked
from tests.etrace.test_decoder_jumps import CACHE, HUB, MAIN, TARGET
from tests.etrace.test_decoder_jumps import program as jumps

HANDLER = 0x4000


def writer(**options: object) -> PacketWriter:
    return PacketWriter(program(), **options).support().start(LOOP)


def test_a_map_where_a_count_would_do() -> None:
    """Formats 1 for branches that were all predicted, in pieces, with prediction on."""
    w = writer(branch_prediction=1).full("T" * 31).full("T" * 31).at(INNER, "T" * 20).support(ENDED_REP)
    assert w.pcs() == walked("T" * 82)


def test_an_address_where_an_index_would_do() -> None:
    w = PacketWriter(jumps(), **CACHE).support().start(MAIN).at(TARGET).at(TARGET).at(HUB).at(TARGET).support(ENDED_NTR)
    assert w.pcs() == [MAIN, HUB, TARGET, TARGET, HUB, TARGET]


def test_a_full_map_with_the_address_of_its_last_branch() -> None:
    """An encoder may report more than it must; a branch is met once for each bit."""
    w = writer().at(INNER, "T" * 31).at(INNER, "T" * 31).at(OUTER, "NT").support(ENDED_REP)
    assert w.pcs() == [*walked("T" * 62 + "N"), OUTER]


def test_an_address_that_needs_none_does_not_lead_astray() -> None:
    """LOOP is reported although no jump leads there and no sync follows:
    the code to the next branch has no such jump.
    """
    w = writer().at(INNER, "T").at(LOOP).at(INNER, "N").support(ENDED_REP)
    assert w.pcs() == [LOOP, INNER, LOOP, INNER]


@pytest.mark.parametrize("reported", [False, True])
def test_a_resync_anywhere(reported: bool) -> None:
    """Not only after a special instruction, and whether or not the instruction before was reported."""
    b = ProgramBuilder(64, 0x1000)
    for _ in range(40):
        b.nop()
    w = PacketWriter(b.build()).support().start(0x1000)
    for pc in range(0x1000, 0x1090, 12):
        w = (w.at(pc + 8) if reported else w).start(pc + 12)
    assert w.support(ENDED_NTR).pcs() == list(range(0x1000, 0x1094, 4))


def test_each_instruction_a_resync() -> None:
    w = PacketWriter(program()).support()
    for pc, branch in ((LOOP, 1), (INNER, 0), (LOOP, 1), (INNER, 1), (OUTER, 1), (JUMP, 1), (LOOP, 1)):
        w.start(pc, branch=branch)
    trace = w.support(ENDED_NTR).good()
    assert trace.pcs.tolist() == [LOOP, INNER, LOOP, INNER, OUTER, JUMP, LOOP]
    assert trace.taken.tolist() == [-1, 1, -1, 0, 0, -1, -1]


def test_padded_payloads() -> None:
    """Sign extension beyond what is needed, up to the last whole byte of the fields."""
    w = writer().at(INNER, "T").at(INNER, "N").support(ENDED_REP)
    shortest = w.pcs()
    fields = 2 + 5 + 1 + 63 + 3 + 5  # format 1 with one branch
    for place in (2, 3):
        payload = w.payloads[place]
        w.payloads[place] = payload + (b"\xff" if payload[-1] >> 7 else b"\0") * (fields // 8 - len(payload) + 1)
    assert w.pcs() == shortest


def test_irreport_that_is_not_needed() -> None:
    """The depth reported although nothing returned, and at the target of a jump."""
    options = {"implicit_return": 1, "return_stack_size_p": 2}
    w = writer(**options).at(INNER, "TT", irdepth=0).at(OUTER, "NN", irdepth=0).at(LOOP, irdepth=0).trap(JUMP)
    assert w.pcs() == [*walked("TTNN"), JUMP, LOOP, JUMP]


def test_a_notification_at_the_target_of_a_jump() -> None:
    w = PacketWriter(jumps()).support().start(MAIN).at(TARGET, notify=1).at(HUB).support(ENDED_NTR)
    assert w.pcs() == [MAIN, HUB, TARGET, HUB]


def test_an_encoder_that_flags_every_jump() -> None:
    """updiscon without a sync after it: still the target of a jump."""
    w = PacketWriter(jumps()).support().start(MAIN).at(HUB, updiscon=1).at(HUB, updiscon=1).support(ENDED_REP)
    assert w.pcs() == [MAIN, HUB, HUB, HUB]


def test_the_first_place_of_a_resync_is_taken_and_said_to_be_doubtful() -> None:
    """The published algorithm sends nothing before a resync with no branches pending, even if a jump leads to it."""
    trace = PacketWriter(jumps()).support().start(MAIN).start(HUB).support(ENDED_NTR).good()
    assert trace.pcs.tolist() == [MAIN, HUB]
    assert [(e.index, e.again) for e in trace.of("ambiguous")] == [(1, "jump")]


def test_an_encoder_without_a_predictor_or_a_cache() -> None:
    """No bits for what it does not have."""
    w = (
        writer(bpred_size_p=0, cache_size_p=0, f0s_width_p=0, return_stack_size_p=0)
        .at(INNER, "T")
        .at(INNER, "N")
        .support(ENDED_REP)
    )
    assert w.pcs() == walked("TN")
