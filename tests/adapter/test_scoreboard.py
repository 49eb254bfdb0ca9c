# SPDX-License-Identifier: Apache-2.0
"""The check of the adapters on a run written by hand: what was at the hart port and at the ingress port is written down
from the program, not computed by the models; each thing that may be wrong in it is the failure of its clauses, and of
no other.
"""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest

from rvtrace.models.adapter.config import Config
from rvtrace.models.adapter.hart import hart_rows
from rvtrace.models.adapter.run import Run
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Effects, IType, Kind, Priv, Retired
from rvtrace.models.tandem.table import HAS
from rvtrace.models.tandem.trace_data import FLUSH, Rows, TraceData
from rvtrace.scoreboards.adapter.capture import AdapterCapture, Blocks, Fault, HartSeen, Status
from rvtrace.scoreboards.adapter.check import ERRORS, check

CONFIG = Config(channels=2, flen=64, blocks=2, iretire_width=3)  # a block has 7 half-words at most
MAIN, HANDLER = 0x1000, 0x2000
ADDI, C_ADDI, SW, FLW, LW = 0x00150513, 0x0505, 0x00A52023, 0x00052087, 0x00052583
BEQ, NOP, CSRW, MRET = 0x00000463, 0x00000013, 0x34051073, 0x30200073
EXC, INT, XRET, TAKEN = IType.EXCEPTION, IType.INTERRUPT, IType.XRET, IType.TAKEN
U, M = Priv.U, Priv.M

# What the core did: kind, pc, size, itype, cause, tval, priv, context. The load page-faults; mret goes to another
# context; the hart is in Debug Mode after the nop at 0x1020.
ELEMENTS = (
    (Kind.INSN, 0x1000, 4, 0, 0, 0, U, 5),
    (Kind.INSN, 0x1004, 2, 0, 0, 0, U, 5),
    (Kind.INSN, 0x1006, 4, 0, 0, 0, U, 5),
    (Kind.INSN, 0x100A, 4, 0, 0, 0, U, 5),
    (Kind.INSN, 0x100E, 2, 0, 0, 0, U, 5),
    (Kind.EXCEPTION, 0x1010, 0, 0, 13, 0xBAD0, U, 5),
    (Kind.INSN, HANDLER, 4, 0, 0, 0, M, 5),
    (Kind.INSN, 0x2004, 4, XRET, 0, 0, M, 5),
    (Kind.INSN, 0x1014, 4, TAKEN, 0, 0, U, 6),
    (Kind.INSN, 0x101C, 4, 0, 0, 0, U, 6),
    (Kind.INTERRUPT, 0x1020, 0, 0, 7, 0x99, U, 6),
    (Kind.INSN, HANDLER, 4, 0, 0, 0, M, 6),
    (Kind.INSN, 0x2004, 4, XRET, 0, 0, M, 6),
    (Kind.INSN, 0x1020, 4, 0, 0, 0, U, 6),
    (Kind.INSN, 0x1024, 4, 0, 0, 0, U, 6),
)  # fmt: skip
MEPC, MCAUSE, MSTATUS, MTVAL, MSCRATCH = 0x341, 0x342, 0x300, 0x343, 0x340
# The rows of the hart port, one for each element; pc is that of what comes next.
ROWS = (
    TraceData(0x1004, (4, ADDI), gpr=(10, 0x11)),
    TraceData(0x1006, (2, C_ADDI), gpr=(10, 0x12)),
    TraceData(0x100A, (4, SW), paddr=0x8000, memdata=(2, 0x55)),
    TraceData(0x100E, (4, FLW), paddr=0x9004, fpr=(1, 0x66), fcsr=0x21),
    TraceData(0x1010, (2, C_ADDI), gpr=(10, 0x13)),
    TraceData(HANDLER, (4, LW), csr=((MEPC, 0x1010), (MCAUSE, 13), (MSTATUS, 0x80), (MTVAL, 0xBAD0)), priv=3),
    TraceData(0x2004, (4, CSRW), csr=((MSCRATCH, 0x77),)),
    TraceData(0x1014, (4, MRET), csr=((MSTATUS, 0x88),), priv=0),
    TraceData(0x101C, (4, BEQ)),
    TraceData(0x1020, (4, NOP)),
    TraceData(HANDLER, csr=((MEPC, 0x1020), (MCAUSE, 1 << 63 | 7), (MSTATUS, 0x80), (MTVAL, 0x99)), priv=3),
    TraceData(0x2004, (4, CSRW), csr=((MSCRATCH, 0x78),)),
    TraceData(0x1020, (4, MRET), csr=((MSTATUS, 0x88),), priv=0),
    TraceData(0x1024, (4, NOP)),
    TraceData(0x1028, (4, NOP)),
)
RESET = TraceData(0x1000, priv=0, reset=True)
# itype and the mode after each element; that after Debug Mode is the one before.
ITYPES = (0, 0, 0, 0, 0, EXC, 0, XRET, TAKEN, 0, INT, 0, XRET, 0, 0)
AFTER = (U, U, U, U, U, M, M, U, U, U, M, M, U, U, U)
# Cycles of the hart port: number, halted, the rows (-1 reset, 15 flush).
CYCLES = (
    (2, 0, (-1,)), (3, 0, (0, 1)), (4, 0, (2, 3)), (5, 0, (4, 5)), (8, 0, (6, 7)), (9, 0, (8, 9)), (10, 0, (10,)),
    (11, 0, (11, 12)), (12, 0, (13,)), (14, 1, ()), (20, 0, (14,)), (21, 0, (15,)),
)  # fmt: skip
# Cycles of the ingress port: number, halted, ctype, and the blocks: itype, iaddr, iretire, ilastsize, cause, tval,
# priv, context.
BLOCKS = (
    (6, 0, 0, ((0, 0x1000, 7, 1, 0, 0, U, 5), (EXC, 0x100E, 1, 0, 13, 0xBAD0, U, 5))),
    (9, 0, 0, ((XRET, HANDLER, 4, 1, 0, 0, M, 5),)),
    (11, 0, 2, ((TAKEN, 0x1014, 2, 1, 0, 0, U, 6), (INT, 0x101C, 2, 1, 7, 0x99, U, 6))),
    (12, 0, 0, ((XRET, HANDLER, 4, 1, 0, 0, M, 6),)),
    (13, 0, 0, ((0, 0x1020, 2, 1, 0, 0, U, 6),)),
    (15, 1, 0, ()),
    (22, 0, 0, ((0, 0x1024, 2, 1, 0, 0, U, 6),)),
)
LANE = ("itype", "iaddr", "iretire", "ilastsize", "cause", "tval", "priv", "context")


