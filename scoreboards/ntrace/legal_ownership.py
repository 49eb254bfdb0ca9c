# SPDX-License-Identifier: Apache-2.0
"""Legal: Ownership messages, and where one must follow (7.1)."""

from __future__ import annotations

import numpy as np

from rvtrace.models.riscv.isa import XRET
from rvtrace.scoreboards.common.places import ends
from rvtrace.scoreboards.ntrace import table as t
from rvtrace.scoreboards.ntrace.capture import NtraceCapture
from rvtrace.scoreboards.ntrace.legal_run import Legal

PRIVS = (0, 1, 3, 4, 5)  # {V, PRV} of U, S, M, VU, VS (7.1)
NEW_PRIV, RESERVED_FORMAT, SCONTEXT, HCONTEXT = range(4)


def check_ownership(legal: Legal, capture: NtraceCapture, sound: bool) -> None:
    """sound: the decoder found nothing wrong, so that the end of the stream and the PCs can be relied on."""
    table, config = legal.table, legal.config
    own, process = table.is_a(t.TC_OWNERSHIP), table["process"]
    form, priv = process & 3, process >> 2 & 3 | (process >> 4 & 1) << 2
    reserved = (form == RESERVED_FORMAT) | ~np.isin(priv, PRIVS) | ((form == NEW_PRIV) & (process >> 5 != 0))
    legal.rule("NT.7.1.process", own, reserved, lambda i: f"PROCESS={process[i]:#x} is a reserved encoding")
    sync = table["sync"] != t.ABSENT
    # what follows each message, vendor-defined ones left out; of a damaged stream the end proves nothing
    places = np.flatnonzero(table.tcode < t.FIRST_VENDOR)
    sent = np.append(np.where(own, form, t.ABSENT)[places], [t.ABSENT if sound else SCONTEXT] * 2)
    after, then = np.full(len(table), SCONTEXT), np.full(len(table), SCONTEXT)
    after[places], then[places] = sent[1:-1], sent[2:]
    whole = legal.followed & np.append(legal.followed[1:], True)
    sync = sync & whole
    if config.hcontext:
        legal.rule("NT.7.1.after_sync", sync, (after != HCONTEXT) | (then != SCONTEXT),
                   "is not followed by Ownership with hcontext, then with scontext")  # fmt: skip
    else:
        legal.rule("NT.7.1.after_sync", sync, after != SCONTEXT, "is not followed by Ownership with scontext")
    if legal.tolerances.ownership_at_traps and sound:
        traps = (table["btype"] > 0) & ~sync | _xrets(legal, capture)
        legal.rule(
            "NT.7.1.trap", traps, after == t.ABSENT, "reports a trap or a return from one, and no Ownership follows"
        )


def _xrets(legal: Legal, capture: NtraceCapture) -> np.ndarray:
    """Mask of the branch messages without SYNC that end in an xRET."""
    table, pcs = legal.table, legal.where.pcs
    rows = np.flatnonzero(table.is_a(t.TC_INDIRECT, t.TC_HIST) & (table["btype"] == 0))
    result = np.zeros(len(table), dtype=bool)
    if len(rows) and len(pcs):
        after = ends(legal.where.first_pc, len(pcs))[rows]
        last, inverse = np.unique(pcs[np.maximum(after - 1, 0)], return_inverse=True)
        insns = map(capture.program.insn, last.tolist())
        is_xret = np.array([insn is not None and insn.name in XRET for insn in insns])
        result[rows] = is_xret[inverse.reshape(-1)] & (after > 0)
    return result
