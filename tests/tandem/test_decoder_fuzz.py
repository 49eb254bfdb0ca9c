# SPDX-License-Identifier: Apache-2.0
"""The decoder on any bytes: it survives, reports the same however they are cut, loses no byte silently, and takes
linear time.
"""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.decoder.decode import Decoder, decode
from rvtrace.models.tandem.decoder.decoded import Decoded
from rvtrace.models.tandem.decoder.diagnostics import BROKEN, MAX_DIAGNOSTICS
from rvtrace.models.tandem.decoder.scan import MAX_GROUP
from rvtrace.models.tandem.encoder.encode import encode
from rvtrace.models.tandem.encoder.items import (
    Begin,
    End,
    IncrementPc,
    Init,
    Instruction,
    Register,
    Request,
    Reset,
    State,
    pack,
)
from rvtrace.models.tandem.trace_data import Rows
from tests.tandem.rows import CONFIGS, random_rows

GOOD = encode(Rows.from_rows(random_rows("fuzz", 60, Config())), Config()).data
WORDS = st.sampled_from(
    [
        b"\x01", b"\x02", b"\x03", b"\x0a", b"\x0b", b"\x10\x01\x00", b"\x04\x05\x10", b"\x07\x0a", b"\x08",
        b"\x09\x03", b"\x05\x05\x10\x01",
    ]
)  # fmt: skip


def in_pieces(data: bytes, config: Config, seed: str, largest: int) -> Decoded:
    """Fed in pieces of random size."""
    rng, decoder, parts, at = random.Random(seed), Decoder(config), [], 0
    while at < len(data):
        step = rng.randint(1, largest)
        parts.append(decoder.feed(data[at : at + step]))
        at += step
    return Decoded.concat([*parts, decoder.finish()])


def check(data: bytes, config: Config, sizes: tuple[int, ...] = (3, 60)) -> Decoded:
    """What holds for any bytes."""
    whole = decode(data, config)
    groups = list(whole.groups())
    for largest in sizes:
        pieces = in_pieces(data, config, "pieces", largest)
        assert (
            list(pieces.groups()) == groups and pieces.diagnostics == whole.diagnostics and pieces.items == whole.items
        )
    reported = sum(group.end - group.offset for group in groups)
    assert reported + sum(found.skipped for found in whole.diagnostics) == len(data)
    assert [group.offset for group in groups] == sorted(group.offset for group in groups)
    return whole


@settings(max_examples=150, deadline=None)
@given(data=st.binary(max_size=200), config=st.sampled_from(CONFIGS))
def test_any_bytes(data: bytes, config: Config) -> None:
    """Noise."""
    check(data, config)


@settings(max_examples=150, deadline=None)
@given(
    words=st.lists(st.one_of(WORDS, st.binary(min_size=1, max_size=8)), max_size=40), config=st.sampled_from(CONFIGS)
)
def test_bytes_like_a_trace(words: list[bytes], config: Config) -> None:
    """Pieces of items in any order."""
    check(b"".join(words), config)


@settings(max_examples=150, deadline=None)
@given(at=st.integers(0, len(GOOD) - 1), byte=st.integers(0, 255), kind=st.sampled_from(["change", "insert", "delete"]))
def test_one_byte_of_a_good_trace(at: int, byte: int, kind: str) -> None:
    """A byte changed, inserted or lost: most of the trace is still there."""
    middle = {"change": bytes([byte]), "insert": bytes([byte]) + GOOD[at : at + 1], "delete": b""}[kind]
    whole, found = decode(GOOD, Config()), check(GOOD[:at] + middle + GOOD[at + 1 :], Config(), sizes=(100,))
    good = [group.changes for group in whole.groups()]
    kept = sum(group.changes in good for group in found.groups())
    assert kept >= len(good) - 12
    assert sum(one.name in BROKEN for one in found.diagnostics) <= 3


GROUP = pack([Begin(), Instruction(4, 0x13), IncrementPc(), Register(0x1005, 1 << 40 | 0x0101), End()], Config())


@pytest.mark.parametrize("at", [1, 6, 7, 18])
@pytest.mark.parametrize("noise", [b"\xff", b"\x00\x00", b"\x07\x00\x07", b"\xff\x01\x02\x00", b"\x00\x01\x01\x11\x13"])
def test_noise_between_items(at: int, noise: bytes) -> None:
    """Noise instead of the rest of a group: one diagnostic, and all groups after it are whole, begin groups within the
    noise or not.
    """
    start = pack([Begin(), Reset(), State(10, 0), End()], Config())
    found = check(start + GROUP * 3 + GROUP[:at] + noise + GROUP * 4, Config())
    (one,) = found.diagnostics
    assert one.group == 4 and one.pc == 12 and one.skipped == len(noise)
    assert [group.end - group.offset for group in found.groups()] == [
        len(start),
        *[len(GROUP)] * 3,
        at,
        *[len(GROUP)] * 4,
    ]


LONG = {
    "begins": b"\x01" * 200_000,
    "begin and noise": b"\x01\x10" * 100_000,
    "open groups": (b"\x01" + b"\x10\x01\x00" * 20 + b"\xff") * 3000,
    "zeros": bytes(200_000),
    "requests": b"\x01" + pack([Request(0, 0, 0)], Config()) * 20_000,
    "ends": b"\x02" * 100_000,
    "one group": b"\x01" + pack([Init(), Register(0x300, 1)], Config()) * 20_000 + b"\x02",
}


@pytest.mark.parametrize("name", LONG)
def test_long_input(name: str) -> None:
    """Whatever the bytes: all at once, and in small pieces. Work that is not linear would take hours here."""
    data = LONG[name]
    whole = decode(data, Config())
    pieces = in_pieces(data, Config(), name, 4000)
    assert len(pieces) == len(whole) and pieces.diagnostics == whole.diagnostics
    assert len(whole.diagnostics) <= MAX_DIAGNOSTICS


def test_long_group() -> None:
    """A group that does not end is cut, wherever the pieces are; the next group is whole."""
    item = pack([Request(0x80, 1, 0, 5)], Config())
    data = b"\x01" + item * (MAX_GROUP // len(item) + 100) + b"\x02" + GROUP
    whole = decode(data, Config())
    (broken,) = whole.diagnostics
    assert broken.name == "long_group" and MAX_GROUP - len(item) < broken.offset < MAX_GROUP + len(item)
    pieces = in_pieces(data, Config(), "long", 100_000)
    assert (
        list(pieces.groups()) == list(whole.groups())
        and pieces.diagnostics == whole.diagnostics
        and pieces.lost == whole.lost
    )
    assert whole.group(len(whole) - 1).changes[-1] == (0x1005, 1 << 40 | 0x0101)
