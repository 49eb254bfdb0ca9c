# SPDX-License-Identifier: Apache-2.0
"""Builds simulations and runs lists of jobs in them.

A build is keyed by everything it is made of (see `Recipe.key`), lives in build/sim/<key> and is shared with the other
checkouts of this user (rvtrace.flow.cache); two processes that want the same one wait for each other. A run is one
simulator process for a list of jobs; whatever goes wrong in it, each job gets a result that says so.
None of these processes outlives the one that wanted it, where the system has setpriv (Linux).
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from rvtrace.flow import cache as kept
from rvtrace.flow import processes, simulators
from rvtrace.flow.compilers import OF_VERILATOR, Recipe, compile_vvp, verilate
from rvtrace.flow.generate import rows
from rvtrace.flow.progress import during
from rvtrace.flow.simulators import Simulator
from rvtrace.flow.test_logs import TestLogs
from rvtrace.jobs import files
from rvtrace.jobs.arguments import json_of, short
from rvtrace.jobs.builds import ROOT, Bench, BuildConfig
from rvtrace.jobs.job import WAVES, Job, save_jobs

BUILDS = ROOT / "build" / "sim"
_TAIL = 12  # lines of a log that an error shows
_HERE, _COPY = "rvtrace", "design/rtl"  # links to this checkout and to a copy of rtl/, in the folder of a build
_LOG, _COMPLETE, _BUILT = "build.log", "complete", "built.jsonl"
_TURN = 0.2  # seconds between two looks at a simulator that runs


class SimError(ValueError):
    """A build or run that broke; the text holds the last lines of its log."""


class Stopped(Exception):
    """A run that was asked to stop: its jobs that were not finished have no result."""


class Stop(Protocol):
    """What is asked whether a run is to stop, such as a threading.Event."""

    def is_set(self) -> bool:
        """Whether it is."""
        ...


@dataclass(frozen=True)
class Build:
    """A simulation that is ready to run. image: the executable (Verilator) or the vvp file (Icarus)."""

    sim: Simulator
    image: Path
    waves: str | None  # "fst", "vcd" or None
    bench: Bench


def sources(rtl_dir: Path, bench: Bench, sim: str = "icarus") -> list[Path]:
    """The SystemVerilog files in the order of compilation; `rtl_dir` takes the place of rtl/.

    Verilator also gets the assertions of files_verilator.f, where the folder has one; both a flags.f (include folders,
    macros) of `rtl_dir`. Writes those that are generated (`rvtrace.flow.generate.rows`).
    """
    lists = [rtl_dir / folder / "files.f" for folder in bench.rtl]
    if sim == "verilator":
        lists += [path for folder in bench.rtl if (path := rtl_dir / folder / "files_verilator.f").exists()]
    lines = [line for listed in [*lists, bench.hdl / "files.f"] for line in _listed(listed)]
    rows.write(lines)
    files = [
        rtl_dir / Path(line).relative_to("rtl") if line.startswith("rtl/") else ROOT / line
        for line in dict.fromkeys(lines)
    ]
    return [flags, *files] if (flags := rtl_dir / "flags.f").exists() else files


def _listed(path: Path) -> list[str]:
    try:
        lines = path.read_text().splitlines()
    except OSError:
        raise SimError(f"{path} was not found; give a copy of rtl/ as the folder of the design") from None
    return [line.strip() for line in lines if line.strip() and not line.startswith("//")]


def build(
    config: BuildConfig,
    sim: str = "verilator",
    rtl_dir: Path = ROOT / "rtl",
    waves: bool = False,
    coverage: bool = False,
    fast: bool = False,
    turn: str = "",
    stop: Stop | None = None,
) -> Build:
    """Compile, unless that was done before; with Verilator's code coverage if asked for. fast: Verilator and the C++
    compiler optimize nothing, for a first look at a design. turn: of the builds that are made, for the line
    that shows it. stop: once it is set, the compilers are killed and Stopped raised. SimError with the end of the log.
    """
    recipe = recipe_of(config, sim, rtl_dir, waves, coverage, fast)
    place = BUILDS / recipe.key
    with _shown_as(recipe, turn), kept.locked(place.with_suffix(".lock")):
        if not _complete(place):
            with kept.making(recipe.key):
                if not _fetched(recipe, place):
                    _make(recipe, place, Path(rtl_dir).resolve(), stop)
    return Build(recipe.simulator, place / recipe.image, recipe.waves, config.bench)


def recipe_of(
    config: BuildConfig,
    sim: str = "verilator",
    rtl_dir: Path = ROOT / "rtl",
    waves: bool = False,
    coverage: bool = False,
    fast: bool = False,
) -> Recipe:
    """What a build is made of."""
    simulator, rtl_dir = simulators.find(sim), Path(rtl_dir).resolve()
    files = sources(rtl_dir, config.bench, sim)
    kind = _waves_kind(sim) if waves else None
    compiled = sim == "verilator"
    # Coverage counts lines of files by their paths; of all else, checkouts at different places are the same.
    names = [str(path) if coverage and compiled else _shown(path, rtl_dir) for path in files]
    return Recipe(
        simulator, config, tuple(files), tuple(names), kind, coverage=coverage and compiled, fast=fast and compiled
    )


def _shown(path: Path, rtl_dir: Path) -> str:
    """A source as the simulator has it: below the design or this checkout, wherever those are, so that copies of the
    same files are the same build.
    """
    if rtl_dir != ROOT / "rtl" and path.is_relative_to(rtl_dir):
        return f"{_COPY}/{path.relative_to(rtl_dir)}"
    return f"{_HERE}/{path.relative_to(ROOT)}" if path.is_relative_to(ROOT) else str(path)


def _readable(text: str, rtl_dir: Path | None = None) -> str:
    """What a simulator says, with the paths of its sources as they are from the root of the checkout."""
    text = re.sub(rf"(?<![\w/.-]){_HERE}/(?=\w)", "", text)
    return text if rtl_dir is None else re.sub(rf"(?<![\w/.-]){_COPY}/", lambda _: f"{short(rtl_dir)}/", text)


def _complete(place: Path) -> bool:
    """Whether a build is there, and files that it read beside its sources, such as included ones, are what they
    were.
    """
    try:
        read = json.loads((place / _COMPLETE).read_text()).get("read", {})
    except (OSError, ValueError):
        return False
    return all(_digest(Path(path)) == digest for path, digest in read.items())


def _digest(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return "not there"


def _fetched(recipe: Recipe, place: Path) -> bool:
    shutil.rmtree(place, ignore_errors=True)
    return kept.fetch(recipe.key, (recipe.image, _LOG, _COMPLETE), place) and _complete(place)


def _make(recipe: Recipe, place: Path, rtl_dir: Path, stop: Stop | None = None) -> None:
    """Compile now."""
    if recipe.simulator.name == "verilator" and len(str(place).split()) > 1:
        raise SimError(
            f"{place} has a space in its path, where make cannot build; move the checkout, or give SIM=icarus"
        )
    simulators.libpython()  # without which the simulation could not start: before minutes of compiling, not after
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    for link, target in ((_HERE, ROOT), (_COPY, rtl_dir)):
        (place / link).parent.mkdir(exist_ok=True)
        (place / link).symlink_to(target)
    begin = time.perf_counter()
    with open(place / _LOG, "w") as log:

        def step(command: Sequence[str]) -> None:
            _step(list(command), log, place, recipe.simulator.env, rtl_dir, stop)

        if recipe.simulator.name == "verilator":
            read = verilate(recipe, place, step, processes.cores())
        else:
            read = compile_vvp(recipe, place, step)
    seconds = time.perf_counter() - begin
    kept.took(recipe.history, seconds)
    _note(recipe, seconds)
    for link in (_HERE, _COPY):
        (place / link).unlink()
    shutil.rmtree(place / Path(_COPY).parent, ignore_errors=True)
    shutil.rmtree(place / "obj", ignore_errors=True)
    beside = {str(path): _digest(path) for path in sorted(_beside(recipe, read))}
    about = {"seconds": seconds, "read": beside, **recipe.config.parameters}
    part = place / f"{_COMPLETE}.part"
    part.write_text(json.dumps(about))
    part.replace(place / _COMPLETE)
    if not beside:  # else the key is not all that it depends on
        kept.keep(recipe.key, [place / name for name in (recipe.image, _LOG, _COMPLETE)])


def _note(recipe: Recipe, seconds: float) -> None:
    with open(BUILDS / _BUILT, "a") as built:  # a line at once: processes append to the same file
        built.write(json.dumps([recipe.simulator.name, recipe.key, seconds]) + "\n")


def built(since: int = 0) -> tuple[list[tuple[str, str, float]], int]:
    """What this checkout compiled: of each build simulator, key and seconds, from a place in the list on; the place
    after the last.
    """
    try:
        text = (BUILDS / _BUILT).read_text()
    except OSError:
        return [], 0
    return [(one[0], one[1], float(one[2])) for one in map(json.loads, text[since:].splitlines())], len(text)


def _beside(recipe: Recipe, read: set[Path]) -> set[Path]:
    """Of the files that were read those which the key does not cover, such as included ones."""
    known = {path.resolve() for path in (*recipe.files, recipe.config.bench.settings)}
    return {path for path in read - known if path.name not in OF_VERILATOR and path.suffix != ".f"}


def _shown_as(recipe: Recipe, turn: str) -> AbstractContextManager[None]:
    """The build as what takes time now, with the seconds that it took last time."""
    before = kept.seconds(recipe.history)
    what = f"{recipe.config.bench.top} {recipe.config.label}{' with waveforms' if recipe.waves else ''}"
    what += " with code coverage" if recipe.coverage else ""
    if turn:
        what = f"{turn}: {what}"
    first = "" if before is not None else " for the first time"
    return during(f"building {what} on {recipe.simulator.version.split(' (')[0]}{first}", before)


def _waves_kind(sim: str) -> str:
    if sim == "verilator" and not simulators.fst_headers():
        print(
            "WAVES=1: without the headers of liblz4-dev and zlib1g-dev the waveform is a VCD, not an FST",
            file=sys.stderr,
        )
        return "vcd"
    return "fst"


def _tied(command: list[str]) -> list[str]:
    """The command, killed when this process dies: an orphan would write results into a folder that another regression
    has begun anew.
    """
    return ["setpriv", "--pdeathsig", "KILL", "--", *command] if shutil.which("setpriv") else command


def _step(
    command: list[str], log: Any, place: Path, env: dict[str, str], rtl_dir: Path, stop: Stop | None = None
) -> None:
    log.write(" ".join(command) + "\n")
    log.flush()
    without_make = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    with subprocess.Popen(
        _tied(command),
        cwd=place,
        stdout=log,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        env=without_make | env,
        start_new_session=stop is not None,  # make's compilers end with it
    ) as process:
        try:
            while not processes.ended(process, _TURN):
                if stop is not None and stop.is_set():
                    raise Stopped
        except BaseException:
            if stop is not None:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
            processes.kill(process)
            raise
    if process.returncode:
        log.flush()
        end = _readable(_tail(place / _LOG), rtl_dir)
        raise SimError(f"the build in {place} failed with exit code {process.returncode}; its log ends:\n{end}")


def _tail(path: Path) -> str:
    try:
        lines = path.read_text(errors="replace").splitlines()
    except OSError:
        return "  (no log)"
    return "\n".join(f"  {line}" for line in lines[-_TAIL:]) or "  (the log is empty)"


def run(
    build: Build, jobs: list[Job], out_dir: Path, timeout: float = 1800,
    tell: Callable[[dict[str, Any]], None] | None = None, stop: Stop | None = None, plusargs: Sequence[str] = (),
) -> list[dict[str, Any]]:  # fmt: skip
    """Run the jobs in one simulator process; their results in order, of which none is missing.

    tell: called with each result as soon as it is final. stop: once it is set, the simulator is killed and Stopped
    raised. plusargs: more words of the simulator's command line. Writes <out_dir>/jobs.json, simulator.log and, unless
    a job names another folder, <out_dir>/<job>/result.json.
    """
    if not jobs:
        raise SimError("no job was given to the simulator; a run of nothing proves nothing")
    out_dir = Path(out_dir).resolve()
    out_dir.mkdir(parents=True, exist_ok=True)
    for job in jobs:
        job.out = str(Path(job.out).resolve()) if job.out else str(out_dir / job.name)
        job.sim = build.sim.name
        (Path(job.out) / "result.json").unlink(missing_ok=True)
    save_jobs(jobs, out_dir / "jobs.json")
    reported, logs = 0, TestLogs(jobs)

    def watch() -> None:
        nonlocal reported
        if stop is not None and stop.is_set():
            raise Stopped
        logs.show()
        # The last one may yet turn out to be an error: see below.
        while tell is not None and reported < len(jobs) - 1 and (result := finished(jobs[reported])) is not None:
            tell(result)
            reported += 1

    trouble = _simulate(build, out_dir, timeout, watch, plusargs)
    logs.show(final=True)
    results = []
    for job in jobs:
        why = trouble or f"the simulator left no result; see {out_dir / 'simulator.log'}"
        results.append(finished(job) or broken(job, why))
    if trouble and all(r["verdict"] == "PASS" for r in results):
        results[-1] |= {"verdict": "ERROR", "error": trouble}
        files.write(Path(jobs[-1].out) / "result.json", json.dumps(results[-1], indent=1))
    if tell is not None:
        for result in results[reported:]:
            tell(result)
    return results


def finished(job: Job) -> dict[str, Any] | None:
    """What a job left in its folder, or None if there is nothing yet, or it is still being written."""
    try:
        result = json_of((Path(job.out) / "result.json").read_text())
    except (OSError, ValueError):
        return None
    return result | {"folder": job.out} if isinstance(result, dict) and "verdict" in result else None


def broken(job: Job, why: str) -> dict[str, Any]:
    """The ERROR of a job that could not be run, left in its folder as well."""
    from rvtrace.jobs.results import blank

    result = blank(job) | {"error": why}
    files.write(Path(job.out) / "result.json", json.dumps(result, indent=1))
    return result


def _simulate(
    build: Build,
    out_dir: Path,
    timeout: float,
    watch: Callable[[], None],
    plusargs: Sequence[str],
) -> str | None:
    """One sentence and the end of the log if the process was not what it should have been, else None.

    watch: called again and again while it runs; what it raises ends the simulator.
    """
    import cocotb_tools.config as cocotb

    results_xml = out_dir / "results.xml"
    results_xml.unlink(missing_ok=True)
    env = os.environ | {
        "COCOTB_TEST_MODULES": build.bench.module,
        "COCOTB_TOPLEVEL": build.bench.top,
        "TOPLEVEL_LANG": "verilog",
        "COCOTB_RESULTS_FILE": str(results_xml),
        "COCOTB_LOG_LEVEL": "WARNING",
        "GPI_LOG_LEVEL": "WARNING",
        "COCOTB_ANSI_OUTPUT": "0",
        "COCOTB_RANDOM_SEED": "1",
        "OPENBLAS_NUM_THREADS": "1",  # else each process begins threads that wait for work in a busy loop
        "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path]),
        "PYGPI_PYTHON_BIN": sys.executable,
        "TRACE_JOBS": str(out_dir / "jobs.json"),
        WAVES: build.waves or "",
        "COCOTB_REWRITE_ASSERTION_FILES": "",  # rewriting every module for pytest takes longer than most runs
        "COCOTB_TRUST_INERTIAL_WRITES": "1" if build.sim.name == "verilator" else "0",
        # A build names no folder of a checkout, as others use it as well.
        "LD_LIBRARY_PATH": os.pathsep.join(filter(None, [str(cocotb.libs_dir), os.environ.get("LD_LIBRARY_PATH")])),
        "GPI_USERS": f"{simulators.libpython()};{cocotb.pygpi_entry_point()}",
    }
    for name in ("COCOTB_TEST_FILTER", "COCOTB_TESTCASE"):
        env.pop(name, None)
    if build.sim.name == "verilator":
        # Registers without a reset start at random values, as they would in silicon.
        command = [str(build.image), "+verilator+rand+reset+2", "+verilator+seed+1"]
        command += ["--trace", "--trace-file", f"waves.{build.waves}"] if build.waves else []
    else:
        command = ["vvp", "-n", "-m", cocotb.lib_name_path("vpi", "icarus").as_posix(), str(build.image)]
        command += ["-fst"] if build.waves else ["-none"]
    command += plusargs
    begin = time.monotonic()
    # In a separate session: Ctrl-C is for us, who then decide what is kept.
    with (
        open(out_dir / "simulator.log", "w") as log,
        subprocess.Popen(
            _tied(command),
            cwd=out_dir,
            env=env,
            stdout=log,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        ) as process,
    ):
        try:
            while not processes.ended(process, _TURN):
                watch()
                if time.monotonic() - begin > timeout:
                    processes.kill(process)
                    return (
                        f"the simulator was stopped after {timeout:.0f} s; its log"
                        f" ends:\n{_readable(_tail(out_dir / 'simulator.log'))}"
                    )
        except BaseException:
            processes.kill(process)
            raise
    ended = f"exit code {process.returncode}" if process.returncode else ""
    return trouble_of(results_xml, out_dir / "simulator.log", ended)


def trouble_of(results_xml: Path, log: Path, ended: str) -> str | None:
    """Of a simulator that has ended: one sentence and the end of its log if it was not what it should have been, else
    None. ended: how, if it did not end well.
    """
    ran, failed = _counts(results_xml)
    if not ended and ran == 1 and not failed:
        return None
    why = f"{ended or 'exit code 0'}, {ran} of 1 tests ran, {failed} failed"
    return f"the simulator broke ({why}); its log ends:\n{_readable(_tail(log))}"


def _counts(results_xml: Path) -> tuple[int, int]:
    """Tests that ran and that failed: a test that was not found, or a crash, leaves an empty file or none."""
    try:
        cases = list(ET.parse(results_xml).getroot().iter("testcase"))
    except (OSError, ET.ParseError):
        return 0, 0
    bad = sum(any(child.tag in ("failure", "error", "skipped") for child in case) for case in cases)
    return len(cases), bad
