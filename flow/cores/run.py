# SPDX-License-Identifier: Apache-2.0
"""Runs a program on a core, and says what its tandem verification found."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from rvtrace.flow import jobs
from rvtrace.flow.cores import builds
from rvtrace.flow.cores.description import Core
from rvtrace.flow.cores.programs import PROGRAM_CYCLES, Chosen
from rvtrace.flow.cores.verify import Verified, verify_all_good
from rvtrace.flow.simulation import build, run
from rvtrace.jobs.arguments import typed
from rvtrace.jobs.job import Job
from rvtrace.jobs.names import MAIN
from rvtrace.models.riscv.recording import DIRECTORY
from rvtrace.models.riscv.retired import Kind
from rvtrace.models.subsystem.config import Config
from rvtrace.models.tandem.verifier.verdict import Verdict
from rvtrace.scoreboards.common.clauses import Failure
from rvtrace.scoreboards.tandem.check import plan
from rvtrace.scoreboards.tandem.verify import clause_of
from rvtrace.tb.cores.agents.files import MEMORY, RVFI, Run, read_rvfi, write_memory

TEST = "tb/cores/env.py"
SHOWN, BEFORE = 3, 3  # mismatches, and instructions before each


def rerun(core: Core, chosen: Chosen, options: Mapping[str, Any]) -> str:
    """The command that repeats a run."""
    named = chosen.name if chosen.path.is_relative_to(DIRECTORY) else str(chosen.path)
    more = {name.upper(): str(value) for name, value in options.items()}
    return typed("core", {"CORE": core.shown, "PROGRAM": named, **more})


def prepare(chosen: Chosen, out: Path, limit: int, again: str) -> None:
    """Write what the bench reads in the folder of the simulator."""
    out.mkdir(parents=True, exist_ok=True)
    (out / RVFI).unlink(missing_ok=True)
    Run(str(chosen.path.resolve()), chosen.program.entry, chosen.halt, chosen.tohost, limit, again).save(out)
    write_memory(out / MEMORY, [*chosen.program.segments, *chosen.program.data])


def live(
    core: Core,
    chosen: Chosen,
    out: Path,
    options: Mapping[str, Any],
    limit: int = PROGRAM_CYCLES,
    backpressure: int = 0,
    waves: bool = False,
    again: str = "",
) -> dict[str, Any]:
    """Build and run a core on the subsystem, everything checked, and verify what it retired; the result.

    options: of the subsystem. again: the command that repeats it, else one with these options.
    """
    settings = Config.from_dict({**options, "xlen": 32, "retire": 1})
    config, design = builds.live(core, settings)
    made = build(config, "verilator", design, waves)
    again = again or rerun(core, chosen, {**options, **({"backpressure": backpressure} if backpressure else {})})
    prepare(chosen, out, limit, again)
    job = Job(
        f"{core.name}-{chosen.name}",
        f"program:{chosen.name}",
        settings.to_dict(),
        drive="pins",
        ip=MAIN,
        backpressure=backpressure,
        test=TEST,
        out=str(out),
        keep=waves,  # what the second waveform is made of
        keep_failed=True,
    )
    (result,) = run(made, [job], out)
    return judged(core, chosen, out, result | {"rerun": again})


def alone(
    core: Core,
    chosen: Chosen,
    out: Path,
    limit: int = PROGRAM_CYCLES,
    sim: str = "verilator",
    waves: bool = False,
    again: str = "",
) -> dict[str, Any]:
    """Build and run a core without trace sources, and verify what it retired; the result."""
    config, design = builds.alone(core)
    made = build(config, sim, design, waves)
    again = again or rerun(core, chosen, {"alone": 1})
    prepare(chosen, out, limit, again)
    job = Job(f"{core.name}-{chosen.name}", f"program:{chosen.name}", ip=MAIN, out=str(out))
    (result,) = run(made, [job], out)
    return judged(core, chosen, out, result | {"rerun": again})


def judged(core: Core, chosen: Chosen, out: Path, result: dict[str, Any]) -> dict[str, Any]:
    """The result of a run with the verdict of tandem verification, left in its folder."""
    if result["verdict"] != "ERROR":
        rows, traps = read_rvfi(out)
        verified, broken = verify_all_good(core, chosen, rows, traps)
        failures = []
        if verified is not None:
            result |= {"verified": verified.to_dict()}
            failures = [failure.to_dict() for failure in mismatches(core, verified, chosen, rows, result["rerun"])]
        if failures:
            result |= {"verdict": "FAIL", "failures": [*failures, *result["failures"]]}
        elif broken is not None:
            nothing: dict[str, Any] = {"failures": [], "clauses": {}}  # what follows from it is not judged
            result |= {"verdict": "ERROR", "error": f"{core.title}: {broken}", **nothing}
        elif verified is None or not verified.report.ok:
            result |= {"verdict": "ERROR", "error": "tandem verification compared no instruction"}
    elif result["error"]:
        result["error"] = result["error"].removeprefix("RvfiError: ")
    (out / "result.json").write_text(json.dumps(result, indent=1))
    return result


def mismatches(core: Core, verified: Verified, chosen: Chosen, rows: np.ndarray, again: str) -> list[Failure]:
    """What the verifier found, the first ones. rows: of RVFI."""
    report, retired, program = verified.report, verified.retired, chosen.program
    out = []
    for finding in report.findings[:SHOWN]:
        clause = clause_of(finding)
        table = [
            (
                difference.text(report.table).partition(":")[0],
                _number(difference.simulated),
                _number(difference.reported),
            )
            for difference in finding.differences
        ]
        fault = "RVFI, which reports what the core did not do" if finding.verdict == Verdict.TRACE else "the core"
        if finding.verdict == Verdict.MODEL:
            fault = "the simulator"
        at = finding.group - 1 - len(core.reset)  # groups before: reset, and those of CSRs after reset
        k = at - int((retired.kind[:at] == Kind.INTERRUPT).sum())
        out.append(
            Failure(
                clause,
                f"tandem verification, {finding.kind}: at fault is {fault} ({finding.reason})",
                int(rows["cycle"][k]) if 0 <= k < len(rows) else None,
                finding.pc,
                program.where(finding.pc) if finding.pc is not None else "",
                table,
                [program.where(int(pc)) for pc in retired.pc[max(at - BEFORE, 0) : max(at, 0)].tolist()],
                again,
                plan()[clause].what if clause in plan() else "",
            )
        )
    return out


def _number(value: int | None) -> str:
    return "nothing" if value is None else f"{value:#x}"


def lines(result: Mapping[str, Any], live_run: bool) -> list[str]:
    """A result in words: one line of the run, one of tandem verification, and what is wrong."""
    out = [jobs.line(result)] if live_run and result["verdict"] != "ERROR" else []
    if "verified" in result:
        verified = result["verified"]
        ok = not verified["mismatches"]
        out.append(
            f"{'PASS' if ok else 'FAIL':<5} {result['name']:<26} {verified['matched']:>8} insns of"
            f" {verified['instructions']} are those of the simulator, {verified['mismatches']}"
            f" mismatch{'' if verified['mismatches'] == 1 else 'es'}  {verified['speed']:,.0f} insns/s"
        )
    if result["verdict"] != "PASS":
        out.append(jobs.trouble(result))
    return out
