# SPDX-License-Identifier: Apache-2.0
"""SKIP_MATCH under each value of its policy row: firmware that does what the row says passes, one that does another is
refused.
"""

import random
from dataclasses import replace

import pytest

from rvtrace.models.hpm.model import Hpm
from rvtrace.models.sbi_pmu.config import Config
from rvtrace.models.sbi_pmu.policy import KEYS, Policy
from rvtrace.models.sbi_pmu.record import Record
from rvtrace.scoreboards.sbi_pmu.check import check_record
from rvtrace.tb.sbi_pmu.stimulus.play import Hart, on_model
from rvtrace.tb.sbi_pmu.stimulus.random_rows import random_supervisor
from rvtrace.tb.sbi_pmu.stimulus.scenarios.base import Supervisor
from rvtrace.tb.sbi_pmu.stimulus.scenarios.config import skip_match
from tests.sbi_pmu.machine import Machine

VALUES = sorted(KEYS["skip_match"].values)
EACH = pytest.mark.parametrize("value", VALUES)
SKIP = 1


def played(config: Config, random_calls: int = 0) -> Record:
    """The scenario of SKIP_MATCH, or random sessions, on the counter model."""
    rng = random.Random(f"{config.policy}:{config.xlen}")
    script = random_supervisor(config, rng, random_calls) if random_calls else skip_match(Supervisor(config, rng))
    hart = Hart(config)
    on_model(hart.playing(script), Hpm(config.hpm), [])
    return hart.record


@EACH
def test_each_reading_passes_as_itself_only(xlen: int, value: str) -> None:
    record = played(
        Config.from_dict({"xlen": xlen, "policy": f"strict,skip_match={value}", "counters": "3+4+5", "firmware": "6+7"})
    )
    for other in VALUES:
        verdict = check_record(replace(record, policy=Policy("strict", skip_match=other)))
        assert verdict.passed is (other == value), other


@pytest.mark.parametrize(
    "more", ("", ",unknown_event=unchecked", ",skip_first=base", ",event_data=ignore", ",absent_event=invalid_param")
)
def test_both_readings_agree_on_random_sessions(xlen: int, more: str) -> None:
    for name in ("strict", "opensbi", "opensbi_early"):
        options = {
            "xlen": xlen,
            "policy": f"{name},skip_match=take{more}",
            "counters": "3+4+5+9",
            "firmware": "20+21",
            "sbi": 20,
        }
        verdict = check_record(played(Config.from_dict(options), 200))
        assert verdict.passed, verdict.failures[0].text()


def test_take_needs_a_defined_event_and_a_counter_of_its_kind(xlen: int) -> None:
    machine = Machine(xlen, skip_match="take")
    arguments = {"counter_idx_mask": 1, "config_flags": SKIP}
    # mcycle counts cycles all the same
    assert machine.ok("counter_config_matching", counter_idx_base=0, event_idx=6, **arguments) == 0
    assert machine.ok("counter_config_matching", counter_idx_base=10, event_idx=0xF_0200, **arguments) == 10
    for index, event in ((10, 6), (3, 0xF_0000), (3, 11), (3, 0), (10, 0xF_0016)):
        assert (
            machine.error("counter_config_matching", counter_idx_base=index, event_idx=event, **arguments)
            == "NOT_SUPPORTED"
        )
