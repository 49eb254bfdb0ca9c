# SPDX-License-Identifier: Apache-2.0
"""Resynchronizations too late and too early, against the interval and against none, in each unit."""

from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest

from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.encoder.encode import EncodedTrace, Encoder
from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import IType
from rvtrace.scoreboards.common.clauses import ClauseBook
from rvtrace.scoreboards.etrace.capture import EtraceCapture
from rvtrace.scoreboards.etrace.check import check, judged
from rvtrace.scoreboards.etrace.tolerances import Tolerances
from tests.common.there import there
from tests.etrace.checked_scenarios import doctored, scenario_run


@pytest.mark.parametrize("mode", [1, 2, 3])
def test_resync(mode: int) -> None:
    """Too late, and where nothing called for it; a device that is free may do both."""
    name, options = (
        {1: "resync_and_events", 2: "resync_by_cycles", 3: "resync_with_branches"}[mode],
        {"inst_sync_mode": mode},
    )
    good = doctored(name, options)
    assert good.passed and good.book.results()["ET.alg.resync"][0] > 1
    config, program, beats, encoded = scenario_run(name, tuple(options.items()))
    longer = replace(config, inst_sync_max=6)
    assert (
        "ET.alg.resync"
        in check(EtraceCapture(longer, program, encoded.payloads, beats=beats, exact=False), Tolerances()).book.failed
    )
    assert check(EtraceCapture(longer, program, encoded.payloads, beats=beats, exact=False)).passed
    none = scenario_run(name, (("inst_sync_mode", 0),))[3]
    if mode != 1:  # without them there are fewer packets as well
        assert (
            "ET.alg.resync"
            in check(EtraceCapture(config, program, none.payloads, beats=beats, exact=False), Tolerances()).book.failed
        )


@pytest.mark.parametrize("mode", [1, 2, 3])
def test_a_device_that_is_free(mode: int) -> None:
    """It may count something else and be late by that; never to synchronize is not open to it."""
    options = {"inst_sync_mode": mode}
    config, program, beats, encoded = scenario_run("resync_after_counts", tuple(options.items()))
    assert "ET.alg.resync" in _judged(config, program, beats, encoded).results()
    late = scenario_run("resync_after_counts", (("inst_sync_max", 1), ("inst_sync_mode", mode)))[3]
    assert not _judged(config, program, beats, late).failed
    never = scenario_run("resync_after_counts", (("inst_sync_mode", 0),))[3]
    assert set(_judged(config, program, beats, never).failed) == {"ET.alg.resync"}
    many = replace(config, inst_sync_max=8)
    assert "ET.alg.resync" not in _judged(many, program, beats, never).results(), "no interval was over"


def test_late_before_a_loss_that_hides_where_trace_begins_again() -> None:
    """Trace ends twice. The second end is lost, and so is the next begin, with the packets from the instruction after
    `last` on, which a trigger reports. That no resynchronization came before the loss is found all the same.
    """
    options = {"inst_sync_mode": 2, "inst_stall_ena": 0}
    config, program, beats, _ = scenario_run("resync_after_counts", tuple(options.items()))
    # after an instruction that is not special no resynchronization was due, so that none was lost
    last = next(row for row in range(1200, len(beats)) if beats.itype[row, 0] == IType.NONE)
    ends = last - 450, last + 4
    beats = deepcopy(beats)
    for row in ends:
        beats.inst_tracing[row : row + 2] = 0
    beats.notify[last], beats.drop[last + 2 : last + 40] = 1, 1
    never = Encoder(replace(config, inst_sync_mode=0)).run(beats)
    book = _judged(config, program, beats, never)
    assert book.failed == ["ET.alg.resync"]
    late = [there(failure.cycle) for failure in book.failures]
    assert np.searchsorted(beats.cycle[list(ends)], late).tolist() == [0, 1, 2], "one in each stretch of trace"


def _judged(config: Config, program: Program, beats: Beats, encoded: EncodedTrace) -> ClauseBook:
    return judged(EtraceCapture(config, program, encoded.payloads, beats=beats, exact=False)).book
