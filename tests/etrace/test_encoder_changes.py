# SPDX-License-Identifier: Apache-2.0
"""The encoder model: filters, triggers, options that change, and loss (ET-6, ET-16). Profile: Inputs, End of trace,
Loss.
"""

from typing import Any

import pytest

from rvtrace.models.riscv.retired import Priv
from tests.etrace.encoder_stream import DISABLED, ENABLED, NTR, REP, branches, encode, explained, reported, sends
from tests.ntrace.encoder_stream import OFF, RESET, Block, exception, jump, linear, ret, row, taken

START, END = linear(0x1000, 2), row(levels=OFF)
FULL_ADDRESS, PREDICTION, SIJUMP = 1 << 2, 1 << 4, 1 << 5
DRAFT = {"variant": "draft_0_026"}
LOST = ("support", 1, "trace_lost")
HANDLED = ("trap", "exception", 0, 1, 0x8000)
# ET-6: a loop whose first instruction, 0x1004, is entered from above and again by a jump at 0x100C
FIRST, AGAIN = [START, linear(0x1004, 2)], [jump(0x1008, 4), linear(0x1004, 2)]
TRAP = [exception(0x1008), linear(0x8000, 4)]

CASES: dict[str, tuple[list[Any], list[Any], dict[str, Any]]] = {
    "what is reported as a target needs no notify flag, a first instruction neither (ET-6, fourth case)": (
        [row(jump(0x1000, 2), notify=1), row(jump(0x2000, 2), notify=1), linear(0x2000, 2), END],
        [("address", 0x1000), ("address", 0), NTR], {},
    ),
    "a comparator reports the last instruction of the block at its address, with the branch that it is": (
        [START, taken(0x1004, 4), linear(0x2000, 4), END],
        [("T", 8, "notify"), ("address", 0x2004 - 0x1008), REP], {"filter": "watch=0x1004"},
    ),
    "a trigger at the end: reported in any case, so ended_ntr": (
        [START, row(linear(0x1004, 4), notify=1), END], [("address", 8, "notify"), NTR], {},
    ),
    "a draft's packet has no notify flag, so there it is ended_rep": (
        [START, row(linear(0x1004, 4), notify=1), END], [("address", 8), REP], DRAFT,
    ),
    "the loop goes on": ([*FIRST, *AGAIN, linear(0x1008, 2), END], [("address", 4), ("address", 4), REP], {}),
    "a trap in the second round": ([*FIRST, *AGAIN, *TRAP], [("address", 4, "updiscon"), HANDLED], {}),
    "a trap in the first round": ([*FIRST, *TRAP], [("address", 4), HANDLED], {}),
    "the end in the first round": ([*FIRST, END], [("address", 4), REP], {}),
    "the end in the second round": ([*FIRST, *AGAIN, END], [("address", 4), NTR], {}),
    "no room, and nothing is made: nothing is lost": (
        [START, linear(0x1004, 2), row(taken(0x1008, 2), drop=1), row(linear(0x2000, 2), drop=1), linear(0x2004, 2),
         END],
        [("T", 0x1004), REP], {},
    ),
    "packets of an end of trace are lost; the fall of `enable` is not reported, for trace_lost says it": (
        [START, linear(0x1004, 2), row(levels=RESET, drop=1), row(levels=RESET), END],
        [("support", 0, "trace_lost"), ENABLED], {},
    ),
    "the register was loaded in a beat that is lost: the jump is reported, although its hart calls it sequential": (
        [START, jump(0x1004, 2), linear(0x2000, 2), row(linear(0x2004, 2), drop=1), Block(14, 0x2008, 2, sijump=1),
         linear(0x9000, 2), END],
        [LOST, ("start", 0x2008), ("address", 0x9000 - 0x2008), NTR], {"sijump": 1},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_case(case: str) -> None:
    rows, expected, config = CASES[case]
    sends(rows, expected, **config)


def test_filter() -> None:
    """A block that is not accepted ends trace; the next one that is begins with a 3.0. Three blocks of one cycle."""
    rows = [row(linear(0x2000, 2), linear(0x3000, 2), linear(0x2004, 4)), linear(0x3000, 2), linear(0x3004, 2)]
    trace = encode(rows, filter="iaddr=0x2000..0x2fff", blocks_p=4)
    assert reported(trace) == [ENABLED, ("start", 0x2000), NTR, ("start", 0x2004), ("address", 4), REP]
    assert trace.beat == [1, 1, 1, 1, 2, 2]


def test_filter_by_privilege() -> None:
    """The handler is not traced: the trap is not reported, nor is a jump to it."""
    rows = [Block(0, 0x1000, 4, priv=Priv.U), Block(1, 0x1008, 0, priv=Priv.U), linear(0x8000, 2)]
    sends(
        [*rows, Block(0, 0x1008, 2, priv=Priv.U), END], [("address", 4), REP, ("start", 0x1008), NTR], filter="priv=U"
    )


def test_trigger() -> None:
    """The last instruction of the last block with instructions in its cycle, here not the trap's."""
    three = row(linear(0x1004, 4), linear(0x100C, 4), exception(0x1014), notify=1)
    trace = encode([START, three, linear(0x8000, 2), END], blocks_p=4)
    assert explained(trace)[2:4] == [("notify", "address", 0x10, "notify"), ("trap", *HANDLED)]


def test_options_change() -> None:
    """Trace ends with the options of before; a support packet has the new ones, and trace begins again."""
    rows = [START, jump(0x1004, 2)]
    rows += [row(linear(0x1008, 2), toggle=FULL_ADDRESS), row(linear(0x100C, 2), toggle=FULL_ADDRESS)]
    again = [("reconfigured", *ENABLED), ("first", "start", 0x1008), ("last", "address", 0x100C), ("ended", *REP)]
    trace = sends([*rows, row(levels=OFF, toggle=FULL_ADDRESS)], [("last", "address", 4), ("ended", *REP), *again])
    assert trace.options == [0, 0, 0, 0, 4, 4, 4, 4]
    assert [p.get("ioptions") for p in trace.packets if p.name == "support"] == [0, 0, 4, 4]


def test_options_change_with_enable() -> None:
    """While `enable` is 0 nothing is said, and its rise has the new options; that of its fall are the new ones where
    nothing ended.
    """
    off = [row(levels=RESET, toggle=SIJUMP), row(levels=RESET)]
    trace = encode([END, *off, row(levels=OFF, toggle=PREDICTION), END])
    assert reported(trace) == [ENABLED, DISABLED, ENABLED, ENABLED]
    assert [p.get("ioptions") for p in trace.packets] == [0, SIJUMP, PREDICTION, 0]


def test_prediction_begins_and_ends() -> None:
    """31 branches not taken, 4 apart: each with a separate entry, all predicted where the option is on."""
    blocks = [b._replace(iaddr=0x1004 + 4 * n) for n, b in enumerate(branches("N" * 31))]
    on = [row(block, toggle=PREDICTION) for block in [START, *blocks, jump(0x1080, 2)]]
    trace = encode([*on, START, *blocks, jump(0x1080, 2)])
    assert reported(trace)[1:4] == [("start", 0x1000), ("count", 31, 2, 0x80), REP]
    assert reported(trace)[-2:] == [("start", 0x1000), ("N" * 31,)]


def test_loss() -> None:
    """The packet of row 4 (a target) finds no room: it and all up to the row with room are lost, there a support packet
    comes first, then 3.0.
    """
    rows = [START, jump(0x1004, 2), linear(0x2000, 2), row(jump(0x2004, 2), drop=1), row(jump(0x3000, 2), drop=1)]
    expected = [("lost", *LOST), ("first", "start", 0x4000), ("updiscon", "address", 0x1000), ("ended", *NTR)]
    trace = sends([*rows, ret(0x4000, 2), linear(0x5000, 2), END], expected)
    assert trace.beat == [1, 2, 6, 7, 8, 8]


def test_loss_hides_changes() -> None:
    """Options that change while lost: those of the beat with room are reported by its support packet alone."""
    rows = [START, jump(0x1004, 2), linear(0x2000, 2), row(linear(0x2004, 2), drop=1)]
    rows += [row(linear(0x2008, 2), toggle=FULL_ADDRESS), row(levels=OFF, toggle=FULL_ADDRESS)]
    trace = sends(rows, [LOST, ("start", 0x2008), NTR])
    assert trace.options[2:] == [FULL_ADDRESS] * 3