def core() -> Run:
    """What the core did, with its effects."""
    main = b"".join(
        word.to_bytes(size, "little")
        for word, size in (
            (ADDI, 4), (C_ADDI, 2), (SW, 4), (FLW, 4), (C_ADDI, 2), (LW, 4), (BEQ, 4), (NOP, 4), (NOP, 4), (NOP, 4),
            (NOP, 4), (NOP, 4),
        )
    )  # fmt: skip
    handler = CSRW.to_bytes(4, "little") + MRET.to_bytes(4, "little")
    names = ("kind", "pc", "size", "itype", "cause", "tval", "priv", "context")
    columns = {name: np.array(column, np.uint64) for name, column in zip(names, zip(*ELEMENTS))}
    retired = Retired.from_columns(**columns, taken=np.where(columns["itype"] == TAKEN, 1, -1))
    n = len(ELEMENTS)
    effects = {name: np.zeros(n, np.uint64) for name in ("rd", "rd_value", "addr", "size", "store", "value")}
    for k, rd, value in ((0, 10, 0x11), (1, 10, 0x12), (4, 10, 0x13)):
        effects["rd"][k], effects["rd_value"][k] = rd, value
    for k, address, store, value in ((2, 0x8000, 1, 0x55), (3, 0x9004, 0, 0x66)):
        effects["addr"][k], effects["size"][k], effects["store"][k], effects["value"][k] = address, 4, store, value
    csrs = [(k, address, value) for k, row in enumerate(ROWS) for address, value in row.csr]
    number, address, value = zip(*csrs)
    retired.effects = Effects(
        effects["rd"], effects["rd_value"], effects["addr"], effects["size"], effects["store"], effects["value"],
        np.array(number, np.int64), np.array(address, np.uint16), np.array(value, np.uint64),
    )  # fmt: skip
    program = Program(64, [(MAIN, main), (HANDLER, handler)])
    return Run(program, retired, debug={13: 2}, fpr={3: (1, 0x66)}, fcsr={3: 0x21})


def hart(cycles: tuple[tuple[int, int, tuple[int, ...]], ...] = CYCLES, width: int = 2) -> HartSeen:
    """What was taken at the hart port."""
    every = [*ROWS, FLUSH, RESET]
    taken = [(beat, slot, k) for beat, (_, _, rows) in enumerate(cycles) for slot, k in enumerate(rows)]
    rows = Rows.from_rows([every[k] for _, _, k in taken])
    beat = np.array([one[0] for one in taken])
    cycle = np.array([one[0] for one in cycles], np.uint64)
    rows.cycle = cycle[beat]
    reported = {name: np.zeros(len(taken), np.uint64) for name in
            ("reported", "pc", "tval", "context", "cause", "itype", "mode", "mode_next", "misp")}  # fmt: skip
    for at, (_, _, k) in enumerate(taken):
        if 0 <= k < len(ELEMENTS):
            _, pc, _, _, cause, tval, mode, context = ELEMENTS[k]
            values = {"reported": 1, "pc": pc, "tval": tval, "context": context, "cause": cause, "itype": ITYPES[k],
                      "mode": mode, "mode_next": AFTER[k]}  # fmt: skip
            for name, value in values.items():
                reported[name][at] = value
    valid = np.array([[slot < len(one[2]) for slot in range(width)] for one in cycles])
    slot = np.array([one[1] for one in taken])
    return HartSeen(rows, reported, slot, valid, cycle, np.array([one[1] for one in cycles], bool), beat)


