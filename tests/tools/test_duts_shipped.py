"""The examples of tb/duts: all fit, the two good ones pass, and the report of the faulty one names each of its five faults."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tools import check_dut
from tools.dut import doctor
from tools.dut.description import FILE, SHIPPED

SHOWN = sorted(path.parent.name for path in SHIPPED.glob(f"*/{FILE}"))
# Whatever SIM is: with Verilator four builds take longer than all that is run on them. test_dut_check.py attaches an IP to either.
SIM = "icarus"


def check(dut: str, out: Path, k: str) -> tuple[int, dict[str, str]]:
    """The exit code, and of each clause its verdict."""
    code = check_dut.main([f"DUT={dut}", f"SIM={SIM}", "SEEDS=1", f"K={k}", f"OUT={out}"])
    report = json.loads((out / "compliance.json").read_text())
    return code, {row["id"]: row["verdict"] for row in report["clauses"]}


@pytest.mark.parametrize("dut", SHOWN)
def test_an_example_fits(dut, capsys):
    assert doctor.main([f"DUT={dut}"]) == 0
    assert f"Everything fits. Next: make check DUT={dut}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("dut", "k", "clauses"),
    [
        ("acme_btm", "trap_at", ("NT.11.pcs", "NT.10.traps", "NT.10.indirect", "NT.7.12.stop")),
        ("bolt_te", "loop_", ("ET.bt.epc", "ET.bt.traps", "ET.pay.updiscon", "ET.pay.qual_status", "ET.pay.compression", "ET-6")),
    ],
)
def test_a_good_one_passes(dut, k, clauses, tmp_path):
    code, verdicts = check(dut, tmp_path, k)
    assert code == 0 and "FAIL" not in verdicts.values()
    assert {name: verdicts[name] for name in clauses} == dict.fromkeys(clauses, "PASS"), "what these runs are about was checked"


# A scenario that meets a fault, and the clauses that fail in it.
FAULTS = {
    "exceptions told as interrupts": ("trap_at_target", {"NT.10.traps"}),
    "a call through a register not told": ("handler_starts", {"NT.10.indirect"}),
    "addresses not sign-extended": ("far_addresses", {"NT.11.pcs", "NT-14"}),
    "the count of a long block too short": ("icnt_full_on_flow", {"NT.8.4.count"}),
    "sleep not connected": ("low_power", {"NT.7.12.low_power", "NT.10.traps"}),  # a trap too: the first fault
}


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_is_named(fault, tmp_path):
    k, clauses = FAULTS[fault]
    code, verdicts = check("acme_faulty", tmp_path, k)
    assert code == 1 and {name for name, verdict in verdicts.items() if verdict == "FAIL"} == clauses
