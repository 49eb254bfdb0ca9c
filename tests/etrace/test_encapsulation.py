# SPDX-License-Identifier: Apache-2.0
"""The packet encapsulation 1.0, bit by bit: headers, source IDs, timestamps, types and synchronization sequences, and
streams that are joined at any byte.
"""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.decoder.deframe import Damage, Deframer, Frame, deframe
from rvtrace.models.etrace.encoder.encapsulate import encapsulate

ENCAP: dict[str, Any] = {"encapsulation": "encap_1_0"}
PAYLOADS = [b"\x73\0\0\0\0\0\x04", b"\x02", b"\xf2\x01", bytes([5] * 28), b"\x80\0", b"\x12\0\0\0\xff"]


def written(payloads: list[bytes], times: list[int], config: Config, sources: list[int], kinds: list[int]) -> list[str]:
    """The bits of each packet in the order of transmission, as a text of 0 and 1: the tables of chapter 2."""

    def field(value: int, bits: int) -> str:
        return "".join(str(value >> n & 1) for n in range(bits))

    packets = []
    for payload, time, source, kind in zip(payloads, times, sources, kinds):
        bits = field(kind, config.type_bits) + "".join(field(byte, 8) for byte in payload)
        length = -(-(len(bits) + config.src_bits % 8) // 8)
        text = field(length, 5) + field(config.flow, 2) + field(config.timestamp, 1)
        text += field(source, config.src_bits)
        text += field(time, 8 * config.timestamp_bytes) if config.timestamp else ""
        text += bits
        packets.append(text + "0" * (-len(text) % 8))
        size = 1 + config.src_bits // 8 + config.timestamp_bytes * config.timestamp + length
        assert len(packets[-1]) == 8 * size, "Packet length = 1 + S + (T * header.extend) + header.length"
    return packets


def to_bytes(bits: str) -> bytes:
    """Bits in the order of transmission."""
    return bytes(int(bits[at : at + 8][::-1], 2) for at in range(0, len(bits), 8))


def stream(config: Config, payloads: list[bytes], times: list[int]) -> bytes:
    """Without synchronization sequences."""
    n = len(payloads)
    return to_bytes("".join(written(payloads, times, config, [config.src_id] * n, [0] * n)))


@st.composite
def shapes(draw: st.DrawFn) -> Config:
    """Every width of chapter 2."""
    bits = draw(st.integers(0, 16))
    size = draw(st.integers(0, 8))
    return Config(
        **ENCAP,
        src_bits=bits,
        src_id=draw(st.integers(0, (1 << bits) - 1)),
        type_bits=draw(st.integers(0, 4)),
        timestamp_bytes=size,
        timestamp=draw(st.integers(0, int(size > 0))),
        flow=draw(st.integers(0, 3)),
    )


@given(shapes(), st.lists(st.binary(min_size=1, max_size=28), min_size=1, max_size=8), st.data())
@settings(max_examples=200, deadline=None)
def test_all_widths(config: Config, payloads: list[bytes], data: st.DataObject) -> None:
    """Encoder and decoder against the bits written out, for any source ID, type and timestamp."""
    times = data.draw(st.lists(st.integers(0, (1 << 64) - 1), min_size=len(payloads), max_size=len(payloads)))
    want = stream(config, payloads, times)
    assert encapsulate(payloads, [False] * len(payloads), times, config) == want
    deframer, found = Deframer(config), []
    for at in range(0, len(want), 5):
        found += deframer.feed(want[at : at + 5])
    found += deframer.finish()
    mask = (1 << 8 * config.timestamp_bytes) - 1
    assert found == [
        Frame(f.offset, payload, time & mask if config.timestamp else None)
        for f, payload, time in zip(found, payloads, times)
    ]
    assert len(found) == len(payloads) and not deframer.others and not deframer.types


def test_by_hand() -> None:
    """A source ID of 12 bits and a timestamp of one byte: neither the timestamp nor the payload begins at a byte."""
    config = Config(**ENCAP, src_bits=12, src_id=0xABC, timestamp_bytes=1, timestamp=1, flow=2)
    # header: length 2 (8 payload bits and 4 of srcID), flow 2, extend; srcID bc, a; timestamp 5e; payload 1f
    assert encapsulate([b"\x1f"], [True], [0x5E], config).hex(" ") == "c2 bc ea f5 01"
    plain = Config(**ENCAP)
    assert encapsulate([b"\x1f", b"\x73\x04"], [False, True], [0, 0], plain).hex(" ") == "01 1f 02 73 04"
    typed = Config(**ENCAP, type_bits=1)
    assert encapsulate([b"\x1f"], [False], [0], typed).hex(" ") == "02 3e 00"


def test_nulls_of_any_flow_are_no_packets() -> None:
    data = b"\x00\x20\x01\x1f\xe0\x80\x00\x02\x73\x04\x60"
    payloads, offsets, damage = deframe(data, Config(**ENCAP))
    assert payloads == [b"\x1f", b"\x73\x04"] and offsets == [2, 7] and not damage


def test_other_sources_and_types_are_counted() -> None:
    """Several sources in one stream, one of them with data trace: the packets of ours that are instruction trace."""
    config = Config(**ENCAP, src_bits=5, src_id=9, type_bits=2)
    payloads, sources = PAYLOADS * 4, [9, 3, 9, 31] * 6
    kinds = [0, 0, 1, 1] * 6
    data = to_bytes("".join(written(payloads, [0] * 24, config, sources, kinds)))
    deframer = Deframer(config)
    found = deframer.feed(data) + deframer.finish()
    mine = [p for p, source, kind in zip(payloads, sources, kinds) if source == 9 and kind == 0]
    assert [f.payload for f in found if isinstance(f, Frame)] == mine and len(found) == len(mine)
    assert deframer.others == {3: 6, 31: 6} and deframer.types == {1: 6}


SYNCED = [
    ENCAP | {"framing": framing, "async_freq": 1, "src_bits": bits, "timestamp_bytes": size, "timestamp": int(size > 0)}
    for framing in ("unframed", "framed")
    for bits, size in ((0, 0), (3, 0), (8, 2), (13, 8))
]


@pytest.mark.parametrize("options", SYNCED, ids=lambda o: f"{o['framing']}-{o['src_bits']}-{o['timestamp_bytes']}")
def test_cut_at_any_byte(options: dict[str, Any]) -> None:
    """From any byte on, a receiver finds all packets after the next synchronization sequence, and none before it."""
    config, rng = Config(**options), Random("cut at any byte")
    payloads = [bytes(rng.choice((0, 0, 0x20, 5)) for _ in range(rng.randint(1, 28))) for _ in range(80)]
    payloads = [p[:-1] + b"\x01" for p in payloads]
    data = encapsulate(payloads, [False] * 80, [0] * 80, config)
    whole, offsets, damage = deframe(data, config)
    assert whole == payloads and not damage
    run = 31 + options["timestamp_bytes"] + options["src_bits"] // 8
    begins = [o for o in offsets if o > run and not any(byte & 31 for byte in data[o - run - 1 : o])]
    assert len(begins) > 5
    if options["framing"] == "unframed":
        assert all(data[o - run - 1 : o] == bytes(run) + b"\x80" for o in begins)
    else:
        assert all(data[o - run - 1 : o] == bytes(run + 1) for o in begins)
    for begin in range(0, begins[3]):
        found, places, damage = deframe(data[begin:], config, joined=True)
        first = next(o for o in begins if o - run >= begin)
        assert not damage and places[0] + begin == first and found == payloads[-len(found) :]


def test_intervals() -> None:
    """A sequence before the first packet, and before the next one after 2**(async_freq + 5) bytes of packets."""
    config = Config(**ENCAP, framing="framed", async_freq=1)
    data = encapsulate([b"\x1f"] * 70, [False] * 70, [0] * 70, config)
    one = bytes(32) + b"\x01\x1f" * 32
    assert data == one + one + bytes(32) + b"\x01\x1f" * 6


@pytest.mark.parametrize(
    ("options", "data", "text"),
    [
        ({}, b"\x81\x1f\x01\x1f", "header 0x81 has extend set, and timestamps have no bytes"),
        ({"src_bits": 4, "type_bits": 4}, b"\x01\x1f\x03\0\0\x1f", "header 0x01 has length 1, which leaves no payload"),
        ({}, b"\x01\x1f\x05\x1f", "a packet of 6 bytes is cut off at the end"),
    ],
)
def test_damage(options: dict[str, Any], data: bytes, text: str) -> None:
    _, _, damage = deframe(data, Config(**ENCAP, **options))
    assert (damage[0].text, damage[0].clause) == (text, "ET.enc.header")


@given(shapes(), st.binary(max_size=300), st.booleans(), st.sampled_from(["none", "unframed", "framed"]))
@settings(max_examples=100, deadline=None)
def test_any_bytes(shape: Config, data: bytes, joined: bool, framing: str) -> None:
    """Every byte is taken, whatever it is; what comes out has the size of a payload."""
    config = Config.from_dict(shape.to_dict() | {"framing": framing})
    deframer = Deframer(config, joined)
    found = [f for at in range(0, len(data), 7) for f in deframer.feed(data[at : at + 7])] + deframer.finish()
    for one in found:
        assert isinstance(one, (Frame, Damage)) and 0 <= one.offset < len(data)
        assert isinstance(one, Damage) or 1 <= len(one.payload) <= 31
