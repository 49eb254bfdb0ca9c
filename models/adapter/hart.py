# SPDX-License-Identifier: Apache-2.0
"""What the hart port must report of a run: rows of the tandem trace, and what every trace source is given beside them.

    rows, reported = hart_rows(run, config)

It follows from the run alone, not from what RVFI shows of it.
"""

from __future__ import annotations

import numpy as np

from rvtrace.models.adapter.config import Config
from rvtrace.models.adapter.run import FETCH_FAULTS, Run
from rvtrace.models.riscv.retired import IType, Kind
from rvtrace.models.tandem.encoder.from_retired import from_retired
from rvtrace.models.tandem.table import HAS
from rvtrace.models.tandem.trace_data import Rows

REPORTED = ("pc", "tval", "context", "cause", "itype", "mode", "mode_next")


def hart_rows(run: Run, config: Config) -> tuple[Rows, dict[str, np.ndarray]]:
    """One row for each element of the retire stream, without those of reset and of the end."""
    retired = run.retired
    insn, n = retired.kind == Kind.INSN, len(retired)
    rows = from_retired(retired, run.program, virtual=False)
    for k, (number, value) in run.fpr.items():
        rows.has[k] |= np.uint32(HAS["fpr"])
        rows.fpr_addr[k], rows.fpr[k] = number, value
    for k, value in run.fcsr.items():
        rows.has[k] |= np.uint32(HAS["fcsr"])
        rows.fcsr[k] = value
    after = np.array([run.priv_after(k) for k in range(n)], np.uint8)
    back = insn & (retired.itype == IType.XRET)  # uret and mnret too
    rows.has[back] |= np.uint32(HAS["priv"])
    rows.priv[:] = after & 3
    # An exception shows its instruction unless the fetch failed.
    hidden = (retired.kind == Kind.EXCEPTION) & np.isin(retired.cause, FETCH_FAULTS)
    rows.has[hidden] &= ~np.uint32(HAS["insn"])
    # A branch to the instruction after it goes on in sequence.
    itype = np.where(insn, retired.itype, retired.kind)
    following = np.array([run.next_pc(k) for k in range(n)], np.uint64) == retired.pc + retired.size
    itype = np.where((itype == IType.TAKEN) & following, IType.NOT_TAKEN, itype)
    # Nobody knows in which mode the hart leaves Debug Mode.
    for k in run.debug:
        after[k] = retired.priv[k]
    reported = {
        "pc": retired.pc,
        "tval": np.where(insn, 0, retired.tval),
        "context": retired.context,
        "cause": np.where(insn, 0, retired.cause & np.uint64(0xFF)),
        "itype": itype,
        "mode": retired.priv,
        "mode_next": after,
    }
    return rows, {name: np.asarray(reported[name], np.uint64) for name in REPORTED}
