# SPDX-License-Identifier: Apache-2.0
"""Lossless beside the PCs: markers, resets, sleep, filters, vendor-defined messages, and what a loss takes with it."""

from collections.abc import Callable
from random import Random

import numpy as np
import pytest

from rvtrace.models.ntrace.codec import unpack
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.encoder.encode import Encoder
from rvtrace.models.ntrace.table import Message
from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.blocks import to_beats
from rvtrace.models.riscv.generate import generate
from rvtrace.models.riscv.random_walk import random_walk
from rvtrace.models.riscv.retired import IType
from rvtrace.scoreboards.ntrace.capture import NtraceCapture
from rvtrace.scoreboards.ntrace.tolerances import Tolerances
from rvtrace.tb.common.stimulus.stimulus import closed
from tests.ntrace.checked_scenarios import Change, check, doctored, place, scenario_run, set_at, timed

HTM = Config()


def failed(
    name: str, config: Config, change: Change | None = None, claim: Callable[[Beats], None] | None = None
) -> list[str]:
    """What fails without exact; claim: changes what the monitors saw after the device saw it."""
    program, beats = scenario_run(name, config)
    assert doctored(program, beats, config).passed
    if claim is None:
        return doctored(program, beats, config, change).book.failed
    data = Encoder(config).run(beats).data
    claim(beats)
    return check(NtraceCapture(config, program, data, beats, exact=False)).book.failed


def without(column: str) -> Callable[[Beats], None]:
    """The first pulse of its kind was not there."""
    return lambda beats: getattr(beats, column).__setitem__(int(np.flatnonzero(getattr(beats, column))[0]), 0)


def elsewhere(column: str) -> Callable[[Beats], None]:
    """One more pulse, where tracing goes on without any."""

    def claim(beats: Beats) -> None:
        traced = (beats.inst_tracing == 1) & beats.valid().any(axis=1) & (beats.notify | beats.ext_notify == 0)
        getattr(beats, column)[int(np.flatnonzero(traced)[1])] = 1

    return claim


def swap_vendor(messages: list[Message]) -> None:
    a, b = [i for i, m in enumerate(messages) if m.tcode > 55][:2]
    messages[a], messages[b] = messages[b], messages[a]


def drop_vendor(messages: list[Message]) -> None:
    del messages[next(i for i, m in enumerate(messages) if m.tcode > 55)]


@pytest.mark.parametrize("claim", [without, elsewhere])
@pytest.mark.parametrize(("clause", "column"), [("NT.8.5.sync6", "notify"), ("NT.8.5.sync0", "ext_notify")])
def test_marker_missing_or_invented(clause: str, column: str, claim: Callable) -> None:
    assert clause in failed("markers", HTM, claim=claim(column))


@pytest.mark.parametrize(("clause", "name", "change"), [
    ("NT.8.5.sync0", "markers", lambda m: set_at(m, place(m, "ProgTraceSync", sync=0), sync=6)),
    ("NT.8.5.sync0", "markers", lambda m: set_at(m, place(m, "ProgTraceSync", sync=6), sync=0)),
    ("NT.7.12.low_power", "low_power", lambda m: set_at(m, place(m, "ProgTraceCorrelation", evcode=1), evcode=4)),
    ("NT.8.5.sync9", "low_power", lambda m: set_at(m, place(m, "ProgTraceSync", sync=9), sync=5)),
    ("NT.6.1.vendor", "vendor_messages", swap_vendor), ("NT.6.1.vendor", "vendor_messages", drop_vendor),
])  # fmt: skip
def test_event_reported_as_another(clause: str, name: str, change: Change) -> None:
    assert clause in failed(name, HTM, change)


@pytest.mark.parametrize(("clause", "name", "level"), [
    ("NT.8.5.sync1", "hart_reset", "in_reset"), ("NT.7.12.low_power", "low_power", "low_power"),
])  # fmt: skip
def test_level_that_never_rose(clause: str, name: str, level: str) -> None:
    assert clause in failed(name, HTM, claim=lambda beats: getattr(beats, level).fill(0))


