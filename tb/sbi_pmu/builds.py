# SPDX-License-Identifier: Apache-2.0
"""The builds of a system with SBI PMU: the simulation of the counters, alone and with control transfer records."""

from __future__ import annotations

from rvtrace.jobs.builds import Bench, BuildTable
from rvtrace.tb.hpm import builds as hpm

BUILD = hpm.BUILD
SAMPLED = BuildTable(
    Bench("sbi_pmu_tb", ("hpm", "ctr")), {**BUILD.parameters, "NTransfers": "transfers"}, lanes="transfers"
)
