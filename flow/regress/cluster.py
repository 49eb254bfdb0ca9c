# SPDX-License-Identifier: Apache-2.0
"""Lots handed to a queueing system through dask-jobqueue: CLUSTER=slurm, lsf, sge or pbs.

A worker is one job of the cluster; it builds and runs lots in the folder that all machines share, and answers with
nothing: results are files, as on one machine. A worker that dies loses nothing: what its lot has not left is handed out
again, the job it was at on its own, and after so many workers that job is an ERROR. What a site needs besides QUEUE=,
WALLTIME= and MEMORY= is in Dask's own ~/.config/dask/jobqueue.yaml.
"""

from __future__ import annotations

import contextlib
import importlib
import logging
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from rvtrace.flow.jobs import Lot, Tell, play
from rvtrace.flow.simulation import SimError, broken, finished
from rvtrace.jobs.arguments import ArgumentError, number
from rvtrace.jobs.builds import ROOT

REQUIREMENTS = ROOT / "flow" / "requirements-cluster.txt"
TRIES = 3  # workers that may die over a job
_ENGINES = {
    "slurm": ("SLURMCluster", "sbatch"),
    "lsf": ("LSFCluster", "bsub"),
    "sge": ("SGECluster", "qsub"),
    "pbs": ("PBSCluster", "qsub"),
}
_LOST = ("KilledWorker", "CancelledError", "FutureCancelledError")  # what Dask says of a lot whose worker died
_TURN = 2.0  # seconds between two looks at the cluster
_SETTINGS = {
    "distributed.scheduler.allowed-failures": 0,  # we hand out again, and know what is missing
    "distributed.scheduler.worker-saturation": 1.0,  # a worker that dies has one lot, not those it would do next
    "distributed.scheduler.work-stealing": False,
    "distributed.deploy.lost-worker-timeout": "2s",
    "distributed.comm.timeouts.connect": "60s",
    "distributed.worker.memory.terminate": False,  # the simulators take the memory: the cluster counts it
    "distributed.admin.system-monitor.gil.enabled": False,
}


class HandOut:
    """Keeps the account of lots that are away: what came back, what is to be handed out again, and what is given up."""

    def __init__(self, tell: Tell, logs: Path) -> None:
        self._tell, self._logs = tell, logs
        self._reported: set[str] = set()
        self._lost: Counter[str] = Counter()

    @property
    def results(self) -> int:
        """How many are there."""
        return len(self._reported)

    def back(self, lot: Lot, begun: bool, why: str = "") -> list[Lot]:
        """Report the results of a lot that no worker has any more; the lots that are to be handed out instead.

        begun: whether its worker was at it when it was lost, then at the first job without a result. why: what it said,
        if anything.
        """
        missing = []
        for job in lot.jobs:
            if (result := finished(job)) is None:
                missing.append(job)
            else:
                self._say(job.out, result)
        if not missing:
            return []
        if not begun:
            return [Lot(lot.config, missing)]
        at, *rest = missing
        self._lost[at.out] += 1
        again = [Lot(lot.config, rest)] if rest else []
        if self._lost[at.out] < TRIES:
            return [Lot(lot.config, [at]), *again]
        self._say(
            at.out,
            broken(
                at,
                f"{TRIES} workers of the cluster were lost over it ({why or 'they left no result'}); see {self._logs},"
                " or run it here:",
            ),
        )
        return again

    def _say(self, out: str, result: dict[str, Any]) -> None:
        if out not in self._reported:
            self._reported.add(out)
            self._tell(result)


def run_lots(
    engine: str, todo: list[Lot], sim: str, process: Path, tell: Tell, workers: int, given: Mapping[str, str]
) -> None:
    """As rvtrace.flow.jobs.run_lots, by as many jobs of the cluster as there are workers. SimError if the cluster does
    not take or start them.
    """
    if len(str(process).split()) > 1:
        raise ArgumentError(
            f"{process.parent} has a space in its path, which jobs of a cluster cannot have; give OUT=<folder>"
        )
    _installed(engine)
    from distributed import wait  # pyright: ignore[reportMissingImports]  # installed for CLUSTER= only

    dask: Any = importlib.import_module("dask")
    logs = process.with_name(f"{process.name}-cluster")
    hand, away, sent, refused = HandOut(tell, logs), {}, 0, []
    with dask.config.set(_SETTINGS), _cluster(engine, logs, given, refused) as (cluster, client):
        start = _Start(engine, cluster, workers, logs, number(given, "WAIT", 60), refused)
        while todo or away:
            for lot in todo:
                folder = process.with_name(f"{process.name}-{sent}")
                away[client.submit(_work, lot, sim, folder, pure=False, retries=0)] = lot, folder
                sent += 1
            with contextlib.suppress(TimeoutError):
                wait(list(away), timeout=_TURN, return_when="FIRST_COMPLETED")
            start.look()
            todo = []
            for future in [future for future in away if future.done()]:
                (lot, folder), error = away.pop(future), future.exception()
                why = "" if error is None or type(error).__name__ in _LOST else f"{type(error).__name__}: {error}"
                again = hand.back(lot, folder.exists() or bool(why), why)
                if why and not hand.results:
                    raise SimError(
                        f"CLUSTER={engine}: a worker cannot run here ({why}); it needs this folder and this Python"
                    ) from error
                if missing := sum(len(one.jobs) for one in again):
                    print(
                        f"a worker was lost: {len(lot.jobs) - missing} of {len(lot.jobs)} seeds it had are kept,"
                        f" {missing} handed out again",
                        flush=True,
                    )
                todo += again


