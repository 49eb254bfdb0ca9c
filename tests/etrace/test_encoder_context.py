# SPDX-License-Identifier: Apache-2.0
"""The encoder model: privilege, context and time (ET-7, ET-10, ET-15, ET-18). Profile: ppccd, ctype, packets 3.x."""

from typing import Any

import pytest

from rvtrace.models.riscv.retired import IType, Priv
from tests.etrace.encoder_stream import NTR, REP, branches, encode, sends
from tests.ntrace.encoder_stream import OFF, Block, row


def linear(iaddr: int, iretire: int = 2, context: int = 2, priv: int = Priv.M) -> Block:
    return Block(0, iaddr, iretire, context=context, priv=priv)


def xret(iaddr: int) -> Block:
    return Block(IType.XRET, iaddr, 2, context=1)


START, END, JUMP = Block(0, 0x1000, 2, context=1), row(levels=OFF), Block(14, 0x1004, 2, context=1)
DRAFT: dict[str, Any] = {"variant": "draft_0_026"}

CASES: dict[str, tuple[list[Any], list[Any], dict[str, Any]]] = {
    "3.0 at the first instruction with another privilege; no branch waits: nothing in front of it (ET-10)": (
        [START, xret(0x1004), linear(0x4000, 4, 1, Priv.U), END],
        [("ppccd", "start", 0x4000), ("last", "address", 4), ("ended", *REP)], {},
    ),
    "an xRET without a change is an uninferable jump (ET-10)": (
        [START, xret(0x1004), linear(0x4000, 2, 1), END], [("address", 0x3000), NTR], {},
    ),
    "privilege changes after branches: the xRET is reported with the branches before it": (
        [START, *(b._replace(context=1) for b in branches("TN", 0x1004)), xret(0x100C), linear(0x4000, 2, 1, Priv.S),
         END],
        [("TN", 0xC), ("start", 0x4000), NTR], {},
    ),
    "privilege changes after a target: the xRET is itself the target of a jump, its packet has updiscon": (
        [START, JUMP, xret(0x3000), linear(0x4000, 2, 1, Priv.S), END],
        [("address", 0x2000, "updiscon"), ("start", 0x4000), NTR], {},
    ),
    "3.2 in front of the packet of its instruction (ET-15)": (
        [START, JUMP, row(linear(0x4000), ctype=1), END], [("context", 2), ("address", 0x3000), NTR], {},
    ),
    "no 3.2 where a 3.1 reports the context": (
        [START, Block(1, 0x1004, 0, context=1, cause=3), row(linear(0x8000), ctype=1), END],
        [("trap", "exception", 3, 1, 0x8000), NTR], {},
    ),
    "no 3.2 where a 3.0 reports the context": ([row(linear(0x1000), ctype=1), END], [NTR], {}),
    "only the first item of the cycle": (
        [Block(0, 0x1000, 2), row(linear(0x1004), linear(0x1008), linear(0x100C), ctype=2), END],
        [("start", 0x1004), ("address", 8), REP], {"blocks_p": 4},
    ),
    # ET-14: the jump reports itself, for its target may have been passed before, and privilege is the same
    "a jump into another context, ctype 2": (
        [START, JUMP, row(linear(0x4000), ctype=2), END], [("address", 4), ("start", 0x4000), NTR], {},
    ),
    "a jump into another context, ctype 3": (
        [START, JUMP, row(linear(0x4000), ctype=3), END], [("address", 4), ("start", 0x4000), NTR], {},
    ),
    "an xRET into another context that changes privilege is not reported": (
        [START, xret(0x1004), row(linear(0x4000, priv=Priv.U), ctype=2), END], [("start", 0x4000), NTR], {},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_case(case: str) -> None:
    rows, expected, config = CASES[case]
    sends(rows, expected, **config)


@pytest.mark.parametrize("priv, code", [(Priv.U, 0), (Priv.S, 1), (Priv.M, 3), (Priv.VU, 5), (Priv.VS, 6)])
def test_privilege_codes(priv: Priv, code: int) -> None:
    assert encode([linear(0x1000, 4, priv=priv)]).packets[1].get("privilege") == code


ENDS, AGAIN = [("last", "address", 0xC), ("ended", *REP)], [("last", "address", 4), ("ended", *REP)]
SYNC, PACKET = ("ppccd", "start", 0x1008), ("context", "context", 2)
NO_CONTEXT = DRAFT | {"nocontext_p": 1}


@pytest.mark.parametrize("ctype, expected, config", [
    (0, ENDS, {}), (1, [PACKET, *ENDS], {}), (2, [SYNC, *AGAIN], {}),
    (3, [("before_sync", "address", 4), SYNC, *AGAIN], {}),
    # codes of the draft: 0 with a discontinuity, 1 precisely, 2 imprecisely, 3 a notification of the first instruction
    (0, [("before_sync", "address", 4), SYNC, *AGAIN], DRAFT), (1, [SYNC, *AGAIN], DRAFT), (2, [PACKET, *ENDS], DRAFT),
    (3, [("notify", "address", 8), *AGAIN], DRAFT), (1, ENDS, NO_CONTEXT),
    (1, ENDS, NO_CONTEXT | {"context_width_p": 1}),
])  # fmt: skip
def test_ctype(ctype: int, expected: list[tuple], config: dict[str, Any]) -> None:
    """Context 1 at 0x1000 and 0x1004, then context 2 at 0x1008 and 0x100C."""
    sends([START, linear(0x1004, 2, 1), row(linear(0x1008), ctype=ctype), linear(0x100C), END], expected, **config)


def test_ctype_of_the_draft_counts_where_the_context_changes() -> None:
    sends([START, *(row(linear(0x1004 + 4 * i, 2, 1), ctype=i) for i in range(3)), END], ENDS, **DRAFT)


def test_draft() -> None:
    """The draft has the same rules; its 3.2 has the context alone."""
    rows = [START, JUMP, row(linear(0x4000), ctype=2), END]
    trace = sends(rows, [("context", 2), ("address", 0x3000), NTR], **DRAFT)
    assert set(trace.packets[2].values) == {"format", "subformat", "context"}


def test_widths() -> None:
    """ET-18: context and time are cut to their widths; those of width 0 are not there. Time is that of the item's
    cycle.
    """
    start = [row(Block(0, 0x1000, 4, context=0x12345), tstamp=0x1_0000_0004)]
    first = encode(start, context_width_p=8, notime_p=0, time_width_p=16).packets[1]
    assert (first.get("context"), first.get("time")) == (0x45, 4)
    for config in ({"nocontext_p": 1}, {"context_width_p": 0, "notime_p": 0, "time_width_p": 0}):
        first = encode(start, **config).packets[1]
        assert first.get("context") is None and first.get("time") is None
    trapped = encode([Block(1, 0x1000, 0, cause=0x35), linear(0x8000)], ecause_width_p=4)
    assert trapped.packets[1].get("ecause") == 5


def test_times() -> None:
    """A 3.0 has the time of its instruction, its 16-bit timestamp too; a support packet that of the beat that made it.
    The row is that of what came next.
    """
    rows = [row(linear(0x1000), tstamp=0x7_0010), row(tstamp=0x7_0020), row(levels=OFF, tstamp=0x7_0030)]
    trace = encode(rows, notime_p=0, time_width_p=32)
    assert [p.name for p in trace.packets] == ["support", "start", "support"]
    assert trace.packets[1].get("time") == 0x7_0010
    assert trace.time16 == [0x10, 0x10, 0x30] and trace.beat == [1, 3, 3]
