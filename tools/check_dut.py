"""`make check DUT=`: an IP on the stand. Programs, directed scenarios and random seeds that apply to what it claims, then a compliance report.

    python -m tools.check DUT=acme SIM=verilator SEEDS=20 K=sort OUT=out

Leaves OUT/index.html, compliance.json and junit.xml, and below OUT/runs the result of each run. Exits 0 if the report says PASS.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tb.job import Job
from tools import simulators, systems
from tools.arguments import ArgumentError, number, parse, short
from tools.compliance import write
from tools.compliance_model import Subject
from tools.dut.description import Dut, DutError
from tools.dut.doctor import counted
from tools.dut.select import Selection, left_out, not_applicable, not_run, select
from tools.dut.stand import fitted, written
from tools.jobs import RESULTS, line, run_all, trouble
from tools.sim import SimError, build

WORDS = {
    "DUT": "name of a folder below tb/duts, or a folder with a dut.toml", "SIM": "verilator (default) or icarus", "SEEDS": "random seeds, default 20",
    "FIRST": "the first seed, default 1", "K": "part of a name, or several joined by commas: only those runs", "OUT": "folder of report and results, default build/results/dut/<name>-<simulator>",
    "N": "processes, default 2",
}  # fmt: skip
_EVERY = 5.0  # seconds between two lines about the progress
_NAMES = 60  # characters of the names of clauses behind a line
_TOLD = 6  # failures that are shown as they come, one of each clause


def main(argv: list[str]) -> int:
    """0 for PASS, 1 for FAIL."""
    given = parse(argv, WORDS, __doc__ or "")
    sim, seeds, workers = given.get("SIM", "verilator"), number(given, "SEEDS", 20), number(given, "N", 2)
    if workers < 1:
        raise ArgumentError(f"N={workers} runs nothing; give N=1 or more")
    found = simulators.find(sim)
    dut = Dut.load(given["DUT"])
    system = systems.find(dut.ip)
    out = Path(given.get("OUT", RESULTS / "dut" / f"{dut.name}-{sim}"))
    chosen = select(dut, system, seeds, sim, number(given, "FIRST", 1))
    jobs = [job for job in chosen.jobs if any(part in job.name for part in given.get("K", "").split(","))]
    if not jobs:
        raise _nothing(dut, given, chosen)
    groups: dict[Any, list[Job]] = {}
    for job in jobs:
        groups.setdefault(system.build_of(job), []).append(job)
    places = {config: written(dut, fitted(dut, system, config)) for config in groups}  # before the first simulation: what is wrong is said at once
    print(f"simulator {found.version}")
    print(f"{dut.title}: {len(jobs)} run{'s' * (len(jobs) != 1)} in {len(groups)} build{'s' * (len(groups) != 1)}; {len(chosen.left)} more do not apply to what it claims", flush=True)
    shutil.rmtree(out / "runs", ignore_errors=True)
    progress = Progress(len(jobs))
    for place, (config, lot) in enumerate(groups.items()):
        progress.begin(f"{place + 1} of {len(groups)}{varied(config, groups)}", len(lot))
        if place == 0:
            _built(dut, config, sim, places[config])
        shares = [lot[k::workers] for k in range(workers)]  # some of the long programs for each
        run_all([job for share in shares for job in share], sim, out / "runs", progress.tell, workers, len(shares[0]), rtl_dir=places[config], process=f"build-{place}")
    return _report(dut, system, chosen, progress, found.version, out)


def _built(dut: Dut, config: Any, sim: str, place: Path) -> None:
    """The first build, alone: what a simulator cannot read, it cannot read in any of them."""
    try:
        build(config, sim, place)
    except SimError as error:
        print(error, flush=True)
        other = next(name for name in simulators.SIMULATORS if name != sim)
        raise DutError(f"{dut.path}: {sim} refused the sources, the end of its log is above; correct them, or give SIM={other}") from None


def _nothing(dut: Dut, given: dict[str, str], chosen: Selection) -> ValueError:
    if "K" in given and chosen.jobs:
        return ArgumentError(f"K={given['K']} is in none of the {len(chosen.jobs)} names; such as {chosen.jobs[0].name} (K= is a part of one)")
    why = counted(chosen.left, 1)
    return DutError(f"{dut.path}: no run applies to what is claimed ({why[0][0] if why else 'nothing is there'}); claim more in [options], or type `make doctor DUT={dut.shown}`")


def varied(config: Any, builds: Iterable[Any]) -> str:
    """The parameters of a build in which builds differ, for a line."""
    every = [asdict(one) for one in builds]
    told = [f"{name}={value}" for name, value in asdict(config).items() if len({str(one[name]) for one in every}) > 1]
    return f" ({' '.join(told)})" if told else ""


class Progress:
    """What is said while runs end. results: of all of them."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.results: list[dict[str, Any]] = []
        self.bad = 0
        self._clauses: set[str] = set()
        self._begun = self._said = time.monotonic()

    def begin(self, what: str, count: int) -> None:
        """A build with its runs."""
        print(f"build     {what}, then {count} run{'s' * (count != 1)}", flush=True)

    def tell(self, result: dict[str, Any]) -> None:
        """One more."""
        self.results.append(result)
        if result["verdict"] != "PASS":
            self.bad += 1
            self._failure(result)
        elif result["source"].startswith("program:"):
            print(line(result), flush=True)
        now = time.monotonic()
        if now - self._said > _EVERY or len(self.results) == self.total:
            self._said = now
            print(f"{len(self.results):>5} of {self.total} runs, {self.bad} failed, {now - self._begun:.0f} s", flush=True)

    def _failure(self, result: dict[str, Any]) -> None:
        clauses = {name for name, (_, failed) in result["clauses"].items() if failed} or {str(result["error"])}
        if clauses - self._clauses and len(self._clauses) < _TOLD:
            print(line(result), flush=True)
            print(trouble(result | {"failures": result["failures"][:1]}), flush=True)
        else:
            print(f"{line(result)}  {', '.join(sorted(clauses))[:_NAMES]}", flush=True)
        self._clauses |= clauses


def _report(dut: Dut, system: Any, chosen: Selection, progress: Progress, simulator: str, out: Path) -> int:
    about = {
        "module": f"{dut.top}, {len(dut.sources.files)} source files",
        "held to": "every byte of our reference profile" if dut.exact else "lossless and legal; it does not declare our reference profile",
        "claims": "; ".join(f"{name} {dut.claims.text(name)}" for name in dut.claims.named) or "the defaults",
        "left out": left_out(chosen.without) or "nothing that the hart tells",
        "simulator": simulator,
        "runs": f"{len(progress.results)} of {len(chosen.jobs)} that apply, {len(chosen.left)} do not",
    }  # fmt: skip
    every = [*system.programs(everything=True), *system.directed(chosen.jobs[0].sim)]
    subject = Subject(dut.name, dut.ip, dut.title, about, not_applicable(dut, system, chosen, every), not_run(dut, system))
    compliance = write(subject, progress.results, dut.waivers, out)
    print(f"\n{compliance.verdict}  {compliance.sentence}")
    print(f"report: {short(out / 'index.html')}")
    return compliance.exit_code
