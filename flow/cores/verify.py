# SPDX-License-Identifier: Apache-2.0
"""Tandem verification of a core from its recorded RVFI, offline.

RVFI becomes a retire stream (models/riscv/rvfi.py), that the rows of a tandem trace, and the verifier replays these on
the instruction set simulator that the core's description asks for.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rvtrace.flow.cores.description import Core
from rvtrace.flow.cores.programs import Chosen
from rvtrace.flow.cores.sections import sections
from rvtrace.models.riscv.iss.csr import ALL
from rvtrace.models.riscv.iss.hart import Hart
from rvtrace.models.riscv.recording import Recording
from rvtrace.models.riscv.retired import Retired
from rvtrace.models.riscv.rvfi import RvfiError, retired_of, until
from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.decoder.decoded import Decoded
from rvtrace.models.tandem.encoder.from_retired import from_recording
from rvtrace.models.tandem.simulator.interface import Reference
from rvtrace.models.tandem.simulator.unicorn_cpu import UnicornError, UnicornSimulator
from rvtrace.models.tandem.trace_data import Rows, TraceData
from rvtrace.models.tandem.verifier.profile import Profile
from rvtrace.models.tandem.verifier.verdict import Report
from rvtrace.models.tandem.verifier.verify import Verifier

CONFIG = Config(xlen=32, flen=0)


@dataclass
class Verified:
    """retired: what the core retired. report: of the verifier. seconds: of CPU time, of reading RVFI, of the trace
    between, and of the verifier.
    """

    retired: Retired
    report: Report
    seconds: dict[str, float]

    @property
    def speed(self) -> float:
        """Instructions a second of CPU time, everything included."""
        return self.report.instructions / max(sum(self.seconds.values()), 1e-9)

    def to_dict(self) -> dict[str, Any]:
        """For result.json."""
        report = self.report
        return {
            "instructions": report.instructions, "matched": report.matched, "mismatches": len(report.findings),
            "text": str(report), "seconds": self.seconds, "speed": self.speed,
        }  # fmt: skip


def verify(core: Core, chosen: Chosen, rows: np.ndarray, traps: np.ndarray, stop_after: int | None = 100) -> Verified:
    """Judge what a core retired; RvfiError if its RVFI breaks its rules. stop_after: findings that end it."""
    begin = time.process_time()
    retired = retired_of(rows, traps, chosen.program)
    read = time.process_time()
    decoded = sections(tandem_rows(core, chosen, retired))
    made = time.process_time()
    report = _replayed(core, chosen, decoded, None, stop_after)
    if report.findings:  # who is at fault is a question for two simulators
        report = _replayed(core, chosen, decoded, _second(core), stop_after)
    end = time.process_time()
    return Verified(retired, report, {"rvfi": read - begin, "trace": made - read, "verifier": end - made})


def _replayed(
    core: Core, chosen: Chosen, decoded: Decoded, second: UnicornSimulator | None, stop_after: int | None
) -> Report:
    profile = Profile.of(CONFIG, core.hart)
    known = {**profile.nondeterministic, **dict.fromkeys(core.counters, ALL)}  # compared by flow/cores/counters.py
    profile = replace(profile, nondeterministic=known)
    verifier = Verifier(Reference(Hart(core.hart)), profile, second, None, chosen.program)
    verifier.load([*chosen.program.segments, *chosen.program.data])
    verifier.stop_after = stop_after
    return verifier.run(decoded)


def _second(core: Core) -> UnicornSimulator | None:
    try:
        return UnicornSimulator(core.hart)
    except UnicornError:
        return None


def verify_all_good(
    core: Core, chosen: Chosen, rows: np.ndarray, traps: np.ndarray, stop_after: int | None = 100
) -> tuple[Verified | None, RvfiError | None]:
    """(the judgement of the rows before the first that breaks the rules of RVFI, or None; what breaks them, or None).

    A core that goes astray soon breaks these rules as well: the cause is what it did before.
    """
    broken = None
    while True:
        try:
            return verify(core, chosen, rows, traps, stop_after), broken
        except RvfiError as error:
            broken = error
            if not 0 < error.row < len(rows):
                return None, broken
            rows, traps = until(rows, traps, error.row)


def tandem_rows(core: Core, chosen: Chosen, retired: Retired) -> Rows:
    """The rows of the tandem trace: reset, the CSRs that the core has after reset, then what it did."""
    recording = Recording(
        chosen.name, core.hart.xlen, chosen.path, chosen.program, retired, np.zeros(32, np.uint64)
    )  # every register is 0 after reset
    rows = from_recording(recording, load=False)
    addresses: dict[str, int] = {name: at for at, name in Hart(core.hart).table.names.items()}
    values: list[Any] = [TraceData(init=True, csr=((addresses[name], value),)) for name, value in core.reset.items()]
    return Rows.concat([rows.select(slice(0, 1)), Rows.from_rows(values), rows.select(slice(1, None))])
