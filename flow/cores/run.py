# SPDX-License-Identifier: Apache-2.0
"""Runs a program on a core without trace sources, and says what its tandem verification found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rvtrace.flow.cores.builds import alone
from rvtrace.flow.cores.builds import live as live_build
from rvtrace.flow.cores.description import Core, CoreError
from rvtrace.flow.cores.programs import LIMIT, Chosen
from rvtrace.flow.cores.verify import Verified, verify
from rvtrace.flow.simulation import build, run
from rvtrace.models.riscv.recording import DIRECTORY
from rvtrace.models.subsystem.config import Config
from rvtrace.tb.common.arguments import typed
from rvtrace.tb.common.job import Job
from rvtrace.tb.cores.agents.files import MEMORY, Run, read_rvfi, write_memory

TEST = "tb/cores/env.py"


@dataclass
class Recorded:
    """A run whose RVFI was recorded. folder: with its files. seconds: of the simulator. verified: the verdict."""

    folder: Path
    seconds: float
    verified: Verified


def rerun(core: Core, chosen: Chosen, more: str = "") -> str:
    """The command that repeats a run."""
    named = chosen.name if chosen.path.is_relative_to(DIRECTORY) else str(chosen.path)
    return typed("make core", {"CORE": core.name, "PROGRAM": named}) + more


def live(core: Core, chosen: Chosen, out: Path, options: Mapping[str, Any], limit: int = LIMIT) -> dict[str, Any]:
    """Build and run with all trace sources, everything checked; the result, with `verified` beside it."""
    settings = Config.from_dict({"xlen": 32, "retire": 1, **options})
    config, design = live_build(core, settings)
    made = build(config, "verilator", design)
    prepare(core, chosen, out, limit)
    job = Job(
        f"{core.name}-{chosen.name}", f"program:{chosen.name}", settings.to_dict(), drive="pins", ip="subsystem",
        test=TEST, out=str(out),
    )  # fmt: skip
    (result,) = run(made, [job], out)
    return result


def prepare(core: Core, chosen: Chosen, out: Path, limit: int = LIMIT) -> Run:
    """Write what the bench reads in the folder of the simulator."""
    out.mkdir(parents=True, exist_ok=True)
    ran = Run(str(chosen.path.resolve()), chosen.program.entry, chosen.halt, limit, rerun(core, chosen))
    ran.save(out)
    write_memory(out / MEMORY, [*chosen.program.segments, *chosen.program.data])
    return ran


def recorded(core: Core, chosen: Chosen, out: Path, limit: int = LIMIT, sim: str = "verilator") -> Recorded:
    """Build, run and verify; CoreError if the program does not come to its end, RvfiError if RVFI breaks its rules."""
    config, design = alone(core)
    made = build(config, sim, design)
    prepare(core, chosen, out, limit)
    (result,) = run(made, [Job(f"{core.name}-{chosen.name}", f"program:{chosen.name}", ip="subsystem")], out)
    if result["verdict"] != "PASS":
        raise CoreError(f"{core.name}: {result['error']}")
    rows, traps = read_rvfi(out)
    return Recorded(out, result["stats"]["seconds"]["simulator"], verify(core, chosen, rows, traps))
