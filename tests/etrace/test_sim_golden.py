# SPDX-License-Identifier: Apache-2.0
"""The golden pack on the RTL: every case that the bench can play sends the packets of its file, byte by byte."""

from pathlib import Path

import pytest

from rvtrace.flow.jobs import build_of
from rvtrace.jobs import systems
from rvtrace.jobs.job import Job
from rvtrace.tb.etrace.stimulus.golden import Case, pack
from tests.common.long import some


def playable(case: Case) -> bool:
    """The bench has a separate time, and room is lost by back-pressure alone."""
    given = {name for cycle in case.cycles if not isinstance(cycle, int) for name in cycle[0]}
    return not given & {"time", "drop"} and bool(case.config.notime_p)


def job_of(case: Case, sim: str, drive: str) -> Job:
    return Job(
        f"golden-{case.name}",
        f"golden:{case.name}",
        case.config.to_dict(),
        drive=drive,
        keep=True,
        ip="etrace",
        sim=sim,
    )


@pytest.mark.parametrize("drive", ["bulk", "pins"])
def test_golden(run_jobs, sim, drive):
    cases = [case for case in pack() if playable(case)]
    assert len(cases) > 0.9 * len(pack())
    cases = some(cases, len(cases) // 4) if drive == "pins" else cases
    jobs = [job_of(case, sim, drive) for case in cases]
    run_jobs(jobs)
    sent = {job.name: (Path(job.out) / "packets.hex").read_text().split() for job in jobs}
    wrong = {
        case.name: sent[job.name]
        for case, job in zip(cases, jobs)
        if sent[job.name] != [data.hex() for data in case.payloads]
    }
    assert wrong == {}


def test_the_cases_need_no_separate_build(sim):
    """They are run by the simulators that the scenarios are built for."""
    builds = {str(build_of(job)) for job in systems.bench("etrace").directed(sim)}
    assert {str(build_of(job_of(case, sim, "bulk"))) for case in pack() if playable(case)} <= builds
