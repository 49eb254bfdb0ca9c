# SPDX-License-Identifier: Apache-2.0
"""Rows: transfers to rows and back, privilege between rows, what no port can carry, and files."""

import random
from pathlib import Path

import numpy as np
import pytest

from rvtrace.models.ctr.config import Config
from rvtrace.models.ctr.model import Ctr
from rvtrace.models.ctr.records import SCTRCLR, Transfer
from rvtrace.models.ctr.rows import NO_ACCESS, Rows, RowsError, answered
from rvtrace.models.ctr.transfers import Transfers, rows_of
from rvtrace.models.riscv import recording
from rvtrace.models.riscv.csr import READ, WRITE, Access, M, U
from rvtrace.tb.ctr.agents.files import joined, read_seen, write_stimulus
from rvtrace.tb.ctr.agents.layout import RECORDED, pins
from rvtrace.tb.ctr.stimulus.script import Script


@pytest.fixture(scope="module")
def moved() -> Transfers:
    run = recording.load("traps", 64)
    return Transfers.of_retired(run.retired, run.program, random.Random(1), slots=3)


def test_transfers_to_rows_and_back(moved):
    rows = Rows.of_transfers(moved, 3)
    assert rows.transfers == len(moved) and rows.accesses == 0 and rows.slots == 3
    assert [(c, p, t) for c, p, t, _, _, _ in rows.cycles() if t] == list(moved.cycles())
    again = Rows.from_rows([(c, p, t, a) for c, p, t, a, _, _ in rows.cycles()], 3)
    assert again.differs(rows) is None and again.select(slice(5)).differs(rows) == 5


def test_a_row_follows_every_change_of_privilege(moved):
    """The model sees the same whether it gets transfers, or rows with their privilege held in between."""
    config = Config(transfers=3, ctl=7)
    models = Ctr(config), Ctr(config)
    for model in models:
        model.access(Access(WRITE, 0x34E, 5))  # M and U, not S
    models[0].run(moved)
    before = None
    for cycle, priv, transfers, _, _, _ in Rows.of_transfers(moved, 3).cycles():
        if before is not None:
            models[1].idle(before[1], cycle - before[0] - 1)
        models[1].cycle(priv, transfers)
        before = cycle, priv
    assert [models[0].entry(n) for n in range(256)] == [models[1].entry(n) for n in range(256)]


def test_what_no_port_can_carry():
    jump = Transfer(9, 0x10, 0x20)
    for rows, text in (
        ([(0, M, [jump] * 3, None)], "more than 2"),
        ([(1, M, [], None), (1, M, [], None)], "later cycle"),
    ):
        with pytest.raises(RowsError, match=text):
            Rows.from_rows(rows, 2)
    hole = Rows.empty(1, 2)
    hole.type[0, 1] = 9
    with pytest.raises(RowsError, match="empty below"):
        hole.__post_init__()


def test_files(tmp_path: Path):
    script = Script(Config(transfers=2))
    script.write("mctrctl", 7)
    script.group([script.taken(9, 0x1234, 0xFFFF_FFFF_FFFF_FFF0, 1)], script.reading("sctrstatus", mode=U, xlen32=1))
    script.idle(20)
    script.sctrclr(M)
    rows = answered(script.rows(), Config(transfers=2))
    assert rows.op.tolist() == [WRITE, READ, SCTRCLR] and rows.cycle.tolist() == [0, 1, 22]
    rows.save(tmp_path / "rows.npz")
    assert Rows.load(tmp_path / "rows.npz").differs(rows) is None
    write_stimulus(tmp_path / "stimulus.bin", rows)
    played = np.fromfile(tmp_path / "stimulus.bin", np.uint8).reshape(len(rows), -1)
    # idle cycles before the row
    assert played.shape[1] == 32 + 2 * 24 and int.from_bytes(played[2, -8:].tobytes(), "big") == 20


def test_what_both_monitors_saw_is_joined():
    rows = Rows.from_rows(
        [(0, M, [], None), (3, M, [Transfer(9, 2, 4)], Access(READ, 0x14F)), (5, M, [], Access(READ, 0x14F))], 2
    )
    retire, accesses = rows.select([0, 1]), rows.select([1, 2])
    retire.op[:] = NO_ACCESS
    retire.addr[:] = 0
    accesses.type[:] = accesses.source[:] = accesses.target[:] = accesses.from_[:] = accesses.to[:] = 0
    assert joined(retire, accesses).differs(rows) is None


def test_record_of_both_ports_has_no_noise(tmp_path: Path):
    """Rows without transfers, another privilege or an access are left out, fields of what is not there are 0."""
    row = np.zeros(5, RECORDED.dtype({"NTransfers": 2}))
    row["cycle"], row["priv"], row["addr"], row["wdata"], row["rdata"] = range(5), (3, 3, 3, 1, 1), 0x14F, 5, 6
    row["access"][1] = 8 | READ
    row["slots"]["source"] = 9
    row["slots"]["type"][4, 0] = 4
    row.tofile(tmp_path / "rows.bin")
    rows, problems = read_seen(tmp_path / "rows.bin", pins(Config(transfers=2), 0))
    assert rows.cycle.tolist() == [0, 1, 3, 4] and not problems
    assert rows.addr.tolist() == [0, 0x14F, 0, 0] and rows.rdata.tolist() == [0, 6, 0, 0]
    assert rows.source.tolist() == [[9, 9], [0, 0], [9, 9], [9, 9]]


def test_an_unknown_answer_is_a_problem(tmp_path: Path):
    row = np.zeros(1, np.dtype([("cycle", "<u8"), ("priv", "<u4"), ("access", "u1"), ("rest", "u1", (51,))]))
    row["cycle"], row["priv"], row["access"] = 7, 0x103, 8
    row.tofile(tmp_path / "rows.bin")
    rows, problems = read_seen(tmp_path / "rows.bin", pins(Config(transfers=1), 0))
    assert (
        len(rows) == 1 and rows.priv[0] == 3 and len(problems) == 1 and "cycle 7" in problems[0] and "X" in problems[0]
    )


def test_rows_of_a_stream_are_its_transfers():
    run = recording.load("crc", 32)
    at = rows_of(run.retired, run.program)
    whole = Transfers.of_retired(run.retired, run.program)
    assert (run.retired.pc[at][: len(whole)] == whole.source).all() and len(at) - len(whole) in (0, 1)
