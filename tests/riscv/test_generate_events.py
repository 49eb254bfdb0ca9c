# SPDX-License-Identifier: Apache-2.0
"""Random walks have what the options of an encoder need: triggers, resets, far jumps, deep calls, repeated history."""

import random

import numpy as np
import pytest

from rvtrace.models.riscv import isa
from rvtrace.models.riscv.generate import LAYOUTS, generate, random_walk
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import IType, Kind, Retired
from rvtrace.models.riscv.stream import custom_jumps
from tests.common.there import there

LOADS = {0x37: "lui", 0x17: "auipc"}


def found_in(program: Program, r: Retired) -> set[str]:
    """Names of what happens in a walk."""
    kind, found = r.kind, {Kind(k).name for k in set(r.kind.tolist())}
    insn = kind == Kind.INSN
    for row in np.flatnonzero(r.sijump).tolist():
        before = program.insn(int(r.pc[row - 1]))
        if before is not None and kind[row - 1] == Kind.INSN:
            name = LOADS.get(before.raw & 0x7F, "?") if before.size == 4 else "c.lui"
            found.add(f"{name} and {there(program.insn(int(r.pc[row]))).name}")
            found.add(f"far {IType(int(r.itype[row])).name}")
    customs = custom_jumps(r, program)
    found |= {"custom instruction goes elsewhere"} if customs.any() else set()
    linear = r.pc[insn & ~customs & (r.itype == 0)]
    found |= (
        {"custom instruction goes on"}
        if any(isa.is_custom(there(program.insn(pc))) for pc in set(linear.tolist()))
        else set()
    )
    for name in ("context", "hcontext"):
        column = getattr(r, name)
        written = (column[1:] != column[:-1]) & (r.itype[:-1] == 0) & insn[:-1] & insn[1:]
        found |= {f"{name} written"} if written.any() else set()
    pulse = np.isin(kind, (Kind.NOTIFY, Kind.EXT_NOTIFY, Kind.VENDOR))
    found |= {"several pulses"} if (pulse[1:] & pulse[:-1]).any() else set()
    for stop in (Kind.DEBUG_ENTRY, Kind.RESET_ENTRY, Kind.SLEEP):
        inside = (kind[:-1] == stop) & (pulse[1:] | (kind[1:] == Kind.TRACE_ON) | (kind[1:] == Kind.TRACE_OFF))
        found |= {f"something within {stop.name}"} if inside.any() else set()
    found.add(f"starts with {Kind(int(kind[1])).name}")
    calls = np.isin(r.itype, (IType.INFERABLE_CALL, IType.UNINFERABLE_CALL)).astype(int)
    depth = np.cumsum(calls - (r.itype == IType.RETURN))
    found |= {"more than 32 calls open"} if depth.max() - depth.min() > 32 else set()
    history = r.taken[r.taken >= 0]
    for period in (1, 2, 3, 5):
        same = history[period:] == history[:-period]
        longest = max((len(run) for run in "".join(map(str, same.astype(int))).split("0")), default=0)
        found |= {f"history repeats with period {period}"} if longest >= 70 else set()
    return found


WANTED = {
    *(k.name for k in Kind if k != Kind.TOGGLE),
    "auipc and jalr",
    "lui and jalr",
    "c.lui and jalr",
    "c.lui and c.jr",
    "c.lui and c.jalr",
    "far UNINFERABLE_CALL",
    "far UNINFERABLE_TAIL_CALL",
    "far OTHER_UNINFERABLE_JUMP",
    "far RETURN",
    "far COROUTINE_SWAP",
    "custom instruction goes elsewhere",
    "custom instruction goes on",
    "context written",
    "hcontext written",
    "several pulses",
    "something within DEBUG_ENTRY",
    "something within RESET_ENTRY",
    "something within SLEEP",
    "starts with RESET_EXIT",
    "starts with WAKE",
    "starts with DEBUG_EXIT",
    "more than 32 calls open",
    *(f"history repeats with period {n}" for n in (1, 2, 3)),
}


@pytest.mark.parametrize("xlen", [32, 64])
def test_everything_happens(xlen):
    found = set()
    for seed in range(24):
        layout = sorted(LAYOUTS[xlen])[seed % len(LAYOUTS[xlen])]
        program = generate(random.Random(f"{seed}:events"), xlen, 700, layout)
        found |= found_in(program, random_walk(program, random.Random(f"{seed}:walk"), 5000))
    assert WANTED - found == set()


@pytest.mark.parametrize("xlen", [32, 64])
def test_addresses_have_every_sign(xlen):
    """Both halves of the address space, and code on both sides of the highest bits that real harts have."""
    layouts = LAYOUTS[xlen]
    pcs = set()
    for name in layouts:
        program = generate(random.Random(f"{name}:sign"), xlen, 1500, name)
        pcs |= set(random_walk(program, random.Random(name), 3000).pc.tolist())
    assert {pc >> xlen - 1 for pc in pcs} == {0, 1}
    for bit in (31,) if xlen == 32 else (31, 37, 38, 46, 47):
        assert {pc >> bit & 1 for pc in pcs} == {0, 1}, bit
    edge = {pc for pc in pcs if pc >> 16 == layouts["edge"][0] >> 16 or pc >> 16 == (layouts["edge"][0] >> 16) + 1}
    assert {pc >> (31 if xlen == 32 else 47) for pc in edge} == {0, 1}, "one walk goes across the edge"
