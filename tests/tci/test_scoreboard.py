# SPDX-License-Identifier: Apache-2.0
"""The checks of the trace system without a simulator: small captures written by hand, and each with one thing wrong.

A write takes effect in the cycle after it.
"""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from rvtrace.models.csr.table import ControlError
from rvtrace.models.riscv.beats import Beats
from rvtrace.models.tci.funnel import Sent
from rvtrace.models.tci.grammar import NTRACE
from rvtrace.models.tci.layout import Params
from rvtrace.models.tci.pin_sink import CALIBRATION, Receiver, samples
from rvtrace.models.tci.register_model import RegisterModel
from rvtrace.scoreboards.common.clauses import ClauseBook
from rvtrace.scoreboards.tci.capture import Fired, HartRun, Stream, TciCapture
from rvtrace.scoreboards.tci.check import plan
from rvtrace.scoreboards.tci.counter import check_counters
from rvtrace.scoreboards.tci.encoder import check_encoders, external_time
from rvtrace.scoreboards.tci.funnel import check_flush, check_funnel
from rvtrace.scoreboards.tci.registers import Access, RegisterCheck
from rvtrace.scoreboards.tci.sinks import PinCheck, RamCheck, taken

PARAMS = Params(harts=1)
ENCODER, RAM, PINS = (RegisterModel(PARAMS).place(name).base for name in ("encoder", "ram_sink", "pin_sink"))
A, E, T, TRIG = 1, 2, 4, 1 << 11  # trTeActive, trTeEnable, trTeInstTracing, trTeInstTrigEnable
ON, OFF, NOTIFY = 2, 3, 4  # trigger actions
LOST = 1 << 12  # trTeInstStallOrOverflow
M32 = 0xFFFF_FFFF


def w(cycle: int, address: int, data: int) -> Access:
    return Access(cycle, True, address, data)


def r(cycle: int, address: int, data: int) -> Access:
    return Access(cycle, False, address, data)


def stream(*messages: Sent) -> Stream:
    data = b"".join(one.data for one in messages)
    return Stream(data, np.zeros(len(data), np.uint64), list(messages), [])


def beats(**columns: Any) -> Beats:
    """One beat in each cycle from 0 on; a level as a text of 0 and 1."""
    given = {k: [int(c) for c in v] if isinstance(v, str) else v for k, v in columns.items()}
    found = Beats.empty(max(map(len, given.values())), 1)
    found.cycle = np.arange(len(found)).astype(np.uint64)
    for name, values in given.items():
        setattr(found, name, np.array(values).astype(getattr(found, name).dtype))
    return found


def capture(
    accesses: list[Access], seen: Beats | None = None, rows: Any = (), outputs: Any = (), losses: Any = (), **more: Any
) -> TciCapture:
    """losses: beats of the messages of the reference encoder, each of which reports a loss."""
    told = SimpleNamespace(beat=list(losses))
    protocol = SimpleNamespace(
        grammar=lambda config: NTRACE, losses=lambda told: range(len(told.beat)),
        encoder=lambda config: SimpleNamespace(run=lambda beats: told),
    )  # fmt: skip
    hart = HartRun(None, cast(Any, None), None, None, seen or Beats.empty(0, 1), stream(),
                   Fired(list(rows), list(outputs)), cast(Any, protocol))  # fmt: skip
    given = {"merged": stream(), "memory": [], "pins": [], "params": PARAMS} | more
    return TciCapture(harts=[hart], accesses=accesses, **given)


def judged(check: Callable[[TciCapture, ClauseBook], Any], one: TciCapture) -> ClauseBook:
    """What a check says of a capture: a function, or a class whose run() does it."""
    book = ClauseBook(plan())
    made = check(one, book)
    if made is not None:
        made.run()
    return book


def registers(accesses: list[Access]) -> ClauseBook:
    """What the check of the registers says."""
    book = ClauseBook(plan())
    RegisterCheck(PARAMS, book).run(accesses)
    return book


def failed(one: TciCapture) -> list[str]:
    """What the checks of the encoders report."""
    return judged(check_encoders, one).failed + judged(check_counters, one).failed


# --- Levels and triggers of an encoder --------------------------------------------------------------------------------

SWITCHED = [w(1, ENCODER, A), w(3, ENCODER, A | E | T), w(6, ENCODER, A | E), w(8, ENCODER, A)]


@pytest.mark.parametrize(
    ("enable", "tracing", "clauses"),
    [
        ("0000111110", "0000111000", []),
        ("0000111110", "0000110000", ["TCI.te.inst_tracing"]),
        ("0000111110", "0000111100", ["TCI.te.inst_tracing"]),
        ("0000011110", "0000111000", ["TCI.te.enable_level"]),
        ("0000111111", "0000111000", ["TCI.te.enable_level"]),
    ],
)
def test_levels_follow_the_register(enable: str, tracing: str, clauses: list[str]) -> None:
    assert failed(capture(SWITCHED, beats(enable=enable, inst_tracing=tracing))) == clauses


def test_a_read_shows_whether_it_traces() -> None:
    """Other registers, offsets without one, and other components say nothing about it."""
    seen = beats(enable="0000111110", inst_tracing="0000111000")
    others = [r(5, ENCODER + 0x7FC, 0), r(5, ENCODER + 8, 0), r(5, RAM, 0)]
    for data, clauses in ((A | E | T, []), (A | E, ["TCI.te.inst_tracing"])):
        accesses = sorted([*SWITCHED, *others, r(5, ENCODER, data)], key=lambda one: one.cycle)
        assert failed(capture(accesses, seen)) == clauses


ARMED = [w(1, ENCODER, A), w(2, ENCODER + 0x54, ON | OFF << 4), w(3, ENCODER, A | E | TRIG)]


@pytest.mark.parametrize(
    ("rows", "tracing", "clauses"),
    [
        ([(5, ON, 0), (7, OFF, 0)], "0000011100", []),
        ([(5, ON, 0), (7, OFF, 0)], "0000011110", ["TCI.te.trigger_debug"]),
        ([(5, ON, 0), (7, OFF, 0)], "0000001100", ["TCI.te.trigger_debug"]),
        ([(5, 0, 1), (7, 0, 2)], "0000011100", []),
        ([(5, 0, 1), (7, 0, 2)], "0000000000", ["TCI.te.trigger_external"]),
        ([(5, 0, 1), (7, 0, 2)], "0000011111", ["TCI.te.trigger_external"]),
        ([(5, 0, 4)], "0000000000", []),  # an input whose action is 0
        ([(2, ON, 0)], "0000000000", []),  # not enabled yet
        ([(2, ON, 0)], "0010000000", ["TCI.te.trigger_enable"]),
    ],
)
def test_triggers_start_and_stop(rows: list[tuple[int, int, int]], tracing: str, clauses: list[str]) -> None:
    """The row of a start is traced, and that of a stop as well."""
    assert failed(capture(ARMED, beats(enable="0000111111", inst_tracing=tracing), rows)) == clauses


