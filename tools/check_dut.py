# SPDX-License-Identifier: Apache-2.0
"""`make check DUT=`: a DUT in the testbench. Programs, directed scenarios and random seeds that apply to what it
claims, then a compliance report.

    python -m rvtrace.tools.check DUT=acme SIM=verilator SEEDS=20 K=sort OUT=out

Leaves OUT/index.html, compliance.json and junit.xml, and below OUT/runs the result of each run. Exits 0 if the report
says PASS. Ctrl-C or SIGTERM ends it with the report of the runs that are done, which is never a PASS, and exit code
130.
"""

from __future__ import annotations

import shutil
import signal
import sys
import threading
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from rvtrace.flow import simulators
from rvtrace.flow.dut.description import Dut, DutError
from rvtrace.flow.dut.doctor import counted
from rvtrace.flow.dut.select import Selection, left_out, not_applicable, not_run, select
from rvtrace.flow.dut.stand import fitted, written
from rvtrace.flow.jobs import RESULTS, line, run_all, trouble
from rvtrace.flow.simulation import SimError, build, finished
from rvtrace.report.compliance import write
from rvtrace.report.compliance_model import Subject
from rvtrace.tb import systems
from rvtrace.tb.common.arguments import ArgumentError, number, parse, short, typed
from rvtrace.tb.common.job import Job

WORDS = {
    "DUT": "name of a folder below examples, or a folder with a dut.toml",
    "SIM": "verilator (default) or icarus",
    "SEEDS": "random seeds, default 20",
    "FIRST": "the first seed, default 1",
    "K": "part of a name, or several joined by commas: only those runs",
    "OUT": "folder of report and results, default build/results/dut/<name>-<simulator>",
    "N": "processes, default 2",
}
_EVERY = 5.0  # seconds between two lines about the progress
_QUIET = 20.0  # seconds without a line, away from a terminal, before it is said what takes so long
_INTERRUPTED = 130  # exit code of what Ctrl-C ended
_NAMES = 60  # characters of the names of clauses at the end of a line
_TOLD = 6  # failures that are shown as they come, one of each clause


def main(argv: list[str]) -> int:
    """0 for PASS, 1 for FAIL, 130 if it was stopped."""
    given = parse(argv, WORDS, __doc__ or "")
    sim, seeds, workers = given.get("SIM", "verilator"), number(given, "SEEDS", 20), number(given, "N", 2)
    if workers < 1:
        raise ArgumentError(f"N={workers} runs nothing; give N=1 or more")
    found = simulators.find(sim)
    dut = Dut.load(given["DUT"])
    print(f"simulator {found.version}", flush=True)
    system = systems.find(dut.ip)
    out = Path(given.get("OUT", RESULTS / "dut" / f"{dut.name}-{sim}"))
    chosen = select(dut, system, seeds, sim, number(given, "FIRST", 1))
    jobs = [job for job in chosen.jobs if any(part in job.name for part in given.get("K", "").split(","))]
    if not jobs:
        raise _nothing(dut, given, chosen)
    groups: dict[Any, list[Job]] = {}
    for job in jobs:
        groups.setdefault(system.build_of(job), []).append(job)
    places = {
        config: written(dut, fitted(dut, system, config)) for config in groups
    }  # before the first simulation: what is wrong is said at once
    print(
        f"{dut.title}: {len(jobs)} run{'s' * (len(jobs) != 1)} in {len(groups)} build{'s' * (len(groups) != 1)};"
        f" {len(chosen.left)} more do not apply to what it claims",
        flush=True,
    )
    shutil.rmtree(out / "runs", ignore_errors=True)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    stopped = False
    with Progress(len(jobs)) as progress:
        try:
            _play(groups, places, sim, workers, out, dut, progress)
        except KeyboardInterrupt:
            stopped = True
            progress.collect(jobs)
    return _report(dut, system, chosen, progress, found.version, out, stopped)


def _play(
    groups: dict[Any, list[Job]],
    places: dict[Any, Path],
    sim: str,
    workers: int,
    out: Path,
    dut: Dut,
    progress: Progress,
) -> None:
    """Each build with its runs, in as many simulators as there are workers."""
    for place, (config, lot) in enumerate(groups.items()):
        progress.begin(f"{place + 1} of {len(groups)}{varied(config, groups)}", len(lot))
        _built(dut, config, sim, places[config], first=place == 0)
        shares = [lot[k::workers] for k in range(workers)]  # some of the long programs for each
        turn, batch = [job for share in shares for job in share], len(shares[0])
        progress.play([turn[i : i + batch] for i in range(0, len(turn), batch)])
        run_all(
            turn, sim, out / "runs", progress.tell, workers, batch, rtl_dir=places[config], process=f"build-{place}"
        )


def _built(dut: Dut, config: Any, sim: str, place: Path, first: bool) -> None:
    """A build, before its runs. The first must do: what a simulator cannot read there, it cannot read in any; a later
    one that breaks is reported by its runs.
    """
    try:
        build(config, sim, place)
    except SimError as error:
        if not first:
            return
        print(error, flush=True)
        other = next(name for name in simulators.SIMULATORS if name != sim)
        raise DutError(
            f"{dut.path}: {sim} refused the sources, the end of its log is above; correct them, or give SIM={other}"
        ) from None


def _nothing(dut: Dut, given: dict[str, str], chosen: Selection) -> ValueError:
    if "K" in given and chosen.jobs:
        return ArgumentError(
            f"K={given['K']} is in none of the {len(chosen.jobs)} names; such as {chosen.jobs[0].name} (K= is a part of"
            " one)"
        )
    why = counted(chosen.left, 1)
    return DutError(
        f"{dut.path}: no run applies to what is claimed ({why[0][0] if why else 'nothing is there'}); claim more in"
        f" [options], or type `{typed('make doctor', {'DUT': dut.shown})}`"
    )


