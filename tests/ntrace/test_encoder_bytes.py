# SPDX-License-Identifier: Apache-2.0
"""The encoder model's bytes: SRC (3.2, NT-17), TSTAMP, extended addresses (8.2) and vendor-defined messages (6.1)."""

import pytest

from rvtrace.models.ntrace.encoder.encode import EncoderError
from tests.ntrace.encoder_stream import OFF, RESET, encode, explained, jump, linear, plain, row

FIRST = linear(0x100, 2)  # ProgTraceSync SYNC=5 I-CNT=0 F-ADDR=0x80


@pytest.mark.parametrize(
    "config, expected",
    [
        ({}, "24 15 00 0b"),  # 001001, 0 0101 (I-CNT, SYNC), 000000, 000010
        ({"src_bits": 4, "src_id": 5}, "24 54 05 00 0b"),  # 001001, SYNC low 01 and SRC 0101, I-CNT 0 and SYNC high 01
        ({"src_bits": 4, "src_id": 0}, "24 40 05 00 0b"),  # the field is there although it is 0
        ({"src_bits": 4, "src_id": 5, "inhibit_src": 1}, "24 15 00 0b"),
        ({"src_bits": 12, "src_id": 0x841}, "24 04 84 15 00 0b"),  # 000001, 100001, then as without SRC
        ({"timestamp": 1}, "24 15 00 09 07"),  # F-ADDR ends with MSEO=01, the time is 1
    ],
)
def test_first_message(config: dict, expected: str) -> None:
    assert encode([row(FIRST)], **config).data.hex(" ") == expected


def test_source_of_every_message() -> None:
    trace = encode([row(jump(0x100, 2)), row(linear(0x200, 2)), row(levels=OFF, vendor=61)], src_bits=3, src_id=6)
    assert [(m.name, m.src) for m in trace.messages] == [
        ("ProgTraceSync", 6), ("IndirectBranch", 6), ("ProgTraceCorrelation", 6), ("Vendor61", 6),
    ]  # fmt: skip


def test_inhibited_source() -> None:
    assert encode([row(FIRST)], src_bits=3, src_id=6, inhibit_src=1).messages[0].src == 0


# The F-ADDR examples of 8.2.1; the field after a SYNC and I-CNT of 0x24 0x15 (SYNC=5, I-CNT=0)
EXTENDED = [
    (0xFFFF_FFFE_3FFF_FFFE, "fc fc fc fc 7c f3"),  # 111111 four times, 011111, 111100: top bit 1 is extended
    (0xBFFF_FFFF_FFFF_FFFE, "fc fc fc fc fc fc fc fc fc fc 17"),  # ten times 111111, 000101: all 63 bits
    (0x3F_FFFF_FFFE, "fc fc fc fc fc fc 07"),  # 37 ones: a group of 000001 ends them
    (0x1F_FFFF_FFFE, "fc fc fc fc fc fc 03"),  # 36 ones: 000000 keeps the last group from being extended
    (0xFFFF_FFFF_8000_31F4, "e8 8c 04 00 00 ff"),  # 8.2: ...11 11 000000 000000 000001 100011 111010
    (0x100, "00 0b"),
    (0, "03"),
    (0xFFFF_FFFF_FFFF_FFFE, "ff"),
]


@pytest.mark.parametrize("address, expected", EXTENDED)
def test_extended_addresses(address: int, expected: str) -> None:
    trace = encode([row(linear(address, 2))], extend_addr_msb=1)
    assert trace.data.hex(" ") == f"24 15 {expected}"


def test_kernel_address_without_the_option() -> None:
    """8.2: a field of 63 bits, 11 bytes."""
    assert len(encode([row(linear(0xFFFF_FFFF_8000_31F4, 2))]).data) == 2 + 11


def test_extension_on_rv32() -> None:
    """Bit 31 is the top: 0x80000000 is all but its last ones."""
    assert encode([row(linear(0xFFFF_FF00, 2))], xlen=32, extend_addr_msb=1).data.hex(" ") == "24 15 00 fb"


def test_extension_is_before_the_xor() -> None:
    """U-ADDR between kernel and user is a field of ones; between two kernel addresses it is short either way."""
    rows = [row(jump(0x100, 2)), row(jump(0xFFFF_FFFF_FFFF_F000, 2)), row(linear(0xFFFF_FFFF_FFFF_F100, 2))]
    trace = encode(rows, extend_addr_msb=1)
    assert plain(trace)[1:] == [("IndirectBranch", 0, 2, 0x7FFF_FFFF_FFFF_F880), ("IndirectBranch", 0, 2, 0x80)]
    # TCODE 4; I-CNT 2 and B-TYPE 0; then ...1000 1000 0000 in groups: 000000, 100010 whose top bit is extended
    assert [chunk.hex(" ") for chunk in trace.packed[1:]] == ["10 21 00 8b", "10 21 00 0b"]


VENDOR = ("NT.6.1.vendor", "Vendor60", 0x1234_5678)


@pytest.mark.parametrize("levels", [OFF, (1, 1, 0), (1, 1, 1), (1, 0, 0, 1, 1)])
def test_vendor_passes_while_enabled(levels: tuple) -> None:
    """TCODE 60 = 111100, then DATA: 111000 011001 000101 001101 010010."""
    trace = encode([row(levels=levels, vendor=60, vendor_data=0x1234_5678)])
    assert explained(trace) == [VENDOR]
    assert trace.data.hex(" ") == "f0 e0 64 14 34 4b"


def test_vendor_while_disabled() -> None:
    assert plain(encode([row(levels=RESET, vendor=60, vendor_data=1)])) == []


def test_vendor_is_last_in_its_beat() -> None:
    rows = [row(FIRST, vendor=56, vendor_data=1), row(levels=OFF, vendor=62, vendor_data=2)]
    assert plain(encode(rows)) == [
        ("ProgTraceSync", 5, 0, 0x80), ("Vendor56", 1), ("ProgTraceCorrelation", 4, 1, 2, 1), ("Vendor62", 2),
    ]  # fmt: skip


def test_vendor_is_no_message_of_the_sync_counter() -> None:
    """Every 16 messages: sixteen of the vendor's bring no sync."""
    rows = [row(FIRST), *[row(vendor=56)] * 16, row(linear(0x104, 2))]
    assert len(encode(rows, inst_sync_mode=1).messages) == 17


def test_strange_vendor_tcode() -> None:
    with pytest.raises(EncoderError, match="56 to 62"):
        encode([row(vendor=9)])