def test_a_marker_that_is_reported_twice() -> None:
    """One pulse, and two messages without an instruction between them."""

    def twice(messages: list[Message]) -> None:
        first = place(messages, "ProgTraceSync", sync=6)
        messages.insert(first + 1, messages[first])
        set_at(messages, first + 1, icnt=0)

    assert failed("markers", HTM, twice) == ["NT.8.5.sync6"]


def test_a_vendor_message_that_is_sent_twice() -> None:
    """A device whose markers may come late and share a message: vendor-defined messages are passed through one by one
    all the same.
    """

    def twice(messages: list[Message]) -> None:
        first = place(messages, "Vendor60")
        messages.insert(first, messages[first])

    program, beats = scenario_run("vendor_messages", HTM)
    late = Tolerances(marker_late=1 << 16)
    assert doctored(program, beats, HTM, tolerances=late).passed
    assert doctored(program, beats, HTM, twice, late).book.causes == ["NT.6.1.vendor"]


def test_marker_of_a_watchpoint() -> None:
    program, beats = scenario_run("watchpoint", Config(filter="watch=0x80000014"))
    reported = Config(filter="watch=0x80000018")
    data = Encoder(reported).run(beats).data
    assert check(NtraceCapture(reported, program, data, beats, exact=False)).passed
    assert (
        "NT.8.5.sync6"
        in check(NtraceCapture(Config(filter="watch=0x80000014"), program, data, beats, exact=False)).book.failed
    )


def test_tolerances_of_markers() -> None:
    """A device may have no markers, or report them later."""
    program, beats = scenario_run("markers", HTM)
    silent = scenario_run("markers", HTM)[1]
    silent.notify[:] = silent.ext_notify[:] = 0
    data = Encoder(HTM).run(silent).data
    capture = NtraceCapture(HTM, program, data, beats, exact=False)
    assert not check(capture).passed and check(capture, Tolerances(markers_optional=True)).passed


def test_tolerance_of_start_codes() -> None:
    """A device that knows no SYNC=9: it reports a start after sleep as any other."""

    def plain(messages: list[Message]) -> None:
        for index in [i for i, m in enumerate(messages) if m.get("sync") == 9]:
            set_at(messages, index, sync=5)

    program, beats = scenario_run("low_power", HTM)
    assert not doctored(program, beats, HTM, plain).passed
    assert doctored(program, beats, HTM, plain, Tolerances(start_codes_optional=True)).passed


@pytest.mark.parametrize("text", ["iaddr>=0x80000014", "iaddr=0x80000012..0x80000020"])
def test_filter_that_selects_otherwise(text: str) -> None:
    """Everything is reported, or other blocks are."""
    program, beats = scenario_run("filter_addresses", Config(filter=text))
    assert doctored(program, beats, Config(filter=text)).passed
    for device in (HTM, Config(filter="iaddr>=0x80000018")):
        capture = NtraceCapture(Config(filter=text), program, Encoder(device).run(beats).data, beats, exact=False)
        assert {"NT.4.filters", "NT.4.filter_edges", "NT.7.12.stop", "NT.8.1.faddr", "NT-2"} & set(
            check(capture).book.failed
        )


def test_filter_edge_left_out() -> None:
    """A device that goes silent instead of closing the trace."""
    config = Config(filter="iaddr<0x80000018")
    found = failed("filter_addresses", config, lambda m: m.__delitem__(place(m, "ProgTraceCorrelation")))
    assert "NT.7.12.stop" in found


def test_direct_jump_that_is_reported_as_not_taken() -> None:
    config = Config(all_jumps=1)
    assert "NT.2.all_jumps" in failed("all_jumps", config, lambda m: set_at(m, place(m, "IndirectBranchHist"), hist=2))


@pytest.mark.parametrize("config", [
    Config(repeated_history=1, icnt_bits=8, hist_bits=6, iretire_bits=5), Config(mode="btm", repeat_branch=1),
    Config(ownership=1, hcontext=1, timestamp=1), Config(implicit_return=3, inst_sync_mode=1),
])  # fmt: skip
@pytest.mark.parametrize("name", ["loop_interrupted", "ownership", "markers", "vendor_messages", "hart_reset"])
def test_a_loss_takes_what_was_held_back(config: Config, name: str) -> None:
    """Wherever beats find no room, with everything that an option holds back, the rest is reported rightly."""
    for first in range(5, 80, 7):
        program, beats = scenario_run(name, config)
        beats.drop[first : first + 6] = 1
        beats = timed(Beats.concat([beats, Beats.empty(2, 1, enable=1)]))
        verdict = check(NtraceCapture(config, program, Encoder(config).run(beats).data, beats))
        assert verdict.passed, verdict.failures[0].text()


