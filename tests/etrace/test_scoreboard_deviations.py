# SPDX-License-Identifier: Apache-2.0
"""A device with a bug in its packer: the first finding names the bug, and the rest of the trace is judged.

`python -m tests.etrace.deviant_runs` measures all deviations, alone and several at once.
"""

import pytest

from tests.etrace.deviant_runs import FIRST, MUCH, deviant_run, judgement

ALONE = (
    "stray_byte_before", "address_bytes", "reference_kept", "map_inverted", "branches_one_more",
    "privilege_before_branch", "full_address_unreported", "ioptions_reversed",
)  # fmt: skip


@pytest.mark.parametrize("name", ALONE)
def test_the_first_finding_names_it(name: str) -> None:
    run = deviant_run(7, [name], 800)
    found = judgement(run)
    assert run.differs and found.named(1), [f.headline for f in found.causes[:3]]
    assert found.share > MUCH


@pytest.mark.parametrize(
    "seed, names",
    [
        (9, ["map_at_top", "formats_1_2"]),
        (7, ["branches_one_more", "privilege_before_branch", "map_at_top"]),
    ],
)
def test_several_are_all_named(seed: int, names: list[str]) -> None:
    run = deviant_run(seed, names, 700)
    found = judgement(run)
    assert found.named(FIRST), [f.headline for f in found.causes[:FIRST]]
    assert found.share > MUCH


def test_damage_at_one_place_is_no_deviation_of_the_device() -> None:
    """One packet with a stray byte: a finding at its place, and decoding goes on at the next synchronization packet."""
    run = deviant_run(7, [], 800)
    place = next(i for i, p in enumerate(run.encoded.packets) if p.name in ("branch_map", "address") and i > 5)
    run.sent[place] = bytes([0x2A]) + run.sent[place]
    found = judgement(run)
    assert found.causes and found.causes[0].at is not None and found.causes[0].at >= place
    assert 0 < found.share < 1