Cycle = tuple[int, int, int, tuple[tuple[int, ...], ...]]


def blocks(cycles: tuple[Cycle, ...] = BLOCKS, width: int = 2) -> Blocks:
    """What was taken at the ingress port."""
    lanes = {name: np.zeros((len(cycles), width), np.uint64) for name in (*LANE, "once_cause", "once_tval")}
    for beat, (_, _, _, found) in enumerate(cycles):
        for lane, block in enumerate(found):
            for name, value in zip(LANE, block):
                lanes[name][beat, lane] = value
        for name in ("cause", "tval"):
            lanes[f"once_{name}"][beat, : len(found)] = sum(block[LANE.index(name)] for block in found)
    column = [np.array([one[at] for one in cycles]) for at in range(3)]
    return Blocks(column[0].astype(np.uint64), column[1].astype(bool), column[2], lanes)


def good(**more: object) -> AdapterCapture:
    """A run in which everything is as it has to be."""
    status = [Status(0, 0, 0, set()), Status(12, 0, 0, {"stall"}), Status(30, 0, 0, {"ended"})]
    given = {"config": CONFIG, "run": core(), "hart": hart(), "blocks": blocks(), "status": status, "rerun": "again"}
    return AdapterCapture(**given | more)  # type: ignore[arg-type]


@pytest.fixture
def capture() -> AdapterCapture:
    """Such a run, to change."""
    return good()


def failed(capture: AdapterCapture) -> set[str]:
    return {failure.clause for failure in check(capture).failures}


def named(clauses: str) -> set[str]:
    return set(clauses.split())


def test_a_run_that_is_right() -> None:
    verdict = check(good())
    assert verdict.passed, verdict.failures[0].text()
    assert verdict.stats["instructions"] == 13 and verdict.stats["traps"] == 2 and verdict.stats["blocks"] == 8
    counts = {clause: checked for clause, (checked, _) in verdict.book.results().items()}
    n, traps = 15, 2
    wanted = {
        "AD.flush": 2, "AD.hold": 1, "ING.hold": 1, "AD.stall": 1, "AD.quiet": 1, "AD.reset": 2, "AD.rows": n + 2,
        "AD.mode": 2 * n, "AD.context": n, "AD.itype": n, "AD.trap": 2 * traps, "AD.next_pc": 3 * n,
        # a row has the part, and where it has, its columns
        "AD.gpr": n + 2 * 3, "AD.fpr": 2 * n + 2 + 1, "AD.memory": 2 * n + 2 + 2 * 1, "AD.priv": n + 4,
        "AD.insn": n + 2 * 14, "AD.csr": 4 * (n - traps) + 2 * 4, "AD.trap_csrs": 4 * 2 + 2 * 8,
        "AD.empty": 2 * (n - traps) + 10 * n + n, "AD.slots": len(CYCLES) + 6,  # cycles, and pairs of rows in one
         "AD.debug": 2,
        "ING.cycle": 4 * 6, "ING.once": 2 * 6, "ING.ctype": 6, "ING.halted": 2, "ING.instructions": 8, "ING.itype": 8,
        "ING.size": 8, "ING.mode": 8, "ING.trap": 8, "ING.end": 1, "ING.program": 1 + 7 * n,
        "ING.longest": 2,  # blocks without an itype that have a row after them
    }  # fmt: skip
    assert counts == wanted


def test_the_model_of_the_hart_port_has_the_same_rows() -> None:
    rows, reported = hart_rows(core(), CONFIG)
    assert list(rows) == list(ROWS)
    assert reported["itype"].tolist() == list(ITYPES) and reported["mode_next"].tolist() == list(AFTER)
    for number, name in enumerate(("pc", "cause", "tval", "mode", "context")):
        assert reported[name].tolist() == [element[(1, 4, 5, 6, 7)[number]] for element in ELEMENTS], name


# --- The hart port ----------------------------------------------------------------------------------------------------

# Places of rows of elements: reset is before them.
STORE, LOAD, EXCEPTION, CSR, INTERRUPT = 3, 4, 6, 7, 11


@pytest.mark.parametrize(
    ("clauses", "column", "at", "value"),
    [
        ("AD.next_pc", "pc", 1, 0x1008), ("AD.next_pc", "pc", 15, 0x1000), ("AD.insn", "insn", 1, NOP),
        ("AD.insn", "insn", EXCEPTION, NOP), ("AD.gpr", "gpr_addr", 1, 11), ("AD.gpr", "gpr", 5, 0),
        ("AD.fpr", "fpr_addr", LOAD, 2), ("AD.fpr", "fpr", LOAD, 0x67), ("AD.fpr", "fcsr", LOAD, 0x20),
        ("AD.memory", "paddr", STORE, 0x8004), ("AD.memory", "paddr", LOAD, 0x9000),
        ("AD.memory", "memdata_size", STORE, 3), ("AD.memory", "memdata", STORE, 0x54),
        ("AD.priv", "priv", EXCEPTION, 1), ("AD.priv", "priv", 8, 3),
        ("AD.reset", "pc", 0, 0x1004), ("AD.reset", "priv", 0, 3),
    ],
)  # fmt: skip
def test_a_column_of_a_row(capture: AdapterCapture, clauses: str, column: str, at: int, value: int) -> None:
    getattr(capture.hart.rows, column)[at] = value
    assert failed(capture) == named(clauses)


