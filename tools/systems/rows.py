"""What the systems share whose runs are rows of cycles: blocks with CSRs that send no trace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from tools.arguments import ArgumentError
from tools.systems.base import System


class RowsSystem(System):
    """A block whose ports are recorded cycle by cycle. summed: the counts of a result's stats that a line of it shows."""

    summed: ClassVar[tuple[str, ...]]

    def capture(self, config: Any, program: Any, data: bytes, beats: Any, retired: Any, rerun: str) -> Any:
        """There is no trace: see `own_check`."""
        raise ArgumentError(f"{self.title} sends no trace; `make check IP={self.ip} OUT=<folder of make capture>` checks what was on its ports")

    def story(self, given: Mapping[str, str]) -> Any:
        """There is none."""
        raise ArgumentError(f"SOURCE={given['SOURCE']}: {self.title} is no part of the trace system; give SOURCE=program:<name>, scenario:<name> or random")

    def summary(self, result: Mapping[str, Any]) -> str:
        """Its counts."""
        stats = result.get("stats", {})
        return "  ".join(f"{int(stats.get(name, 0)):>7} {name}" for name in self.summed)
