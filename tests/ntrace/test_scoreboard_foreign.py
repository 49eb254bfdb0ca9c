# SPDX-License-Identifier: Apache-2.0
"""What encoders of others do that is legal: each was refused once, when a foreign device of `duts/` did it."""

from __future__ import annotations

from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.table import Message
from rvtrace.scoreboards.ntrace.tolerances import Tolerances

from tests.ntrace.checked_scenarios import doctored, insert, scenario_run

BTM = Config(mode="btm")
DEBUG_ENTRY = 0  # EVCODE


def _halts(messages: list[Message]) -> None:
    """One entry into Debug Mode more, before everything else."""
    insert(messages, 0, "ProgTraceCorrelation", DEBUG_ENTRY, 0, 0)


def test_debug_entry_in_the_cycle_that_enables() -> None:
    """Table 26, "Hart stops with trace disabled": it was disabled, though trTeEnable rises in the same cycle."""
    program, beats = scenario_run("debug_while_off", BTM)
    rises = (beats.halted[1] > beats.halted[0]) and (beats.enable[1] > beats.enable[0])
    assert rises, "the scenario does not begin as this test needs it"
    assert doctored(program, beats, BTM, tolerances=Tolerances.free()).passed
    assert doctored(program, beats, BTM, _halts, Tolerances.free()).passed


def test_debug_entry_of_a_hart_that_does_not_halt() -> None:
    program, beats = scenario_run("trace_off_on", BTM)
    assert not beats.halted.any()
    assert not doctored(program, beats, BTM, _halts, Tolerances.free()).passed
