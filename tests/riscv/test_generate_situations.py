# SPDX-License-Identifier: Apache-2.0
"""Random walks meet every situation that trace has rules for, within a dozen seeds."""

import random

import numpy as np
import pytest

from rvtrace.models.riscv import isa
from rvtrace.models.riscv.generate import LAYOUTS, generate, random_walk
from rvtrace.models.riscv.isa import Flow
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import IType, Kind, Priv, Retired

INSN, EXC, INT = Kind.INSN, Kind.EXCEPTION, Kind.INTERRUPT


def situations(program: Program, r: Retired) -> set[str]:
    """Names of what happens in a walk."""
    kind, found = r.kind, set()
    insn, trap = kind == INSN, (kind == EXC) | (kind == INT)
    columns = program.columns(r.pc)
    flow = np.where(insn, columns.flow, 255)

    def after(name: str, before: np.ndarray, now: np.ndarray) -> None:
        if (before[:-1] & now[1:]).any():
            found.add(name)

    after("exception after a sequential instruction", flow == Flow.SEQUENTIAL, kind == EXC)
    after("interrupt after a sequential instruction", flow == Flow.SEQUENTIAL, kind == INT)
    after("trap after a branch", flow == Flow.BRANCH, trap)
    after("trap at a direct call's target", r.itype == IType.INFERABLE_CALL, trap)
    after("trap at an indirect jump's target", (flow == Flow.UNINFERABLE) & (r.itype != IType.XRET), trap)
    after("trap right after xRET", r.itype == IType.XRET, trap)
    after("back to back", trap, trap)
    after("trap first traced", kind == Kind.TRACE_ON, trap)
    after("trap after debug_exit", kind == Kind.DEBUG_EXIT, trap)
    after("trap at an address outside the program", trap, trap & (columns.size == 0))
    after("untraced instructions", kind == Kind.TRACE_OFF, insn)
    after("trace off and on at once", kind == Kind.TRACE_OFF, kind == Kind.TRACE_ON)
    after(
        "trace changed in Debug Mode",
        kind == Kind.DEBUG_ENTRY,
        (kind == Kind.TRACE_OFF) | (kind == Kind.TRACE_ON),
    )
    after("debug entry after a flow change", insn & (r.itype != 0), kind == Kind.DEBUG_ENTRY)
    found |= {f"privilege {Priv(p).name}" for p in set(r.priv.tolist())}
    xret = r.itype[:-1] == IType.XRET
    found |= {"xRET keeps privilege"} if (xret & (r.priv[:-1] == r.priv[1:])).any() else set()
    found |= {"xRET changes privilege"} if (xret & (r.priv[:-1] != r.priv[1:])).any() else set()
    found |= {"context written"} if ((r.context[:-1] != r.context[1:]) & (flow[:-1] == 0)).any() else set()
    far = np.abs(r.pc[1:].astype(np.float64) - r.pc[:-1].astype(np.float64)) > 1 << 28
    found |= {"far jump"} if (far & (flow[:-1] == Flow.UNINFERABLE)).any() else set()
    found |= {"far jump by table"} if (far & (flow[:-1] == Flow.INFERABLE)).any() else set()
    if (r.kind == Kind.DEBUG_EXIT).any() and kind[1] == Kind.DEBUG_EXIT:
        found.add("starts halted")
    calls = np.isin(r.itype, (IType.INFERABLE_CALL, IType.UNINFERABLE_CALL)).astype(int)
    depth = np.cumsum(calls - (r.itype == IType.RETURN))
    found |= {"nested calls"} if depth.max() - depth.min() >= 4 else set()
    targets = r.pc[1:][calls[:-1] == 1]
    found |= {"direct recursion"} if (targets[1:] == targets[:-1]).any() else set()
    taken = np.flatnonzero((r.taken == 1) & (r.pc >= np.append(r.pc[1:], 0)))
    _, counts = np.unique(r.pc[taken], return_counts=True)
    found |= {"long loop"} if counts.max(initial=0) >= 100 else set()
    return found


WANTED = {
    "exception after a sequential instruction", "interrupt after a sequential instruction",
    "trap after a branch", "trap at a direct call's target", "trap at an indirect jump's target",
    "trap right after xRET", "back to back", "trap first traced", "trap after debug_exit",
    "trap at an address outside the program", "untraced instructions", "trace off and on at once",
    "trace changed in Debug Mode", "debug entry after a flow change", "starts halted",
    "xRET keeps privilege", "xRET changes privilege", "context written", "far jump", "far jump by table",
    "nested calls", "direct recursion", "long loop",
    *(f"privilege {p.name}" for p in Priv),
}  # fmt: skip


@pytest.mark.parametrize("xlen", [32, 64])
@pytest.mark.parametrize("variant", isa.VARIANTS)
def test_every_situation_appears(xlen, variant):
    found = set()
    for seed in range(12):
        layout = sorted(LAYOUTS[xlen])[seed % len(LAYOUTS[xlen])]
        program = generate(random.Random(f"{seed}:program"), xlen, 700, layout)
        retired = random_walk(program, random.Random(f"{seed}:walk"), 4000, variant=variant)
        found |= situations(program, retired)
    assert WANTED - found == set()
