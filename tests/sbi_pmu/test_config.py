# SPDX-License-Identifier: Apache-2.0
"""Configurations of a system, random jobs, and the memory of the bench."""

import random
import shlex

import pytest

from rvtrace.flow.regress.seeds import jobs_of
from rvtrace.jobs import systems
from rvtrace.jobs.job import Job
from rvtrace.models.hpm.config import ConfigError
from rvtrace.models.sbi_pmu.config import Config
from rvtrace.models.sbi_pmu.monitor import WatchedMemory
from rvtrace.models.sbi_pmu.pmu import SbiRet
from rvtrace.models.sbi_pmu.policy import NAMED
from rvtrace.models.sbi_pmu.tables import ERRORS
from rvtrace.tb.sbi_pmu.stimulus.random_jobs import random_job
from rvtrace.tb.sbi_pmu.stimulus.stimulus import supervised


def test_random_jobs_have_everything():
    """Every build, named policy, drive; platforms with and without options; a rerun line has the same configuration."""
    jobs = [random_job(seed) for seed in range(1, 300)]
    assert {job.settings.policies.name for job in jobs} == set(NAMED) and {job.drive for job in jobs} == {
        "bulk",
        "pins",
    }
    assert {job.settings.xlen for job in jobs} == {32, 64} and {job.settings.sbi for job in jobs} == {3, 10, 20, 30}
    assert {job.settings.snapshot for job in jobs} == {job.settings.event_info for job in jobs} == {0, 1}
    for job in jobs:
        words = dict(word.split("=", 1) for word in shlex.split(job.rerun)[5:])
        options = {name.lower(): value for name, value in words.items() if name not in ("SIZE", "DRIVE")}
        assert Config.from_dict(options) == Config.from_dict(job.settings.to_dict()) == job.settings


def test_a_regression_drives_every_job_as_it_can_be():
    jobs = jobs_of({"DRIVE": "bulk", "SEEDS": "40"}, [systems.bench("sbi_pmu")])
    assert {(bool(job.settings.records), job.drive) for job in jobs} == {(False, "bulk"), (True, "pins")}


@pytest.mark.parametrize(("options", "said"), [
    ({"has_s": 0, "has_h": 0, "has_shlcofideleg": 0}, "HAS_S=1"), ({"policy": "nice"}, "give strict"),
    ({"policy": "strict,minh"}, "key=value"),
    ({"firmware": "x"}, "FIRMWARE=x"), ({"nothing": 1}, "NOTHING=1"), ({"gap": 38}, "a separate one"),
    ({"records": 16, "retired": 1}, "TRANSFERS=2 with RECORDS=16.*give RETIRED=2 or more"),
])  # fmt: skip
def test_a_configuration_that_cannot_be(options, said):
    with pytest.raises(ConfigError, match=said):
        Config.from_dict(options)


def test_records_of_a_hart_that_retires_few():
    """No cycle retires more than the configuration says, with as many transfers as it can have."""
    for retired in (2, 4):
        job = Job("few", "random", {"records": 16, "retired": retired}, ip="sbi_pmu", drive="pins", size=20)
        assert 1 < supervised(job).rows.retired.max() <= retired


def test_the_same_seed_gives_the_same_run():
    job = random_job(5, size=100)
    first, second = supervised(job), supervised(job)
    assert first.rows.differs(second.rows) is None and first.model.steps == second.model.steps
    assert random.Random(job.rng_path("calls")).random() != random.Random(random_job(6).rng_path("calls")).random()


def test_memory_that_changes_by_itself_or_in_the_wrong_place_is_seen():
    config = Config()
    memory = WatchedMemory(64, config.policies)
    memory.begin()
    memory.bytes[5] = 1
    memory.end(0, (), SbiRet(0))
    memory.begin()
    memory.write_mem(0x8000_0000, b"\1", "test")
    memory.end(4, (0, 1, 0), SbiRet(ERRORS["ALREADY_STOPPED"]))
    assert (
        len(memory.problems) == 2 and "without an access" in memory.problems[0] and "counter_stop" in memory.problems[1]
    )
