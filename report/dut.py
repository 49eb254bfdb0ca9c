# SPDX-License-Identifier: Apache-2.0
"""The compliance report of a DUT that ran in the testbench."""

from __future__ import annotations

from collections.abc import Sequence

from rvtrace.flow.dut.check import Checked
from rvtrace.flow.dut.select import left_out, not_applicable, not_run
from rvtrace.report import provenance
from rvtrace.report.compliance import Compliance, write
from rvtrace.report.compliance_model import Subject
from rvtrace.report.goals import Goal


def write_report(checked: Checked, goals: Sequence[Goal] = ()) -> Compliance:
    """Write index.html, compliance.json and junit.xml about the runs; of some of them it is never a PASS."""
    dut, system, chosen, results = checked.dut, checked.system, checked.chosen, checked.results
    far = f"{len(results)} of {checked.total} runs"
    about = {
        "module": f"{dut.top}, {len(dut.sources.files)} source files",
        "checked as": (
            "every byte of our reference profile"
            if dut.exact
            else "lossless and legal; it does not declare our reference profile"
        ),
        "claims": "; ".join(f"{name} {dut.claims.text(name)}" for name in dut.claims.named) or "the defaults",
        "left out": left_out(chosen.without) or "nothing that the hart reports",
        "simulator": checked.simulator,
        "runs": (
            f"{len(results)} of {len(chosen.jobs)} that apply, {len(chosen.left)} do"
            f" not{'; stopped before the others' * checked.stopped}"
        ),
    }
    if notes := dict.fromkeys(note for result in results for note in result.get("notes", ())):
        about["read as"] = "; ".join(notes)
    every = [*system.programs(everything=True), *system.directed(chosen.jobs[0].sim)]
    hidden = not_run(dut, system, f"stopped after {far}, none of which met it" if checked.stopped else "")
    if checked.stopped:
        why = {"problems": [f"stopped after {far}; the same command begins anew"]}  # of the evidence: no PASS
        results = [results[0] | why, *results[1:]] if results else []
    files = provenance.files_of([dut.path, *dut.sources.files, *dut.sources.headers])
    variants = {str(value) for value in dut.claims.values.get("variant") or ()}
    subject = Subject(
        dut.name, dut.ip, dut.title, about, not_applicable(dut, system, chosen, every), hidden, files, variants
    )
    return write(subject, results, dut.waivers, checked.out, goals=goals)
