# SPDX-License-Identifier: Apache-2.0
"""`make mutate IP=ctr COUNT=300 SEED=1`: mutants of the RTL from its syntax trees, and the first check that kills each
(rvtrace.flow.faults). DUT=: of the RTL of a device, which shows how good its stimulus is.

Leaves build/mutate/<ip>/faults.json and index.html. Exits 0 if each mutant is killed by a check, or settled in
tests/<ip>/equivalent.toml.
"""

from __future__ import annotations

import importlib.metadata
import sys
import time
from difflib import get_close_matches

from rvtrace.flow import simulators
from rvtrace.flow.dut.description import Dut
from rvtrace.flow.faults import equivalent
from rvtrace.flow.faults.campaign import Campaign, Mutated, Subject
from rvtrace.flow.faults.generate import Chosen, Mutant, choose
from rvtrace.flow.faults.prove import Prover
from rvtrace.flow.faults.runner import REFUSED, SURVIVED
from rvtrace.flow.faults.subjects import SEEDS, campaigns, of_device, of_system
from rvtrace.flow.progress import Progress
from rvtrace.jobs import systems
from rvtrace.jobs.arguments import ArgumentError, flag, main_guard, number, parse, short, typed
from rvtrace.report import faults as report

COUNT = 100
WORDS = {
    "IP": f"the system or part of one, of {', '.join((*systems.NAMES, *systems.PARTS))}; default all that have RTL",
    "DUT": "name of a folder below examples, or a folder with a dut.toml: mutants of its sources",
    "COUNT": f"mutants of each system, default {COUNT}",
    "SEED": "of the choice, default 1",
    "SEEDS": f"random seeds that every mutant must survive, default {SEEDS}",
    "MUTANT": "a mutant by its name, or several with commas: only these of the choice",
    "SURVIVORS": "1: what an earlier campaign killed stays killed, although checks or stimulus changed since",
    "PHASES": "1: each scenario once; 2: and in all configurations; 3: and random seeds; 4 (default): and programs",
    "QUICK": "1: on Icarus, each scenario in one configuration, if that takes little: for a first look and for CI",
    "LIST": "1: print the mutants, and run nothing",
    "PROVE": "0: without Yosys",
    "SIM": "verilator (default) or icarus",
    "N": "processes, default 2",
}


def main(argv: list[str]) -> int:
    """0 if nothing is unsettled, else 1."""
    given = parse(argv, WORDS, __doc__ or "")
    count, seed, sim = number(given, "COUNT", COUNT, least=1), number(given, "SEED", 1), given.get("SIM", "verilator")
    if sim not in ("verilator", "icarus"):
        raise ArgumentError(f"SIM={sim} is not known; give SIM=verilator or SIM=icarus")
    if "IP" in given and "DUT" in given and Dut.load(given["DUT"]).ip != given["IP"]:
        raise ArgumentError(f"DUT={given['DUT']} is not for IP={given['IP']}; omit IP=")
    if "IP" in given and given["IP"] not in campaigns():
        near = get_close_matches(given["IP"], campaigns(), 1)
        hint = f"did you mean IP={near[0]}? " if near else ""
        raise ArgumentError(f"IP={given['IP']} has no RTL of its own; {hint}give IP={' or '.join(campaigns())}")
    seeds = number(given, "SEEDS", SEEDS)
    good = True
    for ip in [""] if "DUT" in given else [given["IP"]] if "IP" in given else list(campaigns()):
        quick = flag(given, "QUICK")
        sim = "icarus" if quick else sim
        subject = of_device(given["DUT"], sim, seeds) if not ip else of_system(ip, sim, seeds)
        phases = number(given, "PHASES", len(subject.phases), least=1)
        subject.first_look, subject.phases = phases < len(subject.phases), subject.phases[:phases]
        if quick:
            subject.quick, subject.phases = True, subject.phases[:1]
        good = _one(subject, given, count, seed) and good
    return 0 if good else 1


