# SPDX-License-Identifier: Apache-2.0
"""How often a run met the situation that a rolled-up clause speaks of.

A row of the plan with `through` is checked by other clauses, but only where its own situation occurs: a run without two
blocks in one cycle proves nothing about such cycles, however many counts it checked. The plan stays NOT-RUN there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rvtrace.models.ntrace.table import MDO_BITS
from rvtrace.models.riscv.isa import Flow
from rvtrace.models.riscv.retired import IType
from rvtrace.scoreboards.ntrace import table as t
from rvtrace.scoreboards.ntrace.capture import NtraceCapture
from rvtrace.scoreboards.ntrace.expected import Expected
from rvtrace.scoreboards.ntrace.legal_addresses import mdo_groups


@dataclass
class Seen:
    """One run: what was captured, what had to be reported, and the messages that reported it."""

    capture: NtraceCapture
    expected: Expected
    table: t.MessageTable


def _zcm(seen: Seen) -> int:
    pcs, times = np.unique(seen.expected.pc, return_counts=True)
    insns = map(seen.capture.program.insn, pcs.tolist())
    return sum(n for insn, n in zip(insns, times.tolist()) if insn is not None and insn.name.startswith("cm."))


def _pairs(seen: Seen) -> int:
    beats = seen.capture.beats
    return 0 if beats is None else int(np.count_nonzero(beats.valid().sum(axis=1) > 1))


def _table_24(seen: Seen) -> int:
    faddr, uaddr = seen.table["faddr"], seen.table["uaddr"]
    has = (faddr != t.ABSENT) | (uaddr != t.ABSENT)
    full, unique = faddr[has], uaddr[has]
    return int(np.count_nonzero((full[:-2] == 0x1FE02) & (unique[1:-1] == 0x7B6) & (unique[2:] == 0x934)))


def _high_addresses(seen: Seen) -> int:
    """Addresses, or differences, with bit 47 or above set (bit 31 on RV32)."""
    top = 46 if seen.capture.config.xlen == 64 else 30  # fields hold address >> 1
    return int(np.count_nonzero(np.maximum(seen.table["faddr"], seen.table["uaddr"]) >= 1 << top))


def _debug_edges(seen: Seen) -> int:
    return sum(edge.kind.startswith("debug") for edge in seen.expected.edges)


def _back_to_back(seen: Seen) -> int:
    table = seen.table
    branch = table.is_a(t.TC_DIRECT, t.TC_INDIRECT, t.TC_HIST)
    return int(
        np.count_nonzero(branch[:-1] & branch[1:] & np.isin(table["icnt"][1:], (1, 2)) & (table["btype"][1:] <= 0))
    )


def _splits(seen: Seen) -> int:
    return int(np.count_nonzero(seen.table.is_a(t.TC_FULL)))


def _tail_calls(seen: Seen) -> int:
    source = seen.capture.retired if seen.capture.beats is None else seen.capture.beats
    return int(np.isin(source.itype, (IType.UNINFERABLE_TAIL_CALL, IType.INFERABLE_TAIL_CALL)).sum())


def _calls_to_the_system(seen: Seen) -> int:
    insns = (seen.capture.program.insn(trap.epc) for trap in seen.expected.traps if not trap.interrupt)
    return sum(insn is not None and insn.flow == Flow.TRAP for insn in insns)


def _starts_disabled(seen: Seen) -> int:
    beats = seen.capture.beats
    if beats is None or len(beats) < 2:
        return 0
    fell = (beats.halted[:-1] == 1) & (beats.halted[1:] == 0)
    return int(np.count_nonzero(fell & (beats.enable[:-1] & beats.enable[1:] & ~beats.inst_tracing[1:] & 1 == 1)))


def _reserved_itypes(seen: Seen) -> int:
    beats = seen.capture.beats
    return 0 if beats is None else int(np.count_nonzero(beats.itype[beats.valid()] == IType.RESERVED))


def _causes(seen: Seen) -> int:
    """Traps whose cause or tval the port reported."""
    beats = seen.capture.beats
    if beats is None:
        return 0
    trap = (beats.itype == IType.EXCEPTION) | (beats.itype == IType.INTERRUPT)
    return int(np.count_nonzero(trap & ((beats.cause != 0) | (beats.tval != 0))))


def _seed_8_2(seen: Seen) -> int:
    """The forms of 8.2.1: addresses that are extended, that need a group of zeroes not to be, and that need every
    group.
    """
    bits = seen.capture.config.address_bits
    address = np.maximum(seen.table["faddr"], seen.table["uaddr"])
    value = address[address > 0]
    if not bits or not len(value):
        return 0
    groups, plain = mdo_groups(value, bits), mdo_groups(value, 0)
    forms = [groups < plain, groups > plain, groups * MDO_BITS >= bits]
    return sum(int(form.sum()) for form in forms) if all(form.any() for form in forms) else 0


def _virtual(seen: Seen) -> int:
    """Full addresses whose highest quarter of bits is all ones."""
    width = seen.capture.config.xlen
    return int(np.count_nonzero(seen.table["faddr"] >> (3 * width // 4 - 1) == (1 << width // 4) - 1))


def _sync_resets(seen: Seen) -> int:
    """Synchronizing messages that reset the encoder in v1_0 alone."""
    return int(np.isin(seen.table["sync"], (0, 4, 6)).sum())


SITUATIONS: dict[str, Callable[[Seen], int]] = {
    "NT.2.zcm": _zcm,
    "NT.2.pairs": _pairs,
    "NT.8.1.example": _table_24,
    "NT-21": _high_addresses,
    "NT-22": _debug_edges,
    "NT.8.6.back_to_back": _back_to_back,
    "NT-3": _splits,
    "NT.V.tail_call": _tail_calls,
    "NT.V.ecall": _calls_to_the_system,
    "NT.V.starts_disabled": _starts_disabled,
    "NT.2.itype7": _reserved_itypes,
    "NT.2.cause": _causes,
    "NT.8.1.virtual": _virtual,
    "NT.8.2.examples": _seed_8_2,
    "NT.V.sync_reset": _sync_resets,
}
"""Rolled-up clauses whose parts are checked in other situations as well. The others are met whenever a part is."""