@pytest.mark.parametrize(
    ("clauses", "at", "slot"), [("AD.csr", CSR, 0), ("AD.csr", 8, 0), *(("AD.trap_csrs", 11, s) for s in range(4))]
)
def test_a_csr_of_a_row(clauses: str, at: int, slot: int) -> None:
    for name in ("csr_addr", "csr"):
        capture = good()
        getattr(capture.hart.rows, name)[at, slot] ^= 1
        assert failed(capture) == named(clauses)


@pytest.mark.parametrize(
    ("clause", "part", "at"),
    [
        ("AD.next_pc", "group", 1), ("AD.next_pc", "pc", 5), ("AD.insn", "insn", INTERRUPT), ("AD.insn", "insn", 1),
        ("AD.gpr", "gpr", 1), ("AD.gpr", "gpr", 7), ("AD.fpr", "fpr", LOAD), ("AD.fpr", "fcsr", 1),
        ("AD.memory", "paddr", 9), ("AD.memory", "memdata", LOAD), ("AD.memory", "memdata", STORE),
        ("AD.priv", "priv", 1), ("AD.priv", "priv", 8), ("AD.csr", "csr0", CSR), ("AD.csr", "csr1", CSR),
        ("AD.csr", "csr3", 1), ("AD.trap_csrs", "csr0", EXCEPTION), ("AD.trap_csrs", "csr3", INTERRUPT),
        *(("AD.empty", part, at) for part in ("init", "ppc", "eaddr", "mtime", "mcycle", "minstret", "request",
                                              "response") for at in (1, EXCEPTION)),
    ],
)  # fmt: skip
def test_a_part_too_many_or_too_few(capture: AdapterCapture, clause: str, part: str, at: int) -> None:
    capture.hart.rows.has[at] ^= np.uint32(HAS[part])
    assert failed(capture) == {clause}


def test_the_columns_of_a_part_that_is_missing_say_nothing(capture: AdapterCapture) -> None:
    capture.hart.rows.has[1] ^= np.uint32(HAS["gpr"])
    capture.hart.rows.gpr[1] = capture.hart.rows.gpr_addr[1] = 0
    assert check(capture).book.results()["AD.gpr"] == [15 + 2 * 2, 1]


@pytest.mark.parametrize(
    ("clauses", "name", "at", "value"),
    [
        ("AD.mode", "mode_next", 1, M), ("AD.mode", "mode_next", 15, M), ("AD.mode", "mode_next", 14, M),
        ("AD.mode ING.mode AD.slots", "mode", 1, M), ("AD.context ING.mode AD.slots", "context", 1, 6),
        ("AD.itype ING.itype", "itype", 1, TAKEN), ("AD.itype ING.itype", "itype", 9, 4),
        ("AD.trap ING.trap", "cause", EXCEPTION, 12), ("AD.trap ING.trap", "tval", EXCEPTION, 0),
        ("AD.trap ING.trap", "cause", INTERRUPT, 8), ("AD.trap ING.trap", "tval", INTERRUPT, 1),
        ("AD.empty", "cause", 1, 1), ("AD.empty", "tval", 15, 1), ("AD.empty", "misp", 1, 1),
        ("AD.empty", "misp", EXCEPTION, 1),
    ],
)  # fmt: skip
def test_a_column_beside_the_row(capture: AdapterCapture, clauses: str, name: str, at: int, value: int) -> None:
    capture.hart.reported[name][at] = value
    assert failed(capture) == named(clauses)


def test_nothing_is_compared_after_the_order_of_rows_breaks(capture: AdapterCapture) -> None:
    """Element 3 has another pc; what is wrong in the rows after it is not reported, what is wrong before it is."""
    capture.hart.reported["pc"][4] = 0x1234
    assert failed(capture) == named("AD.rows ING.instructions")
    capture.hart.rows.gpr[5] = 0
    capture.hart.reported["mode_next"][4] = M
    assert failed(capture) == named("AD.rows ING.instructions")
    capture.hart.reported["mode_next"][3] = M
    assert failed(capture) == named("AD.rows AD.mode ING.instructions")
    (failure,) = (one for one in check(capture).failures if one.clause == "AD.rows")
    assert (failure.headline, failure.cycle, failure.pc) == ("row 3 is not what the core did", 4, 0x100A)
    assert failure.table == [("kind", "INSN", "INSN"), ("pc", "0x100a", "0x1234")]
    assert check(capture).book.results()["AD.rows"] == [16, 1]


