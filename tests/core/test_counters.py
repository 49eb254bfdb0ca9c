# SPDX-License-Identifier: Apache-2.0
"""Counters of a core against its retirement stream: each event, and what is not compared."""

from dataclasses import replace

import numpy as np
import pytest

from rvtrace.flow.cores.counters import EVENTS, compare
from rvtrace.flow.cores.description import Core
from rvtrace.tb.cores.agents import layout

ALONE = 0x0000_0013  # nop
PC = 0x8000_0000
# Instruction, and which events it is: as the unprivileged manual encodes them.
INSNS = {
    "lw": (0x0000_A083, {"load"}),
    "sh": (0x0010_9023, {"store"}),
    "jal": (0x0000_006F, {"jump"}),
    "jalr": (0x0000_8067, {"jump"}),
    "c.lw": (0x4080, {"load", "compressed"}),
    "c.lwsp": (0x4082, {"load", "compressed"}),
    "c.sw": (0xC080, {"store", "compressed"}),
    "c.swsp": (0xC006, {"store", "compressed"}),
    "c.j": (0xA001, {"jump", "compressed"}),
    "c.jal": (0x2001, {"jump", "compressed"}),
    "c.jr": (0x8082, {"jump", "compressed"}),
    "c.jalr": (0x9082, {"jump", "compressed"}),
    "c.mv": (0x808A, {"compressed"}),
    "c.ebreak": (0x9002, {"compressed"}),
    "beq": (0x0000_0063, {"branch"}),
    "c.beqz": (0xC001, {"branch", "compressed"}),
    "add": (0x0010_80B3, set()),
}


def reads(counter: int, value: int) -> dict[str, int]:
    """csrr x1, counter."""
    return {"insn": counter << 20 | 2 << 12 | 1 << 7 | 0x73, "rd": 1, "rd_value": value}


def stream(*rows: dict[str, int]) -> np.ndarray:
    """Rows of RVFI, one cycle each, in sequence."""
    table = np.zeros(len(rows), layout.RVFI.dtype())
    for k, row in enumerate(rows):
        size = 4 if row.get("insn", ALONE) & 3 == 3 else 2
        given = {"pc": PC, "next_pc": PC + size, "insn": ALONE, "cycle": k, "order": k} | row
        for name, value in given.items():
            table[name][k] = value
    return table


def core(event: str) -> Core:
    return replace(Core.load("ibex"), counters={"mhpmcounter3": event})


@pytest.mark.parametrize("name", INSNS)
def test_each_instruction_is_counted_by_its_events_alone(name: str):
    insn, events = INSNS[name]
    for event in ("load", "store", "jump", "branch", "compressed"):
        expected = int(event in events)
        for counted in (0, 1):
            found = compare(core(event), stream(reads(0xB03, 7), {"insn": insn}, reads(0xB03, 7 + counted)))
            assert found.compared == {"mhpmcounter3": 1}
            assert [(one.expected, one.actual) for one in found.differences] == [(expected, counted)] * (
                expected != counted
            )


def test_taken_branches_cycles_and_accesses():
    taken, here = {"insn": 0x63, "next_pc": PC + 64}, {"insn": 0x63}
    assert not compare(core("taken_branch"), stream(reads(0xB03, 0), taken, here, taken, reads(0xB03, 2))).differences
    assert not compare(
        core("cycle"), stream(reads(0xB03, 9), {"cycle": 5}, {**reads(0xB03, 29), "cycle": 20})
    ).differences
    across = {"insn": 0x0000_A083, "mem_addr": PC + 1, "rmask": 0xF}
    within = {"insn": 0x0000_9083, "mem_addr": PC + 1, "rmask": 3}
    rows = stream(reads(0xB03, 0), across, within, reads(0xB03, 3))
    assert not compare(core("load_access"), rows).differences
    assert [one.expected for one in compare(core("load"), rows).differences] == [2]


def test_a_counter_that_wraps_and_one_that_is_written():
    assert not compare(core("jump"), stream(reads(0xB03, 0xFFFF_FFFF), {"insn": 0x6F}, reads(0xB03, 0))).differences
    written = {**reads(0xB03, 5), "insn": 0xB03 << 20 | 1 << 12 | 2 << 15 | 1 << 7 | 0x73}
    found = compare(core("jump"), stream(written, reads(0xB03, 100), {"insn": 0x6F}, reads(0xB03, 101)))
    assert found.compared == {"mhpmcounter3": 1} and not found.differences


def test_what_is_not_known_is_not_compared():
    trapped = {"insn": 0x0000_A083, "trap": 1}
    rows = stream(reads(0xB03, 0), trapped, reads(0xB03, 1))
    assert compare(core("load"), rows).compared == {"mhpmcounter3": 0}
    assert compare(core("jump"), rows).compared == {"mhpmcounter3": 1}
    nowhere = {**reads(0xB03, 0), "rd": 0}
    assert compare(core("jump"), stream(nowhere, nowhere)).compared == {"mhpmcounter3": 0}


def test_what_ibex_counts_is_described():
    ibex = Core.load("ibex")
    assert set(ibex.counters.values()) <= {*EVENTS, "cycle"}
    assert len(ibex.counter_addresses) == len(ibex.counters) == 7
