# SPDX-License-Identifier: Apache-2.0
"""The jump target cache where the specification leaves it open: as declared, or as found in the trace, which the
verdict says; a cache that fits no reading fails.
"""

import random
from dataclasses import replace

import pytest

from rvtrace.scoreboards.common.verdict import Verdict
from rvtrace.scoreboards.diagnosis import budget
from rvtrace.scoreboards.etrace.capture import EtraceCapture
from rvtrace.scoreboards.etrace.check import check
from tests.etrace.legal_encoder import LegalEncoder
from tests.etrace.walks import walk

READINGS = [(0, "keep", "clear"), (6, "fill", "fill")]  # of walks in which they differ from what our encoder does


class KeptOverSync(LegalEncoder):
    """A synchronization packet invalidates nothing: "The cache entries are all invalidated"."""

    def reset(self) -> None:
        kept = getattr(self, "cache", {})
        super().reset()
        self.cache = kept


def verdict(seed: int, returns: str, syncs: str, *, declared: bool, kind: type[LegalEncoder] = LegalEncoder) -> Verdict:
    """Of an encoder with such a cache, which its description says or not."""
    what = walk(seed, filter="", bcount_bits=16, variant="v2_0", jump_target_cache=1, cache_size_p=3, f0s_width_p=1)
    encoder = kind(what.config, random.Random(seed))
    encoder.cache_returns, encoder.cache_syncs, encoder.habits.index = returns, syncs, 1
    config = replace(what.config, cache_returns=returns, cache_syncs=syncs) if declared else what.config
    capture = EtraceCapture(config, what.program, encoder.encode(what.retired), given=what.retired, exact=False)
    with budget.limited(0):
        return check(capture)


@pytest.mark.parametrize(("seed", "returns", "syncs"), READINGS)
def test_as_declared(seed: int, returns: str, syncs: str) -> None:
    found = verdict(seed, returns, syncs, declared=True)
    assert found.passed and not found.notes and found.read is None


@pytest.mark.parametrize(("seed", "returns", "syncs"), READINGS)
def test_as_found(seed: int, returns: str, syncs: str) -> None:
    """The verdict says which reading it was."""
    found = verdict(seed, returns, syncs, declared=False)
    assert found.passed and found.read is not None
    assert (found.read.config.cache_returns, found.read.config.cache_syncs) == (returns, syncs)
    assert f"CACHE_RETURNS={returns}" in found.notes[0] and f"CACHE_SYNCS={syncs}" in found.notes[0]


@pytest.mark.parametrize("seed", [0, 6])
def test_a_cache_that_fits_no_reading_fails(seed: int) -> None:
    assert not verdict(seed, "fill", "clear", declared=False, kind=KeptOverSync).passed
