# SPDX-License-Identifier: Apache-2.0
"""What applies to an IP: the jobs that its claims allow, and the clauses that none of them could meet."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from typing import Any

from rvtrace.flow.dut.claims import as_options
from rvtrace.flow.dut.description import Dut
from rvtrace.flow.dut.ports import fit
from rvtrace.jobs import systems
from rvtrace.jobs.job import Job
from rvtrace.models.etrace.table import OPTIONS
from rvtrace.scoreboards.common.clauses import NEED, Clause

_SIZES = {"verilator": 20_000, "icarus": 4000}  # instructions of a random walk, so that twenty take minutes
_TRIES = 64  # combinations of claimed values that a seed tries until one is legal


@dataclass(frozen=True)
class Selection:
    """jobs: what is run. left: of each job that does not apply why not, by its name. without: kinds of the retire
    stream that are left out.
    """

    jobs: list[Job]
    left: dict[str, str]
    without: list[str]


def select(dut: Dut, system: Any, seeds: int, sim: str, first: int = 1) -> Selection:
    """Programs, directed scenarios and random seeds."""
    jobs: list[Job] = []
    left: dict[str, str] = {}
    seen: set[str] = set()
    for job in [*system.programs(everything=True), *system.directed(sim)]:
        found = _adapted(dut, system, job)
        if isinstance(found, str):
            left[job.name] = found
        elif (
            key
            := f"{found.source} {sorted(found.settings.to_dict().items(), key=str)} {found.retirement} {found.drive}"
        ) not in seen:
            seen.add(key)
            names = [one.name for one in jobs]
            if found.name in names:
                found.name += f"-{sum(name.startswith(found.name) for name in names) + 1}"
            jobs.append(found)
    for seed in range(first, first + seeds):
        found = _randomized(dut, system, seed, _SIZES.get(sim, 20_000))
        if isinstance(found, str):
            left[f"seed-{seed}"] = found
        else:
            jobs.append(found)
    without = unheard(dut, system, jobs[0]) if jobs else []
    for job in jobs:
        job.sim, job.without = sim, list(without)
        declared(dut, job)
    return Selection(jobs, left, without)


def declared(dut: Dut, job: Job) -> None:
    """Give a job what dut.toml says of the device, beside its options."""
    job.dut, job.exact, job.shape = dut.shown, dut.exact, dict(dut.shape)
    job.tolerances = {**dut.tolerances, **job.said}


def left_out(without: Sequence[str]) -> str:
    """What is left out of the runs, for people; "" if nothing is."""
    kinds, steady = [name for name in without if name not in OPTIONS], [name for name in without if name in OPTIONS]
    said = [f"no port for {' and '.join(kinds)}: the hart will not report it"] if kinds else []
    return "; ".join([*said, f"{', '.join(steady)}: not switched while it runs"] if steady else said)


def unheard(dut: Dut, system: Any, job: Job) -> list[str]:
    """Kinds of the retire stream for which the IP has no port, so that its trace cannot contain them; options that it
    does not claim to switch.
    """
    unused = {port.name for port in fit(dut, system, system.build_of(job)).unused_ours}
    kinds = [kind for kind, port in systems.foreign(dut.ip).ports.items() if port in unused]
    return kinds + ([name for name in OPTIONS if not _switched(dut, name)] if systems.foreign(dut.ip).switches else [])


def _switched(dut: Dut, option: str) -> bool:
    """Whether the IP claims an option of E-Trace on and off, so that it may change while the hart runs."""
    known = dut.claims.values[option]
    return known is None or {0, 1} <= set(known)


def _adapted(dut: Dut, system: Any, job: Job) -> Job | str:
    """The job with the widths of the IP instead of ours; why it does not apply, if it asks for what is not claimed."""
    options = {name: value for name, value in job.config.items() if name != "ip"}
    changed = False
    for f in fields(system.config):
        name = f.name
        with suppress(ValueError):  # illegal with what others have so far: the claimed value may make it legal again
            if dut.claims.allows(system, name, options):
                continue
        other = options | as_options(system, {name: dut.claims.first(name)})
        if name in options and not _width(system, job, name, options, other):
            return f"needs {name} = {options[name]}"
        changed |= name in options
        options = other
    if (
        _single(dut)
        and job.source.startswith("scenario:")
        and job.retirement != "single"
        and system.scenarios[job.source.partition(":")[2]].beats is not None
    ):
        return "places blocks of several instructions"
    if job.backpressure and not dut.backpressure:
        return "lets the output wait"
    found = _made(dut, job, options)
    if isinstance(found, Job) and job.source.startswith("scenario:"):
        scenario = system.scenarios[job.source.partition(":")[2]]
        if scenario.needs and (lacks := scenario.missing(found.settings)):
            return f"needs {lacks}"
    if isinstance(found, Job) and (lacks := system.lacks(found)):
        return f"needs {lacks}"
    if changed and isinstance(found, Job):
        # The name contains the widths, or the modes of the hart, that it had.
        kind, _, name = job.source.partition(":")
        found.name = f"{f'{name}-rv{found.settings.xlen}' if kind == 'program' else found.name}-as-claimed"
    return found


def _single(dut: Dut) -> bool:
    """Whether blocks hold one instruction; the other systems have no blocks, and say the same with transfers = 1 or
    retired = 1.
    """
    return dut.single and systems.foreign(dut.ip).blocks


def _illegal(error: ValueError) -> str:
    """What a job asks for against what is claimed, without the advice of the command line."""
    return f"is written for another implementation than the claimed one, where {str(error).partition(';')[0]}"


def _width(system: Any, job: Job, name: str, options: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether an option decides what a simulation is built for: widths and sizes, which a system scenario can do
    without.
    """
    for a, b in (
        (options, other),
        ({name: options[name]}, {name: other[name]}),
    ):  # by itself, if it is illegal with the others as they still are
        try:
            return bool(system.build_of(_with(job, b)) != system.build_of(_with(job, a)))
        except ValueError:
            continue
    return True


