# SPDX-License-Identifier: Apache-2.0
"""The encoder model: filters, triggers, options that change, and loss (ET-6, ET-16). Profile: Inputs, End of trace,
Loss.
"""

from __future__ import annotations

from rvtrace.models.riscv.retired import Priv
from tests.etrace.encoder_stream import DISABLED, ENABLED, NTR, REP, after_start, branches, encode, explained, reported
from tests.ntrace.encoder_stream import OFF, RESET, Block, each, exception, jump, linear, ret, row, taken

START = row(linear(0x1000, 2))
FULL_ADDRESS, PREDICTION, SIJUMP = 1 << 2, 1 << 4, 1 << 5


def test_filter() -> None:
    """A block that is not accepted ends trace; the next one that is begins with a 3.0. Three blocks of one cycle."""
    rows = [
        row(linear(0x2000, 2), linear(0x3000, 2), linear(0x2004, 4)),
        row(linear(0x3000, 2)),
        row(linear(0x3004, 2)),
    ]
    trace = encode(rows, filter="iaddr=0x2000..0x2fff", blocks_p=4)
    assert reported(trace) == [ENABLED, ("start", 0x2000), NTR, ("start", 0x2004), ("address", 4), REP]
    assert trace.beat == [1, 1, 1, 1, 2, 2]


def test_filter_by_privilege() -> None:
    """The handler is not traced: the trap is not reported, nor is a jump to it."""
    user = [Block(0, 0x1000, 4, priv=Priv.U), Block(1, 0x1008, 0, priv=Priv.U)]
    rows = [*each(user), row(linear(0x8000, 2)), row(Block(0, 0x1008, 2, priv=Priv.U)), row(levels=OFF)]
    assert reported(encode(rows, filter="priv=U")) == [
        ENABLED,
        ("start", 0x1000),
        ("address", 4),
        REP,
        ("start", 0x1008),
        NTR,
    ]


def test_trigger() -> None:
    """The last instruction of the last block with instructions in its cycle, here not the trap's."""
    rows = [
        START,
        row(linear(0x1004, 4), linear(0x100C, 4), exception(0x1014), notify=1),
        row(linear(0x8000, 2)),
        row(levels=OFF),
    ]
    trace = encode(rows, blocks_p=4)
    assert explained(trace)[2:4] == [("notify", "address", 0x10, "notify"), ("trap", "trap", "exception", 0, 1, 0x8000)]


def test_triggered_target() -> None:
    """What is reported as a target needs no notify flag (ET-6, fourth case, second iteration);
    a first instruction neither.
    """
    rows = [row(jump(0x1000, 2), notify=1), row(jump(0x2000, 2), notify=1), row(linear(0x2000, 2)), row(levels=OFF)]
    assert after_start(encode(rows)) == [("address", 0x1000), ("address", 0), NTR]


def test_watchpoint() -> None:
    """A comparator reports the last instruction of the block at its address, with the branch that it is."""
    rows = [START, row(taken(0x1004, 4)), row(linear(0x2000, 4)), row(levels=OFF)]
    assert after_start(encode(rows, filter="watch=0x1004")) == [("T", 8, "notify"), ("address", 0x2004 - 0x1008), REP]


def test_trigger_at_the_end() -> None:
    """Reported in any case: ended_ntr. A draft's packet has no notify flag, so there it is ended_rep."""
    rows = [START, row(linear(0x1004, 4), notify=1), row(levels=OFF)]
    assert after_start(encode(rows)) == [("address", 8, "notify"), NTR]
    assert after_start(encode(rows, variant="draft_0_026")) == [("address", 8), REP]


def test_loop_labels() -> None:
    """ET-6: a loop whose first instruction, 0x1004, is entered from above and again by a jump at 0x100C."""
    first, again = [START, row(linear(0x1004, 2))], [row(jump(0x1008, 4)), row(linear(0x1004, 2))]
    goes_on, trap, end = row(linear(0x1008, 2)), [row(exception(0x1008)), row(linear(0x8000, 4))], row(levels=OFF)
    handled = ("trap", "exception", 0, 1, 0x8000)
    assert after_start(encode([*first, *again, goes_on, end])) == [("address", 4), ("address", 4), REP]
    assert after_start(encode([*first, *again, *trap])) == [("address", 4, "updiscon"), handled]
    assert after_start(encode([*first, *trap])) == [("address", 4), handled]
    assert after_start(encode([*first, end])) == [("address", 4), REP]
    assert after_start(encode([*first, *again, end])) == [("address", 4), NTR]


