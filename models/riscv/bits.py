# SPDX-License-Identifier: Apache-2.0
"""Immediates of instructions: pieces of the encoding put together, and two's complement."""

from __future__ import annotations


def gather(raw: int, *pieces: tuple[int, int, int]) -> int:
    """The number made of pieces of another one: (lowest bit there, width, lowest bit of the result)."""
    return sum((raw >> source & (1 << width) - 1) << to for source, width, to in pieces)


def signed(value: int, bits: int) -> int:
    """The number that these bits of two's complement mean."""
    return value - (1 << bits) if value >> (bits - 1) else value
