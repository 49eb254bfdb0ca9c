# SPDX-License-Identifier: Apache-2.0
"""The encoder model with a jump target cache (ET-12) and with sequentially inferable jumps (ET-13)."""

from typing import Any

import pytest

from rvtrace.models.riscv.retired import IType
from tests.etrace.encoder_stream import NTR, REP, branches, sends
from tests.ntrace.encoder_stream import OFF, Block, call, exception, jump, linear, ret, row

START, END = jump(0x1000, 2), row(levels=OFF)
CACHE = {"jump_target_cache": 1, "cache_size_p": 2}  # four entries
RETURNS = CACHE | {"implicit_return": 1}


def to(*targets: int) -> list[Block]:
    """From 0x1000 jumps to each of these, and from there on."""
    return [START, *(jump(target, 2) for target in targets)]


def addresses(*differences: int) -> list[tuple]:
    return [("address", difference) for difference in differences]


BRANCHES = [*to(0x3002), linear(0x2004, 2), *branches("TN", 0x2008), jump(0x2010, 2), jump(0x3002, 2)]
OF_BRANCHES = addresses(0x2002, 0x2004 - 0x3002)

CASES: dict[str, tuple[list[Any], list[Any], dict[str, Any]]] = {
    "0x3000 has index 0, 0x5002 index 1: the second time an index of one byte replaces a difference of two": (
        to(0x3000, 0x5002, 0x3000, 0x5002), [*addresses(0x2000, 0x2002), ("cached", 0), ("cached", 1), NTR], CACHE,
    ),
    "without a cache": (
        to(0x3000, 0x5002, 0x3000), [*addresses(0x2000, 0x2002, -0x2002), NTR], CACHE | {"jump_target_cache": 0},
    ),
    "0x3000 and 0x3408 share index 0: each takes the other's place": (
        to(0x3000, 0x3408, 0x3000, 0x3408), [*addresses(0x2000, 0x408, -0x408, 0x408), NTR], CACHE,
    ),
    "a difference of 0 takes one byte, as the index does": (
        to(0x3000, 0x3000), [*addresses(0x2000, 0), NTR], CACHE,
    ),
    "0x3000 and 0x3040 have the same index: replaced": (
        to(0x3000, 0x3040, 0x3000, 0x3040), [*addresses(0x2000, 0x40, -0x40, 0x40), NTR], CACHE,
    ),
    "a difference of 0x3e (0x7e) is not longer than an index": (
        to(0x3002, 0x3040, 0x3002, 0x3040), [*addresses(0x2002, 0x3E, -0x3E, 0x3E), NTR], CACHE,
    ),
    "one of 0x42 takes two bytes": (
        to(0x3002, 0x3044, 0x3002, 0x3044), [*addresses(0x2002, 0x42), ("cached", 1), ("cached", 2), NTR], CACHE,
    ),
    "with branches two bytes; format 1 with the difference 0xffe needs three": (
        BRANCHES, [*OF_BRANCHES, ("cached", 1, "TN"), NTR], CACHE,
    ),
    "branches without a cache": (
        BRANCHES, [*OF_BRANCHES, ("TN", 0xFFE), NTR], CACHE | {"jump_target_cache": 0},
    ),
    "a sync empties the cache": (
        [*to(0x3002, 0x5004, 0x3002), exception(0x1000), jump(0x8000, 2), jump(0x3002, 2)],
        [*addresses(0x2002, 0x2002), ..., ..., ..., ("address", 0x3002 - 0x8000), NTR], CACHE,
    ),
    "0.1 has no room for updiscon": (
        [*to(0x3002, 0x5004, 0x3002), jump(0x5004, 2), exception(0x3002), linear(0x8000, 2)],
        [..., ..., ("cached", 1), ("address", 0x2002, "updiscon"), ("trap", "exception", 0, 0, 0x3002), ..., NTR],
        CACHE,
    ),
    "0x3004 was reported because of a trigger, not as a target: it is not in the cache": (
        [START, jump(0x5000, 2), linear(0x3000, 2), row(linear(0x3004, 2), notify=1), jump(0x3008, 2), jump(0x7002, 2),
         jump(0x3004, 2)],
        [..., ..., ("address", 4, "notify"), *addresses(0x7002 - 0x3004, 0x3004 - 0x7002), NTR], CACHE,
    ),
    "implicit returns do not fill": (
        [START, call(0x4000, 2), ret(0x6000, 2), jump(0x4004, 2), jump(0x6002, 2), jump(0x4004, 2)],
        [..., ..., ("address", 0x4004 - 0x6002), NTR], RETURNS,
    ),
    "a wrong prediction to an address that is in the cache: 0.1 with irdepth (ET-12)": (
        [*to(0x3002, 0x5004), call(0x9000, 2), ret(0x6000, 2), linear(0x3002, 2)],
        [..., ..., ("address", 0x9000 - 0x5004), ("cached", 1, ("irdepth", 1)), NTR], RETURNS,
    ),
}  # fmt: skip


def sequential(block: Block) -> Block:
    return block._replace(sijump=1)


PAIR, TWO_BLOCKS = [sequential(jump(0x1004, 4))], [linear(0x1004, 2), sequential(jump(0x1008, 2))]
FIRST, TARGET, SIJUMP = linear(0x1000, 2), linear(0x3000, 2), {"sijump": 1}

# 0x1004 loads the register, 0x1008 jumps to 0x3000
SEQUENTIAL: dict[str, tuple[list[Any], list[Any], dict[str, Any]]] = {
    "in one block": ([FIRST, *PAIR, TARGET], [("address", 0x2000), REP], SIJUMP),
    "in two": ([FIRST, *TWO_BLOCKS, TARGET], [("address", 0x2000), REP], SIJUMP),
    "in one block, without the option": ([FIRST, *PAIR, TARGET], [("address", 0x2000), NTR], {"sijump": 0}),
    "in two, without the option": ([FIRST, *TWO_BLOCKS, TARGET], [("address", 0x2000), NTR], {"sijump": 0}),
    "the jump is the first instruction traced (ET-13)": (
        [FIRST, END, sequential(jump(0x1008, 2)), TARGET], [NTR, ("start", 0x1008), ("address", 0x1FF8), NTR], SIJUMP,
    ),
    "a trap comes before the jump (ET-13)": (
        [FIRST, linear(0x1004, 2), exception(0x1008), sequential(jump(0x1008, 2)), TARGET],
        [("address", 4), ..., ("address", 0x1FF8), NTR], SIJUMP,
    ),
    "an xRET is never sequential": (
        [FIRST, sequential(Block(IType.XRET, 0x1004, 4)), TARGET], [("address", 0x2000), NTR], SIJUMP,
    ),
    "not updiscon: the last instruction before a trap is reported without that flag": (
        [FIRST, *PAIR, exception(0x3000, 2), linear(0x8000, 2)], [("address", 0x2000), ..., NTR], SIJUMP,
    ),
    "a sequential call is an anchor": (
        [FIRST, call(0x1004, 2), ret(0x2000, 2), sequential(Block(8, 0x1008, 4)), linear(0x4000, 2)],
        [("address", 0xC, "notify", ("irdepth", 0)), ("address", 0x4000 - 0x100C), REP],
        SIJUMP | {"implicit_return": 1},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", [*CASES.values(), *SEQUENTIAL.values()], ids=[*CASES, *SEQUENTIAL])
def test_case(case: tuple[list[Any], list[Any], dict[str, Any]]) -> None:
    rows, expected, config = case
    sends([*rows, END], expected, **config)
