# SPDX-License-Identifier: Apache-2.0
"""Builds simulations and runs lists of jobs in them.

A build is keyed by everything it is made of (sources, parameters, simulator, flags) and lives in build/sim/<key>; two
processes that want the same one wait for each other. A run is one simulator process for a list of jobs; whatever
goes wrong in it, each job gets a result that says so. None of these processes outlives the one that wanted it, where
the system has setpriv (Linux).
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from rvtrace.flow import processes, simulators
from rvtrace.flow.simulators import Simulator
from rvtrace.tb.common.arguments import json_of
from rvtrace.tb.common.builds import ROOT, Bench, BuildConfig
from rvtrace.tb.common.job import Job, save_jobs

BUILDS = ROOT / "build" / "sim"
_TAIL = 12  # lines of a log that an error shows
_TURN = 0.2  # seconds between two looks at a simulator that runs
_VERILATOR_FLAGS = (
    "--cc", "--exe", "--vpi", "--timing", "-O3", "--no-public-flat-rw", "--prefix", "Vtop", "-o", "Vtop",
    "--timescale-override", "1ns/1ns", "-Wno-fatal", "--x-initial", "unique", "--assert",
)  # fmt: skip
_COVERAGE_FLAGS = ("--coverage-line", "--coverage-toggle")
_FAST_FLAGS = ("-O0",)
_FAST_MAKE_FLAGS = ("OPT_FAST=-O0", "OPT_GLOBAL=-O0")
_CXX_FLAGS = "-std=gnu++20 -fcoroutines"
_MAKE_FLAGS = ("OPT_FAST=-O2", "OPT_GLOBAL=-O1", "OPT_SLOW=-O0")


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
    macros) of `rtl_dir`.
    """
    lists = [rtl_dir / folder / "files.f" for folder in bench.rtl]
    if sim == "verilator":
        lists += [path for folder in bench.rtl if (path := rtl_dir / folder / "files_verilator.f").exists()]
    lines = [line for listed in [*lists, bench.hdl / "files.f"] for line in _listed(listed)]
    files = [
        rtl_dir / Path(line).relative_to("rtl") if line.startswith("rtl/") else ROOT / line
        for line in dict.fromkeys(lines)
    ]
    return [flags, *files] if (flags := rtl_dir / "flags.f").exists() else files


def _named(files: list[Path]) -> list[str]:
    """As a simulator's command line has them; of a command file it reads the words."""
    return [word for path in files for word in (("-f", str(path)) if path.suffix == ".f" else (str(path),))]


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
) -> Build:
    """Compile, unless that was done before; with Verilator's code coverage if asked for. fast: Verilator and the C++
    compiler optimize nothing, for a first look at a design. SimError with the end of the log.
    """
    simulator = simulators.find(sim)
    files = sources(Path(rtl_dir).resolve(), config.bench, sim)
    kind = _waves_kind(sim) if waves else None
    flags = _COVERAGE_FLAGS if coverage and sim == "verilator" else ()
    flags += _FAST_FLAGS if fast and sim == "verilator" else ()
    place = BUILDS / _key(simulator, config, files, kind, flags)
    image = place / ("Vtop" if sim == "verilator" else "sim.vvp")
    with _locked(place):
        if not (place / "complete").exists():
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir(parents=True)
            begin = time.perf_counter()
            steps = _verilator_steps if sim == "verilator" else _icarus_steps
            with open(place / "build.log", "w") as log:
                for command in steps(simulator, config, files, place, kind, flags):
                    _step(command, log, place, simulator.env)
            shutil.rmtree(place / "obj", ignore_errors=True)
            (place / "complete").write_text(json.dumps({"seconds": time.perf_counter() - begin, **config.parameters}))
    return Build(simulator, image, kind, config.bench)


def _waves_kind(sim: str) -> str:
    if sim == "verilator" and not simulators.fst_headers():
        print(
            "WAVES=1: without the headers of liblz4-dev and zlib1g-dev the waveform is a VCD, not an FST",
            file=sys.stderr,
        )
        return "vcd"
    return "fst"


