# SPDX-License-Identifier: Apache-2.0
"""The folder of a regression: what is in it from an earlier, killed run of the same, and nobody else's hand in it
meanwhile.
"""

from __future__ import annotations

import fcntl
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from rvtrace.flow import simulators
from rvtrace.flow.folders import SOURCES, digest_of, named
from rvtrace.flow.jobs import RESULTS
from rvtrace.jobs import files
from rvtrace.jobs.arguments import ArgumentError, flag, json_of
from rvtrace.jobs.job import Job

# What the result of a seed depends on.
_SOURCES = {
    **SOURCES, "data/programs": ("*",),
    "flow": ("compilers.py", "jobs.py", "processes.py", "simulation.py", "simulators.py"),
}  # fmt: skip
HISTORY = "history.jsonl"  # of all regressions; rvtrace.flow.regress.history
KEPT = "kept"  # folder of what each found; rvtrace.flow.regress.kept
_STATE, _LOCK = "regress.json", "regress.lock"
# Words that change no result: the others make another regression.
_BESIDE = (
    "IP",
    "SEEDS",
    "FIRST",
    "N",
    "OUT",
    "FRESH",
    "REPORT",
    "JUNIT",
    "WAVES",
    "CLUSTER",
    "QUEUE",
    "WALLTIME",
    "MEMORY",
    "WAIT",
)


def key(result: Mapping[str, Any]) -> str:
    """The folder of a result below that of the regression, which is its name among those of all systems."""
    return f"{result['ip']}/{result['name']}"


def key_of(job: Job) -> str:
    """The same of a job, before it has a result."""
    return key({"ip": job.ip, "name": job.name})


def default(given: Mapping[str, str], sim: str) -> Path:
    """Where a regression is that names no folder: each configuration has its own."""
    words = [f"{name}={value}" for name, value in sorted(given.items()) if name not in (*_BESIDE, "SIM")]
    return (RESULTS / "regress" / named(sim, *words)).resolve()


def hold(out: Path) -> IO[str]:
    """The lock of the folder, held until it is closed or this process dies; ArgumentError if another regression holds
    it.
    """
    out.mkdir(parents=True, exist_ok=True)
    lock = open(out / _LOCK, "a")  # noqa: SIM115  # the caller closes it
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        raise ArgumentError(
            f"another regression is running in {out}; wait for it, stop it, or give OUT=<another folder>"
        ) from None
    return lock


def begin(out: Path, default: Path, given: Mapping[str, str], sim: str) -> dict[str, dict[str, Any]]:
    """The results that are there from an earlier run of the same regression, by `key`; of another one the folder is
    emptied.

    default: the folder that is ours whatever is in it. An ERROR is not kept: it says that a run broke, not what it
    found.
    """
    words = {name: value for name, value in given.items() if name not in _BESIDE}
    state = {"words": words, "sim": sim, "version": simulators.find(sim).version, "sources": fingerprint()}
    path = out / _STATE
    try:
        same = json_of(path.read_text()) == state and not flag(given, "FRESH")
    except (OSError, ValueError):
        same = False
    if same:
        found = map(_read, out.glob("*/*/result.json"))
        return {key(result): result for result in found if result and result["verdict"] in ("PASS", "FAIL")}
    if path.exists() or out == default:
        for child in out.iterdir():
            if child.is_dir() and not child.is_symlink():
                if child.name == KEPT:
                    continue
                shutil.rmtree(child, ignore_errors=True)
            elif child.name not in (_LOCK, HISTORY):
                child.unlink()
    files.write(path, json.dumps(state, indent=1))
    return {}


def _read(path: Path) -> dict[str, Any] | None:
    """A result, unless it was being written when the run was killed, or is another run's."""
    try:
        result = json_of(path.read_text())
        return result | {"path": str(path)} if key(result) == f"{path.parent.parent.name}/{path.parent.name}" else None
    except (OSError, ValueError, TypeError, KeyError):
        return None


def fingerprint() -> str:
    """A hash of everything a result depends on."""
    return digest_of(_SOURCES)
