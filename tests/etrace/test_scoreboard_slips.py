# SPDX-License-Identifier: Apache-2.0
"""One packet that says less or something else than it should is the first finding, not what was decoded after it."""

from copy import deepcopy
from typing import Any

import pytest

from rvtrace.models.etrace.encoder.encode import Encoder
from rvtrace.scoreboards.common.clauses import Failure
from rvtrace.scoreboards.common.verdict import Verdict
from rvtrace.scoreboards.etrace.capture import EtraceCapture
from rvtrace.scoreboards.etrace.check import check, judged
from rvtrace.scoreboards.etrace.expected import TRACE_LOST
from rvtrace.scoreboards.etrace.tolerances import Tolerances
from tests.etrace.checked_scenarios import Sent, doctored, scenario_run, sent

PREDICTION, CACHE, RETURNS = {"branch_prediction": 1}, {"jump_target_cache": 1}, {"implicit_return": 1}


def cleared(flag: str) -> Any:
    """Without the flag wherever it was."""

    def change(trace: Sent) -> None:
        for packet in trace.packets:
            if packet.get(flag):
                packet.values[flag] = 0

    return change


def predicted(trace: Sent) -> None:
    """A branch at the address is said to be as predicted."""
    for packet in trace.packets:
        if packet.get("branch_fmt") == 3:
            packet.values["branch_fmt"] = 2


def whole(trace: Sent) -> None:
    """Predicted branches are counted from 0."""
    for packet in trace.packets:
        if "branch_count" in packet.values:
            packet.values["branch_count"] += 31


def other_entry(trace: Sent) -> None:
    """An index of another entry, which holds an address as well."""
    found = [i for i, packet in enumerate(trace.packets) if packet.name == "jump_target"]
    indices = {trace.packets[i].values["index"] for i in found}
    last = trace.packets[found[-1]].values
    last["index"] = next(index for index in sorted(indices) if index != last["index"])


def hidden(trace: Sent) -> None:
    """The first of two traps is not reported."""
    trace.delete(trace.find("trap", thaddr=0))


@pytest.mark.parametrize(
    ("name", "options", "change", "clause"),
    [
        ("updiscon_flag", {}, cleared("updiscon"), "ET.pay.updiscon"),
        ("loop_trap", {}, cleared("updiscon"), "ET.pay.updiscon"),
        ("loop_notify", {}, cleared("notify"), "ET.pay.notify"),
        ("notify_kinds", {}, cleared("notify"), "ET.pay.notify"),
        ("trap_at_depths", RETURNS, cleared("irreport"), "ET.pay.irreport"),
        ("count_ends_in_branch", PREDICTION, predicted, "ET.pay.branch_fmt"),
        ("counts_around_31", PREDICTION, whole, "ET.pay.branch_count"),
        ("cache_fills", CACHE, other_entry, "ET.opt.cache"),
        ("back_to_back_traps", {}, hidden, "ET.bt.traps"),
    ],
)
def test_first_finding(name: str, options: dict[str, int], change: Any, clause: str) -> None:
    """Without the change it passes; with it the clause of the packet is the first cause."""
    assert doctored(name, options, tolerances=Tolerances.free()).passed
    verdict = doctored(name, options, change, tolerances=Tolerances.free())
    assert _first(verdict).clause == clause, _first(verdict).text()


def test_a_loss_without_its_code() -> None:
    """A support packet comes after lost packets, and does not say so."""
    config, program, beats, _ = scenario_run("overflow", (("inst_stall_ena", 0),))
    beats = deepcopy(beats)
    beats.drop[40:60] = 1
    copy = sent(Encoder(config).run(beats))
    assert check(EtraceCapture(config, program, copy.payloads(config), beats=beats, exact=False)).passed
    copy.set(copy.find("support", qual_status=TRACE_LOST), qual_status=0)
    verdict = judged(EtraceCapture(config, program, copy.payloads(config), beats=beats, exact=False))
    assert _first(verdict).clause == "ET.alg.lost", _first(verdict).text()


def _first(verdict: Verdict) -> Failure:
    causes = [failure for failure in verdict.failures if not failure.cause]
    return min(causes, key=lambda failure: (failure.at is None, failure.at or 0))
