# SPDX-License-Identifier: Apache-2.0
"""A device whose filters select other blocks fails the clause of filters, also where the two traces agree at first."""

from dataclasses import replace

import pytest

from rvtrace.models.common.filters import FilterReading
from rvtrace.models.etrace.encoder.encode import Encoder
from rvtrace.models.etrace.table import VARIANTS
from rvtrace.scoreboards.etrace.capture import EtraceCapture
from rvtrace.scoreboards.etrace.check import check
from rvtrace.tb.common.stimulus.filtered import FIRST, place
from tests.common.filter_reference import SLIPS
from tests.common.other_filters import OTHERS, filters_of
from tests.etrace.checked_scenarios import doctored, scenario_run, sent


def _clauses(name: str, wanted: str, done: str, variant: str) -> set[str]:
    """The clauses that fail of a device with filter `done` where `wanted` is configured."""
    options = {"filter": wanted, "variant": variant}
    config, _, beats, _ = scenario_run(name, tuple(sorted(options.items())))
    device = replace(config, filter=done)
    verdict = doctored(name, options, packets=sent(Encoder(device).run(beats)).payloads(device))
    return {failure.clause for failure in verdict.failures}


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name, wanted, done", SLIPS)
def test_other_blocks(name: str, wanted: str, done: str, variant: str) -> None:
    assert not _clauses(name, wanted, wanted, variant)
    assert "ET.ing.filters" in _clauses(name, wanted, done, variant)


def test_a_stop_that_no_filter_asks_for() -> None:
    """Without a filter it is another clause."""
    clauses = _clauses("filter_comparisons", "", f"iaddr<{place(FIRST)}", VARIANTS[0])
    assert clauses and "ET.ing.filters" not in clauses


@pytest.mark.parametrize("name, text, reading", OTHERS)
def test_what_the_text_leaves_open_is_found(name: str, text: str, reading: FilterReading) -> None:
    """A device may filter otherwise there; the verdict says how, unless it declares the reference profile."""
    config, program, beats, _ = scenario_run(name, (("filter", text),))
    with filters_of(reading):
        packets = Encoder(config).run(beats).payloads
    verdict = check(EtraceCapture(config, program, packets, beats=beats, exact=False))
    assert verdict.passed, verdict.failures[0].text()
    assert verdict.read.filters == reading and verdict.notes[0].startswith("filters as found: ")
    assert not check(EtraceCapture(config, program, packets, beats=beats, exact=True)).passed
