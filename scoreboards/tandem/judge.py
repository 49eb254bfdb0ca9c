# SPDX-License-Identifier: Apache-2.0
"""Tandem trace: everything that an instruction changes, for a verifier that runs beside the hart."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from rvtrace.models.tandem.config import Config
from rvtrace.scoreboards.common.foreign import Foreign
from rvtrace.scoreboards.common.judge import Judge
from rvtrace.scoreboards.tandem.tolerances import Tolerances

if TYPE_CHECKING:
    from rvtrace.scoreboards.common.verdict import Verdict
    from rvtrace.scoreboards.tandem.capture import TandemCapture

FOREIGN = Foreign(
    first={"xlen": [64], "flen": 64, "incremental": 1},
    examples=(
        'reported = "in_valid_i && |in_has_i"      stalled = "!out_ready_i"      test_mode = 0      '
        'bus = "{in_pc_i, in_insn_i}"',
        'in_ready_o = "!stall"   out_data_o = "beat[255:0]"   error_o = 0',
    ),
    pulses=("in_valid_i",),
    freed={"TV-4": ("bytes", "any"), "TV-6": ("bytes", "any"), "TV-7": ("interrupt_instruction", True)},
)


class TandemJudge(Judge):
    """The tandem-trace encoder."""

    ip, title, config, tolerances = "tandem", "Tandem trace", Config, Tolerances
    foreign = FOREIGN
    forms = ("xlen", "mlen")
    leaves_rows = True
    port = "instructions"
    left = (*Judge.left, "rows.npz")
    more_words: ClassVar[dict[str, str]] = {
        "ABSENT": "option absent, parts that are not traced, joined by commas (models/tandem/table.py), default none"
    }

    def described(self, config: Config) -> str:
        """Width, lanes, forms, what is left out."""
        forms = ("full values", "pc and fcsr by steps", "all by steps")[config.incremental]
        return (
            f"RV{config.xlen} {config.lanes} lane{'s'[: config.lanes - 1]},"
            f" {forms}{', without ' + '+'.join(config.absent) if config.absent else ''}"
        )

    def capture(self, config: Config, program: Any, data: bytes, beats: Any, retired: Any, rerun: str) -> TandemCapture:
        """One of files."""
        from rvtrace.scoreboards.tandem.capture import TandemCapture

        return TandemCapture(config, None, data, exact=False, rerun=rerun, program=program, retired=retired)

    def legible(self, data: bytes, config: Config | None = None) -> float:
        """The share of items that can be read."""
        import numpy as np

        from rvtrace.models.tandem.decoder.scan import PAD, Scanner

        scan = Scanner(config or Config()).scan(np.frombuffer(data + bytes(PAD), np.uint8), final=True)
        return float(scan.lengths.sum()) / len(data)

    def check(self, capture: TandemCapture, tolerances: Tolerances | None = None) -> Verdict:
        """Exact, lossless, legal, and programs through the verifier."""
        from rvtrace.scoreboards.tandem.check import check

        return check(capture, tolerances)

    def summary(self, result: Mapping[str, Any]) -> str:
        """What a run did."""
        stats = result.get("stats", {})
        instructions = int(stats.get("instructions", 0))
        each = f"{stats.get('bytes', 0) / instructions:6.2f} bytes/insn" if instructions else ""
        return (
            f"{int(stats.get('groups', 0)):>8} groups {instructions:>8} insns {int(stats.get('bytes', 0)):>8} bytes "
            f" {each}"
        )


JUDGE = TandemJudge()
