# SPDX-License-Identifier: Apache-2.0
"""What a campaign can be of: the RTL of one of our systems, or a device of a user (DUT=); with the jobs that judge it.

subject = of_system("ctr")           # or a part, such as the trace system around the encoders
subject = of_device("examples/acme_btm", "verilator")
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from rvtrace.flow.dut.description import Dut
from rvtrace.flow.dut.select import select
from rvtrace.flow.dut.workspace import workspace
from rvtrace.flow.faults.campaign import Subject
from rvtrace.flow.faults.design import Design, DesignError, names_below
from rvtrace.flow.jobs import build_of
from rvtrace.flow.simulation import sources
from rvtrace.jobs import systems
from rvtrace.jobs.bench import SystemBench
from rvtrace.jobs.builds import ROOT, BuildConfig
from rvtrace.jobs.job import Job

SEEDS = 20  # random walks of a campaign
_ELABORATED = 3  # builds in which a mutant must elaborate


@cache
def campaigns() -> dict[str, tuple[str, ...]]:
    """Folders and files of rtl/ that each campaign changes, by its name (`SystemBench.mutated`)."""
    return {name: files for ip in systems.NAMES for name, files in systems.bench(ip).mutated.items()}


def of_system(ip: str, sim: str = "verilator", seeds: int = SEEDS) -> Subject:
    """Our RTL with all jobs of a system. tci: the trace system, with the system scenarios of both encoders."""
    home = systems.PARTS.get(ip, ip)
    title = systems.judge(ip).title if home == ip else "Trace system"
    phases = _phases(systems.bench(ip), sim, seeds) if home == ip else _part_phases(ip, sim, seeds)
    builds = _common_builds(job for phase in phases for job in phase)
    files = [path for build in builds for path in sources(ROOT / "rtl", build.bench) if "rtl" in path.parts]
    paths = names_below(ROOT / "rtl", dict.fromkeys(files))
    mutated = [name for name in paths if belongs(name, ip)]
    return Subject(ip, home, title, Design(paths, mutated, builds), phases, sim)


def belongs(name: str, ip: str) -> bool:
    """Whether a file below rtl/ is mutated in the campaign of a system."""
    files = campaigns()[ip]
    if any(name in others for others in campaigns().values()):
        return name in files
    return name.partition("/")[0] in files and not name.endswith("_assert.sv")


def _phases(system: SystemBench, sim: str, seeds: int) -> list[list[Job]]:
    """One configuration of each scenario, in as few builds as can be; the others; random seeds; programs."""
    directed = system.directed(sim)
    first = _first(directed)
    names = {job.name for job in first}
    rest = [job for job in directed if job.name not in names]
    walks = [system.regressed(seed) for seed in range(1, seeds + 1)]
    return _unique([first, rest, walks, system.programs()], sim)


def _part_phases(part: str, sim: str, seeds: int) -> list[list[Job]]:
    """The jobs of every system around whose design the part is."""
    ips = [ip for ip in systems.NAMES if part in systems.judge(ip).parts]
    first: list[Job] = []
    for ip in ips:
        for job in systems.bench(ip).tci_jobs(sim):
            job.name = f"{ip}-{job.name}"
            first.append(job)
    walks = [
        systems.bench(ip).random_tci_job(seed)  # pyright: ignore[reportAttributeAccessIssue]  # of encoders
        for seed in range(1, seeds // 2 + 1)
        for ip in ips
    ]
    return _unique([first, walks], sim)


def _first(directed: list[Job]) -> list[Job]:
    """One job of each scenario: of the build that has most scenarios, for what is left the next one, and so on."""
    builds = {job.name: build_of(job) for job in directed}
    left = {job.source for job in directed}
    found: list[Job] = []
    while left:
        counts = Counter(builds[job.name] for job in directed if job.source in left)
        # Of those with as many scenarios the first in the list: it is the same in every process.
        having = {
            config: {job.source for job in directed if job.source in left and builds[job.name] == config}
            for config in counts
        }
        best = max(having, key=lambda config: len(having[config]))
        for source in sorted(having[best]):
            found.append(next(job for job in directed if job.source == source and builds[job.name] == best))
        left -= having[best]
    return found


def _unique(phases: list[list[Job]], sim: str) -> list[list[Job]]:
    """Jobs with different names, all of one simulator."""
    seen: set[str] = set()
    for phase in phases:
        for job in phase:
            job.sim = sim
            while job.name in seen:
                job.name += "-again"
            seen.add(job.name)
    return phases


def _common_builds(jobs: Iterable[Job]) -> list[BuildConfig]:
    """The builds that have most jobs."""
    return [config for config, _ in Counter(build_of(job) for job in jobs).most_common(_ELABORATED)]


def of_device(where: str, sim: str = "verilator", seeds: int = SEEDS) -> Subject:
    """A device with the jobs that its claims allow. ValueError if its description or its sources cannot be used."""
    dut = Dut.load(where)
    system = systems.bench(dut.ip)
    chosen = select(dut, system, seeds, sim)
    directed = [job for job in chosen.jobs if job.source.startswith("scenario:")]
    first = _first(directed)
    names = {job.name for job in first}
    phases = _unique(
        [
            first,
            [job for job in directed if job.name not in names],
            [job for job in chosen.jobs if job.source == "random"],
            [job for job in chosen.jobs if job.source.startswith("program:")],
        ],
        sim,
    )
    builds = _common_builds(job for phase in phases for job in phase)
    if not builds:
        raise DesignError(f"{dut.path}: no run applies to what is claimed, so that no mutant could be killed")
    if len(set(builds)) > 1:  # a workspace belongs to one build
        phases = [[job for job in phase if build_of(job) == builds[0]] for phase in phases]
    folder = workspace(dut, system, builds[0])
    paths = {_named(path): path for path in dut.sources.files if path.suffix in (".sv", ".v", ".svh", ".vh")}
    design = Design(
        paths, list(paths), builds[:1], folder, dut.sources.include_dirs, dict(dut.sources.defines), device=True
    )
    return Subject(f"dut-{dut.name}", dut.ip, dut.title, design, phases, sim)


def _named(path: Path) -> str:
    """A source of a device as messages have it."""
    try:
        return str(path.resolve().relative_to(ROOT))
    except ValueError:
        return str(path)