def cores() -> int:
    """Processor cores that this process may use: fewer than the machine has, where a cluster gave it some of them."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _tied(command: list[str]) -> list[str]:
    """The command, killed when this process dies: an orphan would write results into a folder that another regression
    has begun anew.
    """
    return ["setpriv", "--pdeathsig", "KILL", "--", *command] if shutil.which("setpriv") else command


def _key(
    simulator: Simulator, config: BuildConfig, files: list[Path], waves: str | None, flags: tuple[str, ...]
) -> str:
    digest = hashlib.sha256()
    for part in (
        simulator.version,
        simulator.where,
        config.key,
        _VERILATOR_FLAGS,
        _CXX_FLAGS,
        _MAKE_FLAGS,
        waves,
        flags,
        sys.prefix,
    ):
        digest.update(repr(part).encode())
    for path in [*files, config.bench.settings]:
        digest.update(path.name.encode() + path.read_bytes())
    return f"{simulator.name}-{config.label}-{digest.hexdigest()[:12]}"


@contextlib.contextmanager
def _locked(place: Path) -> Iterator[None]:
    place.parent.mkdir(parents=True, exist_ok=True)
    with open(place.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _verilator_steps(
    simulator: Simulator, config: BuildConfig, files: list[Path], place: Path, waves: str | None, flags: tuple[str, ...]
) -> Iterator[list[str]]:
    import cocotb_tools.config as cocotb

    if len(str(place).split()) > 1:
        raise SimError(
            f"{place} has a space in its path, where make cannot build; move the checkout, or give SIM=icarus"
        )
    libs = cocotb.libs_dir
    obj = place / "obj"
    trace = [f"--trace-{waves}"] if waves else []
    yield [
        *simulator.command, *_VERILATOR_FLAGS, *flags, *trace, "-Mdir", str(obj), "--top-module", config.bench.top,
        *(f"-G{name}={value}" for name, value in config.parameters.items()), "-CFLAGS", _CXX_FLAGS,
        "-LDFLAGS", f"-Wl,-rpath,{libs} -L{libs} -lcocotbvpi_verilator", str(config.bench.settings),
        *_named(files), str(cocotb.share_dir / "lib" / "verilator" / "verilator.cpp"),
    ]  # fmt: skip
    fast = flags[-1:] == _FAST_FLAGS
    runtime = _runtime(simulator, waves, flags[:-1] if fast else flags)
    hurry = _FAST_MAKE_FLAGS if fast and runtime.exists() else ()  # what all builds share is made well
    for made in runtime.glob("*.o"):
        shutil.copy(made, obj)
    yield ["make", "-s", "-C", str(obj), "-f", "Vtop.mk", f"-j{cores()}", *_MAKE_FLAGS, *hurry, *simulator.make, "Vtop"]
    if not runtime.exists():
        with contextlib.suppress(OSError):  # another process may be as far
            made = Path(tempfile.mkdtemp(dir=BUILDS))
            for path in obj.glob("verilated*.o"):
                shutil.copy(path, made)
            made.rename(runtime)
    yield ["mv", str(obj / "Vtop"), str(place / "Vtop")]


def _runtime(simulator: Simulator, waves: str | None, flags: tuple[str, ...]) -> Path:
    """Where Verilator's own objects are kept: they take most of a build's time and do not depend on the design."""
    key = repr((simulator, _VERILATOR_FLAGS, _CXX_FLAGS, _MAKE_FLAGS, waves, flags, simulator.make))
    return BUILDS / f"runtime-{hashlib.sha256(key.encode()).hexdigest()[:12]}"


def _icarus_steps(
    simulator: Simulator, config: BuildConfig, files: list[Path], place: Path, waves: str | None, flags: tuple[str, ...]
) -> Iterator[list[str]]:
    settings = place / "settings.f"
    settings.write_text("+timescale+1ns/1ns\n")
    top = config.bench.top
    roots, extra = ["-s", top], []
    if waves:
        dump = place / "dump.v"
        dump.write_text(f'module dump; initial begin $dumpfile("waves.fst"); $dumpvars(0, {top}); end endmodule\n')
        roots, extra = [*roots, "-s", "dump"], [str(dump)]
    yield [
        *simulator.command, "-g2012", "-o", str(place / "sim.vvp"), *roots, "-f", str(settings),
        *(f"-P{top}.{name}={value}" for name, value in config.parameters.items()), *_named(files), *extra,
    ]  # fmt: skip


def _step(command: list[str], log: Any, place: Path, env: dict[str, str]) -> None:
    log.write(" ".join(command) + "\n")
    log.flush()
    without_make = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    with subprocess.Popen(
        _tied(command), stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, env=without_make | env
    ) as process:
        try:
            while not processes.ended(process, _TURN):
                pass
        except BaseException:
            processes.kill(process)
            raise
    if process.returncode:
        log.flush()
        raise SimError(
            f"the build in {place} failed with exit code {process.returncode}; its log"
            f" ends:\n{_tail(place / 'build.log')}"
        )


def _tail(path: Path) -> str:
    try:
        lines = path.read_text(errors="replace").splitlines()
    except OSError:
        return "  (no log)"
    return "\n".join(f"  {line}" for line in lines[-_TAIL:]) or "  (the log is empty)"


def run(
    build: Build, jobs: list[Job], out_dir: Path, timeout: float = 1800, first: Path | None = None,
    tell: Callable[[dict[str, Any]], None] | None = None, stop: Stop | None = None, plusargs: Sequence[str] = (),
) -> list[dict[str, Any]]:  # fmt: skip
    """Run the jobs in one simulator process; their results in order, of which none is missing.

    first: where Python looks for modules first. tell: called with each result as soon as it is final. stop: once it is
    set, the simulator is killed and Stopped raised. plusargs: more words of the simulator's command
    line. Writes <out_dir>/jobs.json, simulator.log and, unless a job names another folder, <out_dir>/<job>/result.json.
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
    reported = 0

    def watch() -> None:
        nonlocal reported
        if stop is not None and stop.is_set():
            raise Stopped
        # The last one may yet turn out to be an error: see below.
        while tell is not None and reported < len(jobs) - 1 and (result := finished(jobs[reported])) is not None:
            tell(result)
            reported += 1

    trouble = _simulate(build, out_dir, timeout, first, watch, plusargs)
    results = []
    for job in jobs:
        why = trouble or f"the simulator left no result; see {out_dir / 'simulator.log'}"
        results.append(finished(job) or broken(job, why))
    if trouble and all(r["verdict"] == "PASS" for r in results):
        results[-1] |= {"verdict": "ERROR", "error": trouble}
        (Path(jobs[-1].out) / "result.json").write_text(json.dumps(results[-1], indent=1))
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
    return result if isinstance(result, dict) and "verdict" in result else None


