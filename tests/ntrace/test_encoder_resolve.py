# SPDX-License-Identifier: Apache-2.0
"""The encoder model against docs/reference/ntrace-profile.md, step 4: what a block resolves, opens and fills."""

import pytest

from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.encoder.encode import CLAUSES, Encoder, EncoderError
from tests.ntrace.encoder_stream import (
    OFF,
    Block,
    each,
    encode,
    exception,
    explained,
    interrupt,
    jump,
    linear,
    not_taken,
    plain,
    row,
    taken,
    to_beats,
)

START = ("NT.8.5.sync5", "ProgTraceSync", 5, 0, 0x80)
FIRST = linear(0x100, 2)

UNINFERABLE = {3: "xret", 6: "uninferable_jump", 8: "uninferable_call", 10: "uninferable_jump",
               12: "coroutine_swap", 13: "return", 14: "uninferable_jump"}  # fmt: skip


@pytest.mark.parametrize("variant", ["v1_0", "rc7"])
@pytest.mark.parametrize("mode", ["btm", "htm"])
@pytest.mark.parametrize("itype", [0, 3, *range(6, 16)])
def test_itypes(itype: int, mode: str, variant: str) -> None:
    """Tables 3 and 4; 10 counts as 14, 11 as 15, 7 as 0."""
    trace = encode(each([Block(itype, 0x100, 2), linear(0x500, 2)]), mode=mode, variant=variant)
    clause = f"NT.2.{UNINFERABLE.get(itype)}"
    expected = [START, (clause, "IndirectBranch", 0, 2, 0x200)] if itype in UNINFERABLE else [START]
    assert explained(trace) == expected


@pytest.mark.parametrize("tolerance, codes", [("2_3", (2, 3)), ("1", (1, 1))])
def test_btype(tolerance: str, codes: tuple[int, int]) -> None:
    rows = each([exception(0x100, 2), interrupt(0x200, 2), linear(0x300, 2)])
    trace = encode(rows, b_type=tolerance)
    assert [m.get("btype") for m in trace.messages[1:]] == list(codes)
    assert trace.reasons[1:] == ["NT.2.exception", "NT.2.interrupt"]


def test_hist_goes_with_the_jump() -> None:
    """With branches in HIST it is IndirectBranchHist; each message empties I-CNT and HIST."""
    rows = each([taken(0x100, 2), not_taken(0x200, 2), jump(0x204, 1), jump(0x300, 1), linear(0x400, 1)])
    assert plain(encode(rows))[1:] == [
        ("IndirectBranchHist", 0, 5, 0x100, 0b110),
        ("IndirectBranch", 0, 1, 0x380),
    ]


SMALL = {"icnt_bits": 5, "hist_bits": 4, "iretire_bits": 4}  # full at 16 half-words, at 3 branches
THREE = [not_taken(0x100, 5), taken(0x10A, 5), not_taken(0x200, 5)]
SIX_EACH = [not_taken(0x100, 6), not_taken(0x10C, 6), not_taken(0x118, 6)]


@pytest.mark.parametrize("variant", ["v1_0", "rc7"])
def test_hist_full(variant: str) -> None:
    rows = [*each(THREE), row(levels=OFF)]
    assert explained(encode(rows, variant=variant, **SMALL))[1:] == [
        ("NT.8.3.1.hist_full", "ResourceFull", 1, 0b1010),
        ("NT.7.12.trace_off", "ProgTraceCorrelation", 4, 1, 15, 1),
    ]


def test_both_full() -> None:
    """v1_0: I-CNT first. rc7: one message with SYNC=4 has both."""
    rows = each([*SIX_EACH, linear(0x124, 1)])
    assert explained(encode(rows, **SMALL))[1:] == [
        ("NT.7.8.both_full", "ResourceFull", 0, 18),
        ("NT.7.8.both_full", "ResourceFull", 1, 0b1000),
    ]
    trace = encode(rows, variant="rc7", **SMALL)
    assert explained(trace)[1:] == [("NT.8.4.4.sync4", "IndirectBranchHistSync", 4, 0, 18, 0x92, 0b1000)]


@pytest.mark.parametrize("variant, mode", [("v1_0", "btm"), ("rc7", "btm"), ("v1_0", "htm"), ("rc7", "htm")])
def test_icnt_full_on_linear_code(variant: str, mode: str) -> None:
    """HIST is empty: ResourceFull in every mode and variant, with the count of the block that filled it."""
    rows = each([linear(0x100, 15), linear(0x11E, 15), linear(0x13C, 15), linear(0x15A, 1)])
    trace = encode(rows, mode=mode, variant=variant, **SMALL)
    assert explained(trace)[1:] == [
        ("NT.8.4.4.resource_full", "ResourceFull", 0, 30),
        ("NT.8.4.4.resource_full", "ResourceFull", 0, 16),
    ]
    assert trace.beat == [1, 2, 4]


@pytest.mark.parametrize("mode, block", [("htm", jump(0x11E, 15)), ("btm", jump(0x11E, 15)), ("btm", taken(0x11E, 15))])
def test_pending_message_carries_a_full_count(mode: str, block: Block) -> None:
    trace = encode(each([linear(0x100, 15), block, linear(0x300, 1)]), mode=mode, **SMALL)
    assert [m.get("icnt") for m in trace.messages] == [0, 30]


def test_sync4_pending_at_stop() -> None:
    """A full I-CNT that no block follows is reported by the correlation."""
    rows = [*each([not_taken(0x100, 10), linear(0x114, 10)]), row(levels=OFF)]
    assert plain(encode(rows, variant="rc7", **SMALL))[1:] == [("ProgTraceCorrelation", 4, 1, 20, 0b10)]


def test_two_lanes() -> None:
    """Lane 0 is the older one, and may be resolved by lane 1 of the same cycle."""
    rows = [row(jump(0x100, 2), jump(0x200, 2)), row(linear(0x300, 1), linear(0x302, 1))]
    trace = encode(rows, blocks=2)
    assert plain(trace) == [START[1:], ("IndirectBranch", 0, 2, 0x180), ("IndirectBranch", 0, 2, 0x80)]
    assert trace.beat == [1, 1, 2]


@pytest.mark.parametrize(
    "block, lanes, way_out",
    [(linear(0x100, 128), 1, "IRETIRE_BITS=8"), (linear(1 << 32, 2), 1, "XLEN=64"), (FIRST, 2, "BLOCKS=2")],
)
def test_beats_that_do_not_fit(block: Block, lanes: int, way_out: str) -> None:
    with pytest.raises(EncoderError, match=way_out):
        Encoder(Config(xlen=32)).run(to_beats([row(block)], lanes))


def test_each_run_starts_from_reset() -> None:
    encoder, beats = Encoder(Config()), to_beats(each([taken(0x100, 2), jump(0x200, 2)]))
    assert plain(encoder.run(beats)) == plain(encoder.run(beats)) == [START[1:]]


def test_clauses_are_one_line() -> None:
    assert all(text and "\n" not in text for text in CLAUSES.values())
