# SPDX-License-Identifier: Apache-2.0
"""Hostile bytes: no exception, no hang, no unbounded memory, and every result holds together (NT-24)."""

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rvtrace.models.ntrace.config import Config
from tests.common.long import some
from tests.ntrace.fuzz import CONFIGS, check, decode_in_pieces, fuzz, good_trace, good_writer

CORPUS = Path(__file__).with_name("corpus.txt")
MEGABYTES = 300  # by which the process may grow

configs = st.sampled_from(CONFIGS)


def corpus() -> list:
    """Its streams, each under its comment."""
    streams = []
    for line in CORPUS.read_text().splitlines():
        text, _, comment = line.partition("#")
        if text.strip() or comment.strip() == "nothing":
            data = bytearray()
            for part in text.split("|"):
                digits, _, times = part.partition("x")
                data += bytes.fromhex(digits) * int(times or 1)
            streams.append(pytest.param(bytes(data), id=comment.strip().replace(" ", "_")))
    return streams


@pytest.mark.parametrize("data", corpus())
def test_corpus(data: bytes) -> None:
    for config in CONFIGS[::3]:  # each mode, variant, width and set of options is among them
        check(decode_in_pieces(data, config, random.Random(0)), data, config)


@settings(max_examples=300, deadline=None)
@given(configs, st.binary(max_size=300), st.randoms(use_true_random=False))
def test_any_bytes(config: Config, data: bytes, rng: random.Random) -> None:
    check(decode_in_pieces(data, config, rng), data, config)


@settings(max_examples=300, deadline=None)
@given(configs, st.data())
def test_any_change_of_a_good_trace(config: Config, data: st.DataObject) -> None:
    good = good_trace(config)[:400]
    begin = data.draw(st.integers(0, len(good)))
    end = data.draw(st.integers(begin, min(begin + 8, len(good))))
    bad = good[:begin] + data.draw(st.binary(max_size=8)) + good[end:]
    check(decode_in_pieces(bad, config, random.Random(0)), bad, config)


def test_good_traces_are_good() -> None:
    """What the fuzzer damages is right before."""
    for config in CONFIGS:
        assert len(good_writer(config).check()) > 1000


@pytest.mark.parametrize("seed", some(range(10), 2))
def test_ten_million_bytes(seed: int) -> None:
    """One of ten shares of a million, about a second each."""
    met = fuzz(seed, 1_000_000)
    assert met["bytes"] >= 1_000_000 and met["megabytes"] < MEGABYTES
    assert len([clause for clause in met if clause.startswith("NT")]) > 30  # it reached most of the decoder
