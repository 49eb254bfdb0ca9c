# SPDX-License-Identifier: Apache-2.0
"""The deviations of N-Trace encoders that can be taken back, so that the rest of a trace can be judged.

One row for each: the clause it violates, what the device does, what is due, and the rewriting (rewriting.py). The order
is that in which they are tried, and several of one kind are taken back.
"""

from __future__ import annotations

from rvtrace.scoreboards.diagnosis.search import Dialect
from rvtrace.scoreboards.ntrace.rewritten_bytes import BYTES
from rvtrace.scoreboards.ntrace.rewritten_layout import CODES, LIKELY_LAYOUT, RARE_LAYOUT
from rvtrace.scoreboards.ntrace.rewritten_values import VALUES

DIALECTS: tuple[Dialect, ...] = (*BYTES, *LIKELY_LAYOUT, *CODES, *VALUES, *RARE_LAYOUT)
