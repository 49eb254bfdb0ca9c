# SPDX-License-Identifier: Apache-2.0
"""What reads show of the choices of a device: bits of the enables that are kept, and that are dropped."""

import pytest

from rvtrace.models.hpm.config import Config
from rvtrace.models.hpm.registers import csrs
from rvtrace.scoreboards.hpm.learned import Learned
from rvtrace.tb.hpm.stimulus.script import Script
from tests.hpm.devices import captured

CONFIG = Config.from_dict({"counters": "+3", "events": 1})


def learned(script: Script, values: dict[int, int]) -> Learned:
    """From reads of these values, by their rows."""
    rows = captured(script.rows(), CONFIG).rows
    for row, value in values.items():
        rows.rdata[row] = value
    return Learned(CONFIG, rows, {found.address: found for found in csrs(CONFIG)})


@pytest.mark.parametrize("op", ["write", "set", "clear"])
def test_a_bit_that_is_read_as_0_where_1_was_written(op: str) -> None:
    """mcounteren: bits 3:0 are written as 1, of which bit 3 is not kept; then bit 0 alone is written, set or cleared.
    What is 0 then was not asked for.
    """
    script = Script(CONFIG)
    script.write("mcounteren", 0b1111)
    getattr(script, op)("mcounteren", 0b0001)
    script.read("mcounteren")
    found = learned(script, {1: 0b0111, 2: {"write": 0b0001, "set": 0b0111, "clear": 0b0110}[op]})
    assert (found.kept["mcounteren"], found.dropped["mcounteren"]) == (0b0111, 0b1000)
    assert found.writable("mcounteren", 0b1111) == 0b0111
