# SPDX-License-Identifier: Apache-2.0
"""The subsystem on RTL: real programs, random walks and directed scenarios, and all five trace sources agree."""

import json
from pathlib import Path

import pytest

from rvtrace.jobs import systems
from rvtrace.jobs.job import Job
from rvtrace.models.etrace.decoder.decode import decode_bytes
from rvtrace.models.ntrace.decoder.decode import decode as decode_ntrace
from rvtrace.models.riscv import recording
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Kind, Retired
from rvtrace.models.subsystem.config import Config
from rvtrace.models.tandem.decoder.decode import decode as decode_tandem
from rvtrace.tb.subsystem.coverage.points import SUBSYSTEM
from rvtrace.tb.subsystem.stimulus.builds import BUILDS
from rvtrace.tb.subsystem.stimulus.random_jobs import random_job
from tests.common.long import LONG, only_long, some
from tests.common.scenario_runs import builds, of_build

SYSTEM = systems.bench("subsystem")
# of the main job; the others take half a minute to compile
COMMON = {SYSTEM.build_of(job) for job in SYSTEM.programs()}
EVERY = [build if build in COMMON else only_long(build, why="a build of its own") for build in builds(SYSTEM)]
SIZE = 400


@pytest.mark.parametrize("build", EVERY, ids=range(len(EVERY)))
def test_scenarios(run_jobs, sim, build):
    jobs = of_build(SYSTEM, sim, build)
    if sim == "icarus" and not {job.name for job in jobs} & {job.name for job in SYSTEM.daily(sim)}:
        pytest.skip("on Icarus those of the main job's builds; a minute or two each")
    run_jobs(jobs)


def test_few_builds_serve_everything():
    jobs = [*SYSTEM.directed(""), *SYSTEM.programs(everything=True), *(random_job(seed) for seed in range(1, 30))]
    assert len({SYSTEM.build_of(job) for job in jobs}) == len(BUILDS)
    main = [*SYSTEM.daily(""), *SYSTEM.programs(), *SYSTEM.walks(1)]
    assert len({SYSTEM.build_of(job) for job in main}) == 2, "the main job builds little"


@pytest.mark.parametrize("name", ["default", "rv32", *(only_long(name, why="as above") for name in ("dual", "lean"))])
def test_programs(run_jobs, name):
    names, first = recording.names(), list(BUILDS).index(name)
    jobs = [
        Job(
            f"{program}-{name}",
            f"program:{program}",
            dict(BUILDS[name]),
            size=SIZE,
            ip="subsystem",
            grouping="random",
            gaps=5,
        )
        for program in some(names[first:] + names[:first])
    ]
    for result in run_jobs(jobs):
        assert result["stats"]["instructions"] > SIZE * 0.9
        assert result["clauses"]["SUB.parts.tandem"][0] > SIZE


def test_pin_by_pin(run_jobs):
    """The same run, played pin by pin, leaves the same traces and entries."""
    jobs = [
        Job(drive, "program:traps", {}, size=150, drive=drive, ip="subsystem", keep=True) for drive in ("bulk", "pins")
    ]
    run_jobs(jobs)
    one, other = (Path(job.out) for job in jobs)
    for name in ("tandem.trace", "ntrace.trace", "etrace.trace", "retired.csv"):
        assert (one / name).read_bytes() == (other / name).read_bytes()
    entries = [
        [snapshot["ctr"] for snapshot in json.loads((out / "snapshots.json").read_text())][-1] for out in (one, other)
    ]
    assert entries[0] == entries[1]


def test_random_walks(run_jobs):
    jobs = [random_job(seed, size=1000) for seed in range(1, 9)]
    jobs = jobs if LONG else [job for job in jobs if SYSTEM.build_of(job) in COMMON]
    results = run_jobs(jobs)
    assert {result["config"]["xlen"] for result in results} == {32, 64}
    total = SUBSYSTEM.merge(result["coverage"] for result in results)
    assert SUBSYSTEM.percent(total, "build_cg") == (100 if LONG else 50)


def test_what_a_run_leaves_is_read_without_a_simulator(run_jobs):
    """Three traces, each with its own decoder, report the same instructions."""
    job = Job("left", "program:traps", {}, size=SIZE, keep=True, ip="subsystem")
    run_jobs([job])
    out = Path(job.out)
    assert all((out / name).exists() for name in SYSTEM.left)
    config, program = (
        Config.from_dict(json.loads((out / "config.json").read_text())),
        Program.from_elf(out / "program.elf"),
    )
    retired = Retired.from_csv(out / "retired.csv")
    pcs = retired.pc[retired.kind == Kind.INSN].tolist()
    assert decode_ntrace((out / "ntrace.trace").read_bytes(), program, config.ntrace).pcs.tolist() == pcs
    assert decode_bytes((out / "etrace.trace").read_bytes(), program, config.etrace).pcs.tolist() == pcs
    groups = [
        group
        for group in decode_tandem((out / "tandem.trace").read_bytes(), config.tandem).groups()
        if not (group.outside or group.init or group.reset)
    ]
    assert [group.pc for group in groups] == retired.pc.tolist()
