# SPDX-License-Identifier: Apache-2.0
"""The SBI PMU extension (SBI 3.0, chapter Performance Monitoring Unit, EID 0x504D55): configuration, tables, reference
model and records.

    from rvtrace.models.hpm import Hpm
    from rvtrace.models.sbi_pmu import Config, HpmBackend, SbiPmu

    config = Config()
    pmu = SbiPmu(config.platform, HpmBackend(Hpm(config.hpm)), config.policies)
    pmu.call(0).value                              # counter_num_counters: an SbiRet with error and value

`SbiPmu(platform, backend, policy)`: the implementation of one hart on any `Backend` that reads and writes CSRs and
memory. `Platform`: counters, events and versions; `Policy`: the choices where the chapter is open, by name
(docs/reference/sbi-pmu.md). `FUNCTIONS`, `ERRORS`: the tables. `Record`: the calls of a run and their answers,
`Record.load(path)` and `record.save(path)` as JSON lines, compressed if the path ends in .xz. ConfigError,
PlatformError, PolicyError and RecordError are ValueErrors about the arguments. A refused call raises nothing: its
SbiRet has the error.
"""

from rvtrace.models.sbi_pmu.answers import SbiRet
from rvtrace.models.sbi_pmu.backend import Backend
from rvtrace.models.sbi_pmu.backend_hpm import HpmBackend
from rvtrace.models.sbi_pmu.calls import Call
from rvtrace.models.sbi_pmu.config import Config, ConfigError
from rvtrace.models.sbi_pmu.platform import Platform, PlatformError
from rvtrace.models.sbi_pmu.pmu import SbiPmu
from rvtrace.models.sbi_pmu.policy import Policy, PolicyError
from rvtrace.models.sbi_pmu.record import Record, RecordError
from rvtrace.models.sbi_pmu.tables import ERRORS, FUNCTIONS

__all__ = [
    "Backend",
    "Call",
    "Config",
    "ConfigError",
    "ERRORS",
    "FUNCTIONS",
    "HpmBackend",
    "Platform",
    "PlatformError",
    "Policy",
    "PolicyError",
    "Record",
    "RecordError",
    "SbiPmu",
    "SbiRet",
]
