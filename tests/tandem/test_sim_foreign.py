# SPDX-License-Identifier: Apache-2.0
"""The encoders of tests/tandem/duts, written from the specification alone, PASS without a finding, as a vendor's device
that is right must. A short form of `make check DUT=`.
"""

import shutil
from pathlib import Path

import pytest

from rvtrace.jobs.builds import ROOT
from rvtrace.scoreboards.tandem.check import plan
from tests.common.foreign_runs import passing, share_checked
from tests.common.long import only_long

DUTS = ROOT / "tests" / "tandem" / "duts"
# Icarus where the dialect allows it: it builds in a second.
SIM = {"cinder": "icarus" if shutil.which("iverilog") else "verilator", "basalt": "verilator"}
RUNS = {
    "cinder": "forms_,reset,ends,parts_,items,next_pcs,operations,several_,traps-0,what_changes,illegal,seed-",
    "basalt": "traps-rv64,forms_,reset,ends,parts_,items,next_pcs,operations,several_,what_changes,illegal,seed-",
}
EXPECTED = (
    "TV.reported.pc", "TV.reported.ppc", "TV.reported.insn", "TV.reported.gpr", "TV.reported.fpr",
    "TV.reported.fcsr", "TV.reported.csr", "TV.reported.priv", "TV.reported.paddr", "TV.reported.eaddr",
    "TV.reported.memdata", "TV.reported.mtime", "TV.reported.mcycle", "TV.reported.minstret", "TV.reported.request",
    "TV.reported.reset", "TV.reported.init", "TV.reported.group", "TV.reported.order", "TV.reported.outside",
    "TV.legal.length", "TV.legal.base", "TV.legal.pc_known", "TV.legal.unambiguous", "TV.port.error",
    "TV.port.stable", "TV.port.empty",
)  # fmt: skip


@pytest.mark.parametrize("dut", ["basalt", only_long("cinder", why="a second encoder of the same kind")])
def test_a_foreign_encoder_passes(dut: str, tmp_path: Path) -> None:
    verdicts = passing(DUTS / dut, tmp_path, SIM[dut], RUNS[dut], EXPECTED)
    assert share_checked(verdicts, plan().clauses) > 0.7
