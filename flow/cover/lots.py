# SPDX-License-Identifier: Apache-2.0
"""Lots of runs on shared builds in processes of their own, several at once, and what each cost.

A lot is what one simulator process runs. It is built and run in a worker process, whose children's CPU time is that of
the lot alone.
"""

from __future__ import annotations

import os
import resource
import threading
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from rvtrace.flow.simulation import build, run
from rvtrace.tb.common.builds import ROOT
from rvtrace.tb.common.job import Job

_WATCH = 1.0  # seconds


@dataclass
class Lot:
    """Runs of one build. place: the folder their simulator runs in; the runs have folders beside it. coverage: with
    code coverage.
    """

    ip: str
    config: Any
    jobs: list[Job]
    place: Path
    coverage: bool = False


@dataclass
class Done:
    """A lot that was run. build_cpu, run_cpu: CPU seconds."""

    lot: Lot
    results: list[dict[str, Any]] = field(default_factory=list)
    build_cpu: float = 0.0
    run_cpu: float = 0.0


def play(lot: Lot, sim: str) -> Done:
    """Build and run; in a worker process."""
    begin = _cpu()
    made = build(lot.config, sim, ROOT / "rtl", coverage=lot.coverage)
    built = _cpu()
    results = run(made, lot.jobs, lot.place)
    return Done(lot, results, built - begin, _cpu() - built)


def _while_wanted(parent: int) -> None:
    """End this worker when the process that began it is gone, killed perhaps: nobody would read what it does."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_WATCH)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def drive(next_lot: Callable[[], Lot | None], told: Callable[[Done], None], sim: str, workers: int) -> None:
    """Play what `next_lot` gives, `workers` at once, until it gives nothing and nothing is under way.

    `next_lot` is asked again after each lot that has ended, and `told` receives its results: both in this process, one
    at a time.
    """
    with ProcessPoolExecutor(workers, get_context("spawn"), _while_wanted, (os.getpid(),)) as pool:
        waiting: set[Future[Done]] = set()
        try:
            while True:
                while len(waiting) < workers and (lot := next_lot()) is not None:
                    waiting.add(pool.submit(play, lot, sim))
                if not waiting:
                    return
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                for future in done:
                    told(future.result())
        finally:
            pool.shutdown(cancel_futures=True)
