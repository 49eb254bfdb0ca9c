# SPDX-License-Identifier: Apache-2.0
"""How often each rule of counting is tested: cycles of a few rows, counted by hand. A rule is tested by a counter if a
block that breaks it would leave another value there.
"""

import pytest

from rvtrace.models.hpm.config import Config
from rvtrace.models.hpm.events import CYCLES
from rvtrace.models.riscv.csr import U
from rvtrace.scoreboards.hpm.check import check
from rvtrace.tb.hpm.stimulus.script import LCOFI, Script
from tests.hpm.devices import captured

CONFIG = Config.from_dict({"counters": "+3", "events": 1})
EVENT = 3  # the selector of the external event


def times(script: Script) -> dict[str, int]:
    """By clause how often it was checked on a device that is right; not those that never were."""
    verdict = check(captured(script.rows(), script.config))
    assert verdict.passed
    return {clause: checked for clause, (checked, _) in verdict.book.results().items() if checked}


def test_every_cycle_of_mcycle_is_one_check() -> None:
    """Three rows, then a row for ten cycles."""
    script = Script(CONFIG)
    for _ in range(3):
        script.step()
    script.idle(10)
    assert times(script)["HPM.count.cycles"] == 13


def test_an_access_stops_no_counter() -> None:
    """mcycle and minstret count beside a write of mcounteren; minstret alone beside a write of mcycle."""
    script = Script(CONFIG)
    script.write("mcounteren", 0, retired=1)
    script.write("mcycle", 100, retired=1)
    script.step(retired=1)
    found = times(script)
    assert found["HPM.write.elsewhere"] == 2 and found["HPM.write.others"] == 1
    assert found["HPM.write.wins"] == 1 and found["HPM.count.retired"] == 3


@pytest.mark.parametrize(("more", "checks"), [(0, 1), (1, 2), (2, 2)])
def test_a_setting_rules_from_the_next_cycle_on(more: int, checks: int) -> None:
    """mcountinhibit stops mcycle: not in the cycle of the write, and in the one after it."""
    script = Script(CONFIG)
    script.step()
    script.write("mcountinhibit", 1)
    for _ in range(more):
        script.step()
    found = times(script)
    assert found["HPM.inhibit.after"] == 1 and found.get("HPM.inhibit.next", 0) == checks - 1
    assert found.get("HPM.inhibit.stops", 0) == more
    assert found["HPM.count.cycles"] == 2


def test_a_filter_is_tested_in_its_mode_only() -> None:
    """mhpmcounter3 counts cycles, with UINH: two cycles in U-mode."""
    script = Script(CONFIG)
    script.count(3, CYCLES, "UINH")
    script.at(U)
    script.step()
    script.step()
    found = times(script)
    assert found["HPM.filter.uinh"] == 2
    assert not [clause for clause in found if clause.startswith("HPM.cfg.") or clause in (
        "HPM.filter.minh", "HPM.filter.sinh", "HPM.filter.vsinh", "HPM.filter.vuinh",
    )]  # fmt: skip


@pytest.mark.parametrize("name", ["mcycle", "minstret", "mhpmcounter3"])
def test_a_refused_write_is_tested_twice(name: str) -> None:
    """It returns 0, and the counter keeps its value."""
    script = Script(CONFIG, U)
    script.write(name, 77)
    assert times(script)["HPM.csr.refused"] == 2


def test_a_selector_that_is_not_kept_counts_nothing() -> None:
    """A counter of events only, of which SELECT is written as cycles: two cycles after that."""
    script = Script(Config.from_dict({"counters": "+3", "events": 1, "selectors": f"3:{1 << EVENT}"}))
    script.count(3, CYCLES)
    script.step()
    script.step()
    assert times(script)["HPM.select.warl"] == 2
    script = Script(CONFIG)
    script.count(3, CYCLES)
    script.step()
    assert "HPM.select.warl" not in times(script)


def test_a_write_of_lcofip_leaves_of_alone() -> None:
    """One counter has OF."""
    script = Script(CONFIG)
    script.write("mip", LCOFI)
    script.step()
    found = times(script)
    assert found["HPM.of.lcofip"] == 1 and found["HPM.lcofi.written"] == 1
    script = Script(CONFIG)
    script.step()
    assert "HPM.of.lcofip" not in times(script)
