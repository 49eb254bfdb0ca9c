# SPDX-License-Identifier: Apache-2.0
"""Retire streams to transfers: each opcode's type by the ratified table (CTR-8), targets, modes, Debug Mode, cycles and
slots.
"""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rvtrace.models.ctr.transfers import Transfers, TransfersError
from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.csr import DEBUG
from rvtrace.models.riscv.generate import generate
from rvtrace.models.riscv.random_walk import random_walk
from rvtrace.models.riscv.retired import Retired
from rvtrace.models.riscv.walk import Walk

# Table Control Transfer Type Definitions: builder call, type. Every one goes to the next instruction's address, so the
# walk is a line.
OPCODES: list[tuple[tuple[Any, ...], int]] = [
    (("jalr", 1, 6), 8),
    (("jalr", 1, 1), 8),
    (("jalr", 5, 6), 8),
    (("jalr", 5, 5), 8),
    (("c_jalr", 6), 8),
    (("c_jalr", 1), 8),
    (("jal", 1, "next"), 9),
    (("jal", 5, "next"), 9),
    (("cm_jalt", "next"), 9),
    (("jalr", 0, 6), 10),
    (("c_jr", 6), 10),
    (("jal", 0, "next"), 11),
    (("c_j", "next"), 11),
    (("cm_jt", "next"), 11),
    (("jalr", 1, 5), 12),
    (("jalr", 5, 1), 12),
    (("c_jalr", 5), 12),
    (("jalr", 0, 1), 13),
    (("jalr", 0, 5), 13),
    (("jalr", 7, 1), 13),
    (("jalr", 7, 5), 13),
    (("c_jr", 1), 13),
    (("c_jr", 5), 13),
    (("cm_popret",), 13),
    (("cm_popretz",), 13),
    (("jalr", 6, 6), 14),
    (("jalr", 7, 6), 14),
    (("jal", 7, "next"), 15),
]


@pytest.mark.parametrize("variant", ["v1_0", "rc7"])
@pytest.mark.parametrize(("opcode", "type_"), OPCODES)
def test_opcodes(opcode: tuple[Any, ...], type_: int, variant: str) -> None:
    build = ProgramBuilder()
    getattr(build, opcode[0])(*opcode[1:])
    after = build.label("next")
    build.c_nop()
    program = build.build()
    walk = Walk(program, variant)
    insn = walk.insn()
    if insn is not None and insn.target is None:
        walk.jump(after).step()
    else:
        walk.step(1 if type_ == 9 else 2)  # a direct jump may be the last row: the opcode says its target
    found = Transfers.of_retired(walk.retired(), program)
    assert [(t.type, t.source, t.target, t.from_, t.to) for _, _, group in found.cycles() for t in group] == [
        (type_, program.entry, after, 3, 3)
    ]


def program_run(variant: str = "v1_0") -> tuple[Transfers, dict[str, int], Retired]:
    """Branches, an ecall from U to M, mret to VS, an interrupt to HS, Debug Mode."""
    build = ProgramBuilder()
    at = {"beq": build.beq(1, 2, "end"), "bne": build.bne(1, 2, "end"), "nop": build.nop()}
    at["end"] = build.label("end")
    at["ecall"] = build.ecall()
    at["mret"] = build.mret()
    at["loop"] = build.nop()
    at["sret"] = build.sret()
    program = build.build()
    walk = Walk(program, variant, priv=0)
    walk.branch(False).branch(True).trap(8, at["mret"], priv=3).jump(at["loop"], priv=5)
    walk.debug_entry().debug_exit().trap(13, at["sret"], interrupt=True, priv=1).jump(at["loop"], priv=5).step()
    retired = walk.retired()
    return Transfers.of_retired(retired, program), at, retired


