# SPDX-License-Identifier: Apache-2.0
"""Streams of several encoders: parted by SRC, each checked against its own hart; the stream holds all that was sent, in
its order.
"""

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from rvtrace.models.ntrace.codec import pack
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.encoder.encode import Encoder
from rvtrace.scoreboards.ntrace.capture import NtraceCapture
from rvtrace.scoreboards.ntrace.source_field import with_own_source
from rvtrace.scoreboards.ntrace.sources import SourcesError, check_sources, split
from tests.ntrace.checked_scenarios import scenario_run, timed

SCENARIOS = {2: "indirect_kinds", 5: "trap_kinds", 7: "branches"}


def captures(**options: Any) -> tuple[dict[int, NtraceCapture], dict[int, list[bytes]]]:
    """One capture for each SRC, and the messages each encoder sent."""
    result, sent = {}, {}
    for source, name in SCENARIOS.items():
        config = Config(src_bits=3, src_id=source, **options)
        program, beats = scenario_run(name, config)
        encoded = Encoder(config).run(timed(beats))
        result[source], sent[source] = NtraceCapture(config, program, encoded.data, beats), list(encoded.packed)
    return result, sent


def funnel(sent: dict[int, list[bytes]]) -> bytes:
    """The messages of all encoders, each in its order, with idle bytes between."""
    rng, queues, out = Random("7:funnel"), {s: list(m) for s, m in sent.items()}, []
    while any(queues.values()):
        source = rng.choice([s for s, q in queues.items() if q])
        out.append(queues[source].pop(0) + b"\xff" * rng.randrange(2))
    return b"".join(out)


@pytest.mark.parametrize("options", [{}, {"timestamp": 1, "ownership": 1}, {"mode": "btm", "repeat_branch": 1}])
def test_each_part_is_judged(options: dict) -> None:
    parts, sent = captures(**options)
    book, verdicts = check_sources(funnel(sent), parts)
    assert not book.failed and book.results()["NT.11.2.sources"][0] > len(SCENARIOS)
    assert all(v.passed for v in verdicts.values()) and verdicts.keys() == SCENARIOS.keys()


def test_a_message_that_was_lost_or_reordered_on_the_way() -> None:
    for spoil in (lambda m: m.pop(1), lambda m: m.insert(1, m.pop(2))):
        parts, sent = captures()
        spoil(sent[5])
        book, verdicts = check_sources(funnel(sent), parts)
        assert book.failed == ["NT.11.2.sources"] and "SRC=5" in book.failures[0].headline
        assert not verdicts[5].passed and verdicts[2].passed and verdicts[7].passed


def test_a_source_that_nobody_has() -> None:
    parts, sent = captures()
    parts.pop(7)
    book, verdicts = check_sources(funnel(sent), parts)
    assert book.failed == ["NT.11.2.sources"] and "SRC=7" in book.failures[0].headline
    assert all(v.passed for v in verdicts.values())


def test_without_the_encoders_own_bytes() -> None:
    parts, sent = captures()
    stream = funnel(sent)
    unseen = {source: replace(capture, data=b"") for source, capture in parts.items()}
    book, verdicts = check_sources(stream, unseen)
    assert not book.failed and all(v.passed for v in verdicts.values())


def test_split() -> None:
    parts, sent = captures()
    configs = {source: capture.config for source, capture in parts.items()}
    mine, others, damages = split(funnel(sent) + b"\x02", configs)
    assert {s: b"".join(m) for s, m in sent.items()} == mine and not others and len(damages) == 1
    # a vendor-defined message of unknown layout has its SRC at the same place
    strange = bytes([(60 | 5 << 6 & 0x3F) << 2, 5 << 2, 0x55, 3])
    assert split(strange, configs)[0][5] == strange


@pytest.mark.parametrize("bits", [3, 8])
def test_few_messages_with_another_source_are_of_the_encoder(bits: int) -> None:
    """One wrong SRC is a mistake in that message. In most messages it is a wrong option, and stays."""
    config = Config(src_bits=bits, src_id=5)
    program, beats = scenario_run("indirect_kinds", config)
    messages = list(Encoder(config).run(beats).messages)
    right = b"".join(pack(m, bits) for m in messages)
    wrong = [m.replaced(src=(1 << bits) - 1) if index == 3 else m for index, m in enumerate(messages)]
    given = NtraceCapture(config, program, b"".join(pack(m, bits) for m in wrong), beats, exact=False)
    assert given.data != right and with_own_source(given) == right
    most = b"".join(pack(m.replaced(src=2), bits) for m in messages[1:])
    assert with_own_source(replace(given, data=pack(messages[0], bits) + most)) == pack(messages[0], bits) + most


def test_a_message_that_ends_within_its_source_changes_nothing_after_it() -> None:
    """SRC of 8 bits needs a second byte, which is missing here: its upper bits are not those of the next message."""
    config = Config(src_bits=8, src_id=5)
    program, beats = scenario_run("indirect_kinds", config)
    parts = [pack(m, 8) for m in Encoder(config).run(beats).messages]
    place = next(k for k, part in enumerate(parts[2:], 2) if part[0] >> 2 & 3)
    data = b"".join((*parts[:place], bytes([parts[place][0], 5 << 2 | 3]), *parts[place:]))
    assert with_own_source(NtraceCapture(config, program, data, beats, exact=False)) == data


def test_without_source_or_bytes_there_is_nothing_to_correct() -> None:
    config = Config(src_bits=3, src_id=5, inhibit_src=1)
    program, beats = scenario_run("indirect_kinds", config)
    data = Encoder(config).run(beats).data
    assert data and with_own_source(NtraceCapture(config, program, data, beats)) == data
    assert with_own_source(NtraceCapture(replace(config, inhibit_src=0), program, b"", beats)) == b""


@pytest.mark.parametrize("widths", [(3, 4), (0, 0)])
def test_widths_that_differ(widths: tuple[int, int]) -> None:
    configs = {source: Config(src_bits=width) for source, width in enumerate(widths)}
    with pytest.raises(SourcesError, match="SRC_BITS"):
        split(b"", configs)