def _with(job: Job, options: dict[str, Any]) -> Job:
    values: dict[str, Any] = job.to_dict() | {"config": options}
    return type(job)(**values)


def _made(dut: Dut, job: Job, options: dict[str, Any]) -> Job | str:
    try:
        found = _with(job, options)
        _ = found.settings
    except ValueError as error:
        return _illegal(error)
    if _single(dut):
        found.retirement = "single"
    if not dut.backpressure:
        found.backpressure = 0
    return found


def _randomized(dut: Dut, system: Any, seed: int, size: int) -> Job | str:
    """A seed of the regression within the claims."""
    rng = random.Random(f"{seed}:{dut.name}:claims")
    named = {name: values for name, values in dut.claims.values.items() if values is not None}
    why = ""
    for _ in range(_TRIES):
        base = as_options(system, {name: rng.choice(values) for name, values in named.items()})
        try:
            job = system.random_job(seed, base, size)
        except ValueError as error:
            why = str(error)
            continue
        return _made(dut, job, {name: value for name, value in job.config.items() if name != "ip"})
    return f"no legal combination was found: {why}"


def not_applicable(dut: Dut, system: Any, chosen: Selection, every: Iterable[Job]) -> dict[str, str]:
    """Of each clause that this IP need not meet, why. every: the jobs of an IP that claims everything."""
    ran = {_kind(job.source) for job in chosen.jobs}
    needs: dict[str, list[str]] = {}
    for job in every:
        if (kind := _kind(job.source)) not in ran and job.name in chosen.left:
            needs.setdefault(kind, []).append(chosen.left[job.name])
    found: dict[str, str] = {}
    clauses = system.plan.clauses
    for clause in clauses.values():
        why = _unclaimed(dut, clause, chosen.without) or _why_not(dut, clause, ran, needs)
        if why := why or _free(dut, system, clause.id):
            found[clause.id] = why
    for clause in clauses.values():
        parts = [part for part in clause.through if part in clauses]
        if parts and all(part in found for part in parts):
            found.setdefault(clause.id, found[parts[0]])
    return found


