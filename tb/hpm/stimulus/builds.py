# SPDX-License-Identifier: Apache-2.0
"""The implementations that are simulated, few so that little is built: each serves scenarios, random seeds and
programs.

`DEFAULT` has everything, `RV32` everything but in odd sizes and with holes, `PLAIN` is a supervisor's machine without H
and counter extensions, `USER` one without S, `GUEST` has H but no Shlcofideleg, wide events and holes. `LACKING` are
small ones for directed scenarios, each without one extension whose neighbours are there: H, Sscofpmf, Smcntrpmf.
"""

from __future__ import annotations

from typing import Any

DEFAULT: dict[str, Any] = {}
RV32: dict[str, Any] = {
    "xlen": 32,
    "retired": 2,
    "events": 5,
    "event_bits": 1,
    "counters": "3+4+5+6+7+8+9+12+20+31",
    "inhibit": 0xFFFF_FF7F,
    "widths": "64,3:1,4:8,5:31,6:32,7:33,8:40,12:63,20:16",
    "selectors": "all,8:0x8,20:0x57",
}
PLAIN: dict[str, Any] = {
    "retired": 1,
    "events": 1,
    "event_bits": 1,
    "counters": "3+4",
    "inhibit": 1,
    "has_h": 0,
    "has_sscofpmf": 0,
    "has_smcntrpmf": 0,
    "has_shlcofideleg": 0,
}
USER: dict[str, Any] = {
    "xlen": 32,
    "retired": 1,
    "events": 3,
    "counters": "3+4+5",
    "widths": "40,5:48",
    "has_s": 0,
    "has_h": 0,
    "has_shlcofideleg": 0,
}
GUEST: dict[str, Any] = {
    "retired": 8,
    "events": 61,
    "event_bits": 8,
    "counters": "3+4+10+11+12+13+30",
    "widths": "64,3:1,4:9,10:32,11:48,12:2,30:63",
    "has_shlcofideleg": 0,
    "selectors": "all,30:0x2000000000000018",
}
_FEW: dict[str, Any] = {"retired": 2, "events": 3, "counters": "3+4+5", "widths": "64,4:40"}
LACKING: tuple[dict[str, Any], ...] = (
    {**_FEW, "has_h": 0, "has_shlcofideleg": 0},
    {**_FEW, "xlen": 32, "has_sscofpmf": 0, "has_shlcofideleg": 0},
    {**_FEW, "has_smcntrpmf": 0},
)
BUILDS: dict[str, dict[str, Any]] = {"default": DEFAULT, "rv32": RV32, "plain": PLAIN, "user": USER, "guest": GUEST}
