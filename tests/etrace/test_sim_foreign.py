# SPDX-License-Identifier: Apache-2.0
"""The encoders of tests/etrace/duts, written from the specification alone, PASS without a finding, as a vendor's device
that is right must. A short form of `make check DUT=`.
"""

import shutil
from pathlib import Path

import pytest

from rvtrace.flow.dut.description import Dut
from rvtrace.flow.dut.select import select
from rvtrace.flow.faults import devices
from rvtrace.jobs import systems
from rvtrace.jobs.builds import ROOT
from rvtrace.scoreboards.etrace.check import plan
from tests.common.foreign_runs import passing, share_checked

DUTS = ROOT / "tests" / "etrace" / "duts"
# Icarus where the dialect allows it: it builds in a second.
SIM = {"tern": "icarus" if shutil.which("iverilog") else "verilator", "gannet": "verilator"}
RUNS = {
    "tern": "traps_at_target,back_to_back,trap_first,loop_,full_map_at_event,contexts,context_values,resync_,stops,"
    "disables,nested_pri,seed-",
    "gannet": "traps-rv64,loop_,predictor_,count_,cache_,contexts,overflow-,stall-,traps_at_target,reconfigured-,"
    "notify_kinds,implicit_exceptions,full_addresses,back_to_back,time_and,trap_at_depths,wrong_return,"
    "sequential_jumps-,seed-",
}
# Clauses that must have been checked: what a device has, and what its runs are about.
CHECKED = {
    "tern": ("ET.pay.support", "ET.alg.resync", "ET.pay.privilege", "ET.bt.traps", "ET.pay.thaddr", "ET-4"),
    "gannet": (
        "ET.opt.prediction", "ET.opt.cache", "ET.opt.implicit_exception", "ET.opt.implicit_return", "ET-14",
        "ET.pay.time", "ET.alg.lost", "ET.alg.notify", "ET.alg.reconfigured",
    ),
}  # fmt: skip
BOTH = (
    "ET.bt.sequential", "ET.bt.uninferable", "ET.bt.branches", "ET.bt.epc", "ET.bt.sync", "ET.bt.end",
    "ET.pay.updiscon", "ET.pay.qual_status", "ET.pay.ecause", "ET.pay.tval", "ET.pay.context", "ET.alg.enable",
    "ET.alg.context", "ET.ing.ctype", "ET.ing.empty",
)  # fmt: skip


@pytest.mark.parametrize("dut", sorted(SIM))
def test_a_foreign_encoder_passes(dut: str, tmp_path: Path) -> None:
    verdicts = passing(DUTS / dut, tmp_path, SIM[dut], RUNS[dut], BOTH + CHECKED[dut])
    assert share_checked(verdicts, plan().clauses) > 2 / 3, "most clauses that apply were checked"


@pytest.mark.parametrize("name", sorted(SIM))
def test_every_deviation_has_a_place_runs_and_known_clauses(name: str, tmp_path: Path) -> None:
    dut = Dut.load(DUTS / name)
    rows = devices.deviations(DUTS / name / devices.FILE)
    copied, numbers = devices.built_in(dut, rows, tmp_path)
    assert len(rows) >= 30 and set(numbers) == {row.name for row in rows}
    jobs = select(copied, systems.bench("etrace"), devices.SEEDS, SIM[name]).jobs
    device = devices.Device(name, copied, rows, tuple(jobs), numbers)
    assert all(device.runs_of([row]) for row in rows)
    assert {clause for row in rows for clause in row.clauses} <= set(plan().clauses)
