# SPDX-License-Identifier: Apache-2.0
"""Reads of a device that declares the profile: what is taken over from them where a tolerance allows it, and what a
failure says.
"""

from rvtrace.models.hpm.config import Config
from rvtrace.models.hpm.events import Counts
from rvtrace.models.hpm.rows import Rows
from rvtrace.models.riscv.csr import READ, Access, M
from rvtrace.scoreboards.common.verdict import Verdict
from rvtrace.scoreboards.hpm.check import check
from rvtrace.scoreboards.hpm.tolerances import Tolerances
from rvtrace.tb.hpm.stimulus.script import Script
from tests.hpm.devices import captured

CONFIG = Config.from_dict({"counters": "+3", "events": 1})


def changed(script: Script, values: dict[int, int], tolerances: Tolerances | None = None) -> Verdict:
    """Of a device that is right, but for some reads, by their rows."""
    capture = captured(script.rows(), CONFIG)
    for row, value in values.items():
        capture.rows.rdata[row] = value
    return check(capture, tolerances)


def test_a_value_after_reset_is_taken_over() -> None:
    """Bit 3 of mcounteren may be 1 after reset; then it is 1 at the second read as well."""
    for second, good in ((8, True), (0, False)):
        script = Script(CONFIG)
        script.read("mcounteren")
        script.read("mcounteren")
        assert changed(script, {0: 8, 1: second}, Tolerances(reset_zero=False)).passed == good


def test_a_value_that_was_written_is_not_that_after_reset() -> None:
    for value, good in ((8, True), (0, False)):
        script = Script(CONFIG)
        script.write("mcounteren", 8)
        script.read("mcounteren")
        assert changed(script, {1: value}, Tolerances(reset_zero=False)).passed == good


def test_an_access_in_the_last_cycle() -> None:
    """Nothing shows what it leaves; the read itself is compared."""
    rows = Rows.from_rows([(k, M, Counts(), Access(READ, 0xB00)) for k in range(3)], CONFIG.events)
    capture = captured(rows, CONFIG)
    assert capture.rows.rdata.tolist() == [0, 1, 2] and check(capture).passed
    capture.rows.rdata[2] = 9
    assert check(capture).book.failed == ["HPM.read.machine"]


def test_addresses_without_a_csr_are_noted() -> None:
    script = Script(CONFIG)
    script.read("mcycle")
    script.read(0xB01)
    found = changed(script, {})
    assert found.passed and dict(found.encoded.software.missed) == {(0xB01, M): 1}


def test_a_failure_says_what_was_written() -> None:
    """mcycle is one too many after the cycle; a read has no operand."""
    for write, said in ((True, "write mcycle 0x123 from M"), (False, "read mcycle from M")):
        script = Script(CONFIG)
        if write:
            script.write("mcycle", 0x123)
        else:
            script.read("mcycle")
        capture = captured(script.rows(), CONFIG)
        assert capture.state is not None
        capture.state.counters[1, 0] += 1
        text = "\n".join(failure.text() for failure in check(capture).failures)
        assert said in text, text
