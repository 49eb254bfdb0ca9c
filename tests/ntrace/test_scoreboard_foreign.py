# SPDX-License-Identifier: Apache-2.0
"""What encoders of others do that is legal: each was refused once, when a foreign device of `duts/` did it."""

import numpy as np

from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.table import Message
from rvtrace.scoreboards.ntrace.align import Segment
from rvtrace.scoreboards.ntrace.tolerances import Tolerances
from tests.ntrace.checked_scenarios import doctored, insert, scenario_run, set_at

BTM = Config(mode="btm")
EXTERNAL, EVENT = 0, 6  # SYNC
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


def _pairs(messages: list[Message]) -> list[int]:
    """Places of an event's marker with the external trigger's right after it."""
    codes = [message.get("sync") for message in messages]
    return [i for i, two in enumerate(zip(codes, codes[1:])) if two == (EVENT, EXTERNAL)]


def _swapped(messages: list[Message]) -> None:
    for index in _pairs(messages):
        set_at(messages, index, sync=EXTERNAL)
        set_at(messages, index + 1, sync=EVENT)


def _event_only(messages: list[Message]) -> None:
    for index in [i for i, message in enumerate(messages) if message.get("sync") == EXTERNAL]:
        set_at(messages, index, sync=EVENT)


def test_two_markers_in_either_order() -> None:
    """Table 25 has SYNC 0 and 6, and no order of them where both are due."""
    program, beats = scenario_run("markers", Config())
    assert (beats.notify & beats.ext_notify).any(), "the scenario does not fire both at once"
    assert doctored(program, beats, Config(), _swapped, Tolerances.free()).passed
    assert "NT.8.5.sync0" in doctored(program, beats, Config(), _event_only, Tolerances.free()).book.failed


def test_two_markers_and_one_block_left() -> None:
    """Table 25 has no order of SYNC 0 and 6: where one block is left before trace stops, either may be sent."""
    program, beats = scenario_run("back_to_back_jumps", Config())
    traced = np.flatnonzero((beats.inst_tracing == 1) & beats.valid().any(axis=1))
    beats.notify[traced[-2]] = beats.ext_notify[traced[-2]] = 1

    def external(messages: list[Message]) -> None:
        (only,) = [i for i, message in enumerate(messages) if message.get("sync") == EVENT]
        set_at(messages, only, sync=EXTERNAL)

    assert doctored(program, beats, Config(), tolerances=Tolerances.free()).passed
    assert doctored(program, beats, Config(), external, Tolerances.free()).passed
    beats.ext_notify[:] = 0
    assert "NT.8.5.sync0" in doctored(program, beats, Config(), external, Tolerances.free()).book.failed


def test_a_stop_between_two_losses_has_no_certain_place() -> None:
    """7.4: Error, sync, Ownership, ProgTraceCorrelation with I-CNT=0, Error. Several stops may be meant: what Ownership
    reports there is compared with none of them.
    """
    lost, after = (True, True), (False, True)
    assert not Segment(505, 505, 10, 14, lost, at=5749).certain
    assert not Segment(505, 505, 10, 14, lost).certain
    assert Segment(505, 507, 10, 14, lost, at=5749).certain
    assert Segment(0, 0, 0, 2, after, at=0).certain
