# SPDX-License-Identifier: Apache-2.0
"""A short form of `make check DUT=` of a foreign device that is right."""

import json
from collections.abc import Collection
from pathlib import Path

from rvtrace.tools import check_dut


def passing(dut: Path, out: Path, simulator: str, runs: str, wanted: Collection[str]) -> dict[str, str]:
    """The verdict of each clause of a device that passes without a finding.

    runs: parts of the names of its runs. wanted: clauses that these runs are about, which must have been checked.
    """
    code = check_dut.main([f"DUT={dut}", f"SIM={simulator}", "SEEDS=2", f"K={runs}", f"OUT={out}", "FAST=1"])
    report = json.loads((out / "compliance.json").read_text())
    assert (code, report["verdict"], report["findings"]) == (0, "PASS", [])
    verdicts = {row["id"]: row["verdict"] for row in report["clauses"]}
    assert not set(verdicts.values()) & {"FAIL", "NOT JUDGED"}
    assert {name for name in wanted if verdicts[name] != "PASS"} == set(), "these runs are about it"
    return verdicts


def share_checked(verdicts: dict[str, str], plan: Collection[str]) -> float:
    """The share of a plan's clauses that apply to the device and were checked."""
    applies = [name for name in plan if verdicts[name] != "N/A"]
    return sum(verdicts[name] == "PASS" for name in applies) / len(applies)
