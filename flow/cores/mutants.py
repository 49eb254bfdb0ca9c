# SPDX-License-Identifier: Apache-2.0
"""Mutants of a core: which of them does tandem verification find, after how many instructions, with what verdict?

    made = build_mutated(core, listed(core))        one build for all; which one is selected at run time
    found = hunt(core, made, listed(core), cases, folder)

flow/cores/mutants/<core>.toml has them: text of a source file of the core, and what takes its place in a copy that is
made at build time. In it `@` is a condition: whether this mutant is selected, by the number after +mutant= in the
command of the simulator.
"""

from __future__ import annotations

import dataclasses
import hashlib
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rvtrace.flow.cores import builds
from rvtrace.flow.cores.description import HERE, Core, CoreError
from rvtrace.flow.cores.suite import Case, Outcome, verify_all
from rvtrace.flow.simulation import Build, build

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # pyright: ignore[reportMissingImports]  # installed with Python 3.10 only

FIRST = 4  # programs that are played before the others
_KEYS = {"name", "part", "file", "find", "replace"}
_PACKAGE = "package core_mutant_pkg;\n  int sel = 0;\nendpackage\n"
_SELECT = """module core_mutant_select;
  initial void'($value$plusargs("mutant=%d", core_mutant_pkg::sel));
endmodule
bind core_alone_tb core_mutant_select u_mutant ();
"""


@dataclass(frozen=True)
class Mutant:
    """A bug that is put into a copy of the core. part: of the core that it is in. file: name of the source file. nth:
    which of several places that read alike, from 0 on; -1: there must be one only.
    """

    name: str
    part: str
    file: str
    find: str
    replace: str
    nth: int = -1


@dataclass
class Found:
    """What became of a mutant. verdict: of the run that found it, or PASS if none did. program: in which. first:
    instructions before it in that program; before: instructions of the programs played before it, which were as they
    must be. text: what was said.
    """

    mutant: Mutant
    verdict: str
    program: str = ""
    first: int = 0
    before: int = 0
    text: str = ""


def listed(core: Core) -> list[Mutant]:
    """The mutants of a core; CoreError if there are none or the file is wrong."""
    path = HERE / "mutants" / f"{core.name}.toml"
    if not path.exists():
        known = ", ".join(sorted(one.stem for one in path.parent.glob("*.toml")))
        raise CoreError(f"there are no mutants of {core.name}; give CORE={known}, or write {path.name} beside it")
    rows = tomllib.loads(path.read_text())["mutant"]
    for row in rows:
        if missing := _KEYS - set(row):
            raise CoreError(f"{path}: mutant {row.get('name', '?')} has no {min(missing)}; add it")
        if "@" not in row["replace"]:
            raise CoreError(f"{path}: mutant {row['name']}: `replace` has no @; write the condition of the mutant")
    mutants = [Mutant(**row) for row in rows]
    names = [one.name for one in mutants]
    if twice := [name for name in names if names.count(name) > 1]:
        raise CoreError(f"{path}: mutant {twice[0]} is there twice; rename one")
    return mutants


def build_mutated(core: Core, mutants: Sequence[Mutant]) -> Build:
    """The build of a copy of the core with all of them in it."""
    sources = core.sources()
    texts: dict[str, str] = {}
    paths = {path.name: path for path in sources.files}
    for number, mutant in enumerate(mutants, 1):
        if mutant.file not in paths:
            raise CoreError(f"mutant {mutant.name}: {core.title} has no source file {mutant.file}; correct `file`")
        text = texts.get(mutant.file) or paths[mutant.file].read_text()
        texts[mutant.file] = _with(mutant, text, number)
    key = hashlib.sha256("".join([_SELECT, *texts.values()]).encode()).hexdigest()[:12]
    folder = builds.FOLDER / core.name / f"mutants-{key}"
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in {**texts, "core_mutant_pkg.sv": _PACKAGE, "core_mutant_select.sv": _SELECT}.items():
        (folder / name).write_text(text)
    files = [folder / path.name if path.name in texts else path for path in sources.files]
    mutated = dataclasses.replace(
        sources, files=(folder / "core_mutant_pkg.sv", *files, folder / "core_mutant_select.sv")
    )
    config, design = builds.alone(core, mutated)
    return build(config, "verilator", design)


def _with(mutant: Mutant, text: str, number: int) -> str:
    count = text.count(mutant.find)
    if count == 0 or (mutant.nth < 0 and count > 1) or mutant.nth >= count:
        raise CoreError(
            f"mutant {mutant.name}: its `find` is in {mutant.file} {count} times, and must be there"
            f" {'once' if mutant.nth < 0 else f'more than {mutant.nth} times'}; correct it for this version of the core"
        )
    parts = text.split(mutant.find)
    at = max(mutant.nth, 0) + 1
    new = mutant.replace.replace("@", f"(core_mutant_pkg::sel == 32'd{number})")
    return mutant.find.join(parts[:at]) + new + mutant.find.join(parts[at:])


def hunt(
    core: Core, made: Build, mutants: Sequence[Mutant], cases: Sequence[Case], out: Path,
    report: Callable[[Found], None] = lambda one: None,
) -> list[Found]:  # fmt: skip
    """Play the programs on each mutant until one of them finds it. Mutant 0 is the core itself, on which all pass."""
    none = Mutant("none", "", "", "", "@")
    sane = verify_all(core, cases, out / none.name, made=made, select=0)
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


def _found(mutant: Mutant, outcome: Outcome, before: int) -> Found:
    text = outcome.failures[0] if outcome.failures else outcome.error
    return Found(mutant, outcome.verdict, outcome.name, outcome.first or 0, before, text)
