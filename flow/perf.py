# SPDX-License-Identifier: Apache-2.0
"""The speed we promise, measured in one run as ratios, and where the time goes: `rvtrace figures speed`.

Bulk against pins: the same blocks of one program, in one process each way. To and from the RTL is simulator and
transport; with everything checked is the whole job but for making its stimulus, which both need.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rvtrace.flow import synthesis
from rvtrace.flow.jobs import trouble
from rvtrace.flow.perf_decoders import decoders
from rvtrace.flow.perf_encoders import encoders
from rvtrace.flow.perf_figures import Figures
from rvtrace.flow.simulation import SimError, build, run
from rvtrace.jobs.bench import SystemBench
from rvtrace.jobs.job import Job
from rvtrace.jobs.names import TRACES
from rvtrace.models.riscv import recording

WANTED = {
    "to and from the RTL": 20.0,
    "with everything checked": 5.0,
    "encoder model": 500_000.0,
    "decoder": 500_000.0,
    "CTR model": 300_000.0,
    "counter model": 500_000.0,
    "tandem encoder model": 300_000.0,
    "tandem decoder": 300_000.0,
    "tandem verifier": 100_000.0,
    "start of the command": 3.0,
    "decode of a short trace": 2.0,
}
STARTED = ("--help", "check --help")  # of `rvtrace`, the slowest of which is the figure
SHORT = 200  # instructions of a trace of which the decoding takes no time beside the start
PARTS = ("simulator", "transport", "encoder", "decoder", "scoreboard", "coverage")


def _row(figures: Figures, what: str, value: float, unit: str) -> bool:
    return figures.row(what, value, WANTED[what], f"{what:<26} {value:>12,.1f} {unit}")


def drives(system: SystemBench, sim: str, program: str, figures: Figures) -> bool:
    """Bulk against pins; whether what is promised of them is kept. SimError if a run does not pass."""
    # The first job of a process loads what the others share: it is not measured.
    jobs = [
        Job(f"warm-{d}", "program:traps", dict(system.measured_with), drive=d, ip=system.ip) for d in ("bulk", "pins")
    ]
    jobs += [
        Job(f"{drive}-{i}", f"program:{program}", dict(system.measured_with), drive=drive, ip=system.ip)
        for i in range(3)
        for drive in ("bulk", "pins")
    ]
    made = build(system.build_of(jobs[0]), sim)
    with tempfile.TemporaryDirectory() as out:
        results = run(made, jobs, Path(out))
    for result in results:
        if result["verdict"] != "PASS":
            raise SimError(f"nothing was measured: {trouble(result)}")
    best = {drive: _best([r for r in results if r["name"].startswith(drive)]) for drive in ("bulk", "pins")}
    cycles = results[-1]["stats"]["cycles"]
    count = results[-1]["stats"][system.counted]
    print(f"{program}: {count} {system.counted}, {cycles} cycles; seconds, best of 3")
    print(f"  {'':<14}{'bulk':>9}{'pins':>9}{'bulk share':>12}")
    for part in (*PARTS, "rest", "total"):
        bulk, pins = best["bulk"][part], best["pins"][part]
        print(f"  {part:<14}{bulk:>9.3f}{pins:>9.3f}{bulk / best['bulk']['total']:>11.0%}")
    for unit, number in (("cycles", cycles), (system.counted, count)):
        print(
            f"  {unit} a second in the simulator: bulk {number / best['bulk']['simulator']:,.0f}, pins"
            f" {number / best['pins']['simulator']:,.0f}"
        )
    print("bulk against pins")
    moved = {drive: times["simulator"] + times["transport"] for drive, times in best.items()}
    good = _row(figures, "to and from the RTL", moved["pins"] / moved["bulk"], "times faster")
    return good & _row(
        figures, "with everything checked", best["pins"]["total"] / best["bulk"]["total"], "times faster"
    )


def _best(results: list[dict[str, Any]]) -> dict[str, float]:
    """The fastest of some runs, in parts; its total without making the stimulus."""
    times = min((r["stats"]["seconds"] for r in results), key=lambda s: s["total"] - s["stimulus"])
    parts = {part: times.get(part, 0.0) for part in PARTS}
    total = times["total"] - times["stimulus"]
    return parts | {"rest": total - sum(parts.values()), "total": total}


def models(system: SystemBench, figures: Figures) -> bool:
    """What each model does in a second, over all programs; whether what is promised is kept."""
    spent: dict[str, float] = {}
    count = 0
    for name in recording.names():
        for insns, parts in system.modelled(name):
            count += insns
            for part, work in parts:
                spent[part] = spent.get(part, 0.0) + _timed(work)
    if not spent:
        return True
    print(f"models: {len(recording.names())} programs {system.modelled_as}, {count:,} {system.counted}, one core")
    kept = True
    for part, seconds in spent.items():
        kept &= _row(figures, part, count / seconds, f"{system.counted}/s")
    kept &= encoders(figures)
    return kept & decoders(figures)


def _timed(work: Callable[[], Any]) -> float:
    best = float("inf")
    for _ in range(3):
        begin = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - begin)
    return best


def starts(system: SystemBench, sim: str, figures: Figures) -> bool:
    """How long the command takes to start, and to decode a short trace, each as the share of it that is the start of
    Python; whether those are as promised. SimError if the trace cannot be made.
    """
    print("start of the command")
    command = [sys.executable, "-m", "rvtrace.tools.cli"]
    python = _started([sys.executable, "-c", "pass"])
    print(f"  {'Python itself':<26} {1000 * python:>8.0f} ms")
    slowest = 0.0
    for words in STARTED:
        seconds = _started([*command, *words.split()])
        slowest = max(slowest, seconds)
        print(f"  {'rvtrace ' + words:<26} {1000 * seconds:>8.0f} ms")
    unit = "% of it are the start of Python"
    kept = _row(figures, "start of the command", 100 * python / slowest, unit)
    if system.ip not in TRACES:
        return kept
    with tempfile.TemporaryDirectory() as out:
        job = Job("short", "random", dict(system.measured_with), size=SHORT, ip=system.ip, keep=True)
        (result,) = run(build(system.build_of(job), sim), [job], Path(out))
        if result["verdict"] != "PASS":
            raise SimError(f"nothing was measured: {trouble(result)}")
        seconds = _started([*command, "decode", job.out])
    print(f"  {'rvtrace decode <a folder>':<26} {1000 * seconds:>8.0f} ms, {SHORT} instructions")
    return kept & _row(figures, "decode of a short trace", 100 * python / seconds, unit)


def _started(command: list[str]) -> float:
    """Seconds of a process, the best of five after one that is not measured."""
    times = []
    for _ in range(6):
        begin = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        times.append(time.perf_counter() - begin)
    return min(times[1:])


def cells(system: SystemBench) -> bool:
    """The rows of `rvtrace figures area` for this system; whether all of them were synthesized and no latch was
    inferred.
    """
    print("cells (Yosys, generic gates)", synthesis.HEAD, sep="\n")
    for row in synthesis.rows(system.ip):
        try:
            print(synthesis.line(row, synthesis.measured(row)), flush=True)
        except synthesis.SynthesisError as error:
            print(f"RED   {error}")
            return False
    return True
