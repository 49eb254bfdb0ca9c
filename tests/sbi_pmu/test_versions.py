# SPDX-License-Identifier: Apache-2.0
"""Events come with their SBI version: raw v2 with 3.0, firmware codes above the first table with 2.0. A firmware that
has them earlier is refused.
"""

import random

import pytest

from rvtrace.models.hpm.model import Hpm
from rvtrace.models.sbi_pmu import tables as sbi
from rvtrace.models.sbi_pmu.config import Config
from rvtrace.models.sbi_pmu.platform import Platform
from rvtrace.models.sbi_pmu.record import Record
from rvtrace.scoreboards.sbi_pmu.check import check_record
from rvtrace.scoreboards.sbi_pmu.rules import there
from rvtrace.tb.sbi_pmu.stimulus.play import Hart, on_model
from rvtrace.tb.sbi_pmu.stimulus.scenarios.base import Supervisor
from rvtrace.tb.sbi_pmu.stimulus.scenarios.config import later_events
from tests.sbi_pmu.machine import Machine

VERSIONS = ((0, 3), (1, 0), (2, 0), (3, 0))
MATCH = "counter_config_matching"
ALL = 0b11_0110_1001_1101  # every counter of the example
# event_idx, event_data, counter, version: SBI 1.0 has types 0, 1, 2 and 15 with codes 0 to 21; Change Log, 2.0-rc1 and
# 3.0-rc1/rc2
SINCE = [(1, 0, 0, (0, 3)), (0x1_0000, 0, 3, (0, 3)), (0x2_0000, 0x105, 3, (0, 3)), (0xF_0015, 0, 10, (0, 3)),
         (0xF_0100, 0, 10, (2, 0)), (0xF_FFFF, 0x77, 10, (2, 0)), (0x3_0000, 0x105, 3, (3, 0))]  # fmt: skip


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(("event", "data", "counter", "since"), SINCE)
def test_an_event_is_there_from_its_version_on(
    xlen: int, version: tuple[int, int], event: int, data: int, counter: int, since: tuple[int, int]
) -> None:
    for policy, error in (("not_supported", "NOT_SUPPORTED"), ("invalid_param", "INVALID_PARAM")):
        machine = Machine(xlen, platform=Platform.example(xlen, sbi_version=version), unknown_event=policy)
        arguments = {"counter_idx_mask": ALL, "event_idx": event, "event_data": data}
        if version >= since:
            assert machine.ok(MATCH, **arguments) == counter
        else:
            assert machine.error(MATCH, **arguments) == error
            assert (
                machine.error(
                    MATCH,
                    **{**arguments, "counter_idx_base": counter, "counter_idx_mask": 1, "config_flags": sbi.SKIP_MATCH},
                )
                == error
            )


@pytest.mark.parametrize("version", VERSIONS)
def test_both_readings_have_the_same_events(version: tuple[int, int]) -> None:
    codes = (*range(0x80), 0xFE, 0xFF, 0x100, 0x101, 0x7FFF, 0xFFFE, 0xFFFF)
    events = [type_ << 16 | code for type_ in range(0x22) for code in codes] + [1 << bit | 1 for bit in range(20, 64)]
    assert [event for event in events if there(event, version) != sbi.defined(event, version)] == []


def played(xlen: int, version: int) -> Record:
    """The scenario of later events on the counter model."""
    config = Config.from_dict({"xlen": xlen, "counters": "3+4", "firmware": "6+7", "sbi": version})
    hart = Hart(config)
    on_model(hart.playing(later_events(Supervisor(config, random.Random(0)))), Hpm(config.hpm), [])
    assert not hart.problems
    return hart.record


@pytest.mark.parametrize("version", (3, 10, 20, 30))
def test_firmware_that_has_them_too_early_is_refused(xlen: int, version: int, monkeypatch: pytest.MonkeyPatch) -> None:
    good = check_record(played(xlen, version))
    assert good.passed, good.failures[0].text()
    monkeypatch.setattr("rvtrace.models.sbi_pmu.pmu.defined", lambda event, _: sbi.defined(event, sbi.NEWEST))
    newest = check_record(played(xlen, version))
    assert newest.passed is (version == 30) and ("SBI.event.version" in newest.book.failed) is (version < 30)


def test_a_version_without_them_judges_no_event_by_it() -> None:
    """The clause is counted where the version matters, and there only."""
    counted = {
        version: check_record(played(64, version)).book.results().get("SBI.event.version", (0, 0))[0]
        for version in (10, 20, 30)
    }
    assert counted[10] > counted[20] > counted[30] == 0
