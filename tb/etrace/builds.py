# SPDX-License-Identifier: Apache-2.0
"""The parameters of etrace_tb. A field of width 0 in the configuration is one that the encoder omits."""

from __future__ import annotations

from rvtrace.jobs.builds import Bench, BuildTable, Source

ENCODER: dict[str, Source] = {
    "NBlocks": "blocks",
    "IAddressWidth": "xlen",
    "IAddressLsb": "iaddress_lsb_p",
    "ContextWidth": lambda c: c.context_width_p or 1,
    "NoContext": lambda c: c.nocontext_p or int(not c.context_width_p),
    "TimeWidth": lambda c: c.time_width_p or 1,
    "NoTime": lambda c: c.notime_p or int(not c.time_width_p),
    "PrivilegeWidth": "privilege_width_p",
    "EcauseWidth": "ecause_width_p",
    "NoTval": "notval_p",
    "IRetireWidth": "iretire_width_p",
    "BpredSize": "bpred_size_p",
    "CacheSize": "cache_size_p",
    "CallCounterSize": "call_counter_size_p",
    "ReturnStackSize": "return_stack_size_p",
    "F0sWidth": "f0s_width_p",
    "SijumpEn": "sijump_p",
    "EncoderModeN": "encoder_mode_n",
    "IOptionsN": "ioptions_n",
    "DOptionsN": "doptions_n",
    "BcountBits": "bcount_bits",
    "FifoDepth": "fifo_depth",
}
STAMP: dict[str, Source] = {
    "StampWidth": lambda c: 64 if c.blocks == 1 or c.stamp_bytes > 2 else 16  # one build for all timestamps
}
BUILD = BuildTable(Bench("etrace_tb", ("etrace",)), {**ENCODER, **STAMP}, lanes="blocks")
