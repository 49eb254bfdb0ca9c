# SPDX-License-Identifier: Apache-2.0
"""Every value of RVFI and of the trap port is what the run has, read back from what the core shows, and the values that
mean nothing are anything.
"""

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from rvtrace.models.adapter.config import Config
from rvtrace.models.adapter.hart import hart_rows
from rvtrace.models.adapter.memory import access_of
from rvtrace.models.adapter.run import FETCH_FAULTS, Run, _address, made, walked
from rvtrace.models.adapter.rvfi import Core, Row, to_rvfi
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import IType, Kind, Priv, Retired
from rvtrace.models.tandem.table import HAS

CONFIGS = (
    Config(flen=64), Config(xlen=32, mask_by_insn=1), Config(trap_port=0), Config(xlen=32, flen=32, channels=2),
    Config(mask_by_insn=1, trap_port=0),
)  # fmt: skip
SIZE = 1200


def made_of(number: int, size: int = SIZE) -> tuple[Run, Config, Core]:
    config = CONFIGS[number]
    rng = Random(f"{number}:core")
    run = walked(config, rng, size, trap=0.1, trap_at_target=0.2)
    return run, config, to_rvfi(run, config, rng)


Made = tuple[Run, Config, Core]


@pytest.fixture(params=range(len(CONFIGS)))
def walk(request: pytest.FixtureRequest) -> Made:
    return made_of(request.param)


def breakpoints(core: Core) -> list[int]:
    """Rows of an ebreak that enters Debug Mode."""
    return [at for at, (row, then) in enumerate(zip(core.rows, core.rows[1:])) if then["debug"] and not row["debug"]
            and (row["insn"] == 0x0010_0073 or int(row["insn"]) & 0xFFFF == 0x9002)]  # type: ignore[arg-type]  # fmt: skip


def shown(run: Run, core: Core) -> list[tuple[int, Row]]:
    """Each row that is not of Debug Mode, nor a breakpoint that leads there, with the number of its element."""
    with_row = [k for k in range(len(run.retired)) if run.retired.kind[k] == Kind.INSN
                or run.retired.kind[k] == Kind.EXCEPTION and k not in run.without_row]  # fmt: skip
    left = set(breakpoints(core))
    rows = [row for at, row in enumerate(core.rows) if not row["debug"] and at not in left]
    assert len(rows) == len(with_row)
    return list(zip(with_row, rows))


def accessed(row: Row, kind: str) -> dict[int, int]:
    """The bytes of an access by their addresses."""
    address, mask, data = (row[f"mem_{name}"] for name in ("addr", f"{kind}mask", f"{kind}data"))
    return {address + at: data >> 8 * at & 255 for at in range(8) if mask >> at & 1}  # type: ignore[operator]


