"""Branches: maps of every length, branches in sync packets, the predictor and its counts (ET-5, ET-9, ET-11)."""

from __future__ import annotations

import pytest

from models.etrace.packets import MAP_LENGTHS
from models.riscv.builder import ProgramBuilder
from models.riscv.program import Program
from tests.etrace.packet_writer import ENDED_NTR, ENDED_REP, PacketWriter

LOOP, INNER, OUTER, JUMP, HANDLER = 0x1000, 0x1004, 0x1008, 0x100C, 0x4000
VARIANTS = pytest.mark.parametrize("variant", ["v2_0", "draft_0_026"])
PREDICT = {"branch_prediction": 1}


def program() -> Program:
    """Two branches, so that a round of the outer loop has any number of inner ones."""
    b = ProgramBuilder(64, LOOP)
    b.nop()
    b.bne(1, 0, LOOP)  # INNER
    b.bne(2, 0, INNER)  # OUTER
    b.jalr(0, 6)  # JUMP
    b.org(HANDLER)
    b.nop()
    return b.build()


def writer(variant: str = "v2_0", **options: int) -> PacketWriter:
    return PacketWriter(program(), variant=variant, **options).support().start(LOOP)


def walked(branches: str) -> list[int]:
    """The program, followed here: from LOOP to the last of these branches."""
    pcs, pc = [], LOOP
    for letter in branches:
        pcs += [LOOP, INNER] if pc == LOOP else [pc]
        at = pcs[-1]
        pc = {INNER: (LOOP, OUTER), OUTER: (INNER, JUMP)}[at][letter == "N"]
    return pcs


@VARIANTS
@pytest.mark.parametrize("branches", sorted({n + d for v in MAP_LENGTHS.values() for n in v for d in (0, 1)} - {32}))
def test_map_of_every_length_with_an_address(variant: str, branches: int) -> None:
    way = "T" * (branches - 1) + "N"
    trace = writer(variant).at(INNER, way).support(ENDED_REP).good()
    assert trace.pcs.tolist() == walked(way)
    assert [t for t in trace.taken.tolist() if t >= 0] == [1] * (branches - 1) + [0]


@VARIANTS
def test_31_branches_without_an_address(variant: str) -> None:
    """The walk stops at the last of them; what it leads to is the next packet's."""
    full, rest = "T" * 29 + "NT", "TN"
    assert writer(variant).full(full).good().pcs.tolist() == walked(full)
    trace = writer(variant).full(full).at(INNER, rest).support(ENDED_REP).good()
    assert trace.pcs.tolist() == walked(full + rest)
    assert trace.first_pc.tolist() == [0, 0, 1, len(walked(full)), len(walked(full + rest))]


def test_31_branches_with_the_address_of_the_last() -> None:
    """The last instruction is the 31st branch (ET-5)."""
    way = "T" * 30 + "N"
    trace = writer().at(INNER, way).trap(HANDLER).good()
    assert trace.pcs.tolist() == [*walked(way), HANDLER]
    assert trace.of("trap")[0].epc == OUTER


def test_31_branches_the_last_of_them_the_target_of_a_jump() -> None:
    """branches is 31 and not 0 because a jump comes right before the last one."""
    way = "T" * 28 + "NN"  # to JUMP
    trace = writer().at(OUTER, way + "T").at(INNER, "N").support(ENDED_REP).good()
    assert trace.pcs.tolist() == [*walked(way), JUMP, OUTER, INNER]


@VARIANTS
@pytest.mark.parametrize(("branch", "after"), [(0, LOOP), (1, OUTER)])
def test_branch_in_a_sync_packet(variant: str, branch: int, after: int) -> None:
    """ET-9: 0 is taken, in both variants."""
    w = PacketWriter(program(), variant=variant).support().start(INNER, branch=branch)
    trace = w.trap(HANDLER).good()
    assert trace.taken.tolist() == [1 - branch, -1]
    assert trace.of("trap")[0].epc == after


def test_too_few_and_too_many_branches() -> None:
    short = writer().at(JUMP, "T").support(ENDED_REP).start(LOOP).decode()
    assert [d.clause for d in short.diagnostics] == ["ET.pay.map_length"]
    assert short.pcs.tolist() == [LOOP, LOOP]  # nothing of the packet is kept
    long = writer().at(JUMP, "NNT").decode()
    assert [d.clause for d in long.diagnostics] == ["ET.pay.map_length"]


