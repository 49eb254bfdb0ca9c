# SPDX-License-Identifier: Apache-2.0
"""Accesses of the CSR port: one wrong answer after the other."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from rvtrace.models.ctr.model import Ctr
from rvtrace.models.ctr.registers import csrs as ctr_csrs
from rvtrace.models.hpm.model import Hpm
from rvtrace.models.riscv.csr import DONE, ILLEGAL, READ, VIRTUAL, VS, VU, WRITE, Access, Answer, U
from rvtrace.models.subsystem.config import Config
from rvtrace.scoreboards.common.clauses import ClauseBook
from rvtrace.scoreboards.subsystem.check import plan
from rvtrace.scoreboards.subsystem.csrs import CSR, Csrs
from rvtrace.tb.subsystem.agents import layout
from rvtrace.tb.subsystem.coverage.sampling import observe
from rvtrace.tb.subsystem.stimulus.scenarios.modes import _asks
from rvtrace.tb.subsystem.stimulus.software import looks, set_up
from tests.subsystem.captures import good

FIXED = [
    (Access(READ, 0x7C0), Answer(0, ILLEGAL)), (Access(WRITE, 0x306, 0xFFFF_FFFF), Answer(0, DONE)),
    (Access(READ, 0x306), Answer(0x7FF, DONE)), (Access(READ, 0xC00, 0, U), Answer(0, ILLEGAL)),
    (Access(READ, 0xC00, 0, VS), Answer(0, VIRTUAL)), (Access(READ, 0xC00), Answer(1234, DONE)),
    (Access(READ, 0x14E, 0, VU), Answer(0, ILLEGAL)), (Access(READ, 0x34E), Answer(0, DONE)),
    (Access(WRITE, 0xC00, 1), Answer(0, ILLEGAL)),
]  # fmt: skip


def table(answers: list[tuple[Access, Answer]]) -> np.ndarray:
    out = np.zeros(len(answers), layout.CSR.dtype())
    for row, (access, answer) in zip(out, answers):
        row["op"], row["addr"], row["wdata"], row["priv"] = access.op, access.addr, access.wdata, access.priv
        row["rdata"], row["outcome"] = answer.rdata, answer.outcome
    return out


def failed(answers: list[tuple[Access, Answer]], **options: int) -> list[str]:
    book = ClauseBook(plan(), "")
    Csrs(replace(good("sort", 300, **options), csrs=table(answers)), book).check()
    return book.failed


def test_fixed() -> None:
    assert not failed(FIXED)


@pytest.mark.parametrize(("place", "change"), [
    (0, {"outcome": DONE}), (0, {"outcome": VIRTUAL}), (0, {"rdata": 1}), (2, {"rdata": 0x7FE}),
    (2, {"outcome": ILLEGAL}),
    (3, {"outcome": VIRTUAL}), (3, {"rdata": 7}), (4, {"outcome": ILLEGAL}), (4, {"outcome": DONE}), (4, {"rdata": 1}),
    (6, {"outcome": VIRTUAL}), (7, {"rdata": 1}), (8, {"outcome": DONE}),
])  # fmt: skip
def test_otherwise(place: int, change: dict[str, int]) -> None:
    access, answer = FIXED[place]
    assert failed([*FIXED[:place], (access, answer._replace(**change)), *FIXED[place + 1 :]]) == [CSR]


@pytest.mark.parametrize("xlen", [32, 64])
def test_what_software_does(xlen: int) -> None:
    """Set-up, a look at everything, and accesses of all modes: the models of both blocks answer them."""
    config = Config(xlen=xlen)
    accesses = [*set_up(config), *(look.access for look in looks(config)), *_asks(config, Random(3))]
    hpm, ctr, there = Hpm(config.hpm), Ctr(config.ctr), {csr.address for csr in ctr_csrs(config.ctr)}
    answers = [(access, (ctr if access.addr in there else hpm).access(access)) for access in accesses]
    assert {answer.outcome for _, answer in answers} == {DONE, ILLEGAL, VIRTUAL}
    assert not failed(answers, xlen=xlen)
    hits = observe(replace(good("sort", 300, xlen=xlen), csrs=table(answers)))["access_cg"]
    assert hits["records x virtual instruction"] and hits["counters x illegal instruction"]


@pytest.mark.parametrize("address", [0x14F, 0x200])
def test_what_is_judged_elsewhere(address: int) -> None:
    """sctrstatus, and the source of an entry through sireg (siselect 0x200): clauses of their own hold the values."""
    accesses = [Access(READ, address)] if address == 0x14F else [Access(WRITE, 0x150, address), Access(READ, 0x151)]
    ctr = Ctr(good("sort", 300).config.ctr)
    answers = [(access, ctr.access(access)) for access in accesses]
    assert answers[-1][1].outcome == DONE and not failed(answers)
    access, answer = answers.pop()
    assert not failed([*answers, (access, answer._replace(rdata=answer.rdata ^ 1 << 31))])
    assert failed([*answers, (access, answer._replace(outcome=ILLEGAL))]) == [CSR]


def test_nobody_looked() -> None:
    book = ClauseBook(plan(), "")
    Csrs(good("sort", 300), book).check()
    assert CSR not in [clause for clause, (count, _) in book.results().items() if count]
