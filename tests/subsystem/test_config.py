# SPDX-License-Identifier: Apache-2.0
"""The configuration of the subsystem: what is illegal, what its parts get, and that a command line says all of it."""

import random

import pytest

from rvtrace.jobs.job import Job
from rvtrace.models.subsystem.config import COUNTERS, Config, ConfigError
from rvtrace.models.subsystem.events import DERIVED, EVENTS, ITYPES, SELECTOR
from rvtrace.tb.subsystem.stimulus.random_jobs import options, random_job
from tests.common.long import some


@pytest.mark.parametrize(("wrong", "says"), [
    ({"xlen": 16}, "give XLEN=32 or 64"), ({"retire": 3}, "give RETIRE=1 or 2"),
    ({"ctr_depth": 64}, "give CTR_DEPTH=16 or 32"), ({"mode": "atm"}, "give MODE=btm or htm"),
    ({"ctr_ctl": 1 << 7}, "CTR_CTL=0x80 has bits 0x80"), ({"ctr_vsctl": 4}, "CTR_VSCTL=0x4 has bits 0x4"),
    ({"xlen": 32, "ctr_ctl": 1 << 33}, "RV32 has no upper half"),
    ({"xlen": 32, "ctr_vsctl": 1 << 33}, "CTR_VSCTL=0x200000000 filters types"),
    ({"inhibit": "H"}, "INHIBIT=H is not a number; give one, such as INHIBIT=M"),
    ({"inhibit": "32"}, "INHIBIT=32,0,0,0,0,0,0,0 is not supported"),
    ({"inhibit": "0,0,0,0,0,0,0,0,M"}, "for each of 8 counters"),
    ({"events": "branches"}, "EVENTS=branches is not a number"),
    ({"events": "99"}, "EVENTS=99,0,0,0,0,0,0,0 is not supported"), ({"speed": 1}, "unknown option SPEED=1"),
    ({"sync_max": "x"}, "SYNC_MAX=x is not a number"),
    ({"ntrace_filter": "pc=4"}, "NTRACE_FILTER='pc=4' has the condition 'pc=4'"),
])  # fmt: skip
def test_what_is_illegal(wrong: dict[str, object], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        Config.from_dict(wrong)


def test_the_parts_are_of_one_hart() -> None:
    config = Config(xlen=32, retire=2, timestamp=1, ctr_depth=32, incremental=2)
    assert {part.xlen for part in (config.ntrace, config.etrace, config.tandem, config.ctr, config.hpm)} == {32}
    assert (
        config.ntrace.blocks,
        config.etrace.blocks,
        config.tandem.lanes,
        config.ctr.transfers,
        config.hpm.retired,
    ) == (2, 2, 2, 2, 2)
    assert config.ntrace.inst_stall_ena and config.etrace.inst_stall_ena, "nobody loses anything"
    assert config.ctr.vsctl == config.ctr.bit("S") | config.ctr.bit("U")
    assert config.hpm.events == len(EVENTS) and all(config.hpm.has(n) for n in COUNTERS)


def test_modes_that_are_not_counted() -> None:
    config = Config.from_dict({"inhibit": "M+VS,0,U", "ctr_vsctl": "3"})
    assert config.inhibit == (18, 0, 4, 0, 0, 0, 0, 0) == Config.from_dict({"inhibit": [18, 0, 4]}).inhibit
    assert config.words() == {"inhibit": "M+VS,0,U,0,0,0,0,0", "ctr_vsctl": "0x3"}
    assert Config.from_dict(config.words()) == config and config.ctr.vsctl == 3


def test_every_itype_that_transfers_counts_somewhere() -> None:
    counted = [itype for itypes in ITYPES.values() for itype in itypes]
    assert set(counted) == {1, 2, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15}
    assert {itype for itype in counted if counted.count(itype) > 1} == {
        5,
        12,
    }, "a taken branch is a branch, a swap calls and returns"
    assert set(ITYPES) < set(DERIVED) and SELECTOR["branch"] == 3


@pytest.mark.parametrize("seed", some(range(20), 5))
def test_a_rerun_says_all(seed: int) -> None:
    job = random_job(seed)
    words = dict(word.split("=", 1) for word in job.rerun.split()[2:])
    names = {name: value for name, value in words.items() if name.lower() in Config().to_dict()}
    assert Config.from_dict({name.lower(): value for name, value in names.items()}) == job.settings
    assert Config.from_dict(job.settings.to_dict()) == job.settings


def test_random_jobs_are_repeatable_and_fixed_where_asked() -> None:
    assert random_job(7) == random_job(7) != random_job(8)
    job = random_job(9, {"xlen": "32", "retire": "1"}, 100)
    assert (job.settings.xlen, job.settings.retire, job.ip) == (32, 1, "subsystem")
    assert {Config.from_dict(options(random.Random(f"{n}:config"), 64)).mode for n in range(20)} == {"btm", "htm"}
    assert isinstance(job, Job)
