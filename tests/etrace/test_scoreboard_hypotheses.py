# SPDX-License-Identifier: Apache-2.0
"""A trace that decodes with other parameters than those claimed: the parameter is the finding, all else is judged."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from rvtrace.models.etrace.encoder.encode import Encoder
from rvtrace.scoreboards.common.verdict import Verdict
from rvtrace.scoreboards.diagnosis.search import Reading
from rvtrace.scoreboards.etrace.capture import EtraceCapture
from rvtrace.scoreboards.etrace.check import check
from rvtrace.scoreboards.etrace.expected import TRACE_LOST
from rvtrace.scoreboards.etrace.hypotheses import Packets
from tests.etrace.checked_scenarios import scenario_run


def claimed(name: str, real: dict[str, Any], claim: dict[str, Any]) -> Verdict:
    """The verdict on a trace that was encoded with the parameters `real`, of a device that claims others."""
    config, program, beats, encoded = scenario_run(name, tuple(sorted(real.items())))
    return check(EtraceCapture(replace(config, **claim), program, encoded.payloads, beats=beats, exact=False))


@pytest.mark.parametrize(
    "real, claim, named",
    [
        ({}, {"iaddress_lsb_p": 2}, "IADDRESS_LSB_P"),
        ({}, {"privilege_width_p": 2}, "PRIVILEGE_WIDTH_P"),
        ({"notime_p": 0}, {"notime_p": 1}, "NOTIME_P"),
        ({"notime_p": 0}, {"time_width_p": 40}, "TIME_WIDTH_P"),
        ({}, {"nocontext_p": 1}, "NOCONTEXT_P"),
        ({}, {"context_width_p": 16}, "CONTEXT_WIDTH_P"),
        ({}, {"ecause_width_p": 4}, "ECAUSE_WIDTH_P"),
    ],
)
def test_the_parameter_is_the_finding(real: dict[str, Any], claim: dict[str, Any], named: str) -> None:
    verdict = claimed("contexts" if "time_width_p" in claim else "trap_kinds", real, claim)
    causes = [failure for failure in verdict.failures if not failure.cause]
    assert [failure.table[0][0] for failure in causes] == [named], [failure.headline for failure in causes]
    assert verdict.stats["judged"] == verdict.stats["instructions"] > 0


def test_a_trace_that_decodes_as_claimed_has_no_finding() -> None:
    assert claimed("trap_kinds", {}, {}).passed


def test_a_loss_is_not_doubted_where_nobody_watched_the_port() -> None:
    """A trace that reports a loss explains everything if it is from a file: whether a beat was taken without room is
    not known. Beats that all found room contradict it.
    """
    config, program, beats, _ = scenario_run("overflow", (("inst_stall_ena", 0),))
    drop = np.zeros_like(beats.drop)
    drop[40:60] = 1
    encoded = Encoder(config).run(replace(beats, drop=drop))
    assert [packet.get("qual_status") for packet in encoded.packets].count(TRACE_LOST) == 1
    file = EtraceCapture(config, program, encoded.payloads, exact=False)
    watched = replace(file, beats=replace(beats, drop=np.zeros_like(drop)))
    assert Packets(file).lost(Reading(config)) == 0.0 < Packets(watched).lost(Reading(config))
