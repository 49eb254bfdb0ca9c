# SPDX-License-Identifier: Apache-2.0
"""The packers of the tests against bytes and rows that the specifications print; a wrong one would hide a bug."""

import pytest

from tests.common.packers import lsb_first, mdo_groups, mdo_message, octets, vector


def test_packet_of_e_trace() -> None:
    """Format 3, subformat 3, ienable, 20 bits of 0: 1f 00 00 (the first field in the low bits)."""
    assert octets(lsb_first(3, 2) + lsb_first(3, 2) + lsb_first(1, 1) + lsb_first(0, 19)).hex() == "1f0000"
    assert lsb_first(0b0110, 4) == "0110" and lsb_first(1, 4) == "1000"
    with pytest.raises(ValueError, match="7 bits are no whole bytes"):
        octets("1010101")


def test_message_of_n_trace() -> None:
    """Table 24: IndirectBranchHist with B-TYPE 0 and I-CNT 0x7D, U-ADDR 7, HIST 0xFFE is 70 d0 1d 1d f8 ff."""
    head = [28, *mdo_groups(0x7D << 2)]  # TCODE; B-TYPE has two bits, I-CNT follows it in the same groups
    assert mdo_message([head, mdo_groups(7), mdo_groups(0xFFE)]).hex() == "70d01d1df8ff"
    assert mdo_groups(0) == [0] and mdo_groups(0x41, 3) == [1, 1, 0]


def test_vector() -> None:
    assert vector((1, 1), (0, 3), (0xA, 4)) == 0x8A
    with pytest.raises(AssertionError, match="0x10 does not fit 4 bits"):
        vector((16, 4))