def _one(subject: Subject, given: dict[str, str], count: int, seed: int) -> bool:
    """One campaign; whether nothing is left to settle."""
    begin = time.perf_counter()
    subject.design.check()
    chosen = choose(subject.design, count, seed)
    _choose_named(chosen, given)
    if flag(given, "LIST"):
        for mutant in chosen.mutants:
            print(mutant.name, mutant.diff(subject.design.texts[mutant.file], 0), "", sep="\n")
        return True
    _say_chosen(subject, chosen, count)
    rows = [] if subject.design.device else equivalent.rows(subject.name)
    for sentence in equivalent.stale(rows, subject.design.texts):
        print(f"RED   {sentence}")

    def settle(mutant: Mutant) -> tuple[str, str] | None:
        row = equivalent.row_of(mutant, subject.design.texts[mutant.file], rows)
        return (row.proof or "equivalent.toml", row.equivalent) if row else None

    proves = flag({"PROVE": "1", **given}, "PROVE")
    prove = Prover(subject.design, subject.builds).prove if proves else lambda mutant: ""
    progress = Progress(len(chosen.mutants), "mutants", bad="not killed")

    def tell(row: Mutated, done: int, killed: int, total: int) -> None:
        if row.state == SURVIVED or row.how in ("traceback", "timeout"):
            note(f"{row.state}  {row.fault}  {row.how} {row.headline}")
        progress.done, progress.failed = done, done - killed

    def note(text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    survivors = flag(given, "SURVIVORS")
    campaign = Campaign(subject, chosen, number(given, "N", 2, least=1), tell, note, settle, prove, survivors)
    with progress:
        found = campaign.run()
    seconds = time.perf_counter() - begin
    what = {"DUT": given["DUT"]} if "DUT" in given else {"IP": subject.name}
    more = {word: given[word] for word in ("SEEDS", "SIM", "QUICK", "PHASES", "SURVIVORS") if word in given}
    command = typed("mutate", {**what, "COUNT": str(count), "SEED": str(seed), **more})
    refused = sum(row.state == REFUSED for row in found)
    summary = report.summary(
        subject.title, command, found, seconds, subject.clauses, places=chosen.sites,
        dropped=chosen.dropped | ({"refused by the simulator": refused} if refused else {}),
        versions={"simulator": simulators.find(subject.sim).version, "pyslang": importlib.metadata.version("pyslang")},
    )  # fmt: skip
    code = report.ended(subject.folder, summary)
    for mutant in (one for one, row in zip(chosen.mutants, found) if row.state == SURVIVED):
        if not subject.design.device:
            print(f"\nto settle {mutant.name} as equivalent, add to {short(equivalent.path_of(subject.name))}:")
            print(equivalent.suggested(mutant, subject.design.texts[mutant.file]))
    return not code


def _choose_named(chosen: Chosen, given: dict[str, str]) -> None:
    if "MUTANT" not in given:
        return
    names = given["MUTANT"].split(",")
    known = [mutant.name for mutant in chosen.mutants]
    for name in names:
        if name not in known:
            near = get_close_matches(name, known, 1)
            raise ArgumentError(
                f"there is no mutant {name} with this COUNT= and SEED=; {f'did you mean {near[0]}? ' if near else ''}"
                "LIST=1 prints them"
            )
    chosen.mutants = [mutant for mutant in chosen.mutants if mutant.name in names]


def _say_chosen(subject: Subject, chosen: Chosen, count: int) -> None:
    dropped = ", ".join(f"{number} {why}" for why, number in sorted(chosen.dropped.items()))
    places, files = sum(chosen.sites.values()), sum(number > 0 for number in chosen.sites.values())
    print(
        f"{subject.title}: {len(chosen.mutants)} mutants of {places} places in {files} files"
        + (f" (left out: {dropped})" if dropped else "")
        + (f"; there are no {count}" if len(chosen.mutants) < count and not dropped else ""),
        flush=True,
    )


if __name__ == "__main__":
    main_guard(main)
