# SPDX-License-Identifier: Apache-2.0
"""The whole path of somebody who attaches an IP: new-dut, doctor, check, its report, and the rerun of a failure. The IP
is our own encoder under other names.
"""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rvtrace.flow.simulation import sources
from rvtrace.jobs.builds import ROOT
from rvtrace.tb.ntrace.builds import BUILD
from tests.common.long import some
from tests.common.simulators import icarus_or
from tests.common.there import there
from tests.tools.captures import hears_sigint

TOP = """
module acme_te #(parameter int ADDR_W = 32) (
  input  logic clk, rst, te_on, te_tracing, histories, may_stall, bt_ext,
  input  logic [4:0] hart,
  input  logic [12+ADDR_W-1:0] blk,   // {itype, address, iretire, ilastsize}
  input  logic [2:0] mode,
  input  logic beat_stall,
  output logic blk_stall, lost, busy,
  output logic [68:0] beat            // {valid, count, bytes}
);
  logic ready, empty;
  assign blk_stall = !ready;
  assign busy      = !empty;
  acme_ntrace_encoder #(.Xlen(ADDR_W)) u_encoder (
    .clk_i(clk), .rst_ni(!rst), .enable_i(te_on), .inst_tracing_i(te_tracing), .halted_i(hart[0]),
    .in_reset_i(hart[1]), .low_power_i(hart[2]),
    .notify_i(hart[3]), .ext_notify_i(hart[4]), .vendor_tcode_i(6'd0), .vendor_data_i(32'd0),
    .inst_mode_i(histories ? 3'd6 : 3'd3),
    .sync_mode_i(2'd0), .sync_max_i(4'd0), .stall_ena_i(may_stall), .rc7_i(1'b0), .btype_ext_i(bt_ext),
    .src_bits_i(4'd0), .src_id_i(12'd0),
    .inhibit_src_i(1'b0), .ts_enable_i(1'b0), .tstamp_i(64'd0), .context_ena_i(1'b0), .hcontext_ena_i(1'b0),
    .extend_addr_msb_i(1'b0),
    .implicit_return_i(2'd0), .repeated_history_i(1'b0), .repeat_branch_i(1'b0), .sequential_jump_i(1'b0),
    .all_jumps_i(1'b0),
    .filters_i(16'd0), .filter_cfg_i(256'd0), .comp_cfg_i(320'd0),
    .ing_itype_i(blk[ADDR_W+8 +: 4]), .ing_iaddr_i(blk[8 +: ADDR_W]), .ing_iretire_i(blk[7:1]),
    .ing_ilastsize_i(blk[0]), .ing_sijump_i(1'b0),
    .ing_cause_i(8'd0), .ing_tval_i({ADDR_W{1'b0}}), .ing_priv_i(mode), .ing_context_i(32'd0),
    .ing_hcontext_i(16'd0), .ing_ready_o(ready),
    .drop_o(lost), .empty_o(empty), .overflow_o(), .out_valid_o(beat[68]), .out_nbytes_o(beat[67:64]),
    .out_data_o(beat[63:0]),
    .out_ready_i(!beat_stall)
  );
endmodule
"""
MAP = {
    "te_on": "enable_i",
    "te_tracing": "inst_tracing_i",
    "hart": "{ext_notify_i, notify_i, low_power_i, in_reset_i, halted_i}",
    "histories": "inst_mode_i == 3'd6",
    "may_stall": "stall_ena_i",
    "bt_ext": "btype_ext_i",
    "mode": "ing_priv_i",
    "beat_stall": "!out_ready_i",
    "blk": "{ing_itype_i, ing_iaddr_i, ing_iretire_i, ing_ilastsize_i}",
    "ing_ready_o": "!blk_stall",
    "drop_o": "lost",
    "empty_o": "!busy",
    "overflow_o": "1'b0",
    "out_valid_o": "beat[68]",
    "out_nbytes_o": "beat[67:64]",
    "out_data_o": "beat[63:0]",
}


def _make(*words: str) -> subprocess.CompletedProcess[str]:
    env = {name: value for name, value in os.environ.items() if name != "SIM"}
    return subprocess.run(
        [sys.executable, "-m", *words], cwd=ROOT, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )


