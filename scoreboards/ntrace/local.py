# SPDX-License-Identifier: Apache-2.0
"""Whether what is wrong with a captured trace is damage at a few places (diagnosis/local.py)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rvtrace.models.ntrace.decoder.decode import DecodedTrace
from rvtrace.scoreboards.diagnosis.local import NEAR, is_damage
from rvtrace.scoreboards.ntrace import table as t
from rvtrace.scoreboards.ntrace.table import MessageTable

Kind = tuple[int, int, int]


def is_local(trace: DecodedTrace, broken: Sequence[int]) -> bool:
    """Whether the places where decoding stops, by their byte offsets, are local damage."""
    table = MessageTable(trace.log)
    places = sorted({min(int(np.searchsorted(table.offset, at)), len(table)) for at in broken})
    if not places or places[0] < NEAR or trace.skipped_bytes or not len(trace):
        return False  # what is wrong at the start may be the habit of a device
    return is_damage(_kinds(table), places, np.flatnonzero(table.sync).tolist())


def _kinds(table: MessageTable) -> list[Kind]:
    """What a deviation of the layout makes no difference within: a message, its code, and whether it has branches."""
    code = np.maximum(table["rcode"], np.where(table["sync"] == t.ABSENT, t.ABSENT, table["sync"] + 16))
    return list(zip(table.tcode.tolist(), code.tolist(), (table["hist"] > 1).astype(int).tolist()))
