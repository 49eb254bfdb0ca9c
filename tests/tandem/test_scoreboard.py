# SPDX-License-Identifier: Apache-2.0
"""The scoreboard on devices that are right, and on devices that are wrong in one item: the clause of that item turns
red.
"""

from random import Random

import pytest

from rvtrace.models.tandem import table as t
from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.encoder import items as it
from rvtrace.models.tandem.trace_data import TraceData
from rvtrace.scoreboards.tandem.check import check
from rvtrace.scoreboards.tandem.tolerances import Tolerances
from rvtrace.tb.tandem.stimulus.builds import BUILDS
from rvtrace.tb.tandem.stimulus.random_rows import Mix
from rvtrace.tb.tandem.stimulus.rows import in_cycles, noisy
from tests.common.there import there
from tests.tandem.captures import PC, broken, captured, drop, edges_of, edited, insn, instead, put, swap


@pytest.mark.parametrize("build", BUILDS)
def test_a_device_that_is_right_passes(build: str) -> None:
    config, rng = Config.from_dict(BUILDS[build]), Random(7)
    rows = noisy(in_cycles(Mix(config, rng).rows(1200), config, rng, 0, False), config, rng)
    for tolerances in (Tolerances(), Tolerances.free()):
        verdict = check(captured(rows, config), tolerances)
        assert verdict.passed, verdict.failures[0].text()
    assert verdict.stats["rows"] == len(rows) and len(check(captured(rows, config)).book.results()) > 70


