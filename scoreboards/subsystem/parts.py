# SPDX-License-Identifier: Apache-2.0
"""Each trace of the subsystem as its own system's scoreboard sees it, under one clause for each.

The blocks that the encoders got follow from what was seen at the hart port: one for each instruction or trap, in its
cycle.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import numpy as np
from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.blocks import once_a_cycle, report_contexts
from rvtrace.models.riscv.retired import Kind, Retired
from rvtrace.scoreboards.common.clauses import ClauseBook, Failure
from rvtrace.scoreboards.common.verdict import Verdict
from rvtrace.scoreboards.etrace import check as etrace
from rvtrace.scoreboards.etrace.capture import EtraceCapture
from rvtrace.scoreboards.ntrace import check as ntrace
from rvtrace.scoreboards.ntrace.capture import NtraceCapture
from rvtrace.scoreboards.subsystem.accounts import ETRACE, NTRACE, TANDEM, packets_of
from rvtrace.scoreboards.subsystem.capture import SubsystemCapture
from rvtrace.scoreboards.tandem import check as tandem
from rvtrace.scoreboards.tandem.capture import TandemCapture


def beats_of(run: Retired, cycle: np.ndarray, lanes: int) -> Beats:
    """The stream as the encoders' ports carry it, one block for each instruction or trap.

    Before it a beat in which the encoder is enabled and does not trace, after it one in which it is not enabled. The
    time is the cycle.
    """
    cycles, row = np.unique(cycle, return_inverse=True)
    lane = np.arange(len(run)) - np.searchsorted(row, row)
    beats = Beats.empty(len(cycles) + 3, lanes, enable=1, inst_tracing=1)
    beats.enable[[0, -1]], beats.inst_tracing[[0, 1]] = 0, 0
    begin = int(cycles[0]) if len(cycles) else 2
    beats.cycle = np.concatenate([[0, max(begin - 1, 1)], cycles, [int(cycles[-1]) + 1 if len(cycles) else 3]]).astype(
        np.uint64
    )
    beats.tstamp = beats.cycle
    insn = run.kind == Kind.INSN
    columns = {
        "itype": np.where(insn, run.itype, run.kind),
        "iaddr": run.pc,
        "iretire": run.size // 2,
        "ilastsize": insn & (run.size == 4),
        "cause": np.where(insn, 0, run.cause),
        "tval": np.where(insn, 0, run.tval),
        "priv": run.priv,
        "context": run.context,
    }
    for name, column in columns.items():
        getattr(beats, name)[row + 2, lane] = column
    return beats


def for_etrace(beats: Beats, ctype: str) -> Beats:
    """As E-Trace's port has them: cause and tval once a cycle, and how a change of context is to be reported."""
    return report_contexts(once_a_cycle(beats), ctype, Random(0))


def check_parts(capture: SubsystemCapture, book: ClauseBook) -> None:
    """Lossless and legal; the tandem trace also byte by byte, if the device declares the profile, and replayed against
    the instruction set simulator, if it loads a program.
    """
    config, program = capture.config, capture.program
    beats = beats_of(capture.retired, capture.cycle, config.retire)
    once = for_etrace(beats, config.etrace.ctype)
    loads = capture.rows.have("init").any()
    parts: dict[str, tuple[str, Callable[[], Verdict]]] = {
        NTRACE: (
            "SUB.parts.ntrace",
            lambda: ntrace.check(NtraceCapture(config.ntrace, program, capture.ntrace, beats, exact=False)),
        ),
        ETRACE: (
            "SUB.parts.etrace",
            lambda: etrace.check(
                EtraceCapture(
                    config.etrace, program, packets_of(capture)[0], data=capture.etrace, beats=once, exact=False
                )
            ),
        ),
        TANDEM: (
            "SUB.parts.tandem",
            lambda: tandem.check(
                TandemCapture(
                    config.tandem, capture.rows, capture.tandem, exact=capture.exact, program=program if loads else None
                )
            ),
        ),
    }
    for name, (clause, judge) in parts.items():
        verdict = judge()
        book.count(clause, sum(checked for checked, _ in verdict.book.results().values()))
        for failure in verdict.failures:
            book.fail(
                Failure(
                    clause,
                    f"{name} violates its own clause {failure.clause}: {failure.headline}",
                    failure.cycle,
                    failure.pc,
                    failure.place,
                    failure.table,
                    failure.before,
                ),
                counted=True,
            )
