# SPDX-License-Identifier: Apache-2.0
"""What an implementation does not have is not stimulated: modes and CSRs that are absent."""

from random import Random
from typing import Any

import pytest

from rvtrace.models.ctr.config import Config
from rvtrace.models.riscv.csr import DEBUG, HS, VS, VU, M, U
from rvtrace.tb.ctr.stimulus.scenarios import SCENARIOS

ABSENT: dict[str, dict[str, Any]] = {
    "no H": {"has_h": 0},
    "no H, RV32": {"xlen": 32, "has_h": 0},
    "no state enables": {"has_stateen": 0},
    "draft, RV32, neither": {"variant": "v0_1_4", "xlen": 32, "transfers": 1, "has_h": 0, "has_stateen": 0},
    "draft, M and U only": {"variant": "v0_1_4", "has_s": 0, "has_h": 0},
    "draft, M and U only, RV32, no state enables": {
        "variant": "v0_1_4", "xlen": 32, "has_s": 0, "has_h": 0, "has_stateen": 0
    },
}  # fmt: skip


@pytest.mark.parametrize("title", ABSENT)
def test_only_modes_that_are_there(title: str) -> None:
    config = Config(**ABSENT[title])
    there = {M, U, DEBUG, *([HS] * config.has_s), *([VS, VU] * config.has_h)}
    built = 0
    for name, scenario in SCENARIOS.items():
        if scenario.missing(config):
            continue
        rows = scenario.build(config, Random("1:absent"))
        met = {mode for _, priv, transfers, _, _, _ in rows.cycles() for mode in (priv, *modes_of(transfers))}
        assert met <= there, name
        built += 1
    assert built > 40


def modes_of(transfers: Any) -> list[int]:
    return [mode for transfer in transfers for mode in (transfer.from_, transfer.to)]
