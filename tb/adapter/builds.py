# SPDX-License-Identifier: Apache-2.0
"""The parameters of adapter_tb."""

from __future__ import annotations

from rvtrace.jobs.builds import Bench, BuildTable

BUILD = BuildTable(
    Bench("adapter_tb", ("adapters",)),
    {
        "Xlen": "xlen",
        "NRet": "channels",
        "Flen": "flen",
        "TrapPort": "trap_port",
        "CheckPc": "check_pc",
        "MaskByInsn": "mask_by_insn",
        "Zcm": "zcm",
        "NBlocks": "blocks",
        "IRetireWidth": "iretire_width",
    },
    lanes="channels",
)
