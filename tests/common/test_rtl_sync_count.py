# SPDX-License-Identifier: Apache-2.0
"""trace_sync_count: each unit is counted in its mode, a sync clears the count, and a long one stays long."""

from random import Random

from tests.common.packers import vector
from tests.common.unit_bench import play

BITS, LONGEST = 20, 1 << 19  # of the count; the longest interval, 2**(15 + 4)


def test_counts(tmp_path):
    """Below the longest interval the sum; from there on the count never shows less than it."""
    rng = Random("1:tests/rtl/sync_count")
    edges = [0, 1, LONGEST - 300, LONGEST - 1, LONGEST, LONGEST + 5, (1 << BITS) - 200, (1 << BITS) - 1]
    rows, given = [], []
    for _ in range(4000):
        mode, clear, messages, halfwords = rng.randrange(4), rng.randrange(2), rng.randrange(16), rng.randrange(256)
        cycles, count = rng.choice([0, 1, 1, rng.randrange(1 << 12)]), rng.choice([*edges, rng.getrandbits(BITS)])
        rows.append(vector((mode, 2), (clear, 1), (messages, 4), (cycles, BITS), (halfwords, 8), (count, BITS)))
        given.append(((0, messages, cycles, halfwords)[mode], clear, count))
    got = play("bench_sync_count", ["common/trace_pkg.sv", "common/trace_sync_count.sv"], {}, rows, tmp_path)
    for (step, clear, count), line in zip(given, map(int, got), strict=True):
        if clear or count < LONGEST:
            assert line == (0 if clear else count) + step
        else:
            assert line >= LONGEST
    assert sum(not clear and count >= LONGEST and count + step >= 1 << BITS for step, clear, count in given) > 100