@pytest.mark.parametrize("variant", ["v1_0", "rc7"])
def test_a_scenario(variant: str) -> None:
    found, at, _ = program_run(variant)
    assert [tuple(t) for _, _, group in found.cycles() for t in group] == [
        (4, at["beq"], at["bne"], 0, 0, 0, 0),  # of a branch not taken: the next in sequence
        (5, at["bne"], at["end"], 0, 0, 0, 0),
        (1, at["ecall"], at["mret"], 0, 0, 3, 8),  # the ecall itself is no transfer, also where it retires (rc7)
        (3, at["mret"], at["loop"], 0, 3, 5, 0),
        (1, at["loop"], at["loop"], 0, 5, DEBUG, 3),
        (3, at["loop"], at["loop"], 0, DEBUG, 5, 0),
        (2, at["loop"], at["sret"], 0, 5, 1, 13),
        (3, at["sret"], at["loop"], 0, 1, 5, 0),
    ]


@pytest.mark.parametrize("taken", [0, 1])
def test_where_a_branch_leads_that_is_the_last_row(taken: int) -> None:
    """The opcode says it: the branch target, or the instruction after it."""
    build = ProgramBuilder()
    source, after = build.bne(1, 2, "end"), build.nop()
    end = build.label("end")
    build.nop()
    program = build.build()
    ends = Transfers.of_retired(Walk(program).branch(bool(taken)).retired(), program)
    assert [(int(ends.source[0]), int(ends.target[0]))] == [(source, end if taken else after)]


def test_a_last_transfer_without_a_known_target_is_left_out() -> None:
    _, at, retired = program_run()
    short = Transfers.of_retired(retired.select(slice(0, 3)))
    assert [int(t) for t in short.type] == [4, 5]  # the trap is the last row: nobody says where it goes


@pytest.mark.parametrize("slots", [1, 2, 3, 4])
@pytest.mark.parametrize("seed", range(3))
def test_cycles_and_slots_are_those_of_a_port(seed: int, slots: int) -> None:
    program = generate(random.Random(f"{seed}:program"))
    retired = random_walk(program, random.Random(f"{seed}:walk"), 3000)
    for rng in (None, random.Random(f"{seed}:transfers")):
        found = Transfers.of_retired(retired, program, rng, slots=slots, stall=0.01)
        groups = list(found.cycles())
        assert sum(len(group) for _, _, group in groups) == len(found) > 300
        assert all(a[0] < b[0] for a, b in zip(groups, groups[1:]))
        for (_, priv, group), size in zip(groups, (len(group) for _, _, group in groups)):
            assert priv == group[0].from_ and 1 <= size <= slots
            assert all(a.to == b.from_ for a, b in zip(group, group[1:]))
        assert max(len(group) for _, _, group in groups) == slots
        assert [slot for _, _, group in groups for slot in range(len(group))] == found.slot.tolist()
        assert bool(found.misp.any()) == (rng is not None)
        assert not found.misp[found.type < 4].any()
    again = Transfers.of_retired(retired, program, random.Random(f"{seed}:transfers"), slots=slots, stall=0.01)
    assert all((getattr(again, name) == getattr(found, name)).all() for name in ("cycle", "misp", "target"))


def test_columns_files_and_errors(tmp_path: Path) -> None:
    found, _, retired = program_run()
    found.save(tmp_path / "t.npz")
    back = Transfers.load(tmp_path / "t.npz")
    assert list(back.cycles()) == list(found.cycles()) and len(back.select(back.type == 3)) == 3
    plain = Transfers.from_columns(type=[11, 13], source=[2, 4], target=[4, 2])
    assert [(c, p, len(g)) for c, p, g in plain.cycles()] == [(0, 3, 1), (1, 3, 1)]
    assert not list(Transfers.from_columns(type=[]).cycles())
    with pytest.raises(TransfersError, match="slots=5"):
        Transfers.of_retired(retired, slots=5)
    with pytest.raises(TransfersError, match="differ in length"):
        Transfers.from_columns(type=[1, 2], source=np.zeros(1))