def test_options_change() -> None:
    """Trace ends with the options of before; a support packet has the new ones, and trace begins again."""
    rows = [
        START,
        row(jump(0x1004, 2)),
        row(linear(0x1008, 2), toggle=FULL_ADDRESS),
        row(linear(0x100C, 2), toggle=FULL_ADDRESS),
    ]
    trace = encode([*rows, row(levels=OFF, toggle=FULL_ADDRESS)])
    assert explained(trace)[2:] == [
        ("last", "address", 4),
        ("ended", *REP),
        ("reconfigured", *ENABLED),
        ("first", "start", 0x1008),
        ("last", "address", 0x100C),
        ("ended", *REP),
    ]
    assert trace.options == [0, 0, 0, 0, 4, 4, 4, 4]
    assert [p.get("ioptions") for p in trace.packets if p.name == "support"] == [0, 0, 4, 4]


def test_options_change_with_enable() -> None:
    """While `enable` is 0 nothing is said, and its rise has the new options; that of its fall are the new ones where
    nothing ended.
    """
    rows = [
        row(levels=OFF),
        row(levels=RESET, toggle=SIJUMP),
        row(levels=RESET),
        row(levels=OFF, toggle=PREDICTION),
        row(levels=OFF),
    ]
    trace = encode(rows)
    assert reported(trace) == [ENABLED, DISABLED, ENABLED, ENABLED]
    assert [p.get("ioptions") for p in trace.packets] == [0, SIJUMP, PREDICTION, 0]


def test_prediction_begins_and_ends() -> None:
    """31 branches not taken, 4 apart: each with a separate entry, all predicted where the option is on."""
    blocks = [b._replace(iaddr=0x1004 + 4 * n) for n, b in enumerate(branches("N" * 31))]
    on = [row(block, toggle=PREDICTION) for block in [Block(0, 0x1000, 2), *blocks]]
    rows = [*on, row(jump(0x1080, 2), toggle=PREDICTION), START, *each(blocks), row(jump(0x1080, 2))]
    assert reported(encode(rows))[1:4] == [("start", 0x1000), ("count", 31, 2, 0x80), REP]
    assert reported(encode(rows))[-2:] == [("start", 0x1000), ("N" * 31,)]


def test_loss() -> None:
    """The packet of row 4 (a target) finds no room: it and all up to the row with room are lost, there a support packet
    comes first, then 3.0.
    """
    rows = [
        START,
        row(jump(0x1004, 2)),
        row(linear(0x2000, 2)),
        row(jump(0x2004, 2), drop=1),
        row(jump(0x3000, 2), drop=1),
    ]
    rows += [row(ret(0x4000, 2), drop=0), row(linear(0x5000, 2)), row(levels=OFF)]
    trace = encode(rows)
    assert explained(trace)[2:] == [
        ("lost", "support", 1, "trace_lost"),
        ("first", "start", 0x4000),
        ("updiscon", "address", 0x1000),
        ("ended", *NTR),
    ]
    assert trace.beat == [1, 2, 6, 7, 8, 8]


def test_drop_without_a_packet() -> None:
    """No room, and nothing is made: nothing is lost."""
    rows = [
        START,
        row(linear(0x1004, 2)),
        row(taken(0x1008, 2), drop=1),
        row(linear(0x2000, 2), drop=1),
        row(linear(0x2004, 2)),
        row(levels=OFF),
    ]
    assert after_start(encode(rows)) == [("T", 0x1004), REP]


def test_all_packets_of_the_beat_are_lost() -> None:
    """The last packet and the support packet of an end of trace; the fall of `enable` is not reported, for trace_lost
    says it.
    """
    rows = [START, row(linear(0x1004, 2)), row(levels=RESET, drop=1), row(levels=RESET), row(levels=OFF)]
    assert reported(encode(rows))[2:] == [("support", 0, "trace_lost"), ENABLED]


def test_loss_hides_changes() -> None:
    """Options that change while lost: those of the beat with room are reported by its support packet alone."""
    rows = [
        START,
        row(jump(0x1004, 2)),
        row(linear(0x2000, 2)),
        row(linear(0x2004, 2), drop=1),
        row(linear(0x2008, 2), drop=0, toggle=FULL_ADDRESS),
    ]
    trace = encode([*rows, row(levels=OFF, toggle=FULL_ADDRESS)])
    assert reported(trace)[2:] == [("support", 1, "trace_lost"), ("start", 0x2008), NTR]
    assert trace.options[2:] == [FULL_ADDRESS] * 3


def test_pair_cut_by_a_loss() -> None:
    """The register was loaded in a beat that is lost: the jump at 0x2008 is reported, although its hart calls it
    sequential.
    """
    rows = [START, row(jump(0x1004, 2)), row(linear(0x2000, 2)), row(linear(0x2004, 2), drop=1)]
    rows += [row(Block(14, 0x2008, 2, sijump=1), drop=0), row(linear(0x9000, 2)), row(levels=OFF)]
    assert reported(encode(rows, sijump=1))[2:] == [
        ("support", 1, "trace_lost"),
        ("start", 0x2008),
        ("address", 0x9000 - 0x2008),
        NTR,
    ]
