# SPDX-License-Identifier: Apache-2.0
"""The implementations of the tandem-trace encoder that are simulated, few so that little is built.

`BUILDS` serve scenarios, programs and random seeds. `DEFAULT` is RV64 with what a hart traces at first. `RV32` has Sv32
addresses of 34 bits, two lanes, every incremental form and implied ends. `LEAN` has none of these, no f registers and
leaves parts out. `DUAL` is RV64 with two lanes, every incremental form, and data in responses that report a failure.

`DRAWN` are those and five more, used in turn by random seeds and all together by a few scenarios. Among the nine each
two values of MLEN, lanes, incremental and implied end come together, every width of f registers is there on RV32 and on
RV64, and every part is left out once.
"""

from __future__ import annotations

from typing import Any

Build = dict[str, Any]

DEFAULT: Build = {}
RV32: Build = {"xlen": 32, "mlen": 34, "flen": 64, "lanes": 2, "incremental": 2, "implied_end": 1}
LEAN: Build = {"xlen": 32, "mlen": 32, "flen": 0, "incremental": 0, "absent": "ppc,eaddr,mtime,minstret,response"}
DUAL: Build = {"flen": 32, "lanes": 2, "incremental": 2, "response_data_on_failure": 1}
BUILDS: dict[str, Build] = {"default": DEFAULT, "rv32": RV32, "lean": LEAN, "dual": DUAL}
DRAWN: dict[str, Build] = {
    **BUILDS,
    "no_flow": {"flen": 0, "lanes": 2, "incremental": 0, "implied_end": 1, "absent": "pc,gpr,priv"},
    "no_memory": {"xlen": 32, "mlen": 34, "incremental": 0, "absent": "paddr,memdata,request"},
    "no_insn": {"xlen": 32, "mlen": 34, "lanes": 2, "implied_end": 1, "absent": "insn,csr"},
    "small_f": {"xlen": 32, "mlen": 32, "flen": 32, "lanes": 2},
    "no_mcycle": {
        "xlen": 32,
        "mlen": 32,
        "incremental": 2,
        "implied_end": 1,
        "absent": "mcycle",
        "response_data_on_failure": 1,
    },
}
