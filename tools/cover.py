# SPDX-License-Identifier: Apache-2.0
"""`make cover`: close the coverage of all systems, or of those that IP= names, and measure the code coverage of their
RTL.

Runs first what is expected to hit most new bins in a second (`rvtrace.flow.cover.plan`), on the builds that tests and
`make` use as well, until every bin that can be reached was hit, SEEDS are used up or the BUDGET is; then few of these
runs on builds that count lines, branches and toggles (`rvtrace.flow.cover.code`). Ends with the holes, each with the
run that is most likely to hit it, and with what changed since the last time. Exits 1 if a hole is left, a run did not
pass, or a bin was hit that the definition calls unreachable.

Goes on where it was interrupted, unless sources or words changed. Leaves in OUT: cover.json
(`rvtrace.flow.cover.data`), history.json, functional and code coverage as Cobertura XML, the functional one as UCIS XML
too, the code's as lcov (code.info).
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from rvtrace.flow import simulators
from rvtrace.flow.cover import code_coverage
from rvtrace.flow.cover import data as cover_data
from rvtrace.flow.cover.account import Account, clock, fingerprint, forget, resume, same_as_before, save_cost
from rvtrace.flow.cover.code import CodeRuns
from rvtrace.flow.cover.holes import Holes, Try, aimed, stimuli
from rvtrace.flow.cover.lots import Done, Lot, drive
from rvtrace.flow.cover.plan import START_SECONDS, Plan
from rvtrace.flow.jobs import RESULTS, build_of, trouble
from rvtrace.tb import systems
from rvtrace.tb.common.arguments import ArgumentError, flag, main_guard, number, parse
from rvtrace.tb.common.builds import ROOT
from rvtrace.tb.common.coverage.export import DOCTYPE, cobertura, export_all, write
from rvtrace.tools import report

WORDS = {
    "IP": f"systems, joined by commas, default all: {', '.join(systems.NAMES)}",
    "SIM": "verilator (default) or icarus",
    "BUDGET": "minutes after which nothing more is begun, default none",
    "SEEDS": "most random walks of a system, default 400",
    "FIRST": "the first seed, default 1",
    "SIZE": "instructions of each walk, default 20000",
    "N": "processes, default the number of cores",
    "OUT": "folder of what is left, default build/cover",
    "CODE": "0: no code coverage of the RTL",
    "FRESH": "1: begin anew, even if the same was begun before",
    "TREND": "1: run nothing, say what changed between two runs",
    "A": (
        "the run to compare with: a cover.json, the first characters of a revision or date, or a number; default the"
        " one before"
    ),
    "B": "with TREND=1 the run that is compared, default the last",
}
_SHOWN = 40
_CODE_SHARE = 0.3  # of a budget


def main(argv: list[str]) -> int:
    """0 if everything ran well and no hole is left, else 1."""
    given = parse(argv, WORDS, "Close the coverage.")
    out = Path(given.get("OUT", ROOT / "build" / "cover")).resolve()
    if flag(given, "TREND"):
        print("\n".join(_between(out, given).lines()))
        return 0
    before = cover_data.find(out, given["A"]) if "A" in given else next(iter(cover_data.history(out)[-1:]), None)
    sim = given.get("SIM", "verilator")
    simulators.find(sim)
    runs = out / "runs" if "OUT" in given else RESULTS / "cover"
    code = sim == "verilator" and flag({"CODE": "1"} | given, "CODE")
    _minutes(given)
    mark, accounts = _mark(given, sim), _begin(out, runs, given, sim)
    session = _Session(accounts, out, runs, given, sim)
    session.close()
    measured = session.measure() if code else None
    cover = session.leave(measured, before)
    if _mark(given, sim) != mark:
        forget(out)
        print("sources changed while it ran: some runs are of the old ones; the next `make cover` begins anew")
    good = _told(cover, session, out)
    report.main([f"RESULTS={runs}", *([f"OUT={out / 'report'}"] if "OUT" in given else [])])
    return 0 if good else 1


def _between(out: Path, given: Mapping[str, str]) -> cover_data.Trend:
    entries = cover_data.history(out)
    if len(entries) < 2 and "A" not in given:
        raise ArgumentError(
            f"{out / cover_data.HISTORY} has {len(entries)} runs; a trend needs two, type `make cover` or give A=<a"
            " cover.json>"
        )
    return cover_data.Trend(cover_data.find(out, given.get("A", "-2")), cover_data.find(out, given.get("B", "-1")))


def _mark(given: Mapping[str, str], sim: str) -> str:
    return fingerprint({"SIM": sim, "SIZE": given.get("SIZE", ""), "FIRST": given.get("FIRST", "")})


def _begin(out: Path, runs: Path, given: Mapping[str, str], sim: str) -> list[Account]:
    """The systems that are asked for and those that were run before, with what was run."""
    chosen = [systems.find(name) for name in given.get("IP", ",".join(systems.NAMES)).split(",")]
    known = same_as_before(out, _mark(given, sim)) and not flag(given, "FRESH")
    if not known:
        for name in systems.NAMES:
            shutil.rmtree(runs / name, ignore_errors=True)
        shutil.rmtree(out / "code", ignore_errors=True)
    accounts = [Account(system) for system in chosen]
    accounts += [
        Account(systems.find(name))
        for name in systems.NAMES
        if (runs / name).exists() and name not in {a.system.ip for a in accounts}
    ]
    before = sum(resume(account, runs / account.system.ip) for account in accounts)
    if before:
        print(f"{before} runs were there before; going on (FRESH=1 begins anew)", flush=True)
    return accounts


_LONGEST = 1_000_000


def _minutes(given: Mapping[str, str]) -> float:
    """The budget; 0 is none."""
    try:
        minutes = float(given.get("BUDGET", "0"))
    except ValueError:
        raise ArgumentError(f"BUDGET={given['BUDGET']} is no number of minutes; give one, such as BUDGET=30") from None
    if not 0 <= minutes <= _LONGEST:
        raise ArgumentError(f"BUDGET={given['BUDGET']} is out of range; give BUDGET=0 to {_LONGEST} minutes")
    return minutes


class _Session:
    """One `make cover`: the plans of the systems and what they have cost."""

    def __init__(self, accounts: list[Account], out: Path, runs: Path, given: Mapping[str, str], sim: str) -> None:
        self.accounts, self.out, self.runs, self.sim = accounts, out, runs, sim
        self.workers = number(given, "N", os.cpu_count() or 1)
        self.budget = 60.0 * _minutes(given)
        self.begin = time.perf_counter()
        self.bad = sum(account.bad for account in accounts)
        self.stopped = False
        self.wanted = set(given.get("IP", ",".join(systems.NAMES)).split(","))
        self.code = sim == "verilator" and given.get("CODE") != "0"
        self.listed = {a.system.ip: stimuli(a.system, sim) for a in accounts}
        size, first, seeds = number(given, "SIZE", 20_000), number(given, "FIRST", 1), number(given, "SEEDS", 400)
        self.plans = {
            a.system.ip: Plan(
                a,
                sim,
                size,
                first,
                seeds,
                build_of,
                lambda account, n: aimed(account, self.listed[account.system.ip], n),
            )
            for a in accounts
            if a.system.ip in self.wanted
        }
        self.by_ip = {account.system.ip: account for account in accounts}

    @property
    def seconds(self) -> float:
        """Since the start."""
        return time.perf_counter() - self.begin

    def close(self) -> None:
        """Run until nothing is open, nothing is left, or the time is up."""
        share = 1 - _CODE_SHARE if self.code else 1.0

        def next_lot() -> Lot | None:
            if self.budget and self.seconds > share * self.budget:
                self.stopped = True
                return None
            # Each in turn: the one that was given least time.
            for ip, plan in sorted(self.plans.items(), key=lambda item: (self.by_ip[item[0]].cost.lots, item[0])):
                if jobs := plan.lot():
                    return self._lot(ip, jobs)
            return None

        drive(next_lot, self._closed, self.sim, self.workers)

    def _lot(self, ip: str, jobs: list[Any]) -> Lot:
        cost = self.by_ip[ip].cost
        cost.lots += 1
        folder = self.runs / ip
        place = next(p for n in range(cost.lots, 10**6) if not (p := folder / f"process-{n}").exists())
        place.mkdir(parents=True)
        for job in jobs:
            job.sim, job.out = self.sim, str(folder / job.name)
        return Lot(ip, build_of(jobs[0]), jobs, place)

    def _closed(self, done: Done) -> None:
        account = self.by_ip[done.lot.ip]
        account.cost.builds += done.build_cpu
        account.cost.runs += done.run_cpu
        records, clocks = [], sum(map(clock, done.results))
        busy = (
            min(1.0, max(done.run_cpu - START_SECONDS, 0.1) / clocks) if clocks else 1.0
        )  # others use the machine as well
        for job, result in zip(done.lot.jobs, done.results):
            records.append(account.add(job, result, busy))
            if result["verdict"] != "PASS":
                self._complain(result)
        self.plans[done.lot.ip].learn(records)
        save_cost(account, self.runs / done.lot.ip)
        kinds = " ".join(dict.fromkeys(job.source.partition(":")[0] for job in done.lot.jobs))
        hit, total = account.hit()
        self.say(
            f"{done.lot.ip:<9} {hit:>5} of {total:>5} bins  +{sum(r.new for r in records):<4} by {len(records)} runs"
            f" ({kinds})"
        )

    def _complain(self, result: dict[str, Any]) -> None:
        self.bad += 1
        if self.bad <= _SHOWN:
            print(trouble(result), flush=True)

    def measure(self) -> dict[str, code_coverage.FileCoverage] | None:
        """The code coverage; None if the budget left no time for it."""
        runs = CodeRuns(self.accounts, ROOT, self.out / "code", self.sim, build_of)

        def next_lot() -> Lot | None:
            if self.budget and self.seconds > self.budget:
                self.stopped = True
                return None
            return runs.lot()

        def told(done: Done) -> None:
            new = runs.told(done)
            save_cost(self.by_ip[done.lot.ip], self.runs / done.lot.ip)
            self.say(
                f"{done.lot.ip:<9} code coverage of a build: +{new} lines and branches by {len(done.results)} runs"
            )

        drive(next_lot, told, self.sim, self.workers)
        for result in runs.bad:
            self._complain(result)
        return runs.sum.files() if runs.builds else None

    def say(self, text: str) -> None:
        """A line with the time."""
        print(f"[{self.seconds:4.0f} s] {text}", flush=True)

    def leave(
        self, code: Mapping[str, code_coverage.FileCoverage] | None, before: cover_data.Entry | None
    ) -> dict[str, Any]:
        """Write everything; the content of cover.json."""
        tries: dict[str, list[Try]] = {a.system.ip: Holes(a, self.listed[a.system.ip]).ranked() for a in self.accounts}
        parts = [cover_data.of_system(account, tries[account.system.ip]) for account in self.accounts]
        cover = {
            "written": datetime.now().astimezone().isoformat(timespec="seconds"),
            "revision": cover_data.revision(),
            "seconds": round(self.seconds, 1),
            "closed": not self.bad and not any(a.open or a.surprises() for a in self.accounts),
            "systems": parts,
            "code": cover_data.of_code(code) if code else None,
            "trend": None,
        }
        cover = json.loads(json.dumps(cover))
        now = cover_data.entry(cover)
        if before is not None:
            cover["trend"] = cover_data.Trend(before, now).to_dict()
        (self.out / cover_data.COVER).write_text(json.dumps(cover, indent=1))
        cover_data.remember(self.out, now)
        export_all([(a.definition, a.counts) for a in self.accounts], self.out)
        if code:
            packages: dict[str, list[Any]] = {}
            for path, file in code.items():
                packages.setdefault(str(Path(path).parent), []).append(file.source())
            write(cobertura(packages, ROOT, cover["revision"]), self.out / "code.cobertura.xml", DOCTYPE)
            (self.out / "code.info").write_text(code_coverage.lcov(dict(code), ROOT))
        self.trend = cover_data.Trend(before, now).lines() if before is not None else []
        self.tries = [(ip, t) for ip, found in tries.items() for t in found]
        return cover


def _told(cover: Mapping[str, Any], session: _Session, out: Path) -> bool:
    """Print what was found; whether all is closed and passed."""
    if cover["code"]:
        _print_code(cover["code"])
    for account in session.accounts:
        for point, name in account.surprises():
            print(
                f"reached although it is excluded: {account.system.ip} {point}: {name}; correct the reason in"
                " tb/coverage"
            )
    for _, t in session.tries[:_SHOWN]:
        print(f"hole: {t.point}: {t.bin}   try: {t.command or '-'}\n      ({t.why})")
    if len(session.tries) > _SHOWN:
        print(f"and {len(session.tries) - _SHOWN} more holes; {out / cover_data.COVER} has them all")
    if session.trend:
        print("\n".join(session.trend))
    for account in session.accounts:
        cost = account.cost
        print(
            f"{'PASS' if not (account.open or account.bad or account.surprises()) else 'FAIL'}  {account.system.ip}:"
            f" {account.said}; CPU {cost.builds:.0f} s builds, {cost.runs:.0f} s runs,"
            f" {cost.code_builds + cost.code_runs:.0f} s code coverage"
        )
    stopped = "; the time was up, the same command goes on" if session.stopped else ""
    total = sum(account.cost.total for account in session.accounts)
    print(
        f"{'PASS' if cover['closed'] else 'FAIL'}  coverage in {session.seconds / 60:.1f} minutes, {total:.0f} s of CPU"
        f" ({os.path.relpath(out)}){stopped}"
    )
    return bool(cover["closed"])


def _print_code(code: Mapping[str, Any]) -> None:
    """A line for each folder of the RTL."""
    folders: dict[str, dict[str, list[int]]] = {}
    for file in code["files"]:
        rates = folders.setdefault(str(Path(file["path"]).parent), {kind: [0, 0] for kind in code_coverage.KINDS})
        for kind, (hit, count) in file["rates"].items():
            rates[kind] = [rates[kind][0] + hit, rates[kind][1] + count]
    shown: Callable[[list[int]], str] = lambda rate: code_coverage.percent((rate[0], rate[1]))  # noqa: E731
    print(f"{'code coverage of the RTL':<26}" + "".join(f"{kind:>10}" for kind in code_coverage.KINDS[:3]))
    for folder, rates in [*folders.items(), ("all", code["total"])]:
        print(f"{folder:<26}" + "".join(f"{shown(rates[kind]):>10}" for kind in code_coverage.KINDS[:3]))


if __name__ == "__main__":
    sys.exit(main_guard(main))
