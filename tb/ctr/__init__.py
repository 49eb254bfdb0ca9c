# SPDX-License-Identifier: Apache-2.0
"""Testbench of control transfer records (Smctr/Ssctr);
what of it works in a bench that is not ours: docs/how-to/own-bench.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rvtrace.tb.ctr.own_bench import PortsMonitor, Scoreboard

__all__ = ["PortsMonitor", "Scoreboard"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"{__name__} has no {name}")
    from rvtrace.tb.ctr import own_bench  # loads cocotb: a second for which no command without a simulation waits

    return getattr(own_bench, name)
