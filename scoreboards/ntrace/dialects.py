# SPDX-License-Identifier: Apache-2.0
"""The deviations of N-Trace encoders that can be taken back, so that the rest of a trace can be judged.

One row for each: the clause it violates, what the device does, what is due, and the rewriting (rewriting.py). The order
is that in which several are taken back: what happened to bytes, to the layout of messages, to the values of fields.
"""

from __future__ import annotations

from rvtrace.scoreboards.diagnosis.search import Dialect
from rvtrace.scoreboards.ntrace.rewritten_bytes import BYTES
from rvtrace.scoreboards.ntrace.rewritten_layout import LAYOUT
from rvtrace.scoreboards.ntrace.rewritten_values import VALUES

DIALECTS: tuple[Dialect, ...] = (*BYTES, *LAYOUT, *VALUES)
