"""What `make cover` lists: every run of a system has a name, and so a folder, of its own."""

import pytest

from tools import jobs, systems
from tools.cover_account import Account
from tools.cover_plan import Plan


@pytest.mark.parametrize("ip", systems.NAMES)
def test_every_run_has_a_name_of_its_own(ip):
    plan = Plan(Account(systems.find(ip)), "verilator", 100, 1, 40, jobs.build_of, lambda account, number: [])
    names = [job.name for job in plan._listed("verilator")]
    assert len(names) == len(set(names)) > 0
