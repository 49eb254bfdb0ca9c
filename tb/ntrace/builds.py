# SPDX-License-Identifier: Apache-2.0
"""The parameters of ntrace_tb."""

from __future__ import annotations

from rvtrace.jobs.builds import Bench, BuildTable

BUILD = BuildTable(
    Bench("ntrace_tb", ("ntrace",)),
    {
        "Xlen": "xlen",
        "NBlocks": "blocks",
        "IRetireWidth": "iretire_bits",
        "IcntBits": "icnt_bits",
        "HistBits": "hist_bits",
        "StackDepth": "stack_depth",
        "RepeatBits": "repeat_bits",
        "TsWidth": "ts_width",
        "FifoDepth": "fifo_depth",
    },
    lanes="blocks",
)
