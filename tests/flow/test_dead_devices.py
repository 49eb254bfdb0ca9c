# SPDX-License-Identifier: Apache-2.0
"""Devices that do nothing, of every system that a device can be attached to: whatever is waived, never PASS."""

from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from rvtrace.flow.dut.check import check
from rvtrace.flow.dut.reference import Reference, reference
from rvtrace.flow.dut.waivers import Waiver
from rvtrace.jobs import systems
from rvtrace.report.compliance_model import Compliance, Subject, judge
from tests.flow.dut_folders import toml

# What all outputs are: 0; 1; 0 but for those that say that something is taken; other bits in each cycle.
OUTPUTS = {"zero": 0, "one": 1, "ready": 2, "random": 3}
MODULE = """
module dead (input logic clk, rst_n, output logic [{bits}-1:0] some, output logic taken);
  logic [1:0]  how [1];
  logic [63:0] noise;
  initial $readmemh("{how}", how);
  always_ff @(posedge clk or negedge rst_n)
    if (!rst_n) noise <= 64'h1;
    else        noise <= {{noise[62:0], noise[63] ^ noise[62] ^ noise[60] ^ noise[59]}};
  assign taken = (how[0] == 2'd3) ? noise[7] : (how[0] != 2'd0);
  assign some  = (how[0] == 2'd3) ? {{{words}{{noise}}}} : {{{bits}{{how[0] == 2'd1}}}};
endmodule
"""
RUN = "traps"  # of this program instructions retire, transfers happen and counters count
SYSTEMS = ("ntrace", "etrace", "tandem", "ctr", "hpm")


def dead(ip: str, folder: Path) -> Path:
    """The folder of a device whose outputs are what the file `how` there says."""
    system = systems.bench(ip)
    job = next(job for job in system.programs(everything=True) if RUN in job.name)
    ours: Reference = reference(system, system.build_of(job))
    outputs: dict[str, object] = {}
    bits = 0
    for name, port in ours.ports.items():
        if port.direction == "output":
            outputs[name] = "taken" if "ready" in name else f"some[{bits} +: {port.width}]"
            bits += 0 if "ready" in name else port.width
    words = -(-bits // 64)
    folder.mkdir(parents=True)
    tables: dict[str, dict[str, object]] = {
        "dut": {"name": f"dead_{ip}", "ip": ip, "top": "dead"},
        "sources": {"files": ["dead.sv"]},
        "clock": {"port": "clk"},
        "reset": {"port": "rst_n", "polarity": "low"},
        "outputs": outputs,
    }
    (folder / "dut.toml").write_text(toml(tables))
    (folder / "dead.sv").write_text(MODULE.format(bits=64 * words, words=words, how=folder / "how"))
    return folder


def waived(ip: str, results: list[dict[str, Any]]) -> Compliance:
    """The report once all that fails is waived, one clause after the other."""
    today = date(2026, 1, 1)
    waivers: list[Waiver] = []
    while True:
        found = judge(Subject(ip, ip, ip), results, waivers, today)
        if not found.of("FAIL"):
            return found
        waivers.append(Waiver(found.of("FAIL")[0].id, "try", "me", today + timedelta(1)))


@pytest.mark.parametrize("ip", SYSTEMS)
def test_a_dead_device_is_never_a_pass_whatever_is_waived(ip: str, tmp_path: Path) -> None:
    folder = dead(ip, tmp_path / "dead")
    for name, how in OUTPUTS.items():
        (folder / "how").write_text(f"{how}\n")
        words = {"DUT": str(folder), "SEEDS": "1", "K": RUN, "OUT": str(tmp_path / name), "FAST": "1"}
        results = check(words).results
        found = waived(ip, results)
        assert found.counts["WAIVED"], f"{name}: nothing failed"
        assert found.verdict == "NOT JUDGED", f"{name}: {found.verdict} {found.sentence}"
        assert found.judged < 0.5 or found.unread, name
