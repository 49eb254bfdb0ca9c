# SPDX-License-Identifier: Apache-2.0
"""What holds of any retire stream of a program: its form in each variant, and that a hart could have
produced it."""

from __future__ import annotations

import dataclasses

import numpy as np

from rvtrace.models.riscv import isa
from rvtrace.models.riscv.isa import Flow, Insn
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Effects, IType, Kind, Priv, Retired

ECALL_CAUSE = {Priv.U: 8, Priv.VU: 8, Priv.S: 9, Priv.VS: 10, Priv.M: 11}
BREAKPOINT = 3
CONTROL_KINDS = tuple(kind for kind in Kind if kind >= Kind.TRACE_ON)  # neither instruction nor trap
LEVEL_KINDS = (  # level of the ingress port, and the rows in which it rises and falls
    ("inst_tracing", Kind.TRACE_ON, Kind.TRACE_OFF), ("halted", Kind.DEBUG_ENTRY, Kind.DEBUG_EXIT),
    ("in_reset", Kind.RESET_ENTRY, Kind.RESET_EXIT), ("low_power", Kind.SLEEP, Kind.WAKE),
)  # fmt: skip
RESTART_KINDS = (Kind.TRACE_ON, Kind.DEBUG_EXIT, Kind.RESET_EXIT, Kind.WAKE)  # the hart may go on anywhere


class WalkError(ValueError):
    """A step that the program does not allow, or a stream that does not follow it; the text says where."""


def mode_rows(kind: np.ndarray) -> np.ndarray:
    """For each row the row that reports its privilege and context: itself, or for a control row the next that
    is not.

    Control rows at the end keep their own. A port reports these levels only with a block.
    """
    n = len(kind)
    own = np.arange(n)
    following = np.where(np.isin(kind, CONTROL_KINDS), n, own)
    following = np.minimum.accumulate(following[::-1])[::-1]
    return np.where(following == n, own, following)


def trap_retires(insn: Insn | None, cause: int) -> bool:
    """Whether an exception of this cause is that of the ecall or ebreak itself."""
    if insn is None or insn.flow != Flow.TRAP:
        return False
    return cause in ECALL_CAUSE.values() if insn.name == "ecall" else cause == BREAKPOINT


