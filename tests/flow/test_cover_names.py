# SPDX-License-Identifier: Apache-2.0
"""What `make cover` lists: every run of a system has a separate name, and so a separate folder."""

import pytest

from rvtrace.flow import jobs
from rvtrace.flow.cover.account import Account
from rvtrace.flow.cover.plan import Plan
from rvtrace.jobs import systems


@pytest.mark.parametrize("ip", systems.NAMES)
def test_every_run_has_its_name(ip):
    plan = Plan(Account(systems.bench(ip)), "verilator", 100, 1, 40, jobs.build_of, lambda account, number: [])
    names = [job.name for job in plan._listed("verilator")]
    assert len(names) == len(set(names)) > 0
