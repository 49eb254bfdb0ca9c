# SPDX-License-Identifier: Apache-2.0
"""Coverage of the counters, counted by settings and as bits: the same as counted cell by cell."""

from collections import Counter
from random import Random

import numpy as np
import pytest

from rvtrace.models.hpm.config import Config
from rvtrace.scoreboards.hpm.check import check
from rvtrace.tb.common.coverage.tally import Tally
from rvtrace.tb.hpm.coverage import points as p
from rvtrace.tb.hpm.coverage.sampling import sample
from rvtrace.tb.hpm.stimulus.builds import DEFAULT, RV32
from rvtrace.tb.hpm.stimulus.random_rows import Mix
from tests.hpm.devices import captured


@pytest.mark.parametrize("options", [DEFAULT, RV32])
def test_cells_are_counted_as_one_by_one(options: dict) -> None:
    config = Config.from_dict(options)
    capture = captured(Mix(config, Random(11)).play(900).rows(), config)
    verdict = check(capture)
    counts = sample(capture, verdict)
    flags: Counter[str] = Counter()
    amounts: Counter[str] = Counter()
    happened = 0
    for c, o in verdict.encoded.cells():
        rows, columns, values = c.of_written
        written = {
            (i, j): "1 written" if v else "0 written" for i, j, v in zip(*(x.tolist() for x in (rows, columns, values)))
        }
        for i, j in np.ndindex(o.of_before.shape):
            names = (
                f"OF {int(o.of_before[i, j])}",
                written.get((i, j), "not written"),
                ("no overflow", "overflow")[int(o.over[i, j])],
            )
            flags[" x ".join(names)] += 1
        for i, j in np.ndindex(c.raw.shape):
            off = (c.inhibit[i, j] or c.filtered[i, j]) if c.steps.stop[i] else c.inhibit[i, j] and c.filtered[i, j]
            happened += bool(c.raw[i, j]) and not off
            added = int(c.counted[i, j])
            if added and c.written[i] != j and c.selected[i, j] >= 2:
                index = sum(added >= limit for limit in (2, 3, 4, 8, 255))
                amounts[f"{p.AMOUNTS[index]} x {'events' if c.selected[i, j] > 2 else 'instructions'}"] += 1
    assert dict(flags) == counts.get("of_cg", {}) if config.has_sscofpmf else "of_cg" not in counts
    assert sum(counts["mode_cg"].values()) == happened > 0
    assert dict(amounts) == counts["amount_cg"]


def test_hits_weigh_the_elements() -> None:
    one, many = Tally(), Tally()
    one.array("x", (("a", "b"), np.array([0, 1, 1, -1, 1])), (("c", "d"), np.array([0, 1, 1, 0, 0])))
    axes = (("a", "b"), np.array([0, 1, -1, 1])), (("c", "d"), np.array([0, 1, 0, 0]))
    many.array("x", *axes, hits=np.array([1, 2, 5, 1]))
    assert one.counts == many.counts == {"x": {"a x c": 1, "b x d": 2, "b x c": 1}}
