# SPDX-License-Identifier: Apache-2.0
"""Triggers, resets, low-power mode, vendor-defined messages, hcontext and custom instructions: reported, carried, read
back.
"""

import random

import pytest

from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.blocks import BlocksError, from_beats, observable, to_beats
from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import IType, Kind, Priv, Retired
from rvtrace.models.riscv.stream import check_flow, with_options, with_variant
from rvtrace.models.riscv.walk import Walk, WalkError

BASE = 0x1000
CUSTOM_0, CUSTOM_3 = 0x0000000B, 0xFFFFFFFB


@pytest.fixture(scope="module")
def program() -> Program:
    """0x1000 nop; nop; 0x1008 custom-0; 0x100C custom-3; 0x1010 jal ra, 0x1000; 0x1014 c.j 0x1000."""
    b = ProgramBuilder(64, BASE)
    b.nop()
    b.nop()
    b.raw(CUSTOM_0, 4)
    b.raw(CUSTOM_3, 4)
    b.jal(1, BASE)
    b.c_j(BASE)
    return b.build()


def levels(beats: Beats) -> list[str]:
    """For each beat the levels and pulses that are not 0, and how many blocks."""
    names = ("inst_tracing", "halted", "in_reset", "low_power", "notify", "ext_notify", "vendor", "vendor_data")
    blocks = beats.valid().sum(axis=1).tolist()
    rows = zip(*(getattr(beats, name).tolist() for name in names))
    return [" ".join([f"{n}={v}" for n, v in zip(names, row) if v] + ["block"] * k) for row, k in zip(rows, blocks)]


def test_pulses_share_the_beat_of_the_instruction_before(program):
    walk = Walk(program).trace_on().step().notify().ext_notify().vendor(56, 7).step().vendor(62, 8).notify()
    beats = to_beats(walk.step().retired(), lanes=2)
    assert levels(beats) == [
        "", "inst_tracing=1", "inst_tracing=1 notify=1 ext_notify=1 vendor=56 vendor_data=7 block",
        "inst_tracing=1 vendor=62 vendor_data=8 block", "inst_tracing=1 notify=1", "inst_tracing=1 block",
    ]  # fmt: skip
    assert from_beats(beats, program).differs(observable(walk.retired(), program)) is None


def test_reset_and_sleep_are_levels(program):
    walk = (
        Walk(program)
        .trace_on()
        .step()
        .reset_entry()
        .vendor(57, 0)
        .reset_exit(BASE)
        .step()
        .sleep()
        .trace_off()
        .wake()
        .step()
    )
    beats = to_beats(walk.retired())
    assert levels(beats) == [
        "", "inst_tracing=1", "inst_tracing=1 block", "inst_tracing=1 in_reset=1 vendor=57", "inst_tracing=1",
        "inst_tracing=1 block", "inst_tracing=1 low_power=1", "low_power=1", "", "block",
    ]  # fmt: skip
    reported = from_beats(beats, program)
    assert reported.differs(observable(walk.retired(), program)) is None
    assert reported.kind.tolist()[2:5] == [Kind.RESET_ENTRY, Kind.VENDOR, Kind.RESET_EXIT]
    # where the instruction before led, until the hart goes on
    assert reported.pc.tolist()[2:5] == [BASE + 4, BASE + 4, BASE]


def test_the_first_row_has_the_level_before(program):
    assert levels(to_beats(Walk(program).trace_on().reset_exit().step().retired()))[:2] == [
        "in_reset=1",
        "inst_tracing=1 in_reset=1",
    ]
    assert levels(to_beats(Walk(program).wake().step().retired()))[:2] == ["low_power=1", ""]


def test_hcontext_ends_a_block_and_a_cycle(program):
    walk = Walk(program, context=3).step()
    walk.hcontext = 9
    beats = to_beats(walk.step().retired(), lanes=2)
    assert beats.hcontext.tolist() == [[0, 0], [0, 0], [9, 0]] and beats.context[1:].tolist() == [[3, 0], [3, 0]]
    assert from_beats(beats, program).differs(walk.retired()) is None


def test_custom_instructions(program):
    """Section 10.1: one that goes on is a linear instruction, one that goes elsewhere an uninferable jump."""
    walk = Walk(program).step(2).step().jump(BASE).step(2).jump(0x1014).step().step(4)
    retired = walk.retired()
    jumps = retired.pc[retired.itype == IType.OTHER_UNINFERABLE_JUMP].tolist()
    assert jumps == [0x100C, 0x1008]
    check_flow(retired, program)
    for variant in ("rc7", "v1_0"):
        as_variant = with_variant(retired, program, variant)
        assert as_variant.pc[as_variant.itype == IType.OTHER_UNINFERABLE_JUMP].tolist() == jumps
    for rng in (None, random.Random(1)):
        assert from_beats(to_beats(retired, rng=rng), program).differs(retired) is None
    with pytest.raises(WalkError, match="not an indirect jump"):
        Walk(program).jump(0x1008)


@pytest.mark.parametrize("itype", [IType.TAKEN, IType.RESERVED])
def test_all_jumps(program, itype):
    retired = Walk(program, start_pc=0x1010).step(6).retired()
    reported = with_options(retired, program, True, itype)
    assert retired.itype.tolist() == [9, 0, 0, 0, 0, 9] and reported.itype.tolist() == [itype, 0, 0, 0, 0, itype]
    assert set(reported.taken.tolist()) == {-1}, "a direct jump has no direction"
    check_flow(reported, program)
    assert from_beats(to_beats(reported), program).differs(reported) is None
    assert with_options(retired, program, False).differs(retired) is None


REFUSED = {
    "the hart is in reset; call reset_exit": lambda w: w.reset_entry().step(),
    "the hart is asleep; call wake": lambda w: w.sleep().trap(2, BASE),
    "the hart is not asleep; call sleep": lambda w: w.sleep().wake().wake(),
    "the hart is in reset; call reset_exit..": lambda w: w.reset_entry().debug_entry(),
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_a_walk_refuses(program, message):
    with pytest.raises(WalkError, match=message):
        REFUSED[message](Walk(program))


CANNOT = {
    "TCODE is not 56 to 62": Retired.from_columns(pc=[0], size=[0], kind=[Kind.VENDOR], cause=[63]),
    "more than 32 bits": Retired.from_columns(pc=[0], size=[0], kind=[Kind.VENDOR], cause=[56], tval=[1 << 32]),
    "in reset or asleep": Retired.from_columns(pc=[BASE, BASE], size=[0, 4], kind=[Kind.SLEEP, Kind.INSN]),
}


@pytest.mark.parametrize("message", CANNOT)
def test_what_a_port_cannot_carry(message):
    with pytest.raises(BlocksError, match=message):
        to_beats(CANNOT[message])


def test_a_reset_hart_is_in_m_mode(program):
    walk = Walk(program, priv=Priv.U).step().reset_entry().reset_exit().step()
    assert walk.retired().priv.tolist() == [Priv.U, Priv.M, Priv.M, Priv.M]
