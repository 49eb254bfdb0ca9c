# SPDX-License-Identifier: Apache-2.0
"""Testbench of E-Trace, and what of it works in a bench that is not ours (docs/how-to/own-bench.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rvtrace.tb.etrace.own_bench import HartMonitor, Scoreboard, TraceMonitor

__all__ = ["HartMonitor", "Scoreboard", "TraceMonitor"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"{__name__} has no {name}")
    from rvtrace.tb.etrace import own_bench  # loads cocotb: a second for which no command without a simulation waits

    return getattr(own_bench, name)
