# SPDX-License-Identifier: Apache-2.0
"""Which simulator plays a run: few builds of Verilator, and nothing is left out."""

from __future__ import annotations

import pytest
from rvtrace.flow.jobs import build_of
from rvtrace.tb import systems

from tests.common.simulators import COMPILED, MOST, OTHERS, by_simulator, compiled, icarus_or


def test_few_builds() -> None:
    assert len(compiled()) + len(OTHERS) <= MOST
    assert len(compiled()) == sum(map(len, COMPILED.values())) + 2, "each is another build"


@pytest.mark.parametrize("ip", systems.NAMES)
def test_every_system_has_runs_on_verilator(ip: str) -> None:
    """And those that are elsewhere are not lost, nor is their order changed."""
    jobs = systems.find(ip).directed("verilator")
    parts = by_simulator(jobs, "verilator")
    assert parts["verilator"] and {build_of(job) for job in parts["verilator"]} <= compiled()
    assert sorted(map(id, jobs)) == sorted(id(job) for some in parts.values() for job in some)
    assert all(some == [job for job in jobs if job in some] for some in parts.values())
    assert set(parts) <= {"verilator", icarus_or("verilator")}
    assert list(by_simulator(jobs, "icarus")) == ["icarus"], "SIM=icarus means all of them"


def test_without_icarus_all_is_on_verilator(monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = systems.find("ctr").directed("verilator")
    monkeypatch.setattr("tests.common.simulators.icarus_or", lambda sim: sim)
    assert list(by_simulator(jobs, "verilator")) == ["verilator"]
