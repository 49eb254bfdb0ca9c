# SPDX-License-Identifier: Apache-2.0
"""A regression: what an earlier one left is kept, the other seeds run here or on a cluster, failures end in buckets."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path

from rvtrace.flow.jobs import lots, run_lots
from rvtrace.flow.processes import cores
from rvtrace.flow.regress import buckets, folder, history
from rvtrace.flow.regress import kept as kept_files
from rvtrace.flow.regress.folder import key_of
from rvtrace.flow.regress.progress import Progress
from rvtrace.flow.regress.seeds import SEEDS
from rvtrace.flow.simulation import finished
from rvtrace.jobs.arguments import ArgumentError, number
from rvtrace.jobs.bench import SystemBench
from rvtrace.jobs.builds import ROOT
from rvtrace.jobs.job import Job

ENGINES = ("local", "slurm", "lsf", "sge", "pbs")
_BATCH = 10  # seeds in one process


def demand_possible(given: Mapping[str, str], chosen: list[SystemBench], known: Mapping[str, str]) -> None:
    """ArgumentError for a word that one of the systems cannot take, or a value that says nothing. known: words of
    all systems."""
    for word in set(given) - set(known):
        if without := [system.ip for system in chosen if word not in system.words]:
            able = ",".join(system.ip for system in chosen if word in system.words)
            raise ArgumentError(f"{word}={given[word]} means nothing to {', '.join(without)}; give IP={able} with it")
    seeds = number(given, "SEEDS", SEEDS)
    if seeds < 1:
        raise ArgumentError(f"SEEDS={seeds} runs nothing; give SEEDS=1 or more")
    if seeds < len(chosen):
        raise ArgumentError(
            f"SEEDS={seeds} is less than one for each of {len(chosen)} systems; give SEEDS={len(chosen)} or more, or"
            " one system with IP="
        )
    if number(given, "N", 1) < 1:
        raise ArgumentError(f"N={given['N']} runs nothing; give N=1 or more")
    for word, legal in (("WAVES", ("fail",)), ("CLUSTER", ENGINES)):
        if given.get(word, legal[0]) not in legal:
            raise ArgumentError(f"{word}={given[word]} is not known; give {word}={' or '.join(legal)}")


def regress(jobs: list[Job], sim: str, out: Path, given: Mapping[str, str]) -> int | None:
    """Run what is left of the jobs, in a folder that is held; how many did not pass, None if it was stopped."""
    kept = folder.begin(out, folder.default(given, sim), given, sim)
    for job in jobs:
        job.out, job.keep_failed = str(out / job.ip / job.name), True
    left = [job for job in jobs if key_of(job) not in kept]
    progress = Progress(jobs, kept)
    print(_before(len(jobs), len(left)), end="", flush=True)
    try:
        if left:
            with progress:
                _run(left, sim, out, progress, given)
    except KeyboardInterrupt:
        done = sum(finished(job) is not None for job in jobs)
        print(
            f"\nstopped: {done} of {len(jobs)} seeds are done and kept in {os.path.relpath(out, ROOT)}; the same"
            " command goes on",
            flush=True,
        )
        return None
    if given.get("REPORT") == "0":  # else the report has the number
        print(f"{len(jobs) - progress.bad} of {len(jobs)} seeds passed ({os.path.relpath(out, ROOT)})", flush=True)
    mine = {key_of(job) for job in jobs}  # an earlier one may have had more seeds
    failed = [result for name, result in kept.items() if name in mine and result["verdict"] != "PASS"]
    failed += progress.failed
    found = buckets.buckets(failed)
    if found and given.get("WAVES") == "fail":
        buckets.waves(found, jobs, sim, out)
    buckets.write(out, found)
    if left:
        results = [result for job in jobs if (result := finished(job)) is not None]
        history.remember(history.place(given, out), out.name, results, found)
        summary = kept_files.leave(history.place(given, out).with_name(folder.KEPT), out.name, given, results, found)
        print(f"kept for a comparison: {os.path.relpath(summary)}", flush=True)
    if found:
        print(buckets.text(found, out), flush=True)
    return progress.bad


def _before(seeds: int, left: int) -> str:
    """What is said of an earlier run of the same."""
    if not left:
        return f"all {seeds} seeds were run before and nothing has changed since (FRESH=1 runs them again)\n"
    return f"{seeds - left} of {seeds} seeds were run before; going on (FRESH=1 begins anew)\n" if left < seeds else ""


def _run(left: list[Job], sim: str, out: Path, progress: Progress, given: Mapping[str, str]) -> None:
    for job in left:  # an ERROR of an earlier run
        (Path(job.out) / "result.json").unlink(missing_ok=True)
    process = out / "processes" / f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"
    engine = given.get("CLUSTER", "local")
    if engine == "local":
        run_lots(lots(left, sim, _BATCH), sim, process, progress.tell, number(given, "N", cores()))
        return
    from rvtrace.flow.regress import cluster

    workers = number(given, "N", 4)
    batch = max(1, min(_BATCH, -(-len(left) // (4 * workers))))
    cluster.run_lots(engine, lots(left, sim, batch), sim, process, progress.tell, workers, given)
