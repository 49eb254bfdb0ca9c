# SPDX-License-Identifier: Apache-2.0
"""A rolled-up clause of E-Trace is checked only where its own situation occurs; elsewhere it stays NOT-RUN."""

from copy import deepcopy
from typing import Any

import numpy as np
import pytest

from rvtrace.models.etrace.encoder.encode import Encoder
from rvtrace.scoreboards.etrace.capture import EtraceCapture
from rvtrace.scoreboards.etrace.check import check, plan
from rvtrace.scoreboards.etrace.situations import OCCURRENCES, SITUATIONS
from tests.etrace.checked_scenarios import doctored, scenario_run

RETURNS = {"implicit_return": 1}
MEETS: dict[str, tuple[str, dict[str, Any]]] = {  # a scenario that meets the situation
    "ET-1": ("uninferable_jumps", {}),
    "ET-3": ("trap_first", {}),
    "ET-5": ("map_lengths", {}),
    "ET-6": ("loop_trap", {}),
    "ET-7": ("causes", {}),
    "ET-8": ("trap_kinds", {}),
    "ET-9": ("handler_starts", {}),
    "ET-10": ("xret_kinds", {}),
    "ET-11": ("counts_around_31", {"branch_prediction": 1}),
    "ET-13": ("sequential_jumps", {"sijump": 1}),
    "ET-15": ("contexts", {"ctype": "2"}),
    "ET-17": ("pairs", {"blocks_p": 2}),
    "ET-18": ("address_lengths", {}),
    "ET.pay.one_byte": ("short_jumps", {}),
    "ET.alg.multi": ("pairs", {"blocks_p": 2}),
    "ET.ing.blocks": ("long_blocks", {}),
    "ET.ing.halted": ("stops", {}),
    "ET.ing.reset": ("stops", {}),
    "ET.ing.notify": ("notify_kinds", {}),
    "ET.ing.triggers": ("notify_kinds", {}),
    "ET.ing.sijump": ("sijump_means_nothing", {"sijump": 1}),
    "ET.ing.itype3": ("uninferable_jumps", {"itype_width_p": 3}),
    "ET.opt.counter": ("nested_calls", RETURNS | {"call_counter_size_p": 2, "return_stack_size_p": 0}),
    "ET.opt.stack": ("nested_calls", RETURNS),
    "ET.opt.stack_overflow": ("recursion", RETURNS),
    "ET.opt.predictor": ("predictor_states", {"branch_prediction": 1}),
    "ET.opt.reset_on_sync": ("cache_and_sync", {"jump_target_cache": 1}),
}
OCCURS: dict[str, tuple[str, dict[str, Any]]] = {
    "ET-4": ("resync_with_branches", {"inst_sync_mode": 3}),
    "ET-14": ("notify_at_depths", RETURNS),
    "ET.alg.first": ("stops", {}),
    "ET.bt.bounds": ("stops", {}),
}
QUIET = "reset", "stack_overflow", "counter", "stack", "predictor"


def results(name: str, options: dict[str, Any]) -> dict[str, list[int]]:
    verdict = doctored(name, options, exact=True)
    assert verdict.passed
    return verdict.book.results()


def test_every_situation_belongs_to_a_row() -> None:
    assert MEETS.keys() == SITUATIONS.keys() - {"ET.ing.overflow"} and OCCURS.keys() == OCCURRENCES.keys()
    assert all(plan()[clause].through for clause in SITUATIONS) and all(plan()[clause].checks for clause in OCCURRENCES)


@pytest.mark.parametrize("clause", [*MEETS, *OCCURS])
def test_met(clause: str) -> None:
    checked, failed = results(*(MEETS | OCCURS)[clause])[clause]
    assert checked > 0 and failed == 0


def test_not_met_is_not_run() -> None:
    """Jumps forth and back have no trap, no branch, no context, one block a cycle: those rows were not checked."""
    ran = results("short_jumps", {"inst_stall_ena": 0}).keys() & SITUATIONS.keys()
    assert ran <= {"ET-1", "ET-18", "ET.pay.one_byte", "ET.ing.blocks", "ET-17", "ET-6"}


@pytest.mark.parametrize("name", ["sequential_jumps", "sijump_means_nothing"])
def test_sijump_of_the_hart_is_not_met_without_the_option(name: str) -> None:
    """The port says which jumps are sequential, and the encoder was not to use it."""
    assert np.any(scenario_run(name, (("sijump", 0),))[2].sijump)
    assert not results(name, {"sijump": 0}).keys() & {"ET-13", "ET.ing.sijump"}


def test_losses() -> None:
    """Beats without room: what they made is lost, and counts."""
    config, program, beats, _ = scenario_run("overflow", (("inst_stall_ena", 0),))
    beats = deepcopy(beats)
    beats.drop[40:60] = 1
    encoded = Encoder(config).run(beats)
    verdict = check(EtraceCapture(config, program, encoded.payloads, beats=beats))
    assert verdict.passed, verdict.failures[0].text()
    assert verdict.book.results()["ET.ing.overflow"][0] > 0 and verdict.book.results()["ET.alg.lost"][0] > 0
    assert verdict.stats["reported"] < verdict.stats["instructions"]
