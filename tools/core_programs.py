# SPDX-License-Identifier: Apache-2.0
"""`make core SET=random`: tandem verification of a real core on many programs, without trace sources.

SET=random plays random programs that compute, and SET=<folder> every RV32 program of a folder, such as
build/programs/riscv-tests. One line for each program that does not pass, and the sum.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from pathlib import Path

from rvtrace.flow import simulators
from rvtrace.flow.cores import description, suite
from rvtrace.flow.cores.description import Core
from rvtrace.flow.cores.suite import Case, Outcome
from rvtrace.flow.jobs import RESULTS
from rvtrace.flow.progress import Progress
from rvtrace.jobs.arguments import ArgumentError, main_guard, number, parse

COUNT = 100  # random programs

WORDS = {
    "CORE": f"one of {', '.join(description.names())} (default ibex), or a folder with {description.FILE}",
    "SET": ("random, or a folder of ELF files such as build/programs/riscv-tests, of which those of RV32 are played"),
    "COUNT": f"random programs (default {COUNT})",
    "SEED": "number of the first of them (default 0)",
    "MATCH": "of a folder, the programs whose names match this pattern, such as rv32um-* (default *)",
    "LIMIT": f"cycles after which a program is stopped (default {suite.LIMIT})",
    "OUT": "folder of the results (default build/results/core-programs)",
}


def main(argv: list[str]) -> int:
    """0 if all programs pass, or every mutant is found, else 1."""
    given = parse(argv, WORDS, "Verify a real core against the reference simulator.", ("OUT",))
    core = Core.load(given.get("CORE", "ibex"))
    simulators.find("verilator")
    if core.install():
        print(f"installed {core.requirement}", flush=True)
    out = Path(given.get("OUT", RESULTS / "core-programs" / core.name)).resolve()
    what, seed = given.get("SET", "random"), number(given, "SEED", 0)
    if what == "random":
        cases = suite.random_cases(core, range(seed, seed + number(given, "COUNT", COUNT, least=1)), out / "programs")
    else:
        cases = _folder(core, Path(what), given.get("MATCH", "*"))
    return _programs(core, cases, out, number(given, "LIMIT", suite.LIMIT, least=1))


def _folder(core: Core, folder: Path, match: str) -> list[Case]:
    if not folder.is_dir():
        raise ArgumentError(
            f"SET={folder} is no folder; give random, or a folder of ELF files (`rvtrace programs` writes some)"
        )
    end = f".rv{core.hart.xlen}.elf"
    found = sorted(path for path in folder.glob(f"{match}.elf") if path.name.endswith(end) or ".rv" not in path.name)
    found += sorted(folder.glob(f"{match}{end}"))
    if not found:
        raise ArgumentError(f"{folder} has no program {match}{end}; give another SET= or MATCH=")
    return [
        Case(path.name.removesuffix(".elf").removesuffix(end[:-4]), path, f"make core CORE={core.shown} PROGRAM={path}")
        for path in dict.fromkeys(found)
    ]


def _programs(core: Core, cases: list[Case], out: Path, limit: int) -> int:
    begin = time.perf_counter()
    with Progress(len(cases), "programs") as progress:

        def show(outcome: Outcome) -> None:
            progress.step(outcome.verdict != "PASS")
            if outcome.verdict != "PASS":
                print("\n".join([f"{outcome.verdict:<5} {outcome.name}", *_said(outcome)]), flush=True)

        outcomes = suite.verify_all(core, cases, out, show, limit=limit)
    suite.save(out / "outcomes.json", outcomes)
    verdicts = Counter(outcome.verdict for outcome in outcomes)
    instructions = sum(outcome.instructions for outcome in outcomes)
    ok = verdicts["PASS"] == len(outcomes)
    print(
        f"{'PASS' if ok else 'FAIL'}  {verdicts['PASS']} of {len(outcomes)} programs pass on {core.title}:"
        f" {instructions:,} instructions in {time.perf_counter() - begin:.0f} s"
    )
    return 0 if ok else 1


def _said(outcome: Outcome) -> list[str]:
    if outcome.failures:
        return [f"      {line}" for line in outcome.failures[0].splitlines()]
    return [f"      {outcome.error}", f"      rerun {outcome.rerun}"]


if __name__ == "__main__":
    sys.exit(main_guard(main))
