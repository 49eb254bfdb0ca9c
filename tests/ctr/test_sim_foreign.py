# SPDX-License-Identifier: Apache-2.0
"""The foreign blocks of `duts/`, written from the specification alone: each passes what it claims, without a finding.

This is a short form of `make check DUT=tests/ctr/duts/<name>`, which runs everything.
"""

from pathlib import Path
from typing import NamedTuple

import pytest

from rvtrace.jobs.builds import ROOT
from tests.common.foreign_runs import passing
from tests.common.simulators import icarus_or

DUTS = ROOT / "tests" / "ctr" / "duts"

# What every block is checked for by these runs.
ALWAYS = {
    "CTR.csr.address", "CTR.csr.privilege", "CTR.csr.exists", "CTR.ctl.m", "CTR.ctl.s", "CTR.ctl.u",
    "CTR.ctl.keep", "CTR.ctl.unimplemented", "CTR.sctl.preserve", "CTR.sctl.zero", "CTR.depth.select",
    "CTR.depth.entries", "CTR.depth.wrptr", "CTR.status.wrptr", "CTR.status.wrap_up", "CTR.status.wrap_down",
    "CTR.status.frozen", "CTR.entry.select", "CTR.source.pc", "CTR.source.v", "CTR.target.pc", "CTR.data.type",
    "CTR.behavior.push", "CTR.behavior.frozen", "CTR.priv.trap_from_disabled", "CTR.priv.ret_to_disabled",
    "CTR.priv.debug", "CTR.filter.ntbren", "CTR.filter.tkbrinh", "CTR.filter.dircallinh", "CTR.cycle.elapsed",
    "CTR.cycle.active", "CTR.ras.call", "CTR.ras.return", "CTR.ras.swap", "CTR.freeze.bp", "CTR.freeze.self",
    "CTR.clear.entries",
}  # fmt: skip


class Foreign(NamedTuple):
    """A device: simulators that read its dialect, and what its runs must have checked beside `ALWAYS`."""

    simulators: tuple[str, ...]
    checked: set[str]


RUNS = (
    "traps-rv64,addresses,call_stack,clr,control_values,depth,discovery,debug_mode,empty_stack,entry_values,every_type,"
    "external,filters,freezing_traps,frozen,inactive,mode_enables,reset_values,sctrclr,state_enable,substitution,"
    "supervisor_view,three_selects,transitions,writes,seed-"
)
DEVICES = {
    "tern_ctr": Foreign(
        ("icarus", "verilator"),
        {"CTR.status.wrap", "CTR.clear.status", "CTR.clear.reads0", "CTR.ext.eten", "CTR.ext.mte", "CTR.ext.ste",
         "CTR.csr.rv32h", "CTR.discovery.least", "CTR.discovery.greatest", "CTR.sctl.subset"},
    ),
    "quay_ctr": Foreign(
        ("verilator",),
        {"CTR.ext.us", "CTR.ext.vum", "CTR.ext.between", "CTR.vtrans.te", "CTR.vtrans.enables", "CTR.vsctl.substitute",
         "CTR.csr.virtual", "CTR.depth.virtual", "CTR.clear.keeps", "CTR.clear.depths", "CTR.stateen.closed",
         "CTR.stateen.hclosed", "CTR.stateen.hzero", "CTR.stateen.csrind", "CTR.freeze.vs", "CTR.freeze.lcofi"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", DEVICES)
def test_a_foreign_block_passes(name: str, sim: str, tmp_path: Path) -> None:
    device = DEVICES[name]
    if sim not in device.simulators:
        pytest.skip(f"{name} is written in a dialect that {sim} does not read")
    simulator = icarus_or(sim) if "icarus" in device.simulators else sim  # what is small takes longer to compile
    passing(DUTS / name, tmp_path, simulator, RUNS, ALWAYS | device.checked)
