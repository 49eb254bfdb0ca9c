# SPDX-License-Identifier: Apache-2.0
"""The encoder model: privilege, context and time (ET-7, ET-10, ET-15, ET-18). Profile: ppccd, ctype, packets 3.x."""

from __future__ import annotations

from typing import Any

import pytest

from rvtrace.models.riscv.retired import IType, Priv
from tests.etrace.encoder_stream import NTR, REP, after_start, branches, encode, explained, reported
from tests.ntrace.encoder_stream import OFF, Block, Row, each, row

START = row(Block(0, 0x1000, 2, context=1))


def linear(iaddr: int, iretire: int = 2, context: int = 2, priv: int = Priv.M) -> Block:
    return Block(0, iaddr, iretire, context=context, priv=priv)


def xret(iaddr: int) -> Block:
    return Block(IType.XRET, iaddr, 2, context=1)


@pytest.mark.parametrize("priv, code", [(Priv.U, 0), (Priv.S, 1), (Priv.M, 3), (Priv.VU, 5), (Priv.VS, 6)])
def test_privilege_codes(priv: Priv, code: int) -> None:
    assert encode([row(linear(0x1000, 4, priv=priv))]).packets[1].get("privilege") == code


def test_privilege_changes() -> None:
    """ET-10: 3.0 at the first instruction with another privilege. No branch waits: nothing in front of it."""
    trace = encode([START, row(xret(0x1004)), row(linear(0x4000, 4, 1, Priv.U)), row(levels=OFF)])
    assert explained(trace)[2:] == [("ppccd", "start", 0x4000), ("last", "address", 4), ("ended", *REP)]


def test_xret_without_change() -> None:
    """ET-10: an xRET is an uninferable jump."""
    assert after_start(encode([START, row(xret(0x1004)), row(linear(0x4000, 2, 1)), row(levels=OFF)])) == [
        ("address", 0x3000),
        NTR,
    ]


def test_privilege_changes_after_branches() -> None:
    """The xRET is reported with the branches before it."""
    rows = [
        START,
        *each(b._replace(context=1) for b in branches("TN", 0x1004)),
        row(xret(0x100C)),
        row(linear(0x4000, 2, 1, Priv.S)),
    ]
    assert after_start(encode([*rows, row(levels=OFF)])) == [("TN", 0xC), ("start", 0x4000), NTR]


def test_privilege_changes_after_a_target() -> None:
    """The xRET is itself the target of a jump: its packet has the updiscon flag."""
    rows = [
        START,
        row(Block(14, 0x1004, 2, context=1)),
        row(xret(0x3000)),
        row(linear(0x4000, 2, 1, Priv.S)),
        row(levels=OFF),
    ]
    assert after_start(encode(rows)) == [("address", 0x2000, "updiscon"), ("start", 0x4000), NTR]


def changing(ctype: int, **config: int) -> list[tuple]:
    """Context 1 at 0x1000 and 0x1004, then context 2 at 0x1008 and 0x100C."""
    rows = [START, row(linear(0x1004, 2, 1)), row(linear(0x1008), ctype=ctype), row(linear(0x100C)), row(levels=OFF)]
    return explained(encode(rows, **config))[2:]


def test_ctype() -> None:
    end = [("last", "address", 0xC), ("ended", *REP)]
    again = [("last", "address", 4), ("ended", *REP)]
    assert changing(0) == end
    assert changing(1) == [("context", "context", 2), *end]
    assert changing(2) == [("ppccd", "start", 0x1008), *again]
    assert changing(3) == [("before_sync", "address", 4), ("ppccd", "start", 0x1008), *again]


