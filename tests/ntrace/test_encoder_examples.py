# SPDX-License-Identifier: Apache-2.0
"""The encoder model against the worked examples of the N-Trace specification, chapters 8 and 10."""

import pytest

from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.encoder.encode import Encoder
from tests.ntrace.encoder_stream import (
    DEBUG,
    OFF,
    Block,
    each,
    encode,
    exception,
    jump,
    linear,
    not_taken,
    plain,
    row,
    taken,
    to_beats,
)

FROM_DEBUG, TO_DEBUG = row(levels=DEBUG), row(levels=DEBUG)
START = ("ProgTraceSync", 3, 0, 0x100 >> 1)

# 8.4.1: 0x100 c.add; 0x102 b 0x200; 0x106 add; 0x10A b 0x300; 0x10E c.add; 0x110 add; 0x114 c.ebreak
BRANCH_1_TAKEN = [taken(0x100, 3), linear(0x200, 1)]
BRANCH_2_TAKEN = [not_taken(0x100, 3), taken(0x106, 4), linear(0x300, 2)]
NONE_TAKEN = [not_taken(0x100, 3), not_taken(0x106, 4), linear(0x10E, 3)]


@pytest.mark.parametrize("variant", ["v1_0", "rc7"])
@pytest.mark.parametrize(
    "mode, blocks, expected",
    [
        ("btm", BRANCH_1_TAKEN, [("DirectBranch", 3), ("ProgTraceCorrelation", 0, 0, 1)]),
        ("btm", BRANCH_2_TAKEN, [("DirectBranch", 7), ("ProgTraceCorrelation", 0, 0, 2)]),
        ("btm", NONE_TAKEN, [("ProgTraceCorrelation", 0, 0, 10)]),
        ("htm", BRANCH_1_TAKEN, [("ProgTraceCorrelation", 0, 1, 4, 0b11)]),
        ("htm", BRANCH_2_TAKEN, [("ProgTraceCorrelation", 0, 1, 9, 0b101)]),
        ("htm", NONE_TAKEN, [("ProgTraceCorrelation", 0, 1, 10, 0b100)]),
    ],
)
def test_three_runs(variant: str, mode: str, blocks: list[Block], expected: list[tuple]) -> None:
    """8.4.1 and 8.4.2, from debug exit to the ebreak that enters Debug Mode."""
    assert plain(encode([FROM_DEBUG, *each(blocks), TO_DEBUG], mode=mode, variant=variant)) == [
        START,
        *expected,
    ]


@pytest.mark.parametrize("icnt", [1, 5, 0])
def test_other_icnt_values(icnt: int) -> None:
    """8.4.1: an exception after 0x100, before 0x10A, and before anything; B-TYPE 1, the handler at 0x800."""
    before = {1: [exception(0x100, 1)], 5: [not_taken(0x100, 3), exception(0x106, 2)], 0: [exception(0x100)]}[icnt]
    trace = encode([FROM_DEBUG, *each(before), row(linear(0x800, 2))], mode="btm", b_type="1")
    assert plain(trace) == [START, ("IndirectBranch", 1, icnt, (0x100 ^ 0x800) >> 1)]


@pytest.mark.parametrize(
    "variant, overflow",
    [("rc7", ("IndirectBranchHistSync", 4, 0, 8, 0x88, 0x2)), ("v1_0", ("ResourceFull", 0, 8))],
)
def test_icnt_overflow(variant: str, overflow: tuple) -> None:
    """8.4.4: I-CNT of 4 bits, single retirement; v1_0 has ResourceFull in its place and keeps HIST."""
    config = Config(variant=variant, iretire_bits=2)
    object.__setattr__(config, "icnt_bits", 4)  # the example's counter is shorter than any that can be built
    code = [linear(0x100, 1), not_taken(0x102, 2), linear(0x106, 1)]
    code += [linear(pc, 2) for pc in range(0x108, 0x11C, 4)]
    trace = Encoder(config).run(to_beats([FROM_DEBUG, *each(code), TO_DEBUG]))
    hist = 1 if variant == "rc7" else 0b10
    assert plain(trace) == [START, overflow, ("ProgTraceCorrelation", 0, 1, 6, hist)]


@pytest.mark.parametrize("mode", ["btm", "htm"])
def test_table_24_address_xor(mode: str) -> None:
    rows = each([jump(0x3FC04, 2), jump(0x3F368, 2), linear(0x3E100, 2)])
    assert plain(encode(rows, mode=mode)) == [
        ("ProgTraceSync", 5, 0, 0x1FE02),
        ("IndirectBranch", 0, 2, 0x7B6),
        ("IndirectBranch", 0, 2, 0x934),
    ]


@pytest.mark.parametrize("outcomes, hist", [("01", 0x5), ("111", 0xF), ("0000", 0x10), ("", 0x1)])
def test_hist_examples(outcomes: str, hist: int) -> None:
    """8.3: the first branch is next to the stop bit, the last one is the LSB."""
    branches = [taken(0x100, 2) if bit == "1" else not_taken(0x100, 2) for bit in outcomes]
    trace = encode([*each([linear(0x100, 2), *branches]), row(levels=OFF)])
    assert plain(trace)[-1] == ("ProgTraceCorrelation", 4, 1, 2 + 2 * len(outcomes), hist)


def test_custom_branch() -> None:
    """10.1: a custom branch at 0x104 is linear if not taken, an indirect jump if taken."""
    off = row(levels=OFF)
    assert plain(encode([row(linear(0x100, 5)), off], mode="btm"))[1:] == [("ProgTraceCorrelation", 4, 0, 5)]
    rows = [row(jump(0x100, 4)), row(linear(0x200, 1)), off]
    assert plain(encode(rows, mode="btm"))[1:] == [
        ("IndirectBranch", 0, 4, 0x180),
        ("ProgTraceCorrelation", 4, 0, 1),
    ]