def test_each_row_is_its_element(walk: Made) -> None:
    run, config, core = walk
    retired = run.retired
    mask = (1 << config.xlen) - 1
    high, faults = set(), 0
    for k, row in shown(run, core):
        pc, priv, trap = int(retired.pc[k]), int(retired.priv[k]), retired.kind[k] == Kind.EXCEPTION
        follows = int(retired.pc[k + 1]) if k + 1 < len(retired) else pc + int(retired.size[k]) & mask
        assert (row["pc_rdata"], row["pc_wdata"], row["trap"]) == (pc, follows, trap)
        assert (row["mode"], row["virt"], row["context"]) == (priv % 4, priv // 4, retired.context[k])
        assert row["ixl"] == config.xlen // 32 and row["halt"] == 0
        assert row["intr"] == (k > 0 and retired.kind[k - 1] != Kind.INSN)
        insn = run.program.insn(pc)
        if trap and retired.cause[k] in FETCH_FAULTS:
            faults += insn is None or row["insn"] != insn.raw
        elif insn is not None and insn.size == 4:
            assert row["insn"] == insn.raw
        elif insn is not None and insn.size == 2:
            assert row["insn"] & 0xFFFF == insn.raw  # type: ignore[operator]
            high.add(row["insn"] >> 16)  # type: ignore[operator]
    assert 0 in high and len(high) > 50
    assert config.trap_port or not faults
    orders = [int(row["order"]) for row in core.rows]  # type: ignore[arg-type]
    assert orders == list(range(orders[0], orders[0] + len(orders)))


def test_the_bytes_that_the_masks_select_are_those_of_the_access(walk: Made) -> None:
    run, config, core = walk
    effects, width = run.effects, config.xlen // 8
    whole, aligned, bare, above = (1 << width) - 1, set(), set(), 0
    for k, row in shown(run, core):
        assert 0 <= row["mem_addr"] < 1 << config.xlen  # type: ignore[operator]
        size, address = int(effects.mem_size[k]), int(effects.mem_addr[k])
        if run.retired.kind[k] != Kind.INSN:
            assert (row["mem_addr"], row["mem_rmask"], row["mem_wmask"]) == (run.addresses.get(k, 0), 0, 0)
            continue
        value = {address + at: int(effects.mem_value[k]) >> 8 * at & 255 for at in range(size)}
        store = bool(effects.mem_store[k])
        if size:
            assert accessed(row, "w" if store else "r") == value
            data = int(row["mem_wdata" if store else "mem_rdata"])  # type: ignore[arg-type]
            above |= data >> 8 * (address - int(row["mem_addr"]) + size)  # type: ignore[arg-type]
            aligned.add(((address - row["mem_addr"]) > 0, address % width > 0))  # type: ignore[operator]
            assert row["mem_addr"] == address or row["mem_addr"] % width == 0  # type: ignore[operator]
        insn = run.program.insn(int(run.retired.pc[k]))
        assert insn is not None
        access = access_of(insn.raw, insn.size, config.xlen)
        assert (k in run.amos) == (size > 0 and access.load and access.store)
        if store and k in run.amos:
            assert row["mem_rmask"] == row["mem_wmask"]
        if config.mask_by_insn:
            assert access.load or row["mem_rmask"] == whole
            if not access.store:
                bare.add(row["mem_wmask"])
        else:
            assert size and not store or k in run.amos or row["mem_rmask"] == 0
            assert size and store or row["mem_wmask"] == 0
    assert aligned == {(True, True), (False, True), (False, False)}
    assert above, "what the masks leave out is anything"
    assert bare == ({0, whole} if config.mask_by_insn else set())


def test_registers_of_each_row(walk: Made) -> None:
    run, config, core = walk
    csrs: dict[int, list[tuple[int, int]]] = {}
    for k, address, value in zip(*(column.tolist() for column in run.csr_columns())):
        csrs.setdefault(k, []).append((address, value))
    noise = 0
    for k, row in shown(run, core):
        insn = run.retired.kind[k] == Kind.INSN
        rd = (int(run.effects.rd[k]), int(run.effects.rd_value[k])) if insn else (0, 0)
        assert (row["rd_addr"], row["rd_wdata"]) == rd and (rd[0] or not rd[1])
        wanted = csrs.get(k, []) if insn else []
        assert row["csr_valid"] == 2 ** len(wanted) - 1
        assert list(zip(row["csr_addr"], row["csr_wdata"]))[: len(wanted)] == wanted  # type: ignore[arg-type]
        assert len(row["csr_addr"]) == len(row["csr_wdata"]) == 4  # type: ignore[arg-type]
        if config.flen:
            assert row["frd_valid"] == (k in run.fpr)
        else:
            noise += bool(row["frd_valid"])
        if k in run.fpr:
            assert (row["frd_addr"], row["frd_wdata"]) == run.fpr[k]
        assert row["fcsr_valid"] == ((k in run.fcsr) if config.flen else row["frd_valid"])
        assert k not in run.fcsr or row["fcsr"] == run.fcsr[k]
    n = int((run.retired.kind == Kind.INSN).sum())
    assert bool(noise) == (not config.flen) and noise < 0.15 * n
    for written in (run.fpr, run.fcsr):
        assert (0.06 * n < len(written) < 0.14 * n) if config.flen else not written
    assert all(value < 1 << config.flen for _, value in run.fpr.values())


def test_the_events_of_the_trap_port(walk: Made) -> None:
    run, config, core = walk
    retired = run.retired
    traps = np.flatnonzero(retired.kind != Kind.INSN).tolist()
    if not config.trap_port:
        assert not core.events and not core.after and not np.isin(run.effects.csr_row, traps).any()
        return
    rows = [k for k, row in shown(run, core)]
    stops = breakpoints(core)
    place = [at for at, row in enumerate(core.rows) if not row["debug"] and at not in stops]
    assert len(core.events) == len(core.after) == len(traps)
    modes = set()
    for k, event, after in zip(traps, core.events, core.after):
        interrupt = retired.kind[k] == Kind.INTERRUPT
        mode = int(retired.priv[k + 1])
        modes.add(mode)
        assert (event.interrupt, event.cause, event.tval) == (interrupt, retired.cause[k], retired.tval[k])
        assert (event.epc, event.from_, event.mode) == (retired.pc[k], retired.priv[k], mode)
        at = run.effects.csr_row == k
        base = {Priv.S: 0x140, Priv.VS: 0x240}.get(Priv(mode), 0x340)
        status = 0x200 if mode == Priv.VS else 0x300
        assert run.effects.csr_addr[at].tolist() == [base + 1, base + 2, status, base + 3]
        cause = int(retired.cause[k]) | int(interrupt) << config.xlen - 1
        assert run.effects.csr_value[at].tolist() == [retired.pc[k], cause, event.status, retired.tval[k]]
        before = [n for n, element in enumerate(rows) if element <= k]
        assert after == (place[before[-1]] + 1 if before else 0) + sum(
            count + (place[before[-1]] + 1 in stops)
            for element, count in run.debug.items()
            if before and element == rows[before[-1]]
        )
        assert event.own == (place[before[-1]] if not interrupt and k not in run.without_row else -1)
    assert modes >= {Priv.S, Priv.VS, Priv.M} or config.xlen == 32


def test_debug_mode(walk: Made) -> None:
    """After an instruction that the next one follows in the same mode; what is in it is from somewhere else."""
    run, config, core = walk
    retired = run.retired
    for k, count in run.debug.items():
        assert retired.kind[k] == retired.kind[k + 1] == Kind.INSN and retired.priv[k] == retired.priv[k + 1]
        assert retired.itype[k] != IType.XRET and 1 <= count <= 4
    assert len(run.debug) / len(retired) < 0.015
    visits: list[list[Row]] = []
    for before, row in zip(core.rows, core.rows[1:]):
        if row["debug"]:
            if not before["debug"]:
                visits.append([])
            visits[-1].append(row)
    assert [len(visit) for visit in visits] == [run.debug[k] for k in sorted(run.debug)]
    for visit in visits:
        for row, follows in zip(visit, [*visit[1:], None]):
            assert (row["mode"], row["insn"], row["pc_rdata"] % 4) == (3, 0x13, 0)  # type: ignore[operator]
            assert row["pc_wdata"] == (row["pc_rdata"] + 4) % (1 << config.xlen)  # type: ignore[operator]
            assert follows is None or follows["pc_rdata"] == row["pc_wdata"]


def test_a_breakpoint_is_in_the_place_of_the_next_instruction() -> None:
    seen = 0
    for number in range(len(CONFIGS)):
        run, _, core = made_of(number)
        stops = breakpoints(core)
        rows = shown(run, core)
        following = dict(zip((at for at, row in enumerate(core.rows) if not row["debug"] and at not in stops), rows))
        for at in stops:
            k, row = following[at - 1]
            assert k in run.debug and not core.rows[at]["trap"] and not core.rows[at]["intr"]
            assert core.rows[at]["pc_rdata"] == row["pc_wdata"] == run.retired.pc[k + 1]
            assert (core.rows[at]["mode"], core.rows[at]["virt"]) == (row["mode"], row["virt"])
            seen += 1
    assert seen > 5


def test_traps_may_come_in_debug_mode() -> None:
    run, _, core = made_of(0, 8000)
    rows = [row for row in core.rows if row["debug"]]
    assert 0 < sum(bool(row["trap"]) for row in rows) < len(rows) / 4
    assert 0.003 < len(run.debug) / len(run.retired) < 0.008 and set(run.debug.values()) == {1, 2, 3, 4}


def test_what_is_written_and_accessed(walk: Made) -> None:
    """Sizes are those of the instruction; most addresses are aligned; an xRET writes xstatus."""
    run, config, core = walk
    effects, retired = run.effects, run.retired
    insn = retired.kind == Kind.INSN
    sizes = set()
    for k in np.flatnonzero(insn).tolist():
        found = run.program.insn(int(retired.pc[k]))
        assert found is not None
        access = access_of(found.raw, found.size, config.xlen)
        size = access.size if access.size <= config.xlen // 8 else 0  # an access of 8 bytes on RV32 is left out
        assert (effects.mem_size[k], effects.mem_store[k]) == (size, access.store if size else 0)
        assert int(effects.mem_value[k]) < 1 << 8 * size
        sizes.add(size)
    assert sizes == {0, 1, 2, 4, *((8,) if config.xlen == 64 else ())}
    at = effects.mem_size > 1
    loose = (effects.mem_addr[at] & (effects.mem_size[at] - np.uint8(1)).astype(np.uint64)) != 0
    assert 0.1 < loose.mean() < 0.3
    back = np.flatnonzero(insn & (retired.itype == IType.XRET))
    assert len(back) and all(effects.csr_addr[effects.csr_row == k].tolist() == [0x300] for k in back.tolist())
    plain = np.flatnonzero(insn & (retired.itype != IType.XRET))
    writes = [int((effects.csr_row == k).sum()) for k in plain.tolist()]
    assert set(writes) == {0, 1, 2, 3, 4} and 0.06 < np.mean(np.array(writes) > 0) < 0.14
    assert retired.kind[0] == Kind.INSN == retired.kind[-1] and retired.itype[-1] == IType.NONE


def test_the_hart_port_of_a_walk(walk: Made) -> None:
    run, config, core = walk
    rows, reported = hart_rows(run, config)
    retired = run.retired
    after = np.append(retired.priv[1:], retired.priv[-1])
    assert (rows.priv == after % 4).all()
    known = np.ones(len(retired), bool)
    known[list(run.debug)] = False
    assert (reported["mode_next"] == np.where(known, after, retired.priv)).all()
    fetched = (retired.kind == Kind.INSN) | (retired.kind == Kind.EXCEPTION) & ~np.isin(retired.cause, FETCH_FAULTS)
    assert ((rows.has & HAS["insn"] != 0) == fetched).all()
    assert ((rows.has & HAS["fpr"] != 0) == np.isin(np.arange(len(retired)), list(run.fpr))).all()
    assert [(int(rows.fpr_addr[k]), int(rows.fpr[k])) for k in run.fpr] == list(run.fpr.values())
    assert ((rows.has & HAS["fcsr"] != 0) == np.isin(np.arange(len(retired)), list(run.fcsr))).all()
    assert rows.fcsr[list(run.fcsr)].tolist() == list(run.fcsr.values())
    trap = retired.kind != Kind.INSN
    assert ((rows.has & HAS["priv"] != 0) == (trap | (retired.itype == IType.XRET) & ~trap)).all()


NOP, LW = 0x00000013, 0x00052583


def stream(*rows: tuple[Kind, int, int, Priv], itype: dict[int, int] | None = None) -> Retired:
    """kind, pc, cause, priv."""
    kind, pc, cause, priv = (np.array(column, np.uint64) for column in zip(*rows))
    itypes = np.zeros(len(rows), np.uint8)
    for k, value in (itype or {}).items():
        itypes[k] = value
    return Retired.from_columns(
        kind=kind, pc=pc, size=np.where(kind == 0, 4, 0), itype=itypes, taken=np.full(len(rows), -1), cause=cause,
        tval=np.full(len(rows), 0x55), priv=priv, context=np.zeros(len(rows)),
    )  # fmt: skip


PROGRAM = Program(64, [(0x1000, b"".join(word.to_bytes(4, "little") for word in (NOP, LW, NOP, NOP, NOP, NOP)))])
N, E, T = Kind.INSN, Kind.EXCEPTION, Kind.INTERRUPT
U, M = Priv.U, Priv.M


@pytest.mark.parametrize(
    ("rows", "itype", "kept"),
    [
        # an interrupt between two instructions of one mode
        (((N, 0x1000, 0, M), (T, 0x1008, 7, M), (N, 0x1008, 0, M), (N, 0x100C, 0, M)), {}, (0, 1, 2, 3)),
        # of another mode than the instruction before
        (((N, 0x1000, 0, M), (T, 0x1008, 7, U), (N, 0x1008, 0, M), (N, 0x100C, 0, M)), {}, (0, 2, 3)),
        # after an xRET
        (((N, 0x1000, 0, M), (T, 0x1008, 7, M), (N, 0x1008, 0, M), (N, 0x100C, 0, M)), {0: IType.XRET}, (0, 2, 3)),
        # two of them; after an exception
        (((N, 0x1000, 0, M), (T, 0x1008, 7, M), (T, 0x1008, 3, M), (N, 0x1008, 0, M)), {}, (0, 1, 3)),
        (((N, 0x1000, 0, M), (E, 0x1004, 5, M), (T, 0x1008, 3, M), (N, 0x1008, 0, M)), {}, (0, 1, 3)),
        # an exception of what is no instruction; the interrupt after it would be the second trap
        (((N, 0x1000, 0, M), (E, 0x7000, 1, M), (N, 0x1008, 0, M), (N, 0x100C, 0, M)), {}, (0, 2, 3)),
        (((N, 0x1000, 0, M), (E, 0x7000, 1, M), (T, 0x1008, 3, M), (N, 0x1008, 0, M)), {}, (0, 3)),
        # the end: nothing after an instruction that goes on; an interrupt is never the last
        (((N, 0x1000, 0, M), (N, 0x1008, 0, M), (E, 0x1004, 5, M)), {}, (0, 1)),
        (((N, 0x1000, 0, M), (N, 0x1008, 0, M), (T, 0x1004, 5, M)), {}, (0, 1)),
        (((N, 0x1000, 0, M), (N, 0x1008, 0, M), (N, 0x100C, 0, M)), {2: IType.TAKEN}, (0, 1)),
        # the start: what comes before an instruction
        (((T, 0x1000, 7, M), (E, 0x1004, 5, M), (N, 0x1008, 0, M), (N, 0x100C, 0, M)), {}, (2, 3)),
    ],
)
def test_what_can_be_seen_without_a_trap_port(
    rows: tuple[tuple[Kind, int, int, Priv], ...], itype: dict[int, int], kept: tuple[int, ...]
) -> None:
    run = made(PROGRAM, stream(*rows, itype=itype), Config(trap_port=0), Random("1"), debug=False)
    assert list(zip(run.retired.kind.tolist(), run.retired.pc.tolist())) == [rows[k][:2] for k in kept]
    for k, kind in enumerate(run.retired.kind.tolist()):
        assert run.retired.tval[k] == (0x55 if kind == N else 0)
        assert kind != T or run.retired.cause[k] == 0
        if kind == E:  # of lw: misaligned or an access fault
            assert run.retired.cause[k] == (4 if run.addresses[k] & 3 else 5)
    assert not run.without_row and not run.debug


@pytest.mark.parametrize(
    ("rows", "without"),
    [
        (((N, 0x1000, 0, M), (E, 0x7000, 12, M), (N, 0x1008, 0, M)), {1}),  # nothing could be fetched
        (((N, 0x1000, 0, M), (E, 0x1004, 13, M), (N, 0x1008, 0, M)), set()),  # the load, not the fetch
        (((N, 0x1000, 0, M), (E, 0x7000, 1, M), (E, 0x7000, 12, M), (N, 0x1008, 0, M)), {2}),  # the same again
        (((N, 0x1000, 0, M), (E, 0x7000, 1, M), (T, 0x7000, 7, M), (N, 0x1008, 0, M)), {1}),
        (((N, 0x1000, 0, M), (E, 0x7000, 1, M), (N, 0x7000, 0, M), (N, 0x1008, 0, M)), {1}),
        (((N, 0x1000, 0, M), (E, 0x7000, 1, M), (E, 0x7100, 1, M), (N, 0x1008, 0, M)), {1, 2}),
    ],
)
def test_which_exceptions_have_no_row(rows: tuple[tuple[Kind, int, int, Priv], ...], without: set[int]) -> None:
    for seed in range(4):
        assert made(PROGRAM, stream(*rows), Config(), Random(f"{seed}"), debug=False).without_row == without


def test_a_fetch_that_fails_may_have_a_row() -> None:
    """Where there is an instruction, in about half of the runs."""
    rows = ((N, 0x1000, 0, M), (E, 0x1004, 12, M), (N, 0x1008, 0, M))
    runs = [made(PROGRAM, stream(*rows), Config(), Random(f"{seed}"), debug=False) for seed in range(40)]
    assert 8 < sum(run.without_row == {1} for run in runs) < 32
    assert {int(run.retired.cause[1]) for run in runs} == {12}


def test_a_cause_that_needs_an_instruction_is_changed_where_there_is_none() -> None:
    run = made(PROGRAM, stream((N, 0x1000, 0, M), (E, 0x7000, 5, M), (E, 0x1004, 5, M), (N, 0x1008, 0, M)), Config(),
               Random("1"))  # fmt: skip
    assert run.retired.cause.tolist() == [0, 1, 5, 0]


def test_the_ends_of_a_run() -> None:
    run = made(PROGRAM, stream((N, 0x1000, 0, U), (N, 0x1008, 0, M)), Config(), Random("1"), debug=False)
    assert [run.next_pc(k) for k in (0, 1)] == [0x1008, 0x100C] and [run.priv_after(k) for k in (0, 1)] == [M, M]
    run.retired.pc[1] = (1 << 64) - 4
    assert run.next_pc(1) == 0
    run.retired.priv[:] = (M, U)
    assert run.priv_after(1) == U
    small = replace(run, program=Program(32, PROGRAM.segments))
    small.retired.pc[1] = (1 << 32) - 4
    assert small.next_pc(1) == 0
    assert run.trap_address(7) == 0


def test_a_run_that_ends_with_an_exception() -> None:
    elements = ((N, 0x1000, 0, U), (E, 0x1004, 5, U), (N, 0x1008, 0, M))
    assert len(made(PROGRAM, stream(*elements), Config(), Random("1"), debug=False).retired) == 3
    run = made(PROGRAM, stream(*elements), Config(), Random("1"), debug=False, to_exception=True)
    assert run.retired.pc.tolist() == [0x1000, 0x1004] and run.priv_after(1) == M
    assert run.next_pc(1) == 0x1008


@pytest.mark.parametrize("checks", [0, 1, 2])
def test_pc_wdata_is_wrong_only_where_nobody_checks_it(checks: int) -> None:
    config = Config(check_pc=checks)
    run = walked(config, Random("wrong"), 3000, trap=0.1)
    wrong = {
        int(run.retired.itype[k])
        for k, row in shown(run, to_rvfi(run, config, Random("core")))
        if row["pc_wdata"] != run.next_pc(k)
    }
    assert not wrong if checks == 2 else wrong == {IType.XRET} if checks == 1 else wrong > {IType.NONE, IType.XRET}
    assert not wrong & {IType.TAKEN, IType.NOT_TAKEN}


class Ones(Random):
    """The largest of everything; aligned or not."""

    def __init__(self, chance: float) -> None:
        super().__init__()
        self.chance = chance

    def getrandbits(self, k: int) -> int:
        return (1 << k) - 1

    def random(self) -> float:
        return self.chance


def test_an_access_does_not_wrap() -> None:
    """The last address of all leaves room for the largest access, also one that is not aligned."""
    for xlen in (32, 64):
        assert _address(Ones(0.9), xlen, 8) == _address(Ones(0.1), xlen, 8) == (1 << xlen) - 16
    few = [_address(Random(f"{seed}"), 64, 8) % 8 for seed in range(400)]
    assert 0.65 < sum(one == 0 for one in few) / 400 < 0.82 and set(few) == set(range(8))
