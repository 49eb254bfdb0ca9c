"""A captured tandem trace without the rows of its port: the format, the program replayed against the simulator, the retire stream.

    verdict = check(capture, knobs, profile, pc)    legal, and verify if the trace begins where a hart does
    in_order(capture, verdict, retired)             the instructions told are those that retired
    other_code(program, decoded)                    how many instructions it tells that the program does not have
"""

from __future__ import annotations

import numpy as np

from models.riscv.program import Program
from models.riscv.retired import Kind, Retired
from models.tandem.decoded import GROUP, Decoded
from models.tandem.decoder import decode
from models.tandem.profile import Profile
from models.tandem.simulator import reference
from models.tandem.verifier import Verifier
from scoreboards.clauses import ClauseBook, Failure
from scoreboards.tandem import plan
from scoreboards.tandem_capture import TandemCapture
from scoreboards.tandem_items import ItemTable
from scoreboards.tandem_knobs import Knobs
from scoreboards.tandem_legal import check_legal
from scoreboards.tandem_verify import check_verify, replayed
from scoreboards.verdict import Verdict

ORDER = "TV.told.order"  # groups stand in program order
MIDDLE = "the trace does not begin with a hart reset, so nobody knows the state that it goes on from; capture from the reset on, or give PC="


def check(capture: TandemCapture, knobs: Knobs, profile: Profile, pc: int | None) -> Verdict:
    """Every clause that bytes and program can be held to."""
    verdict = Verdict(ClauseBook(plan(), capture.rerun, f"RV{capture.config.xlen}"))
    decoded = verdict.decoded = decode(capture.data, capture.config)
    check_legal(capture, verdict.book, ItemTable(capture.data, capture.config), decoded, None, knobs)
    if replayed(capture) and (pc is not None or begins(decoded)):
        check_verify(capture, verdict.book, decoded, Verifier(reference(profile.hart.xlen), profile, None, pc, capture.program))
    verdict.stats |= {"told": decoded.instruction_count, "messages": decoded.items, "bytes": len(capture.data)}
    return verdict


def begins(decoded: Decoded) -> bool:
    """Whether a hart reset comes before the first instruction."""
    resets, instructions = np.flatnonzero(decoded.reset), np.flatnonzero(decoded.size)
    return bool(len(resets)) and (not len(instructions) or resets[0] < instructions[0])


def in_order(capture: TandemCapture, verdict: Verdict, retired: Retired) -> None:
    """The instructions told are those that retired or trapped, in their order; an instruction that could not be fetched may be missing."""
    decoded, book = verdict.decoded, verdict.book
    told = np.flatnonzero((decoded.kind == GROUP) & (decoded.size > 0))
    rows = np.flatnonzero(np.isin(retired.kind, (Kind.INSN, Kind.EXCEPTION)))
    want, may_miss = retired.pc[rows].tolist(), (retired.kind[rows] == Kind.EXCEPTION).tolist()
    book.count(ORDER, len(want))
    i = 0
    for k, (pc, known) in enumerate(zip(decoded.pc[told].tolist(), decoded.pc_known[told].tolist())):
        while known and i < len(want) and pc != want[i] and may_miss[i]:
            i += 1
        if i == len(want) or (known and pc != want[i]):
            book.fail(_out_of_order(capture, int(decoded.number[told[k]]), pc, want[i] if i < len(want) else None, k), counted=True)
            return
        i += 1
    if not all(may_miss[i:]):
        book.fail(Failure(ORDER, f"{len(want) - i:,} instructions that retired are not told", None, want[i], _place(capture, want[i]),
                          [("instructions", str(len(want)), str(len(told)))]), counted=True)  # fmt: skip


def _out_of_order(capture: TandemCapture, group: int, pc: int, wanted: int | None, before: int) -> Failure:
    said = "nothing any more" if wanted is None else f"{wanted:#x}"
    return Failure(ORDER, f"group {group} tells {pc:#x} where the hart retired {said}", None, pc, _place(capture, pc),
                   [("pc", said, f"{pc:#x}"), ("instructions before", str(before), str(before))])  # fmt: skip


def _place(capture: TandemCapture, pc: int) -> str:
    return capture.program.where(pc) if capture.program is not None else ""


def other_code(program: Program, decoded: Decoded) -> tuple[int, int]:
    """Of the different instructions told, how many the program does not have at their address, and how many there are."""
    told = (decoded.size > 0) & decoded.pc_known
    pcs, first = np.unique(decoded.pc[told], return_index=True)
    other = 0
    for pc, insn, size in zip(pcs.tolist(), decoded.insn[told][first].tolist(), decoded.size[told][first].tolist()):
        found = program.insn(pc)
        other += found is None or found.size != size or found.raw != insn & (1 << 8 * size) - 1
    return other, len(pcs)
