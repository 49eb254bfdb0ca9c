# SPDX-License-Identifier: Apache-2.0
"""What a wrong value looks like: which simple mistake of a device makes it of the right one."""

from __future__ import annotations


def resemblance(wanted: int, told: int, width: int) -> str:
    """In words to be added to a sentence, with a comma; "" if nothing simple explains it. width: bits of the field."""
    mask = (1 << width) - 1
    for size in (width, 32, 16):
        if max(wanted, told) < 1 << size and told == int.from_bytes(wanted.to_bytes(size // 8, "little"), "big"):
            return f", its {size // 8} bytes in reverse order"
    for bits in (8, 12, 16, 20, 24, 32, 40, 48, 56):
        if bits >= width or wanted == told:
            continue
        low = wanted & (1 << bits) - 1
        if told == low:
            return f", cut to {bits} bits"
        if told == low | mask & ~((1 << bits) - 1) and wanted != mask:
            return f", extended with ones from bit {bits} on"
    if bin(wanted ^ told).count("1") == 1:
        return f", in bit {(wanted ^ told).bit_length() - 1} alone"
    for shift in (1, 2, 3, 4, 8):
        if told == wanted << shift & mask:
            return f", shifted left by {shift}"
        if told == wanted >> shift:
            return f", shifted right by {shift}"
    if told == ~wanted & mask:
        return ", inverted"
    step = told - wanted
    return f", {abs(step)} {'more' if step > 0 else 'less'}" if abs(step) <= 256 else ""
