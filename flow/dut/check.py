# SPDX-License-Identifier: Apache-2.0
"""A DUT in the testbench: the programs, directed scenarios and random seeds that apply to what it claims.

checked = check(given)     runs them; report/dut.py writes the compliance report
"""

from __future__ import annotations

import shutil
import signal
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rvtrace.flow import simulators
from rvtrace.flow.dut.description import Dut, DutError
from rvtrace.flow.dut.doctor import counted
from rvtrace.flow.dut.progress import Progress
from rvtrace.flow.dut.select import Selection, select
from rvtrace.flow.dut.workspace import fitted, written
from rvtrace.flow.jobs import RESULTS, run_all, said
from rvtrace.flow.simulation import SimError, build
from rvtrace.jobs import systems
from rvtrace.jobs.arguments import ArgumentError, flag, number, typed
from rvtrace.jobs.job import Job


@dataclass(frozen=True)
class Checked:
    """A DUT that was run. chosen: the runs that apply. total: how many were wanted. results: of those that ended.
    simulator: its version. out: folder of the results. stopped: by Ctrl-C or SIGTERM, before all had ended.
    """

    dut: Dut
    system: Any
    chosen: Selection
    total: int
    results: list[dict[str, Any]]
    simulator: str
    out: Path
    stopped: bool


def check(given: dict[str, str]) -> Checked:
    """Run what applies to DUT=. ValueError if there is nothing to run, or what is described does not fit."""
    sim, seeds, workers = given.get("SIM", "verilator"), number(given, "SEEDS", 20), number(given, "N", 2)
    if workers < 1:
        raise ArgumentError(f"N={workers} runs nothing; give N=1 or more")
    found = simulators.find(sim)
    dut = Dut.load(given["DUT"])
    print(f"simulator {found.version}", flush=True)
    system = systems.bench(dut.ip)
    named = said(system, given)
    dut = replace(dut, tolerances={**dut.tolerances, **named})
    out = Path(given.get("OUT", RESULTS / "dut" / f"{dut.name}-{sim}"))
    chosen = select(dut, system, seeds, sim, number(given, "FIRST", 1))
    jobs = [job for job in chosen.jobs if any(part in job.name for part in given.get("K", "").split(","))]
    for job in jobs:
        job.said, job.keep_failed = dict(named), True
    if not jobs:
        raise _nothing(dut, given, chosen)
    groups: dict[Any, list[Job]] = {}
    for job in jobs:
        groups.setdefault(system.build_of(job), []).append(job)
    places = {
        config: written(dut, fitted(dut, system, config)) for config in groups
    }  # before the first simulation: what is wrong is said at once
    print(
        f"{dut.title}: {len(jobs)} run{'s' * (len(jobs) != 1)} in {len(groups)} build{'s' * (len(groups) != 1)}"
        f"{_skipped(dut, chosen)}",
        flush=True,
    )
    shutil.rmtree(out / "runs", ignore_errors=True)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    stopped = False
    with Progress(len(jobs)) as progress:
        try:
            _play(groups, places, sim, workers, out, dut, progress, flag(given, "FAST"))
        except KeyboardInterrupt:
            stopped = True
            progress.collect(jobs)
    return Checked(dut, system, chosen, len(jobs), progress.results, found.version, out, stopped)


def _play(
    groups: dict[Any, list[Job]],
    places: dict[Any, Path],
    sim: str,
    workers: int,
    out: Path,
    dut: Dut,
    progress: Progress,
    fast: bool,
) -> None:
    """Each build with its runs, in as many simulators as there are workers."""
    for place, (config, lot) in enumerate(groups.items()):
        progress.play(())
        _built(
            dut, config, sim, places[config], f"{place + 1} of {len(groups)}{varied(config, groups)}", fast, not place
        )
        shares = [lot[k::workers] for k in range(workers)]  # some of the long programs for each
        turn, batch = [job for share in shares for job in share], len(shares[0])
        progress.play([turn[i : i + batch] for i in range(0, len(turn), batch)])
        run_all(
            turn,
            sim,
            out / "runs",
            progress.tell,
            workers,
            batch,
            rtl_dir=places[config],
            process=f"build-{place}",
            fast=fast,
        )


def _built(dut: Dut, config: Any, sim: str, place: Path, turn: str, fast: bool, first: bool) -> None:
    """A build, before its runs. The first must do: what a simulator cannot read there, it cannot read in any; a later
    one that breaks is reported by its runs.
    """
    try:
        build(config, sim, place, fast=fast, turn=turn)
    except SimError as error:
        if not first:
            return
        print(error, flush=True)
        other = next(name for name in simulators.SIMULATORS if name != sim)
        raise DutError(
            f"{dut.path}: {sim} refused the sources, the end of its log is above; correct them, or give SIM={other}"
        ) from None


def _nothing(dut: Dut, given: dict[str, str], chosen: Selection) -> ValueError:
    if "K" in given and chosen.jobs:
        return ArgumentError(
            f"K={given['K']} is in none of the {len(chosen.jobs)} names; such as {chosen.jobs[0].name} (K= is a part of"
            " one)"
        )
    why = counted(chosen.left, 1)
    return DutError(
        f"{dut.path}: no run applies to what is claimed ({why[0][0] if why else 'nothing is there'}); claim more in"
        f" [options], or type `{typed('doctor', {'DUT': dut.shown})}`"
    )


def _skipped(dut: Dut, chosen: Selection) -> str:
    """The end of a line about the runs that are left out; they say nothing bad of the device."""
    if not chosen.left:
        return ""
    return (
        f"; {len(chosen.left)} others are for implementations that it does not claim to be"
        f" (`{typed('doctor', {'DUT': dut.shown})}` lists why)"
    )


def varied(config: Any, builds: Iterable[Any]) -> str:
    """The parameters of a build in which builds differ, for a line."""
    every = [one.parameters for one in builds]
    words = [
        f"{name}={value}" for name, value in config.parameters.items() if len({str(one[name]) for one in every}) > 1
    ]
    return f" ({' '.join(words)})" if words else ""
