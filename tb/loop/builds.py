# SPDX-License-Identifier: Apache-2.0
"""The parameters of loop_tb."""

from __future__ import annotations

from rvtrace.jobs.builds import Bench, BuildTable, vector

BUILD = BuildTable(
    Bench("loop_tb", ("hpm", "ctr")),
    {
        "Xlen": "xlen",
        "NTransfers": "transfers",
        "Widths": lambda c: vector(c.hpm.widths, 7),
    },
    lanes="transfers",
)