def test_a_trap_in_place_of_an_instruction_is_another_row(capture: AdapterCapture) -> None:
    capture.hart.reported["itype"][EXCEPTION] = INT
    assert "AD.rows" in failed(capture)
    (failure,) = (one for one in check(capture).failures if one.clause == "AD.rows")
    assert failure.table[0] == ("kind", "EXCEPTION", "INTERRUPT")


def test_a_failure_of_a_column_says_where(capture: AdapterCapture) -> None:
    capture.hart.rows.gpr[2] = 0x99
    (failure,) = check(capture).failures
    assert (failure.clause, failure.headline) == ("AD.gpr", "row 1: gpr is not as expected")
    assert (failure.cycle, failure.pc, failure.table) == (3, 0x1004, [("gpr", "0x12", "0x99")])
    assert "0x1004" in failure.place and failure.rerun == "again"


@pytest.mark.parametrize(
    ("cycles", "clauses"),
    [
        # the last row is missing; a row in place of flush; no reset; reset twice; flush before the last row
        ((*CYCLES[:-2], CYCLES[-1]), "AD.rows ING.instructions"),
        (CYCLES[:-1], "AD.flush"),
        (CYCLES[1:], "AD.reset"),
        ((CYCLES[0], *CYCLES), "AD.reset"),
        ((*CYCLES[:-2], (20, 0, (15,)), (21, 0, (14,))), "AD.flush"),
    ],
)
def test_reset_is_first_and_flush_last(cycles: tuple[tuple[int, int, tuple[int, ...]], ...], clauses: str) -> None:
    found = failed(good(hart=hart(cycles)))
    assert named(clauses) <= found and found - named(clauses) <= {"ING.instructions", "ING.end", "ING.halted"}


def test_reset_has_no_other_part() -> None:
    for part in ("gpr", "insn", "group", "pc", "priv"):
        capture = good()
        capture.hart.rows.has[0] ^= np.uint32(HAS[part])
        assert [(one.clause, one.cycle) for one in check(capture).failures] == [("AD.reset", 0)]
    capture = good()
    capture.run.retired.priv[0] = Priv.VU  # of which a row has two bits
    assert "AD.reset" not in failed(capture)


def test_a_row_that_is_nothing(capture: AdapterCapture) -> None:
    seen = hart((*CYCLES[:-1], (21, 0, (0,)), (22, 0, (15,))))
    seen.reported["reported"][16] = 0
    capture.hart = seen
    assert failed(capture) == {"AD.rows"}
    twice = good(hart=hart((*CYCLES[:-1], (21, 0, (14,)), (22, 0, (15,)))))
    assert failed(twice) == named("AD.rows ING.end")


@pytest.mark.parametrize(
    ("cycles", "ok"),
    [
        (((2, 0, (-1,)), (3, 0, (0,)), (4, 0, (1,)), (5, 0, (2, 3)), *CYCLES[3:]), True),
        ((*CYCLES[:3], (5, 0, (4,)), (6, 0, (5, 6)), (7, 0, (7,)), *CYCLES[5:]), False),  # a trap is not the last
        ((*CYCLES[:4], (8, 0, (6,)), (9, 0, (7, 8)), (10, 0, (9,)), *CYCLES[6:]), False),  # of two modes
        ((*CYCLES[:5], (9, 0, (8,)), (10, 0, (9, 10)), *CYCLES[7:]), True),  # a trap that is the last
    ],
)
def test_which_rows_may_share_a_cycle(cycles: tuple[tuple[int, int, tuple[int, ...]], ...], ok: bool) -> None:
    assert failed(good(hart=hart(cycles))) == (set() if ok else {"AD.slots"})


def test_rows_of_two_contexts_in_a_cycle(capture: AdapterCapture) -> None:
    seen = hart()
    seen.reported["context"][2] = 6
    capture.hart = seen
    (failure,) = (one for one in check(capture).failures if one.clause == "AD.slots")
    assert failure.cycle == 3


def test_slots_fill_from_0() -> None:
    seen = hart()
    seen.valid[8] = (False, True)
    (failure,) = check(good(hart=seen)).failures
    assert (failure.clause, failure.cycle, failure.headline) == (
        "AD.slots", 12, "an empty slot is before a full one",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("debug", "cycles", "clauses"),
    [
        ({13: 1}, CYCLES, ""),
        ({11: 1}, CYCLES, "AD.debug"),  # after another element of the same mode
        ({}, CYCLES, "AD.debug"),  # halted, and no visit
        ({13: 1}, (*CYCLES[:9], *CYCLES[10:]), "AD.debug ING.halted ING.longest"),  # never halted
        ({}, (*CYCLES[:9], *CYCLES[10:]), "ING.halted ING.longest"),
        ({13: 1}, (*CYCLES[:10], (20, 1, (14,)), CYCLES[11]), "AD.debug"),  # a row while halted
        ({13: 1}, (*CYCLES[:10], (16, 0, ()), (17, 1, ()), *CYCLES[10:]), "AD.debug"),  # halted twice, the same visit
        ({13: 1}, ((1, 1, ()), *CYCLES), "AD.debug ING.halted"),  # halted from the start, and never again
    ],
)
def test_halted_at_the_hart_port(
    debug: dict[int, int], cycles: tuple[tuple[int, int, tuple[int, ...]], ...], clauses: str
) -> None:
    capture = good(hart=hart(cycles))
    capture.run.debug = debug
    assert failed(capture) == named(clauses)


