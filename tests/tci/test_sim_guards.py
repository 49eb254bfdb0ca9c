# SPDX-License-Identifier: Apache-2.0
"""What must go red: bugs in registers, funnel and sinks, each under its own clause."""

import pytest

from rvtrace.flow.jobs import run_all
from rvtrace.tb.tci.job import TciJob
from rvtrace.tb.tci.stimulus.scenarios import known
from tests.common.simulators import icarus_or


def test_scenario_that_does_not_exist():
    with pytest.raises(ValueError, match="did you mean tci:read_back"):
        known(TciJob("no", "tci:readback"))


def test_mutant_is_caught(sim, rtl_copy, tmp_path):
    """Words of the RAM sink lose their order."""
    path = rtl_copy / "tci" / "trace_word_buffer.sv"
    text = path.read_text()
    old = "assign word_o = bytes_q[31:0] |"
    assert text.count(old) == 1
    path.write_text(text.replace(old, "assign word_o = {bytes_q[23:0], bytes_q[31:24]} |"))
    (result,) = run_all(
        [TciJob("bug", "tci:read_back")],
        icarus_or(sim),
        tmp_path / "out",
        lambda result: None,
        rtl_dir=rtl_copy,
        fast=True,
    )
    assert result["verdict"] == "FAIL" and result["clauses"]["TCI.ram.data"][1]
    assert any("rerun     make run IP=ntrace SOURCE=tci:read_back" in failure["text"] for failure in result["failures"])
