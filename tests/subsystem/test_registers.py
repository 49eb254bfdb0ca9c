# SPDX-License-Identifier: Apache-2.0
"""Accesses of the register bus against the table of docs/reference/rtl-subsystem.md."""

from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest

from rvtrace.models.subsystem.registers import TANDEM_BYTES, TANDEM_CONTROL, TANDEM_STATUS
from rvtrace.models.tandem.table import HAS
from rvtrace.models.tandem.trace_data import Rows, TraceData
from rvtrace.scoreboards.common.clauses import ClauseBook
from rvtrace.scoreboards.subsystem.check import plan
from rvtrace.scoreboards.subsystem.registers import ON, REGISTERS, ROWS, Registers
from rvtrace.scoreboards.tci.registers import Access
from tests.subsystem.captures import good

RESET = [Access(1, False, TANDEM_CONTROL, 0), Access(2, False, TANDEM_STATUS, 1), Access(3, False, TANDEM_BYTES, 0)]
ENABLED = [Access(4, True, TANDEM_CONTROL, 0xFFFF_FFFF), Access(5, False, TANDEM_CONTROL, 1)]
RUNNING = [Access(50, False, TANDEM_STATUS, 0), Access(60, False, TANDEM_BYTES, 20), Access(61, False, 0x20_00C, 0)]
OUTSIDE = [Access(70, True, 0x21_000, 0), Access(71, False, 0x21_000, 0), Access(72, False, TANDEM_CONTROL, 1)]
GOOD = [*RESET, *ENABLED, *RUNNING, *OUTSIDE, Access(80, True, TANDEM_CONTROL, 0), Access(81, False, TANDEM_CONTROL, 0)]


def judged(accesses: list[Access], illegal: int = 0, **more: object) -> ClauseBook:
    """illegal: the cycle of a row that is not legal; 0: there is none."""
    book, run = ClauseBook(plan(), ""), good("sort", 300)
    left = {"tandem": np.array([20] * 12 + [40] * 8 + [75] * 4, np.uint64)}
    rows = deepcopy(run.rows)
    if illegal:
        rows = Rows.concat([rows, Rows.from_rows([TraceData(group=False)])])
        rows.cycle[-1], rows.has[-1] = illegal, HAS["insn"]
        more = {"errors": np.array([illegal + 1], np.uint64), **more}
    Registers(replace(run, accesses=accesses, out_cycles=left, rows=rows, **more), book).check()
    return book


def test_as_the_table_says() -> None:
    assert not judged(GOOD).failed
    assert not judged([Access(9, False, 0x9_000, 0xABCD)]).failed, "the trace system's own clauses judge its registers"


def test_accesses_of_a_trace_system_between() -> None:
    other = Access(9, False, 0x9_000, 0xABCD)
    assert judged([other, Access(10, False, TANDEM_CONTROL, 1)]).failed == [REGISTERS]


@pytest.mark.parametrize(("trace", "data", "clauses"), [
    (b"\1", 20, []), (b"\1", 0, []), (b"", 0, []), (b"", 20, [REGISTERS]),
])  # fmt: skip
def test_bytes_whose_times_nobody_saw(trace: bytes, data: int, clauses: list[str]) -> None:
    """How many have left is not known, but that none has."""
    book, access = ClauseBook(plan(), ""), Access(50, False, TANDEM_BYTES, data)
    Registers(replace(good("sort", 300), accesses=[access], out_cycles={}, tandem=trace), book).check()
    assert book.failed == clauses


@pytest.mark.parametrize(("place", "change"), [
    (0, {"data": 1}), (1, {"data": 0}), (1, {"data": 3}), (2, {"data": 1}), (4, {"data": 0}), (4, {"data": 3}),
    (5, {"data": 2}), (6, {"data": 19}), (6, {"data": 21}), (6, {"unknown": True}), (7, {"data": 1}),
    (3, {"error": True}), (9, {"data": 1}), (10, {"data": 0}), (12, {"data": 1}),
])  # fmt: skip
def test_otherwise(place: int, change: dict[str, int]) -> None:
    accesses = [*GOOD[:place], replace(GOOD[place], **change), *GOOD[place + 1 :]]
    assert judged(accesses).failed == [REGISTERS]


STATUS = [*ENABLED, *(Access(cycle, False, TANDEM_STATUS, 0) for cycle in (30, 40, 41, 43, 50))]


@pytest.mark.parametrize(("values", "good"), [
    ((0, 0, 0, 2, 2), True), ((0, 0, 2, 3, 3), True), ((0, 0, 0, 0, 2), False), ((0, 0, 0, 2, 0), False),
    ((0, 2, 2, 2, 2), False), ((2, 2, 2, 2, 2), False),
])  # fmt: skip
def test_error_from_the_first_row_that_is_not_legal(values: tuple[int, ...], good: bool) -> None:
    accesses = [*ENABLED, *(replace(access, data=value) for access, value in zip(STATUS[2:], values))]
    assert judged(accesses, illegal=40).failed == ([] if good else [REGISTERS])


@pytest.mark.parametrize(("illegal", "errors", "good"), [
    (40, [41], True), (40, [], False), (40, [40], False), (40, [41, 42], False), (0, [], True), (0, [41], False),
])  # fmt: skip
def test_rows_that_are_not_legal_are_reported(illegal: int, errors: list[int], good: bool) -> None:
    book = judged(ENABLED, illegal, errors=np.array(errors, np.uint64))
    assert book.failed == ([] if good else [ROWS])


ENCODERS = [Access(10, True, 0, 3), Access(12, True, 0, 7), Access(14, True, 0x10_000, 7), Access(90, True, 0, 5),
            Access(95, True, 0x10_000, 1)]  # fmt: skip
TANDEM = [Access(20, True, TANDEM_CONTROL, 1), Access(80, True, TANDEM_CONTROL, 0)]
TIMES = ([(13, 91)], [(16, 96)], [(21, 81)])


@pytest.mark.parametrize(("unit", "times"), [
    (0, [(11, 91)]), (0, []), (0, [(13, 97)]), (0, [(13, 50), (60, 91)]), (1, [(14, 96)]), (1, [(19, 96)]),
    (2, [(13, 91)]), (2, [(21, 81), (85, 86)]),
])  # fmt: skip
def test_when_a_unit_is_on(unit: int, times: list[tuple[int, int]]) -> None:
    assert not judged([*ENCODERS, *TANDEM], enabled=TIMES).failed
    changed = tuple(times if n == unit else one for n, one in enumerate(TIMES))
    assert judged([*ENCODERS, *TANDEM], enabled=changed).failed == [ON]


def test_units_where_nobody_saw_the_register_bus() -> None:
    """As with a core that has the bus to itself: not judged."""
    assert ON not in judged([], enabled=TIMES).results()


def test_a_unit_that_stays_on() -> None:
    accesses = [*ENCODERS, TANDEM[0]]
    assert not judged(accesses, enabled=(*TIMES[:2], [(21, 200)])).failed
    for begin, clauses in ((20, [ON]), (24, []), (25, [ON])):  # within four cycles of the write
        assert judged(accesses, enabled=(*TIMES[:2], [(begin, 200)])).failed == clauses
    assert judged(accesses, enabled=(*TIMES[:2], [])).failed == [ON]
