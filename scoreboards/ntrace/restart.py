# SPDX-License-Identifier: Apache-2.0
"""Lossless: a decoder that starts at any synchronizing message reports the same from there on (8.5)."""

from __future__ import annotations

from functools import partial

import numpy as np

from rvtrace.models.ntrace.decoder.decode import decode
from rvtrace.scoreboards.common.clauses import Failure
from rvtrace.scoreboards.common.matching import same_start
from rvtrace.scoreboards.common.places import ends
from rvtrace.scoreboards.ntrace import table as t
from rvtrace.scoreboards.ntrace.align import Alignment

RESTART = "NT.8.5.reset"
PLACES = 2  # places tried in one run
SPAN = 200  # messages decoded from each
MARKS = (0, 4, 6)  # SYNC that starts no decoder in rc7


def check_restart(lossless: Alignment) -> None:
    """Start another decoder at some synchronizing messages and compare what it reports."""
    table, decoded, config = lossless.table, lossless.decoded, lossless.capture.config
    sync = table["sync"]
    places = np.flatnonzero(sync != t.ABSENT)[1:]  # the first one is where decoding started
    if config.variant == "rc7":
        places = places[~np.isin(sync[places], MARKS)]
    if decoded.diagnostics or not len(places):
        return
    after = ends(decoded.first_pc, len(decoded))
    losses = np.flatnonzero(table.is_a(t.TC_ERROR))
    for place in places[np.unique(np.linspace(0, len(places) - 1, PLACES).astype(int))].tolist():
        end = min([place + SPAN, len(table), *losses[losses > place][:1].tolist()])
        stop = int(table.offset[end]) if end < len(table) else len(lossless.capture.data)
        again = decode(lossless.capture.data[int(table.offset[place]) : stop], lossless.capture.program, config)
        # what the last messages report may need the next one
        counted = np.flatnonzero(table["icnt"][place:end] != t.ABSENT)
        n = min(int(after[place + counted[-1]] - after[place]), len(again))
        ours, theirs = decoded.pcs[after[place] : after[place] + n], again.pcs[:n]
        same = bool(np.array_equal(ours, theirs)) and not again.diagnostics
        lossless.book.check(
            RESTART, same, partial(_failure, lossless, place, int(after[place]), ours, theirs, again.diagnostics)
        )


def _failure(
    lossless: Alignment, place: int, begin: int, ours: np.ndarray, theirs: np.ndarray, diagnostics: list
) -> Failure:
    index = same_start(ours, theirs)
    found = str(diagnostics[0].text) if diagnostics else f"{int(theirs[index]):#x}" if index < len(theirs) else "none"
    want = f"{int(ours[index]):#x}" if index < len(ours) else "none"
    segment = next((s for s in lossless.segments if s.begin <= begin + index <= s.end and s.at is not None), None)
    at = begin + index if segment is None else segment.start + begin + index - segment.begin
    byte = lossless.capture.sent_at(int(lossless.table.offset[place]))
    headline = f"decoding that starts at {lossless.table.messages[place].name} (byte {byte:#x}) goes wrong"
    return lossless.failure(RESTART, headline, at, [("pc", want, found)])
