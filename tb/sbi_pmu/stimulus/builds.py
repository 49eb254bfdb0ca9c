# SPDX-License-Identifier: Apache-2.0
"""The systems that are simulated: implementations of the counter block, most of them from the bench of that block, with
the platform made of each.

`DEFAULT` has everything, `RV32` odd widths and holes, `GUEST` wide events and holes, `BARE` is RV32 without the counter
extensions: mhpmevent has 32 bits, nothing interrupts. `SAMPLED` are harts with control transfer records,
which are separate builds.
"""

from __future__ import annotations

from typing import Any

from rvtrace.tb.hpm.stimulus import builds as hpm_builds

DEFAULT: dict[str, Any] = {}
RV32: dict[str, Any] = {**hpm_builds.RV32, "firmware": (1, 35, 64)}
GUEST: dict[str, Any] = {**hpm_builds.GUEST, "gap": 70, "firmware": (0, 1, 5), "firmware_width": 40}
BARE: dict[str, Any] = {
    "xlen": 32,
    "retired": 2,
    "counters": "3+4+5+6",
    "has_h": 0,
    "has_sscofpmf": 0,
    "has_smcntrpmf": 0,
    "has_shlcofideleg": 0,
    "firmware": (20,),
    "sbi": 20,
}
_EIGHT = {"records": 16, "retired": 8, "counters": "3+4+5+6+7+8+9+10"}
SAMPLED: tuple[dict[str, Any], ...] = (_EIGHT, {**_EIGHT, "xlen": 32, "transfers": 1, "widths": "40"})
BUILDS: dict[str, dict[str, Any]] = {"default": DEFAULT, "rv32": RV32, "guest": GUEST, "bare": BARE}
