# SPDX-License-Identifier: Apache-2.0
"""What `make test` leaves to LONG=1: every scenario, every build and every value of an option is still played."""

import pytest

from rvtrace.flow.jobs import build_of
from rvtrace.jobs import systems
from tests.common import long


def values(jobs):
    return {(name, str(value)) for job in jobs for name, value in job.config.items()}


@pytest.mark.parametrize("ip", ["etrace", "ntrace", "tandem", "ctr", "hpm", "sbi_pmu", "adapter"])
def test_few_configurations_of_every_scenario(ip, monkeypatch):
    every = systems.bench(ip).directed("")
    monkeypatch.setattr(long, "LONG", False)
    kept = long.few(every)
    assert {job.source for job in kept} == {job.source for job in every} and values(kept) == values(every)
    assert {str(build_of(job)) for job in kept} == {str(build_of(job)) for job in every}
    assert len({job.name for job in kept}) == len(kept) <= len(every)
    monkeypatch.setattr(long, "LONG", True)
    assert long.few(every) == every


def test_some_values(monkeypatch):
    monkeypatch.setattr(long, "LONG", False)
    assert long.some(range(12), 3) == [0, 4, 8] and long.some("ab", 3) == ["a", "b"]
    monkeypatch.setattr(long, "LONG", True)
    assert long.some(range(4), 1) == [0, 1, 2, 3]