LOAD = TraceData(group=False, request=(t.LOAD, 2, 0x8000, 0), response=(0, 7))
STORE = insn(request=(t.STORE, 1, 0x8000, 9), response=(0, 0))
CASES = {  # row 1 with one item wrong: the clauses that fail, no others
    "gpr": ([insn(gpr=(5, 9))], swap(it.Register, data=8), {"TV.opcode.register", "TV.reported.gpr"}),
    "gpr number": ([insn(gpr=(5, 9))], swap(it.Register, address=0x1006), {"TV.opcode.register", "TV.reported.gpr"}),
    "gpr missing": ([insn(gpr=(5, 9))], drop(it.Register), {"TV.opcode.register", "TV.reported.gpr"}),
    "gpr more": ([insn(gpr=(5, 9))], put(it.Register(0x1006, 1)), {"TV.group.end", "TV.reported.gpr"}),
    "fflags more": ([insn(gpr=(5, 9))], put(it.Register(t.FFLAGS, 1)), {"TV.group.end", "TV.reported.fcsr"}),
    "fpr": ([insn(fpr=(5, 9))], swap(it.Register, data=8), {"TV.opcode.register", "TV.reported.fpr"}),
    "csr": ([insn(csr=((0x340, 9),))], swap(it.Register, data=8), {"TV.opcode.register", "TV.reported.csr"}),
    "fcsr": ([insn(fcsr=9)], swap(it.Register, data=8), {"TV.opcode.register", "TV.reported.fcsr"}),
    "mcycle": ([insn(mcycle=9)], swap(it.Register, data=8), {"TV.opcode.register", "TV.reported.mcycle"}),
    "minstret": ([insn(minstret=9)], swap(it.Register, data=8), {"TV.opcode.register", "TV.reported.minstret"}),
    "pc": ([insn(9)], swap(it.State, data=PC), {"TV.id.pc", "TV.reported.pc"}),
    "pc in full": ([insn()], instead(it.IncrementPc, it.State(t.PC, PC + 4)), {"TV.pc.increment"}),
    "ppc": ([insn(ppc=9)], swap(it.State, data=8), {"TV.id.ppc", "TV.reported.ppc"}),
    "priv": ([insn(priv=1)], swap(it.State, data=0), {"TV.id.priv", "TV.reported.priv"}),
    "paddr": ([insn(paddr=9)], swap(it.State, data=8), {"TV.id.paddr", "TV.reported.paddr"}),
    "eaddr": ([insn(eaddr=9)], swap(it.State, id=t.PADDR), {"TV.id.eaddr", "TV.reported.eaddr"}),
    "memdata": ([insn(memdata=(2, 9))], swap(it.State, data=8), {"TV.id.memdata32", "TV.reported.memdata"}),
    "memdata narrower": (
        [insn(memdata=(2, 9))],
        swap(it.State, id=t.MEMDATA + 1),
        {"TV.id.memdata32", "TV.reported.memdata"},
    ),
    "mtime": ([TraceData(group=False, mtime=9)], swap(it.State, data=8), {"TV.id.mtime", "TV.reported.mtime"}),
    "insn": ([insn()], swap(it.Instruction, bits=0x113), {"TV.opcode.insn32", "TV.reported.insn"}),
    "insn missing": ([insn(9)], drop(it.Instruction), {"TV.opcode.insn32", "TV.reported.insn"}),
    "request": ([STORE, insn(2)], swap(it.Request, address=8), {"TV.opcode.request", "TV.reported.request"}),
    "request data": ([STORE, insn(2)], swap(it.Request, data=8), {"TV.request.data", "TV.reported.request"}),
    "request operation": ([LOAD, insn()], swap(it.Request, op=t.LR), {"TV-1", "TV.reported.request"}),
    "response": ([LOAD, insn()], swap(it.Response, data=8), {"TV.response.data", "TV.reported.response"}),
    "response missing": ([LOAD, insn()], drop(it.Response), {"TV.opcode.response", "TV.reported.response"}),
    "result": ([STORE, insn(2)], swap(it.Response, result=1), {"TV-1", "TV.reported.response"}),
    "init": ([TraceData(init=True, gpr=(1, 1))], drop(it.Init), {"TV.opcode.init", "TV.reported.init"}),
    "reset": ([TraceData(reset=True, pc=PC)], drop(it.Reset), {"TV.opcode.reset", "TV.reported.reset"}),
    "order of parts": (
        [insn(paddr=8, eaddr=9)],
        lambda items: [*items[:3], items[4], items[3], *items[5:]],
        {"TV.order.parts"},
    ),
    "x0": ([insn(gpr=(0, 5), csr=((0x340, 1),))], put(it.Register(0x1000, 5), 3), {"TV.row.x0", "TV.legal.x0"}),
    "group twice": ([insn(gpr=(5, 9)), insn(2)], lambda items: items * 2, {"TV.order.lost", "TV.reported.group"}),
    "outside twice": (
        [TraceData(group=False, mtime=9), insn()],
        lambda items: items * 2,
        {"TV.order.lost", "TV.reported.outside"},
    ),
    "form of a slot": (
        [insn(fcsr=1), insn(2, csr=((t.FCSR, 3),))],
        instead(it.Register, it.OrRegister(t.FCSR, 2)),
        {"TV.form.slot"},
    ),
    "form of f": (
        [insn(fpr=(1, 1)), insn(2, fpr=(1, 3))],
        instead(it.Register, it.OrRegister(0x1021, 2)),
        {"TV.form.fpr"},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_one_wrong_item(name: str) -> None:
    rows, edit, clauses = CASES[name]
    capture = edited(rows, 2 if name.startswith("form") else 1, edit)
    verdict = check(capture)
    assert set(verdict.book.failed) == clauses, "\n".join(f.text() for f in verdict.failures)
    free = {
        clause
        for clause in clauses
        if name != "outside twice" and clause.startswith(("TV.reported", "TV.legal", "TV.insn"))
    }
    assert set(broken(check(capture, Tolerances.free()))) == free


ORDER, LOST = {"TV.order.rows", "TV.reported.order"}, {"TV.order.lost", "TV.reported.group"}


def test_rows_in_the_wrong_order() -> None:
    rows = [insn(n, gpr=(n, n), priv=3) for n in range(1, 6)]
    capture = edited(rows, 2, lambda items: items)
    groups = [capture.data[a:b] for a, b in edges_of(capture)]
    wrong = captured(there(capture.rows), capture.config, b"".join([*groups[:2], groups[3], groups[2], *groups[4:]]))
    assert set(check(wrong).book.failed) == ORDER
    lost = captured(there(capture.rows), capture.config, b"".join([*groups[:2], *groups[3:]]))
    assert set(check(lost).book.failed) == LOST


def test_a_failure_says_where_and_what() -> None:
    text = check(edited([insn(gpr=(5, 9))], 1, swap(it.Register, data=8))).failures[0].text()
    for part in (
        "TV.opcode.register",
        "row 1",
        "cycle     1",
        "full register x5 data=0x8 in place of full register x5 data=0x9",
        "row 0: group reset pc=0x80000000",
        "x5=0x9",
    ):
        assert part in text, text
