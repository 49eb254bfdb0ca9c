# SPDX-License-Identifier: Apache-2.0
"""The encoder model: where trace starts, goes on and ends; jumps; differences of addresses. Profile: Items, End of
trace.
"""

from typing import Any

import pytest

from rvtrace.models.etrace.encoder.encode import Encoder, EncoderError
from rvtrace.models.riscv.retired import IType, Priv
from tests.etrace.encoder_stream import DISABLED, ENABLED, NTR, REP, encode, explained, reported, sends
from tests.ntrace.encoder_stream import DEBUG, HART_RESET, OFF, RESET, Block, jump, linear, row, to_beats

END = row(levels=OFF)
ENDS = [(OFF, REP), (DEBUG, REP), (HART_RESET, REP), (RESET, ("support", 0, "ended_rep"))]


@pytest.mark.parametrize("levels, ended", ENDS)
@pytest.mark.parametrize("variant", ["v2_0", "draft_0_026"])
def test_start_and_end(variant: str, levels: tuple, ended: tuple) -> None:
    """3.0 at 0x1000, its last instruction 6 bytes on is reported because trace ends, then the support packet."""
    trace = encode([row(linear(0x1000, 5)), row(levels=levels)], variant=variant)
    assert explained(trace) == [
        ("enable", *ENABLED), ("first", "start", 0x1000), ("last", "address", 6), ("ended", *ended),
    ]  # fmt: skip


def test_an_item_without_next_makes_no_packet() -> None:
    """The last instruction of the beats waits for the one after it."""
    assert reported(encode([row(linear(0x1000, 2))])) == [ENABLED]
    assert reported(encode([row(linear(0x1000, 4))])) == [ENABLED, ("start", 0x1000)]


def test_nothing_traced() -> None:
    """Only the changes of `enable`; blocks while inst_tracing is 0 are nothing."""
    rows = [row(linear(0x1000, 4), levels=OFF), row(levels=DEBUG), row(levels=RESET), row(levels=OFF)]
    trace = encode(rows)
    assert explained(trace) == [("enable", *ENABLED), ("disable", *DISABLED), ("enable", *ENABLED)]
    assert trace.beat == [1, 3, 4]


@pytest.mark.parametrize("itype", [6, 8, 10, 12, 13, 14])
def test_jump(itype: int) -> None:
    """0x1000, 0x1004 jumps to 0x0800: difference -0x800 from 0x1000, the address last sent. It ends there:
    ended_ntr.
    """
    sends([Block(itype, 0x1000, 4), linear(0x0800, 2), END], [("address", -0x800), NTR])


@pytest.mark.parametrize("itype", [0, 7, 9, 11, 15])
def test_inferable(itype: int) -> None:
    sends([Block(itype, 0x1000, 4), linear(0x0800, 2), END], [("address", -0x800), REP])


@pytest.mark.parametrize("itype, reported", [(7, True), (6, False), (10, True), (12, True), (13, False)])
def test_draft_itypes(itype: int, reported: bool) -> None:
    expected = [("address", -0x800), ("address", 4), REP] if reported else [("address", -0x7FC), REP]
    sends([Block(itype, 0x1000, 2), linear(0x0800, 2), linear(0x0804, 2), END], expected, variant="draft_0_026")


CASES: dict[str, tuple[list[Any], list[Any], dict[str, Any]]] = {
    "one instruction: its 3.0 was due anyway, so ended_ntr": ([linear(0x1000, 2), END], [NTR], {}),
    "itype of three bits": (
        [Block(6, 0x1000, 2), linear(0x3000, 2), END], [("address", 0x2000), NTR], {"itype_width_p": 3},
    ),
    "32 bits, lsb 1: from 0x10 to 0xfffffff0 is -0x20; the half of the address space away is negative": (
        [jump(0x10, 2), jump(0xFFFF_FFF0, 2), jump(0x7FFF_FFF0, 2), linear(0x10, 2), END],
        [("address", -0x20), ("address", -0x8000_0000), ("address", -0x7FFF_FFE0), NTR], {"iaddress_width_p": 32},
    ),
    "a block wraps at 32 bits: four instructions from 0xfffffff8 on; the last one is at 4": (
        [linear(0xFFFF_FFF8, 8), END], [("address", 4), REP], {"iaddress_width_p": 32, "full_address": 1},
    ),
    "a call at 0xfffffffc is returned from to 0": (
        [Block(9, 0xFFFF_FFF8, 4), Block(13, 0x2000, 2), linear(0, 2), END],
        [("address", 8, ("irdepth", 0)), REP], {"iaddress_width_p": 32, "implicit_return": 1},
    ),
    "a block that wraps counts its half-words": (
        [Block(15, 0xFFFF_FFFC, 20), linear(0x100, 2), END], [("start", 0x100), NTR],
        {"iaddress_width_p": 32, "inst_sync_mode": 3},
    ),
    "full addresses": (
        [jump(0x1000, 2), linear(0xFFFF_FFF0, 2), END], [("address", 0xFFFF_FFF0), NTR],
        {"full_address": 1, "iaddress_width_p": 32},
    ),
    "each time trace is on again, the first instruction is a 3.0, whatever comes before it": (
        [jump(0x1000, 2), END, row(linear(0x2000, 2), levels=OFF), row(levels=DEBUG), jump(0x3000, 2),
         row(levels=RESET)],
        [NTR, ("start", 0x3000), ("support", 0, "ended_ntr")], {},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_case(case: str) -> None:
    rows, expected, config = CASES[case]
    sends(rows, expected, **config)


def test_published_vectors() -> None:
    """Payloads of E-Trace 2.0 that two decoders agreed upon: a start at 0x1000 in M-mode, and support packets."""
    rows = [row(linear(0x1000, 2)), row(levels=OFF)]
    trace = encode(rows, ecause_width_p=5, privilege_width_p=2)
    assert trace.payloads[1] == bytes.fromhex("73 00 00 00 00 00 04")
    assert trace.payloads[0] == bytes.fromhex("1f")


def test_beats_that_do_not_fit() -> None:
    for rows, config, words in (
        ([row(linear(0, 2), linear(4, 2))], {}, "BLOCKS_P=2"),
        ([row(linear(0, 200))], {}, "IRETIRE_WIDTH_P=8"),
        ([row(linear(1 << 32, 2))], {"iaddress_width_p": 32}, "IADDRESS_WIDTH_P=33"),
        ([row(Block(IType.RETURN, 0, 2))], {"itype_width_p": 3}, "ITYPE_WIDTH_P=4"),
        ([row(Block(0, 0, 2, priv=Priv.VS))], {"privilege_width_p": 2}, "privilege VS"),
        ([row(linear(0, 2), toggle=16)], {"bpred_size_p": 0}, "branch_prediction"),
    ):
        with pytest.raises(EncoderError, match=words):
            Encoder(encode([], **config).config).run(to_beats(rows, len(rows[0].blocks)))
