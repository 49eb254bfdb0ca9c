"""How the CTR points are counted, from what the monitors saw and the scoreboard's follower made of it.

Names of points and bins are those of `tb.coverage.ctr_points`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tb.coverage.model import Counts
from tb.coverage.tally import Tally

if TYPE_CHECKING:
    from scoreboards.ctr_capture import CtrCapture
    from scoreboards.ctr_follow import Follower


def observe(capture: CtrCapture, follower: Follower) -> Counts:
    """Counts of all points of one run, not yet stamped."""
    tally, config = Tally(), capture.config
    tally.one("run_cg", config.variant, f"RV{config.xlen}", f"{config.transfers} a cycle")
    return tally.counts
