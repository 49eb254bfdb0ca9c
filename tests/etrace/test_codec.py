# SPDX-License-Identifier: Apache-2.0
"""Packing and unpacking: any packet of any configuration against `layouts`, shortest payloads, and bytes that are no
packet.
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rvtrace.models.etrace.codec import PacketError, compress, is_shortest, pack, unpack
from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.table import MAX_PAYLOAD, Packet
from tests.common.packers import lsb_first
from tests.etrace.layouts import cut, payload
from tests.etrace.strategies import configs, packets


@settings(max_examples=400)
@given(st.data())
def test_any_packet(data: st.DataObject) -> None:
    """Every layout: the bytes are those of the specification's tables, and give the packet back."""
    config = data.draw(configs())
    packet = data.draw(packets(config))
    made = pack(packet, config)
    assert made == payload(packet.name, packet.values, config, config.options)
    assert unpack(made, config) == packet
    assert is_shortest(made)
    assert len(made) <= config.longest_payload <= MAX_PAYLOAD


@settings(max_examples=150)
@given(st.data())
def test_longer_payloads(data: st.DataObject) -> None:
    """Compression of the whole packet is not required: any sign extension up to its full bytes is the same packet."""
    config = data.draw(configs())
    packet = data.draw(packets(config))
    made = pack(packet, config)
    longer = made + bytes([0xFF * (made[-1] >> 7)]) * data.draw(st.integers(0, MAX_PAYLOAD))
    try:
        assert unpack(longer, config) == packet
    except PacketError:
        assert len(longer) > len(made)
        if len(longer) <= MAX_PAYLOAD:
            with pytest.raises(PacketError):  # longer than its fields: one byte more does not help
                unpack(longer + longer[-1:], config)
    else:
        assert is_shortest(longer) == (longer == made)


@settings(max_examples=400)
@given(st.data(), st.binary(max_size=MAX_PAYLOAD + 3))
def test_hostile_bytes(data: st.DataObject, hostile: bytes) -> None:
    """Any bytes are a packet or a PacketError; a packet is again the same when its bytes are cut to the shortest."""
    config = data.draw(configs())
    try:
        packet = unpack(hostile, config)
    except PacketError:
        return
    assert str(packet).startswith(packet.name)
    if not packet.get("irreport") and packet.get("irdepth") is not None:
        return  # an irdepth that should repeat the bit before it: shown as it is, and never packed so
    again = pack(packet, config)
    assert again == hostile[: len(again)]
    assert set(hostile[len(again) :]) <= {0xFF * (again[-1] >> 7)}


@settings(max_examples=150)
@given(st.data())
def test_damaged_packets(data: st.DataObject) -> None:
    """One bit flipped or the end lost: still a packet or a PacketError, nothing else."""
    config = data.draw(configs())
    made = bytearray(pack(data.draw(packets(config)), config))
    at = data.draw(st.integers(0, 8 * len(made) - 1))
    made[at // 8] ^= 1 << at % 8
    for some in (bytes(made), bytes(made[: data.draw(st.integers(0, len(made)))])):
        try:
            assert isinstance(unpack(some, config), Packet)
        except PacketError as error:
            assert str(error)


@given(st.integers(1, 248), st.data())
def test_compression(length: int, data: st.DataObject) -> None:
    """The fewest whole bytes that sign-extend to the payload, at least one."""
    value = data.draw(st.integers(0, (1 << length) - 1) | st.sampled_from((0, (1 << length) - 1, 1 << length - 1)))
    made = compress(value, length)
    assert made == cut(lsb_first(value, length))
    assert int.from_bytes(made, "little", signed=True) & (1 << length) - 1 == value


@pytest.mark.parametrize(
    "data, reason",
    [
        (b"", "0 bytes"),
        (bytes(32), "32 bytes"),
        (b"\x00", "format 0"),  # branch_prediction is off
        (b"\x04", "format 0"),  # jump_target_cache is off
        (b"\x0f" + bytes(2), "hold more than"),  # support: 4 + 1 + 1 + 2 + 6 + 2 bits are 2 bytes
    ],
)
def test_no_packet(data: bytes, reason: str) -> None:
    with pytest.raises(PacketError, match=reason):
        unpack(data, Config())


def test_bits_after_the_last_field_are_its_sign() -> None:
    """Support of the draft with 9 options ends in bit 16: the other seven bits of its byte repeat it."""
    config = Config(variant="draft_0_026", return_stack_size_p=0, bcount_bits=16, ioptions_n=9)
    assert unpack(b"\x0f\x00\xff", config).get("ioptions") == 0x100
    with pytest.raises(PacketError, match="must be its sign"):
        unpack(b"\x0f\x00\x01", config)


def test_values_that_do_not_fit() -> None:
    """Nothing is cut silently."""
    with pytest.raises(ValueError, match=r"context.privilege=9 does not fit its 3 bits"):
        pack(Packet("context", {"format": 3, "subformat": 2, "privilege": 9, "context": 0}), Config())
