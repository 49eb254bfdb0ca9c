# SPDX-License-Identifier: Apache-2.0
"""Two sequences of which one lacks elements, has more or has wrong ones are aligned by the shortest explanation."""

from random import Random

import numpy as np
import pytest

from rvtrace.scoreboards.tandem.alignment import align

_RANDOM = Random("1:alignment")
NUMBERS = [_RANDOM.getrandbits(32) for _ in range(60)]


def aligned(told: list[int]) -> tuple[list[tuple[int, int]], list, list, list]:
    found = align(np.array(NUMBERS), np.array(told), np.array(NUMBERS) & 7, np.array(told) & 7)
    return [tuple(pair) for pair in found.pairs.tolist()], found.missing, found.extra, found.swapped


def test_equal() -> None:
    assert aligned(NUMBERS) == ([(n, n) for n in range(60)], [], [], [])


@pytest.mark.parametrize("count", (1, 2, 7))
@pytest.mark.parametrize("at", (0, 20))
def test_missing_and_extra(at: int, count: int) -> None:
    pairs, missing, extra, _ = aligned(NUMBERS[:at] + NUMBERS[at + count :])
    assert missing == [(at, count, at)] and not extra and (at + count, at) in pairs and len(pairs) == 60 - count
    pairs, missing, extra, _ = aligned(NUMBERS[:at] + list(range(count)) + NUMBERS[at:])
    assert extra == [(at, count, at)] and not missing and len(pairs) == 60


def test_missing_at_the_end() -> None:
    assert aligned(NUMBERS[:50])[1] == [(50, 10, 50)]


def test_wrong_and_swapped() -> None:
    pairs, *others = aligned([*NUMBERS[:9], 5, *NUMBERS[10:]])
    assert (9, 9) in pairs and len(pairs) == 60 and others == [[], [], []]
    pairs, missing, extra, swapped = aligned([*NUMBERS[:9], NUMBERS[10], NUMBERS[9], *NUMBERS[11:]])
    assert swapped == [(9, 9)] and not missing and not extra and len(pairs) == 58


def test_what_is_new_after_a_gap_may_differ() -> None:
    told = [*NUMBERS[:9], NUMBERS[10] ^ 8, *NUMBERS[11:]]
    assert aligned(told)[1] == [(9, 1, 9)]
