# SPDX-License-Identifier: Apache-2.0
"""Our managers of AXI4-Lite and APB, and the monitors for other benches, with the agents of cocotbext-axi and
cocotbext-apb: readings of these buses that are not ours.
"""

import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from rvtrace.jobs.builds import ROOT
from tests.common.simulators import icarus_or, runner_environment

SOURCES = ("tb/common/hdl/dut_bus_axi4_lite.sv", "tb/common/hdl/dut_bus_apb.sv", "tests/common/hdl/bus_agents_tb.sv")
RUN = """
import os, sys
from cocotb_tools.runner import get_runner
runner, verilator = get_runner(os.environ["SIM"]), os.environ["SIM"] == "verilator"
runner.build(sources=sys.argv[1:], hdl_toplevel="bus_agents_tb", build_dir="build", timescale=("1ns", "1ps"),
             build_args=["-Wno-fatal", "--timing"] if verilator else ["-g2012"])
runner.test(test_module="tests.common.bus_agents", hdl_toplevel="bus_agents_tb", build_dir="build", test_dir=".",
            results_xml=os.path.abspath("results.xml"))
"""


def _failed(folder: Path, sim: str, sources: list[Path], **env: str) -> dict[str, bool]:
    """Whether each test of bus_agents failed."""
    done = subprocess.run(
        [sys.executable, "-c", RUN, *map(str, sources)],
        cwd=folder, env=runner_environment(icarus_or(sim)) | env, capture_output=True, text=True, timeout=600,
        check=False,
    )  # fmt: skip
    assert (folder / "results.xml").exists(), done.stdout + done.stderr
    cases = list(ET.parse(folder / "results.xml").getroot().iter("testcase"))
    found = {case.attrib["name"]: any(child.tag in ("failure", "error") for child in case) for case in cases}
    print(done.stdout[-6000:])
    return found


def test_agents_of_others_agree(sim, tmp_path):
    found = _failed(tmp_path, sim, [ROOT / name for name in SOURCES])
    assert found == {"axi_lite_manager": False, "apb_requester": False, "trace_on_axi_stream": False}


@pytest.mark.parametrize(
    "file, old, new, failing",
    [
        ("dut_bus_axi4_lite.sv", "req_i && write_i && !gave", "req_i && write_i", "axi_lite_manager"),
        ("dut_bus_apb.sv", "assign pwrite_o = req_i && write_i;", "assign pwrite_o = 1'b0;", "apb_requester"),
        ("", "", "", "trace_on_axi_stream"),
    ],
)  # fmt: skip
def test_they_find_what_is_wrong(sim, tmp_path, file, old, new, failing):
    """A manager that repeats its data, one that never writes, and a byte of a trace that is wrong."""
    sources = []
    for source in (ROOT / name for name in SOURCES):
        if source.name == file:
            text = source.read_text()
            assert text.count(old) == 1
            source = tmp_path / file
            source.write_text(text.replace(old, new))
        sources.append(source)
    found = _failed(tmp_path, sim, sources, **({} if file else {"WRONG_BYTE": "1"}))
    assert len(found) == 3 and [name for name, failed in found.items() if failed] == [failing]
