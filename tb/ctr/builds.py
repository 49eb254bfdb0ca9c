# SPDX-License-Identifier: Apache-2.0
"""The parameters of ctr_tb."""

from __future__ import annotations

from rvtrace.jobs.builds import Bench, BuildTable
from rvtrace.models.ctr.config import DEPTHS

BUILD = BuildTable(
    Bench("ctr_tb", ("ctr",)),
    {
        "Xlen": "xlen",
        "Draft": lambda c: int(c.draft),
        "NTransfers": "transfers",
        "Depths": lambda c: sum(1 << place for place, depth in enumerate(DEPTHS) if depth in c.depths),
        "HasS": "has_s",
        "HasH": "has_h",
        "FieldsLow": lambda c: c.fields & 0xFFFF,
        "FieldsHigh": lambda c: c.fields >> 32 & 0xFFFF,
        "HasMisp": "has_misp",
        "HasType": "has_type",
        "HasCc": "has_cc",
        "CceBits": "cce_bits",
        "RasPolicy": "ras_policy",
        "HasStateen": "has_stateen",
    },
    lanes="transfers",
)
