# SPDX-License-Identifier: Apache-2.0
"""`make mutate-checks IP=ctr COUNT=100`: changes models and scoreboards at random places and tries the unit tests on
each: a weakened check that no test notices is a check that is not tested (rvtrace.flow.mutate.check_campaign).

Exits 0 if each mutant is noticed by a test, or settled in tests/<ip>/equivalent_checks.toml.
"""

from __future__ import annotations

import os
import time
from dataclasses import replace
from difflib import unified_diff

from rvtrace.flow.mutate import check_campaign as campaign
from rvtrace.flow.mutate import equivalent
from rvtrace.flow.mutate.check_mutants import CheckMutant, chosen, files_of
from rvtrace.flow.progress import Progress, during
from rvtrace.jobs.arguments import ArgumentError, flag, main_guard, number, parse, short
from rvtrace.jobs.builds import ROOT

SYSTEMS = sorted(path.name for path in (ROOT / "scoreboards").iterdir() if (path / "__init__.py").exists())
WORDS = {
    "IP": f"a system, or what several share: {', '.join(SYSTEMS)}",
    "COUNT": "mutants, default 100",
    "SEED": "of the choice, default 1",
    "FILE": "a file or folder below models/ or scoreboards/, default all of the system",
    "PROCESSES": "tests in parallel, default the number of cores",
    "SECONDS": f"of tests that each mutant is tried by at most, default {campaign.MOST:.0f}",
    "SURVIVORS": "1: what an earlier campaign noticed stays noticed, although tests changed since",
}


def main(argv: list[str]) -> int:
    """Exit code 1 if a mutant was neither noticed nor settled."""
    given = parse(argv, WORDS, "Mutates models and scoreboards and shows what the unit tests do not notice.")
    ip = given.get("IP", "")
    if ip not in SYSTEMS:
        raise ArgumentError(f"IP={ip or '<nothing>'} has no models and scoreboards; give IP={' or '.join(SYSTEMS)}")
    files = files_of(ip)
    if (only := given.get("FILE")) is not None:
        files = [path for path in files if str(path.relative_to(ROOT)).startswith(only.rstrip("/"))]
        if not files:
            raise ArgumentError(f"FILE={only} is no file or folder of {ip} below models/ or scoreboards/")
    most = number(given, "SECONDS", int(campaign.MOST), least=1)
    seed, workers = given.get("SEED", "1"), number(given, "PROCESSES", os.cpu_count() or 1)
    mutants = list(chosen(files, number(given, "COUNT", 100), seed))
    texts = {one.file: (ROOT / one.file).read_text() for one in mutants}
    rows = equivalent.load(equivalent.path_of(ip, equivalent.CHECKS))
    everywhere = texts | {row.file: _text(row.file) for row in rows}
    for sentence in equivalent.stale(rows, everywhere, equivalent.CHECKS):
        print(sentence)
    known = campaign.before(ip) if flag(given, "SURVIVORS") else {}
    start, found = time.monotonic(), []
    with during(f"unit tests of {ip} once"):
        calls = campaign.baseline(ip, workers, lambda text: print(text, flush=True))
    progress = Progress(len(mutants), "mutants", bad="not noticed")
    words = " ".join(
        f"{name}={value}" for name, value in given.items() if name in ("IP", "COUNT", "SEED", "FILE", "SECONDS")
    )

    def leave() -> None:
        """What was found so far; of what is still to be tried, what an earlier campaign found."""
        done = {one.mutant.id for one in found}
        rest = [campaign.Outcome(one, *known[one.id]) for one in mutants if one.id in known and one.id not in done]
        campaign.leave(ip, found + rest, f"make mutate-checks {words}", time.monotonic() - start, len(mutants))

    def tell(outcome: campaign.Outcome) -> None:
        m = outcome.mutant
        row = None if outcome.noticed else equivalent.row_of(m, texts[m.file], rows)
        outcome = replace(outcome, reason=row.reason if row else "")
        found.append(outcome)
        progress.step(not outcome.settled)
        missed = f"NOT NOTICED by {outcome.tried} tests" if outcome.tried else "NOT CALLED by any test"
        word = outcome.by or ("equivalent" if outcome.reason else missed)
        print(f"{len(found):>4} of {len(mutants)}  {m.file}:{m.line} {m.operator}: {word}", flush=True)
        if len(found) % 20 == 0:
            leave()

    with progress:
        kept = [one for one in mutants if known.get(one.id, ("", 0))[0]]
        for mutant in kept:
            tell(campaign.Outcome(mutant, *known[mutant.id]))
        again = [one for one in mutants if not known.get(one.id, ("", 0))[0]]
        campaign.hunt(again, calls, ip, workers, tell, most)
    found.sort(key=lambda one: (one.mutant.file, one.mutant.start, one.mutant.after))
    leave()
    missed = [one for one in found if not one.settled]
    for one in missed:
        print(_diff(one.mutant))
        print(f"\nto settle it as equivalent, add to {short(equivalent.path_of(ip, equivalent.CHECKS))}:\n"
              f"{equivalent.suggested(one.mutant, texts[one.mutant.file])}\n")  # fmt: skip
    for title, key in (("operator", lambda one: one.mutant.operator), ("file", lambda one: one.mutant.file)):
        for name, noticed, total in campaign.rates(found, key):
            print(f"{title:<9} {name:<44} {noticed:>4} of {total}")
    noticed = sum(one.noticed for one in found)
    same = sum(bool(one.reason) for one in found)
    print(f"{noticed} of {len(found)} mutants of {ip} noticed, {same} equivalent: "
          f"{_percent(noticed, len(found) - same)} of the others; "
          f"{time.monotonic() - start:.0f} s; {short(campaign.path_of(ip))}")  # fmt: skip
    return 1 if missed else 0


def _percent(part: int, whole: int) -> str:
    """95.0 %; 100 % of nothing."""
    return f"{100 * part / whole:.1f} %" if whole else "100 %"


def _text(file: str) -> str:
    """Of a file that may be gone."""
    path = ROOT / file
    return path.read_text() if path.is_file() else ""


def _diff(mutant: CheckMutant) -> str:
    """The change in its context."""
    source = (ROOT / mutant.file).read_text()
    lines = unified_diff(
        source.splitlines(), mutant.apply(source).splitlines(), mutant.file, f"mutant {mutant.id}", n=2, lineterm=""
    )
    return "\n".join(lines)


if __name__ == "__main__":
    main_guard(main)
