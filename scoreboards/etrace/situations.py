# SPDX-License-Identifier: Apache-2.0
"""How often a run met the situation that a clause of E-Trace speaks of.

A row of the plan with `through` is checked by other clauses, but only where its own situation occurs (`SITUATIONS`).
Clauses that the decoder alone can find broken are counted as often as what they speak of occurs (`OCCURRENCES`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from rvtrace.models.riscv.isa import Flow
from rvtrace.models.riscv.retired import IType
from rvtrace.scoreboards.etrace import table as t
from rvtrace.scoreboards.etrace.capture import EtraceCapture
from rvtrace.scoreboards.etrace.expected import CALLS, TRACE_LOST, Expected

ONE_BYTE = 1


@dataclass
class Seen:
    """One run: what was captured, what had to be reported, the packets that reported it, and the encoder model's, if it
    was run.
    """

    capture: EtraceCapture
    expected: Expected
    table: t.PacketTable
    encoded: Any = None

    @cached_property
    def flow(self) -> np.ndarray:
        """`Flow` of every traced instruction."""
        return self.capture.program.columns(self.expected.pc).flow

    def on(self, option: str) -> int:
        """Packets while an option is on."""
        return int(np.count_nonzero(self.table.options(option)))

    @property
    def returns(self) -> np.ndarray:
        """Mask of the returns."""
        codes = (12, 13) if self.capture.config.variant == "draft_0_026" else (13,)
        return np.isin(self.expected.itype, codes) & (self.flow == Flow.UNINFERABLE)

    def rises(self, level: str) -> int:
        """How often a level of the port rises while tracing could go on."""
        beats = self.capture.beats
        if beats is None or not len(beats):
            return 0
        value = getattr(beats, level).astype(np.int8)
        return int(np.count_nonzero((np.diff(value, prepend=0) > 0) & (beats.enable & beats.inst_tracing & 1 == 1)))


def _deepest(seen: Seen) -> int:
    """Calls that a return stack or counter has no room for."""
    config, want = seen.capture.config, seen.expected
    most = 1 << config.return_stack_size_p if config.return_stack_size_p else (1 << config.call_counter_size_p) - 1
    step = np.isin(want.itype, CALLS).astype(np.int64) - seen.returns
    rows = np.flatnonzero(step)
    depth = over = 0
    for change in step[rows].tolist():
        over += change > 0 and depth >= most
        depth = max(min(depth + change, most), 0)
    return over if seen.on("implicit_return") else 0


def _syncs_at_branches(seen: Seen) -> int:
    address = seen.table["address"][seen.table.sync]
    flow = seen.capture.program.columns(
        (address[address >= 0].astype(np.uint64)) << np.uint64(seen.capture.config.iaddress_lsb_p)
    ).flow
    return int(np.count_nonzero(flow == Flow.BRANCH))


def _pairs(seen: Seen) -> int:
    beats = seen.capture.beats
    return 0 if beats is None else int(np.count_nonzero(beats.valid().sum(axis=1) > 1))


def _long_blocks(seen: Seen) -> int:
    beats = seen.capture.beats
    if beats is None:
        return 0
    return int(np.count_nonzero(beats.iretire > 1 + beats.ilastsize))


def _two_packets(seen: Seen) -> int:
    """Beats that made more than one packet."""
    return 0 if seen.encoded is None else int(sum(a == b for a, b in pairwise(seen.encoded.beat)))


def _first_traps(seen: Seen) -> int:
    first = seen.expected.first
    return sum(
        (trap.index < len(first) and first[trap.index]) or (0 < trap.index <= len(first) and first[trap.index - 1])
        for trap in seen.expected.traps
    )


def _interrupts(seen: Seen) -> int:
    return sum(trap.interrupt for trap in seen.expected.traps)


def _causes(seen: Seen) -> int:
    return sum(bool(trap.cause or trap.tval) for trap in seen.expected.traps)


def _idle_sijump(seen: Seen) -> int:
    """Blocks with sijump whose itype leaves it without a meaning: neither 6, 8, 10, 12, 14 nor, for ET-13, 7 or 13."""
    beats = seen.capture.beats
    if beats is None or not seen.on("sijump"):
        return 0
    return int(np.count_nonzero(beats.valid() & (beats.sijump > 0) & np.isin(beats.itype, (*range(6), 9, 11, 15))))


def _sequential(seen: Seen) -> int:
    beats = seen.capture.beats
    return 0 if beats is None or not seen.on("sijump") else int(np.count_nonzero(beats.sijump))


def _loop_labels(seen: Seen) -> int:
    table = seen.table
    return int(np.count_nonzero((table["updiscon"] == 1) | (table["notify"] == 1) | (table["qual_status"] == 3)))


def _flushed(seen: Seen) -> int:
    table = seen.table
    return int(np.count_nonzero(table.ahead(table.is_a(t.START), table.is_a(t.CONTEXT), last=False) & table.addressed))


def _count(kind: int) -> Callable[[Seen], int]:
    return lambda seen: int(np.count_nonzero(seen.table.is_a(kind)))


def _triggers(seen: Seen) -> int:
    return 0 if seen.capture.beats is None else int(np.count_nonzero(seen.capture.beats.notify))


def _watched(seen: Seen) -> int:
    return len(seen.expected.marks) if "watch" in seen.capture.config.filter else 0


def _resets(seen: Seen) -> int:
    """Synchronization packets while something is kept that they reset."""
    kept = (
        seen.table.options("branch_prediction")
        | seen.table.options("jump_target_cache")
        | seen.table.options("implicit_return")
    )
    return int(np.count_nonzero(seen.table.sync & kept))


def _negative(seen: Seen) -> int:
    """Negative differences, and payloads that were cut."""
    table = seen.table
    back = sum(p is not None and p.has_address and p.values["address"] < 0 for p in table.messages)
    return int(back) + sum(len(p) == ONE_BYTE for p in seen.capture.packets)


SITUATIONS: dict[str, Callable[[Seen], int]] = {
    "ET-1": lambda seen: int(np.count_nonzero(np.isin(seen.flow, (Flow.UNINFERABLE, Flow.INFERABLE)))),
    "ET-3": _first_traps,
    "ET-5": lambda seen: int(
        np.count_nonzero(
            (seen.table["branches"] == 31) | ((seen.table["branches"] == 0) & seen.table.is_a(t.BRANCH_MAP))
        )
    ),
    "ET-6": _loop_labels,
    "ET-7": _causes,
    "ET-8": _interrupts,
    "ET-9": _syncs_at_branches,
    "ET-10": lambda seen: int(np.count_nonzero(seen.expected.itype == IType.XRET)),
    "ET-11": lambda seen: int(np.count_nonzero(seen.table["branch_count"] != t.ABSENT)),
    "ET-13": _sequential,
    "ET.ing.sijump": _idle_sijump,
    "ET-15": lambda seen: int(np.count_nonzero(seen.expected.ctype)),
    "ET-17": _two_packets,
    "ET-18": _negative,
    "ET.pay.one_byte": lambda seen: sum(len(p) == ONE_BYTE for p in seen.capture.packets),
    "ET.alg.multi": _pairs,
    "ET.ing.blocks": _long_blocks,
    "ET.ing.halted": lambda seen: seen.rises("halted"),
    "ET.ing.reset": lambda seen: seen.rises("in_reset"),
    "ET.ing.overflow": lambda seen: int(np.count_nonzero(seen.table["qual_status"] == TRACE_LOST)),
    "ET.ing.notify": _triggers,
    "ET.ing.triggers": lambda seen: _triggers(seen) + _watched(seen),
    "ET.ing.itype3": lambda seen: len(seen.expected) if seen.capture.config.itype_width_p == 3 else 0,
    "ET.opt.counter": lambda seen: (
        int(np.count_nonzero(seen.returns))
        if seen.on("implicit_return") and seen.capture.config.call_counter_size_p
        else 0
    ),
    "ET.opt.stack": lambda seen: (
        int(np.count_nonzero(seen.returns))
        if seen.on("implicit_return") and seen.capture.config.return_stack_size_p
        else 0
    ),
    "ET.opt.stack_overflow": _deepest,
    "ET.opt.predictor": lambda seen: (
        int(np.count_nonzero(seen.expected.taken >= 0)) if seen.on("branch_prediction") else 0
    ),
    "ET.opt.reset_on_sync": _resets,
}
"""Rolled-up clauses whose parts are checked in other situations as well. The others are met whenever a part is."""

OCCURRENCES: dict[str, Callable[[Seen], int]] = {
    "ET-4": _flushed,
    "ET-14": lambda seen: int(np.count_nonzero(seen.table["irreport"] == 1)),
    "ET.alg.first": _count(t.START),
    "ET.bt.bounds": lambda seen: 1,
}
"""Clauses with checks of their own that count nothing where all is well."""
