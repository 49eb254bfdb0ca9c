# SPDX-License-Identifier: Apache-2.0
"""What a simulator runs instead of rvtrace.tb.common.entry to play many mutants of one build: each job in a process of
its own, forked before the simulation begins.

Python, the modules of the testbench and the elaborated design are there once. Beside the file of the jobs (TRACE_JOBS)
is forks.json with one `Fork` for each. A child selects the mutant, plays one job in a folder of its own, and is killed
after its time; after the first job of a fork that does not pass, the next fork follows. Whatever happens to a child,
its job has a result.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import inspect
import json
import os
import select
import signal
import sys
import time
from dataclasses import asdict, dataclass, field
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.util import spec_from_file_location
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import cocotb
import numpy.random  # noqa: F401  # what all tests import, so that no child has to
import pyuvm  # noqa: F401

from rvtrace.flow.faults import ENVIRONMENT, NOTES
from rvtrace.tb.common import entry
from rvtrace.tb.tci.job import job_of

FORKS, ENDED, RESULT, NOTED = "forks.json", "ended", "result.json", "noted"
COMPUTED = "computed"  # of a result: the processor's seconds of all jobs of the fork
BELOW_FIRMWARE = "rvtrace.tb.hpm.env"  # what firmware runs on; it imports nothing of it
_INT, _NO_DELAY = 6, 1  # vpiIntVal, vpiNoDelay
_PDEATHSIG = 1  # PR_SET_PDEATHSIG
_PAUSE = 0.01  # seconds between two looks at a child
PATIENCE = 5  # how many times as long a child may take as it computes: on a machine with other work, or one that waits


@dataclass(frozen=True)
class Fork:
    """mutants: the numbers of those that are selected. limits: seconds of each job. jobs: as the entry reads them.
    instead: of modules of ours by name the files that are imported instead. most: seconds of the processor after which
    no other job begins, 0: none.
    """

    mutants: list[int]
    limits: list[float]
    jobs: list[dict[str, Any]]
    instead: dict[str, str] = field(default_factory=dict)
    most: float = 0.0


class _Value(ctypes.Structure):
    """s_vpi_value, whose value is a union of pointers, numbers and a double."""

    _fields_ = [("format", ctypes.c_int32), ("value", ctypes.c_int64)]


def choose(mutants: list[int]) -> None:
    """Select mutants of the design; RuntimeError if Icarus finds nothing in it that does so. Verilator looks into the
    environment before the simulation begins.
    """
    if cocotb.SIM_NAME == "Verilator":
        os.environ[ENVIRONMENT] = f",{','.join(map(str, mutants))},"
        return
    library = ctypes.CDLL(None)
    library.vpi_handle_by_name.restype = ctypes.c_void_p
    library.vpi_handle_by_name.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
    library.vpi_put_value.argtypes = [ctypes.c_void_p, ctypes.POINTER(_Value), ctypes.c_void_p, ctypes.c_int32]
    for number in mutants:
        handle = library.vpi_handle_by_name(f"rvtrace_mutant.on_{number}".encode(), None)
        if handle is None:
            raise RuntimeError(f"the design has no mutant {number}: it has no rvtrace_mutant.on_{number}")
        library.vpi_put_value(handle, ctypes.byref(_Value(_INT, 1)), None, _NO_DELAY)


def leave(folder: Path, forks: list[Fork]) -> None:
    """Write the file that says how the jobs of a folder are forked."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ENDED).unlink(missing_ok=True)
    (folder / FORKS).write_text(json.dumps([asdict(fork) for fork in forks]))


def ended(folder: Path) -> bool:
    """Whether all of them were played."""
    return (folder / ENDED).exists()


def _play() -> bool:
    """Fork a child for each job; True in a child, which goes on with the simulation, False after the last has ended."""
    jobs_file = Path(os.environ["TRACE_JOBS"])
    leads: list[dict[str, Any]] = json.loads(jobs_file.read_text())
    forks = [Fork(**one) for one in json.loads(jobs_file.with_name(FORKS).read_text())]
    changed = {name for fork in forks for name in fork.instead}
    _prepared([job for fork in forks for job in fork.jobs], changed)
    for lead, fork in zip(leads, forks, strict=True):
        path, spent = Path(), 0.0
        for job, limit in zip(fork.jobs, fork.limits, strict=True):
            if not changed:  # else a child makes it, with modules of its own
                entry.make_ready(job_of(job))
            out = Path(job["out"])
            out.mkdir(parents=True, exist_ok=True)
            (out / RESULT).unlink(missing_ok=True)
            sys.stdout.flush()
            sys.stderr.flush()
            child = os.fork()
            if child == 0:
                _child(job, fork, out)
                return True
            ended, seconds = _end(child, limit)
            _settle(job, out, ended)
            path, spent = out / RESULT, spent + seconds
            if (_result(path) or {}).get("verdict") != "PASS" or 0 < fork.most <= spent:
                break
        if fork.most:
            path.write_text(json.dumps((_result(path) or {}) | {COMPUTED: round(spent, 2)}, indent=1))
        if path.parent != Path(lead["out"]):
            path.replace(Path(lead["out"]) / RESULT)
    jobs_file.with_name(ENDED).touch()
    return False


