# SPDX-License-Identifier: Apache-2.0
"""Rows of the tandem trace as its decoder would read them from bytes, without making these bytes: a third of the time.

What a decoder finds out about bytes (offsets, diagnostics) is not there; everything that the verifier compares is.
"""

from __future__ import annotations

from itertools import accumulate

import numpy as np

from rvtrace.models.tandem.decoder.decoded import GROUP, OUTSIDE, PC_KEY, Decoded
from rvtrace.models.tandem.table import CSR_SLOTS, GPR_BASE, MEMDATA, PADDR, PRIV, STATE_KEY
from rvtrace.models.tandem.trace_data import Rows

_BYTES = 16  # of a section, about: what is far from what is counted in bytes


def sections(rows: Rows) -> Decoded:
    """The sections of rows that have no other parts than those of instructions and traps, state initialization and
    reset; a flush is none.
    """
    flush = rows.have("flush")
    rows = rows.select(~flush) if flush.any() else rows
    n = len(rows)
    parts = [
        (rows.have("pc"), PC_KEY, rows.pc),
        (rows.have("gpr"), GPR_BASE + rows.gpr_addr.astype(np.int64), rows.gpr),
        *(
            (rows.have(f"csr{slot}"), rows.csr_addr[:, slot].astype(np.int64), rows.csr[:, slot])
            for slot in range(CSR_SLOTS)
        ),
        (rows.have("priv"), STATE_KEY + PRIV, rows.priv),
        (rows.have("paddr"), STATE_KEY + PADDR, rows.paddr),
        (rows.have("memdata"), STATE_KEY + MEMDATA + rows.memdata_size.astype(np.int64), rows.memdata),
    ]
    before = list(accumulate((there.astype(np.int64) for there, _, _ in parts), initial=np.zeros(n, np.int64)))
    start = np.concatenate([[0], np.cumsum(before[-1])])
    key, value = np.zeros(int(start[-1]), np.int64), np.zeros(int(start[-1]), np.uint64)
    for (there, keys, values), place in zip(parts, before):
        at = (start[:-1] + place)[there]
        key[at] = keys if isinstance(keys, int) else keys[there]
        value[at] = values[there]
    pc, known = _pcs(rows)
    group, insn = rows.have("group"), rows.have("insn")
    offset = np.arange(n, dtype=np.int64) * _BYTES
    nothing, none = np.zeros(0, np.uint64), np.zeros(n, bool)
    return Decoded(
        number=np.cumsum(group) - 1, offset=offset, end=offset + _BYTES,
        kind=np.where(group, GROUP, OUTSIDE).astype(np.uint8),
        pc=np.concatenate([[np.uint64(0)], pc[:-1]]), pc_known=np.concatenate([[False], known[:-1]]),
        insn=np.where(insn, rows.insn, 0).astype(np.uint32),
        size=np.where(insn, np.where(rows.insn16 != 0, 2, 4), 0).astype(np.uint8),
        next_pc=pc, next_known=known, reset=rows.have("reset"), init=rows.have("init"), broken=none,
        change_start=start, change_key=key, change_value=value, change_offset=np.repeat(offset, before[-1]),
        memory_start=np.zeros(n + 1, np.int64), memory_op=nothing, memory_size=nothing, memory_address=nothing,
        memory_data=nothing, memory_has=nothing, memory_result=nothing, memory_response=nothing,
        items=0, diagnostics=[],
    )  # fmt: skip


def _pcs(rows: Rows) -> tuple[np.ndarray, np.ndarray]:
    """(the next pc after each row, whether it is known): of the last row that reported one."""
    last = np.maximum.accumulate(np.where(rows.have("pc"), np.arange(len(rows)), -1))
    return np.where(last >= 0, rows.pc[last], 0), last >= 0