@VARIANTS
@pytest.mark.parametrize("more", [0, 1, 40])
def test_a_count_and_a_failed_branch(variant: str, more: int) -> None:
    """From 01 the first branch is taken against the prediction, then all are as expected until one is not."""
    w = writer(variant, **PREDICT).at(INNER, "T").count(31 + more, fails=True)
    assert w.support(ENDED_NTR).decode().pcs.tolist() == walked("T" * (32 + more) + "N")


def test_states_of_the_predictor() -> None:
    """01 fails to 11, 11 fails to 10, 10 holds to 11 and fails to 00; 00 fails to 01: it takes two to change the mind."""
    w = PacketWriter(program(), **PREDICT).support().start(INNER, branch=0)  # INNER: 01 -> 11, the sync's own
    w.count(31, fails=True)  # 11 -> 10
    w.at(OUTER, "T").count(31, fails=True)  # 10 still says taken: -> 11, and at the end -> 10
    w.at(OUTER, "T").at(INNER, "N")  # 10 -> 00, and OUTER is at 11
    w.at(OUTER, "T").count(31, INNER).support(ENDED_REP)  # now they go in turns
    taken = w.good().taken
    assert taken[taken >= 0].tolist() == [1] + 2 * ([1] * 31 + [0, 1]) + [0, 1] + 15 * [0, 1] + [0]


@pytest.mark.parametrize("fails", [False, True])
def test_a_count_with_the_address_of_a_branch(fails: bool) -> None:
    """branch_fmt 10: it is the last of the count; 11: it comes behind them and failed (ET-11)."""
    w = writer(**PREDICT).at(INNER, "T").count(35, INNER, fails).support(ENDED_REP)
    assert w.pcs() == walked("T" * 36 + "N" * fails)


def test_a_count_with_an_address_behind_the_branches() -> None:
    w = writer(**PREDICT).at(INNER, "T").count(33, LOOP).trap(HANDLER)
    assert w.pcs() == [*walked("T" * 34), LOOP, HANDLER]
    w = writer(**PREDICT).at(INNER, "T").count(33, OUTER, fails=True).decode()
    assert [d.clause for d in w.diagnostics] == ["ET.pay.map_length"]  # INNER is the branch that comes first


@pytest.mark.parametrize("fails", [False, True])
def test_draft_count_then_address(fails: bool) -> None:
    """The address of the branch at which the count ended adds nothing; one behind it does."""
    w = writer("draft_0_026", **PREDICT).at(INNER, "T").count(35, fails=fails)
    way = walked("T" * 36 + "N" * fails)
    assert w.at(INNER).trap(HANDLER).pcs() == [*way, HANDLER]
    w = writer("draft_0_026", **PREDICT).at(INNER, "T").count(35).at(LOOP).trap(HANDLER)
    assert w.pcs() == [*walked("T" * 36), LOOP, HANDLER]


def test_the_greatest_count() -> None:
    """It is told with an address, which needs no updiscon to be final; the next packet goes on from it."""
    w = writer(**PREDICT, bcount_bits=2).at(INNER, "T").count(34, INNER).count(31, fails=True).at(OUTER, "T").support(ENDED_REP)
    assert w.pcs() == [*walked("T" * 66 + "N"), OUTER]


def test_billions_of_branches_are_no_loop_of_the_decoder() -> None:
    trace = writer(**PREDICT).at(INNER, "T").count(2_000_000, LOOP).support(ENDED_REP).good()
    assert len(trace) == 2 * 2_000_001 + 1 and trace.complete
    endless = writer(**PREDICT).at(INNER, "T").count(1 << 32, LOOP).support(ENDED_REP).decode()
    assert [d.clause for d in endless.diagnostics] == ["ET.bt.bounds"] and not endless.complete


@pytest.mark.parametrize("sync", [False, True])
def test_predictor_starts_anew_at_each_sync(sync: bool) -> None:
    """Behind a 3.0 the first prediction is not taken again, so that the way leads to JUMP."""
    w = writer(**PREDICT).at(INNER, "T" * 5)
    w = (w.start(LOOP) if sync else w).count(31, INNER).support(ENDED_REP)
    assert [d.clause for d in w.decode().diagnostics] == ["ET.pay.map_length"] * sync
