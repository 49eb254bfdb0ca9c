# SPDX-License-Identifier: Apache-2.0
"""A device whose filters select other blocks fails the clause of filters, also where the two traces agree at first."""

from dataclasses import replace

import pytest

from rvtrace.models.etrace.encoder.encode import Encoder
from rvtrace.models.etrace.table import VARIANTS
from rvtrace.tb.common.stimulus.filtered import FIRST, place
from tests.common.filter_reference import SLIPS
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