# --- The ingress port -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("clauses", "beat", "lane", "name", "value"),
    [
        ("ING.instructions ING.program", 0, 0, "iaddr", 0x1002),
        ("ING.instructions ING.program", 6, 0, "iaddr", 0x1020),
        ("ING.itype", 1, 0, "itype", 0),
        ("ING.size", 1, 0, "ilastsize", 0),
        ("ING.size", 0, 1, "ilastsize", 1),
        ("ING.mode ING.program", 1, 0, "priv", 1),
        ("ING.mode ING.program ING.ctype", 4, 0, "context", 7),
        ("ING.trap ING.once ING.program", 0, 1, "cause", 12),
        ("ING.trap ING.once ING.program", 2, 1, "tval", 0x98),
        ("ING.trap", 0, 0, "cause", 13),
        ("ING.trap", 4, 0, "tval", 1),
        ("ING.once", 0, 0, "once_cause", 0),
        ("ING.once", 0, 1, "once_cause", 12),
        ("ING.once", 2, 0, "once_tval", 0),
        ("ING.once", 3, 0, "once_tval", 1),
        ("ING.cycle", 1, 1, "iaddr", 1),
        ("ING.cycle", 1, 1, "once_cause", 1),
        ("ING.cycle", 6, 1, "priv", 1),
    ],
)
def test_a_field_of_a_block(capture: AdapterCapture, clauses: str, beat: int, lane: int, name: str, value: int) -> None:
    capture.blocks.lanes[name][beat, lane] = value
    assert failed(capture) == named(clauses)


def split(*cycles: Cycle) -> tuple[Cycle, ...]:
    """The first two blocks in these cycles."""
    return (*cycles, *BLOCKS[1:])


TRAPPED = (EXC, 0x100E, 1, 0, 13, 0xBAD0, U, 5)


@pytest.mark.parametrize(
    ("cycles", "clauses"),
    [
        # blocks of a cycle in two cycles
        (split((6, 0, 0, ((0, 0x1000, 7, 1, 0, 0, U, 5),)), (7, 0, 0, (TRAPPED,))), ""),
        # 5 half-words, and 2 more have room: 7 are allowed
        (split((5, 0, 0, ((0, 0x1000, 5, 1, 0, 0, U, 5), (0, 0x100A, 2, 1, 0, 0, U, 5))), (6, 0, 0, (TRAPPED,))),
         "ING.longest"),
        # the trap in a block without instructions, which has room where it is
        (split((5, 0, 0, ((0, 0x1000, 7, 1, 0, 0, U, 5), (0, 0x100E, 1, 0, 0, 0, U, 5))),
               (6, 0, 0, ((EXC, 0x1010, 0, 0, 13, 0xBAD0, U, 5),))), "ING.longest"),
        # more half-words than iretire can have is a matter of its width; the sum is that of the instructions
        (split((6, 0, 0, ((0, 0x1000, 6, 1, 0, 0, U, 5), TRAPPED))), "ING.size ING.longest ING.program"),
        # a trap before the last block of a cycle
        ((*BLOCKS[:0], (6, 0, 0, ((0, 0x1000, 7, 1, 0, 0, U, 5),)),
          (7, 0, 0, (TRAPPED, (XRET, HANDLER, 4, 1, 0, 0, M, 5))), *BLOCKS[2:]), "ING.cycle"),
        # the last block is missing; one is there twice
        (BLOCKS[:-1], "ING.end ING.program"),
        ((*BLOCKS, (23, 0, 0, ((0, 0x1024, 2, 1, 0, 0, U, 6),))), "ING.instructions ING.program"),
        # the cycle in which the context changes
        ((*BLOCKS[:2], (11, 0, 0, BLOCKS[2][3]), *BLOCKS[3:]), "ING.ctype"),
        ((*BLOCKS[:2], (11, 0, 1, BLOCKS[2][3]), *BLOCKS[3:]), "ING.ctype"),
        (((6, 0, 2, BLOCKS[0][3]), *BLOCKS[1:]), "ING.ctype"),
        ((*BLOCKS[:3], (12, 0, 2, BLOCKS[3][3]), *BLOCKS[4:]), "ING.ctype"),
        # Debug Mode: never, before another block, twice, with a block
        ((*BLOCKS[:5], BLOCKS[6]), "ING.halted"),
        ((*BLOCKS[:4], BLOCKS[5], BLOCKS[4], BLOCKS[6]), "ING.halted"),
        ((*BLOCKS[:6], (16, 0, 0, ()), (17, 1, 0, ()), BLOCKS[6]), "ING.halted"),
        ((*BLOCKS[:6], (22, 1, 0, BLOCKS[6][3])), "ING.halted"),
        # one block over the visit to Debug Mode
        ((*BLOCKS[:4], (13, 0, 0, ((0, 0x1020, 4, 1, 0, 0, U, 6),)), BLOCKS[5]), "ING.halted"),
    ],
)  # fmt: skip
def test_blocks_and_cycles(cycles: tuple[Cycle, ...], clauses: str) -> None:
    assert failed(good(blocks=blocks(cycles))) == named(clauses)


