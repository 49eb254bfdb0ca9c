# SPDX-License-Identifier: Apache-2.0
"""Random jobs: everything that can be configured is randomized, few builds serve all, and a rerun line is the same
job.
"""

import shlex
from collections import defaultdict
from dataclasses import fields

import pytest

from rvtrace.flow.jobs import one
from rvtrace.jobs.job import Job
from rvtrace.models.common.filters import FilterSettings
from rvtrace.models.ntrace.config import Config, ConfigError
from rvtrace.tb.ntrace.builds import BUILD
from rvtrace.tb.ntrace.stimulus.random_jobs import BUILDS, random_job
from rvtrace.tb.ntrace.stimulus.stimulus import stimulus

WIDTHS = ("icnt_bits", "hist_bits", "iretire_bits", "stack_depth", "repeat_bits", "ts_width", "fifo_depth")


@pytest.fixture(scope="module")
def jobs():
    return [random_job(seed, size=500) for seed in range(300)]


def test_every_option_takes_every_value(jobs):
    found = defaultdict(set)
    for job in jobs:
        for name, value in job.settings.to_dict().items():
            found[name].add(value)
    assert all(len(found[f.name]) > 1 for f in fields(Config)), "every option varies"
    for f in fields(Config):
        if f.type == "int" and f.name not in (
            *WIDTHS,
            "xlen",
            "blocks",
            "src_bits",
            "src_id",
            "inst_sync_max",
            "ts_mode",
        ):
            assert found[f.name] >= set(range(2)), f.name
    assert found["implicit_return"] == {0, 1, 2, 3} and found["ts_mode"] == {1, 2, 3}
    assert found["inst_sync_mode"] == {0, 1, 2, 3} and {0, 12} <= found["src_bits"]
    assert {job.drive for job in jobs} == {"bulk", "pins"} and {job.retirement for job in jobs} == {"block", "single"}


def test_few_builds_serve_all(jobs):
    builds = {BUILD.of(job.settings) for job in jobs}
    assert builds == {BUILD.of(Config.from_dict(dict(options))) for options in BUILDS} and len(builds) <= 6


def test_filters_are_about_the_program(jobs):
    texts = {job.settings.filter for job in jobs} - {""}
    assert 0.1 * len(jobs) < len(texts) < 0.4 * len(jobs)
    for text in texts:
        settings = FilterSettings.parse(text)
        assert settings.inst_filters or any(control >> 14 for control, _, _ in settings.comps), text
    for word in ("iaddr=", "..", "->", "priv=", "ecause=", "trap=", "context", "tval", "watch=", "|", "&", ";"):
        assert any(word in text for text in texts), word


def test_a_rerun_line_is_the_same_job(jobs):
    for job in jobs[:60]:
        words = dict(word.split("=", 1) for word in shlex.split(job.rerun)[2:])
        again = one(words)
        for name in ("source", "seed", "drive", "retirement", "grouping", "size", "backpressure", "gaps", "settings"):
            assert getattr(again, name) == getattr(job, name), name


@pytest.mark.parametrize("path", ["/tmp/my ip", "/tmp/it's mine", '/tmp/the "ip"', "/tmp/$ip;x"])
def test_a_rerun_line_can_be_pasted_whatever_a_path_has_in_it(path):
    words = shlex.split(Job("a", "random", dut=path, test=f"{path}/test.py").rerun)
    assert words[:2] == ["make", "run"] and {f"DUT={path}", f"TEST={path}/test.py"} < set(words)


def test_the_same_seed_is_the_same_stimulus():
    for seed in (3, 17):
        a, b = (stimulus(random_job(seed, size=800)) for _ in range(2))
        assert a.retired.differs(b.retired) is None and a.program.segments == b.program.segments
        assert a.beats.iaddr.tobytes() == b.beats.iaddr.tobytes() and a.beats.cycle.tobytes() == b.beats.cycle.tobytes()


def test_options_that_are_fixed_stay():
    for seed in range(40):
        job = random_job(seed, {"all_jumps": "1", "src_id": "0x2a", "filter": "priv=M"}, 500)
        assert (job.settings.all_jumps, job.settings.src_id, job.settings.filter) == (1, 42, "priv=M")
        assert job.settings.implicit_return != 1, "a counter of calls has to see them"
        assert random_job(seed, {"implicit_return": "1"}, 500).settings.all_jumps == 0
    with pytest.raises(ConfigError, match="SRC_ID=9 does not fit"):
        random_job(1, {"src_bits": 3, "src_id": 9})
