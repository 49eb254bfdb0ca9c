"""The coverage points of CTR: what a run must have met before its PASS means much.

Each point says what a bin is and why an empty one matters. How the bins are counted stands in `tb.coverage.ctr_sampling`; the
names here are the only ones it may count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from models.ctr.config import VARIANTS
from tb.coverage.model import Counts, Definition, Point

if TYPE_CHECKING:
    from scoreboards.ctr_capture import CtrCapture
    from scoreboards.verdict import Verdict

XLENS = ("RV32", "RV64")

POINTS = (
    Point("run_cg", "the implementations run", "an implementation that never ran is not checked, whatever its clauses say",
          (VARIANTS, XLENS, tuple(f"{n} a cycle" for n in range(1, 5))), ("variant", "xlen", "transfers")),
)  # fmt: skip
CTR = Definition("ctr", POINTS)


def sample(capture: CtrCapture, verdict: Verdict) -> Counts:
    """The stamped counts of one run: ready for result.json, and for `CTR.merge` with those of other runs."""
    from tb.coverage.ctr_sampling import observe

    return CTR.stamped(observe(capture, verdict.encoded))
