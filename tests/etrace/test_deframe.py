# SPDX-License-Identifier: Apache-2.0
"""Transported bytes to payloads: both encapsulations, all framings, joined anywhere, damaged (payload chapter)."""

import random

import pytest

from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.decoder.deframe import Damage, Deframer, Frame, deframe

SHAPES = [
    {"encapsulation": encapsulation, "framing": framing, "index_width": index, "timestamp": stamp, "block_bytes": 64}
    for encapsulation, index in (("messaging", 0), ("messaging", 8), ("messaging", 16), ("atb", 0))
    for framing in ("none", "zeros", "blocks")
    for stamp in (0, 1)
]
shapes = pytest.mark.parametrize("shape", SHAPES, ids=lambda s: "-".join(map(str, s.values())))
SYNC = b"\x73\0\0\0\0\0\x04"  # a 3.0
PAYLOADS = [SYNC, b"\x02", b"\xf2\x01", SYNC, bytes([5] * 31), b"\x80\0", SYNC, b"\x12\0\0\0\xff"]


def wrapped(payloads: list[bytes], shape: dict) -> bytes:
    """The bytes, written out from docs/reference/etrace-profile.md, "Transport"."""
    out = bytearray()
    for number, payload in enumerate(payloads):
        atb = shape["encapsulation"] == "atb"
        header = len(payload) | ((0x20 if atb else 0x80) if shape["timestamp"] else 0)
        packet = bytes([header]) + bytes(shape["index_width"] // 8)
        packet += number.to_bytes(2, "little") if shape["timestamp"] else b""
        packet += payload
        packet += bytes(-len(packet) % 4) if atb else b""
        if shape["framing"] == "zeros" and payload == SYNC:
            out += bytes(32)
        left = -len(out) % 64
        if shape["framing"] == "blocks" and left < len(packet):
            out += bytes(left)
        out += packet
    return bytes(out)


@shapes
def test_there_and_back(shape: dict) -> None:
    data = wrapped(PAYLOADS, shape)
    payloads, offsets, damage = deframe(data, Config(**shape))
    assert payloads == PAYLOADS and not damage
    assert [data[offset] & 31 for offset in offsets] == [len(p) for p in PAYLOADS]


@shapes
def test_in_pieces(shape: dict) -> None:
    """Any division of the stream gives the same frames, timestamps included."""
    data, rng = wrapped(PAYLOADS * 3, shape), random.Random("pieces")
    deframer, found = Deframer(Config(**shape)), []
    at = 0
    while at < len(data):
        size = rng.randint(1, 9)
        found += deframer.feed(data[at : at + size])
        at += size
    found += deframer.finish()
    assert [f.payload for f in found] == PAYLOADS * 3
    assert [f.timestamp for f in found] == [n if shape["timestamp"] else None for n in range(len(found))]


@pytest.mark.parametrize(
    "shape", [s for s in SHAPES if s["framing"] != "none"], ids=lambda s: "-".join(map(str, s.values()))
)
def test_joined_anywhere(shape: dict) -> None:
    """From a byte in the middle, the packets after the next place at which one surely begins."""
    payloads = PAYLOADS * 12
    data = wrapped(payloads, shape)
    whole, offsets, _ = deframe(data, Config(**shape))
    assert whole == payloads
    for begin in range(0, 200):
        found, places, damage = deframe(data[begin:], Config(**shape), joined=True)
        assert not damage and found == payloads[len(payloads) - len(found) :]
        if shape["framing"] == "zeros":
            first = next(o for o in offsets if o >= begin + 32 and not any(data[o - 32 : o]))
        else:
            first = -(-begin // 64) * 64
        assert places[0] + begin == first


def test_blocks_are_looked_for_in_several_of_them() -> None:
    """The first bytes of a stream that is joined may fit more than one place where blocks begin: the deframer waits for
    more of them, and finds in pieces what it finds in the whole.
    """
    shape = {"encapsulation": "messaging", "framing": "blocks", "index_width": 0, "timestamp": 0, "block_bytes": 64}
    data = wrapped(PAYLOADS * 12, shape)
    for begin in range(1, 64, 9):
        deframer, found = Deframer(Config(**shape), joined=True), []
        for at in range(begin, len(data), 20):
            found += deframer.feed(data[at : at + 20])
        found += deframer.finish()
        assert found[0].offset + begin == 64
        assert [frame.payload for frame in found] == deframe(data[begin:], Config(**shape), joined=True)[0]


def test_blocks_at_a_known_position() -> None:
    """A dump that does not begin with a block needs no search for them."""
    shape = {"encapsulation": "messaging", "framing": "blocks", "index_width": 0, "timestamp": 0, "block_bytes": 64}
    data = wrapped(PAYLOADS * 2, shape)
    payloads, offsets, damage = deframe(data[30:], Config(**shape), joined=True, position=30)
    assert not damage and offsets[0] == 34
    assert payloads == (PAYLOADS * 2)[-len(payloads) :]


@pytest.mark.parametrize(
    ("options", "data", "clause"),
    [
        ({}, b"\x02\x01\x02\x80\x01\x73", "ET.tra.messaging"),  # a header with length 0, then a good packet
        ({"encapsulation": "atb"}, b"\x01\x73\0\0\x41\x73\0\0", "ET.tra.atb"),  # bits 7:6
        ({"framing": "zeros"}, b"\x01\x73\x20\x01" + bytes(32) + b"\x01\x73", "ET.tra.messaging"),
        ({"framing": "blocks", "block_bytes": 64}, bytes(60) + b"\x05\x73\0\0\x01" + b"\x01\x73", "ET.tra.messaging"),
        ({}, b"\x01\x73\x05\x01\x02", "ET.tra.messaging"),  # cut off
    ],
    ids=["length", "reserved", "zeros", "span", "cut"],
)
def test_damage(options: dict, data: bytes, clause: str) -> None:
    payloads, _, damage = deframe(data, Config(**options))
    assert [d.clause for d in damage][:1] == [clause]
    assert b"\x73" in payloads or options.get("framing") == "blocks"


def test_packets_continue_after_damage() -> None:
    """A header that is destroyed costs what is up to the next run of zeros, or the next block."""
    for framing, after in (("zeros", 3), ("blocks", None)):
        shape = {"encapsulation": "messaging", "framing": framing, "index_width": 0, "timestamp": 0, "block_bytes": 64}
        data = bytearray(wrapped(PAYLOADS * 4, shape))
        at = 32 if framing == "zeros" else 0
        data[at] = 0x20
        payloads, offsets, damage = deframe(bytes(data), Config(**shape))
        assert len(damage) == 1 and damage[0].offset == at and damage[0].packet == 0
        assert damage[0].length == offsets[0] - at
        assert payloads == (PAYLOADS * 4)[after if after is not None else -len(payloads) :]


@shapes
def test_any_bytes(shape: dict) -> None:
    """Bounded, whatever comes: every frame is a payload of 1 to 31 bytes that was there."""
    rng = random.Random(f"any:{shape}")
    for joined in (False, True):
        for _ in range(40):
            data = rng.choice([rng.randbytes(300), bytes(rng.choices([0, 0, 0, 1, 2, 255], k=300)), bytes(300)])
            deframer = Deframer(Config(**shape), joined)
            found = [f for at in range(0, 300, 7) for f in deframer.feed(data[at : at + 7])] + deframer.finish()
            for f in found:
                assert isinstance(f, (Frame, Damage)) and 0 <= f.offset < 300
                if isinstance(f, Frame):
                    assert 1 <= len(f.payload) <= 31 and f.payload in data
