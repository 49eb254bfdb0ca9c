# SPDX-License-Identifier: Apache-2.0
"""Tolerances are words of `make run`, `make check DUT=` and `make check` alike."""

import json
import shlex
import shutil

import pytest

from rvtrace.flow.captured.verdict import tolerance_words
from rvtrace.flow.dut.run import attach
from rvtrace.flow.jobs import one, words
from rvtrace.jobs import systems
from rvtrace.tools import check_dut

SIM = "icarus" if shutil.which("iverilog") else "verilator"


@pytest.mark.parametrize("ip", ["ntrace", "etrace", "tandem", "ctr", "hpm"])
def test_a_run_has_the_words_of_a_captured_trace(ip):
    system = systems.bench(ip)
    found = set(tolerance_words(system.tolerances, ip)) - set(system.words)
    assert found and found <= set(words(system))


def given(line):
    return dict(word.split("=", 1) for word in shlex.split(line) if "=" in word)


def test_a_run_is_repeated_with_them():
    job = one({"IP": "ntrace", "SCENARIO": "trap_kinds", "SYNC_LATE": "3", "SYNC_DELAYED": "1"})
    assert job.tolerances == job.said == {"sync_late": 3, "sync_delayed": True}
    assert one(given(job.rerun)).tolerances == job.tolerances
    plain = one({"IP": "ntrace", "SCENARIO": "trap_kinds"})
    assert plain.tolerances == {} and "SYNC" not in plain.rerun


def test_they_come_before_those_of_the_profile():
    line = {"DUT": "bolt_te", "IP": "etrace", "SCENARIO": "loop_resync", "BRANCH_BIT": "0"}
    job = one(line)
    attach(line, systems.bench("etrace"), job)
    assert job.tolerances["branch_bit"] is False and job.tolerances["support_first"] is True
    assert "BRANCH_BIT=0" in job.rerun and "SUPPORT_FIRST" not in job.rerun, "the others are in the dut.toml"


def test_make_check_gives_them_to_each_run(tmp_path):
    words = ["DUT=acme_btm", f"SIM={SIM}", "SEEDS=1", "K=trap_at_target-2", f"OUT={tmp_path}", "SYNC_LATE=3"]
    assert check_dut.main(words) == 0
    (result,) = [json.loads(path.read_text()) for path in tmp_path.glob("runs/*/result.json")]
    assert "SYNC_LATE=3" in result["rerun"]


def test_a_value_that_is_none_is_refused():
    with pytest.raises(ValueError, match="SYNC_LATE=soon is not a number"):
        one({"IP": "ntrace", "SCENARIO": "trap_kinds", "SYNC_LATE": "soon"})
