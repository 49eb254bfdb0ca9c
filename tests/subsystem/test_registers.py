# SPDX-License-Identifier: Apache-2.0
"""Accesses of the register bus against the table of docs/reference/rtl-subsystem.md."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from rvtrace.models.subsystem.registers import TANDEM_BYTES, TANDEM_CONTROL, TANDEM_STATUS
from rvtrace.scoreboards.common.clauses import ClauseBook
from rvtrace.scoreboards.subsystem.check import plan
from rvtrace.scoreboards.subsystem.registers import CLAUSE, Registers
from rvtrace.tb.tci.agents.apb import Access

from tests.subsystem.captures import good

RESET = [Access(1, False, TANDEM_CONTROL, 0), Access(2, False, TANDEM_STATUS, 1), Access(3, False, TANDEM_BYTES, 0)]
ENABLED = [Access(4, True, TANDEM_CONTROL, 0xFFFF_FFFF), Access(5, False, TANDEM_CONTROL, 1)]
RUNNING = [Access(50, False, TANDEM_STATUS, 0), Access(60, False, TANDEM_BYTES, 20), Access(61, False, 0x20_00C, 0)]
OUTSIDE = [Access(70, True, 0x21_000, 0), Access(71, False, 0x21_000, 0), Access(72, False, TANDEM_CONTROL, 1)]
GOOD = [*RESET, *ENABLED, *RUNNING, *OUTSIDE, Access(80, True, TANDEM_CONTROL, 0), Access(81, False, TANDEM_CONTROL, 0)]


def judged(accesses: list[Access]) -> ClauseBook:
    book = ClauseBook(plan(), "")
    left = {"tandem": np.array([20] * 12 + [40] * 8 + [75] * 4, np.uint64)}
    Registers(replace(good("sort", 300), accesses=accesses, out_cycles=left), book).check()
    return book


def test_as_the_table_says() -> None:
    assert not judged(GOOD).failed
    assert not judged([Access(9, False, 0x9_000, 0xABCD)]).failed, "the trace system's own clauses judge its registers"


@pytest.mark.parametrize(("place", "change"), [
    (0, {"data": 1}), (1, {"data": 0}), (1, {"data": 3}), (2, {"data": 1}), (4, {"data": 0}), (4, {"data": 3}),
    (5, {"data": 2}), (6, {"data": 19}), (6, {"data": 21}), (6, {"unknown": True}), (7, {"data": 1}),
    (3, {"error": True}), (9, {"data": 1}), (10, {"data": 0}), (12, {"data": 1}),
])  # fmt: skip
def test_otherwise(place: int, change: dict[str, int]) -> None:
    accesses = [*GOOD[:place], replace(GOOD[place], **change), *GOOD[place + 1 :]]
    assert judged(accesses).failed == [CLAUSE]