def test_context_packet_goes_first() -> None:
    """ET-15: 3.2 in front of the packet of its instruction; none where a 3.0 or 3.1 reports the context."""
    jumped = [START, row(Block(14, 0x1004, 2, context=1)), row(linear(0x4000), ctype=1), row(levels=OFF)]
    assert after_start(encode(jumped)) == [("context", 2), ("address", 0x3000), NTR]
    trapped = [START, row(Block(1, 0x1004, 0, context=1, cause=3)), row(linear(0x8000), ctype=1), row(levels=OFF)]
    assert after_start(encode(trapped)) == [("trap", "exception", 3, 1, 0x8000), NTR]
    assert reported(encode([row(linear(0x1000), ctype=1), row(levels=OFF)]))[1:] == [("start", 0x1000), NTR]


def test_only_the_first_item_of_the_cycle() -> None:
    rows = [row(Block(0, 0x1000, 2)), row(linear(0x1004), linear(0x1008), linear(0x100C), ctype=2), row(levels=OFF)]
    assert after_start(encode(rows, blocks_p=4)) == [("start", 0x1004), ("address", 8), REP]


@pytest.mark.parametrize("ctype, packets", [(2, [("start", 0x4000)]), (3, [("start", 0x4000)])])
def test_jump_into_another_context(ctype: int, packets: list) -> None:
    """ET-14: the jump reports itself, for its target may have been passed before, and privilege is the same; not so
    after an xRET that changes it.
    """
    rows = [START, row(Block(14, 0x1004, 2, context=1)), row(linear(0x4000), ctype=ctype), row(levels=OFF)]
    assert after_start(encode(rows)) == [("address", 4), *packets, NTR]
    rows = [START, row(xret(0x1004)), row(linear(0x4000, priv=Priv.U), ctype=2), row(levels=OFF)]
    assert after_start(encode(rows)) == [*packets, NTR]


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
    assert (
        encode([row(Block(1, 0x1000, 0, cause=0x35)), row(linear(0x8000))], ecause_width_p=4).packets[1].get("ecause")
        == 5
    )


def test_times() -> None:
    """A 3.0 has the time of its instruction, its 16-bit timestamp too; a support packet that of the beat that made it.
    The row is that of what came next.
    """
    rows = [
        row(linear(0x1000), tstamp=0x7_0010, levels=(1, 1, 0)),
        row(tstamp=0x7_0020),
        row(levels=OFF, tstamp=0x7_0030),
    ]
    trace = encode(rows, notime_p=0, time_width_p=32)
    assert [p.name for p in trace.packets] == ["support", "start", "support"]
    assert trace.packets[1].get("time") == 0x7_0010
    assert trace.time16 == [0x10, 0x10, 0x30] and trace.beat == [1, 3, 3]


def drafted(ctype: int) -> list[Row]:
    return [START, row(Block(14, 0x1004, 2, context=1)), row(linear(0x4000), ctype=ctype), row(levels=OFF)]


def test_draft() -> None:
    """The draft has the same rules; its 3.2 has the context alone."""
    trace = encode(drafted(2), variant="draft_0_026")
    assert after_start(trace) == [("context", 2), ("address", 0x3000), NTR]
    assert set(trace.packets[2].values) == {"format", "subformat", "context"}


def test_ctype_of_the_draft() -> None:
    """Its codes: 0 with a discontinuity, 1 precisely, 2 imprecisely, 3 a notification of the first instruction; they
    count where the context changes.
    """
    end, again = [("last", "address", 0xC), ("ended", *REP)], [("last", "address", 4), ("ended", *REP)]
    draft: dict[str, Any] = {"variant": "draft_0_026"}
    assert changing(0, **draft) == [("before_sync", "address", 4), ("ppccd", "start", 0x1008), *again]
    assert changing(1, **draft) == [("ppccd", "start", 0x1008), *again]
    assert changing(2, **draft) == [("context", "context", 2), *end]
    assert changing(3, **draft) == [("notify", "address", 8), ("last", "address", 4), ("ended", *REP)]
    assert changing(1, **draft, nocontext_p=1) == changing(1, **draft, context_width_p=1, nocontext_p=1) == end
    same = [START, *(row(linear(0x1004 + 4 * i, 2, 1), ctype=i) for i in range(3)), row(levels=OFF)]
    assert explained(encode(same, **draft))[2:] == end
