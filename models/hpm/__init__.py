# SPDX-License-Identifier: Apache-2.0
"""Hardware performance counters (privileged specification with Sscofpmf, Smcntrpmf and Shlcofideleg): configuration,
register table and reference model.

    from rvtrace.models.hpm import Config, Counts, Hpm, Rows, answered

    config = Config(counters=0xFF8)                # mhpmcounter3 to 11, besides mcycle and minstret
    model = Hpm(config)                            # one block: `cycle` takes the events of a cycle and a CSR access
    answered(rows, config).rdata                   # uint64 [rows]: what the model answers to each CSR access

`csrs(config)`, `csr(name, config)`: the register table. `Rows`: one element for each cycle with events or an access.
`Counts`: the events of a cycle. ConfigError, ControlError (no such register) and RowsError are ValueErrors about the
arguments. A refused CSR access raises nothing: its answer has an outcome. What the specification leaves open is in
docs/reference/hpm-profile.md.
"""

from rvtrace.models.common.port_rows import RowsError
from rvtrace.models.csr.table import ControlError, Csr
from rvtrace.models.hpm.config import Config, ConfigError
from rvtrace.models.hpm.events import Counts
from rvtrace.models.hpm.model import Hpm, State
from rvtrace.models.hpm.registers import csr, csrs
from rvtrace.models.hpm.rows import Rows, answered

__all__ = [
    "Config",
    "ConfigError",
    "ControlError",
    "Counts",
    "Csr",
    "Hpm",
    "Rows",
    "RowsError",
    "State",
    "answered",
    "csr",
    "csrs",
]
