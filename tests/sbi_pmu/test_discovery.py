# SPDX-License-Identifier: Apache-2.0
"""num_counters, counter_get_info, functions that are not there, registers of a call, and what the SBI implementation
does at boot.
"""

import pytest

from rvtrace.models.sbi_pmu import tables as sbi
from rvtrace.models.sbi_pmu.platform import Platform
from rvtrace.models.sbi_pmu.pmu import SbiRet
from tests.sbi_pmu.machine import Machine


def test_num_counters_counts_what_is_there_holes_are_not(xlen: int) -> None:
    assert Machine(xlen).call("num_counters") == SbiRet(0, 9)
    assert Machine(xlen, num_counters="range").call("num_counters") == SbiRet(0, 14)


@pytest.mark.parametrize(
    ("index", "csr", "width"),
    [(0, 0xC00, 64), (2, 0xC02, 64), (3, 0xC03, 64), (4, 0xC04, 48), (7, 0xC05, 32), (9, 0xC06, 40)],
)
def test_counter_info_of_hardware(xlen: int, index: int, csr: int, width: int) -> None:
    assert Machine(xlen).ok("counter_get_info", counter_idx=index) == csr + (width - 1) * 0x1000


def test_counter_info_of_firmware_has_the_top_bit(xlen: int) -> None:
    info = Machine(xlen).ok("counter_get_info", counter_idx=12)
    assert info >> (xlen - 1) == 1 and info & 0xFFF == 0 and info >> 18 & 0xFFF == 0


@pytest.mark.parametrize("index", (1, 5, 11, 14, 64, 0xFFFF_FFFF))
def test_counter_info_of_a_hole_is_invalid(xlen: int, index: int) -> None:
    assert Machine(xlen).error("counter_get_info", counter_idx=index) == "INVALID_PARAM"


def test_a_function_that_does_not_exist_is_not_supported(xlen: int) -> None:
    pmu = Machine(xlen).pmu
    for fid in (9, 0x100, (1 << xlen) - 1, -1):
        assert pmu.call(fid) == SbiRet(sbi.ERRORS["NOT_SUPPORTED"])


@pytest.mark.parametrize(("version", "last"), [((0, 3), 5), ((1, 0), 5), ((2, 0), 7), ((3, 0), 8)])
def test_functions_come_with_their_sbi_version(version: tuple[int, int], last: int) -> None:
    pmu = Machine(platform=Platform.example(sbi_version=version)).pmu
    there = [fid for fid in range(9) if pmu.call(fid, (0x8000_0000,)).name != "NOT_SUPPORTED"]
    assert set(there) | {2} == set(range(last + 1))  # no counter can monitor event 0: NOT_SUPPORTED as well


def test_wide_arguments_are_two_registers_on_rv32_low_first() -> None:
    start = sbi.BY_NAME["counter_start"]
    arguments = {"counter_idx_base": 1, "counter_idx_mask": 2, "start_flags": 1, "initial_value": 0x1122_3344_5566_7788}
    assert start.registers(32, arguments) == (1, 2, 1, 0x5566_7788, 0x1122_3344, 0)
    assert start.registers(64, arguments) == (1, 2, 1, 0x1122_3344_5566_7788, 0, 0)
    for xlen in (32, 64):
        assert start.named(xlen, start.registers(xlen, arguments)) == arguments


def test_boot_stops_all_counters_and_lets_the_supervisor_read_them(machine: Machine) -> None:
    assert machine.csrs[0x320] == 0b111_1101 and machine.csrs[0x306] == 0b111_1101
    assert machine.csrs[0x303] == 1 << 13  # and to take LCOFI
    assert machine.started() == set() and all(machine.event(n) == 0 for n in range(3, 7))


def test_boot_of_firmware_that_leaves_the_fixed_counters_running(xlen: int) -> None:
    machine = Machine(xlen, boot="fixed")
    assert machine.running() == {0, 2} == machine.started()


def test_every_error_of_a_function_has_a_number() -> None:
    assert len(sbi.FUNCTIONS) == 9 and [f.fid for f in sbi.FUNCTIONS] == list(range(9))
    assert {error for f in sbi.FUNCTIONS for error in f.errors} <= set(sbi.ERRORS)
    assert sorted(sbi.ERRORS.values(), reverse=True) == [-n for n in range(15)]
