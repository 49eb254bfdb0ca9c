# SPDX-License-Identifier: Apache-2.0
"""The counters of two real cores: no finding, and what they count was checked; a claim that is not true is found."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from rvtrace.flow.dut.description import FILE, SHIPPED
from rvtrace.tools import check_dut
from tests.common.long import only_long
from tests.cores import fetched

RUNS = "inhibits,reads_while_counting,writes_while_counting,selectors,halves,switch,seed-1"
COUNTED = {
    "HPM.count.cycles", "HPM.count.retired", "HPM.count.event", "HPM.inhibit.stops", "HPM.write.others",
    "HPM.write.value", "HPM.half.carry", "HPM.csr.done",
}  # fmt: skip
ABSENT = {"HPM.lcofi.request", "HPM.lcofi.masked", "HPM.lcofi.only", "HPM.of.set"}  # there is nothing to judge


def checked(dut: str, out: Path, runs: str = RUNS) -> tuple[int, dict[str, Any]]:
    """The exit code and the report."""
    code = check_dut.main([f"DUT={dut}", "SIM=verilator", "SEEDS=1", f"K={runs}", f"OUT={out}", "FAST=1"])
    return code, json.loads((out / "compliance.json").read_text())


@pytest.mark.parametrize("dut", ["ibex_counters", only_long("cv32e40p_counters", why="a second core")])
def test_the_counters_of_a_core(dut: str, tmp_path: Path) -> None:
    fetched(dut)
    code, report = checked(dut, tmp_path)
    verdicts = {row["id"]: row["verdict"] for row in report["clauses"]}
    assert (code, [name for name, verdict in verdicts.items() if verdict == "FAIL"]) == (0, [])
    assert {name for name in COUNTED if verdicts[name] != "PASS"} == set()
    assert not {name for name in ABSENT if verdicts[name] == "PASS"}


@pytest.mark.long("a build of a second core")
def test_a_claim_that_is_not_true_is_found(tmp_path: Path) -> None:
    """CV32E40P with selectors as numbers: bit 2 of its mask is not event 1."""
    fetched("cv32e40p_counters")
    folder = tmp_path / "claims"
    shutil.copytree(SHIPPED / "cv32e40p_counters", folder)
    wrapper = SHIPPED / "cv32e40p_counters" / "wrapper.sv"  # the same file: the same build
    text = (folder / FILE).read_text().replace('"wrapper.sv"', f'"{wrapper}"')
    (folder / FILE).write_text(text.replace('codes = "mask"', ""))
    code, report = checked(str(folder), tmp_path / "out", "selectors")
    failed = {row["id"] for row in report["clauses"] if row["verdict"] == "FAIL" and not row["id"].startswith("HPM-")}
    assert code == 1 and failed and failed <= {"HPM.count.event", "HPM.count.several", "HPM.count.idle"}
