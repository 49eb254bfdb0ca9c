# SPDX-License-Identifier: Apache-2.0
"""Who may execute SCTRCLR. Accesses to CSRs: `registers.csr_file(config).outcome` (`rvtrace.models.csr.file`)."""

from __future__ import annotations

from rvtrace.models.csr.file import Gates
from rvtrace.models.ctr.config import Config
from rvtrace.models.ctr.registers import csr_file
from rvtrace.models.riscv.csr import DONE, ILLEGAL, VIRTUAL, VU, U


def clear_outcome(config: Config, gates: Gates, priv: int) -> int:
    """Outcome of SCTRCLR (section Supervisor CTR Clear Instruction); the draft has no such instruction."""
    if config.draft or priv == U:
        return ILLEGAL
    gate = csr_file(config).open_to(gates, "CTR", priv)
    return VIRTUAL if gate == DONE and priv == VU else gate
