# SPDX-License-Identifier: Apache-2.0
"""Register tables: fields, registers, CSRs; the CSR file with its rules of access; a model of it.

    from rvtrace.models.csr import Csr, CsrFile, CsrModel, row

    control = Csr(0x5C0, "scontrol", "control", "Example", (row("ON", "0", "WARL", "it runs"),), width=64, level="S")
    model = CsrModel(CsrFile(64, (control,)))

A view (`state` names another register) and a register behind an iselect (`Indirect`) are rows of the same table.
ControlError: a register or field that does not exist.
"""

from rvtrace.models.csr.file import CsrFile, Gates, Indirect, joined
from rvtrace.models.csr.model import CsrModel
from rvtrace.models.csr.table import Case, ControlError, Csr, Field, Legal, Register, bits, fixed, flag, one_of, row

__all__ = [
    "Case",
    "ControlError",
    "Csr",
    "CsrFile",
    "CsrModel",
    "Field",
    "Gates",
    "Indirect",
    "Legal",
    "Register",
    "bits",
    "fixed",
    "flag",
    "joined",
    "one_of",
    "row",
]
