# SPDX-License-Identifier: Apache-2.0
"""Failures name the place and the clause of what went wrong, and nothing that only follows from it."""

import pytest

from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.encoder.encode import Encoder
from rvtrace.models.ntrace.table import Message
from rvtrace.scoreboards.ntrace.capture import NtraceCapture
from rvtrace.scoreboards.ntrace.check import Verdict
from rvtrace.scoreboards.ntrace.table import compare_fields
from rvtrace.scoreboards.ntrace.tolerances import Tolerances
from tests.common.there import there
from tests.ntrace.checked_scenarios import check, doctored, place, scenario_run, set_at

HTM = Config()
SYNC = Config(inst_sync_mode=1)  # every 16 messages
STALL = Config(inst_sync_mode=1, inst_stall_ena=1)
FREE = Tolerances.free()


def judged(name: str, front: bytes = b"", cut: int = 0, config: Config = HTM) -> Verdict:
    """The verdict on the model's bytes with other bytes in front of them, of which the first `cut` are missing."""
    program, beats = scenario_run(name, config)
    data = front + Encoder(config).run(beats).data[cut:]
    return check(NtraceCapture(config, program, data, beats, exact=False), FREE)


def test_damage_in_front_has_its_own_clause() -> None:
    assert judged("indirect_kinds").passed
    # 02 is MSEO=10, which is reserved; the rest is a message in the air
    assert judged("indirect_kinds", b"\x02\x03").book.causes == ["NT.3.1.mseo"]
    # ProgTraceSync that ends before its F-ADDR
    assert "NT.7.5.fields" in judged("indirect_kinds", b"\x24\x17").book.failed


def test_damage_of_all_is_not_a_missing_synchronization() -> None:
    program, beats = scenario_run("indirect_kinds", HTM)
    verdict = check(NtraceCapture(HTM, program, b"\x02\x02\x03", beats, exact=False), FREE)
    assert "NT.3.1.mseo" in verdict.book.failed and "NT-24" not in verdict.book.failed


def test_wrapped_buffer_of_a_file_begins_anywhere() -> None:
    program, beats = scenario_run("indirect_kinds", HTM)
    retired = NtraceCapture(HTM, program, b"", beats).retired
    data = b"\x02\x03" + Encoder(HTM).run(beats).data
    verdict = check(NtraceCapture(HTM, program, data, None, given=retired, exact=False), FREE)
    assert "NT.3.1.mseo" not in verdict.book.failed


def astray(messages: list[Message]) -> None:
    """The second branch message counts too much: no code is there."""
    at = place(messages, "IndirectBranchHist", 1)
    set_at(messages, at, icnt=there(messages[at].get("icnt")) + 40)


@pytest.mark.parametrize("config", [SYNC, STALL])
def test_gap_is_no_loss(config: Config) -> None:
    """Where the trace cannot be followed, nothing says that the device lost anything."""
    program, beats = scenario_run("indirect_kinds", config)
    verdict = doctored(program, beats, config, astray, FREE)
    assert not verdict.passed and "NT-14" not in verdict.book.failed, verdict.book.failed
    assert any(event.kind == "gap" for event in verdict.decoded.events)


def test_before_shows_what_came_before() -> None:
    """A trace that cannot be followed from its third message on: the last messages of the stream say nothing of it."""
    program, beats = scenario_run("indirect_kinds", HTM)
    verdict = doctored(program, beats, HTM, astray, FREE)
    assert not verdict.passed
    messages = verdict.decoded.messages
    wrong = messages[place(messages, "IndirectBranchHist", 1)].offset
    assert len(messages) > 10
    offsets = [int(line.partition(":")[0], 16) for f in verdict.failures for line in f.before]
    assert offsets and max(offsets) <= wrong


def test_nothing_is_not_compared_with_nothing() -> None:
    assert compare_fields(None, None) == []
    for front in (b"\x02\x03", b"\x24\x17"):
        program, beats = scenario_run("linear", HTM)
        data = Encoder(HTM).run(beats).data + front
        failures = check(NtraceCapture(HTM, program, data, beats)).failures
        assert failures and all(row[1:] != ("none", "none") for f in failures for row in f.table)
