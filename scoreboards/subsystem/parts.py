# SPDX-License-Identifier: Apache-2.0
"""Each trace of the subsystem as its own system's scoreboard sees it, under one clause for each.

The blocks that the encoders got follow from what was seen at the hart port: one for each instruction or trap, in its
cycle. With them N-Trace and E-Trace are compared byte by byte, where no time is reported and none decides: what the
encoders count in cycles begins when they are enabled, which the port does not show.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

import numpy as np

from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.blocks import once_a_cycle, report_contexts
from rvtrace.models.riscv.retired import Kind, Retired
from rvtrace.models.subsystem.config import Config
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

_BY_CYCLES = 2  # sync_mode


def beats_of(run: Retired, cycle: np.ndarray, lanes: int, halted: Sequence[tuple[int, int]] = ()) -> Beats:
    """The stream as the encoders' ports carry it, one block for each instruction or trap, and a beat without one where
    the hart halts or goes on.

    Before it a beat in which the encoder is enabled and does not trace, after it one in which it is not enabled. The
    time is the cycle.
    """
    edges = np.array(halted, np.uint64).reshape(-1)
    row = np.searchsorted(cycles := np.unique(np.concatenate([cycle, edges])), cycle)
    lane = np.arange(len(run)) - np.searchsorted(row, row)
    beats = Beats.empty(len(cycles) + 3, lanes, enable=1, inst_tracing=1)
    beats.enable[[0, -1]], beats.inst_tracing[[0, 1]] = 0, 0
    begin = int(cycles[0]) if len(cycles) else 2
    beats.cycle = np.concatenate([[0, max(begin - 1, 1)], cycles, [int(cycles[-1]) + 1 if len(cycles) else 3]]).astype(
        np.uint64
    )
    beats.tstamp = beats.cycle
    for first, last in halted:
        beats.halted[(beats.cycle >= first) & (beats.cycle < last)] = 1
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


def timeless(config: Config) -> bool:
    """Whether no message of the encoders depends on the time: no timestamps, no synchronization by cycles."""
    return not config.timestamp and config.sync_mode != _BY_CYCLES


def check_parts(capture: SubsystemCapture, book: ClauseBook) -> None:
    """Lossless, legal and, if the device declares the profiles, byte by byte (`timeless`); the tandem trace is also
    replayed against the instruction set simulator, if it loads a program.
    """
    config, program = capture.config, capture.program
    beats = beats_of(capture.retired, capture.cycle, config.retire, capture.halted)
    once = for_etrace(beats, config.etrace.ctype)
    loads = capture.rows.have("init").any()
    exact = capture.exact and timeless(config)
    parts: dict[str, tuple[str, Callable[[], Verdict]]] = {
        NTRACE: (
            "SUB.parts.ntrace",
            lambda: ntrace.check(NtraceCapture(config.ntrace, program, capture.ntrace, beats, exact=exact)),
        ),
        ETRACE: (
            "SUB.parts.etrace",
            lambda: etrace.check(
                EtraceCapture(
                    config.etrace, program, packets_of(capture)[0], data=capture.etrace, beats=once, exact=exact
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
