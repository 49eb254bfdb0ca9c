# SPDX-License-Identifier: Apache-2.0
"""Branches: maps of every length, branches in sync packets (ET-5, ET-9)."""

import pytest

from rvtrace.models.etrace.table import MAP_LENGTHS
from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.program import Program
from tests.etrace.packet_writer import ENDED_REP, PacketWriter

LOOP, INNER, OUTER, JUMP, HANDLER = 0x1000, 0x1004, 0x1008, 0x100C, 0x4000
VARIANTS = pytest.mark.parametrize("variant", ["v2_0", "draft_0_026"])


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


def test_a_branch_where_the_code_goes_round_without_one() -> None:
    """The decoder finds out, instead of going round for ever, and says where."""
    b = ProgramBuilder(64, LOOP)
    b.nop()
    b.jal(0, LOOP)
    trace = PacketWriter(b.build()).support().start(LOOP).full("T" * 31).decode()
    assert [d.clause for d in trace.diagnostics] == ["ET.pay.map_length"]
    assert "31 branches are left, but the code at 0x1004: j 0x1000 has none" in trace.diagnostics[0].text
    assert trace.pcs.tolist() == [LOOP]
