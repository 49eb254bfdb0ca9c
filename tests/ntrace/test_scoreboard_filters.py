# SPDX-License-Identifier: Apache-2.0
"""A device whose filters select other blocks fails the clause of filters, also where the two traces agree at first."""

from dataclasses import replace

import pytest

from rvtrace.models.common.filters import FilterReading
from rvtrace.models.ntrace.config import MODES, Config
from rvtrace.models.ntrace.encoder.encode import Encoder
from rvtrace.models.ntrace.table import Message
from rvtrace.models.riscv.blocks import to_beats
from rvtrace.models.riscv.walk import Walk
from rvtrace.scoreboards.ntrace.capture import NtraceCapture
from rvtrace.scoreboards.ntrace.check import check, judged
from rvtrace.scoreboards.ntrace.tolerances import Tolerances
from rvtrace.tb.common.stimulus.filtered import FIRST, place
from tests.common.filter_reference import SLIPS
from tests.common.other_filters import OTHERS, filters_of
from tests.ntrace.checked_scenarios import doctored, jump_into_nops, scenario_run, set_at


def _clauses(name: str, wanted: str, done: str, mode: str) -> list[str]:
    """The clauses that fail of a device with filter `done` where `wanted` is configured, the first finding first."""
    config = Config(mode=mode, inst_stall_ena=1, filter=wanted)
    program, beats = scenario_run(name, config)
    data = Encoder(replace(config, filter=done)).run(beats).data
    # what else could explain the trace is not asked: hypotheses have tests of their own
    verdict = judged(NtraceCapture(config, program, data, beats, exact=False), Tolerances())
    return [failure.clause for failure in verdict.failures]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name, wanted, done", SLIPS)
def test_other_blocks(name: str, wanted: str, done: str, mode: str) -> None:
    assert not _clauses(name, wanted, wanted, mode)
    assert _clauses(name, wanted, done, mode)[0] == "NT.4.filters"


def test_a_stop_that_no_filter_asks_for() -> None:
    """Without a filter it is another clause."""
    clauses = _clauses("filter_comparisons", "", f"iaddr<{place(FIRST)}", "htm")
    assert clauses and "NT.4.filters" not in clauses


@pytest.mark.parametrize("mode", MODES)
def test_a_wrong_address_after_a_right_start_is_no_fault_of_the_filter(mode: str) -> None:
    """A jump into linear code, reported as one to the instruction after its target: all of it can be decoded."""
    program, begin = jump_into_nops(9)
    walk = Walk(program, "v1_0", begin).trace_on().step().jump(begin + 16).step(3).trace_off()
    beats = to_beats(walk.retired(), 1, "block")
    config = Config(mode=mode, filter=f"iaddr>={begin:#x}")

    def next_instruction(messages: list[Message]) -> None:
        set_at(messages, 1, uaddr=(begin ^ (begin + 20)) >> 1)

    assert doctored(program, beats, config).passed
    wrong = doctored(program, beats, config, next_instruction)
    assert not wrong.decoded.diagnostics and wrong.failures[0].clause == "NT.8.1.uaddr"


@pytest.mark.parametrize("name, text, reading", OTHERS)
def test_what_the_text_leaves_open_is_found(name: str, text: str, reading: FilterReading) -> None:
    """A device may filter otherwise there; the verdict says how, unless it declares the reference profile."""
    config = Config(inst_stall_ena=1, filter=text)
    program, beats = scenario_run(name, config)
    with filters_of(reading):
        data = Encoder(config).run(beats).data
    verdict = check(NtraceCapture(config, program, data, beats, exact=False))
    assert verdict.passed, verdict.failures[0].text()
    assert verdict.read.filters == reading and verdict.notes[0].startswith("filters as found: ")
    assert not judged(NtraceCapture(config, program, data, beats, exact=True)).passed