def size_and_itype(
    program: Program, variant: str, kind: np.ndarray, pcs: np.ndarray, taken: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    columns = program.columns(pcs)
    is_insn = kind == Kind.INSN
    itype = columns.itype[variant] + ((columns.flow == Flow.BRANCH) & (taken == 1))  # NOT_TAKEN + 1 is TAKEN
    itype = np.where(is_insn, itype, np.where(kind <= Kind.INTERRUPT, kind, IType.NONE))
    return np.where(is_insn, columns.size, 0), itype


def custom_jumps(retired: Retired, program: Program) -> np.ndarray:
    """Mask of the custom instructions that changed the flow: section 10.1 has them reported with itype 14 (6 on a port
    of 3 bits).
    """
    mask = (retired.kind == Kind.INSN) & np.isin(retired.itype, (IType.OTHER_UNINFERABLE_JUMP, IType.UNINFERABLE_JUMP))
    rows = np.flatnonzero(mask)
    columns = program.columns(retired.pc[rows])
    mask[rows] = columns.flow == Flow.SEQUENTIAL
    for row in np.flatnonzero(mask).tolist():
        insn = program.insn(int(retired.pc[row]))
        mask[row] = insn is not None and isa.is_custom(insn)
    return mask


def with_options(retired: Retired, program: Program, all_jumps: bool = False, as_itype: int = IType.TAKEN) -> Retired:
    """The stream as a hart reports it with these options; effects are kept.

    all_jumps: direct jumps and calls (itype 9, 11, 15, and cm.jt, which has 0 in rc7) are reported as taken branches,
    or with the reserved itype 7 (N-Trace chapter 2, trTeInstEnAllJumps). Apply it after `with_variant`.
    """
    result = retired.select(slice(None))
    result.effects = retired.effects
    if all_jumps:
        jumps = (retired.kind == Kind.INSN) & (program.columns(retired.pc).flow == Flow.INFERABLE)
        result.itype = np.where(jumps, as_itype, retired.itype).astype(np.uint8)
    return result


def with_itype_width(retired: Retired, bits: int) -> Retired:
    """The stream as an ingress port with so many bits of itype has it (E-Trace 2.0, itype_width_p); without effects.

    With 3 bits all uninferable jumps are 6, and inferable ones 0.
    """
    result = retired.select(slice(None))
    if bits == 3:
        wide = np.arange(16)
        wide[[8, 10, 12, 13, 14]] = IType.UNINFERABLE_JUMP
        wide[[7, 9, 11, 15]] = IType.NONE
        result.itype = np.where(retired.kind == Kind.INSN, wide[retired.itype], retired.itype).astype(np.uint8)
    return result


def with_variant(retired: Retired, program: Program, variant: str) -> Retired:
    """The same stream as `variant` has it: itype recomputed; ecall and ebreak retire in rc7 only.

    Effects, if any, follow their rows (those of a removed row go to its exception). Raises
    WalkError for a variant that is not in `isa.VARIANTS`.
    """
    if variant not in isa.VARIANTS:
        raise WalkError(f"variant {variant!r} is not known; give one of {', '.join(isa.VARIANTS)}")
    calls = np.zeros(len(retired), dtype=bool)  # exceptions of an ecall or ebreak
    exceptions = np.flatnonzero(retired.kind == Kind.EXCEPTION)
    for row in exceptions[program.columns(retired.pc[exceptions]).flow == Flow.TRAP]:
        calls[row] = trap_retires(program.insn(int(retired.pc[row])), int(retired.cause[row]))
    told = np.zeros(len(retired), dtype=bool)  # of those, the ones whose instruction is a row already
    told[1:] = calls[1:] & (retired.kind[:-1] == Kind.INSN) & (retired.pc[:-1] == retired.pc[1:])
    if variant == "rc7":
        rows = np.flatnonzero(calls & ~told)
        source = np.insert(np.arange(len(retired)), rows, rows)
        added = np.insert(np.zeros(len(retired), dtype=bool), rows, True)
    else:
        source = np.delete(np.arange(len(retired)), np.flatnonzero(told) - 1)
        added = np.zeros(len(source), dtype=bool)
    result = retired.select(source)
    for name, value in (("kind", Kind.INSN), ("taken", -1), ("cause", 0), ("tval", 0)):
        getattr(result, name)[added] = value
    result.size, itype = size_and_itype(program, variant, result.kind, result.pc, result.taken)
    custom = custom_jumps(retired, program)[source] & ~added
    result.itype = np.where(custom, IType.OTHER_UNINFERABLE_JUMP, itype).astype(np.uint8)
    result.size = result.size.astype(np.uint8)
    if retired.effects is not None:
        result.effects = _move_effects(retired.effects, source, added)
    return result


def _move_effects(effects: Effects, source: np.ndarray, added: np.ndarray) -> Effects:
    columns = {}
    for field in dataclasses.fields(Effects):
        column = getattr(effects, field.name)
        if not field.name.startswith("csr_"):
            column = np.where(added, 0, column[source]).astype(column.dtype)
        columns[field.name] = column
    old = np.where(added, -1, source)  # increasing apart from the rows added
    kept = np.flatnonzero(~added)
    columns["csr_row"] = kept[np.searchsorted(old[kept], effects.csr_row)].astype(effects.csr_row.dtype)
    return Effects(**columns)


def check_flow(retired: Retired, program: Program) -> None:
    """Raise WalkError at the first row that does not follow from the rows before it.

    A sequential instruction, a branch with its direction and a direct jump say where the next row is; after
    an indirect or custom jump or a trap, and at the rows of RESTART_KINDS, the stream may go on anywhere. Size,
    direction and itype (of either variant, or that of all-jumps) must be those of the program's instruction.
    """
    n = len(retired)
    columns = program.columns(retired.pc)
    kind, pc = retired.kind, retired.pc
    is_insn = kind == Kind.INSN
    is_branch = is_insn & (columns.flow == Flow.BRANCH)
    mask = np.uint64((1 << program.xlen) - 1)
    # where the next row must be, and whether anything is known about it
    expected = np.where(is_insn, pc + columns.size & mask, pc)
    jumps = (is_branch & (retired.taken == 1)) | (is_insn & (columns.flow == Flow.INFERABLE))
    expected = np.where(jumps, columns.target, expected)
    known = ~((is_insn & (columns.flow == Flow.UNINFERABLE)) | (kind == Kind.EXCEPTION) | (kind == Kind.INTERRUPT))
    custom = custom_jumps(retired, program)
    known &= ~custom
    is_call = is_insn & (columns.flow == Flow.TRAP)
    expected = np.where(is_call, pc, expected)
    known &= ~(np.isin(kind, CONTROL_KINDS) & (pc == 0))  # a control row whose address the port could not report

    itypes = np.stack([columns.itype[v] for v in isa.VARIANTS]) + (is_branch & (retired.taken == 1))
    other_itype = is_insn & (itypes != retired.itype).all(axis=0) & ~custom
    other_itype &= ~((columns.flow == Flow.INFERABLE) & np.isin(retired.itype, (IType.TAKEN, IType.RESERVED)))
    outside = is_insn & (columns.size == 0)
    wrong = {
        "is not an instruction of the program": outside,
        "has another size in the program": is_insn & ~outside & (columns.size != retired.size),
        "needs a direction exactly if it is a branch": is_insn & (is_branch != (retired.taken >= 0)),
        "has another itype": other_itype,
        "does not follow from the row before": np.zeros(n, dtype=bool),
        "is an ecall or ebreak that no exception follows": np.zeros(n, dtype=bool),
    }
    restart = np.isin(kind, RESTART_KINDS) | (np.isin(kind, CONTROL_KINDS) & (pc == 0))
    astray = wrong["does not follow from the row before"]
    astray[1:] = known[:-1] & ~restart[1:] & (expected[:-1] != pc[1:])
    wrong["is an ecall or ebreak that no exception follows"][:-1] = is_call[:-1] & (kind[1:] != Kind.EXCEPTION)
    rows = {reason: int(np.argmax(found)) for reason, found in wrong.items() if found.any()}
    if not rows:
        return
    reason = min(rows, key=lambda r: rows[r])
    row = rows[reason]
    before = ""
    if row and reason.startswith("does"):
        before = f" ({program.where(int(pc[row - 1]))}, after which {int(expected[row - 1]):#x} comes)"
    raise WalkError(
        f"row {row}, {Kind(int(kind[row])).name.lower()} at {program.where(int(pc[row]))}, {reason}{before}; "
        "give the program that this stream was recorded from"
    )
