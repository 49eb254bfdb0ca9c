# SPDX-License-Identifier: Apache-2.0
"""A rolled-up clause is checked only where its own situation occurs; elsewhere it stays NOT-RUN."""

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.encoder.encode import Encoder
from rvtrace.models.riscv.retired import IType
from rvtrace.scoreboards.ntrace.capture import NtraceCapture
from rvtrace.scoreboards.ntrace.check import check, plan
from rvtrace.scoreboards.ntrace.situations import SITUATIONS
from rvtrace.scoreboards.ntrace.table import ABSENT
from tests.ntrace.checked_scenarios import scenario_run

# A scenario that meets the situation, with the options it needs; `linear` meets none of them.
MEETS = {
    "NT.2.zcm": ("zcm_jumps", {}),
    "NT.2.pairs": ("pairs", {"blocks": 2}),
    "NT.8.1.example": ("seed_8_1", {}),
    "NT-21": ("far_addresses", {}),
    "NT-22": ("debug_entry_exit", {}),
    "NT.8.6.back_to_back": ("back_to_back_returns", {}),
    "NT-3": ("hist_full", {"icnt_bits": 8, "hist_bits": 6, "iretire_bits": 5}),
    "NT.V.tail_call": ("indirect_kinds", {}),
    "NT.V.ecall": ("ecall", {"variant": "rc7"}),
    "NT.V.starts_disabled": ("debug_while_off", {}),
    "NT.2.itype7": ("all_jumps", {"variant": "rc7", "all_jumps": 1}),
    "NT.2.cause": ("trap_kinds", {}),
    "NT.8.1.virtual": ("far_addresses", {}),
    "NT.8.2.examples": ("extended_addresses", {"extend_addr_msb": 1}),
    "NT.V.sync_reset": ("markers", {}),
}


def results(name: str, options: dict) -> dict[str, list[int]]:
    config = Config(**options)
    program, beats = scenario_run(name, config, IType.RESERVED if config.all_jumps else IType.TAKEN)
    verdict = check(NtraceCapture(config, program, Encoder(config).run(beats).data, beats))
    assert verdict.passed
    return verdict.book.results()


def test_every_situation_belongs_to_a_rolled_up_row() -> None:
    assert MEETS.keys() == SITUATIONS.keys()
    assert all(plan()[clause].through for clause in SITUATIONS)


@pytest.mark.parametrize("clause", MEETS)
def test_met(clause: str) -> None:
    checked, failed = results(*MEETS[clause])[clause]
    assert checked > 0 and failed == 0


def test_not_met_is_not_run() -> None:
    """Linear code has no pairs, no trap, no jump: whatever else was counted, these rows were not checked."""
    assert not SITUATIONS.keys() & results("linear", {}).keys()


def test_rows_of_the_other_variant_are_not_run() -> None:
    assert "NT.V.tail_call" not in results("indirect_kinds", {"variant": "rc7"})


# Fields of RV64, address >> 1 in 63 bits: one whose upper bits need not be sent, one whose highest group would be
# extended if no group of zeroes followed, one that needs all eleven groups, and one that is sent as without the option
FORMS = [(1 << 63) - 8, 0x800, 1 << 61]
USUAL = 0x400


@pytest.mark.parametrize("left_out", [None, 0, 1, 2])
def test_the_examples_of_8_2_need_all_three_forms(left_out: int | None) -> None:
    fields = [value for index, value in enumerate(FORMS) if index != left_out]
    table = {"faddr": np.array([USUAL, *fields, ABSENT]), "uaddr": np.array([ABSENT] * (len(fields) + 1) + [USUAL])}
    for extends in (0, 1):
        capture = SimpleNamespace(config=Config(extend_addr_msb=extends))
        met = SITUATIONS["NT.8.2.examples"](cast(Any, SimpleNamespace(capture=capture, table=table)))
        assert met == (3 if extends and left_out is None else 0)
