# SPDX-License-Identifier: Apache-2.0
"""The lossless check: any legal encoder passes, a trace that leaves out or invents something does not. One deviation is
one cause, and of a silent device nothing is judged.
"""

import numpy as np
import pytest

from rvtrace.models.ntrace.codec import pack
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.encoder.encode import Encoder
from rvtrace.models.ntrace.table import Message, message
from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.blocks import to_beats
from rvtrace.models.riscv.retired import Retired
from rvtrace.models.riscv.walk import Walk
from rvtrace.scoreboards.ntrace.capture import NtraceCapture
from rvtrace.scoreboards.ntrace.check import Verdict
from tests.common.there import there
from tests.ntrace.checked_scenarios import check, jump_into_nops, scenario_run
from tests.ntrace.test_scoreboard_legal import BTM, HTM, set_field


def judge(name: str, config: Config, change, beats_change=None) -> Verdict:
    """The verdict without exact, after changes of the messages and of the beats the monitors claim to have seen."""
    program, beats = scenario_run(name, config)
    messages = list(Encoder(config).run(beats).messages)
    change(messages)
    seen = beats_change(beats) if beats_change else beats
    return check(NtraceCapture(config, program, b"".join(map(pack, messages)), seen, exact=False))


def split_full(messages: list[Message]) -> None:
    """Another legal choice: I-CNT 4 reported early by ResourceFull."""
    index = next(i for i, m in enumerate(messages) if (m.get("icnt") or 0) > 6 and not m.type.has_sync)
    set_field(messages, messages[index].name, "icnt", there(messages[index].get("icnt")) - 4,
              [i for i, m in enumerate(messages) if m.name == messages[index].name].index(index))  # fmt: skip
    messages.insert(index, message("ResourceFull", 0, 4))


@pytest.mark.parametrize("config", [HTM, BTM])
def test_another_legal_encoder_passes(config: Config) -> None:
    verdict = judge("linear", config, split_full)
    assert verdict.passed, verdict.failures[0].text()


def test_wrong_direction_shows_at_its_branch() -> None:
    def flip(messages: list[Message]) -> None:
        reported = next(m for m in messages if (m.get("hist") or 0) > 3)
        set_field(messages, reported.name, "hist", there(reported.get("hist")) ^ 2)

    verdict = judge("indirect_kinds", HTM, flip)
    assert set(verdict.book.failed) & {"NT-1", "NT.10.branches", "NT.8.3.hist", "NT.8.4.count"}


def test_branch_bit_of_the_last_branch() -> None:
    """Both ways lead to the same end of trace, so only the direction can show it."""

    def flip(messages: list[Message]) -> None:
        set_field(messages, "ProgTraceCorrelation", "hist", there(messages[-1].get("hist")) ^ 1)

    verdict = judge("not_taken", HTM, flip)
    assert not verdict.passed


def test_exception_reported_as_interrupt() -> None:
    verdict = judge("trap_kinds", HTM, lambda m: set_field(m, "IndirectBranch", "btype", 3))
    failure = verdict.failures[0]
    assert failure.clause == "NT.10.traps" and ("trap", "exception", "trap B-TYPE=3") in failure.table


def test_halt_reported_as_trace_off() -> None:
    verdict = judge("debug_entry_exit", HTM, lambda m: set_field(m, "ProgTraceCorrelation", "evcode", 4))
    assert "NT.7.12.debug_entry" in verdict.book.failed


def test_end_of_trace_left_out() -> None:
    assert "NT.7.12.stop" in judge("linear", HTM, lambda m: m.pop()).book.failed


def lossy(beats: Beats, first: int, last: int) -> Beats:
    """The same beats with rows first..last-1 taken without room."""
    drop = np.zeros(len(beats), dtype=np.uint8)
    drop[first:last] = 1
    beats.drop = drop
    return beats


@pytest.mark.parametrize("mode", ["htm", "btm"])
def test_loss_is_accepted_where_there_was_no_room(mode: str) -> None:
    config = Config(mode=mode)
    program, beats = scenario_run("overflow", config)
    lossy(beats, 20, 40)
    beats.drop[60:75] = 1
    encoded = Encoder(config).run(beats)
    assert sum(m.name == "Error" for m in encoded.messages) == 2
    verdict = check(NtraceCapture(config, program, encoded.data, beats))
    assert verdict.passed, verdict.failures[0].text()
    assert verdict.book.results()["NT.8.5.sync7"][0] >= 2