def test_triggers_do_nothing_unless_enabled() -> None:
    accesses = [w(1, ENCODER, A), w(2, ENCODER + 0x54, ON), w(3, ENCODER, A | E)]
    for tracing, clauses in (("00000000", []), ("00000111", ["TCI.te.trigger_enable"])):
        seen = beats(enable="00001111", inst_tracing=tracing)
        assert failed(capture(accesses, seen, [(5, ON, 1)])) == clauses


@pytest.mark.parametrize(
    ("notify", "external", "clauses"),
    [("0000010000", "0000000100", []), ("0000000000", "0000000100", ["TCI.te.trigger_notify"]),
     ("0000010000", "0000010100", ["TCI.te.trigger_notify"])],
)  # fmt: skip
def test_marks_of_triggers(notify: str, external: str, clauses: list[str]) -> None:
    accesses = [w(1, ENCODER, A), w(2, ENCODER + 0x54, NOTIFY << 8), w(3, ENCODER, A | E | TRIG)]
    seen = beats(enable="0000111111", inst_tracing="0000000000", notify=notify, ext_notify=external)
    assert failed(capture(accesses, seen, [(5, NOTIFY, 0), (7, 0, 4)])) == clauses


@pytest.mark.parametrize(
    ("outputs", "clauses"),
    [([(5, 1), (7, 2)], []), ([(5, 1)], ["TCI.te.trigger_out"]), ([(5, 3), (7, 2)], ["TCI.te.trigger_out"]),
     ([(7, 2), (8, 1)], ["TCI.te.trigger_out"])],
)  # fmt: skip
def test_outputs_fire_at_starts_and_stops(outputs: list[tuple[int, int]], clauses: list[str]) -> None:
    """Output 0 at a start (event 1), output 1 at a stop (event 2)."""
    accesses = [w(1, ENCODER, A), w(2, ENCODER + 0x58, 1 | 2 << 4), *SWITCHED[1:]]
    one = capture(accesses, beats(enable="0000111110", inst_tracing="0000111000"), outputs=outputs)
    assert failed(one) == clauses
    checked = judged(check_encoders, one).results()["TCI.te.trigger_out"][0]
    assert checked == 2 + 1  # both that are due, and that there is no other


# --- Messages that were lost ------------------------------------------------------------------------------------------

ENABLED = [w(1, ENCODER, A), w(2, ENCODER, A | E)]


@pytest.mark.parametrize(
    ("accesses", "clauses"),
    [
        ([r(8, ENCODER, A | E | LOST)], []),
        ([r(8, ENCODER, A | E)], ["TCI.te.overflow"]),
        ([r(8, ENCODER, A | E | LOST), w(9, ENCODER, A | E | LOST), r(10, ENCODER, A | E)], []),
        ([w(9, ENCODER, A | E | LOST), r(10, ENCODER, A | E | LOST)], ["TCI.reg.rw1c"]),
        ([w(9, ENCODER, A), w(10, ENCODER, A | E), r(11, ENCODER, A | E | LOST)], ["TCI.te.overflow_clear"]),
        ([r(3, ENCODER, A | E | LOST)], ["TCI.te.overflow_clear"]),
    ],
)
def test_the_flag_of_a_loss(accesses: list[Access], clauses: list[str]) -> None:
    """Without room in cycles 4 and 5; the message of beat 6 reports it."""
    seen = beats(enable="000" + "1" * 9, inst_tracing="0" * 12, drop="000011000000")
    for access in accesses:  # levels follow what is written: only the flag is looked at
        if access.write and not access.data & E:
            seen.enable[access.cycle + 1 :] = 0
    if any(access.write and access.cycle == 10 for access in accesses):
        seen.enable[11:] = 1
    assert failed(capture([*ENABLED, *accesses], seen, losses=[6])) == clauses


def test_each_loss_lies_after_the_message_before() -> None:
    """Two losses, the flag cleared between them: the second is in beats 7 and 8."""
    seen = beats(enable="000" + "1" * 10, inst_tracing="0" * 13, drop="0001000110000")
    cleared = [*ENABLED, w(5, ENCODER, A | E | LOST)]
    assert failed(capture([*cleared, r(12, ENCODER, A | E | LOST)], seen, losses=[4, 9])) == []
    assert failed(capture([*cleared, r(12, ENCODER, A | E)], seen, losses=[4, 9])) == ["TCI.te.overflow"]


# --- Time -------------------------------------------------------------------------------------------------------------

TS_ACTIVE, TS_COUNT, TS_IN_DEBUG, TS_ENABLE = 1, 2, 8, 1 << 15


