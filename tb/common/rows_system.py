# SPDX-License-Identifier: Apache-2.0
"""What the systems share whose runs are rows of cycles: blocks with CSRs that send no trace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from rvtrace.jobs.arguments import ArgumentError
from rvtrace.jobs.system import System


class RowsSystem(System):
    """A block whose ports are recorded cycle by cycle. summed: counts of the stats that one line of a result shows."""

    summed: ClassVar[tuple[str, ...]]

    def capture(self, config: Any, program: Any, data: bytes, beats: Any, retired: Any, rerun: str) -> Any:
        """There is no trace: flow/captured/<ip>.py checks what was on the ports."""
        raise ArgumentError(
            f"{self.title} sends no trace; `make check IP={self.ip} OUT=<folder of make capture>` checks what was on"
            " its ports"
        )

    def summary(self, result: Mapping[str, Any]) -> str:
        """Its counts."""
        stats = result.get("stats", {})
        return "  ".join(f"{int(stats.get(name, 0)):>7} {name}" for name in self.summed)
