# SPDX-License-Identifier: Apache-2.0
"""The encoder model with implicit returns (ET-1), and what makes every place decodable (ET-14).

Profile: implicit return, irreport. `irets` by a table of another version.
"""

from dataclasses import replace
from typing import Any

import pytest

from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.encoder.encode import Encoder
from rvtrace.models.etrace.table import MAP_LENGTHS, TABLES, formats
from rvtrace.models.riscv.retired import IType
from tests.etrace.encoder_stream import NTR, REP, sends
from tests.ntrace.encoder_stream import OFF, Block, Row, call, exception, interrupt, linear, ret, row, taken, to_beats

# main at 0x1000 calls f at 0x2000 from 0x1004; f has one instruction before its return
START, CALL, F, BACK = linear(0x1000, 2), call(0x1004, 2), ret(0x2000, 4), linear(0x1008, 2)
END = row(levels=OFF)
HANDLER: list[Row | Block] = [linear(0x8000, 2), END]
HANDLED = ("trap", "exception", 0, 1, 0x8000)
DEEP = [START, CALL, call(0x2000, 2), ret(0x3000, 2)]  # two deep, one return
OVERFLOW = [START, CALL, call(0x2000, 2), call(0x3000, 2), ret(0x4000, 2), ret(0x3004, 2), ret(0x2004, 2), BACK, END]
COUNTER = {"call_counter_size_p": 1, "return_stack_size_p": 0}
# ET-14: g at 0x2000 jumps to the `ret` after its own call, at 0x1008: that address comes twice, before the return and
# after it, where depth is 0. Trace began within f, so that the first return pops the only entry.
TAIL = [START, CALL, Block(IType.OTHER_INFERABLE_JUMP, 0x2000, 2), ret(0x1008, 2)]