def varied(config: Any, builds: Iterable[Any]) -> str:
    """The parameters of a build in which builds differ, for a line."""
    every = [one.parameters for one in builds]
    told = [
        f"{name}={value}" for name, value in config.parameters.items() if len({str(one[name]) for one in every}) > 1
    ]
    return f" ({' '.join(told)})" if told else ""


class Progress:
    """What is said while runs end, and while they do not: on a terminal in a last line that changes. results: of all
    that ended.
    """

    def __init__(self, total: int) -> None:
        self.total = total
        self.results: list[dict[str, Any]] = []
        self.bad = 0
        self._clauses: set[str] = set()
        self._begun = self._said = time.monotonic()
        self._lots: list[list[str]] = []
        self._building = ""
        self._live = sys.stdout.isatty()
        self._lock, self._over = threading.RLock(), threading.Event()
        self._clock = threading.Thread(target=self._tick, daemon=True)

    def __enter__(self) -> Progress:
        self._clock.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._clock.join()
        self._print(end="")

    def begin(self, what: str, count: int) -> None:
        """A build with its runs."""
        with self._lock:
            self._building, self._lots = what, []
            self._print(f"build     {what}, then {count} run{'s' * (count != 1)}")

    def play(self, lots: Sequence[Sequence[Job]]) -> None:
        """The build is there; a simulator plays each of these lots, one run after the other."""
        with self._lock:
            self._building, self._lots = "", [[job.name for job in lot] for lot in lots]

    def tell(self, result: dict[str, Any]) -> None:
        """One more."""
        with self._lock:
            self.results.append(result)
            self._lots = [[name for name in lot if name != result["name"]] for lot in self._lots]
            if result["verdict"] != "PASS":
                self.bad += 1
                self._failure(result)
            elif result["source"].startswith("program:"):
                self._print(line(result))
            if len(self.results) == self.total or not self._live and time.monotonic() - self._said > _EVERY:
                self._said = time.monotonic()
                self._print(self.line())

    def collect(self, jobs: Iterable[Job]) -> None:
        """What is on disk, and was not reported before it was stopped."""
        told = {result["name"] for result in self.results}
        self.results += [
            result for job in jobs if job.out and job.name not in told and (result := finished(job)) is not None
        ]

    def line(self) -> str:
        """How far it is, and what takes time now."""
        now = ", ".join(lot[0] for lot in self._lots if lot)
        doing = f"building {self._building}" if self._building else f"now {now}" if now else ""
        return (
            f"{len(self.results):>5} of {self.total} runs, {self.bad} failed, {time.monotonic() - self._begun:.0f} s"
            + (f"; {doing}" if doing else "")
        )

    def _tick(self) -> None:
        while not self._over.wait(1.0):
            with self._lock:
                if self._live:
                    print(f"\r\033[K{self.line()[: shutil.get_terminal_size().columns - 1]}", end="", flush=True)
                elif time.monotonic() - self._said > _QUIET:
                    self._said = time.monotonic()
                    self._print(self.line())

    def _print(self, text: str = "", end: str = "\n") -> None:
        """A line that stays, in place of the one that changes."""
        print(("\r\033[K" if self._live else "") + text, end=end, flush=True)

    def _failure(self, result: dict[str, Any]) -> None:
        clauses = {name for name, (_, failed) in result["clauses"].items() if failed} or {str(result["error"])}
        if clauses - self._clauses and len(self._clauses) < _TOLD:
            self._print(line(result))
            self._print(trouble(result | {"failures": result["failures"][:1]}))
        else:
            self._print(f"{line(result)}  {', '.join(sorted(clauses))[:_NAMES]}")
        self._clauses |= clauses


def _report(
    dut: Dut, system: Any, chosen: Selection, progress: Progress, simulator: str, out: Path, stopped: bool
) -> int:
    results, far = progress.results, f"{len(progress.results)} of {progress.total} runs"
    about = {
        "module": f"{dut.top}, {len(dut.sources.files)} source files",
        "checked as": (
            "every byte of our reference profile"
            if dut.exact
            else "lossless and legal; it does not declare our reference profile"
        ),
        "claims": "; ".join(f"{name} {dut.claims.text(name)}" for name in dut.claims.named) or "the defaults",
        "left out": left_out(chosen.without) or "nothing that the hart reports",
        "simulator": simulator,
        "runs": (
            f"{len(results)} of {len(chosen.jobs)} that apply, {len(chosen.left)} do"
            f" not{'; stopped before the others' * stopped}"
        ),
    }
    every = [*system.programs(everything=True), *system.directed(chosen.jobs[0].sim)]
    hidden = not_run(dut, system)
    if stopped:
        hidden = dict.fromkeys(system.plan.clauses, f"stopped after {far}, none of which met it") | hidden
        why = {"problems": [f"stopped after {far}; the same command begins anew"]}  # of the evidence: no PASS
        results = [results[0] | why, *results[1:]] if results else []
    subject = Subject(dut.name, dut.ip, dut.title, about, not_applicable(dut, system, chosen, every), hidden)
    compliance = write(subject, results, dut.waivers, out)
    if stopped:
        print(f"\nstopped: {far} are done, and the report of these is in {short(out / 'index.html')}", flush=True)
        return _INTERRUPTED
    print(f"\n{compliance.verdict}  {compliance.sentence}")
    print(f"report: {short(out / 'index.html')}")
    return compliance.exit_code