@pytest.fixture
def acme(tmp_path: Path) -> Path:
    """A folder as `make new` writes it, with the map filled in."""
    rtl = tmp_path / "rtl"
    rtl.mkdir()
    files = [path for path in sources(ROOT / "rtl", BUILD.bench) if path.is_relative_to(ROOT / "rtl")]
    defined = {name for path in files for name in re.findall(r"^\s*(?:module|package)\s+(\w+)", path.read_text(), re.M)}
    ours = re.compile(r"\b(" + "|".join(sorted(defined, key=len, reverse=True)) + r")\b")
    for path in files:
        (rtl / f"acme_{path.name}").write_text(ours.sub(r"acme_\1", path.read_text()))
    (rtl / "acme_te.sv").write_text(TOP)
    (rtl / "acme.f").write_text("".join(f"acme_{path.name}\n" for path in files) + "acme_te.sv\n")
    out = tmp_path / "dut"
    made = _make(
        "rvtrace.tools.new_dut", "NAME=acme", "IP=ntrace", f"OUT={out}", f"FILES={rtl / 'acme.f'}", "TOP=acme_te"
    )
    assert made.returncode == 0 and f"make doctor DUT={out}" in made.stdout, made.stdout + made.stderr
    text = (out / "dut.toml").read_text()
    assert 'port = "clk"' in text and 'port = "rst"\npolarity = "high"' in text, "clock and reset were found"
    reported = _make("rvtrace.tools.doctor", f"DUT={out}")
    assert reported.returncode == 1 and f"{len(MAP)} things to do" in reported.stdout, reported.stdout + reported.stderr
    for name, value in MAP.items():
        text, count = re.subn(rf'^# {name} = "".*$', f'{name} = "{value}"', text, flags=re.M)
        assert count == 1, f"{name} has no line to fill in"
    (out / "dut.toml").write_text(text.replace("[parameters]", '[parameters]\nADDR_W = "Xlen"'))
    reported = _make("rvtrace.tools.doctor", f"DUT={out}")
    assert reported.returncode == 0 and f"Everything fits. Next: make check DUT={out}" in reported.stdout, (
        reported.stdout + reported.stderr
    )
    return out


def test_an_ip_is_attached_passes_and_a_fault_of_it_is_named(acme, sim):
    words = ("rvtrace.tools.check", f"DUT={acme}", f"SIM={icarus_or(sim)}", "SEEDS=2")
    done = _make(*words, f"OUT={acme / 'out'}", "K=seed-")
    assert done.returncode == 0 and "checks of 2 runs" in done.stdout and "\nPASS  " in done.stdout, (
        done.stdout + done.stderr
    )
    report = json.loads((acme / "out" / "compliance.json").read_text())
    assert report["verdict"] == "PASS" and report["subject"]["name"] == "acme" and report["counts"]["PASS"] > 20
    assert all((acme / "out" / name).is_file() for name in ("index.html", "junit.xml"))

    text = (acme / "dut.toml").read_text()  # a fault in the map is one of the IP, for whoever looks from outside
    (acme / "dut.toml").write_text(text.replace('bt_ext = "btype_ext_i"', 'bt_ext = "!btype_ext_i"'))
    done = _make(*words, f"OUT={acme / 'bad'}", "K=trap_kinds")
    assert done.returncode == 1 and "\nFAIL  " in done.stdout, done.stdout + done.stderr
    (rerun,) = set(re.findall(r"rerun +make run (.*)", done.stdout)[:1])
    assert f"DUT={acme}" in rerun
    done = _make("rvtrace.tools.run", *rerun.split(), f"OUT={acme / 'again'}")
    assert done.returncode == 1 and "B-TYPE" in done.stdout, done.stdout + done.stderr


def test_a_k_that_names_nothing_is_a_sentence(acme):
    done = _make("rvtrace.tools.check", f"DUT={acme}", "SIM=icarus", "K=nonsense")
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and "K=nonsense is in none of the" in done.stderr


@pytest.mark.parametrize("how", some([signal.SIGINT, signal.SIGTERM], 1))
def test_stopped_in_between_it_leaves_the_report_of_what_has_run(acme, sim, how):
    out = acme / "out"
    command = [
        sys.executable,
        "-m",
        "rvtrace.tools.check",
        f"DUT={acme}",
        f"SIM={icarus_or(sim)}",
        "SEEDS=40",
        "K=seed-",
        "N=1",
        f"OUT={out}",
    ]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, preexec_fn=hears_sigint
    ) as process:
        while not (first := list(out.glob("runs/*/result.json"))) and process.poll() is None:
            time.sleep(0.02)
        process.send_signal(how)
        said = process.communicate(timeout=60)[0]
    assert first and process.returncode == 130, said
    done, total = map(
        int,
        there(
            re.search(
                r"^stopped: (\d+) of (\d+) runs are done, and the report of these is in .*out/index\.html$", said, re.M
            )
        ).groups(),
    )
    assert 0 < done < total and said.count("stopped: ") == 1
    report = json.loads((out / "compliance.json").read_text())
    assert report["verdict"] == "FAIL" and report["problems"] == [
        f"stopped after {done} of {total} runs; the same command begins anew"
    ], "no PASS"
    assert sum(sum(run["endings"].values()) for run in report["runs"]) == done and not report["errors"]
    reasons = {row["reason"] for row in report["clauses"] if row["verdict"] == "NOT-RUN"}
    assert f"stopped after {done} of {total} runs, none of which met it" in reasons and report["counts"]["PASS"] > 0
    assert all((out / name).is_file() for name in ("index.html", "junit.xml"))
