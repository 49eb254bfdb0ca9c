# SPDX-License-Identifier: Apache-2.0
"""The codec against the published vectors of the specification, and against any bytes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rvtrace.models.common.messages import VARIABLE
from rvtrace.models.ntrace.codec import MAX_MESSAGE, pack, unpack
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.table import BY_NAME, Message, message

# Bytes on the left are the vectors of specs/ntrace.md and of the specification's table 6; this codec printed none.
VECTORS = [
    ("24 15 00 83", message("ProgTraceSync", 5, 0, 0x1000 >> 1)),
    ("84 40 19 0f", message("ProgTraceCorrelation", 0, 1, 6, 0b11)),
    ("6c 00 07", message("ResourceFull", 0, 4)),
    ("6c c7", message("ResourceFull", 1, 3)),
    ("6c c9 0f", message("ResourceFull", 2, 3, 3)),
    ("20 00 07", message("Error", 0, 4)),
    ("84 00 03", message("ProgTraceCorrelation", 0, 0, 0)),
    ("70 d0 1d 1d f8 ff", message("IndirectBranchHist", 0, 0x7D, 0x7, 0xFFE)),
]


@pytest.mark.parametrize("text, expected", VECTORS)
def test_vectors(text: str, expected: Message) -> None:
    data = bytes.fromhex(text)
    assert pack(expected) == data
    messages, damage = unpack(data, Config())
    assert not damage
    assert [m.same(expected) for m in messages] == [True]


def test_table_6_with_its_idle_bytes() -> None:
    """The printed stream: idle, the message (its last byte is 0xFF too), idle (table 6)."""
    messages, damage = unpack(bytes.fromhex("ff 70 d0 1d 1d f8 ff ff"), Config())
    assert not damage
    assert [(m.name, m.body, m.offset) for m in messages] == [("IndirectBranchHist", (0, 0x7D, 7, 0xFFE), 1)]


def test_a_message_that_comes_again_is_at_its_own_place() -> None:
    first, other = bytes.fromhex("6c 00 07"), bytes.fromhex("20 00 07")
    messages, damage = unpack(first + other + first, Config())
    assert not damage
    assert [(m.name, m.body, m.offset) for m in messages] == [
        ("ResourceFull", (0, 4), 0), ("Error", (0, 4), 3), ("ResourceFull", (0, 4), 6),
    ]  # fmt: skip


@st.composite
def any_message(draw: st.DrawFn) -> Message:
    kind = draw(st.sampled_from(list(BY_NAME.values())))
    values: dict[str, int] = {}
    for spec in kind.own:
        bits = spec.bits(Config(), values)
        if bits == VARIABLE:
            bits = draw(st.integers(0, spec.most(Config(), values)))
        elif not bits:
            continue
        values[spec.key] = draw(st.integers(0, (1 << bits) - 1))
    return Message.of(kind, values)


@given(st.lists(any_message(), max_size=8), st.integers(0, 12), st.data())
def test_round_trip(messages: list[Message], src_bits: int, data: st.DataObject) -> None:
    """Any messages, with idle bytes anywhere between them, come back (3.1, NT-17)."""
    src = data.draw(st.integers(0, (1 << src_bits) - 1))
    messages = [m.replaced(src=src) for m in messages]
    stream = b"".join(b"\xff" * data.draw(st.integers(0, 2)) + pack(m, src_bits) for m in messages)
    config = Config()
    object.__setattr__(config, "src_bits", src_bits)
    back, damage = unpack(stream, config)
    assert not damage
    assert len(back) == len(messages)
    assert all(a.same(b) for a, b in zip(back, messages))


@given(st.binary(max_size=400))
def test_any_bytes_are_accounted_for(data: bytes) -> None:
    """Every byte is idle, in a message, or in damage; nothing is read twice (NT-16, NT-24)."""
    messages, damages = unpack(data, Config())
    assert all(d.length > 0 for d in damages)
    spans = sorted([(d.offset, d.offset + d.length) for d in damages] + [(m.offset, m.offset + 1) for m in messages])
    assert all(end <= start for (_, end), (start, _) in zip(spans, spans[1:]))
    assert sum(d.length for d in damages) <= len(data)


@pytest.mark.parametrize(
    "text, reason",
    [
        ("24 15 00", "ends inside a message"),
        ("24 16 00 83", "MSEO=10"),
        ("83 24 15 00 83", "no message is open"),
        ("24 17", "ends before its field F-ADDR"),
        ("24 15 00 81 07", "too many"),
    ],
)
def test_damage_says_why(text: str, reason: str) -> None:
    _, damages = unpack(bytes.fromhex(text), Config())
    assert len(damages) == 1
    assert reason in damages[0].reason


def test_zeros_are_one_long_message() -> None:
    """A trace of zeros is one endless field (section 3); the next message is found after an end of message."""
    messages, damages = unpack(bytes(100_000) + b"\x03" + bytes.fromhex("24150083"), Config())
    assert [m.name for m in messages] == ["ProgTraceSync"]
    assert damages[0].length == 100_001
    assert str(MAX_MESSAGE) in damages[0].reason
