# SPDX-License-Identifier: Apache-2.0
"""Bits to bytes, for all tests that write a message, a packet or the row of a bench by hand.

Written from the specifications; nothing here reads the tables or the codecs of models.
"""

from collections.abc import Iterable, Sequence


def lsb_first(value: int, width: int) -> str:
    """A field of E-Trace as text: its bits, the least significant, which is sent first, on the left."""
    return "".join(str(value >> bit & 1) for bit in range(width))


def octets(text: str) -> bytes:
    """Bits as text to bytes, the first one sent in bit 0 of the first byte. ValueError unless they fill whole bytes."""
    if len(text) % 8:
        raise ValueError(f"{len(text)} bits are no whole bytes")
    return bytes(int(text[at : at + 8][::-1], 2) for at in range(0, len(text), 8))


def mdo_message(fields: Iterable[Sequence[int]]) -> bytes:
    """A message of N-Trace (3.1). fields: the MDO groups, as they are sent, up to the end of each field of variable
    length. MSEO is 0, at the end of such a field 1, at the end of the message 3.
    """
    every = list(fields)
    data = bytearray()
    for number, groups in enumerate(every):
        data += bytes(group << 2 for group in groups)
        data[-1] |= 3 if number == len(every) - 1 else 1
    return bytes(data)


def mdo_groups(value: int, count: int = 0) -> list[int]:
    """A value of N-Trace in groups of 6 bits, the least significant first: `count` of them, or as few as hold it."""
    return [value >> 6 * place & 0x3F for place in range(count or max(1, -(-value.bit_length() // 6)))]


def vector(*fields: tuple[int, int]) -> int:
    """The fields (value, width) as one vector of SystemVerilog, most significant first."""
    row = 0
    for value, width in fields:
        assert value >> width == 0, f"{value:#x} does not fit {width} bits"
        row = row << width | value
    return row
