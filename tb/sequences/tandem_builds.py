"""The implementations of the tandem-trace encoder that are simulated, few so that little is built: each serves scenarios, random seeds and programs.

`DEFAULT` is RV64 with what a hart traces at first. `RV32` has Sv32 addresses of 34 bits, two lanes, every incremental form and implied ends. `LEAN` has none of
these, no f registers and leaves parts out. `DUAL` is RV64 with two lanes, every incremental form, and data in responses that tell a failure.
"""

from __future__ import annotations

from typing import Any

DEFAULT: dict[str, Any] = {}
RV32: dict[str, Any] = {"xlen": 32, "mlen": 34, "flen": 64, "lanes": 2, "incremental": 2, "implied_end": 1}
LEAN: dict[str, Any] = {"xlen": 32, "mlen": 32, "flen": 0, "incremental": 0, "absent": "ppc,eaddr,mtime,minstret,response"}
DUAL: dict[str, Any] = {"flen": 32, "lanes": 2, "incremental": 2, "response_data_on_failure": 1}
BUILDS: dict[str, dict[str, Any]] = {"default": DEFAULT, "rv32": RV32, "lean": LEAN, "dual": DUAL}
