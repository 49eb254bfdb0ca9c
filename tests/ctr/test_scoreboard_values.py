# SPDX-License-Identifier: Apache-2.0
"""Every kind of value: one bit of one read turned round is a failure of the clause it belongs to, and of no other."""

from typing import Any

import numpy as np
import pytest

from rvtrace.models.ctr.registers import csrs
from rvtrace.models.riscv.csr import READ
from rvtrace.scoreboards.ctr.check import check
from tests.ctr.devices import DRAFT, SMALL, failed, play, scenario_run

LEAN: dict[str, Any] = {
    "xlen": 32,
    "transfers": 1,
    "depths": (16, 64),
    "fields": 0,
    "has_misp": 0,
    "has_type": 0,
    "has_cc": 0,
    "cce_bits": 0,
    "has_stateen": 0,
}
# what: scenario, implementation, register, bit, which of its reads, clause
CASES = {
    "a field": ("control_values", SMALL, "mctrctl", 36, 3, "CTR.ctl.keep"),
    "a required field": ("control_values", SMALL, "mctrctl", 11, 3, "CTR.ctl.required"),
    "a field set by mask": ("control_values", SMALL, "mctrctl", 36, -2, "CTR.csr.setclear"),
    "a field that is not there": ("control_values", LEAN, "mctrctl", 7, 2, "CTR.ctl.unimplemented"),
    "a bit without field": ("control_values", SMALL, "mctrctl", 20, 2, "CTR.ctl.undefined"),
    "a custom bit": ("control_values", SMALL, "mctrctl", 61, 2, "CTR.csr.custom"),
    "CLR": ("control_values", DRAFT, "mctrcontrol", 7, 2, "CTR.clear.reads0"),
    "the guest's field": ("control_values", SMALL, "vsctrctl", 8, 3, "CTR.vsctl.keep"),
    "the guest's depth": ("control_values", DRAFT, "vsctrcontrol", 16, 3, "CTR.vsctl.depth"),
    "M through sctrctl": ("supervisor_view", SMALL, "sctrctl", 2, 5, "CTR.sctl.zero"),
    "STE through sctrctl": ("supervisor_view", SMALL, "sctrctl", 8, 1, "CTR.sctl.subset"),
    "depth": ("depth_values", SMALL, "sctrdepth", 0, 1, "CTR.depth.select"),
    "depth after a reserved code": ("depth_values", SMALL, "sctrdepth", 0, 6, "CTR.depth.reserved"),
    "an undefined bit of the depth": ("depth_values", SMALL, "sctrdepth", 9, 1, "CTR.depth.undefined"),
    "an undefined bit of the status": ("status_values", SMALL, "sctrstatus", 20, 4, "CTR.status.undefined"),
    "WRPTR beyond the depth": ("status_values", SMALL, "sctrstatus", 7, 4, "CTR.status.upper"),
    "WRPTR as written": ("status_values", SMALL, "sctrstatus", 1, 3, "CTR.status.write"),
    "ireg4": ("entry_values", SMALL, "sireg4", 3, 0, "CTR.entry.ireg456"),
    "an iselect": ("entry_values", SMALL, "siselect", 4, 2, "CTR.entry.select"),
    "the CTR bit": ("state_enable_values", SMALL, "mstateen0", 54, 4, "CTR.stateen.bit"),
    "bit 60": ("state_enable_values", SMALL, "mstateen0", 60, 4, "CTR.stateen.csrind"),
    "another bit of mstateen0": ("state_enable_values", SMALL, "mstateen0", 3, 4, "CTR.stateen.undefined"),
    "reset": ("reset_values", SMALL, "mctrctl", 1, 0, "CTR.csr.reset"),
    "MISP": ("every_type", SMALL, "sireg2", 0, 4, "CTR.target.misp"),
    "MISP that is not there": ("every_type", LEAN, "sireg2", 0, 4, "CTR.target.no_misp"),
    "TYPE that is not there": ("every_type", LEAN, "sireg3", 3, 4, "CTR.data.unimplemented"),
    "an undefined bit of ctrdata": ("every_type", SMALL, "sireg3", 9, 4, "CTR.data.undefined"),
    "CC": ("every_type", SMALL, "sireg3", 17, 4, "CTR.cycle.elapsed"),
    "CCV": ("every_type", SMALL, "sireg3", 15, 4, "CTR.cycle.ccv"),
    "source": ("every_type", SMALL, "sireg", 40, 4, "CTR.source.pc"),
    "target": ("every_type", SMALL, "sireg2", 40, 4, "CTR.target.pc"),
    "a written source": ("synthesized", SMALL, "sireg", 20, 0, "CTR.source.hold"),
    "a written target": ("synthesized", SMALL, "sireg2", 20, 0, "CTR.target.hold"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_one_bit(case: str) -> None:
    name, options, register, bit, which, clause = CASES[case]
    config, rows = scenario_run(name, **options)
    capture = play(config, rows)
    address = next(c.address for c in csrs(config) if c.name == register)
    reads = np.flatnonzero((rows.op == READ) & (rows.addr == address) & (capture.rows.outcome == 0))
    capture.rows.rdata[reads[which]] ^= np.uint64(1 << bit)
    assert clause in failed(capture)


def test_a_failure_says_what_happened() -> None:
    config, rows = scenario_run("every_type", **SMALL)
    capture = play(config, rows)
    reads = np.flatnonzero((rows.op == READ) & (rows.addr == 0x152))
    capture.rows.rdata[reads[5]] ^= np.uint64(1 << 20)
    verdict = check(capture)
    (failure,) = verdict.failures
    text = failure.text()
    assert (
        "PC of logical entry 5 is wrong" in text
        and "jump 0x" in text
        and "make run IP=ctr" in text
        and failure.cycle is not None
    )
    assert len(failure.before) == 3 and failure.table[0][1] != failure.table[0][2]


def test_problems_of_the_monitors_are_failures() -> None:
    config, rows = scenario_run("every_type", **SMALL)
    capture = play(config, rows)
    capture.problems = ["cycle 7: rdata is X"]
    assert failed(capture) == ["CTR.csr.unknown"]


def test_an_entry_at_the_depth_that_is_not_zero() -> None:
    config, rows = scenario_run("depths", **SMALL)
    capture = play(config, rows)
    select = np.flatnonzero((rows.op == 1) & (rows.addr == 0x150) & (rows.wdata == 0x200 + 16))[0]
    read = select + np.flatnonzero((rows.op[select:] == READ) & (rows.addr[select:] == 0x151))[0]
    capture.rows.rdata[read] = 1
    assert failed(capture) == ["CTR.depth.entries"]