def test_loss_without_a_reason_is_none() -> None:
    config = HTM
    program, beats = scenario_run("overflow", config)
    data = Encoder(config).run(lossy(beats, 20, 40)).data
    beats.drop[:] = 0
    book = check(NtraceCapture(config, program, data, beats, exact=False)).book
    assert "NT-14" in book.failed


def test_loss_to_the_end() -> None:
    program, beats = scenario_run("overflow_to_end", HTM)
    lossy(beats, 30, len(beats))
    tail = Beats.empty(1, 1, enable=1)
    encoded = Encoder(HTM).run(Beats.concat([beats, tail]))
    assert encoded.messages[-1].name == "Error" and encoded.reasons[-1] == "NT.7.4.error_alone"
    verdict = check(NtraceCapture(HTM, program, encoded.data, Beats.concat([beats, tail])))
    assert verdict.passed, verdict.failures[0].text()


def test_a_retire_stream_that_ends_after_trace_was_switched_off() -> None:
    """Without beats too the last instructions are required, unless the record ends while tracing."""
    program, begin = jump_into_nops(3)
    walk = Walk(program, "v1_0", begin).trace_on().step().jump(begin + 8).step(3)
    still_on, off = walk.retired(), walk.trace_off().retired()
    *most, stop = map(pack, Encoder(HTM).run(to_beats(off, 1, "block")).messages)

    def failed(data: bytes, given: Retired) -> list[tuple[str, str]]:
        verdict = check(NtraceCapture(HTM, program, data, given=given, exact=False))
        return [(failure.clause, failure.headline) for failure in verdict.failures if not failure.cause]

    assert failed(b"".join([*most, stop]), off) == []
    three_missing = "the trace ends 3 instructions before the hart stopped being traced"
    assert failed(b"".join(most), off) == [("NT.7.12.stop", three_missing)]
    assert failed(b"".join(most), still_on) == []


def test_what_a_device_declares_changes_nothing_of_what_is_decoded() -> None:
    """A wrong address, after which decoding goes on with the next one that is reported, and a message with another SRC:
    the reading is the same of a device with the reference profile.
    """
    config = Config(src_bits=4, src_id=3, inst_stall_ena=1)
    program, beats = scenario_run("nested_calls", config)
    messages = list(Encoder(config).run(beats).messages)
    jumps = [index for index, one in enumerate(messages) if one.get("uaddr") is not None]
    messages[jumps[1]] = messages[jumps[1]].replaced(uaddr=there(messages[jumps[1]].get("uaddr")) ^ 1 << 20)
    messages[jumps[-1]] = messages[jumps[-1]].replaced(src=1)
    data = b"".join(pack(one, 4) for one in messages)
    read = [check(NtraceCapture(config, program, data, beats, exact=exact)).decoded for exact in (True, False)]
    assert len(read[0].diagnostics) == 1 and len(read[0]) > 0
    assert read[0].diagnostics == read[1].diagnostics and read[0].pcs.tolist() == read[1].pcs.tolist()


def causes(verdict: Verdict) -> set[str]:
    """The clauses of the failures that follow from no other."""
    return {failure.clause for failure in verdict.failures if not failure.cause}


@pytest.mark.parametrize("config", [HTM, BTM])
def test_nothing_is_judged_of_a_silent_device(config: Config) -> None:
    verdict = judge("linear", config, lambda messages: messages.clear())
    assert not verdict.passed and verdict.stats["judged"] == 0 < verdict.stats["instructions"]


def test_all_is_judged_of_a_device_that_is_right() -> None:
    verdict = judge("linear", HTM, lambda messages: None)
    assert verdict.stats["judged"] == verdict.stats["instructions"]


@pytest.mark.parametrize("config", [HTM, BTM])
def test_a_wrong_count_is_one_cause_and_what_comes_before_it_is_judged(config: Config) -> None:
    def longer(messages: list[Message]) -> None:
        which = next(m for m in messages[1:] if m.get("icnt") and not m.type.has_sync)
        place = [m for m in messages if m.name == which.name].index(which)
        set_field(messages, which.name, "icnt", there(which.get("icnt")) + 1, place)

    verdict = judge("indirect_kinds", config, longer)
    assert len(causes(verdict)) == 1, [(f.clause, f.at, f.cause) for f in verdict.failures]
    assert 0 <= verdict.stats["judged"] < verdict.stats["instructions"]
