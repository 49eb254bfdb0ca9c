"""`make regress`: many random seeds, each with its own configuration, walk and drive, on shared builds.

Results are on disk as soon as they are known; the same command again goes on where it was killed, unless sources or
words changed. Ends in the report.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tools import report, simulators, systems
from tools.arguments import ArgumentError, flag, main_guard, number, parse
from tools.builds import ROOT
from tools.jobs import RESULTS, run_all, trouble

WORDS = {
    "IP": f"the system: {' or '.join(systems.NAMES)}", "SIM": "verilator (default) or icarus", "SEEDS": "how many, default 50", "FIRST": "the first seed, default 1",
    "SIZE": "instructions of each walk, default 20000", "N": "processes, default the number of cores", "OUT": "folder of the results",
    "DRIVE": "bulk or pins for every seed, default as drawn", "FRESH": "1: begin anew, even if the same regression was begun before",
    "REPORT": "0: no report at the end",
}  # fmt: skip
_BATCH = 10  # seeds in one process
_SOURCES = {"models": "*.py", "scoreboards": "*.py", "tb": "*", "rtl": "*", "tools": "*.py"}
_STATE = "regress.json"


def main(argv: list[str]) -> int:
    """0 if every seed passed, else 1."""
    system = systems.of(argv)
    given = parse(argv, {**WORDS, **system.words}, "Run random seeds.")
    sim, first, seeds = given.get("SIM", "verilator"), number(given, "FIRST", 1), number(given, "SEEDS", 50)
    if seeds < 1:
        raise ArgumentError(f"SEEDS={seeds} runs nothing; give SEEDS=1 or more")
    simulators.find(sim)
    out = Path(given.get("OUT", RESULTS / "regress")).resolve()
    base = system.options(given)
    jobs = [system.regressed(seed, base, number(given, "SIZE", 20_000)) for seed in range(first, first + seeds)]
    for job in jobs:
        job.drive = given.get("DRIVE", job.drive)
    kept = _begin(out, given, sim)
    left = [job for job in jobs if job.name not in kept]
    if len(left) < seeds:
        print(f"{seeds - len(left)} of {seeds} seeds were run before; going on (FRESH=1 begins anew)", flush=True)
    begin, done = time.perf_counter(), seeds - len(left)
    bad = sum(kept[job.name]["verdict"] != "PASS" for job in jobs if job.name in kept)

    def tell(result: dict[str, Any]) -> None:
        nonlocal done, bad
        done += 1
        if result["verdict"] != "PASS":
            bad += 1
            print(f"\r{trouble(result)}", flush=True)
        if sys.stdout.isatty() or done == seeds or done % _BATCH == 0:
            end = "\r" if sys.stdout.isatty() and done < seeds else "\n"
            print(f"{done} of {seeds} seeds, {bad} not passed, {time.perf_counter() - begin:.0f} s", end=end, flush=True)

    if left:
        run_all(left, sim, out, tell, number(given, "N", os.cpu_count() or 1), _BATCH, process=f"process-{os.getpid()}")
    print(f"{seeds - bad} of {seeds} seeds passed ({os.path.relpath(out, ROOT)})", flush=True)
    told = 0 if given.get("REPORT") == "0" else report.main([f"RESULTS={out}"])
    return 1 if bad or told else 0


def _begin(out: Path, given: Mapping[str, str], sim: str) -> dict[str, dict[str, Any]]:
    """The folder of this regression, and by name the results that are there from an earlier, killed run of the same.

    An ERROR is not kept: it says that a run broke, not what it found.
    """
    words = {name: value for name, value in given.items() if name not in ("SEEDS", "FIRST", "N", "OUT", "FRESH", "REPORT")}
    state = {"words": words, "sim": sim, "sources": fingerprint()}
    path = out / _STATE
    try:
        same = json.loads(path.read_text()) == state and not flag(given, "FRESH")
    except (OSError, ValueError):
        same = False
    if not same:
        if path.exists() or out == (RESULTS / "regress").resolve():
            shutil.rmtree(out, ignore_errors=True)
        out.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(state, indent=1))
        return {}
    kept = {}
    for result in out.glob("*/result.json"):
        try:
            found = json.loads(result.read_text())
        except ValueError:
            continue  # it was being written when the run was killed
        if found.get("verdict") in ("PASS", "FAIL"):
            kept[found["name"]] = found
    return kept


def fingerprint() -> str:
    """A hash of everything a result depends on: it changes with every source file of the project."""
    digest = hashlib.sha256()
    for folder, pattern in _SOURCES.items():
        for path in sorted((ROOT / folder).rglob(pattern)):
            if path.is_file() and "__pycache__" not in path.parts:
                digest.update(str(path.relative_to(ROOT)).encode() + path.read_bytes())
    return digest.hexdigest()[:16]


if __name__ == "__main__":
    sys.exit(main_guard(main))
