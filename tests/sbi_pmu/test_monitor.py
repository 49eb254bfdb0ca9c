# SPDX-License-Identifier: Apache-2.0
"""The memory monitor: it lets pass what the chapter allows, and names what it does not."""

import pytest

from rvtrace.models.sbi_pmu import tables as sbi
from rvtrace.models.sbi_pmu.monitor import Access, Monitor, MonitoredMemory, TouchError
from rvtrace.models.sbi_pmu.pmu import SbiRet

SHMEM = 0x8000_1000
OK, REFUSED = SbiRet(0), SbiRet(-3)
STOP = (sbi.STOP, (3, 0b101, sbi.TAKE_SNAPSHOT))
START = (sbi.START, (3, 0b101, sbi.INIT_SNAPSHOT))
INFO = (sbi.EVENT_GET_INFO, (SHMEM + 0x100, 0, 2, 0))


def write(offset: int, size: int = 8) -> Access:
    return Access(True, SHMEM + offset, bytes(size), "test")


def read(offset: int, size: int = 8) -> Access:
    return Access(False, SHMEM + offset, bytes(size), "test")


def monitor() -> Monitor:
    one = Monitor(64)
    one.check(sbi.SET_SHMEM, (SHMEM, 0, 0), OK, [])
    return one


@pytest.mark.parametrize(
    ("call", "accesses"),
    [
        (STOP, [write(8), write(24), write(0)]), (STOP, [write(0), read(0), write(24, 4), write(28, 4), write(8)]),
        (START, [read(8), read(24)]), (START, []), (INFO, [read(0x100, 32), write(0x104, 4), write(0x114, 4)]),
    ],
)  # fmt: skip
def test_allowed(call: tuple[int, tuple[int, ...]], accesses: list[Access]) -> None:
    monitor().check(*call, OK, accesses)


@pytest.mark.parametrize(
    ("call", "ret", "accesses", "reported"),
    [
        (STOP, OK, [write(16)], "write of 8 bytes at 0x80001010"),  # slot 1 is not named
        (STOP, OK, [write(8, 16)], "write of 16 bytes"),
        (STOP, OK, [write(8), write(24)], "did not write 0x80001000 to 0x80001007"),
        (STOP, OK, [write(8), write(0)], "did not write 0x80001018"),
        (STOP, REFUSED, [write(0)], "failed with INVALID_PARAM"),
        ((sbi.STOP, (3, 0b101, sbi.RESET)), OK, [write(0)], "it may touch nothing only"),
        (START, OK, [write(8)], "counter_start did a write"),
        (START, OK, [read(0)], "read of 8 bytes at 0x80001000"), (START, OK, [read(0, 4096)], "read of 4096 bytes"),
        ((sbi.START, (3, 1, sbi.SET_INIT_VALUE)), OK, [read(8)], "read"),
        ((sbi.SET_SHMEM, (SHMEM, 0, 0)), OK, [write(0, 4096)], "snapshot_set_shmem"),
        (INFO, OK, [write(0x100, 4)], "write of 4 bytes"), (INFO, OK, [write(0x104, 4)], "did not write 0x80001114"),
        (INFO, OK, [write(0x104, 2), write(0x114, 4)], "did not write 0x80001104"), (INFO, OK, [read(0x120)], "read"),
        ((sbi.NUM_COUNTERS, ()), OK, [read(0)], "num_counters"), ((77, ()), REFUSED, [read(0)], "function 77"),
    ],
)  # fmt: skip
def test_not_allowed(call: tuple[int, tuple[int, ...]], ret: SbiRet, accesses: list[Access], reported: str) -> None:
    with pytest.raises(TouchError, match=reported):
        monitor().check(*call, ret, accesses)


@pytest.mark.parametrize("ones", (True, False))
def test_it_follows_the_snapshot_address(ones: bool) -> None:
    one, low = monitor(), (1 << 64) - 1 if ones else SHMEM + 0x1000
    one.check(sbi.SET_SHMEM, (low, low if ones else 0, 0), OK, [])
    with pytest.raises(TouchError):
        one.check(*STOP, OK, [write(8), write(24), write(0)])
    again = monitor()
    again.check(sbi.SET_SHMEM, (low, 0, 1), REFUSED, [])
    again.check(*STOP, OK, [write(8), write(24), write(0)])


def test_rv32_addresses_have_two_registers() -> None:
    one = Monitor(32)
    one.check(sbi.SET_SHMEM, (0x8000_1000, 0x3, 0), OK, [])
    one.check(*START, OK, [Access(False, 0x3_8000_1008, bytes(8), "test")])
    with pytest.raises(TouchError):
        one.check(*START, OK, [read(8)])


def test_watch_sees_a_change_from_outside() -> None:
    memory = MonitoredMemory(SHMEM, 0x1000)

    def call() -> SbiRet:
        memory.write(SHMEM, b"x")
        return OK

    with pytest.raises(TouchError, match="without an access"):
        Monitor(64, memory).watch(sbi.NUM_COUNTERS, (), call)
