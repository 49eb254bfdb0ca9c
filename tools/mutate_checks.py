# SPDX-License-Identifier: Apache-2.0
"""`make mutate-checks IP=ctr COUNT=100`: changes models and scoreboards at random places and tries the unit tests on
each: a weakened check that no test notices is a check that is not tested (rvtrace.flow.mutate.check_campaign).
"""

from __future__ import annotations

import os
import time
from difflib import unified_diff

from rvtrace.flow.mutate import check_campaign as campaign
from rvtrace.flow.mutate.check_mutants import CheckMutant, chosen, files_of
from rvtrace.flow.progress import Progress, during
from rvtrace.tb.common.arguments import ArgumentError, main_guard, number, parse
from rvtrace.tb.common.builds import ROOT

SYSTEMS = sorted(path.name for path in (ROOT / "scoreboards").iterdir() if (path / "__init__.py").exists())
WORDS = {
    "IP": f"a system, or what several share: {', '.join(SYSTEMS)}",
    "COUNT": "mutants, default 100",
    "SEED": "of the choice, default 1",
    "FILE": "a file or folder below models/ or scoreboards/, default all of the system",
    "PROCESSES": "tests in parallel, default the number of cores",
}


def main(argv: list[str]) -> int:
    """Exit code 1 if a mutant was not noticed."""
    given = parse(argv, WORDS, "Mutates models and scoreboards and shows what the unit tests do not notice.")
    ip = given.get("IP", "")
    if ip not in SYSTEMS:
        raise ArgumentError(f"IP={ip or '<nothing>'} has no models and scoreboards; give IP={' or '.join(SYSTEMS)}")
    files = files_of(ip)
    if (only := given.get("FILE")) is not None:
        files = [path for path in files if str(path.relative_to(ROOT)).startswith(only.rstrip("/"))]
        if not files:
            raise ArgumentError(f"FILE={only} is no file or folder of {ip} below models/ or scoreboards/")
    seed, workers = given.get("SEED", "1"), number(given, "PROCESSES", os.cpu_count() or 1)
    mutants = list(chosen(files, number(given, "COUNT", 100), seed))
    start, found = time.monotonic(), []
    with during(f"unit tests of {ip} once"):
        calls = campaign.baseline(ip, workers, lambda text: print(text, flush=True))
    progress = Progress(len(mutants), "mutants", bad="not noticed")

    def tell(outcome: campaign.Outcome) -> None:
        found.append(outcome)
        progress.step(not outcome.noticed)
        word = outcome.by or (f"NOT NOTICED by {outcome.tried} tests" if outcome.tried else "NOT CALLED by any test")
        m = outcome.mutant
        print(f"{len(found):>4} of {len(mutants)}  {m.file}:{m.line} {m.operator}: {word}", flush=True)

    with progress:
        outcomes = campaign.hunt(mutants, calls, ip, workers, tell)
    path = campaign.leave(ip, outcomes, seed)
    missed = [one for one in outcomes if not one.noticed]
    for one in missed:
        print(_diff(one.mutant))
    for title, key in (("operator", lambda one: one.mutant.operator), ("file", lambda one: one.mutant.file)):
        for name, noticed, total in campaign.rates(outcomes, key):
            print(f"{title:<9} {name:<44} {noticed:>4} of {total}")
    share, seconds = 100 * (1 - len(missed) / max(1, len(outcomes))), time.monotonic() - start
    print(
        f"{len(outcomes) - len(missed)} of {len(outcomes)} mutants of {ip} noticed, {share:.1f} %, {seconds:.0f} s; "
        f"{path.relative_to(ROOT)}"
    )
    return 1 if missed else 0


def _diff(mutant: CheckMutant) -> str:
    """The change in its context."""
    source = (ROOT / mutant.file).read_text()
    lines = unified_diff(
        source.splitlines(), mutant.apply(source).splitlines(), mutant.file, f"mutant {mutant.id}", n=2, lineterm=""
    )
    return "\n".join(lines)


if __name__ == "__main__":
    main_guard(main)