def broken(job: Job, why: str) -> dict[str, Any]:
    """The ERROR of a job that could not be run, left in its folder as well."""
    from rvtrace.tb.common.results import blank

    result = blank(job) | {"error": why}
    path = Path(job.out) / "result.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(result, indent=1))
    return result


def _simulate(
    build: Build,
    out_dir: Path,
    timeout: float,
    first: Path | None,
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
        "PYTHONPATH": os.pathsep.join([*([str(first)] if first else []), str(ROOT), *sys.path]),
        "PYGPI_PYTHON_BIN": sys.executable,
        "TRACE_JOBS": str(out_dir / "jobs.json"),
        "COCOTB_REWRITE_ASSERTION_FILES": "",  # rewriting every module for pytest takes longer than most runs
        "COCOTB_TRUST_INERTIAL_WRITES": "1" if build.sim.name == "verilator" else "0",
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
                        f" ends:\n{_tail(out_dir / 'simulator.log')}"
                    )
        except BaseException:
            processes.kill(process)
            raise
    code = process.returncode
    ran, failed = _counts(results_xml)
    if code or ran != 1 or failed:
        why = f"exit code {code}, {ran} of 1 tests ran, {failed} failed"
        return f"the simulator broke ({why}); its log ends:\n{_tail(out_dir / 'simulator.log')}"
    return None


def _counts(results_xml: Path) -> tuple[int, int]:
    """Tests that ran and that failed: a test that was not found, or a crash, leaves an empty file or none."""
    try:
        cases = list(ET.parse(results_xml).getroot().iter("testcase"))
    except (OSError, ET.ParseError):
        return 0, 0
    bad = sum(any(child.tag in ("failure", "error", "skipped") for child in case) for case in cases)
    return len(cases), bad
