# SPDX-License-Identifier: Apache-2.0
"""When messages at which decoding stops are damage at a few places, and when a habit of the device."""

from collections.abc import Sequence

from rvtrace.scoreboards.diagnosis.local import FOLLOWED, MOST_BROKEN, is_damage, stretches

EACH = 10  # messages between two that synchronize, of which every fourth is of another kind
KINDS = ("sync", "jump", "jump", "branches")


def trace(size: int, **other: str) -> tuple[list[tuple[str]], list[int]]:
    """Kinds of messages, one of them another if given (at_7="ownership"), and those that synchronize."""
    kinds = [("sync" if n % EACH == 0 else KINDS[1 + n % 3],) for n in range(size)]
    for place, kind in other.items():
        kinds[int(place.removeprefix("at_"))] = (kind,)
    return kinds, list(range(0, size, EACH))


def damaged(size: int, broken: Sequence[int], **other: str) -> bool:
    kinds, syncs = trace(size, **other)
    return is_damage(kinds, broken, syncs)


def test_stretches_are_counted_between_synchronizing_messages() -> None:
    assert stretches(5, [0, 3]).tolist() == [1, 1, 1, 2, 2, 2]


def test_nothing_broken_is_no_damage() -> None:
    assert not damaged(100, [])


def test_one_broken_message_of_a_kind_that_is_right_elsewhere() -> None:
    assert damaged(100, [55])


def test_the_damaged_message_may_look_like_one_of_any_kind() -> None:
    """A single one that is right nowhere; two of them may be what the device always does."""
    assert damaged(100, [55], at_55="ownership")
    assert not damaged(100, [55, 75], at_55="ownership", at_75="ownership")


def test_many_broken_messages_between_two_synchronizing_ones_are_one_damage() -> None:
    assert damaged(100, [51, 52, 53, 54, 55, 56])


def test_broken_in_more_stretches_than_a_few_bytes_can_damage() -> None:
    most = [EACH * n + 5 for n in range(MOST_BROKEN)]
    assert damaged(200, most)
    assert not damaged(200, [*most, EACH * MOST_BROKEN + 5])


def test_too_little_that_is_right() -> None:
    assert not damaged(FOLLOWED, [15])
    assert not damaged(60, [5, 15, 25, 35])


def test_damage_with_no_synchronizing_message_after_it_needs_much_that_is_right_before() -> None:
    kinds, _ = trace(100)
    assert is_damage(kinds, [90], [0])
    assert not is_damage(kinds, [FOLLOWED - 1], [0])


def test_the_end_of_the_messages() -> None:
    assert damaged(100, [100])
