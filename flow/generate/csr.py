# SPDX-License-Identifier: Apache-2.0
"""The RTL package of the CSRs that any group may need (`models/csr/standard.py`); `python -m rvtrace.flow.generate`
writes it.
"""

from __future__ import annotations

from rvtrace.flow.generate.registers import address
from rvtrace.flow.generate.source import Source
from rvtrace.models.csr.file import Indirect
from rvtrace.models.csr.standard import CSRIND_BIT, indirect_csrs, state_enables


def _package() -> list[str]:
    """Text of `csr_reg_pkg.sv`: addresses, and the bit of the state enables that closes the ireg aliases."""
    aliases = [csr for csr in indirect_csrs(64, "", Indirect(range(0), ())) if csr.ireg in (0, 1)]
    return [
        "",
        "  // Smcsrind/Sscsrind: iselect, and the first of its six ireg aliases.",
        *map(address, sorted(aliases, key=lambda csr: csr.address)),
        "",
        "  // Smstateen.",
        *map(address, state_enables(64, {})),
        f"  localparam int CsrindBit = {CSRIND_BIT};",
    ]


SOURCE = Source(
    "models/csr/standard.py",
    "rtl/common/csr_reg_pkg.sv",
    "CSRs that any group may need: addresses of state enables, iselects and ireg aliases.",
    _package,
)