@pytest.mark.parametrize("late", [0, 1 << 16])
def test_a_loss_takes_the_second_of_two_markers(late: int) -> None:
    """Both kinds are due before the first block, which reports the start, as the next does SYNC=6; the block that would
    have reported SYNC=0 finds no room.
    """
    between = 0
    for after in range(1, 6):
        program, beats = scenario_run("back_to_back_jumps", HTM)
        first = int(np.flatnonzero(beats.valid().any(axis=1))[0])
        fired = Beats.empty(1, 1, enable=1, inst_tracing=1, notify=1, ext_notify=1)
        rest = beats.select(slice(first, None))
        rest.drop[after : after + 4] = 1
        end = Beats.empty(2, 1, enable=1)
        beats = timed(Beats.concat([beats.select(slice(0, first)), fired, rest, end]))
        capture = NtraceCapture(HTM, program, Encoder(HTM).run(beats).data, beats)
        codes = [message.get("sync") for message in unpack(capture.data, HTM)[0]]
        between += 6 in codes and 0 not in codes
        verdict = check(capture, Tolerances(marker_late=late))
        assert verdict.passed, verdict.failures[0].text()
    assert between, "no loss came between the two"


def test_a_marker_that_may_be_missing_and_one_that_may_not_at_one_place() -> None:
    """Exceptions without a retired instruction, selected by tval. The first traced stretch ends before a message can
    carry its marker, the second reports one, and no instruction is between them.
    """
    config = Config(mode="btm", filter="tval!=0")
    program, _ = scenario_run("back_to_back_jumps", config)
    first = program.segments[0][0]
    beats = Beats.empty(12, 1, enable=1, inst_tracing=1)
    beats.cycle[:] = np.arange(12)
    for row, pc, tval in ((2, 0, 5), (4, 16, 0), (7, 0, 5), (8, 16, 6), (9, 32, 0), (10, 0, 5)):
        beats.itype[row], beats.iaddr[row], beats.tval[row] = IType.EXCEPTION, first + pc, tval
    beats.iretire[10], beats.ilastsize[10] = program.code[first].size // 2, program.code[first].size == 4
    beats.notify[[1, 6]] = 1
    beats = timed(Beats.concat([beats, Beats.empty(2, 1, enable=1)]))
    capture = NtraceCapture(config, program, Encoder(config).run(beats).data, beats)
    assert [message.get("sync") for message in unpack(capture.data, config)[0]].count(6) == 1
    verdict = check(capture)
    assert verdict.passed, verdict.failures[0].text()
    assert check(NtraceCapture(config, program, b"", beats)).book.failed


def test_a_request_that_another_one_does_not_answer() -> None:
    """8.5, case 4: the next branch message reports a watchpoint. One that many messages pass without it is lost, also
    where a later one is reported.
    """
    config = Config()
    rng = Random("one request is lost")
    program = generate(rng, config.xlen)
    beats = to_beats(closed(random_walk(program, rng, 2000, variant=config.variant), program), 1, "block")
    traced = np.flatnonzero((beats.inst_tracing == 1) & beats.valid().any(axis=1))
    first, second = traced[len(traced) // 4], traced[3 * len(traced) // 4]
    beats.notify[:] = beats.ext_notify[:] = 0
    beats.notify[second] = 1
    lossy = Encoder(config).run(beats).data
    free = Tolerances.free()
    assert check(NtraceCapture(config, program, lossy, beats, exact=False), free).passed
    beats.notify[first] = 1
    whole = Encoder(config).run(beats).data
    assert check(NtraceCapture(config, program, whole, beats, exact=False), free).passed
    lost = check(NtraceCapture(config, program, lossy, beats, exact=False), free)
    assert lost.book.causes == ["NT.8.5.sync6"]
