# SPDX-License-Identifier: Apache-2.0
"""Lossless: the time reported never decreases and is that of the event, by the clock the monitors saw."""

from __future__ import annotations

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

from tests.ntrace.checked_scenarios import check, place, scenario_run, set_at, timed

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
    assert "NT.8.7.event" in judge(program, beats, messages).book.failed
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
    program, beats, messages = reported("trace_off_on")
    index = place(messages, "ProgTraceSync", 1)
    set_at(messages, index, tstamp=messages[index].tstamp * 2)
    assert "NT.8.7.absolute" in judge(program, beats, messages).book.failed


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
    set_at(messages, index, tstamp=(messages[index].tstamp - 100) & 0xFF)
    assert "NT.8.7.monotonic" in judge(program, beats, messages, config).book.failed


@pytest.mark.parametrize("first", [20, 40])
def test_error_has_a_time(first: int) -> None:
    program, beats = scenario_run("overflow", TIME)
    beats.drop[first : first + 20] = 1
    beats = timed(beats)
    messages = list(Encoder(TIME).run(beats).messages)
    verdict = judge(program, beats, messages)
    assert verdict.passed and verdict.book.results()["NT.7.4.time"][0] == 1
