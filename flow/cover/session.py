# SPDX-License-Identifier: Apache-2.0
"""One `make cover`: the plans of the systems, what they have cost, and what is left of them on disk."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Mapping
from contextlib import nullcontext
from datetime import datetime
from pathlib import Path
from typing import Any

from rvtrace.flow.cover import code_coverage
from rvtrace.flow.cover import data as cover_data
from rvtrace.flow.cover.account import Account, CoverLot, clock, fingerprint, resume, same_as_before, save_cost
from rvtrace.flow.cover.code import CodeRuns
from rvtrace.flow.cover.holes import Holes, Try, aimed, stimuli
from rvtrace.flow.cover.plan import START_SECONDS, Plan
from rvtrace.flow.jobs import Played, build_of, drive, trouble
from rvtrace.flow.progress import Progress, during
from rvtrace.flow.simulation import SimError
from rvtrace.jobs import files, front, systems
from rvtrace.jobs.arguments import ArgumentError, flag, number
from rvtrace.jobs.builds import ROOT
from rvtrace.tb.common.coverage.export import DOCTYPE, cobertura, export_all, write

_SHOWN = 40
_CODE_SHARE = 0.3  # of a budget
_MOST_MINUTES = 1_000_000


def minutes(given: Mapping[str, str]) -> float:
    """The budget; 0 is none."""
    try:
        minutes = float(given.get("BUDGET", "0"))
    except ValueError:
        raise ArgumentError(f"BUDGET={given['BUDGET']} is no number of minutes; give one, such as BUDGET=30") from None
    if not 0 <= minutes <= _MOST_MINUTES:
        raise ArgumentError(f"BUDGET={given['BUDGET']} is out of range; give BUDGET=0 to {_MOST_MINUTES} minutes")
    return minutes


def mark_of(given: Mapping[str, str], sim: str) -> str:
    """What decides whether the runs that are there can be kept: sources and words."""
    return fingerprint({"SIM": sim, "SIZE": given.get("SIZE", ""), "FIRST": given.get("FIRST", "")})


def accounts_of(out: Path, runs: Path, given: Mapping[str, str], sim: str) -> list[Account]:
    """The systems that are asked for and those that were run before, with what was run."""
    chosen = [systems.bench(name) for name in given.get("IP", ",".join(systems.NAMES)).split(",")]
    known = same_as_before(out, mark_of(given, sim)) and not flag(given, "FRESH")
    if not known:
        for name in systems.NAMES:
            shutil.rmtree(runs / name, ignore_errors=True)
        shutil.rmtree(out / "code", ignore_errors=True)
    accounts = [Account(system) for system in chosen]
    accounts += [
        Account(systems.bench(name))
        for name in systems.NAMES
        if (runs / name).exists() and name not in {a.system.ip for a in accounts}
    ]
    before = sum(resume(account, runs / account.system.ip) for account in accounts)
    if before:
        print(front.spoken(f"{before} runs were there before; going on (FRESH=1 begins anew)"), flush=True)
    return accounts


class Session:
    """One `make cover`: the plans of the systems and what they have cost."""

    def __init__(self, accounts: list[Account], out: Path, runs: Path, given: Mapping[str, str], sim: str) -> None:
        self.accounts, self.out, self.runs, self.sim = accounts, out, runs, sim
        self.workers = number(given, "N", os.cpu_count() or 1)
        self.budget = 60.0 * minutes(given)
        self.begin = time.perf_counter()
        self.bad = sum(account.bad for account in accounts)
        self.stopped, self.unbuilt = False, 0
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
        hit, total = (sum(each) for each in zip(*(account.hit() for account in accounts)))
        self.progress = Progress(total, "bins", done=hit, failed=self.bad, bad="runs not passed", even=False)

    @property
    def seconds(self) -> float:
        """Since the start."""
        return time.perf_counter() - self.begin

    def close(self) -> None:
        """Run until nothing is open, nothing is left, or the time is up."""
        share = 1 - _CODE_SHARE if self.code else 1.0

        def next_lot() -> CoverLot | None:
            if self.budget and self.seconds > share * self.budget:
                self.stopped = True
                return None
            # Each in turn: the one that was given least time.
            for ip, plan in sorted(self.plans.items(), key=lambda item: (self.by_ip[item[0]].cost.lots, item[0])):
                if jobs := plan.lot():
                    return self._lot(ip, jobs)
            return None

        with self.progress, during("all lots", share * self.budget) if self.budget else nullcontext():
            drive(next_lot, self.sim, self.workers, ended=self._closed, until=self._until(share))

    def _until(self, share: float = 1.0) -> float | None:
        """When what is under way is stopped, of time.monotonic."""
        return time.monotonic() + max(0.0, share * self.budget - self.seconds) if self.budget else None

    def _lot(self, ip: str, jobs: list[Any]) -> CoverLot:
        cost = self.by_ip[ip].cost
        cost.lots += 1
        folder = self.runs / ip
        place = next(p for n in range(cost.lots, 10**6) if not (p := folder / f"process-{n}").exists())
        place.mkdir(parents=True)
        for job in jobs:
            job.sim, job.out = self.sim, str(folder / job.name)
        return CoverLot(build_of(jobs[0]), jobs, place, ip)

    def _closed(self, done: Played[CoverLot]) -> None:
        _demand_built(done)
        if done.stopped:
            self.stopped = True
            self.unbuilt += not (done.lot.place / "jobs.json").exists()
        if not done.results:
            return
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
        self.progress.done, self.progress.failed = sum(each.hit()[0] for each in self.accounts), self.bad
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

        def next_lot() -> CoverLot | None:
            if self.budget and self.seconds > self.budget:
                self.stopped = True
                return None
            return runs.lot()

        def ended(done: Played[CoverLot]) -> None:
            _demand_built(done)
            if done.stopped:
                self.stopped = True
                return  # half of a build's runs are no measurement
            new = runs.ended(done)
            save_cost(self.by_ip[done.lot.ip], self.runs / done.lot.ip)
            self.say(
                f"{done.lot.ip:<9} code coverage of a build: +{new} lines and branches by {len(done.results)} runs"
            )

        with during("measuring code coverage"):
            drive(next_lot, self.sim, self.workers, ended=ended, until=self._until(), coverage=True)
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
        files.write(self.out / cover_data.COVER, json.dumps(cover, indent=1))
        cover_data.remember(self.out, now)
        export_all([(a.definition, a.counts) for a in self.accounts], self.out)
        if code:
            packages: dict[str, list[Any]] = {}
            for path, file in code.items():
                packages.setdefault(str(Path(path).parent), []).append(file.source())
            write(cobertura(packages, ROOT, cover["revision"]), self.out / "code.cobertura.xml", DOCTYPE)
            files.write(self.out / "code.info", code_coverage.lcov(dict(code), ROOT))
        self.trend = cover_data.Trend(before, now).lines() if before is not None else []
        self.tries = [(ip, t) for ip, found in tries.items() for t in found]
        return cover


def _demand_built(done: Played[CoverLot]) -> None:
    """SimError if a build broke: the other lots need most of the same sources."""
    if done.refused:
        raise SimError(done.refused)