def test_a_trap_that_the_hart_port_did_not_have(capture: AdapterCapture) -> None:
    """The block would be two rows, of which the second is no trap."""
    capture.blocks.lanes["itype"][4, 0] = EXC
    assert failed(capture) == named("ING.instructions ING.halted ING.program")


@pytest.mark.parametrize(("column", "value"), [("context", 7), ("mode", Priv.S)])
def test_a_block_may_end_where_mode_or_context_changes(column: str, value: int) -> None:
    """Between the last two instructions, which are in sequence; with no visit to Debug Mode there."""
    cycles = (*BLOCKS[:5], (22, 0, 2 * (column == "context"), BLOCKS[6][3]))
    capture = good(hart=hart((*CYCLES[:9], *CYCLES[10:])), blocks=blocks(cycles))
    capture.run.debug = {}
    assert failed(capture) == {"ING.longest"} | ({"ING.ctype"} if column == "context" else set())
    name = {"context": "context", "mode": "priv"}[column]
    getattr(capture.run.retired, name)[14] = value
    capture.hart.reported[column][15] = capture.blocks.lanes[name][5, 0] = value
    if column == "mode":
        capture.hart.reported["mode_next"][14:] = value
    assert failed(capture) == set()


def test_a_lane_that_is_empty_before_a_full_one(capture: AdapterCapture) -> None:
    for column in capture.blocks.lanes.values():
        column[1] = column[1, ::-1]
    (failure,) = check(capture).failures
    assert (failure.clause, failure.cycle, failure.table) == ("ING.cycle", 9, [("value", "[0]", "[1]")])


def test_blocks_of_two_modes_in_a_cycle() -> None:
    cycles = (*BLOCKS[:1], (11, 0, 0, (BLOCKS[1][3][0], BLOCKS[2][3][0])), (12, 0, 0, BLOCKS[2][3][1:]), *BLOCKS[3:])
    assert failed(good(blocks=blocks(cycles))) == {"ING.cycle", "ING.ctype"}


def test_a_failure_of_a_block_says_where(capture: AdapterCapture) -> None:
    capture.blocks.lanes["priv"][1, 0] = 1
    found = {failure.clause: failure for failure in check(capture).failures}
    assert found["ING.mode"].cycle == 9
    assert found["ING.mode"].table == [("value", f"[({M}, 5)]", f"({Priv.S}, 5)")]
    assert (found["ING.program"].pc, found["ING.program"].headline) == (HANDLER, "element 6 is not what the core did")
    assert found["ING.program"].table == [("priv", "0x3", "0x1")]


def test_the_program_is_not_read_where_the_hart_port_was_wrong(capture: AdapterCapture) -> None:
    """The blocks have what the hart port had, which is not what the core did: one failure, not two."""
    capture.hart.reported["tval"][EXCEPTION] = 0xBAD4
    capture.blocks.lanes["tval"][0, 1] = capture.blocks.lanes["once_tval"][0] = 0xBAD4
    assert failed(capture) == {"AD.trap"}


def test_blocks_that_the_program_does_not_have() -> None:
    """The last instruction of the first block has two of its four bytes."""
    cycles = split((6, 0, 0, ((0, 0x1000, 6, 1, 0, 0, U, 5), TRAPPED)))
    (failure,) = (one for one in check(good(blocks=blocks(cycles))).failures if one.clause == "ING.program")
    assert "0x1000" in failure.headline and "0x100a" in failure.headline


# --- Other cores ------------------------------------------------------------------------------------------------------


def test_without_a_trap_port_a_trap_has_no_csrs() -> None:
    """Cause and tval of traps are then of another clause, and CSRs of a trap are what no row may have."""
    capture = good(config=replace(CONFIG, trap_port=0))
    assert failed(capture) == set()
    capture.hart.reported["cause"][EXCEPTION] = 12
    capture.hart.rows.csr[EXCEPTION, 0] ^= np.uint64(1)
    capture.hart.rows.has[INTERRUPT] ^= np.uint32(HAS["csr3"])
    assert failed(capture) == named("AD.derived AD.empty ING.trap")


def test_without_f_registers_a_row_has_none() -> None:
    capture = good(config=replace(CONFIG, flen=0))
    assert failed(capture) == set()
    for part in ("fpr", "fcsr"):
        changed = deepcopy(capture)
        changed.hart.rows.has[1] ^= np.uint32(HAS[part])
        assert failed(changed) == {"AD.empty"}


