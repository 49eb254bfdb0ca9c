# SPDX-License-Identifier: Apache-2.0
"""The pattern that the encoder model finds in a full HIST (docs/reference/ntrace-profile.md, Pattern)."""

from __future__ import annotations

import pytest

from rvtrace.models.ntrace.encoder.output import pattern


@pytest.mark.parametrize(
    "hist, held, rest",
    [
        (0b1_11111, 0b1_11111, 0b1),
        (0b1_01010, 0b1_0101, 0b1_0),
        (0b1_11011, 0b1_11011, 0b1),  # period 3 would be more than half
        (0b1_00101, 0b1_00101, 0b1),
        (0b1_110110, 0b1_110110, 0b1),
        (0b1_1101101, 0b1_110110, 0b1_1),
        (0b1_100, 0b1_100, 0b1),
        (0b1_000, 0b1_000, 0b1),
    ],
)
def test_pattern(hist: int, held: int, rest: int) -> None:
    assert pattern(hist) == (held, rest)
