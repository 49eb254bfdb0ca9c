# SPDX-License-Identifier: Apache-2.0
"""Hardware performance counters: mcycle, minstret, mhpmcounter3 to 31, with Sscofpmf, Smcntrpmf and Shlcofideleg."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rvtrace.models.hpm.config import Config
from rvtrace.scoreboards.common.foreign import Foreign
from rvtrace.scoreboards.common.judge import RowsJudge
from rvtrace.scoreboards.hpm.tolerances import Tolerances

if TYPE_CHECKING:
    from rvtrace.scoreboards.common.verdict import Verdict
    from rvtrace.scoreboards.hpm.capture import HpmCapture

FOREIGN = Foreign(
    first={"xlen": [64], "retired": 4, "counters": "3+4+5+6", "widths": 64},
    examples=(
        'rd_en = "csr_valid_i && csr_op_i < 4"      test_mode = 0      counted = "{events_i, retired_i}"',
        'csr_rdata_o = "answer[65:2]"   csr_outcome_o = "answer[1:0]"   counter_o = 0',
    ),
    ports={"xlen32": "csr_xlen32_i", "csr_priv": "csr_priv_i", "priv": "priv_i"},
    freed={"HPM.reset.zero": ("reset_zero", False)},
    unshown=(
        "shown",
        "no look at a counter distinguished it; with counter_o, of_o and lcofi_o mapped, [profile] shown = true looks"
        " at them in each row",
    ),
)


class HpmJudge(RowsJudge):
    """The counter block."""

    ip, title, config, tolerances = "hpm", "HPM counters", Config, Tolerances
    foreign = FOREIGN
    left = ("program.elf", "config.json", "retired.csv", "counters.json", "counters.txt", "rows.npz", "state.npz")
    more_words: ClassVar[dict[str, str]] = {
        "COUNTERS": "option counters, which of mhpmcounter3 to 31 exist: a mask, or numbers joined by + (default all)",
        "WIDTHS": "option widths, bits of the counters: one for all, then number:bits for some, default 64",
        "SELECTORS": (
            "option selectors, what the counters can count: one mask for all, then number:mask for some, default all"
        ),
    }
    counted = "cycles"
    summed = ("cycles", "accesses", "overflows")

    def described(self, config: Config) -> str:
        """Width, modes, how many counters."""
        modes = "".join(
            name for name, there in (("M", 1), ("S", config.has_s), ("U", config.has_u), ("H", config.has_h)) if there
        )
        return f"RV{config.xlen} {modes} {config.counters.bit_count()} counters"

    def check(self, capture: HpmCapture, tolerances: Tolerances | None = None) -> Verdict:
        """Every counter in every cycle, every read value, every outcome."""
        from rvtrace.scoreboards.hpm.check import check

        return check(capture, tolerances)


JUDGE = HpmJudge()
