# SPDX-License-Identifier: Apache-2.0
"""Counter blocks of other houses in the testbench: no finding, and most clauses that apply to them were checked."""

import shutil
from pathlib import Path

import pytest

from rvtrace.jobs.builds import ROOT
from tests.common.foreign_runs import passing
from tests.common.long import only_long

RUNS = "selectors,several_at_once,halves,wraps,overflow_again,filters,enables,switch,seed-"
SIM = "icarus" if shutil.which("iverilog") else "verilator"
EXPECTED = {
    "HPM.count.cycles", "HPM.count.retired", "HPM.count.event", "HPM.count.several", "HPM.write.value",
    "HPM.write.others", "HPM.of.set", "HPM.of.only", "HPM.lcofi.request", "HPM.filter.minh",
    "HPM.filter.uinh", "HPM.enable.machine", "HPM.csr.done",
}  # fmt: skip


@pytest.mark.parametrize("name", ["kite", only_long("plover", why="a second block of the same kind")])
def test_it_passes(name: str, tmp_path: Path) -> None:
    dut = ROOT / "tests" / "hpm" / "duts" / name
    verdicts = passing(dut, tmp_path, SIM, RUNS, EXPECTED)
    assert sum(verdict == "PASS" for verdict in verdicts.values()) > 50
