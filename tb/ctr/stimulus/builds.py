# SPDX-License-Identifier: Apache-2.0
"""The implementations that are simulated, few so that little is built: each serves scenarios, random seeds and
programs.

`DEFAULT` has everything of v1_0, `DRAFT64` and `DRAFT32` are the draft's with and without hypervisor and `h` registers,
`LEAN` has only what v1_0 requires, `CC0` and `CC2` differ in how cycles are counted.
"""

from __future__ import annotations

from typing import Any

DEFAULT: dict[str, Any] = {}
DRAFT64: dict[str, Any] = {"variant": "v0_1_4", "transfers": 2}
DRAFT32: dict[str, Any] = {"variant": "v0_1_4", "xlen": 32, "transfers": 1, "depths": (16, 32, 64), "has_h": 0}
LEAN: dict[str, Any] = {
    "xlen": 32,
    "transfers": 1,
    "depths": (16, 64),
    "fields": 0,
    "has_misp": 0,
    "has_type": 0,
    "has_cc": 0,
    "cce_bits": 0,
    "has_stateen": 0,
}
CC2: dict[str, Any] = {"transfers": 3, "cce_bits": 2, "ras_policy": 2}
CC0: dict[str, Any] = {"transfers": 1, "cce_bits": 0, "ras_policy": 1, "depths": (16, 32)}
BUILDS: dict[str, dict[str, Any]] = {
    "default": DEFAULT,
    "draft64": DRAFT64,
    "draft32": DRAFT32,
    "lean": LEAN,
    "cc2": CC2,
    "cc0": CC0,
}
