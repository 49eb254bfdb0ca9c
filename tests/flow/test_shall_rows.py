# SPDX-License-Identifier: Apache-2.0
"""Each shall row of a plan has a verdict for a foreign device: a check of the device counts it, or it is N/A with the
sentence that makes it optional, or because the device has no such part.
"""

import re

import pytest

from rvtrace.flow.dut.description import Dut
from rvtrace.flow.dut.select import not_applicable, not_run, select
from rvtrace.jobs import systems
from rvtrace.jobs.builds import ROOT

DEVICES = (
    "ntrace/duts/skua",
    "ntrace/duts/tern",
    "ctr/duts/quay_ctr",
    "hpm/duts/kite",
    "tandem/duts/basalt",
    "tandem/duts/cinder",
)
# why a shall row is N/A: something that the device lacks, a part that is not the device, or a quotation
REASONS = (
    r"holds in .*, which is not claimed$",
    r"needs ",
    r"about models and tools",
    r"its scenarios do not apply: ",
    r"the specification says: .*\"",
    r".* is the testbench's",
)


@pytest.mark.parametrize("device", DEVICES)
def test_each_shall_row_has_a_verdict(device):
    dut = Dut.load(ROOT / "tests" / device)
    system = systems.bench(dut.ip)
    every = [*system.programs(everything=True), *system.directed("verilator")]
    reasons = not_applicable(dut, system, select(dut, system, 1, "verilator"), every)
    missing = not_run(dut, system)
    rows = [clause for clause in system.plan.clauses.values() if clause.level == "shall" and clause.status == "built"]
    unjudged = {
        clause.id: reasons.get(clause.id) or missing.get(clause.id, "")
        for clause in rows
        if (clause.id in reasons and not any(re.match(reason, reasons[clause.id]) for reason in REASONS))
        or (clause.id not in reasons and set(clause.of_device) == {"exact"})
    }
    assert not unjudged, "\n".join(f"{name}: {why}" for name, why in unjudged.items())
    assert len(rows) > 50
