# SPDX-License-Identifier: Apache-2.0
"""Lossless: the time reported never decreases and is that of the event, by the clock the monitors saw."""

from collections.abc import Callable

import numpy as np
import pytest

from rvtrace.models.ntrace.codec import pack
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.encoder.encode import Encoder
from rvtrace.models.ntrace.table import Message
from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.program import Program
from rvtrace.scoreboards.ntrace.capture import NtraceCapture
from rvtrace.scoreboards.ntrace.check import Verdict
from rvtrace.scoreboards.ntrace.tolerances import Tolerances
from tests.common.there import there
from tests.ntrace.checked_scenarios import TICK, check, place, scenario_run, set_at, timed

TIME = Config(timestamp=1)


def judge(
    program: Program, beats: Beats, messages: list[Message], config: Config = TIME, tolerances: Tolerances | None = None
) -> Verdict:
    """The verdict on these messages of a device that declares the profile."""
    return check(NtraceCapture(config, program, b"".join(map(pack, messages)), beats), tolerances)


def reported(name: str, config: Config = TIME) -> tuple[Program, Beats, list[Message]]:
    program, beats = scenario_run(name, config)
    return program, timed(beats), list(Encoder(config).run(timed(beats)).messages)


@pytest.mark.parametrize("name", ["timestamps", "trap_kinds", "trace_off_on", "markers", "indirect_kinds"])
def test_reference_is_timed_rightly(name: str) -> None:
    program, beats, messages = reported(name)
    verdict = judge(program, beats, messages)
    assert verdict.passed, verdict.failures[0].text()
    results = verdict.book.results()
    assert results["NT.8.7.event"][0] >= len(messages) and results["NT.8.7.absolute"][0] > 0


@pytest.mark.parametrize("change", [
    lambda m: set_at(m, 3, tstamp=m[3].tstamp + 500), lambda m: set_at(m, 0, tstamp=m[0].tstamp + 40),
    lambda m: set_at(m, 0, tstamp=0), lambda m: [set_at(m, i, tstamp=0) for i in range(1, len(m))],
])  # fmt: skip
def test_time_of_another_event(change: Callable[[list[Message]], object]) -> None:
    program, beats, messages = reported("indirect_kinds")
    change(messages)
    assert judge(program, beats, messages).book.failed == ["NT.8.7.event"]
    free = check(NtraceCapture(TIME, program, b"".join(map(pack, messages)), beats, exact=False))
    assert free.passed, "a device that declares nothing is checked against the order alone"


def test_device_with_a_separate_clock() -> None:
    """Seven ticks off: only one that declares the time of the event is checked against it."""
    program, beats, messages = reported("indirect_kinds")
    beats.tstamp = beats.tstamp + np.uint64(7)
    capture = NtraceCapture(TIME, program, b"".join(map(pack, messages)), beats, exact=False)
    assert check(capture).passed
    assert check(capture, Tolerances(event_time=True)).book.failed == ["NT.8.7.event"]


def test_time_that_was_added_where_it_should_be_sent() -> None:
    """It is then later than all that was traced; one within the trace is the time of another event."""
    program, beats, messages = reported("trace_off_on")
    index = place(messages, "ProgTraceSync", 1)
    right = there(messages[index].tstamp)
    set_at(messages, index, tstamp=right * 2)
    assert "NT.8.7.absolute" in judge(program, beats, messages).book.failed
    set_at(messages, index, tstamp=right + TICK)
    assert right + TICK < beats.tstamp[-1] and judge(program, beats, messages).book.failed == ["NT.8.7.event"]


def test_time_that_goes_back() -> None:
    program, beats, messages = reported("trace_off_on")
    set_at(messages, place(messages, "ProgTraceSync", 1), tstamp=5)
    failure = next(f for f in judge(program, beats, messages).failures if f.clause == "NT.8.7.monotonic")
    assert failure.table[0][2] == "5"


def test_narrow_clock_wraps() -> None:
    """An 8-bit clock turns round in the run: that is no step back, a step back is."""
    config = Config(timestamp=1, ts_width=8)
    program, beats = scenario_run("trace_off_on", config)
    beats.tstamp = (beats.cycle * np.uint64(9) + np.uint64(190)) & np.uint64(0xFF)
    messages = list(Encoder(config).run(beats).messages)
    assert (
        beats.tstamp[-1] < beats.tstamp[0]
        and "NT.8.7.monotonic" not in judge(program, beats, messages, config).book.failed
    )
    index = place(messages, "ProgTraceSync", 1)
    set_at(messages, index, tstamp=(there(messages[index].tstamp) - 100) & 0xFF)
    assert "NT.8.7.monotonic" in judge(program, beats, messages, config).book.failed


@pytest.mark.parametrize("first", [20, 40])
def test_error_has_a_time(first: int) -> None:
    program, beats = scenario_run("overflow", TIME)
    beats.drop[first : first + 20] = 1
    beats = timed(beats)
    messages = list(Encoder(TIME).run(beats).messages)
    verdict = judge(program, beats, messages)
    assert verdict.passed and verdict.book.results()["NT.7.4.time"][0] == 1


# A device that declares nothing: its times are never later than its messages


LATENCY = 6  # cycles from a beat to the last byte of its message


def sent(program: Program, beats: Beats, messages: list[Message], ahead: int = 0) -> Verdict:
    """The verdict on a foreign device whose messages leave LATENCY cycles after their beats. ahead: of its clock."""
    made = Encoder(TIME).run(timed(beats))
    chunks = [pack(m) for m in messages]
    cycles = [np.full(len(c), beats.cycle[row] + np.uint64(LATENCY)) for c, row in zip(chunks, made.beat)]
    timed(beats)
    beats.tstamp = beats.tstamp - np.uint64(ahead)
    out = np.concatenate(cycles).astype(np.uint64)
    return check(NtraceCapture(TIME, program, b"".join(chunks), beats, out_cycle=out, exact=False), Tolerances.free())


def absolute(messages: list[Message]) -> None:
    """Differences are sent as times."""
    time = 0
    for index, message in enumerate(messages):
        time = there(message.tstamp) if message.type.has_sync else time + there(message.tstamp)
        set_at(messages, index, tstamp=time)


@pytest.mark.parametrize("ahead", [0, 7, 500])
def test_times_are_not_later_than_their_messages(ahead: int) -> None:
    program, beats, messages = reported("indirect_kinds")
    verdict = sent(program, beats, messages, ahead)
    assert verdict.passed and verdict.book.results()["NT-15"][0] > 0
    program, beats, messages = reported("indirect_kinds")
    absolute(messages)
    assert sent(program, beats, messages, ahead).book.failed == ["NT-15"]


def test_times_are_judged_in_a_trace_that_cannot_be_followed() -> None:
    program, beats, messages = reported("indirect_kinds")
    absolute(messages)
    index = place(messages, "IndirectBranchHist", 3)
    set_at(messages, index, icnt=there(messages[index].get("icnt")) + 40)
    failed = sent(program, beats, messages).book.failed
    assert "NT-15" in failed and len(failed) > 1


def test_absolute_time_that_is_late() -> None:
    program, beats, messages = reported("trace_off_on")
    index = place(messages, "ProgTraceSync", 1)
    set_at(messages, index, tstamp=there(messages[index].tstamp) + 10_000)
    assert "NT.8.7.absolute" in sent(program, beats, messages).book.failed
