# SPDX-License-Identifier: Apache-2.0
"""How a regression scales: the plan of thousands of seeds on a real Slurm of several nodes, where a seed only waits.

    python -m tests.flow.slurm_plan [SEEDS=10000] [NODES=8] [SECONDS=0.5] [LOSE=1]

Everything but the simulator is as in `make regress CLUSTER=slurm`: lots, queue, workers, results as files. A seed waits
for a time drawn at random with a mean of SECONDS. With LOSE=1 a node is killed with all that runs on it when half is
done. docs/reference/figures.md has what this printed.
"""

import contextlib
import gc
import json
import os
import random
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path

from rvtrace.flow.jobs import Lot
from rvtrace.flow.regress import cluster
from rvtrace.flow.regress.run import regress
from rvtrace.flow.regress.seeds import jobs_of
from rvtrace.flow.simulation import finished
from rvtrace.jobs import systems
from rvtrace.jobs.arguments import main_guard, number, parse
from rvtrace.jobs.job import Job
from rvtrace.jobs.results import blank
from tests.flow.regress_slurm import Slurm, missing, slurm

WORDS = {
    "SEEDS": "how many, default 10000", "NODES": "of the Slurm, default 8, each with two workers",
    "SECONDS": "mean of what a seed takes, default 0.5", "LOSE": "1: a node is lost when half is done",
}  # fmt: skip
PER_NODE = 2
TIMES = "times.jsonl"  # of a lot: [seed, begin, end] of each seed, and how long it was to take


def wanted(job: Job, mean: float) -> float:
    """Seconds that a seed waits."""
    return mean * random.Random(f"{job.seed}:slurm_plan").uniform(0.2, 1.8)


def wait(lot: Lot, sim: str, folder: Path) -> None:
    """In place of the simulator: what `rvtrace.flow.regress.cluster` has a worker do."""
    folder.mkdir(parents=True, exist_ok=True)
    mean = float(os.environ["SLURM_PLAN_SECONDS"])
    with open(folder / TIMES, "a") as log:
        for job in lot.jobs:
            if finished(job) is not None:
                continue
            begin = time.time()
            log.write(f"{json.dumps([job.seed, begin, 0.0])}\n")
            log.flush()
            time.sleep(wanted(job, mean))
            out = Path(job.out)
            out.mkdir(parents=True, exist_ok=True)
            (out / "result.json").write_text(json.dumps(blank(job) | {"verdict": "PASS"}))
            log.write(f"{json.dumps([job.seed, begin, time.time()])}\n")


def lose(running: Slurm, jobs: list[Job], seen: dict[str, float]) -> None:
    """When half of the seeds are done, kill the daemon of a node and every process of its jobs."""
    while sum((Path(job.out) / "result.json").exists() for job in jobs) < len(jobs) // 2:
        time.sleep(0.5)
    import psutil  # pyright: ignore[reportMissingModuleSource]  # installed for CLUSTER= only

    on = set(running.said("squeue", "-h", "-w", "node2", "-t", "RUNNING", "-o", "%A").split())
    seen["at"], seen["workers"] = time.time(), len(on)
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            words = process.cmdline()
            if words[:1] == ["slurmd"] and words[-1] == "node2" or process.environ().get("SLURM_JOB_ID") in on:
                process.send_signal(signal.SIGKILL)


def main(argv: list[str]) -> int:
    """Run the plan and print its figures."""
    given = parse(argv, WORDS, __doc__ or "")
    if absent := missing():
        print(f"{', '.join(absent)} not installed; type `apt-get install slurm-wlm munge`", file=sys.stderr)
        return 1
    seeds, nodes, mean = number(given, "SEEDS", 10_000), number(given, "NODES", 8), float(given.get("SECONDS", 0.5))
    workers, lost = PER_NODE * nodes, {}
    with tempfile.TemporaryDirectory() as folder, slurm(Path(folder) / "slurm", nodes) as running:
        os.environ.update(running.env, SLURM_PLAN_SECONDS=str(mean))
        out = Path(folder) / "out"
        words = {"SEEDS": str(seeds), "N": str(workers), "CLUSTER": "slurm", "MEMORY": "500MB"}
        jobs = jobs_of(words, [systems.bench("hpm")])
        from tests.flow.slurm_plan import wait as work

        cluster._work = work
        begin = time.time()
        if given.get("LOSE") == "1":
            threading.Thread(target=lose, args=(running, jobs, lost), daemon=True).start()
        out.mkdir()
        bad = regress(jobs, "icarus", out, words)
        end = time.time()
        rows = [json.loads(line) for path in out.glob(f"processes/*/{TIMES}") for line in path.read_text().splitlines()]
        gc.collect()  # files of Dask that end with their objects
    print(figures(rows, begin, end, workers, lost))
    return int(bool(bad))


def figures(rows: list[list[float]], begin: float, end: float, workers: int, lost: dict[str, float]) -> str:
    """What the times say, in words."""
    done = [(first, last) for _, first, last in rows if last]
    first, last, busy = min(b for b, _ in done), max(e for _, e in done), sum(e - b for b, e in done)
    span = workers * (last - first)
    lines = [
        f"{len(done)} seeds, {workers} workers: {end - begin:.1f} s; first seed after {first - begin:.1f} s, "
        f"end {end - last:.1f} s after the last one",
        f"a seed takes {busy / len(done):.3f} s and {(span - busy) / len(done) * 1000:.1f} ms of a worker beside that; "
        f"idle {100 * (1 - busy / span):.1f} % of the time between the first and the last seed",
    ]
    if lost:
        begun, ended = sum(not e for *_, e in rows), len(done)
        later = sorted(b for b, _ in done if b > lost["at"])
        lines.append(
            f"node lost with {lost['workers']} workers at {lost['at'] - begin:.1f} s: {begun - ended} seeds were begun"
            f" twice; {len(later)} seeds were left"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main_guard(main))
