# SPDX-License-Identifier: Apache-2.0
"""Mutants of a core: which of them does tandem verification find, after how many instructions, with what verdict?

    made = build_mutated(core, listed(core))        one build for all; which one is selected at run time
    found = hunt(core, made, listed(core), cases, folder)

flow/cores/mutants/<core>.toml has them, as changes of source files of the core, of which a copy is changed.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rvtrace.flow.cores import builds
from rvtrace.flow.cores.description import HERE, Core, CoreError
from rvtrace.flow.cores.suite import Case, Outcome, verify_all
from rvtrace.flow.faults.combine import combine
from rvtrace.flow.faults.rows import Fault, FaultError, load
from rvtrace.flow.simulation import Build, build

FIRST = 4  # programs that are played before the others
_TEXTS = (".sv", ".svh", ".v", ".vh")


@dataclass
class Found:
    """What became of a mutant. verdict: of the run that found it, or PASS if none did. program: in which. first:
    instructions before it in that program; before: instructions of the programs played before it, which were as they
    must be. text: what was said.
    """

    mutant: Fault
    verdict: str
    program: str = ""
    first: int = 0
    before: int = 0
    text: str = ""


def listed(core: Core) -> list[Fault]:
    """The mutants of a core; CoreError if there are none or the file is wrong."""
    path = HERE / "mutants" / f"{core.name}.toml"
    if not path.exists():
        known = ", ".join(sorted(one.stem for one in path.parent.glob("*.toml")))
        raise CoreError(f"there are no mutants of {core.name}; give CORE={known}, or write {path.name} beside it")
    try:
        return list(load(path, needs=("part",)).values())
    except FaultError as error:
        raise CoreError(str(error)) from None


def build_mutated(core: Core, mutants: Sequence[Fault]) -> Build:
    """The build of a copy of the core with all of them in it; a mutant's number is its place in the list, from 1."""
    sources = core.sources()
    paths = {path.name: path for path in sources.files}
    for mutant in mutants:
        if lost := [file for file in mutant.files if file not in paths]:
            raise CoreError(f"mutant {mutant.name}: {core.title} has no source file {lost[0]}; correct it")
    combined = combine({name: path.read_text() for name, path in paths.items() if path.suffix in _TEXTS}, mutants)
    for name, why in combined.alone.items():
        raise CoreError(f"mutant {name} {why}; correct it for this version of the core")
    key = hashlib.sha256("".join(combined.files.values()).encode()).hexdigest()[:12]
    folder = builds.FOLDER / core.name / f"mutants-{key}"
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in combined.files.items():
        (folder / name).write_text(text)
    files = tuple(folder / path.name if path.name in combined.files else path for path in sources.files)
    config, design = builds.alone(core, dataclasses.replace(sources, files=files))
    return build(config, "verilator", design)


def hunt(
    core: Core, made: Build, mutants: Sequence[Fault], cases: Sequence[Case], out: Path,
    report: Callable[[Found], None] = lambda one: None,
) -> list[Found]:  # fmt: skip
    """Play the programs on each mutant until one of them finds it. Mutant 0 is the core itself, on which all pass."""
    sane = verify_all(core, cases, out / "none", made=made, select=0)
    if bad := [one for one in sane if one.verdict != "PASS"]:
        raise CoreError(
            f"{core.title} without a mutant does not pass {bad[0].name}: {bad[0].error or bad[0].failures[0]}"
        )
    results = []
    for number, mutant in enumerate(mutants, 1):
        found = Found(mutant, "PASS")
        for some in (cases[:FIRST], cases[FIRST:]):  # most are found by the first ones
            for outcome in verify_all(core, some, out / mutant.name, made=made, select=number):
                if outcome.verdict != "PASS":
                    found = _found(mutant, outcome, found.before)
                    break
                found.before += outcome.instructions
            if found.verdict != "PASS":
                break
        report(found)
        results.append(found)
    return results


def _found(mutant: Fault, outcome: Outcome, before: int) -> Found:
    text = outcome.failures[0] if outcome.failures else outcome.error
    return Found(mutant, outcome.verdict, outcome.name, outcome.first or 0, before, text)
