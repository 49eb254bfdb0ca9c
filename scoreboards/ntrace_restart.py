"""NT.8.5.reset: decoding can start at a synchronizing message, for nothing behind it refers to what came before."""

from __future__ import annotations

from functools import partial

import numpy as np

from models.ntrace.decoder import decode
from scoreboards import ntrace_table as t
from scoreboards.clauses import Failure
from scoreboards.ntrace_align import Alignment

CLAUSE = "NT.8.5.reset"
STARTS = 2  # places tried in one run
SPAN = 200  # messages decoded from each
MARKS = (0, 4, 6)


def check_restart(lossless: Alignment) -> None:
    """Start another decoder at some synchronizing messages and compare what it tells."""
    table, decoded, config = lossless.table, lossless.decoded, lossless.capture.config
    sync = table["sync"]
    places = np.flatnonzero(sync != t.ABSENT)[1:]  # the first one is where decoding started
    if config.variant == "rc7":
        places = places[~np.isin(sync[places], MARKS)]
    if decoded.diagnostics or not len(places):
        return
    after = t.ends(decoded.first_pc, len(decoded))
    losses = np.flatnonzero(table.is_a(t.TC_ERROR))
    for place in places[np.unique(np.linspace(0, len(places) - 1, STARTS).astype(int))].tolist():
        end = min([place + SPAN, len(table), *losses[losses > place][:1].tolist()])
        stop = int(table.offset[end]) if end < len(table) else len(lossless.capture.data)
        again = decode(lossless.capture.data[int(table.offset[place]) : stop], lossless.capture.program, config)
        # what the last messages tell may need the next one
        counted = np.flatnonzero(table["icnt"][place:end] != t.ABSENT)
        n = min(int(after[place + counted[-1]] - after[place]), len(again))
        ours, theirs = decoded.pcs[after[place] : after[place] + n], again.pcs[:n]
        same = bool(np.array_equal(ours, theirs)) and not again.diagnostics
        lossless.book.check(CLAUSE, same, partial(_failure, lossless, place, int(after[place]), ours, theirs, again.diagnostics))


def _failure(lossless: Alignment, place: int, begin: int, ours: np.ndarray, theirs: np.ndarray, diagnostics: list) -> Failure:
    differ = np.flatnonzero(ours != theirs)
    index = int(differ[0]) if len(differ) else len(ours)
    found = str(diagnostics[0].text) if diagnostics else f"{int(theirs[index]):#x}" if index < len(theirs) else "none"
    want = f"{int(ours[index]):#x}" if index < len(ours) else "none"
    segment = next((s for s in lossless.segments if s.begin <= begin + index <= s.end and s.at is not None), None)
    at = begin + index if segment is None else segment.place(begin + index)
    headline = f"decoding that starts at {lossless.table.messages[place].name} (byte {lossless.table.offset[place]:#x}) goes wrong"
    return lossless.failure(CLAUSE, headline, at, [("pc", want, found)])
