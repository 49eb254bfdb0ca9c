# SPDX-License-Identifier: Apache-2.0
"""What is known of a device that does not declare the profile: short scripts, with the checks counted by hand."""

from dataclasses import replace

import pytest

from rvtrace.models.hpm.config import Config
from rvtrace.models.hpm.model import Hpm
from rvtrace.scoreboards.common.verdict import Verdict
from rvtrace.scoreboards.hpm.capture import HpmCapture
from rvtrace.scoreboards.hpm.check import check
from rvtrace.scoreboards.hpm.tolerances import Tolerances
from rvtrace.tb.hpm.stimulus.script import LCOFI, Script
from tests.hpm.devices import captured
from tests.hpm.foreign import Late

CONFIG = Config.from_dict({"counters": "3+4", "events": 1})
EVENT = 3  # the selector of the external event
MINH, SINH = 1 << 62, 1 << 61


def judged(script: Script, device: type[Hpm] = Hpm, config: Config = CONFIG) -> Verdict:
    """By its reads alone."""
    capture = captured(script.rows(), config, device)
    return check(HpmCapture(config, capture.rows, None, exact=False), Tolerances.free())


def times(verdict: Verdict, clause: str) -> int:
    """How often a clause was checked."""
    return verdict.book.results().get(clause, (0, 0))[0]


def changed(script: Script, values: dict[int, int], config: Config = CONFIG) -> Verdict:
    """Of a device that is right, but for some reads, by their rows."""
    capture = captured(script.rows(), config)
    for row, value in values.items():
        capture.rows.rdata[row] = value
    return check(HpmCapture(config, capture.rows, None, exact=False), Tolerances.free())


# --- LCOFIP and OF ----------------------------------------------------------------------------------------------------


def test_a_request_that_was_written_holds() -> None:
    """No counter has overflowed: it is not one of theirs."""
    script = Script(CONFIG)
    script.write("mip", LCOFI)
    script.read("mip")
    found = judged(script)
    assert found.passed and times(found, "HPM.lcofi.holds") == 1 and not times(found, "HPM.lcofi.request")


@pytest.mark.parametrize("device", [Hpm, Late])
def test_a_write_right_after_a_wrap(device: type[Hpm]) -> None:
    """Events may be counted four cycles late: whether the counter wrapped before it was written is open."""
    script = Script(CONFIG)
    script.write("mcountinhibit", 0)
    script.count(3, EVENT)
    script.read("mhpmevent3")
    script.idle(10)
    script.preset(3, -1)
    script.write("mip", 0)
    script.step(events={EVENT: 1})
    script.preset(3, 5)
    script.idle(10)
    script.read("mhpmevent3")
    script.read("mip")
    assert judged(script, device).passed


# --- What a wrong read leaves -----------------------------------------------------------------------------------------


def test_a_setting_that_reads_wrong_fails_once() -> None:
    """SINH in place of MINH, twice: the first read is wrong, the second shows what is there."""
    script = Script(CONFIG)
    script.write("mcyclecfg", MINH)
    script.read("mcyclecfg")
    script.read("mcyclecfg")
    found = changed(script, {1: SINH, 2: SINH})
    assert [failure.clause for failure in found.failures] == ["HPM.cfg.filters"] and found.failures[0].at == 1


@pytest.mark.parametrize(("op", "left"), [("set", 0b1110), ("clear", 0b1010)])
def test_set_and_clear_change_what_was_read(op: str, left: int) -> None:
    """The counter holds 0b1100, and 0b1110 is read: set and clear of bit 2 start from that."""
    script = Script(CONFIG)
    script.write("mhpmevent3", 0)
    script.read("mhpmevent3")
    script.write("mhpmcounter3", 0b1100)
    getattr(script, op)("mhpmcounter3", 0b0100)
    script.read("mhpmcounter3")
    found = changed(script, {3: 0b1110, 4: left})
    assert [failure.at for failure in found.failures] == [3]


# --- What is known ----------------------------------------------------------------------------------------------------


def counted(script: Script) -> None:
    """One event between two reads of the counter."""
    script.read("mhpmcounter3")
    script.step(events={EVENT: 1})
    script.read("mhpmcounter3")


def test_a_selector_is_known_from_an_earlier_write_of_the_same() -> None:
    """The last write of it is not read back."""
    script = Script(CONFIG)
    script.write("mcountinhibit", 0)
    for selector in (EVENT, 0):
        script.write("mhpmevent3", selector)
        script.read("mhpmevent3")
    script.write("mhpmevent3", EVENT)
    script.idle(10)
    counted(script)
    found = judged(script)
    assert found.passed and times(found, "HPM.count.event") == 1


def test_each_half_of_a_selector_is_taken_over() -> None:
    """RV32: the upper half is read as 1, which selects nothing known, and then as 0; the lower one stays."""
    config = replace(CONFIG, xlen=32)
    script = Script(config)
    script.write("mcountinhibit", 0)
    script.write("mhpmevent3h", 0)
    script.write("mhpmevent3", EVENT)
    script.read("mhpmevent3")
    script.read("mhpmevent3h")
    script.read("mhpmevent3h")
    script.idle(10)
    counted(script)
    found = changed(script, {4: 1}, config)
    assert found.passed and times(found, "HPM.count.event") == 1


def test_of_stays_known_where_nothing_is_counted() -> None:
    """RV32: a counter of which nobody has read the upper half is written in a cycle in which it counts nothing. That
    sets no OF, although events may be late, as those of counter 4. The first read shows OF, the second is checked.
    """
    config = replace(CONFIG, xlen=32)
    script = Script(config)
    script.write("mcountinhibit", 0)
    script.count(4, EVENT)
    script.read("mhpmevent4")
    script.read("mhpmcounter4")
    script.step(events={EVENT: 1})
    script.read("mhpmcounter4")
    script.write("mhpmevent3", 0)
    script.write("mhpmevent3h", 0)
    script.read("mhpmevent3")
    script.idle(20)
    script.read("mhpmevent3h")
    script.write("mhpmcounter3", 5)
    script.idle(20)
    script.read("mhpmevent3h")
    found = judged(script, Late, config)
    assert found.passed and times(found, "HPM.of.only") == 1