# --- The run as a whole -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("clauses", "status"),
    [
        ("", [Status(1, 0, 0, {"ended"})]),
        ("AD.flush", []),
        ("AD.flush", [Status(1, 0, 0, set())]),
        ("AD.hold", [Status(1, 0, 0, {"hart_moved"}), Status(9, 0, 0, {"ended"})]),
        ("ING.hold", [Status(1, 0, 0, {"ingress_moved", "ended"})]),
        ("AD.quiet", [Status(1, 0, 0, set()), Status(5, 2, 0x10, {"ended"})]),
        ("AD.quiet", [Status(1, 0, 0, {"stall"}), Status(5, 6, 0x10, {"ended"})]),
        ("AD.stall", [Status(1, 0, 0, {"stall"}), Status(5, 7, 0x10, {"ended"})]),
        ("AD.stall", [Status(1, 0, 0, {"stall"}), Status(5, 8, 0x10, {"ended"})]),
        ("", [Status(1, 0, 0, set()), Status(5, 7, 0x10, {"ended"})]),  # it never had to stop, and was too fast
    ],
)
def test_errors_and_flags(clauses: str, status: list[Status]) -> None:
    assert failed(good(status=status)) == named(clauses)


def test_the_first_error_says_when() -> None:
    status = [Status(1, 0, 0, {"stall"}), Status(5, 3, 0x10, set()), Status(8, 3, 0x10, {"ended"})]
    (failure,) = check(good(status=status)).failures
    assert (failure.clause, failure.cycle, failure.table) == ("AD.quiet", 5, [("value", "0", "3")])
    (lost,) = check(good(status=[Status(1, 0, 0, {"stall"}), Status(6, 7, 0, {"ended"})])).failures
    assert (lost.cycle, lost.table) == (6, [("value", "no loss", "7")])


def steady(stall: bool) -> AdapterCapture:
    """Instructions of one mode, for which nobody waits; its rows are still those of the other run."""
    capture = deepcopy(good(status=[Status(4, 0, 0, {"stall"} if stall else set()), Status(30, 0, 0, {"ended"})]))
    retired = capture.run.retired
    retired.kind[:], retired.priv[:], retired.context[:] = Kind.INSN, M, 5
    capture.run.debug, capture.waits = {}, False
    return capture


def test_with_nobody_waiting_the_core_never_has_to_stop() -> None:
    assert list(check(steady(stall=False)).book.results()["AD.rate"]) == [1, 0]
    (failure,) = [one for one in check(steady(stall=True)).failures if one.clause == "AD.rate"]
    assert (failure.cycle, failure.table) == (4, [("value", "no stall", "stall")])


def test_the_rate_is_not_judged_where_a_stop_is_allowed() -> None:
    waits, trap, mode, context, debug = (steady(stall=True) for _ in range(5))
    waits.waits = True
    trap.run.retired.kind[3] = Kind.EXCEPTION
    mode.run.retired.priv[3] = U
    context.run.retired.context[3] = 6
    debug.run.debug = {3: 1}
    lanes = replace(steady(stall=True), config=replace(CONFIG, blocks=1))
    for capture in (waits, trap, mode, context, debug, lanes):
        assert "AD.rate" not in check(capture).book.results()


def test_a_problem_of_the_run_is_a_failure() -> None:
    verdict = check(good(problems=["the run did not end"]))
    assert [(one.clause, one.headline) for one in verdict.failures] == [("AD.flush", "the run did not end")]


END = Status(30, 0, 0, {"ended"})
Errors = list[Status]


@pytest.mark.parametrize("code", ERRORS)
@pytest.mark.parametrize(
    ("made", "passes"),
    [
        (lambda code: [Status(1, 0, 0, set()), Status(5, code, 0x10, set()), Status(30, code, 0x10, {"ended"})], True),
        (lambda code: [END], False),  # no error at all
        (lambda code: [Status(5, code % 8 + 1, 0x10, {"ended"})], False),  # another one
        (lambda code: [Status(5, code, 0x14, {"ended"})], False),  # at another pc
        (lambda code: [Status(5, code, 0x10, set()), Status(30, code, 0x14, {"ended"})], False),  # it changes
        (lambda code: [Status(5, code, 0x10, set()), END], False),  # it goes away
    ],
)
def test_an_error_of_a_core_that_breaks_a_rule(code: int, made: Callable[[int], Errors], passes: bool) -> None:
    """Of such a core nothing else is checked."""
    capture = good(status=made(code), fault=Fault(code, 0x10))
    capture.hart.reported["pc"][3] = 0x7777
    assert failed(capture) == (set() if passes else {ERRORS[code]})
    checked = check(capture).book.results()
    assert set(checked) == {"AD.flush", "AD.hold", ERRORS[code]}
    if passes:
        assert checked[ERRORS[code]] == [3, 0]


def test_the_pc_of_an_error_may_be_any() -> None:
    capture = good(status=[Status(5, 7, 0x14, {"ended"})], fault=Fault(7))
    assert failed(capture) == set() and check(capture).book.results()["AD.error_overflow"] == [2, 0]
    wrong = check(good(status=[Status(5, 1, 0x14, {"ended"})], fault=Fault(1, 0x10))).failures
    assert [(one.cycle, one.table) for one in wrong] == [(5, [("value", "0x10", "0x14")])]
