# SPDX-License-Identifier: Apache-2.0
"""Runs a program on a core without trace sources, and says what its tandem verification found."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rvtrace.flow.cores.builds import alone
from rvtrace.flow.cores.description import Core, CoreError
from rvtrace.flow.cores.programs import LIMIT, Chosen
from rvtrace.flow.cores.verify import Verified, verify
from rvtrace.flow.simulation import build, run
from rvtrace.tb.common.job import Job
from rvtrace.tb.cores.agents.files import MEMORY, Run, read_rvfi, write_memory


@dataclass
class Recorded:
    """A run whose RVFI was recorded. folder: with its files. seconds: of the simulator. verified: the verdict."""

    folder: Path
    seconds: float
    verified: Verified


def prepare(chosen: Chosen, out: Path, limit: int = LIMIT) -> Run:
    """Write what the bench reads in the folder of the simulator."""
    out.mkdir(parents=True, exist_ok=True)
    ran = Run(chosen.program.entry, chosen.halt, limit)
    ran.save(out)
    write_memory(out / MEMORY, [*chosen.program.segments, *chosen.program.data])
    return ran


def recorded(core: Core, chosen: Chosen, out: Path, limit: int = LIMIT, sim: str = "verilator") -> Recorded:
    """Build, run and verify; CoreError if the program does not come to its end, RvfiError if RVFI breaks its rules."""
    config, design = alone(core)
    made = build(config, sim, design)
    prepare(chosen, out, limit)
    (result,) = run(made, [Job(f"{core.name}-{chosen.name}", f"program:{chosen.name}", ip="subsystem")], out)
    if result["verdict"] != "PASS":
        raise CoreError(f"{core.name}: {result['error']}")
    rows, traps = read_rvfi(out)
    return Recorded(out, result["stats"]["seconds"]["simulator"], verify(core, chosen, rows, traps))
