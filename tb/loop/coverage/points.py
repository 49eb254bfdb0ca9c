# SPDX-License-Identifier: Apache-2.0
"""The coverage points of the loop: which kinds of overflow the blocks went through together."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from rvtrace.jobs.coverage import Counts, Definition, Point
from rvtrace.models.riscv.csr import HS, U

if TYPE_CHECKING:
    from rvtrace.scoreboards.common.verdict import Verdict
    from rvtrace.scoreboards.loop.capture import LoopCapture

XLENS, DEPTHS = ("RV32", "RV64"), ("16", "32")
MODES = {U: "user", HS: "kernel"}
HISTORIES = ("fewer than entries", "more than entries")
POINTS = (
    Point(
        "overflow_cg",
        "overflows by XLEN, and the mode that LCOFI interrupted",
        "the trap and the filters differ",
        (XLENS, tuple(MODES.values())),
        ("xlen", "mode"),
    ),
    Point(
        "filter_cg",
        "counters that overflowed, by what they count and where",
        "each selector and each inhibit bit",
        (
            ("branches", "misses"),
            ("all", "user", "kernel"),
        ),
        (
            "event",
            "filter",
        ),
    ),  # fmt: skip
    Point(
        "many_cg",
        "counters that overflowed before the handler stopped them",
        "one interrupt for two counters",
        (("one", "two"),),
        ("counters",),
    ),
    Point(
        "width_cg", "widths of the counter that overflowed", "an overflow is at the width", (("64", "less"),), ("bits",)
    ),
    Point(
        "records_cg",
        "records that were read frozen, by depth and how many transfers had retired",
        "entries that wrapped, and entries of before",
        (DEPTHS, HISTORIES),
        ("depth", "transfers"),
    ),  # fmt: skip
    Point(
        "slots_cg",
        "transfers in the cycle in which LCOFI was seen",
        "what retires beside the interrupt is recorded",
        (("none", "one", "more"),),
        ("transfers",),
    ),
)
LOOP = Definition("loop", POINTS)


def sample(capture: LoopCapture, verdict: Verdict) -> Counts:
    """The stamped counts of one run: ready for result.json, and for `LOOP.merge` with those of other runs."""
    config, hits = capture.config, {point.name: Counter[str]() for point in POINTS}
    rows, begin = capture.ctr.rows, int(capture.rows.cycle[capture.rows.op != 7].min()) if capture.rows.accesses else 0
    at = {int(cycle): k for k, cycle in enumerate(rows.cycle)}
    for sample in capture.samples:
        over = [counter for counter in sample.counters if counter.index in sample.overflown]
        trap = at.get(sample.seen + begin + 1)
        if trap is not None and int(rows.priv[trap]) in MODES:
            hits["overflow_cg"][f"RV{config.xlen} x {MODES[int(rows.priv[trap])]}"] += 1
        for counter in over:
            hits["filter_cg"][f"{'branches' if counter.selector == 5 else 'misses'} x {counter.filter}"] += 1
            hits["width_cg"]["64" if counter.width == 64 else "less"] += 1
        if over:
            hits["many_cg"]["one" if len(over) == 1 else "two"] += 1
        hits["records_cg"][f"{config.depth} x {HISTORIES[len(sample.history) > config.depth]}"] += 1
        row = at.get(sample.seen + begin)
        retired = int((rows.type[row] != 0).sum()) if row is not None else 0
        hits["slots_cg"][("none", "one", "more")[min(retired, 2)]] += 1
    return LOOP.stamped({name: dict(counts) for name, counts in hits.items()})
