# SPDX-License-Identifier: Apache-2.0
"""A captured tandem trace: judged by replaying the program, since its state is known from a hart reset on."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rvtrace.models.riscv.program import Program
from rvtrace.models.tandem.config import Config
from rvtrace.scoreboards.common.captured import Captured, unfit
from rvtrace.scoreboards.common.judge import CaptureError

REPLAYED = "TV.verify.groups"


class CapturedTandem(Captured):
    """Groups of items."""

    memory = (120, 12)
    compared = "ports"
    replayed = True
    by_byte = True
    pace = 4

    def variant(self, config: Config) -> str:
        """Its widths."""
        return f"RV{config.xlen}"

    def whole_part(self, trace: Path, capture: Any) -> tuple[Any, str]:
        """There is none."""
        raise CaptureError(
            "PARTIAL=1 is not for tandem traces, whose state is known from a hart reset on; omit it, and give PC= if pc"
            " and registers are known"
        )

    def not_run(self, clauses: Mapping[str, Any]) -> dict[str, str]:
        """Verification, of a trace that begins in the middle."""
        from rvtrace.scoreboards.tandem.alone import MIDDLE

        return {} if REPLAYED in clauses else {"verify": MIDDLE}

    def problem(self, names: tuple[str, str], program: Program, decoded: Any, size: int) -> str:
        """From how many of its instructions the program does not have."""
        from rvtrace.scoreboards.tandem.alone import other_code

        other, of = other_code(program, decoded)
        if not of:
            return (
                f"{names[0]} has no instruction with a known address; capture it from a hart reset on, or check CONFIG="
            )
        return unfit(names, other, of)


CAPTURED = CapturedTandem()
