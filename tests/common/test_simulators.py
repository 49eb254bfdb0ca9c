# SPDX-License-Identifier: Apache-2.0
"""Which simulator plays a run: few builds of Verilator, and nothing is left out."""

import pytest

from rvtrace.flow.jobs import build_of
from rvtrace.jobs import systems
from rvtrace.jobs.job import Job
from rvtrace.tb.subsystem.stimulus.builds import DUAL
from tests.common.simulators import COMPILED, MOST, OTHERS, Way, by_simulator, compiled, icarus_or


def test_few_builds() -> None:
    assert len(compiled()) + len(OTHERS) <= MOST
    assert len(compiled()) == sum(map(len, COMPILED.values())) + 2, "each is another build"


@pytest.mark.parametrize("ip", systems.NAMES)
def test_every_system_has_runs_on_verilator(ip: str) -> None:
    """And those that are elsewhere are not lost, nor is their order changed."""
    jobs = systems.bench(ip).directed("verilator")
    parts = by_simulator(jobs, "verilator")
    there = [job for way, some in parts.items() if way.simulator == "verilator" for job in some]
    assert there and {build_of(job) for job in there} <= compiled()
    assert sorted(map(id, jobs)) == sorted(id(job) for some in parts.values() for job in some)
    assert all(some == [job for job in jobs if job in some] for some in parts.values())
    assert {way.simulator for way in parts} <= {"verilator", icarus_or("verilator")}
    assert list(by_simulator(jobs, "icarus")) == [Way("icarus", False)], "SIM=icarus means all of them"


def test_without_icarus_all_is_on_verilator(monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = systems.bench("ctr").directed("verilator")
    monkeypatch.setattr("tests.common.simulators.icarus_or", lambda sim: sim)
    assert set(by_simulator(jobs, "verilator")) == {Way("verilator", False), Way("verilator", True)}


def test_what_is_brief_is_compiled_without_optimization() -> None:
    jobs = systems.bench("subsystem").directed("verilator")
    assert {str(build_of(job)) for job in by_simulator(jobs, "verilator")[Way("verilator", True)]} == {
        str(build_of(Job("any", "random", dict(DUAL), ip="subsystem")))
    }