def _work(lot: Lot, sim: str, folder: Path) -> None:
    """What a worker does: the jobs of a lot that no worker before it has finished."""
    folder.mkdir(parents=True, exist_ok=True)
    if left := [job for job in lot.jobs if finished(job) is None]:
        play(Lot(lot.config, left, folder), sim)


class _Start:
    """Keeps as many jobs in the queue as wanted, and says what is wrong if none starts."""

    def __init__(self, engine: str, cluster: Any, workers: int, logs: Path, minutes: int, refused: list[str]) -> None:
        self._engine, self._cluster, self._workers, self._logs, self._limit, self._refused = (
            engine,
            cluster,
            workers,
            logs,
            60 * minutes,
            refused,
        )
        self._begin, self._said = time.monotonic(), 0.0

    def look(self) -> None:
        """Put new jobs in the place of lost ones; SimError if the cluster takes none, or none came in all the time
        there was.
        """
        self._cluster.scale(self._workers)
        alive = len(self._cluster.scheduler_info["workers"])
        if self._refused and not alive:
            raise SimError(
                f"CLUSTER={self._engine} does not take a job ({self._refused[-1]}); QUEUE=, WALLTIME= and MEMORY= say"
                " what is asked for"
            )
        spent = time.monotonic() - self._begin
        if alive:
            self._begin, self._said = time.monotonic(), 0.0
        elif spent > self._limit:
            raise SimError(
                f"CLUSTER={self._engine}: no worker came in {self._limit // 60} minutes{self._last()}; its queue says"
                " why, WAIT=<minutes> waits longer"
            )
        elif spent > self._said + 60:
            self._said = spent
            print(f"waiting for a worker since {spent // 60:.0f} min{self._last()}", flush=True)

    def _last(self) -> str:
        """The last line that a job left, if any: why it could not start."""
        lines = [
            line
            for path in sorted(self._logs.glob("*"))
            if path.is_file()
            for line in path.read_text(errors="replace").splitlines()
            if line.strip()
        ]
        return f"; the last one said: {lines[-1].strip()}" if lines else ""


@contextlib.contextmanager
def _cluster(engine: str, logs: Path, given: Mapping[str, str], refused: list[str]) -> Iterator[tuple[Any, Any]]:
    """The cluster without jobs yet, and a client. Workers prove themselves to it with a certificate: its port is open
    to the network.

    refused: is given what the cluster says when it does not take a job.
    """
    from distributed import Client, Status  # pyright: ignore[reportMissingImports]  # installed for CLUSTER= only

    dask: Any = importlib.import_module("dask")
    ours = {which: signal.getsignal(which) for which in (signal.SIGINT, signal.SIGTERM)}
    kind = getattr(importlib.import_module("dask_jobqueue"), _ENGINES[engine][0])
    for which, handler in ours.items():  # it has put its own there, which exit with 0
        signal.signal(which, handler)

    class Submitted(kind.job_cls):
        async def _submit_job(self, script_filename: str) -> str:
            try:
                return await super()._submit_job(script_filename)
            except RuntimeError as error:
                refused.append(next((line for line in reversed(str(error).splitlines()) if line.strip()), engine))
                self.status = Status.failed  # else it would count as one that may yet come
                raise

    logging.getLogger("tornado.application").setLevel(logging.CRITICAL)  # it would print where a refusal came from
    keys = logs.with_name(f"{logs.name}-keys")
    for folder in (logs, keys):
        folder.mkdir(parents=True, exist_ok=True)
    keys.chmod(0o700)
    own = dask.config.get(f"jobqueue.{engine}.job-script-prologue", None) or []
    cluster = kind(
        job_cls=Submitted,
        job_name="regress",
        cores=1,
        processes=1,
        memory=given.get("MEMORY", "2GB"),
        walltime=given.get("WALLTIME"),
        queue=given.get("QUEUE"),
        log_directory=str(logs),
        job_script_prologue=[*own, f"export PYTHONPATH='{ROOT}'"],
        python=sys.executable,
        silence_logs="critical",
        security=True,
        shared_temp_directory=str(keys),
        death_timeout=60,
        scheduler_options={"dashboard": False, "dashboard_address": ":0"},
    )
    with cluster, Client(cluster) as client:
        yield cluster, client


def _installed(engine: str) -> None:
    """Install what is pinned, once, into this environment; ArgumentError if the cluster's commands or an environment of
    ours are missing.
    """
    command = _ENGINES[engine][1]
    if shutil.which(command) is None:
        raise ArgumentError(
            f"CLUSTER={engine}: {command} was not found; type this where jobs of the cluster are submitted, or give"
            " CLUSTER=local"
        )
    pinned = dict(
        line.split(";")[0].strip().split("==")
        for line in REQUIREMENTS.read_text().splitlines()
        if "==" in line and "python_version" not in line
    )
    if all(_version(name) == wanted for name, wanted in pinned.items()):
        return
    if sys.prefix == sys.base_prefix:
        raise ArgumentError(
            f"CLUSTER={engine} needs dask-jobqueue, and this Python is no environment of ours; type `make regress"
            f" CLUSTER={engine}`"
        )
    print(f"packages  installing what CLUSTER={engine} needs ({len(pinned)} pinned packages, once)", flush=True)
    pip = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-input",
        "--no-deps",
        "-r",
        str(REQUIREMENTS),
    ]
    done = subprocess.run(pip, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise ArgumentError(
            f"pip failed ({done.stdout.strip().splitlines()[-1:] or 'it said nothing'}); check the network and type it"
            " again"
        )
    importlib.invalidate_caches()


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""
