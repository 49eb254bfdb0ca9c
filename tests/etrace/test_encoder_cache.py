# SPDX-License-Identifier: Apache-2.0
"""The encoder model with a jump target cache (ET-12) and with sequentially inferable jumps (ET-13)."""

from __future__ import annotations

from typing import Any

from rvtrace.models.riscv.retired import IType
from tests.etrace.encoder_stream import NTR, REP, after_start, branches, encode
from tests.ntrace.encoder_stream import OFF, Block, Row, call, each, exception, jump, linear, ret, row

START = row(jump(0x1000, 2))


def reported(rows: list[Row], **config: Any) -> list[tuple]:
    """What follows the 3.0 at 0x1000; four entries unless something else is said."""
    return after_start(encode([*rows, row(levels=OFF)], **({"jump_target_cache": 1, "cache_size_p": 2} | config)))


def to(*targets: int) -> list[Row]:
    """From 0x1000 jumps to each of these, and from there on."""
    return [START, *(row(jump(target, 2)) for target in targets)]


def test_hit() -> None:
    """0x3000 has index 0, 0x5002 index 1. The second time an index of one byte replaces a difference of two."""
    assert reported(to(0x3000, 0x5002, 0x3000, 0x5002)) == [
        ("address", 0x2000),
        ("address", 0x2002),
        ("cached", 0),
        ("cached", 1),
        NTR,
    ]
    assert reported(to(0x3000, 0x5002, 0x3000), jump_target_cache=0)[2] == ("address", -0x2002)


def test_replaced() -> None:
    """0x3000 and 0x3008 share index 0: each takes the other's place."""
    assert reported(to(0x3000, 0x3408, 0x3000, 0x3408)) == [("address", d) for d in (0x2000, 0x408, -0x408, 0x408)] + [
        NTR
    ]


def test_only_if_shorter() -> None:
    """A difference of 0 takes one byte, as the index does. One of 0x40 (0x20 << 2 | 2 = 0x82: two bytes) is longer, one
    of 0x3e (0x7e) is not.
    """
    assert reported(to(0x3000, 0x3000))[1] == ("address", 0)
    assert reported(to(0x3000, 0x3040, 0x3000, 0x3040))[2:4] == [
        ("address", -0x40),
        ("address", 0x40),
    ]  # same index: replaced
    assert reported(to(0x3002, 0x3040, 0x3002, 0x3040))[2:4] == [("address", -0x3E), ("address", 0x3E)]
    assert reported(to(0x3002, 0x3044, 0x3002, 0x3044))[2:4] == [("cached", 1), ("cached", 2)]


def test_with_branches() -> None:
    """Two bytes; format 1 with the difference 0xffe needs three."""
    rows = [
        *to(0x3002),
        row(linear(0x2004, 2)),
        *each(branches("TN", 0x2008)),
        row(jump(0x2010, 2)),
        row(jump(0x3002, 2)),
    ]
    assert reported(rows) == [("address", 0x2002), ("address", 0x2004 - 0x3002), ("cached", 1, "TN"), NTR]
    assert reported(rows, jump_target_cache=0)[2] == ("TN", 0xFFE)


def test_sync_empties_the_cache() -> None:
    rows = [*to(0x3002, 0x5004, 0x3002), row(exception(0x1000)), row(jump(0x8000, 2)), row(jump(0x3002, 2))]
    assert reported(rows)[-2:] == [("address", 0x3002 - 0x8000), NTR]


def test_not_with_updiscon() -> None:
    """0.1 has no room for the flag."""
    rows = [*to(0x3002, 0x5004, 0x3002), row(jump(0x5004, 2)), row(exception(0x3002)), row(linear(0x8000, 2))]
    assert reported(rows)[2:5] == [("cached", 1), ("address", 0x2002, "updiscon"), ("trap", "exception", 0, 0, 0x3002)]


def test_filled_by_targets_only() -> None:
    """0x3004 was reported because of a trigger, not as a target: it is not in the cache."""
    rows = [START, row(jump(0x5000, 2)), row(linear(0x3000, 2)), row(linear(0x3004, 2), notify=1), row(jump(0x3008, 2))]
    rows += [row(jump(0x7002, 2)), row(jump(0x3004, 2))]
    assert reported(rows)[2:] == [
        ("address", 4, "notify"),
        ("address", 0x7002 - 0x3004),
        ("address", 0x3004 - 0x7002),
        NTR,
    ]


def test_implicit_returns_do_not_fill() -> None:
    rows = [
        START,
        row(call(0x4000, 2)),
        row(ret(0x6000, 2)),
        row(jump(0x4004, 2)),
        row(jump(0x6002, 2)),
        row(jump(0x4004, 2)),
    ]
    assert reported(rows, implicit_return=1)[-2:] == [("address", 0x4004 - 0x6002), NTR]


def test_misreturn_from_the_cache() -> None:
    """ET-12: a wrong prediction to an address that is in the cache: 0.1 with irdepth."""
    rows = [*to(0x3002, 0x5004), row(call(0x9000, 2)), row(ret(0x6000, 2)), row(linear(0x3002, 2))]
    packets = reported(rows, implicit_return=1)
    assert packets[2:] == [("address", 0x9000 - 0x5004), ("cached", 1, ("irdepth", 1)), NTR]


def sequential(block: Block) -> Block:
    return block._replace(sijump=1)


def inferred(rows: list[Row], **config: Any) -> list[tuple]:
    return after_start(encode([row(linear(0x1000, 2)), *rows, row(levels=OFF)], **({"sijump": 1} | config)))


def test_sequentially_inferred() -> None:
    """0x1004 loads the register, 0x1008 jumps to 0x3000: not reported, in one block or two. Without the option it
    is.
    """
    for rows in ([row(sequential(jump(0x1004, 4)))], [row(linear(0x1004, 2)), row(sequential(jump(0x1008, 2)))]):
        assert inferred([*rows, row(linear(0x3000, 2))]) == [("address", 0x2000), REP]
        assert inferred([*rows, row(linear(0x3000, 2))], sijump=0) == [("address", 0x2000), NTR]


def test_pair_that_is_not_traced_whole() -> None:
    """ET-13: the jump is the first instruction traced, or a trap comes before it."""
    rows = [row(levels=OFF), row(sequential(jump(0x1008, 2))), row(linear(0x3000, 2))]
    assert inferred(rows)[-2:] == [("address", 0x1FF8), NTR]
    rows = [row(linear(0x1004, 2)), row(exception(0x1008)), row(sequential(jump(0x1008, 2))), row(linear(0x3000, 2))]
    assert inferred(rows)[-2:] == [("address", 0x1FF8), NTR]


def test_xret_is_never_sequential() -> None:
    assert inferred([row(sequential(Block(IType.XRET, 0x1004, 4))), row(linear(0x3000, 2))]) == [
        ("address", 0x2000),
        NTR,
    ]


def test_sequential_target_before_a_trap() -> None:
    """Not updiscon: the last instruction before a trap is reported without that flag."""
    rows = [row(sequential(jump(0x1004, 4))), row(exception(0x3000, 2)), row(linear(0x8000, 2))]
    assert inferred(rows)[0] == ("address", 0x2000)


def test_sequential_call_is_an_anchor() -> None:
    rows = [row(call(0x1004, 2)), row(ret(0x2000, 2)), row(sequential(Block(8, 0x1008, 4))), row(linear(0x4000, 2))]
    assert inferred(rows, implicit_return=1) == [
        ("address", 0xC, "notify", ("irdepth", 0)),
        ("address", 0x4000 - 0x100C),
        REP,
    ]
