# SPDX-License-Identifier: Apache-2.0
"""Control transfer records: Smctr/Ssctr and its draft."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from rvtrace.models.ctr.config import Config
from rvtrace.scoreboards.common.foreign import Foreign
from rvtrace.scoreboards.common.judge import RowsJudge
from rvtrace.scoreboards.ctr.tolerances import Tolerances

if TYPE_CHECKING:
    from rvtrace.scoreboards.common.verdict import Verdict
    from rvtrace.scoreboards.ctr.capture import CtrCapture

MODES = ("M", "S", "U")

FOREIGN = Foreign(
    first={"xlen": [64], "transfers": 4, "depths": [16, 32, 64, 128, 256]},
    examples=(
        'rd_en = "csr_valid_i && csr_op_i < 4"      test_mode = 0      xfer = "{xfer_valid_i[0], xfer_type_i[3:0]}"',
        'csr_rdata_o = "answer[65:2]"   csr_outcome_o = "answer[1:0]"',
    ),
    others=("depth", "ctl", "vsctl"),
    ports={"xlen32": "csr_xlen32_i"},
    freed={"CTR.csr.reset": ("reset_zero", False)},
)


class CtrJudge(RowsJudge):
    """The control transfer records block."""

    ip, title, config, tolerances = "ctr", "CTR", Config, Tolerances
    foreign = FOREIGN
    left = ("program.elf", "config.json", "retired.csv", "entries.json", "entries.txt", "rows.npz")
    more_words: ClassVar[dict[str, str]] = {
        "DEPTHS": "option depths, numbers of entries that are supported, default 16,32,64,128,256"
    }
    counted = "transfers"
    summed = ("transfers", "recorded", "accesses")

    def options(self, given: Mapping[str, str]) -> dict[str, str]:
        """The options among the words; a program whose CTL= is not given is recorded in every mode."""
        found = super().options(given)
        if "CTL" not in given and (given.get("PROGRAM") or given.get("SOURCE", "").startswith("program:")):
            kind = Config.from_dict(found)
            found["ctl"] = f"{sum(kind.bit(name) & kind.fields for name in MODES):#x}"
        return found

    def described(self, config: Config) -> str:
        """Variant, width, depth."""
        return f"{config.variant} RV{config.xlen} {config.depth} entries"

    def check(self, capture: CtrCapture, tolerances: Tolerances | None = None) -> Verdict:
        """Every read value and every outcome."""
        from rvtrace.scoreboards.ctr.check import check

        return check(capture, tolerances)


JUDGE = CtrJudge()