def _prepared(jobs: list[dict[str, Any]], changed: set[str]) -> None:
    """What every child would do again: the imports of the tests, the plans, and what `inspect.stack`, which pyuvm calls
    for each objection, finds out of all modules. changed: modules that a child imports from elsewhere.
    """
    if changed:
        import_module(BELOW_FIRMWARE)
        if known := sorted(changed & sys.modules.keys()):
            raise RuntimeError(f"{BELOW_FIRMWARE} imports {', '.join(known)}, so that a child would not see its change")
    else:
        for system in {(job["ip"], job["source"].partition(":")[0]): job for job in jobs}.values():
            entry.test_of(job_of(system))
    for name, module in list(sys.modules.items()):
        if name.startswith("rvtrace.scoreboards.") and hasattr(module, "plan"):
            module.plan()  # it is kept
    inspect.stack()
    gc.freeze()  # a child would copy each page with an object that its collector looks at


class _Instead(MetaPathFinder):
    """Finds modules in files that take the place of their own."""

    def __init__(self, files: dict[str, str]) -> None:
        self._files = files

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        return spec_from_file_location(name, self._files[name]) if name in self._files else None


def _child(job: dict[str, Any], fork: Fork, out: Path) -> None:
    """Make this process the simulation of one job alone."""
    if sys.platform == "linux":  # it does not outlive its parent
        ctypes.CDLL(None).prctl(_PDEATHSIG, signal.SIGKILL)
    os.chdir(out)
    log = os.open("simulator.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    os.dup2(log, 1)
    os.dup2(log, 2)
    Path("jobs.json").write_text(json.dumps([job]))
    Path("results.xml").unlink(missing_ok=True)
    os.environ |= {"TRACE_JOBS": str(out / "jobs.json"), "COCOTB_RESULTS_FILE": str(out / "results.xml")}
    atexit.register(_leave)
    if fork.instead:
        sys.meta_path.insert(0, _Instead(fork.instead))
    if fork.mutants:
        choose(fork.mutants)
    else:
        os.environ[NOTES] = str(out / NOTED)


def _leave() -> None:
    """End the process here: Python and the simulator would take apart all that the parent still needs, which takes
    longer than most simulations. Whether the tests ran to their end is in results.xml.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    ctypes.CDLL(None).fflush(None)  # what the simulator has printed
    os._exit(0)


def _end(child: int, timeout: float) -> tuple[str, float]:
    """Wait for a child; an empty text, or how it ended too late or badly, and the seconds of the processor that it had.
    The time is that which it computes, where the system shows it: other work on the machine is no outcome of a mutant.
    """
    if hasattr(os, "pidfd_open"):  # Linux
        process = os.pidfd_open(child)
        last = time.monotonic() + PATIENCE * timeout
        while (left := min(timeout - _computed(child), last - time.monotonic())) > 0:
            if select.select([process], [], [], max(left, _PAUSE))[0]:
                break
        os.close(process)
    else:
        until = time.monotonic() + timeout
        while time.monotonic() < until and os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            time.sleep(_PAUSE)
    ended, status, used = os.wait4(child, os.WNOHANG)
    if not ended:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return f"stopped after {timeout:.0f} s", timeout
    code = os.waitstatus_to_exitcode(status)
    return f"exit code {code}" if code else "", used.ru_utime + used.ru_stime


def _computed(child: int) -> float:
    """Seconds of the processor that a child has had."""
    fields = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _settle(job: dict[str, Any], out: Path, ended: str) -> None:
    """See to it that the job has a result, which is an error if its simulator broke although the checks passed."""
    if not ended and _went_well(out):
        return
    helper = os.fork()  # what it imports, the next child may need from another folder
    if helper:
        os.waitpid(helper, 0)
        return
    try:
        from rvtrace.flow.simulation import broken, trouble_of

        why = trouble_of(out / "results.xml", out / "simulator.log", ended)
        path = out / RESULT
        result = _result(path)
        if result is None:
            broken(job_of(job), why or "the simulator left no result")
        elif why and result["verdict"] == "PASS":
            path.write_text(json.dumps(result | {"verdict": "ERROR", "error": why}, indent=1))
    finally:
        os._exit(0)


def _went_well(out: Path) -> bool:
    """Whether one test ran to its end, and left a result."""
    try:
        cases = list(ElementTree.parse(out / "results.xml").getroot().iter("testcase"))
    except (OSError, ElementTree.ParseError):
        return False
    bad = any(child.tag in ("failure", "error", "skipped") for case in cases for child in case)
    return len(cases) == 1 and not bad and _result(out / RESULT) is not None


def _result(path: Path) -> dict[str, Any] | None:
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return None


if "TRACE_JOBS" in os.environ:
    if _play():
        jobs: Any = entry.jobs
    else:

        @cocotb.test()
        async def nothing(dut: Any) -> None:
            """The children have played all jobs."""
