# SPDX-License-Identifier: Apache-2.0
"""`make regress`: many random seeds of all systems, each with its own configuration, walk and drive, on shared builds.

Results are on disk as soon as they are known; the same command again goes on where it was stopped or killed, unless
sources or words changed. CLUSTER= hands the seeds to a queueing system (flow/regress/cluster.py). Ends in buckets of
failures and the report.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rvtrace.flow import simulators
from rvtrace.flow.jobs import RESULTS, lots, refuse_claims, run_lots, trouble
from rvtrace.flow.regress import buckets as regress_buckets
from rvtrace.flow.regress import folder as regress_folder
from rvtrace.flow.simulation import cores, finished
from rvtrace.tb import systems
from rvtrace.tb.common.arguments import ArgumentError, main_guard, number, parse
from rvtrace.tb.common.builds import ROOT
from rvtrace.tb.common.job import DRIVES, Job
from rvtrace.tb.common.system import System
from rvtrace.tools import report

ENGINES = ("local", "slurm", "lsf", "sge", "pbs")
WORDS = {
    "IP": f"all (default), or systems joined by commas: {', '.join(systems.NAMES)}",
    "SIM": "verilator (default) or icarus",
    "SEEDS": "how many, default 50; the systems share them",
    "FIRST": "the first seed of each system, default 1",
    "SIZE": "instructions of each walk, default 20000",
    "N": "simulators at a time, default the number of cores; on a cluster its jobs, default 4",
    "OUT": "folder of the results",
    "DRIVE": "bulk or pins for every seed of the systems that can be driven so, default as chosen at random",
    "FRESH": "1: begin anew, even if the same regression was begun before",
    "REPORT": "0: no report at the end",
    "WAVES": "fail: run the first seed of each bucket of failures again with a waveform",
    "CLUSTER": "local (default), slurm, lsf, sge or pbs: who runs the seeds",
    "QUEUE": "the cluster's queue or partition, default its own",
    "WALLTIME": "of each cluster job, as the cluster writes it, default half an hour; one that ends is replaced",
    "MEMORY": "of each cluster job, default 2GB",
    "WAIT": "minutes to wait for the cluster's first job, default 60",
}
_BATCH = 10  # seeds in one process
_INTERRUPTED = 130  # exit code of what Ctrl-C ended


def main(argv: list[str]) -> int:
    """0 if every seed passed, else 1; 130 if it was stopped."""
    chosen = _systems(argv)
    given = parse(
        argv, WORDS | {word: what for system in chosen for word, what in system.words.items()}, "Run random seeds."
    )
    _possible(given, chosen)
    sim, out = given.get("SIM", "verilator"), Path(given.get("OUT", RESULTS / "regress")).resolve()
    simulators.find(sim)
    jobs = _jobs(given, chosen)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with regress_folder.hold(out):
        kept = regress_folder.begin(out, (RESULTS / "regress").resolve(), given, sim)
        for job in jobs:
            job.out = str(out / job.ip / job.name)
        left = [job for job in jobs if _key(job) not in kept]
        progress = Progress(jobs, kept)
        print(_before(len(jobs), len(left)), end="", flush=True)
        try:
            if left:
                _run(left, sim, out, progress, given)
        except KeyboardInterrupt:
            done = sum(finished(job) is not None for job in jobs)
            print(
                f"\nstopped: {done} of {len(jobs)} seeds are done and kept in {os.path.relpath(out, ROOT)}; the same"
                " command goes on",
                flush=True,
            )
            return _INTERRUPTED
        print(f"{len(jobs) - progress.bad} of {len(jobs)} seeds passed ({os.path.relpath(out, ROOT)})", flush=True)
        failed = [result for result in kept.values() if result["verdict"] != "PASS"] + progress.failed
        found = regress_buckets.buckets(failed)
        if found and given.get("WAVES") == "fail":
            regress_buckets.waves(found, jobs, sim, out)
        regress_buckets.write(out, found)
        if found:
            print(regress_buckets.text(found, out), flush=True)
        told = 0 if given.get("REPORT") == "0" else report.main([f"RESULTS={out}"])
    return 1 if progress.bad or told else 0


def _systems(argv: list[str]) -> list[System]:
    """Those IP= names, in their order and each once."""
    wanted = next((word[3:] for word in argv if word.startswith("IP=") and word[3:]), "all")
    return [systems.find(ip) for ip in (systems.NAMES if wanted == "all" else dict.fromkeys(wanted.split(",")))]


def _possible(given: Mapping[str, str], chosen: list[System]) -> None:
    """ArgumentError for a word that one of the systems cannot take, or a value that says nothing."""
    for word in set(given) - set(WORDS):
        if without := [system.ip for system in chosen if word not in system.words]:
            able = ",".join(system.ip for system in chosen if word in system.words)
            raise ArgumentError(f"{word}={given[word]} means nothing to {', '.join(without)}; give IP={able} with it")
    seeds = number(given, "SEEDS", 50)
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


def _jobs(given: Mapping[str, str], chosen: list[System]) -> list[Job]:
    """The share of each system: the seeds divided evenly, the first ones of the list get one more."""
    seeds, first, size = number(given, "SEEDS", 50), number(given, "FIRST", 1), number(given, "SIZE", 20_000)
    if given.get("DRIVE", DRIVES[0]) not in DRIVES:
        raise ArgumentError(f"DRIVE={given['DRIVE']} is not known; give DRIVE={' or '.join(DRIVES)}")
    jobs = []
    for place, system in enumerate(chosen):
        base = system.options(given)
        refuse_claims(system, system.config.from_dict(base).to_dict())
        share = seeds // len(chosen) + (place < seeds % len(chosen))
        lot = [system.regressed(seed, base, size) for seed in range(first, first + share)]
        for job in lot:
            job.drive = given.get("DRIVE", job.drive) if given.get("DRIVE") in system.drives else job.drive
        jobs += lot
    return jobs


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
    from rvtrace.flow.regress import cluster as regress_cluster

    workers = number(given, "N", 4)
    batch = max(1, min(_BATCH, -(-len(left) // (4 * workers))))
    regress_cluster.run_lots(engine, lots(left, sim, batch), sim, process, progress.tell, workers, given)


def _key(job: Job) -> str:
    return regress_folder.key({"ip": job.ip, "name": job.name})


class Progress:
    """Counts what is done and says so: on a terminal in one line that changes, elsewhere in a line now and then."""

    def __init__(self, jobs: list[Job], kept: Mapping[str, Mapping[str, Any]]) -> None:
        mine = [kept[_key(job)] for job in jobs if _key(job) in kept]
        self.seeds, self.done, self.bad = len(jobs), len(mine), sum(result["verdict"] != "PASS" for result in mine)
        self.failed: list[dict[str, Any]] = []
        self._before, self._begin = self.done, time.perf_counter()
        self._of = {ip: sum(job.ip == ip for job in jobs) for ip in dict.fromkeys(job.ip for job in jobs)}
        self._done = {ip: sum(result["ip"] == ip for result in mine) for ip in self._of}
        self._seen = regress_buckets.Seen()
        self._every = max(_BATCH, self.seeds // 50)

    def tell(self, result: dict[str, Any]) -> None:
        """Count a result; the first failure of each kind is printed in full."""
        self.done += 1
        self._done[result["ip"]] += 1
        live = sys.stdout.isatty()
        if result["verdict"] != "PASS":
            self.bad += 1
            self.failed.append(result)
            if self._seen.new(result):
                print(("\r\033[K" if live else "") + trouble(result), flush=True)
        if live:
            width = shutil.get_terminal_size().columns
            print(f"\r\033[K{self.line()[: width - 1]}", end="\n" if self.done == self.seeds else "", flush=True)
        elif self.done == self.seeds or self.done % self._every == 0:
            print(self.line(), flush=True)

    def line(self) -> str:
        """How far it is."""
        spent, new = time.perf_counter() - self._begin, self.done - self._before
        words = [f"{self.done} of {self.seeds} seeds, {self.bad} not passed, {_clock(spent)}"]
        if self.done < self.seeds and new:
            words.append(f"about {_clock(spent / new * (self.seeds - self.done))} to go")
        each = "  ".join(f"{ip} {self._done[ip]}/{of}" for ip, of in self._of.items())
        return ", ".join(words) + (f"  ({each})" if len(self._of) > 1 else "")


def _clock(seconds: float) -> str:
    hours, rest = divmod(round(seconds), 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"


if __name__ == "__main__":
    sys.exit(main_guard(main))
