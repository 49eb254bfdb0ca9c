# SPDX-License-Identifier: Apache-2.0
"""What software reads of the counters when a program has ended, and what a recorded program counts.

Events, by selector: 3 loads and stores (references of the cache), 4 those that missed, 5 branches, 6 those that were
predicted wrong, 7 traps, 8 jumps and taken branches, 9 calls, 10 returns. An implementation with fewer events has the
first of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rvtrace.models.hpm.config import Config
from rvtrace.models.hpm.events import CYCLES, RETIRED
from rvtrace.models.hpm.registers import OF_BIT, SELECT_MASK, csr, csrs
from rvtrace.models.hpm.rows import NO_ACCESS, Rows

EVENTS = (
    "loads and stores",
    "cache misses",
    "branches",
    "branches predicted wrong",
    "traps",
    "jumps and taken branches",
    "calls",
    "returns",
)


def counter(n: int) -> str:
    """Name of counter n for M-mode."""
    return {0: "mcycle", 2: "minstret"}.get(n, f"mhpmcounter{n}")


def filters(n: int) -> str:
    """Name of the register with the filters of counter n."""
    return {0: "mcyclecfg", 2: "minstretcfg"}.get(n, f"mhpmevent{n}")


def registers(config: Config) -> Iterator[str]:
    """What is read at the end of a run: each counter, and what it counts; at XLEN 32 a high half first."""
    there = {c.name for c in csrs(config)}
    for n in (n for n in range(32) if config.has(n)):
        for name in (counter(n), filters(n)):
            if config.xlen == 32 and f"{name}h" in there:
                yield f"{name}h"
            if name in there:
                yield name


def counters_read(rows: Rows, config: Config) -> list[dict[str, Any]]:
    """What the last accesses of a run read, which are those of `registers`: number, CSR, width, selector, value and OF
    of each counter.
    """
    asked = [csr(name, config) for name in registers(config)]
    values: dict[str, int] = {}
    for found, value in zip(asked, rows.rdata[rows.op != NO_ACCESS][-len(asked) :].tolist()):
        values[found.state] = values.get(found.state, 0) | value << (32 if found.high else 0)
    fixed = {0: CYCLES, 2: RETIRED}
    return [
        {
            "n": n,
            "csr": counter(n),
            "width": config.widths[n],
            "selector": fixed.get(n, config.selector(values.get(filters(n), 0) & SELECT_MASK) or 0),
            "filters": values.get(filters(n), 0) >> 58 & 31,
            "value": values[counter(n)],
            "of": values.get(filters(n), 0) >> OF_BIT & 1,
        }
        for n in range(32)
        if config.has(n)
    ]
