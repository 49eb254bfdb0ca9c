"""`make cover`: close the coverage of a system, and show the code coverage of its RTL beside it.

Runs the recorded programs, every directed scenario and then random seeds, round by round, until every bin that can be
reached was hit or SEEDS are used up. Exits 1 with the names of the holes if some are left, or if a bin was hit that the
definition calls unreachable.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from tb.coverage.model import Counts, Definition
from tools import code_coverage, report, simulators, systems
from tools.arguments import flag, main_guard, number, parse
from tools.builds import ROOT
from tools.jobs import RESULTS, run_all, trouble

WORDS = {
    "IP": f"the system: {' or '.join(systems.NAMES)}", "SIM": "verilator (default) or icarus", "SEEDS": "most random seeds, default 400",
    "FIRST": "the first seed, default 1", "SIZE": "instructions of each walk, default 20000", "N": "processes, default the number of cores",
    "OUT": "folder of the results", "CODE": "0: no code coverage of the RTL (faster builds)",
}  # fmt: skip
_ROUND = 40  # seeds between two looks at the holes
_SHOWN = 40


def main(argv: list[str]) -> int:
    """0 if everything ran well and no hole is left, else 1."""
    given = parse(argv, WORDS, "Close the coverage.")
    system = systems.of(argv)
    sim = given.get("SIM", "verilator")
    simulators.find(sim)
    code = sim == "verilator" and flag({"CODE": "1"} | given, "CODE")
    out = Path(given.get("OUT", RESULTS / "cover")).resolve()
    shutil.rmtree(out, ignore_errors=True)
    run = _Runner(system.definition, sim, out, number(given, "N", os.cpu_count() or 1), code)
    run.jobs(system.programs(everything=True), "recorded programs")
    run.jobs(system.directed(sim), "directed scenarios")
    for seed in range(1, 4):
        if stories := [replace(job, name=f"{job.name}-{seed}") for job in system.stories(sim, seed=seed)]:
            run.jobs(stories, f"stories of the trace system, seed {seed}")
    first, most, used = number(given, "FIRST", 1), number(given, "SEEDS", 400), 0
    while used < most and run.holes():
        lot = [system.drawn(first + used + n, size=number(given, "SIZE", 20_000)) for n in range(min(_ROUND, most - used))]
        used += len(lot)
        run.jobs(lot, f"random seeds {first + used - len(lot)} to {first + used - 1}")
    _show_code(out, code)
    told = report.main([f"RESULTS={out}"])
    for name in run.surprises:
        print(f"reached although it is excluded: {name}; correct the reason in tb/coverage")
    holes = run.holes()
    for hole in holes[:_SHOWN]:
        print(f"hole: {hole}")
    if len(holes) > _SHOWN:
        print(f"and {len(holes) - _SHOWN} more; the report has them all")
    good = not (holes or run.bad or run.surprises or told)
    print(f"{'PASS' if good else 'FAIL'} {run.said()} after {used} random seeds")
    return 0 if good else 1


class _Runner:
    """Runs lists of jobs and keeps the merged coverage."""

    def __init__(self, definition: Definition, sim: str, out: Path, workers: int, code: bool) -> None:
        self.definition, self.sim, self.out, self.workers, self.code = definition, sim, out, workers, code
        self.counts: Counts = definition.merge([])
        self.bad = self.done = 0
        self.begin = time.perf_counter()

    def jobs(self, jobs: list[Any], what: str) -> None:
        """Run these, and say where the coverage stands."""
        seen: list[Counts] = []

        def tell(result: dict[str, Any]) -> None:
            self.done += 1
            if result["verdict"] != "PASS":
                self.bad += 1
                print(trouble(result), flush=True)
            if result.get("coverage"):
                seen.append(result["coverage"])

        run_all(jobs, self.sim, self.out, tell, self.workers, process=f"process-{self.done}", coverage=self.code)
        self.counts = self.definition.merge([self.counts, *seen])
        print(f"{what}: {len(jobs)} runs; {self.said()}, {time.perf_counter() - self.begin:.0f} s", flush=True)

    def holes(self) -> list[str]:
        """`point: bin` of every bin still to be hit."""
        return [f"{p.name}: {name}" for p in self.definition.points for name in p.holes(self.counts)]

    @property
    def surprises(self) -> list[str]:
        """`point: bin` of every excluded bin that was hit."""
        return [f"{p.name}: {name}" for p in self.definition.points for name in p.surprises(self.counts)]

    def said(self) -> str:
        """How far it is closed."""
        hit, total = self.definition.hit(self.counts)
        return f"{hit} of {total} bins hit, {self.bad} of {self.done} runs not passed"


def _show_code(out: Path, wanted: bool) -> None:
    """Print the code coverage and leave it as code.json and code.info."""
    if not wanted:
        return
    files = code_coverage.merge(sorted(out.glob("*/coverage.dat")), ROOT)
    width = max(map(len, files))
    print(f"{'code coverage of the RTL':<{width}}  " + "  ".join(f"{kind:>8}" for kind in code_coverage.KINDS))
    table = {}
    for name, file in files.items():
        rates = {kind: file.rate(kind) for kind in code_coverage.KINDS}
        missed = [[line, what] for line, what in file.missed("line", "branch")]
        table[name] = {"rates": rates, "missed": missed}
        print(f"{name:<{width}}  " + "  ".join(f"{code_coverage.percent(rate):>8}" for rate in rates.values()))
    (out / "code.json").write_text(json.dumps(table, indent=1))
    (out / "code.info").write_text(code_coverage.lcov(files, ROOT))


if __name__ == "__main__":
    sys.exit(main_guard(main))
