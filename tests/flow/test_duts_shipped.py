# SPDX-License-Identifier: Apache-2.0
"""The examples of tb/duts: all fit, the two good ones pass, and the report of the faulty one names each of its five
faults.
"""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from rvtrace.flow.dut import doctor
from rvtrace.flow.dut.description import FILE, SHIPPED
from rvtrace.jobs.builds import ROOT
from rvtrace.tools import check_dut
from tests.cores import fetched

SHOWN = sorted(path.parent.name for path in SHIPPED.glob(f"*/{FILE}"))
# Whatever SIM is: with Verilator four builds take longer than all that is run on them. It serves where there is no
# Icarus.
SIM = "icarus" if shutil.which("iverilog") else "verilator"


def check(dut: str, out: Path, k: str) -> tuple[int, dict[str, Any]]:
    """The exit code, and of each clause its row of the report."""
    code = check_dut.main([f"DUT={dut}", f"SIM={SIM}", "SEEDS=1", f"K={k}", f"OUT={out}"])
    report = json.loads((out / "compliance.json").read_text())
    return code, {row["id"]: row for row in report["clauses"]}


@pytest.mark.parametrize("dut", SHOWN)
def test_an_example_fits(dut, capsys):
    fetched(dut)
    assert doctor.main([f"DUT={dut}"]) == 0
    assert f"Everything fits. Next: make check DUT={dut}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("dut", "k", "clauses"),
    [
        ("acme_btm", "trap_at", ("NT.11.pcs", "NT.10.traps", "NT.10.indirect", "NT.7.12.stop")),
        ("acme_apb", "trap_at,level_walk", ("NT.11.pcs", "NT.10.traps", "NT-2", "NT.7.12.debug_entry")),
        (
            "bolt_te",
            "loop_",
            ("ET.bt.epc", "ET.bt.traps", "ET.pay.updiscon", "ET.pay.qual_status", "ET.pay.compression", "ET-6"),
        ),
    ],
)
def test_a_good_one_passes(dut, k, clauses, tmp_path):
    code, rows = check(dut, tmp_path, k)
    verdicts = {name: row["verdict"] for name, row in rows.items()}
    assert code == 0 and "FAIL" not in verdicts.values()
    assert {name: verdicts[name] for name in clauses} == dict.fromkeys(clauses, "PASS"), (
        "what these runs are about was checked"
    )


# The table of docs/how-to/attach-your-ip.md: K= and the clause; and how the first failure of that clause begins.
FIRST = {
    "trap_at_target": "trap B-TYPE=3 is reported where the hart had exception",
    "handler_starts": "at byte 12: IndirectBranch B-TYPE=0 (indirect) I-CNT=3 U-ADDR=0x13 (0x26): 2 half-words are left"
    " after 0x80000036 <handler_call>: c.jalr a0",
    "far_addresses": "at byte 8: IndirectBranch B-TYPE=0 (indirect) I-CNT=1 U-ADDR=0x7fffe00018fa (0xffffc00031f4): the"
    " address leads to 0xffff800031f4, the hart went to 0xffffffff800031f4: its upper bits are missing",
    "icnt_full_on_flow": "at byte 8: DirectBranch I-CNT=65: I-CNT ends inside 0x80000090 <taken+0x80>: nop",
    "low_power": "trace_off is reported where the hart had sleep",
}
FAULTS = [
    (k, clause, FIRST.get(k, ""))
    for k, clause in re.findall(
        r"^\| [^|]+ \| `(\w+)` \| (N[\w.-]+) \|$",
        (ROOT / "docs" / "how-to" / "attach-your-ip.md").read_text(),
        re.M,
    )
]
# What else fails in that run: a trap, which is the first fault, and a row without checks of its own.
MORE = {
    "low_power": {"NT.10.traps"},
    "handler_starts": {"NT.10.traps"},
    "icnt_full_on_flow": {"NT.10.traps"},
    "far_addresses": {"NT-21"},
}


def test_the_docs_show_five_faults():
    assert len(FAULTS) == len({clause for _, clause, _ in FAULTS}) == 5
    assert {k for k, _, _ in FAULTS} == FIRST.keys()


@pytest.mark.parametrize(("k", "clause", "said"), FAULTS, ids=[k for k, _, _ in FAULTS])
def test_each_fault_is_named_as_the_docs_say(k, clause, said, tmp_path):
    code, rows = check("acme_faulty", tmp_path, k)
    assert code == 1
    assert {name for name, row in rows.items() if row["verdict"] == "FAIL"} == {clause} | MORE.get(k, set())
    assert rows[clause]["first"]["headline"].startswith(said)