@pytest.mark.parametrize(
    ("control", "time", "halted", "clauses"),
    [
        (3 << 4, lambda c: c, (), []),
        (3 << 4, lambda c: c + (c > 20), (), ["TCI.ts.core"]),
        (3 << 4, lambda c: 2 * c, (), ["TCI.ts.core"]),
        (3 << 4 | 1 << 8, lambda c: c // 4, (), []),  # prescale 1: every fourth cycle
        (3 << 4 | 1 << 8, lambda c: (c + 3) // 4, (), []),
        (3 << 4 | 1 << 8, lambda c: c // 3, (), ["TCI.ts.core"]),
        (3 << 4 | 1 << 8, lambda c: c, (), ["TCI.ts.core"]),
        (3 << 4 | 1 << 8, lambda c: 2 * c, (), ["TCI.ts.core"]),
        (2 << 4, lambda c: c // 2, (), []),  # the system clock has half the frequency
        (2 << 4, lambda c: 2 * c, (), ["TCI.ts.system"]),
        (1 << 4, external_time, (), []),
        (1 << 4, lambda c: external_time(c) + (c == 20), (), ["TCI.ts.external"]),
        (0, lambda c: 0, (), []),
        (0, lambda c: int(c == 20), (), ["TCI.ts.none"]),
        (3 << 4, lambda c: min(c, 15), range(15, 32), []),  # in Debug Mode it stands still
        (3 << 4, lambda c: c, range(15, 32), ["TCI.ts.core"]),
        (3 << 4, lambda c: c, range(15, 16), ["TCI.ts.core"]),  # until the row after it
        (3 << 4 | TS_IN_DEBUG, lambda c: c, range(15, 32), []),
        (2 << 4, lambda c: c // 2, range(15, 32), []),
        (3 << 4 | TS_IN_DEBUG, lambda c: min(c, 15), range(15, 32), ["TCI.ts.core"]),
        (3 << 4, lambda c: min(c, 15), (), ["TCI.ts.core"]),
    ],
)
def test_the_time_of_an_encoder(control: int, time: Any, halted: Any, clauses: list[str]) -> None:
    seen = beats(enable="000" + "1" * 29, inst_tracing="0" * 32, tstamp=[time(c) for c in range(32)],
                 halted=[int(c in halted) for c in range(32)])  # fmt: skip
    setting = TS_ACTIVE | TS_COUNT | TS_ENABLE | control
    accesses = [*ENABLED, w(3, ENCODER + 0x40, TS_ACTIVE), w(4, ENCODER + 0x40, setting)]
    assert failed(capture(accesses, seen)) == clauses


def test_a_tick_too_many_between_two_rows_is_found_although_the_sum_is_still_right() -> None:
    """Prescale 1: one tick every four cycles. The rows are four cycles apart once, right after three without a tick."""
    setting = TS_ACTIVE | TS_COUNT | TS_ENABLE | 3 << 4 | 1 << 8
    accesses = [*ENABLED, w(3, ENCODER + 0x40, TS_ACTIVE), w(4, ENCODER + 0x40, setting)]
    begin, right = [c // 4 for c in range(16)], [c // 4 for c in range(19, 35)]
    for later, clauses in ((right, []), ([5 + k // 4 for k in range(16)], ["TCI.ts.core"])):
        seen = beats(enable="000" + "1" * 29, inst_tracing="0" * 32, tstamp=begin + later)
        seen.cycle[16:] += 3
        assert failed(capture(accesses, seen)) == clauses


def test_the_time_of_a_halted_hart_whose_rows_are_stalled_is_known_between_halted_rows_only() -> None:
    """The row that ends Debug Mode may have waited, and the time went on."""
    stalls = w(1, ENCODER, A), w(2, ENCODER, A | E | 1 << 13)
    accesses = [*stalls, w(3, ENCODER + 0x40, TS_ACTIVE), w(4, ENCODER + 0x40, CORE_TIME)]
    for halted, clauses in ((range(15, 16), []), (range(15, 17), ["TCI.ts.core"])):
        seen = beats(enable="000" + "1" * 29, inst_tracing="0" * 32, tstamp=list(range(32)),
                     halted=[int(c in halted) for c in range(32)])  # fmt: skip
        assert failed(capture(accesses, seen)) == clauses


def test_a_time_that_does_not_count_stands_still() -> None:
    accesses = [*ENABLED, w(3, ENCODER + 0x40, TS_ACTIVE), w(4, ENCODER + 0x40, TS_ACTIVE | TS_ENABLE | 3 << 4)]
    for step, clauses in ((0, []), (1, ["TCI.ts.core"])):
        seen = beats(enable="000" + "1" * 29, inst_tracing="0" * 32, tstamp=[5 + step * (c > 20) for c in range(32)])
        assert failed(capture(accesses, seen)) == clauses


def test_only_writes_end_a_span_of_time() -> None:
    """A read between does not; the time before a reset is another one."""
    setting = TS_ACTIVE | TS_COUNT | TS_ENABLE | 3 << 4
    accesses = [*ENABLED, w(3, ENCODER + 0x40, TS_ACTIVE), w(4, ENCODER + 0x40, setting), r(12, ENCODER, A | E)]
    time = [c - 18 * (c > 18) for c in range(32)]
    seen = beats(enable="000" + "1" * 29, inst_tracing="0" * 32, tstamp=time)
    assert failed(capture([*accesses, w(18, ENCODER + 0x40, setting | 4)], seen)) == []
    assert failed(capture(accesses, seen)) == ["TCI.ts.core"]
    late = beats(enable="000" + "1" * 29, inst_tracing="0" * 32, tstamp=[c + 5 * (c > 14) for c in range(32)])
    assert failed(capture(accesses, late)) == ["TCI.ts.core"]


@pytest.mark.parametrize(
    ("control", "time", "low", "high", "clauses"),
    [
        (1 << 4, external_time, external_time(20) & M32, external_time(20) >> 32, []),
        (1 << 4, external_time, external_time(19) & M32, external_time(20) >> 32, ["TCI.ts.counter"]),
        (1 << 4, external_time, external_time(21) & M32, external_time(20) >> 32, ["TCI.ts.counter"]),
        (1 << 4, external_time, external_time(20) & M32, 0, ["TCI.ts.counter"]),
        (3 << 4, lambda c: c - 4, 16, 0, []),
        (3 << 4, lambda c: c - 4, 8, 0, ["TCI.ts.counter"]),
        (3 << 4, lambda c: c - 4, 16, 1, ["TCI.ts.counter"]),
        (2 << 4, lambda c: c // 2, 10, 0, []),
        (2 << 4, lambda c: c // 2, 12, 0, ["TCI.ts.counter"]),
        (4 << 4, lambda c: 5 * c + (7 << 32), 100, 7, []),
        (4 << 4, lambda c: 5 * c + (7 << 32), 99, 7, ["TCI.ts.counter"]),
        (4 << 4, lambda c: 5 * c + (7 << 32), 100, 8, ["TCI.ts.counter"]),
    ],
)
def test_the_counter_reads_the_time_of_its_cycle(
    control: int, time: Any, low: int, high: int, clauses: list[str]
) -> None:
    """Both halves; other registers of the encoder are not taken for it."""
    seen = beats(enable="000" + "1" * 29, inst_tracing="0" * 32, tstamp=[max(time(c), 0) for c in range(32)])
    setting = TS_ACTIVE | TS_COUNT | TS_ENABLE | control
    accesses = [*ENABLED, w(3, ENCODER + 0x40, TS_ACTIVE), w(4, ENCODER + 0x40, setting),
                r(20, ENCODER + 0x48, low), r(20, ENCODER + 0x4C, high), r(20, ENCODER + 8, 0)]  # fmt: skip
    assert failed(capture(accesses, seen)) == clauses


def counting(last: int) -> Beats:
    """An encoder whose core time began in cycle 4, and whose last row is `last`."""
    return beats(enable="000" + "1" * (last - 2), inst_tracing="0" * (last + 1),
                 tstamp=[max(c - 4, 0) for c in range(last + 1)])  # fmt: skip


CORE_TIME = TS_ACTIVE | TS_COUNT | TS_ENABLE | 3 << 4
COUNTING = [*ENABLED, w(3, ENCODER + 0x40, TS_ACTIVE), w(4, ENCODER + 0x40, CORE_TIME)]


def test_a_counter_that_is_read_late_is_legal() -> None:
    """A device that is not the reference may give a value some cycles old, and never one of the future."""
    for value, clauses in ((36, []), (20, []), (19, ["TCI.ts.counter"]), (37, ["TCI.ts.counter"])):
        assert failed(capture([*COUNTING, r(40, ENCODER + 0x48, value)], counting(64), exact=False)) == clauses


def test_a_counter_is_judged_by_its_pace_after_the_last_row() -> None:
    """It went on from there; not behind a reset, which no row shows."""
    for value, clauses in ((36, []), (35, ["TCI.ts.counter"]), (37, ["TCI.ts.counter"])):
        assert failed(capture([*COUNTING, r(40, ENCODER + 0x48, value)], counting(20))) == clauses
    reset = [*COUNTING, w(30, ENCODER + 0x40, CORE_TIME | 4), r(40, ENCODER + 0x48, 10)]
    assert failed(capture(reset, counting(20))) == []


def test_a_counter_stands_still_with_its_hart() -> None:
    """Core time without trTsRunInDebug, and Debug Mode from the last row on: how long it lasted is not known."""
    seen = beats(enable="000" + "1" * 18, inst_tracing="0" * 21, halted="0" * 15 + "1" * 6,
                 tstamp=[max(min(c, 15) - 4, 0) for c in range(21)])  # fmt: skip
    for value, clauses in ((11, []), (31, []), (10, ["TCI.ts.counter"]), (32, ["TCI.ts.counter"])):
        assert failed(capture([*COUNTING, r(40, ENCODER + 0x48, value)], seen)) == clauses


def test_a_counter_that_is_not_the_time_shows_both_halves() -> None:
    """The time at the read as it is in the half that was read."""
    seen = beats(enable="000" + "1" * 29, inst_tracing="0" * 32, tstamp=[5 * max(c, 0) + (7 << 32) for c in range(32)])
    shared = TS_ACTIVE | TS_COUNT | TS_ENABLE | 4 << 4
    accesses = [*ENABLED, w(3, ENCODER + 0x40, TS_ACTIVE), w(4, ENCODER + 0x40, shared), r(20, ENCODER + 0x4C, 8)]
    book = judged(check_counters, capture(accesses, seen))
    (failure,) = book.failures
    assert failure.table == [("time", "0x7", "0x8")]


def test_a_counter_without_a_known_time_is_not_judged() -> None:
    """In mode 0 of an encoder, and in the funnel, whose time no row has."""
    nothing = [*ENABLED, w(3, ENCODER + 0x40, TS_ACTIVE), w(4, ENCODER + 0x40, TS_ACTIVE | TS_COUNT | TS_ENABLE)]
    seen = beats(enable="000" + "1" * 29, inst_tracing="0" * 32, tstamp=[0] * 32)
    assert failed(capture([*nothing, r(20, ENCODER + 0x48, 99)], seen)) == []
    internal = [w(3, FUNNEL, A), w(3, FUNNEL + 0x40, TS_ACTIVE), w(4, FUNNEL + 0x40, TS_ACTIVE | TS_COUNT | 2 << 4)]
    assert judged(check_counters, capture([*ENABLED, *internal, r(20, FUNNEL + 0x48, 99)], counting(31))).failed == []


def test_a_counter_is_not_judged_while_its_time_settles() -> None:
    assert failed(capture([*COUNTING, r(8, ENCODER + 0x48, 99)], counting(20))) == []


# --- The RAM sink -----------------------------------------------------------------------------------------------------

R_ACTIVE, R_ENABLE, R_EMPTY = 1, 2, 8
MESSAGE = Sent(b"\x00\x04\x08\x0b" + b"\x10\x14\x18\x1b", 5, 5, 6)  # two words


def ram(*accesses: Access, messages: tuple[Sent, ...] = (MESSAGE,), **more: Any) -> list[str]:
    """What the check of the RAM sink reports: a buffer of 16 words, one session with a message of two words."""
    session = [
        w(1, RAM, R_ACTIVE), w(1, RAM + 0x10, 0), w(1, RAM + 0x18, 0x3C), w(1, RAM + 0x20, 0), w(2, RAM + 0x28, 0),
        w(3, RAM, R_ACTIVE | R_ENABLE), w(9, RAM, R_ACTIVE),
    ]  # fmt: skip
    return judged(RamCheck, capture([*session, *accesses], merged=stream(*messages), **more)).failed


QUIET = r(10, RAM, R_ACTIVE | R_EMPTY)


@pytest.mark.parametrize(
    ("accesses", "clauses"),
    [
        ([r(11, RAM + 0x20, 8)], []),
        ([r(11, RAM + 0x20, 4)], ["TCI.ram.wp"]),
        ([r(11, RAM + 0x20, 9)], ["TCI.ram.wrap"]),
        ([r(11, RAM + 0x24, 0)], []),
        ([r(11, RAM + 0x24, 1)], ["TCI.ram.wp"]),
        ([r(11, RAM + 0x10, 0)], []),
        ([r(11, RAM + 0x10, 4)], ["TCI.ram.enable_keeps"]),
        ([r(11, RAM + 0x18, 0x3C)], []),
        ([r(11, RAM + 0x18, 0x38)], ["TCI.ram.enable_keeps"]),
        ([r(11, RAM + 0x40, 0x0B080400), r(12, RAM + 0x40, 0x1B181410), r(13, RAM + 0x28, 8)], []),
        ([r(11, RAM + 0x40, 0x0B080400), r(12, RAM + 0x40, 0x1B181411)], ["TCI.ram.data"]),
        ([r(11, RAM + 0x40, 0x0B080400), r(13, RAM + 0x28, 8)], ["TCI.ram.rp"]),
    ],
)
def test_what_a_tool_reads_of_the_buffer(accesses: list[Access], clauses: list[str]) -> None:
    assert ram(QUIET, *accesses) == clauses


@pytest.mark.parametrize("control", [R_ACTIVE, R_ACTIVE | R_ENABLE | R_EMPTY])
def test_nothing_is_compared_before_the_sink_is_empty(control: int) -> None:
    """Nor while it is enabled: words are under way."""
    assert ram(r(10, RAM, control), r(11, RAM + 0x20, 4), r(12, RAM + 0x40, 1)) == []


def test_a_message_that_began_after_the_session_is_not_in_it() -> None:
    late = Sent(MESSAGE.data, 20, 20, 21)
    assert ram(QUIET, r(11, RAM + 0x20, 8), messages=(MESSAGE, late)) == []
    assert ram(QUIET, r(11, RAM + 0x20, 0), messages=(late,)) == []


def test_a_second_session_goes_on_at_the_write_pointer() -> None:
    """Unless the tool writes it, or the sink was reset."""
    second = Sent(MESSAGE.data[4:], 14, 14, 15)
    again = [w(12, RAM, R_ACTIVE | R_ENABLE), w(20, RAM, R_ACTIVE), r(21, RAM, R_ACTIVE | R_EMPTY)]
    for wp, clauses in ((12, []), (4, ["TCI.ram.wp"])):
        assert ram(QUIET, *again, r(22, RAM + 0x20, wp), messages=(MESSAGE, second)) == clauses
    for wp, clauses in ((0x24, []), (12, ["TCI.ram.wp"])):
        accesses = [QUIET, w(11, RAM + 0x20, 0x20), *again, r(22, RAM + 0x20, wp)]
        assert ram(*accesses, messages=(MESSAGE, second)) == clauses


def test_a_sink_that_stopped() -> None:
    """trRamStopOnWrap, and a buffer of the two words that the message has: the first read of Enable may show 0."""
    stop = R_ACTIVE | 1 << 8
    begin = [w(1, RAM, R_ACTIVE), w(1, RAM + 0x10, 0), w(1, RAM + 0x18, 4), w(1, RAM + 0x20, 0), w(3, RAM, stop | 2)]
    reads = [r(9, RAM, stop | R_EMPTY), r(10, RAM + 0x20, 1)]  # trRamWrap
    for sent, clauses in ((MESSAGE, []), (Sent(MESSAGE.data[:4], 5, 5, 6), ["TCI.ram.stop_on_wrap"])):
        assert judged(RamCheck, capture([*begin, reads[0]], merged=stream(sent))).failed == clauses
    assert judged(RamCheck, capture([*begin, *reads], merged=stream(MESSAGE))).failed == []


@pytest.mark.parametrize(
    ("accesses", "clauses"),
    [
        ([w(1, RAM, 1), r(2, RAM, R_ACTIVE | R_EMPTY), r(3, RAM + 0x20, 0)], []),  # it was never enabled
        ([w(1, RAM, 1), w(1, RAM + 0x18, 4), w(1, RAM + 0x20, 8), w(3, RAM, 3), r(9, RAM, 1)], ["TCI.ram.start_limit"]),
    ],
)
def test_a_sink_without_a_session(accesses: list[Access], clauses: list[str]) -> None:
    assert judged(RamCheck, capture(accesses, merged=stream(MESSAGE))).failed == clauses


SMEM = [
    w(1, RAM, 1), w(1, RAM, 0x11), w(1, RAM + 0x10, 0x100), w(1, RAM + 0x14, 1), w(1, RAM + 0x18, 0x13C),
    w(1, RAM + 0x1C, 1), w(1, RAM + 0x20, 0x100), w(1, RAM + 0x24, 1), w(3, RAM, 0x13), w(9, RAM, 0x11),
]  # fmt: skip
WRITTEN = [(7, 0x1_0000_0100, 0x0B080400), (8, 0x1_0000_0104, 0x1B181410)]


@pytest.mark.parametrize(
    ("memory", "accesses", "clauses"),
    [
        (WRITTEN, [r(10, RAM, 0x19), r(11, RAM + 0x20, 0x108), r(12, RAM + 0x24, 1)], []),
        (WRITTEN, [r(10, RAM, 0x19), r(12, RAM + 0x24, 0)], ["TCI.ram.wp"]),
        (WRITTEN[:1], [], ["TCI.ram.smem"]),
        (WRITTEN[::-1], [], ["TCI.ram.smem"]),
        ([WRITTEN[0], (8, 0x1_0000_0104, 0x1B181411)], [], ["TCI.ram.smem"]),
        ([WRITTEN[0], (8, 0x0_0000_0104, 0x1B181410)], [], ["TCI.ram.smem"]),
        ([WRITTEN[0], (11, *WRITTEN[1][1:])], [r(10, RAM, 0x11), r(11, RAM, 0x19)], []),
        ([WRITTEN[0], (11, *WRITTEN[1][1:])], [r(10, RAM, 0x19)], ["TCI.ram.empty"]),
    ],
)
def test_words_in_system_memory(memory: list[tuple[int, int, int]], accesses: list[Access], clauses: list[str]) -> None:
    """Their order, addresses and contents. Empty says that all of them are there."""
    assert judged(RamCheck, capture([*SMEM, *accesses], merged=stream(MESSAGE), memory=memory)).failed == clauses


# --- The pin sink -----------------------------------------------------------------------------------------------------


def calibrated(data: bytes, before: list[int], *messages: Sent) -> list[str]:
    """What 8 pins report that show these bytes from the cycle after Enable on, and samples before them; with messages
    that the sinks could take.
    """
    control = 1 | 11 << 4 | 1 << 9  # trPibActive, 8 pins, trPibCalibrate
    shown = [*before, *data]
    pins = [(12 + 2 * k, (k + 1) % 2, byte) for k, byte in enumerate(shown)]
    accesses = [w(1, PINS, 1), w(5, PINS, control), w(10, PINS, control | 2), w(12 + 2 * len(shown), PINS, control)]
    book = judged(PinCheck, capture(accesses, pins=pins, merged=stream(*messages)))
    return [name for name in book.failed if name == "TCI.pib.calibrate"]


def test_the_calibration_pattern() -> None:
    """AA 55 00 FF, again and again; idle before it, but for one sample that may be anything."""
    pattern = CALIBRATION[8]
    assert pattern == bytes.fromhex("aa5500ff")
    assert calibrated(pattern * 4, []) == calibrated(pattern * 4, [0xFF] * 20) == []
    assert calibrated(pattern * 3 + pattern[:2], [0xFF, 0x12]) == []
    for wrong in (pattern * 2 + b"\xaa\x55\x01\xff" + pattern, pattern[::-1] * 4, b"\xff" * 16):
        assert calibrated(wrong, []) == ["TCI.pib.calibrate"]
    assert calibrated(pattern * 4, [0xFF, 0x12, 0xFF]) == ["TCI.pib.calibrate"]


@pytest.mark.parametrize(("count", "clauses"), [(63, []), (70, ["TCI.pib.align"])])
def test_a_probe_finds_boundaries_within_64_messages(count: int, clauses: list[str]) -> None:
    """Four pins of a device that is not the reference: idle after so many messages, and none between them."""
    control = 1 | 10 << 4  # trPibActive, 4 pins
    message = b"\x00\x04\x08\x0b"
    shown = [15] * 8 + samples(message * count, 4) + [15] * 8 + samples(message, 4)
    pins = [(12 + 2 * k, (k + 1) % 2, part) for k, part in enumerate(shown)]
    accesses = [w(1, PINS, 1), w(5, PINS, control), w(10, PINS, control | 2), w(12 + 2 * len(shown), PINS, control)]
    sent = [Sent(message, 12 + k, 12 + k, 13 + k) for k in range(count + 1)]
    book = judged(PinCheck, capture(accesses, pins=pins, merged=stream(*sent), exact=False))
    assert [name for name in book.failed if name == "TCI.pib.align"] == clauses


def test_a_message_of_the_cycle_of_enable_is_not_taken() -> None:
    message = Sent(b"\x03", 5, 5, 6)
    for begin, count in ((4, 1), (5, 0), (6, 0)):
        assert len(taken([message], cast(Any, SimpleNamespace(begin=begin, end=9)))) == count


def test_calibration_takes_no_trace() -> None:
    """From the first sample of the pattern on; a message before it is legal: when the mode begins is not said."""
    pattern, idle = CALIBRATION[8], [0xFF] * 10  # the pattern begins in cycle 32
    for begin, clauses in ((11, []), (31, []), (33, ["TCI.pib.calibrate"]), (44, ["TCI.pib.calibrate"]), (90, [])):
        message = Sent(MESSAGE.data, 5, begin, begin + 1)
        assert calibrated(pattern * 4, idle, message) == clauses, begin


# --- Registers --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("accesses", "clauses"),
    [
        ([w(1, ENCODER, A), r(2, ENCODER + 0x54, 0)], []),
        ([w(1, ENCODER, A), r(2, ENCODER, A | 8), r(3, ENCODER + 0x54, 1)], ["TCI.reg.reset"]),
        ([w(1, ENCODER, A), w(2, ENCODER + 0x54, 2), r(3, ENCODER + 0x54, 1)], ["TCI.reg.warl"]),
        ([r(3, ENCODER + 0x54, 1)], ["TCI.reg.inactive"]),
        ([r(3, RAM + 0x20, 4)], ["TCI.reg.inactive"]),  # what hardware changes does not change before
        ([r(2, RAM + 0x40, 0), r(3, RAM + 0x28, 0)], []),  # nor does a read of trRamData move trRamRP
        ([r(3, ENCODER + 0x7FC, 1)], ["TCI.reg.unimplemented"]),
        ([r(3, ENCODER + 0x7FC, 0)], []),
    ],
)
def test_registers(accesses: list[Access], clauses: list[str]) -> None:
    assert [name for name in registers(accesses).failed if name.startswith("TCI.reg")] == clauses


def test_reserved_bits_of_a_register_that_may_hold_anything_are_not_judged() -> None:
    """After trRamMode was changed an address register holds anything, until it is read or written."""
    for control, clauses in ((R_ACTIVE, ["TCI.reg.reserved"]), (R_ACTIVE | 1 << 4, [])):
        assert registers([w(1, RAM, R_ACTIVE), w(2, RAM, control), r(3, RAM + 0x10, 3)]).failed == clauses


@pytest.mark.parametrize(
    ("reads", "clauses"),
    [
        ([(0x40, 1), (0x28, 8)], []),
        ([(0x40, 1), (0x28, 4)], ["TCI.reg.warl"]),
        ([(0x40, 1), (0x40, 2), (0x28, 0)], []),  # after the word at the limit, that at the start
        ([(0x40, 1), (0x40, 2), (0x28, 12)], ["TCI.reg.warl"]),
        ([(0x40, 1), (0x40, 2), (0x40, 3), (0x28, 4)], []),
    ],
)
def test_the_read_pointer(reads: list[tuple[int, int]], clauses: list[str]) -> None:
    """A read of trRamData moves it by a word; from 4 on, in a buffer of the words at 0, 4 and 8."""
    accesses = [w(1, RAM, 1), w(1, RAM + 0x10, 0), w(1, RAM + 0x18, 8), w(1, RAM + 0x28, 4)]
    assert registers([*accesses, *(r(k, RAM + at, data) for k, (at, data) in enumerate(reads, 2))]).failed == clauses


@pytest.mark.parametrize("offset", [0x10, 0x14, 0x18, 0x1C, 0x20, 0x24, 0x28, 0x2C])
def test_pointers_are_open_after_a_change_of_memory(offset: int) -> None:
    """What they hold after a write of trRamMode is the implementation's own, until they are written."""
    accesses = [w(1, RAM, 1), w(1, RAM + offset, 8), w(2, RAM, 0x11), r(3, RAM + offset, 0x40)]
    book = registers(accesses)
    assert book.failed == []
    RegisterCheck(PARAMS, book).run([*accesses, w(4, RAM + offset, 8), r(5, RAM + offset, 0x40)])
    assert book.failed == ["TCI.reg.warl"]


# --- The funnel -------------------------------------------------------------------------------------------------------

BOTH = Params()
FUNNEL = RegisterModel(BOTH).place("funnel").base
F_ON = [w(0, FUNNEL, 1), w(0, FUNNEL, 3)]


def message(number: int, begin: int, since: int = -1) -> Sent:
    """Two bytes with a number, shown from `since` on (0 cycles before it is taken)."""
    return Sent(bytes([number << 2, 3]), begin if since < 0 else since, begin, begin + 1)


def funnelled(
    first: list[Sent], second: list[Sent], merged: list[Sent], accesses: Any = (), rest: bytes = b"", **expect: Any
) -> list[str]:
    """What the checks of the funnel report of the messages at its inputs and of what left it."""
    one = capture([*F_ON, *accesses], params=BOTH, merged=stream(*merged), expect=expect)
    one.merged.data += rest
    protocol = cast(Any, SimpleNamespace(damage=lambda hart: ""))
    one.harts = [
        HartRun(None, cast(Any, None), None, None, Beats.empty(0, 1), stream(*sent), Fired(), protocol)
        for sent in (first, second)
    ]
    return judged(check_funnel, one).failed


M = [message(n, 10 + 3 * n) for n in range(8)]


def test_messages_leave_in_the_order_of_their_beginning() -> None:
    assert funnelled(M[:4:2], M[1:4:2], M[:4]) == []
    assert funnelled(M[:4:2], M[1:4:2], [M[0], M[2], M[1], M[3]]) == ["TCI.funnel.order"]
    assert funnelled(M[:4:2], M[1:4:2], M[:3]) == ["TCI.funnel.order"]
    assert funnelled(M[:4:2], M[1:4:2], [*M[:3], M[7]]) == ["TCI.funnel.order", "TCI.funnel.whole"]
    assert funnelled(M[:2], [], M[:2], rest=b"\x04") == ["TCI.funnel.whole"]


def test_a_reset_may_swallow_messages_and_nothing_else() -> None:
    assert funnelled(M[:4], [], [M[0], M[2]], cut=True) == funnelled(M[:4], [], [], cut=True) == []
    assert funnelled(M[:4], [], [M[2], M[0]], cut=True) == ["TCI.funnel.order"]
    assert funnelled(M[:4], [], [M[0], M[5]], cut=True) == ["TCI.funnel.order", "TCI.funnel.whole"]


def test_a_message_waits_for_one_of_the_other_input() -> None:
    """Suggested: one message of each input in turn. Required: not for ever."""
    waits = message(7, 40, since=10)
    for others, clauses in ((1, []), (2, ["TCI.funnel.turn"]), (33, ["TCI.funnel.fair", "TCI.funnel.turn"])):
        theirs = [Sent(bytes([k << 2 & 0xFC, 3]), 0, 11 + k * 28 // others, 40) for k in range(others)]
        order = sorted([*theirs, waits], key=lambda one: one.begin)
        assert funnelled([waits], theirs, order) == clauses


# --- Empty ------------------------------------------------------------------------------------------------------------

OFF_AND_EMPTY = 1 | 8


@pytest.mark.parametrize(
    ("accesses", "clauses"),
    [
        ([r(20, FUNNEL, OFF_AND_EMPTY)], []),
        ([r(13, FUNNEL, OFF_AND_EMPTY)], ["TCI.funnel.empty"]),  # one has not left it
        ([r(13, FUNNEL, 1)], []),
        ([r(13, FUNNEL, OFF_AND_EMPTY | 2)], []),
        ([r(20, FUNNEL, OFF_AND_EMPTY), w(21, FUNNEL, 3)], []),
        ([w(12, FUNNEL, 3), r(20, FUNNEL, OFF_AND_EMPTY)], []),
    ],
)
def test_empty_reports_the_truth(accesses: list[Access], clauses: list[str]) -> None:
    """Two messages went in by cycle 12, and left until 15."""
    one = capture([*F_ON, *accesses], params=BOTH, merged=stream(Sent(b"\3", 9, 9, 9), Sent(b"\3", 14, 14, 15)))
    protocol = cast(
        Any, SimpleNamespace(encoder=lambda config: SimpleNamespace(run=lambda b: SimpleNamespace(beat=[])))
    )
    sent = [Sent(b"\3", 8, 8, 8), Sent(b"\3", 12, 12, 12)]
    one.harts = [
        HartRun(None, cast(Any, None), None, None, Beats.empty(0, 1), stream(*some), Fired(), protocol)
        for some in (sent, [])
    ]
    assert judged(check_flush, one).failed == clauses


def test_nothing_leaves_what_read_disabled_and_empty() -> None:
    """Until it is enabled again: here a word is written to memory in cycle 30."""
    for accesses, clauses in (
        ([r(20, RAM_OF_TWO, OFF_AND_EMPTY)], ["TCI.ram.empty"]),
        ([r(20, RAM_OF_TWO, OFF_AND_EMPTY), w(25, RAM_OF_TWO, 3)], []),
        ([r(20, RAM_OF_TWO, OFF_AND_EMPTY), w(25, RAM_OF_TWO, 1)], ["TCI.ram.empty"]),
        ([r(20, RAM_OF_TWO, OFF_AND_EMPTY), w(35, RAM_OF_TWO, 3)], ["TCI.ram.empty"]),
        ([w(20, RAM_OF_TWO, 3)], []),
    ):
        one = capture(accesses, params=BOTH, memory=[(30, 0, 0)])
        one.harts = []
        assert judged(check_flush, one).failed == clauses


RAM_OF_TWO = RegisterModel(BOTH).place("ram_sink").base


# --- Bytes on the pins ------------------------------------------------------------------------------------------------

FIRST_, SECOND_ = b"\x04\x08\x0b", b"\x10\x14\x18\x1f"
QUIET_PINS = [0xFF] * 5


def on_pins(samples: list[int], late: int = -1, messages: tuple[bytes, ...] = (FIRST_, SECOND_)) -> list[str]:
    """What 8 pins report that show samples every second cycle from 6 on; Enable is set in cycle 10. late: the number
    of a sample that comes, with all after it, one cycle late.
    """
    control = 1 | 11 << 4 | 1 << 16  # trPibActive, 8 pins, divider 1: an edge every second cycle
    pins = [(6 + 2 * k + (0 <= late <= k), (k + 1) % 2, sample) for k, sample in enumerate(samples)]
    accesses = [w(1, PINS, 1), w(5, PINS, control), w(10, PINS, control | 2), w(200, PINS, control)]
    merged = stream(*(Sent(data, 11 + 20 * k, 11 + 20 * k, 12 + 20 * k) for k, data in enumerate(messages)))
    return judged(PinCheck, capture(accesses, pins=pins, merged=merged)).failed


def test_what_a_probe_receives() -> None:
    good = [*QUIET_PINS, *FIRST_, 0xFF, 0xFF, *SECOND_, 0xFF, 0xFF]
    assert on_pins(good) == on_pins([*QUIET_PINS, *FIRST_, *SECOND_, 0xFF]) == []
    assert on_pins([*QUIET_PINS, *FIRST_[:1], 0x0C, *FIRST_[2:], *SECOND_, 0xFF]) == ["TCI.pib.data"]
    assert on_pins([*QUIET_PINS, *FIRST_, 0xFF]) == ["TCI.pib.data"]
    assert on_pins([*QUIET_PINS, *SECOND_, *FIRST_, 0xFF]) == ["TCI.pib.data"]
    assert "TCI.pib.consecutive" in on_pins([*QUIET_PINS, *FIRST_, *SECOND_[:2]])  # it ends inside a message
    assert on_pins([0xFF, 0xFE, *QUIET_PINS, *FIRST_, *SECOND_, 0xFF])[-1:] == ["TCI.pib.quiescent"]


def test_a_gap_inside_a_message() -> None:
    """Idle between its bytes: all bytes are there, and the probe takes them for other messages."""
    assert on_pins([*QUIET_PINS, *FIRST_[:1], 0xFF, *FIRST_[1:], *SECOND_, 0xFF]) == ["TCI.pib.consecutive"]
    assert on_pins([*QUIET_PINS, *FIRST_, *SECOND_[:2], 0xFF, *SECOND_[2:], 0xFF]) == ["TCI.pib.consecutive"]
    # with another byte after the gap it is not the message
    assert "TCI.pib.data" in on_pins([*QUIET_PINS, *FIRST_[:1], 0xFF, 0x0C, *FIRST_[2:], *SECOND_, 0xFF])


def test_the_clock_of_the_pins() -> None:
    good = [*QUIET_PINS, *FIRST_, *SECOND_, 0xFF]
    assert on_pins(good, late=8) == ["TCI.pib.clock"]


def test_a_second_session_on_the_pins() -> None:
    """Enable off and on changes nothing for the probe; a write of anything else begins anew."""
    control = 1 | 11 << 4 | 1 << 16
    samples = [*QUIET_PINS, *FIRST_, *[0xFF] * 10, *SECOND_, 0xFF]
    pins = [(6 + 2 * k, (k + 1) % 2, sample) for k, sample in enumerate(samples)]
    switched = [w(1, PINS, 1), w(5, PINS, control), w(10, PINS, control | 2), w(26, PINS, control)]
    merged = stream(Sent(FIRST_, 11, 11, 12), Sent(SECOND_, 35, 35, 36))
    again = [w(30, PINS, control | 2), w(100, PINS, control)]
    assert judged(PinCheck, capture([*switched, *again], pins=pins, merged=merged)).failed == []


@pytest.mark.parametrize("between", [[], [w(28, PINS, 1 | 11 << 4 | 1 << 16)]])
def test_a_write_that_changes_nothing_begins_no_other_session(between: list[Access]) -> None:
    """The first message ends after Enable is set again."""
    control = 1 | 11 << 4 | 1 << 16
    samples = [*[0xFF] * 10, *FIRST_, *[0xFF] * 10, *SECOND_, 0xFF]  # from cycle 26 on, an edge every second cycle
    pins = [(6 + 2 * k, (k + 1) % 2, sample) for k, sample in enumerate(samples)]
    accesses = [w(1, PINS, 1), w(5, PINS, control), w(10, PINS, control | 2), w(27, PINS, control), *between,
                w(30, PINS, control | 2), w(100, PINS, control)]  # fmt: skip
    merged = stream(Sent(FIRST_, 11, 11, 12), Sent(SECOND_, 35, 35, 36))
    assert judged(PinCheck, capture(accesses, pins=pins, merged=merged)).failed == []


def test_a_slower_clock_begins_another_session() -> None:
    """An edge every second cycle until the divider is written in cycle 40, then every fourth."""
    fast, slow = 1 | 11 << 4 | 1 << 16, 1 | 11 << 4 | 3 << 16
    first, second = [*QUIET_PINS, *FIRST_, *[0xFF] * 9], [*QUIET_PINS, *SECOND_, 0xFF]
    cycles = [6 + 2 * k for k in range(len(first))] + [42 + 4 * k for k in range(len(second))]
    pins = [(cycle, (k + 1) % 2, sample) for k, (cycle, sample) in enumerate(zip(cycles, [*first, *second]))]
    accesses = [w(1, PINS, 1), w(5, PINS, fast), w(10, PINS, fast | 2), w(30, PINS, fast), w(40, PINS, slow),
                w(41, PINS, slow | 2), w(200, PINS, slow)]  # fmt: skip
    merged = stream(Sent(FIRST_, 11, 11, 12), Sent(SECOND_, 45, 45, 46))
    assert judged(PinCheck, capture(accesses, pins=pins, merged=merged)).failed == []


# --- Settings in the middle of a run ----------------------------------------------------------------------------------


def test_the_read_pointer_is_not_compared_while_words_are_under_way() -> None:
    assert ram(r(10, RAM, R_ACTIVE), r(11, RAM + 0x28, 4)) == []
    assert ram(QUIET, r(11, RAM + 0x28, 4)) == ["TCI.ram.rp"]


def test_a_control_that_is_written_again_ends_no_span_of_time() -> None:
    """The same value once more: the pace from before it to after it is wrong."""
    setting = TS_ACTIVE | TS_COUNT | TS_ENABLE | 3 << 4
    accesses = [
        *ENABLED,
        w(3, ENCODER + 0x40, TS_ACTIVE),
        w(4, ENCODER + 0x40, setting),
        w(18, ENCODER + 0x40, setting),
    ]
    seen = beats(enable="000" + "1" * 29, inst_tracing="0" * 32, tstamp=[c + 9 * (c > 18) for c in range(32)])
    assert failed(capture(accesses, seen)) == ["TCI.ts.core"]


@pytest.mark.parametrize(
    ("accesses", "clauses"),
    [
        ([w(1, RAM, 1), w(2, RAM, 3), r(3, RAM, 3)], []),
        ([w(1, RAM, 1), w(2, RAM, 3), r(3, RAM, 1)], ["TCI.ram.enable"]),
        ([w(1, RAM, 1), w(2, RAM, 0x103), r(3, RAM, 0x101)], []),  # it may have stopped after the word at the limit
        ([w(1, RAM, 1), w(2, RAM, 0x103), w(3, RAM, 0x101), r(4, RAM, 0x103)], ["TCI.ram.enable"]),
        ([w(1, RAM, 1), w(2, RAM, 1), r(3, RAM, 3)], ["TCI.ram.enable"]),
    ],
)
def test_who_may_clear_the_enable_of_the_ram_sink(accesses: list[Access], clauses: list[str]) -> None:
    assert [name for name in registers(accesses).failed if name == "TCI.ram.enable"] == clauses


def left(params: Params, offset: int, value: int) -> int:
    """What a write of an encoder's register leaves."""
    model = RegisterModel(params)
    base = model.place("encoder").base
    for address, data in ((base, A), (base + offset, TS_ACTIVE if offset == 0x40 else 0), (base + offset, value)):
        model.write(address, data)
    return model.read(base + offset).value


def test_options_that_an_implementation_lacks() -> None:
    """A filter without comparators cannot ask for one; a timestamp from outside has no counter to be started; only
    outputs that are there fire.
    """
    assert left(Params(harts=1), 0x400, 1 << 4) == 1 << 4 and left(Params(harts=1, comparators=0), 0x400, 1 << 4) == 0
    assert left(Params(harts=1), 0x40, TS_ACTIVE | TS_COUNT) & TS_COUNT
    assert not left(Params(harts=1, ts_modes=(0, 1)), 0x40, TS_ACTIVE | TS_COUNT) & TS_COUNT
    two = RegisterModel(Params(harts=1, trigger_inputs=2, trigger_outputs=2, src_bits=0))
    base = two.place("encoder").base
    for address, data in ((base, A | 1 << 15), (base + 0x54, 0x2222), (base + 0x58, 0x3333)):
        two.write(address, data)
    assert (two.read(base + 0x54).value, two.read(base + 0x58).value) == (0x22, 0x33)
    two.write(base, A | 1 << 15)  # trTeInhibitSrc, without a source that could be left out
    assert not two.read(base).value >> 15 & 1
    for wrong in ("trigger_outputs", "trigger_inputs", "comparators"):
        with pytest.raises(ControlError):
            Params(**cast(Any, {wrong: 9}))


def test_other_registers_end_no_session() -> None:
    """An encoder is written while the sinks are enabled: an open word stays open, and the pins go on."""
    other = w(6, ENCODER, A)
    first, second = Sent(MESSAGE.data[:6], 5, 5, 5), Sent(MESSAGE.data[6:], 7, 7, 7)
    session = [w(1, RAM, R_ACTIVE), w(1, RAM + 0x18, 0x3C), w(1, RAM + 0x20, 0), w(2, RAM + 0x28, 0),
               w(3, RAM, R_ACTIVE | R_ENABLE), other, w(9, RAM, R_ACTIVE), QUIET]  # fmt: skip
    reads = [r(11, RAM + 0x20, 8), r(12, RAM + 0x40, 0x0B080400), r(13, RAM + 0x40, 0x1B181410)]
    book = judged(RamCheck, capture([*session, *reads], merged=stream(first, second)))
    assert book.failed == [] and book.results()["TCI.ram.data"] == [2, 0]
    control = 1 | 11 << 4 | 1 << 16
    pins = [(6 + 2 * k, (k + 1) % 2, one) for k, one in enumerate([*QUIET_PINS, *FIRST_, 0xFF, *SECOND_, 0xFF])]
    accesses = [w(1, PINS, 1), w(5, PINS, control), w(10, PINS, control | 2), w(15, ENCODER, A), w(200, PINS, control)]
    merged = stream(Sent(FIRST_, 11, 11, 12), Sent(SECOND_, 18, 18, 19))
    book = judged(PinCheck, capture(accesses, pins=pins, merged=merged))
    assert book.failed == [] and book.results()["TCI.pib.data"] == [len(FIRST_ + SECOND_) + 1, 0]


def test_a_second_session_in_system_memory_goes_on() -> None:
    """Its words follow those of the first, above 4 GiB as well."""
    again = [w(12, RAM, 0x13), w(20, RAM, 0x11)]
    third = Sent(MESSAGE.data[4:], 14, 14, 15)
    memory = [*WRITTEN, (16, 0x1_0000_0108, 0x1B181410)]
    assert judged(RamCheck, capture([*SMEM, *again], merged=stream(MESSAGE, third), memory=memory)).failed == []


def test_a_loss_that_began_before_trace_was_enabled() -> None:
    """Without room in the first cycle, and again later: what the flag says of it is open."""
    seen = beats(enable="000" + "1" * 9, inst_tracing="0" * 12, drop="100011000000")
    assert failed(capture([*ENABLED, r(8, ENCODER, A | E)], seen, losses=[6])) == []


def test_a_probe_is_blind_for_each_sample_before_idle() -> None:
    """On 4 pins: three samples more that are not idle are three samples more until it is aligned."""
    blind = []
    for noise in (2, 5):
        probe = Receiver(4)
        probe.feed([0x1] * noise + [0xF] * 20)
        blind.append(probe.blind)
    assert blind[1] == blind[0] + 3