def not_run(dut: Dut, system: Any, stopped: str = "") -> dict[str, str]:
    """Of each clause that applies and that no run met, which situation or which port is missing. stopped: why, if not
    all runs were made.
    """
    tolerance, unshown = systems.foreign(dut.ip).unshown
    if dut.exact or dut.tolerances.get(tolerance):
        unshown = ""
    found: dict[str, str] = {}
    for clause in system.plan.clauses.values():
        names = [test.partition(":")[2] for test in clause.tests if test.startswith("scenario:")]
        known = [system.scenarios[name] for name in names if name in system.scenarios]
        if unshown and set(clause.checks) == {"cycles"}:
            found[clause.id] = unshown
        elif set(clause.of_device) == {"exact"} and not dut.exact:
            found[clause.id] = "only a comparison with the reference profile shows it ([profile] exact = true)"
        elif stopped:
            found[clause.id] = stopped
        elif known:
            found[clause.id] = f"no run met it; scenario {known[0].name} is to meet it: {known[0].doc}"
        if clause.optional and not dut.exact:
            found[clause.id] = f"{found.get(clause.id, 'no run met it')}; the specification says: {clause.optional}"
    return found


def _kind(source: str) -> str:
    return source if source.startswith("scenario:") else source.partition(":")[0]


def _why_not(dut: Dut, clause: Clause, ran: set[str], needs: dict[str, list[str]]) -> str:
    if clause.variants and not _of_variants(dut, clause.variants):
        return f"holds in {' and '.join(clause.variants)}, which is not claimed"
    if played := systems.foreign(dut.ip).played.get(clause.subject):
        return played
    checks = [check for check in clause.of_device if check != "transport"]  # is checked alone only where it is played
    if clause.checks and not checks or clause.tests and all(test.startswith("tests/") for test in clause.tests):
        return "about models and tools, or the whole trace system; not about a single device"
    if clause.free and not dut.exact:
        return clause.free
    scenarios = {_kind(test) for test in clause.tests if test.startswith("scenario:")}
    if (
        scenarios and not scenarios & ran and scenarios <= set(needs)
    ):  # random walks may meet it, but not without these options either
        why = next(iter(needs[min(scenarios)]))
        return f"its scenarios do not apply: {min(scenarios).partition(':')[2]} {why}"
    return ""


def _unclaimed(dut: Dut, clause: Clause, without: Sequence[str]) -> str:
    """The first of its needs that the IP does not claim, in words; "" if it claims all."""
    for need in clause.needs:
        ways = [NEED.fullmatch(way.strip()) for way in need.split("|")]
        if not any(way is None or _claimed(dut, way, without) for way in ways):
            said = [_said(dut, way) for way in ways if way is not None]
            return f"needs {' or '.join(dict.fromkeys(said))}"
    return ""


def _claimed(dut: Dut, way: re.Match[str], without: Sequence[str]) -> bool:
    name, sign, value = way.groups()
    if name in systems.foreign(dut.ip).ports:
        return name not in without
    known = dut.claims.values.get(name, ())
    if known is None:
        return True
    equal = [str(-1 if one == "all" else one) == (value if sign else "0") for one in known]
    return any(equal) if sign == "=" else not all(equal)


def _said(dut: Dut, way: re.Match[str]) -> str:
    name, sign, value = way.groups()
    if port := systems.foreign(dut.ip).ports.get(name):
        return f"a port for {port}"
    if not sign:
        return f"{name} = 1" if name.startswith("has_") else f"{name} other than 0"
    value = "all" if value == "-1" else value
    return f"{name} = {value}" if sign == "=" else f"{name} other than {value}"


def _free(dut: Dut, system: Any, clause: str) -> str:
    """Why nothing asks for a clause: a tolerance of this IP."""
    tolerance, free = systems.foreign(dut.ip).freed.get(clause, ("", None))
    if not tolerance:
        return ""
    value = dut.tolerances.get(
        tolerance, getattr(system.tolerances() if dut.exact else system.tolerances.free(), tolerance)
    )
    return f"left free by {tolerance} = {json.dumps(value)} ([profile])" if value == free else ""


def _of_variants(dut: Dut, variants: Sequence[str]) -> bool:
    claimed = dut.claims.values.get("variant")
    widths = [f"RV{value}" for value in dut.claims.values.get("xlen") or (32, 64)]
    return claimed is None or bool(set(variants) & {*map(str, claimed), *widths})
