# SPDX-License-Identifier: Apache-2.0
"""A rolled-up clause is checked only where its own situation occurs; elsewhere it stays NOT-RUN."""

from __future__ import annotations

import pytest
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.encoder.encode import Encoder
from rvtrace.models.riscv.retired import IType
from rvtrace.scoreboards.ntrace.capture import NtraceCapture
from rvtrace.scoreboards.ntrace.check import check, plan
from rvtrace.scoreboards.ntrace.situations import SITUATIONS

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
