# SPDX-License-Identifier: Apache-2.0
"""Mutants of a core: which of them does tandem verification find, after how many instructions, with what verdict?

    made, numbers = build_mutated(core, listed(core))       one build for all; which one is selected at run time
    rows = hunt(core, made, numbers, listed(core), cases, folder)

flow/cores/mutants/<core>.toml has them, as changes of source files of the core, of which a copy is changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from rvtrace.flow.cores import builds
from rvtrace.flow.cores.description import HERE, Core, CoreError
from rvtrace.flow.cores.suite import Case, Outcome, verify_all
from rvtrace.flow.faults.rows import Fault, FaultError, load
from rvtrace.flow.faults.runner import KILLED, SURVIVED, Kills, Row, built_in
from rvtrace.flow.simulation import Build, build

FIRST = 4  # programs that are played before the others


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


def build_mutated(core: Core, mutants: Sequence[Fault]) -> tuple[Build, dict[str, int]]:
    """The build of a copy of the core with all of them in it, and the number of each."""
    sources = core.sources()
    place = builds.FOLDER / core.name / "mutants"
    try:
        changed, numbers = built_in(core.title, sources, {path.name: path for path in sources.files}, mutants, place)
    except FaultError as error:
        raise CoreError(f"{error}, for this version of the core") from None
    config, design = builds.alone(core, changed)
    return build(config, "verilator", design), numbers


def hunt(
    core: Core, made: Build, numbers: Mapping[str, int], mutants: Sequence[Fault], cases: Sequence[Case], out: Path,
    report: Callable[[Row], None] = lambda one: None,
) -> list[Row]:  # fmt: skip
    """Play the programs on each mutant until one of them finds it. Mutant 0 is the core itself, on which all pass."""
    sane = verify_all(core, cases, out / "none", made=made, select=0)
    if bad := [one for one in sane if one.verdict != "PASS"]:
        raise CoreError(
            f"{core.title} without a mutant does not pass {bad[0].name}: {bad[0].error or bad[0].failures[0]}"
        )
    kills, rows = Kills(), []
    for mutant in mutants:
        order = kills.order(mutant.files[0], cases)
        row = _row(core, mutant, order, lambda some, mutant=mutant: verify_all(
            core, some, out / mutant.name, made=made, select=numbers[mutant.name]))  # fmt: skip
        if row.job:
            kills.add(row.file, row.job)
        report(row)
        rows.append(row)
    return rows


def _row(core: Core, mutant: Fault, cases: Sequence[Case], verify: Callable[[Sequence[Case]], list[Outcome]]) -> Row:
    row, before = Row(mutant.name, SURVIVED, core.name, mutant.part, mutant.files[0], headline="no mismatch"), 0
    for some in (cases[:FIRST], cases[FIRST:]):  # most are found by the first ones
        for one in verify(some):
            if one.verdict != "PASS":
                said = one.failures[0] if one.failures else one.error
                words = said.split()
                by = words[1] if words[:1] == ["FAIL"] else said.splitlines()[0][:60]
                place = f"{one.name}, instruction {one.first or 0}, after {before} of other programs"
                return replace(row, state=KILLED, how="clause" if one.failures else "traceback", by=by, headline=said,
                               job=one.name, rerun=one.rerun, also=(place,))  # fmt: skip
            before += one.instructions
    return row