# With a return stack of 16 entries if nothing else is said
CASES: dict[str, tuple[list[Any], list[Any], dict[str, Any]]] = {
    "the return goes where the stack says: the end is reported with depth 0, since a return is open": (
        [START, CALL, F, BACK, END], [("address", 8, ("irdepth", 0)), REP], {},
    ),
    "without the option a return is a jump": (
        [START, CALL, F, BACK, END], [("address", 8), NTR], {"implicit_return": 0},
    ),
    "an empty stack: an uninferable jump, without irreport": (
        [START, ret(0x1004, 2), linear(0x3000, 2), END], [("address", 0x2000), NTR], {},
    ),
    "the top of the stack is 0x1008, the return goes to 0x5000: reported with the depth before its pop": (
        [START, CALL, F, linear(0x5000, 2), linear(0x5004, 2), END],
        [("misreturn", "address", 0x4000, ("irdepth", 1)), ("last", "address", 4), ("ended", *REP)], {},
    ),
    "the inner return of two goes elsewhere, and from there a return to the outer call is implicit": (
        [START, CALL, call(0x2000, 2), ret(0x3000, 2), ret(0x5000, 2), BACK, END],
        [("address", 0x4000, ("irdepth", 2)), ("address", 0x1008 - 0x5000, ("irdepth", 0)), REP], {},
    ),
    "after a trap's 3.1 the return of before is an uninferable jump": (
        [START, CALL, exception(0x2000), ret(0x8000, 2), BACK, END],
        [("address", 4), HANDLED, ("address", 0x1008 - 0x8000), NTR], {},
    ),
    "two entries: the third call drops the oldest, so the last return is reported, after two implicit ones": (
        OVERFLOW, [("address", 8), NTR], {"return_stack_size_p": 1},
    ),
    "four entries have room": (OVERFLOW, [("address", 8, ("irdepth", 0)), REP], {"return_stack_size_p": 2}),
    "a counter of one bit does not count the second call, so the second return is reported": (
        [START, CALL, call(0x2000, 2), ret(0x4000, 2), ret(0x2004, 2), BACK, END], [("address", 8), NTR], COUNTER,
    ),
    "a counter does not look where a return goes": (
        [START, CALL, F, linear(0x5000, 2), END], [("address", 0x4000, ("irdepth", 0)), REP], COUNTER,
    ),
    "where an interrupted return went is not reported: with an entry it counts as implicit, 3.1 comes at the handler": (
        [START, CALL, F, interrupt(0xDEAD), *HANDLER],
        [("address", 0x1004), ("trap", "interrupt", 0, 1, 0x8000), NTR], {},
    ),
    "an interrupted return with an empty stack": (
        [START, ret(0x1004, 2), interrupt(0xDEAD), *HANDLER],
        [("address", 4), ("trap", "interrupt", 0, 0, 0), ("start", 0x8000), NTR], {},
    ),
    "an exception after a return, at the address on the stack: implicit": (
        [START, CALL, F, exception(0x1008), *HANDLER], [("address", 0x1004), HANDLED, NTR], {},
    ),
    "an exception after a return that went elsewhere: the EPC is reported with thaddr 0": (
        [START, CALL, F, exception(0x1010), *HANDLER],
        [("address", 0x1004), ("trap", "exception", 0, 0, 0x1010), ("start", 0x8000), NTR], {},
    ),
    "before a trap, two deep, one return: the last instruction is reported with depth 1": (
        [*DEEP, linear(0x2004, 4), exception(0x200C), *HANDLER],
        [("address", 0x1008, ("irdepth", 1)), HANDLED, NTR], {},
    ),
    "with a branch or a call since the return without a depth": (
        [*DEEP, taken(0x2004, 2), exception(0x2100), *HANDLER], [("T", 0x1004), HANDLED, NTR], {},
    ),
    "an anchor: a call after an implicit return, here the second from 0x2004, reports itself with the depth before": (
        [*DEEP, call(0x2004, 2), ret(0x3000, 2), ret(0x2008, 2), BACK, END],
        [("anchor", "address", 0x1004, "notify", ("irdepth", 1)), ("last", "address", 0x1008 - 0x2004, ("irdepth", 0)),
         ("ended", *REP)], {},
    ),
    "an uninferable call is no anchor: its target is reported in any case": (
        [START, CALL, F, Block(IType.UNINFERABLE_CALL, 0x1008, 2), linear(0x2000, 2), END],
        [("address", 0x1000), NTR], {},
    ),
    "a branch makes an anchor needless": (
        [START, CALL, F, taken(0x1008, 2), call(0x1100, 2), linear(0x2000, 2), END], [("T", 0x1000), REP], {},
    ),
    "the draft has no anchor": (
        [START, CALL, Block(12, 0x2000, 4), call(0x1008, 2), linear(0x2000, 2), END],
        [("address", 0x1000), REP], {"variant": "draft_0_026"},
    ),
    "a shared tail at depth 0: a trap before the second time": (
        [*TAIL, exception(0x1008), *HANDLER], [("address", 8), HANDLED, NTR], {},
    ),
    "a shared tail at depth 0: a trap after the second return has irdepth 0": (
        [*TAIL, ret(0x1008, 2), exception(0x7000), *HANDLER],
        [("address", 8, ("irdepth", 0)), ("trap", "exception", 0, 0, 0x7000), ("start", 0x8000), NTR], {},
    ),
    # A return is open, a jump's target (0x3000) was reported, and a loop of a call and a direct jump begins there.
    "the call at 0x3004 is an anchor, or the second time at 0x3000 would be reported like the first": (
        [START, CALL, F, Block(14, 0x1008, 2), call(0x3000, 4), F, Block(15, 0x3008, 2), linear(0x3000, 2),
         exception(0x3004), *HANDLER],
        [("address", 0x2000), ("address", 4, "notify", ("irdepth", 0)), ("address", -4, ("irdepth", 0)), HANDLED, NTR],
        {},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_case(case: str) -> None:
    rows, expected, config = CASES[case]
    sends(rows, expected, **{"implicit_return": 1, **config})


def test_irets_by_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
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
    trace = Encoder(newer).run(to_beats([END, *DEEP, ret(0x2004, 2), BACK, END]))
    assert [p.get("irets") for p in trace.packets if p.name == "address"] == [2]
