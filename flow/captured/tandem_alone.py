# SPDX-License-Identifier: Apache-2.0
"""A captured tandem trace without the rows of its port: the format, the program replayed against the simulator, the
retire stream.

verdict = check(capture, tolerances, profile, pc)    legal, and verify if the trace begins with a hart reset or
                                                state initialization
in_order(capture, verdict, retired)             the decoded instructions are those that retired
other_code(program, decoded)                    how many of its instructions the program does not have
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Kind, Retired
from rvtrace.models.tandem import table as t
from rvtrace.models.tandem.decoder.decode import decode
from rvtrace.models.tandem.decoder.decoded import GROUP, Decoded
from rvtrace.models.tandem.simulator.interface import reference
from rvtrace.models.tandem.verifier.profile import Profile
from rvtrace.models.tandem.verifier.verify import Verifier
from rvtrace.scoreboards.common.clauses import ClauseBook, Failure
from rvtrace.scoreboards.common.verdict import Verdict
from rvtrace.scoreboards.tandem.capture import TandemCapture
from rvtrace.scoreboards.tandem.check import plan
from rvtrace.scoreboards.tandem.evidence import damage
from rvtrace.scoreboards.tandem.layout import explained
from rvtrace.scoreboards.tandem.legal import check_legal
from rvtrace.scoreboards.tandem.table import ItemTable
from rvtrace.scoreboards.tandem.tolerances import Tolerances
from rvtrace.scoreboards.tandem.verify import check_verify, replayed

ORDER = "TV.told.order"  # groups are in program order
MIDDLE = (
    "the trace does not begin with a hart reset or state initialization, so nobody knows the state that it goes on"
    " from; capture from the reset on, or give PC="
)


def check(capture: TandemCapture, tolerances: Tolerances, profile: Profile, pc: int | None) -> Verdict:
    """Every clause that can be checked with bytes and program alone.

    What the trace never reports is taken as absent: fields may be omitted (chapter 3), and only the rows of the port
    would show that something is missing.
    """
    verdict = Verdict(ClauseBook(plan(), capture.rerun, f"RV{capture.config.xlen}"))
    found = explained(capture)
    capture = found.capture
    for failure in found.failures:
        verdict.book.fail(failure)
    decoded = verdict.decoded = decode(capture.data, capture.config)
    check_legal(capture, verdict.book, ItemTable(capture.data, capture.config), decoded, None, tolerances)
    instructions, unverified = decoded.instruction_count, 0
    if replayed(capture) and (pc is not None or begins(decoded)):
        profile = replace(profile, absent=silent(profile, decoded), unchanged=tolerances.unchanged)
        simulator = reference(profile.hart.xlen)
        report = check_verify(
            capture, verdict.book, decoded, Verifier(simulator, profile, None, pc, capture.program), profile.traces
        )
        unverified = 0 if report is None else min(report.unverified, instructions)
    verdict.book.damage += damage(decoded)
    verdict.book.attribute()
    found.attribute(verdict.book)
    broken = int((decoded.broken & (decoded.size > 0)).sum())
    verdict.stats |= {
        "instructions": instructions,
        "judged": instructions - max(unverified, broken),
        "told": instructions,
        "messages": decoded.items,
        "bytes": len(capture.data),
    }
    return verdict


def silent(profile: Profile, decoded: Decoded) -> tuple[str, ...]:
    """The parts that are absent by the profile, and those that the trace never reports although it could be replayed
    without them.
    """
    keys = set(np.unique(decoded.change_key[np.repeat(decoded.size > 0, np.diff(decoded.change_start))]).tolist())
    said = {
        "paddr": {t.STATE_KEY + t.PADDR},
        "eaddr": {t.STATE_KEY + t.EADDR},
        "memdata": {t.STATE_KEY + t.MEMDATA + n for n in range(4)},
        "priv": {t.STATE_KEY + t.PRIV},
    }
    never = {name for name, numbers in said.items() if not numbers & keys}
    if (decoded.change_key == t.STATE_KEY + t.PRIV).any():  # traps without instruction report it as well
        never.discard("priv")
    return tuple(name for name in t.ABSENT_NAMES if name in profile.absent or name in never)


def begins(decoded: Decoded) -> bool:
    """Whether a hart reset, or state initialization, comes before the first instruction."""
    starts, instructions = np.flatnonzero(decoded.reset | decoded.init), np.flatnonzero(decoded.size)
    return bool(len(starts)) and (not len(instructions) or starts[0] < instructions[0])


def in_order(capture: TandemCapture, verdict: Verdict, retired: Retired) -> None:
    """The decoded instructions are those that retired or trapped, in their order; an instruction that could not be
    fetched may be missing.
    """
    decoded, book = verdict.decoded, verdict.book
    reported = np.flatnonzero((decoded.kind == GROUP) & (decoded.size > 0))
    rows = np.flatnonzero(np.isin(retired.kind, (Kind.INSN, Kind.EXCEPTION)))
    want, may_miss = retired.pc[rows].tolist(), (retired.kind[rows] == Kind.EXCEPTION).tolist()
    book.count(ORDER, len(want))
    i = 0
    for k, (pc, known) in enumerate(zip(decoded.pc[reported].tolist(), decoded.pc_known[reported].tolist())):
        while known and i < len(want) and pc != want[i] and may_miss[i]:
            i += 1
        if i == len(want) or (known and pc != want[i]):
            book.fail(
                _out_of_order(capture, int(decoded.number[reported[k]]), pc, want[i] if i < len(want) else None, k),
                counted=True,
            )
            return
        i += 1
    if not all(may_miss[i:]):
        book.fail(
            Failure(
                ORDER,
                f"{len(want) - i:,} instructions that retired are not in the trace",
                None,
                want[i],
                _place(capture, want[i]),
                [("instructions", str(len(want)), str(len(reported)))],
            ),
            counted=True,
        )


def _out_of_order(capture: TandemCapture, group: int, pc: int, wanted: int | None, before: int) -> Failure:
    said = "nothing any more" if wanted is None else f"{wanted:#x}"
    return Failure(ORDER, f"group {group} has {pc:#x} where the hart retired {said}", None, pc, _place(capture, pc),
                   [("pc", said, f"{pc:#x}"), ("instructions before", str(before), str(before))])  # fmt: skip


def _place(capture: TandemCapture, pc: int) -> str:
    return capture.program.where(pc) if capture.program is not None else ""


def other_code(program: Program, decoded: Decoded) -> tuple[int, int]:
    """How many different reported instructions the program does not have at their address, and how many there are."""
    reported = (decoded.size > 0) & decoded.pc_known
    pcs, first = np.unique(decoded.pc[reported], return_index=True)
    insns, sizes = decoded.insn[reported][first], decoded.size[reported][first]
    other = 0
    for pc, insn, size in zip(pcs.tolist(), insns.tolist(), sizes.tolist()):
        found = program.insn(pc)
        other += found is None or found.size != size or found.raw != insn & (1 << 8 * size) - 1
    return other, len(pcs)
