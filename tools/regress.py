"""`make regress`: many random seeds, each with its own configuration, walk and drive, on shared builds."""

from __future__ import annotations

import os
import shutil
import sys
import time
from pathlib import Path
from typing import Any

from tools import simulators
from tools.arguments import CONFIG_WORDS, ArgumentError, config_options, main_guard, number, parse
from tools.jobs import RESULTS, drawn, run_all, trouble
from tools.sim import ROOT

WORDS = {
    "IP": "the system, ntrace", "SIM": "verilator (default) or icarus", "SEEDS": "how many, default 50", "FIRST": "the first seed, default 1",
    "SIZE": "instructions of each walk, default 20000", "N": "processes, default the number of cores", "OUT": "folder of the results",
    "DRIVE": "bulk (default) or pins", **CONFIG_WORDS,
}  # fmt: skip
_BATCH = 10  # seeds in one process


def main(argv: list[str]) -> int:
    """0 if every seed passed, else 1."""
    given = parse(argv, WORDS, "Run random seeds.")
    sim, first, seeds = given.get("SIM", "verilator"), number(given, "FIRST", 1), number(given, "SEEDS", 50)
    if seeds < 1:
        raise ArgumentError(f"SEEDS={seeds} runs nothing; give SEEDS=1 or more")
    simulators.find(sim)
    out = Path(given.get("OUT", RESULTS / "regress")).resolve()
    shutil.rmtree(out, ignore_errors=True) if "OUT" not in given else None
    base = config_options(given)
    jobs = [drawn(seed, base, number(given, "SIZE", 20_000)) for seed in range(first, first + seeds)]
    for job in jobs:
        job.drive = given.get("DRIVE", "bulk")
    begin, done, bad = time.perf_counter(), 0, 0

    def tell(result: dict[str, Any]) -> None:
        nonlocal done, bad
        done += 1
        if result["verdict"] != "PASS":
            bad += 1
            print(f"\r{trouble(result)}", flush=True)
        if sys.stdout.isatty() or done == seeds or done % _BATCH == 0:
            end = "\r" if sys.stdout.isatty() and done < seeds else "\n"
            print(f"{done} of {seeds} seeds, {bad} not passed, {time.perf_counter() - begin:.0f} s", end=end, flush=True)

    run_all(jobs, sim, out, tell, number(given, "N", os.cpu_count() or 1), _BATCH)
    print(f"{seeds - bad} of {seeds} seeds passed; `make report` shows them ({os.path.relpath(out, ROOT)})")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main_guard(main))
