# SPDX-License-Identifier: Apache-2.0
"""The parameters of hpm_tb. Widths, Selectors: counter 0 in the lowest bits, 7 and 64 bits each."""

from __future__ import annotations

from rvtrace.jobs.builds import Bench, BuildTable, vector

BUILD = BuildTable(
    Bench("hpm_tb", ("hpm",)),
    {
        "Xlen": "xlen",
        "NRetired": "retired",
        "NEvents": "events",
        "EventBits": "event_bits",
        "Counters": lambda c: vector([c.counters], 32),
        "Widths": lambda c: vector(c.widths, 7),
        "Selectors": lambda c: vector(c.selectors, 64),
        "Inhibit": lambda c: vector([c.inhibit], 32),
        "HasU": "has_u",
        "HasS": "has_s",
        "HasH": "has_h",
        "HasSscofpmf": "has_sscofpmf",
        "HasSmcntrpmf": "has_smcntrpmf",
        "HasShlcofideleg": "has_shlcofideleg",
    },
    lanes=lambda c: c.counters.bit_count(),
)
