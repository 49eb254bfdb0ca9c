# SPDX-License-Identifier: Apache-2.0
"""Outcomes: each refusal turned into another is blamed on its rule,
and the reasons agree with the rules of the model.
"""

from itertools import product
from random import Random

import numpy as np
import pytest

from rvtrace.models.csr.file import Gates
from rvtrace.models.ctr.access import clear_outcome
from rvtrace.models.ctr.config import Config
from rvtrace.models.ctr.records import SCTRCLR
from rvtrace.models.ctr.registers import csr_file, csrs
from rvtrace.models.ctr.rules import Rules
from rvtrace.models.riscv.csr import DONE, ILLEGAL, VIRTUAL, VS, VU, WRITE, Access, M, U
from rvtrace.scoreboards.ctr import access as ctr_access
from rvtrace.scoreboards.ctr.check import check
from rvtrace.scoreboards.ctr.reasons import why
from rvtrace.scoreboards.ctr.tolerances import Tolerances
from tests.ctr.devices import DRAFT, SMALL, failed, play, scenario_run

# scenario, implementation, address, mode, right outcome, the device's, clause
CASES = [
    ("addresses", SMALL, 0x34E, U, ILLEGAL, DONE, "CTR.csr.privilege"),
    ("addresses", SMALL, 0x24E, VS, VIRTUAL, ILLEGAL, "CTR.csr.virtual"),
    ("addresses", SMALL, 0x15F, VS, VIRTUAL, DONE, "CTR.depth.virtual"),
    ("addresses", SMALL, 0x14E, M, DONE, ILLEGAL, "CTR.csr.address"),
    ("addresses", SMALL, 0x351, M, ILLEGAL, DONE, "CTR.entry.mireg"),
    ("addresses", SMALL, 0x350 - 1, M, ILLEGAL, DONE, "CTR.csr.exists"),
    ("addresses", DRAFT, 0x382, M, ILLEGAL, DONE, "CTR.csr.rv32h"),
    ("addresses", {**DRAFT, "has_s": 0, "has_h": 0}, 0x181, M, ILLEGAL, DONE, "CTR.sctl.no_s"),
    ("addresses", {**SMALL, "has_h": 0}, 0x24E, M, ILLEGAL, DONE, "CTR.vsctl.no_h"),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[-1])
def test_wrong_outcome(case: tuple) -> None:
    name, options, address, mode, right, wrong, clause = case
    config, rows = scenario_run(name, **options)
    capture = play(config, rows)
    of = (
        (rows.addr == address)
        & (rows.mode == mode)
        & (rows.op == 0)
        & (capture.rows.outcome == right)
        & (rows.xlen32 == 0)
    )
    assert of.any()
    capture.rows.outcome[of] = wrong
    assert clause in failed(capture)


@pytest.mark.parametrize(("mode", "clause"), [(U, "CTR.clear.illegal"), (VU, "CTR.clear.virtual")])
def test_sctrclr_that_is_done(mode: int, clause: str) -> None:
    config, rows = scenario_run("sctrclr", **SMALL)
    capture = play(config, rows)
    capture.rows.outcome[(rows.op == SCTRCLR) & (rows.mode == mode)] = DONE
    assert clause in failed(capture)


def test_a_refused_access_that_gives_a_value() -> None:
    config, rows = scenario_run("refused_writes", **SMALL)
    capture = play(config, rows)
    capture.rows.rdata[np.flatnonzero(capture.rows.outcome != DONE)[0]] = 5
    assert failed(capture) == ["CTR.csr.refused"] and check(capture, Tolerances(refused_zero=False)).passed


def test_which_of_two_refusals_comes_first() -> None:
    """With mstateen0.CTR = 0 and V = 1: illegal; if hstateen0.CTR is 0 as well, a device may call it virtual.

    "When mstateen0.CTR=0, ... raise an illegal-instruction exception."
    """
    config, rows = scenario_run("state_enables", **SMALL)
    capture = play(config, rows)
    right = check(capture).book.results()["CTR.stateen.order"]
    assert right[0] > 20 and not right[1]
    closed = (rows.addr == 0x14F) & (rows.mode == VS) & (capture.rows.outcome == ILLEGAL)
    written = np.flatnonzero((rows.addr == 0x60C) & (rows.op == WRITE))
    hstateen = rows.wdata[written[np.searchsorted(written, np.arange(len(rows.addr))) - 1]]
    both = closed & (hstateen >> np.uint64(54) & np.uint64(1) == 0)
    assert both.any() and (closed & ~both).any()
    capture.rows.outcome[both] = VIRTUAL
    assert "CTR.stateen.order" in failed(capture)
    assert check(capture, Tolerances(refusal="any")).passed
    capture.rows.outcome[closed] = VIRTUAL
    assert "CTR.stateen.order" in failed(capture, Tolerances.free())


@pytest.mark.parametrize("variant", ["v1_0", "v0_1_4"])
def test_an_access_never_tests_what_gives_the_right_answer(variant: str) -> None:
    config, rng = Config(variant=variant), Random("accesses")
    known = [*csrs(config), None]
    tests = 0
    for _ in range(3000):
        m, h = rng.getrandbits(64), rng.getrandbits(64)
        gates = Gates(m, h & m, *(rng.choice((0x200, 0x2FF, 0x300, 1 << 40 | 0x205)) for _ in range(3)))
        csr, op = rng.choice(known), rng.choice((0, 1, SCTRCLR))
        access = Access(op, csr.address if csr else 0x7FF, 1, rng.choice((0, 1, 3, 4, 5, 7)), rng.randrange(2))
        right = (
            clear_outcome(config, gates, access.priv) if op == SCTRCLR else csr_file(config).outcome(gates, csr, access)
        )
        suspects = ctr_access.tested(config, gates, None if op == SCTRCLR else csr, access)
        assert all(others and right not in others for _, others in suspects)
        tests += bool(suspects)
    assert tests > 2500  # where two rules refuse, no single one is tested


@pytest.mark.parametrize("variant", ["v1_0", "v0_1_4"])
def test_a_transfer_never_tests_what_gives_the_right_action(variant: str) -> None:
    config, rng = Config(variant=variant), Random("transfers")
    for type_, from_ in product((1, 2, 3, 4, 5, *range(8, 16)), (0, 1, 3, 4, 5, 7)):
        for _ in range(30):
            ctl, vsctl, to, cause = (
                rng.getrandbits(64),
                rng.getrandbits(64),
                rng.choice((0, 1, 3, 4, 5, 7)),
                rng.choice((0, 3, 13)),
            )
            found = why(config, ctl, vsctl, type_, from_, to if type_ < 4 else from_, cause)
            assert found.action == Rules(config, ctl, vsctl).action(type_, from_, to if type_ < 4 else from_, cause)
            assert all(found.action not in suspect.acts for suspect in found.suspects)
