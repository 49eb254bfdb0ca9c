# SPDX-License-Identifier: Apache-2.0
"""Tolerances: what the texts leave open is accepted from a device that does not declare the reference profile, and
nothing more.
"""

from random import Random
from typing import Any

import numpy as np
import pytest

from rvtrace.models.ctr.config import Config
from rvtrace.models.ctr.model import Ctr
from rvtrace.scoreboards.ctr.capture import CtrCapture
from rvtrace.scoreboards.ctr.check import check
from rvtrace.scoreboards.ctr.reads import near
from rvtrace.scoreboards.ctr.tolerances import Tolerances
from rvtrace.tb.ctr.stimulus.scenarios import SCENARIOS
from tests.ctr.devices import DRAFT, SMALL, failed, play, scenario_run

FREE = Tolerances.free()


@pytest.mark.parametrize(
    "name",
    ["every_type", "call_stack", "depth_changes", "depth_values", "entry_values", "freezing_traps", "state_enables"],
)
@pytest.mark.parametrize("options", [SMALL, DRAFT], ids=["v1_0", "draft"])
def test_the_reference_passes_freely(name: str, options: dict[str, Any]) -> None:
    verdict = check(play(*scenario_run(name, **options)), FREE)
    assert verdict.passed, verdict.failures[0].text()


@pytest.mark.parametrize("policy", [0, 1, 2])
@pytest.mark.parametrize("declared", [0, 1, 2])
def test_ras_policies(policy: int, declared: int) -> None:
    """Any of the three is legal; the one that is declared is checked against."""
    config, rows = scenario_run("counts_across_pops", **SMALL, ras_policy=declared)
    capture = play(config, rows, Ctr(Config(**{**SMALL, "ras_policy": policy})))
    assert ("CTR.ras.cc" in failed(capture)) == (policy != declared)
    assert failed(CtrCapture(config, capture.rows, exact=False)) == []


def test_ccv_may_be_0() -> None:
    config, rows = scenario_run("every_type", **SMALL)
    capture = play(config, rows)
    data = np.flatnonzero((rows.op == 0) & (rows.addr == 0x153))
    capture.rows.rdata[data] &= np.uint64(0xFFFF_FFFF_FFFF_7FFF)
    assert failed(capture) == ["CTR.cycle.ccv"]
    assert check(capture, FREE).passed


def test_a_count_that_is_off() -> None:
    config, rows = scenario_run("counts", **SMALL, cce_bits=1)
    capture = play(config, rows)
    data = np.flatnonzero(
        (rows.op == 0) & (rows.addr == 0x153) & (capture.rows.rdata >> np.uint64(15) & np.uint64(1) == 1)
    )
    capture.rows.rdata[data[3]] += np.uint64(1 << 16)
    assert "CTR.cycle.elapsed" in failed(capture, FREE)
    assert check(capture, Tolerances(cc_slack=1)).passed


class OtherDepths(Ctr):
    """Unsupported depths turn into the least, and WRPTR into 3 where the depth changes: the text leaves both open."""

    def _set_depth(self, depth: int | None) -> None:
        before = self.recorder.depth
        super()._set_depth(depth if depth in self.config.depths else self.config.depths[0])
        if self.recorder.depth != before:
            self.recorder.wrptr = 3


def test_other_depths_are_adopted() -> None:
    config, rows = scenario_run("depth_values", **SMALL)
    capture = play(config, rows, OtherDepths(config))
    assert {"CTR.depth.warl", "CTR.depth.reserved"} & set(failed(capture))
    assert failed(capture, FREE) == []


def test_an_illegal_wrptr_after_a_change_is_no_matter_of_choice() -> None:
    config, rows = scenario_run("depth_changes", **SMALL)
    capture = play(config, rows)
    status = np.flatnonzero((rows.op == 0) & (rows.addr == 0x14F))
    for index in status:
        if capture.rows.rdata[index] == 0 and index > status[2]:
            capture.rows.rdata[index] = 200
            break
    assert "CTR.depth.wrptr" in failed(capture, FREE) or "CTR.status.upper" in failed(capture, FREE)


def test_reset_may_leave_anything() -> None:
    config = Config(**SMALL)
    rows = SCENARIOS["reset_values"].build(config, Random(1))
    capture = play(config, rows)
    entry = np.flatnonzero((rows.op == 0) & (rows.addr == 0x151) & (capture.rows.outcome == 0))
    capture.rows.rdata[entry[0]] = 0x1235
    assert failed(capture) == ["CTR.csr.reset"]
    assert failed(capture, FREE) == []


def test_tolerances_say_what_they_free() -> None:
    assert all(getattr(FREE, name) != getattr(Tolerances(), name) for name in vars(FREE) if name != "cc_slack")


@pytest.mark.parametrize(
    ("one", "other", "slack", "same"),
    [
        (100, 100, 0, True), (100, 101, 0, False), (100, 101, 1, True), (100, 102, 1, False), (100, 104, 5, True),
        # exponent 1 is still exact: 4095 and 4096 cycles
        (4095, 1 << 12, 0, False), (4095, 1 << 12, 1, True), (1 << 12 | 5, 1 << 12 | 6, 0, False),
        # exponent 2 counts in twos, exponent 3 in fours; the coarser of both decides
        (2 << 12 | 5, 2 << 12 | 6, 0, False), (2 << 12 | 5, 2 << 12 | 6, 1, True), (2 << 12 | 5, 2 << 12 | 7, 2, False),
        (2 << 12 | 4095, 3 << 12, 0, True), (2 << 12 | 4094, 3 << 12, 0, False), (2 << 12 | 4094, 3 << 12, 1, True),
        (1 << 12 | 4095, 2 << 12, 0, True),
    ],
)  # fmt: skip
def test_cycle_counts_that_are_near(one: int, other: int, slack: int, same: bool) -> None:
    """CC is a mantissa and an exponent: two that differ by less than a step and the slack are taken for one count."""
    assert near(one, other, slack) is same and near(other, one, slack) is same
