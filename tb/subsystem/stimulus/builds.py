# SPDX-License-Identifier: Apache-2.0
"""The builds of the subsystem that are simulated, few so that little is built: each serves programs, scenarios and
random seeds.

`DEFAULT` is RV64 with one instruction a cycle. `RV32` retires two, with every incremental form of the tandem trace.
`DUAL` and `LEAN` are the other way round; random seeds run on all four.
"""

from __future__ import annotations

from typing import Any

DEFAULT: dict[str, Any] = {}
RV32: dict[str, Any] = {"xlen": 32, "retire": 2, "incremental": 2}
DUAL: dict[str, Any] = {"retire": 2, "incremental": 2}
LEAN: dict[str, Any] = {"xlen": 32, "incremental": 0}
BUILDS: dict[str, dict[str, Any]] = {"default": DEFAULT, "rv32": RV32, "dual": DUAL, "lean": LEAN}
