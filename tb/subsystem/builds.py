# SPDX-License-Identifier: Apache-2.0
"""The parameters of subsystem_tb; its parts have those that models/subsystem/config.py gives them."""

from __future__ import annotations

from rvtrace.jobs.builds import Bench, BuildTable

BUILD = BuildTable(
    Bench("subsystem_tb", ("ntrace", "etrace", "tci", "tandem", "ctr", "hpm", "subsystem")),
    {
        "Xlen": "xlen",
        "NRet": "retire",
        "Incremental": "incremental",
    },
    lanes="retire",
)
