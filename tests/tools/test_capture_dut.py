# SPDX-License-Identifier: Apache-2.0
"""`make capture DUT=` and `make decode DUT=`: what one's own IP sends, as files that the other tools read."""

import json
import shutil

import pytest

from rvtrace.flow.dut.run import with_ip
from rvtrace.jobs.arguments import ArgumentError
from rvtrace.tools import capture, check_trace, decode

SIM = "icarus" if shutil.which("iverilog") else "verilator"


def test_what_an_ip_sends_is_left_as_files_that_pass(tmp_path, capsys):
    out = tmp_path / "out"
    words = ["DUT=acme_btm", "SCENARIO=trap_at_start", f"SIM={SIM}"]
    assert capture.main([*words, f"OUT={out}"]) == 0
    config = json.loads((out / "config.json").read_text())
    assert (config["mode"], config["icnt_bits"], config["inst_stall_ena"]) == ("btm", 16, 1), "what dut.toml claims"
    assert not (out / "beats.npz").exists(), "it does not declare the profile, so that nothing compares its bytes"
    assert f"make check IN={out}" in capsys.readouterr().out
    assert check_trace.main(["IP=ntrace", f"IN={out}", f"OUT={tmp_path / 'report'}"]) == 0
    assert len((out / "trace.bin").read_bytes()) % 4 == 0, "its beats of four bytes"


def test_it_is_decoded_at_once(tmp_path, capsys):
    assert decode.main(["DUT=bolt_te", "SCENARIO=loop_resync", f"SIM={SIM}", f"OUT={tmp_path}", "MESSAGES=1"]) == 0
    said = capsys.readouterr().out
    assert "PASS  loop_resync" in said and "start" in said and (tmp_path / "trace.bin").exists()


def test_the_system_is_that_of_the_ip():
    assert with_ip(["DUT=bolt_te", "PROGRAM=sort"]) == ["DUT=bolt_te", "PROGRAM=sort", "IP=etrace"]
    assert with_ip(["DUT=bolt_te", "IP=ntrace"]) == ["DUT=bolt_te", "IP=ntrace"]
    with pytest.raises(ArgumentError, match="DUT=bolt_te is for IP=etrace, and the job for IP=ntrace; give IP=etrace"):
        capture.main(["DUT=bolt_te", "IP=ntrace", "PROGRAM=sort", "OUT=x"])
