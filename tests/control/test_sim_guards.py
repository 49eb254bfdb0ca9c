"""What must go red: bugs in registers, funnel and sinks, each under its own clause."""

from __future__ import annotations

import pytest

from tb.system_job import SystemJob
from tools.system import run_stories


def test_story_that_does_not_exist():
    with pytest.raises(ValueError, match="did you mean system:read_back"):
        SystemJob("no", "system:readback")


def test_planted_bug_is_red(sim, rtl_copy, tmp_path):
    """Words of the RAM sink lose their order."""
    path = rtl_copy / "control" / "trace_word_buffer.sv"
    text = path.read_text()
    old = "assign word_o = bytes_q[31:0] |"
    assert text.count(old) == 1
    path.write_text(text.replace(old, "assign word_o = {bytes_q[23:0], bytes_q[31:24]} |"))
    (result,) = run_stories([SystemJob("bug", "system:read_back")], sim, tmp_path / "out", rtl_copy)
    assert result["verdict"] == "FAIL" and result["clauses"]["TCI.ram.data"][1]
    assert any("rerun     make run IP=ntrace SOURCE=system:read_back" in failure["text"] for failure in result["failures"])
