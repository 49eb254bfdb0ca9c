# SPDX-License-Identifier: Apache-2.0
"""The decoder's inner loops: from item to item, and registers that are reported by what is added to them.

One source for two modes: Python runs it as it is, and Numba compiles it (`rvtrace.models.common.native`). It therefore
works on columns of integers alone, lists or arrays. All else of the decoder is the same for all items of a buffer at
once.
"""

from __future__ import annotations

from typing import Any

TYPES = {
    "lengths": ("uint8",),
    "starts": ("int64",),
    # Of each item its opcode, register and value, and whether it says something; of each register its value, what is
    # known of it, and its bits; then the items without a base
    "m": ("int64", "int64", "int64", "int64", "int64", "int64", "int64", "int64"),
}
REGISTER, ADD, OR = 4, 5, 6
UNKNOWN, KNOWN, MISSED = range(3)  # missed: an increment without a base was reported


def chain(lengths: Any, starts: Any, count: int, at: int) -> int:
    """Follow items from this offset to the first that has no length; where they begin goes into `starts` from number
    `count` on. Returns how many there are then. After all lengths there is a 0.
    """
    length = lengths[at]
    while length:
        starts[count] = at
        count += 1
        at += length
        length = lengths[at]
    return count


def follow(m: tuple[Any, ...], first: int, last: int, missing: int) -> int:
    """Full values of some items, in order; how many have been without a base, each register once."""
    codes, registers, values, valid, current, known, masks, without = m
    for i in range(first, last):
        register, value = registers[i], values[i]
        if codes[i] != REGISTER:
            if known[register] != KNOWN:
                valid[i] = 0
                if known[register] != MISSED:
                    known[register] = MISSED
                    without[missing] = i
                    missing += 1
                continue
            if codes[i] == OR:
                value |= current[register]
            else:
                value = current[register] + value - (value >> 7 << 8) & masks[register]
            values[i] = value
        current[register], known[register] = value, KNOWN
    return missing
