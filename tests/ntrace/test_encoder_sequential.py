# SPDX-License-Identifier: Apache-2.0
"""The encoder model's sequential jumps (section 9.1) and all-jumps option (chapter 2)."""

from __future__ import annotations

import pytest

from rvtrace.models.riscv.retired import IType
from tests.ntrace.encoder_stream import OFF, Block, each, encode, exception, explained, linear, plain, ret, row

END = row(levels=OFF)
ON = {"sequential_jump": 1}
SMALL = {"icnt_bits": 5, "hist_bits": 4, "iretire_bits": 4}  # full at 16 half-words


def jump(iaddr: int, iretire: int, ilastsize: int = 1, itype: int = IType.OTHER_UNINFERABLE_JUMP) -> Block:
    """A block that ends with a sequentially inferable jump."""
    return Block(itype, iaddr, iretire, ilastsize, sijump=1)


@pytest.mark.parametrize(
    "blocks",
    [
        [jump(0x100, 4)],  # lui and jalr, 32 bits each
        [jump(0x100, 2, ilastsize=0)],  # c.lui and c.jr
        [linear(0x100, 2), jump(0x104, 2)],  # two blocks
        [linear(0x100, 1), jump(0x102, 1, ilastsize=0)],
    ],
)
@pytest.mark.parametrize("mode", ["btm", "htm"])
def test_inferable(mode: str, blocks: list[Block]) -> None:
    """The pair is in one message: the target is not reported. Without the option it is."""
    rows = [*each([*blocks, linear(0x500, 1)]), END]
    half_words = sum(block.iretire for block in blocks)
    trace = encode(rows, mode=mode, **ON)
    assert [(m.name, m.get("icnt")) for m in trace.messages[1:]] == [("ProgTraceCorrelation", half_words + 1)]
    assert plain(encode(rows, mode=mode))[1] == ("IndirectBranch", 0, half_words, (0x100 ^ 0x500) >> 1)


def test_jump_at_the_start() -> None:
    """Its lui is not traced."""
    trace = encode(each([jump(0x104, 2), linear(0x500, 1)]), **ON)
    assert explained(trace)[1:] == [("NT.9.1.sequential_jump", "IndirectBranch", 0, 2, (0x104 ^ 0x500) >> 1)]


def test_split_by_resource_full() -> None:
    """The lui is the 16th half-word: ResourceFull comes between it and its jump."""
    trace = encode(each([linear(0x100, 14), linear(0x11C, 2), jump(0x120, 2), linear(0x500, 1)]), **ON, **SMALL)
    assert explained(trace)[1:] == [
        ("NT.8.4.4.resource_full", "ResourceFull", 0, 16),
        ("NT.9.1.sequential_jump", "IndirectBranch", 0, 2, (0x100 ^ 0x500) >> 1),
    ]


def test_split_by_a_mark() -> None:
    """The mark after the lui is reported at the jump's block, before the jump is counted."""
    trace = encode([row(linear(0x100, 2), notify=1), *each([jump(0x104, 2), linear(0x500, 1)])], **ON)
    assert explained(trace)[1:] == [
        ("NT.8.5.sync6", "ProgTraceSync", 6, 2, 0x82),
        ("NT.9.1.sequential_jump", "IndirectBranch", 0, 2, (0x104 ^ 0x500) >> 1),
    ]


def test_full_icnt_at_the_jump() -> None:
    """Nothing is pending after it: a full I-CNT is reported at once."""
    trace = encode(each([linear(0x100, 15), jump(0x11E, 2), linear(0x500, 1)]), **ON, **SMALL)
    assert explained(trace)[1:] == [("NT.8.4.4.resource_full", "ResourceFull", 0, 17)]
    assert trace.beat[1:] == [2]


@pytest.mark.parametrize("itype", [IType.EXCEPTION, IType.INTERRUPT, IType.XRET])
def test_traps_are_reported(itype: int) -> None:
    trace = encode(each([jump(0x100, 4, itype=itype), linear(0x500, 1)]), **ON)
    assert trace.messages[1].get("icnt") == 4


def test_calls_and_returns_use_the_stack() -> None:
    """auipc and jalr ra push 0x108; a return after auipc pops it although its target need not be reported."""
    blocks = [jump(0x100, 4, itype=IType.UNINFERABLE_CALL), ret(0x500, 1), linear(0x108, 1)]
    trace = encode([*each(blocks), END], implicit_return=3, **ON)
    assert plain(trace)[1:] == [("ProgTraceCorrelation", 4, 1, 6, 1)]
    blocks[1:] = [jump(0x500, 4, itype=IType.RETURN), ret(0x600, 1), linear(0x108, 1)]
    trace = encode(each(blocks), implicit_return=3, **ON)
    assert explained(trace)[1:] == [("NT-4", "IndirectBranch", 0, 9, (0x100 ^ 0x108) >> 1)]


def test_trap_at_the_target() -> None:
    trace = encode(each([jump(0x100, 4), exception(0x500), linear(0x800, 1)]), **ON)
    assert explained(trace)[1:] == [("NT.2.exception", "IndirectBranch", 2, 4, (0x100 ^ 0x800) >> 1)]


ALL = {"all_jumps": 1}
SEVEN = Block(IType.RESERVED, 0x100, 2)  # rc7: a direct jump, with all-jumps


def test_all_jumps() -> None:
    """Table 4: BTM reports each jump, HTM shifts a 1 into HIST."""
    rows = [*each([SEVEN, linear(0x200, 1)]), END]
    assert explained(encode(rows, mode="btm", variant="rc7", **ALL))[1:] == [
        ("NT.2.all_jumps", "DirectBranch", 2),
        ("NT.7.12.trace_off", "ProgTraceCorrelation", 4, 0, 1),
    ]
    assert plain(encode(rows, variant="rc7", **ALL))[1:] == [("ProgTraceCorrelation", 4, 1, 3, 0b11)]


@pytest.mark.parametrize("config", [{"variant": "rc7"}, {"variant": "v1_0", **ALL}])
def test_itype_7_else(config: dict) -> None:
    """Without the option, and in v1_0, it is no flow change."""
    rows = [*each([SEVEN, linear(0x104, 1)]), END]
    assert plain(encode(rows, **config))[1:] == [("ProgTraceCorrelation", 4, 1, 3, 1)]


def test_jump_reported_as_taken_pushes_nothing() -> None:
    """A call that the port reports as itype 5 leaves the stack empty: its return is reported."""
    blocks = [Block(IType.TAKEN, 0x100, 2), ret(0x200, 1), linear(0x104, 1)]
    trace = encode(each(blocks), implicit_return=3, **ALL)
    assert plain(trace)[1:] == [("IndirectBranchHist", 0, 3, (0x100 ^ 0x104) >> 1, 0b11)]
