# SPDX-License-Identifier: Apache-2.0
"""Scenarios and random rows in implementations that our builds do not have: any modes, any extensions, no counters."""

from collections.abc import Iterator
from itertools import product
from pathlib import Path
from random import Random

import pytest

from rvtrace.flow.dut.description import Dut
from rvtrace.flow.dut.select import select
from rvtrace.jobs.job import Job, JobError
from rvtrace.models.hpm.config import Config, ConfigError
from rvtrace.scoreboards.hpm.check import check
from rvtrace.tb.hpm.bench import BENCH
from rvtrace.tb.hpm.stimulus.random_rows import Mix
from rvtrace.tb.hpm.stimulus.scenarios import SCENARIOS
from rvtrace.tb.hpm.stimulus.stimulus import stimulus
from tests.flow.dut_folders import folder
from tests.hpm.devices import captured

FLAGS = ("has_u", "has_s", "has_h", "has_sscofpmf", "has_smcntrpmf", "has_shlcofideleg")


def implementations() -> Iterator[Config]:
    """Every legal combination of modes and extensions, with no counter and one."""
    for xlen, counters, *flags in product((32, 64), (0, 8), *[(0, 1)] * len(FLAGS)):
        try:
            yield Config(xlen=xlen, counters=counters, events=2, **dict(zip(FLAGS, flags)))
        except ConfigError:
            continue


def test_every_scenario_runs_on_what_there_is() -> None:
    """It is built, unless it says which option it needs; the job says the same."""
    for config in implementations():
        for name, scenario in SCENARIOS.items():
            if scenario.missing(config):
                assert scenario.missing(config).split()[0] in scenario.needs
                with pytest.raises(JobError, match=f"scenario {name} needs {scenario.missing(config)}"):
                    stimulus(Job("any", f"scenario:{name}", config.to_dict(), ip="hpm"))
            else:
                assert len(scenario.build(config, Random(1)))


def test_the_four_that_stopped_run_without_h_or_sscofpmf() -> None:
    """M/S/U without H; without Sscofpmf those of overflow are left out."""
    plain = {"has_h": 0, "has_shlcofideleg": 0, "counters": 8, "events": 2}
    for name in ("overflow_register", "time", "event_written_at_overflow", "all_pairs"):
        for xlen in (32, 64):
            config = Config.from_dict({**plain, "xlen": xlen})
            assert check(captured(SCENARIOS[name].build(config, Random(1)), config)).passed
    without = Config.from_dict({**plain, "has_sscofpmf": 0, "xlen": 32})
    assert {name for name in SCENARIOS if SCENARIOS[name].missing(without)} == {
        "overflow_register", "event_written_at_overflow", "overflow_again", "lcofip_written_at_overflow",
        "software_sets_and_clears", "several_overflow",
    }  # fmt: skip


@pytest.mark.parametrize("seed", range(2))
def test_random_rows_of_any_implementation(seed: int) -> None:
    for config in Random(seed).sample(list(implementations()), 6):
        verdict = check(captured(Mix(config, Random(seed)).play(150).rows(), config))
        assert verdict.passed, (config, verdict.failures[0].text())


def test_a_device_gets_no_scenario_of_what_it_lacks(tmp_path: Path) -> None:
    claims = {"has_sscofpmf": 0, "has_shlcofideleg": 0, "has_h": 0, "mode": None, "inst_stall_ena": None}
    ports = dict.fromkeys(("ing_ready_o", "drop_o", "empty_o", "overflow_o", "out_valid_o", "out_nbytes_o"))
    dut = Dut.load(
        folder(
            tmp_path,
            dut={"ip": "hpm", "variant": None},
            parameters={"LANES": None},
            inputs={"te_on": 0, "blk": 0, "beat_stall": 0},
            outputs={**ports, "out_data_o": None, "csr_rdata_o": 0},
            options=claims,
        )
    )
    found = select(dut, BENCH, 0, "icarus")
    ran = {job.source.partition(":")[2] for job in found.jobs}
    assert {"time", "all_pairs"} <= ran and not {"overflow_register", "event_written_at_overflow"} & ran
    assert "needs has_sscofpmf = 1" in {why for name, why in found.left.items() if name.startswith("overflow_register")}
