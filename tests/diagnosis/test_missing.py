# SPDX-License-Identifier: Apache-2.0
"""A message that is never sent is the one finding, at once; what may be another deviation is not said to be that."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rvtrace.models.ntrace.codec import pack
from rvtrace.models.ntrace.decoder.decode import decode
from rvtrace.scoreboards.common.clauses import ClauseBook, Failure
from rvtrace.scoreboards.common.findings import COMPARED, RULE
from rvtrace.scoreboards.common.verdict import Verdict
from rvtrace.scoreboards.diagnosis import cheap
from rvtrace.scoreboards.diagnosis.cheap import Act, missing, shows
from rvtrace.scoreboards.diagnosis.search import Search
from rvtrace.scoreboards.etrace.capture import EtraceCapture
from rvtrace.scoreboards.etrace.check import check as check_packets
from rvtrace.scoreboards.ntrace.capture import NtraceCapture
from rvtrace.scoreboards.ntrace.check import check as check_messages
from rvtrace.scoreboards.ntrace.hypotheses import acts
from tests.etrace.checked_scenarios import scenario_run
from tests.ntrace.deviations import DEVIATIONS, run_of, sent
from tests.ntrace.test_legal_encoder import CLOSED

PLAIN: dict[str, object] = {"timestamp": 0, "src_bits": 0, "src_id": 0}


@pytest.fixture
def unsearched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is searched."""

    def refused(search: object) -> None:
        raise AssertionError("a search began")

    monkeypatch.setattr(Search, "explanations", refused)


def assert_said(verdict: Verdict, clause: str, said: str) -> None:
    """It is the first finding, and others are of the same clause or follow from it."""
    first = verdict.failures[0]
    assert first.clause == clause and said in first.headline and not first.cause
    assert cheap.explained(verdict.book)
    assert {failure.clause for failure in verdict.failures if not failure.cause} == {clause}


@pytest.mark.parametrize("seed, mode", [(1, "btm"), (2, "btm"), (4, "btm"), (1, "htm"), (2, "htm")])
def test_traps_that_no_message_reports(seed: int, mode: str, unsearched: None) -> None:
    run = run_of(seed, {**PLAIN, "mode": mode}, True, 900)
    kept = [message for message in run.messages if not message.get("btype")]
    data = b"".join(pack(message, config=run.config) for message in kept)
    traps = len(run.messages) - len(kept)
    capture = NtraceCapture(run.config, run.program, data, given=run.retired, exact=False)
    assert_said(check_messages(capture, CLOSED), "NT.10.traps", f"the hart had {traps} exceptions and interrupts")


@pytest.mark.parametrize("scenario", ["trap_kinds", "contexts"])
def test_a_trap_packet_that_is_never_sent(scenario: str, unsearched: None) -> None:
    config, program, beats, encoded = scenario_run(scenario, ())
    payloads = [data for data, packet in zip(encoded.payloads, encoded.packets, strict=True) if packet.name != "trap"]
    capture = EtraceCapture(config, program, payloads, beats=beats, exact=False)
    assert_said(check_packets(capture), "ET.bt.traps", "trap is never sent: the hart had 12")


def act(capture: NtraceCapture) -> list[Act]:
    """Acts of a capture."""
    return acts(capture, decode(capture.data, capture.program, capture.config, by_address=True))


def test_traps_that_are_reported_as_jumps_are_sent() -> None:
    wrong = next(one for one in DEVIATIONS if one.name == "btype_always_0")
    for mode in ("btm", "htm"):
        run = run_of(1, {**PLAIN, "mode": mode}, True, 900)
        data = sent(run, [wrong])
        found = act(NtraceCapture(run.config, run.program, data, given=run.retired, exact=False))
        assert found[0].sent > 0 and found[0].count == 18


def test_nothing_is_said_where_messages_may_be_missing_or_cannot_be_read() -> None:
    run = run_of(1, PLAIN, True, 900)
    capture = NtraceCapture(run.config, run.program, run.data, given=run.retired, exact=False)
    assert act(capture)[0].sent == 18
    assert act(replace(capture, config=replace(run.config, implicit_return=1))) == []
    reserved = bytes([20 << 2, 3])  # a message with a TCODE that none has
    assert act(replace(capture, data=run.data + reserved)) == []


def book() -> ClauseBook:
    """A check that found two things."""
    made = ClauseBook()
    made.fail(Failure("ET.a", "a rule is broken", at=4, found=RULE))
    made.fail(Failure("ET.b", "a pc differs", at=5, found=COMPARED))
    return made


def test_what_was_decoded_follows_and_rules_about_single_messages_do_not() -> None:
    found = book()
    assert missing(found, [Act("ET.c", "resets", "start", 3, 0)])
    assert [(one.clause, one.cause) for one in found.failures] == [("ET.c", ""), ("ET.a", ""), ("ET.b", "ET.c")]
    assert tuple(found.results()["ET.c"]) == (1, 1)


@pytest.mark.parametrize("count, sent", [(2, 0), (30, 1)])
def test_a_few_or_one_that_is_sent_are_no_proof(count: int, sent: int) -> None:
    found = book()
    assert not missing(found, [Act("ET.c", "resets", "start", count, sent)])
    assert len(found.failures) == 2 and not cheap.explained(found)


@pytest.mark.parametrize(
    "reported, places, said",
    [
        ([1, 2, 3, 4, 9, 9, 9], [4, 5, 6], True),
        ([1, 2, 3], [0, 1, 2], False),
        ([1, 9, 3, 4, 5, 6, 7], [4, 5, 6], False),
        ([1, 2, 3, 4, 5, 6], [4, 5, 6, 7, 8], False),
    ],
)
def test_a_trace_is_right_at_its_start_and_goes_on_beyond_what_it_lacks(
    reported: list[int], places: list[int], said: bool
) -> None:
    assert shows(np.array(reported), np.arange(1, 20), places, is_whole=False) == said
    assert shows(np.array(reported), np.arange(1, 20), places, is_whole=True) == (reported[:4] == [1, 2, 3, 4])


def test_nothing_is_said_of_a_trace_that_was_cut() -> None:
    """The traps after its end are not reported, and that is no deviation."""
    run = run_of(1, PLAIN, True, 900)
    messages = decode(run.data, run.program, run.config).messages
    end = next(message.offset for message in messages if message.get("btype"))
    capture = NtraceCapture(run.config, run.program, run.data[:end], given=run.retired, exact=False)
    assert act(capture) == []
