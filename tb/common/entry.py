# SPDX-License-Identifier: Apache-2.0
"""What every simulator process runs: a list of jobs, one after the other, each with its own reset, test and
result.json.

The list is the file named by TRACE_JOBS. The test of a job is `TEST` of `rvtrace.tb.<ip>.env` (of `rvtrace.tb.tci.env`
for a scenario of the trace control system), or the one in the user's file that the job names, which extends it.
"""

from __future__ import annotations

import contextlib
import inspect
import json
import logging
import os
import sys
import time
import traceback
from hashlib import sha256
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import cocotb
from pyuvm import ConfigDB, uvm_factory, uvm_root

from rvtrace.jobs import files
from rvtrace.jobs.builds import ROOT
from rvtrace.jobs.job import Job, JobError
from rvtrace.jobs.names import test_class_of
from rvtrace.jobs.results import blank
from rvtrace.scoreboards.common.clauses import Failure
from rvtrace.tb.common import test_log
from rvtrace.tb.common.agents.base import CONFIG
from rvtrace.tb.common.agents.reset import ProgrammingError
from rvtrace.tb.common.base import BaseTest, RunConfig
from rvtrace.tb.tci.job import KIND, job_of

LEFT = ("trace.bin", "rows.npz", "state.npz", "snapshots.json")  # evidence that a capture may have
KEPT = 25  # failing runs of one process whose evidence is kept: what fails everywhere would fill the disk
_ROOM = iter(range(KEPT))
_ready: tuple[str, Any] = "", None  # the command of a job, and its stimulus


@cocotb.test()
async def jobs(dut: Any) -> None:
    """Play all jobs. A job that breaks is an ERROR with its reason, and the next one runs."""
    for job in map(job_of, json.loads(Path(os.environ["TRACE_JOBS"]).read_text())):
        kind = test_of(job)  # imported before the clock of the job starts
        out = Path(job.out)
        out.mkdir(parents=True, exist_ok=True)
        begin, loggers = time.perf_counter(), set(logging.Logger.manager.loggerDict)
        with test_log.kept(out) if job.test else contextlib.nullcontext():
            try:
                result: dict[str, Any] = await _play(dut, job, user_test(ROOT / job.test, kind) if job.test else kind)
            except Exception as error:
                traceback.print_exc()
                said = str(error) if isinstance(error, ProgrammingError) else f"{type(error).__name__}: {error}"
                place = _place(job, error)
                result = blank(job) | {"error": f"{said}\n  source    {place}" if place else said}
        result["stats"].setdefault("seconds", {})["total"] = time.perf_counter() - begin
        text = json.dumps(result, indent=1, default=lambda number: number.item())  # of numpy
        files.write(out / "result.json", text)
        forget_loggers(loggers)


def left_in(out: Path, job: Job) -> dict[str, str]:
    """The files of a capture by name, each with the SHA-256 of its content: whoever reads them later knows whether the
    result is about them.
    """
    if not job.keep and job.dut and not job.exact:  # there to compare every byte, which such a device does not claim
        (out / "beats.npz").unlink(missing_ok=True)
    files = sorted(path for path in out.iterdir() if path.name in LEFT or path.suffix == ".trace")
    return {path.name: sha256(path.read_bytes()).hexdigest() for path in files}


def forget_loggers(known: set[str]) -> None:
    """Take from the register of loggers those that are not known.

    pyuvm makes a logger for each component of a job, and each new one visits all that are registered: of some hundred
    jobs that took more time than everything else.
    """
    registered = logging.Logger.manager.loggerDict
    for name in registered.keys() - known:
        del registered[name]


def test_of(job: Job) -> type[BaseTest]:
    """The test of a job's system."""
    bench = "tci" if job.source.startswith(f"{KIND}:") else job.ip
    return test_class_of(bench)


def make_ready(job: Job) -> None:
    """Make the stimulus of a job for the processes that are forked from this one and play it; nothing if that fails,
    which they then find out.
    """
    global _ready
    if not job.test and _ready[0] != job.rerun:
        _ready = "", None
        with contextlib.suppress(Exception):
            _ready = job.rerun, test_of(job).stimulus_of(job)


def user_test(path: Path, kind: type[BaseTest]) -> type[BaseTest]:
    """The one class of a Python file that extends the test of a system; JobError if there is none, or more than one."""
    name = f"user_test_{path.stem}"
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise JobError(f"TEST={path} is not a Python file; give the file with your test")
    module = sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    own = [cls for _, cls in inspect.getmembers(module, inspect.isclass) if cls.__module__ == name]
    found = [cls for cls in own if issubclass(cls, kind)]
    if len(found) == 1:
        return found[0]
    others = [f"{cls.__name__} extends {cls.__mro__[1].__name__}" for cls in own if issubclass(cls, BaseTest)]
    raise JobError(
        f"TEST={path} has {len(found)} classes that extend {kind.__name__}"
        f"{' (' + ', '.join(others) + ')' if others else ''}; give a file with one, and IP= of its system"
    )


def _place(job: Job, error: BaseException) -> str:
    """Where the user's test raised it, "" if it was not that."""
    return test_log.place_of(error, ROOT / job.test, job.test) if job.test else ""


async def _play(dut: Any, job: Job, kind: type[BaseTest]) -> dict[str, Any]:
    begin = time.perf_counter()
    stimulus = _ready[1] if _ready[0] == job.rerun else kind.stimulus_of(job)
    seconds = {"stimulus": time.perf_counter() - begin}
    ConfigDB().clear()  # what the job before had set
    uvm_factory().clear_overrides()
    ConfigDB().set(None, "uvm_test_top", CONFIG, RunConfig(dut, job, stimulus))
    failed = None
    try:
        await uvm_root().run_test(kind, keep_singletons=True)
    except AssertionError as error:  # in a phase of the user's test, after the run
        failed = error
    test: Any = uvm_root().uvm_test_top
    for error in (test.error, test.failure):
        if error is not None and not isinstance(error, AssertionError):
            raise error
    failed = test.error or test.failure or failed
    if failed is not None and not (job.test and hasattr(test, "outcome")):
        raise failed
    result = test.result(seconds)
    if job.keep or (job.keep_failed and result["verdict"] == "FAIL" and next(_ROOM, None) is not None):
        test.leave(Path(job.out))
        result["left"] = left_in(Path(job.out), job)
    if failed is not None:
        said = Failure(kind.__name__, str(failed) or "an assertion failed", rerun=job.rerun, source=_place(job, failed))
        result["verdict"] = "FAIL"
        result["failures"].insert(0, said.to_dict())
    return result
