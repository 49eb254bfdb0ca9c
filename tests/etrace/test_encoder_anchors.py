# SPDX-License-Identifier: Apache-2.0
"""The encoder model with implicit returns: what makes every place decodable (ET-14), and `irets` by a table."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.encoder.encode import Encoder
from rvtrace.models.etrace.table import MAP_LENGTHS, TABLES, formats
from rvtrace.models.riscv.retired import IType
from tests.etrace.encoder_stream import NTR, REP, after_start, encode, explained
from tests.ntrace.encoder_stream import OFF, Block, Row, call, exception, linear, ret, row, taken, to_beats

# main at 0x1000 calls f at 0x2000 from 0x1004; f has one instruction before its return
START, CALL, F, BACK = row(linear(0x1000, 2)), row(call(0x1004, 2)), row(ret(0x2000, 4)), row(linear(0x1008, 2))
HANDLER = [row(linear(0x8000, 2)), row(levels=OFF)]
REPORTED = ("trap", "exception", 0, 1, 0x8000)


def reported(rows: list[Row], **config: Any) -> list[tuple]:
    """What follows the 3.0, with a return stack of 16 entries if nothing else is said."""
    return after_start(encode(rows, implicit_return=1, **config))


def test_anchor() -> None:
    """ET-14: a call after an implicit return reports itself, notify, with the depth before its push; the second call
    from 0x2004 is one.
    """
    rows = [
        START,
        CALL,
        row(call(0x2000, 2)),
        row(ret(0x3000, 2)),
        row(call(0x2004, 2)),
        row(ret(0x3000, 2)),
        row(ret(0x2008, 2)),
        BACK,
    ]
    trace = encode([*rows, row(levels=OFF)], implicit_return=1)
    assert explained(trace)[2:] == [
        ("anchor", "address", 0x1004, "notify", ("irdepth", 1)),
        ("last", "address", 0x1008 - 0x2004, ("irdepth", 0)),
        ("ended", *REP),
    ]


def test_uninferable_call_is_no_anchor() -> None:
    """Its target is reported in any case."""
    rows = [START, CALL, F, row(Block(IType.UNINFERABLE_CALL, 0x1008, 2)), row(linear(0x2000, 2)), row(levels=OFF)]
    assert reported(rows) == [("address", 0x1000), NTR]


def test_branch_makes_an_anchor_needless() -> None:
    assert reported(
        [START, CALL, F, row(taken(0x1008, 2)), row(call(0x1100, 2)), row(linear(0x2000, 2)), row(levels=OFF)]
    ) == [("T", 0x1000), REP]


def test_draft_has_no_anchor() -> None:
    rows = [START, CALL, row(Block(12, 0x2000, 4)), row(call(0x1008, 2)), row(linear(0x2000, 2)), row(levels=OFF)]
    trace = encode(rows, implicit_return=1, variant="draft_0_026")
    assert after_start(trace) == [("address", 0x1000), REP]


def test_shared_tail_at_depth_0() -> None:
    """ET-14: g at 0x2000 jumps to the `ret` after its own call, at 0x1008: that address comes twice, before the return
    and after it, where depth is 0.

    Trace began within f, so that the first return pops the only entry. A trap at either must be distinguished: by
    irdepth 0 after the return."""
    once = [START, CALL, row(Block(IType.OTHER_INFERABLE_JUMP, 0x2000, 2)), row(ret(0x1008, 2))]
    assert reported([*once, row(exception(0x1008)), *HANDLER]) == [("address", 8), REPORTED, NTR]
    assert reported([*once, row(ret(0x1008, 2)), row(exception(0x7000)), *HANDLER]) == [
        ("address", 8, ("irdepth", 0)), ("trap", "exception", 0, 0, 0x7000), ("start", 0x8000), NTR,
    ]  # fmt: skip


def test_anchor_after_a_packet() -> None:
    """ET-14: a return is open, a jump's target (0x3000) was reported, and a loop of a call and a direct jump begins
    there: the call at 0x3004 is an anchor, or the second time at 0x3000 would be reported like the first.
    """
    rows = [
        START,
        CALL,
        F,
        row(Block(14, 0x1008, 2)),
        row(call(0x3000, 4)),
        F,
        row(Block(15, 0x3008, 2)),
        row(linear(0x3000, 2)),
        row(exception(0x3004)),
        *HANDLER,
    ]
    assert reported(rows) == [
        ("address", 0x2000), ("address", 4, "notify", ("irdepth", 0)), ("address", -4, ("irdepth", 0)), REPORTED, NTR,
    ]  # fmt: skip


def test_irets_by_a_table(monkeypatch: Any) -> None:
    """The draft of 2.0.5 has 8 bits `irets`, implicit returns, for irdepth: another table of fields, and the encoder
    fills it.

    Two returns since the last packet."""
    wide = [
        replace(f, name="irets", key="irets", width=8) if f.name == "irdepth" else f
        for f in formats("v2_0")["address"].fields
    ]
    table = TABLES["v2_0"]
    monkeypatch.setitem(TABLES, "v2_0_5", table.with_message(table["address"].with_fields(wide)))
    monkeypatch.setitem(MAP_LENGTHS, "v2_0_5", MAP_LENGTHS["v2_0"])
    newer = Config(implicit_return=1)
    object.__setattr__(newer, "variant", "v2_0_5")
    calls = [row(levels=OFF), START, CALL, row(call(0x2000, 2)), row(ret(0x3000, 2))]
    trace = Encoder(newer).run(to_beats([*calls, row(ret(0x2004, 2)), BACK, row(levels=OFF)]))
    assert [p.get("irets") for p in trace.packets if p.name == "address"] == [2]
