# SPDX-License-Identifier: Apache-2.0
"""Control transfer records (Smctr/Ssctr 1.0, and the draft 0.1.4): configuration, register table, records and reference
model.

    from rvtrace.models.ctr import Config, Ctr, Rows, Transfers, answered

    config = Config(depths=(16, 32), ctl=7)
    model = Ctr(config)                            # one block: `cycle` takes transfers and a CSR access, `entry(n)` is
    a logical entry rows = Rows.of_transfers(Transfers.of_retired(retired, program, slots=4), slots=4) answered(rows,
    config).rdata                   # uint64 [rows]: what the model answers to each CSR access

`csrs(config)`, `csr(name, config)`: the register table; `entries(config)`: the three registers of an entry (chapters
CSRs, Entry Registers). `Rows`: one element for each cycle with a transfer or an access; `Transfers`: columns, one
element for each control transfer. `Record.of_registers(ctrsource, ctrtarget, ctrdata)`: an entry as software reads it.
ConfigError, ControlError (no such register), RowsError and TransfersError are ValueErrors about the arguments. A
refused CSR access raises nothing: its answer has an outcome. What the specification leaves open is in
docs/reference/ctr-profile.md.
"""

from rvtrace.models.common.port_rows import RowsError
from rvtrace.models.csr.table import ControlError, Csr
from rvtrace.models.ctr.config import Config, ConfigError
from rvtrace.models.ctr.model import Ctr, State
from rvtrace.models.ctr.records import Record, Transfer
from rvtrace.models.ctr.registers import csr, csrs, entries
from rvtrace.models.ctr.rows import Rows, answered
from rvtrace.models.ctr.transfers import Transfers, TransfersError

__all__ = [
    "Config",
    "ConfigError",
    "ControlError",
    "Csr",
    "Ctr",
    "Record",
    "Rows",
    "RowsError",
    "State",
    "Transfer",
    "Transfers",
    "TransfersError",
    "answered",
    "csr",
    "csrs",
    "entries",
]
