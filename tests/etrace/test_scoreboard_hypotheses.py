# SPDX-License-Identifier: Apache-2.0
"""A trace that decodes with other parameters than those claimed: the parameter is the finding, all else is judged."""

import re
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


def test_a_finding_shows_one_packet_its_share_and_the_section() -> None:
    """The first packet whose fields a wrong width changes, as sent and as it should be, and what was retired there."""
    finding = claimed("contexts", {"notime_p": 0}, {"time_width_p": 40}).failures[0]
    assert "packet #1 is the first of " in finding.headline
    assert "in 53 that it changes" in finding.headline
    table = {name: (due, sent) for name, due, sent in finding.table}
    encoded = scenario_run("contexts", (("notime_p", 0),))[3]
    assert table["bytes"] == ("", encoded.payloads[1].hex(" "))
    sent = encoded.packets[1].values
    assert table["time"][0] == hex(sent["time"]) != table["time"][1]
    assert finding.pc is not None and finding.before and finding.before[0].startswith("#0: support")
    assert "Efficient Trace for RISC-V, 2.0" in finding.source and finding.source.endswith("Format 3 packets")
    assert f"  source    {finding.source}" in finding.text()


def test_where_no_field_is_other_the_first_packet_that_leads_elsewhere_is_shown() -> None:
    """No packet has other fields with fewer entries of the predictor, but the same packets lead elsewhere."""
    config, program, beats, encoded = scenario_run("predictor_entries", (("branch_prediction", 1),))
    capture = EtraceCapture(config, program, encoded.payloads, beats=beats, exact=False)
    verdict, fewer = check(capture), replace(config, bpred_size_p=3)
    verdict.read = capture
    example = Packets(capture).example(Reading(config), Reading(fewer), verdict)
    assert verdict.passed and example is not None
    wrong = check(replace(capture, config=fewer)).decoded
    (number,) = map(int, re.findall(r"^packet #(\d+) is the first that it changes$", example.sentence))
    n = int(wrong.first_pc[number])
    assert wrong.pcs[:n].tolist() == verdict.decoded.pcs[:n].tolist()
    there = slice(n, int(verdict.decoded.first_pc[number + 1]))
    broken = wrong.diagnostics and wrong.diagnostics[0].packet == number
    assert broken or wrong.pcs[there].tolist() != verdict.decoded.pcs[there].tolist()
    assert ("bytes", "", encoded.payloads[number].hex(" ")) in example.shown.table


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
