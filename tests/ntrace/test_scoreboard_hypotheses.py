# SPDX-License-Identifier: Apache-2.0
"""A trace that decodes with other options than those claimed: the option is the finding, and all else is judged."""

from dataclasses import replace
from typing import Any

import pytest

from rvtrace.models.ntrace.codec import pack
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.decoder.decode import decode
from rvtrace.models.ntrace.encoder.encode import Encoder
from rvtrace.scoreboards.common.verdict import Verdict
from rvtrace.scoreboards.diagnosis.search import Reading
from rvtrace.scoreboards.ntrace.capture import NtraceCapture
from rvtrace.scoreboards.ntrace.hypotheses import Traced, Window
from tests.ntrace.checked_scenarios import check, scenario_run, set_at, timed

SOURCE = {"src_bits": 4, "src_id": 3}


def claimed(name: str, real: dict[str, Any], claim: dict[str, Any]) -> Verdict:
    """The verdict on a trace that was encoded with the options `real`, of a device that claims others."""
    config = Config.from_dict({"inst_stall_ena": 1, **real})
    program, beats = scenario_run(name, config)
    messages = Encoder(config).run(beats).messages
    data = b"".join(pack(message, config.source_bits, config.address_bits) for message in messages)
    return check(NtraceCapture(replace(config, **claim), program, data, beats, exact=False))


@pytest.mark.parametrize(
    "real, claim, named",
    [
        (SOURCE, {"src_bits": 8}, ["SRC_BITS"]),
        (SOURCE, {"src_bits": 0, "src_id": 0}, ["SRC_BITS"]),
        ({}, {"src_bits": 6, "src_id": 0}, ["SRC_BITS"]),
        ({"mode": "btm"}, {"mode": "htm"}, ["MODE"]),
        ({}, {"mode": "btm"}, ["MODE"]),
        ({"timestamp": 1}, {"timestamp": 0}, ["TIMESTAMP"]),
        ({"implicit_return": 1}, {"implicit_return": 0}, ["IMPLICIT_RETURN"]),
        ({"all_jumps": 1}, {"all_jumps": 0}, ["ALL_JUMPS"]),
        ({"timestamp": 1, **SOURCE}, {"timestamp": 0, "src_bits": 2}, ["TIMESTAMP", "SRC_BITS"]),
    ],
)
def test_the_option_is_the_finding(real: dict[str, Any], claim: dict[str, Any], named: list[str]) -> None:
    verdict = claimed("nested_calls", real, claim)
    causes = [failure for failure in verdict.failures if not failure.cause]
    assert sorted(row[0] for failure in causes for row in failure.table) == sorted(named)
    assert verdict.stats["judged"] == verdict.stats["instructions"] > 0
    assert verdict.read is not None and not verdict.decoded.diagnostics  # what was decoded is what was judged
    for failure in causes:  # the table has what was claimed and what explains the trace
        (option, was, found), name = failure.table[0], failure.table[0][0].lower()
        assert was == str({**real, **claim}[name]) and found == str(getattr(Config.from_dict(real), name)), option


def test_a_trace_that_decodes_as_claimed_has_no_finding() -> None:
    assert claimed("nested_calls", SOURCE, {}).passed


def test_damage_is_not_explained_by_an_option() -> None:
    config = Config.from_dict({"inst_stall_ena": 1})
    program, beats = scenario_run("nested_calls", config)
    data = bytearray(Encoder(config).run(beats).data)
    data[len(data) // 2] ^= 0x3C
    verdict = check(NtraceCapture(config, program, bytes(data), beats, exact=False))
    assert not verdict.passed and not any("was claimed" in failure.headline for failure in verdict.failures)


def test_a_message_with_another_src_is_judged_all_the_same() -> None:
    """One encoder is checked: what it sends under a wrong SRC is one finding, and nothing is lost."""
    config = Config.from_dict(SOURCE)
    program, beats = scenario_run("nested_calls", config)
    messages = Encoder(config).run(beats).messages
    parts = [pack(message, config.source_bits, config.address_bits) for message in messages]
    place = len(parts) // 2
    parts[place] = pack(messages[place].replaced(src=config.src_id ^ 2), config.source_bits, config.address_bits)
    verdict = check(NtraceCapture(config, program, b"".join(parts), beats, exact=False))
    assert {failure.clause for failure in verdict.failures if not failure.cause} == {"NT.3.2.src"}
    assert verdict.stats["judged"] == verdict.stats["instructions"] > 0


def test_another_encoder_of_the_stream_is_no_part_of_the_trace() -> None:
    """What a second encoder sends under its SRC, from its synchronization on, is decoded by nobody here."""
    config = Config.from_dict(SOURCE)
    program, beats = scenario_run("nested_calls", config)
    messages = Encoder(config).run(beats).messages
    other = [pack(m.replaced(src=config.src_id ^ 2), config.source_bits, config.address_bits) for m in messages[:3]]
    parts = [pack(message, config.source_bits, config.address_bits) for message in messages]
    parts[4:4] = other
    verdict = check(NtraceCapture(config, program, b"".join(parts), beats, exact=False))
    assert {failure.clause for failure in verdict.failures if not failure.cause} == {"NT.3.2.src"}
    assert verdict.stats["judged"] == verdict.stats["instructions"] > 0


@pytest.mark.parametrize(("times", "right"), [((1100, 1200), True), ((1100, 500), True), ((500, 100), False)])
def test_only_a_majority_of_times_that_go_back_needs_an_explanation(times: tuple[int, int], right: bool) -> None:
    """One wrong time of two is a finding at its place; with two of two, the device means something else by them."""
    config = Config(timestamp=1)
    program, beats = scenario_run("trace_off_on", config)
    messages = list(Encoder(config).run(timed(beats)).messages)
    starts = [index for index, message in enumerate(messages) if message.type.has_sync]
    for index, time in zip(starts[1:], times):
        set_at(messages, index, tstamp=time)
    data = b"".join(map(pack, messages[: starts[3]]))
    traced = Traced(data, program, config)
    assert traced.follows(decode(data, program, config)) == right
    whole = Window(0, len(data), 0, place=len(data) - 1)
    assert (traced.near(Reading(config), whole) < 1) == right  # 1 is added where decoding gets no farther
