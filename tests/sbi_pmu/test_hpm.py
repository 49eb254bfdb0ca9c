# SPDX-License-Identifier: Apache-2.0
"""The SBI PMU extension on the counter model: discovery, counting, filters, overflow with LCOFI, snapshot, restart,
random mixes.
"""

import random

import pytest

from rvtrace.models.hpm.config import Config
from rvtrace.models.hpm.events import Counts
from rvtrace.models.hpm.model import Hpm
from rvtrace.models.riscv.csr import HS, M, U
from rvtrace.models.sbi_pmu.backend_hpm import HpmBackend, platform_of
from rvtrace.models.sbi_pmu.calls import Call, ClientError, FirmwareEvent, act, play
from rvtrace.models.sbi_pmu.client import Client
from rvtrace.models.sbi_pmu.monitor import Monitor
from rvtrace.models.sbi_pmu.pmu import SbiPmu
from rvtrace.models.sbi_pmu.random_calls import random_calls

SHMEM = 0x8000_1000
SET_UINH = 1 << 5


def system(xlen: int, shmem: int | None = SHMEM) -> tuple[Hpm, HpmBackend, SbiPmu, Client]:
    """Counters 3, 4, 5 (40 bits), 9 and the fixed ones; a client that has come up."""
    widths = (64,) * 5 + (40,) + (64,) * 26
    backend = HpmBackend(Hpm(Config(xlen=xlen, counters=0b10_0011_1000, widths=widths)))
    pmu = SbiPmu(platform_of(backend.hpm.config), backend)
    client = Client(xlen, shmem)
    play(client.boot(), pmu, backend)
    return backend.hpm, backend, pmu, client


def test_discovery_finds_all_counters_after_holes(xlen: int) -> None:
    *_, client = system(xlen)
    assert sorted(client.found) == [0, 2, 3, 4, 5, 9, 40, 41, 43]
    assert client.width(5) == 40 and client.csr(9) == 0xC09 and client.firmware(41) and not client.firmware(9)


def test_a_counter_that_cannot_be_stopped_is_not_given_out(xlen: int) -> None:
    """Without its bit of mcountinhibit; counter 5 is not there at all."""
    platform = platform_of(Config(xlen=xlen, counters=0b1_1000, inhibit=0b1001), firmware=(40,))
    assert [counter.index for counter in platform.counters] == [0, 3, 40]


def test_an_event_is_counted_where_it_is_not_filtered(xlen: int) -> None:
    hpm, backend, pmu, client = system(xlen)
    index = play(client.add(3, flags=SET_UINH), pmu, backend)
    other = play(client.add(4), pmu, backend)
    for priv in (U, HS, U, M):
        hpm.cycle(priv, Counts(events=(2, 1)))
    assert play(client.read(index), pmu, backend) == 4  # two events each in S and M
    assert play(client.remove(other), pmu, backend).count == 4
    hpm.cycle(HS, Counts(events=(2, 1)))
    assert play(client.remove(index), pmu, backend).count == 6
    assert play(client.add(3), pmu, backend) in (3, 4)


@pytest.mark.parametrize("shmem", (SHMEM, None))
def test_the_loop_overflow_interrupt_stop_restart(xlen: int, shmem: int | None) -> None:
    hpm, backend, pmu, client = system(xlen, shmem)
    first = play(client.add(3, period=5), pmu, backend)
    play(client.add(4), pmu, backend)
    for _ in range(2):  # twice: start makes OF 0 again
        hpm.cycle(U, Counts(events=(2, 3)))
        hpm.cycle(U, Counts(events=(2, 3)))
        assert hpm.lcofip == 0
        hpm.cycle(U, Counts(events=(2, 3)))  # the sixth of five
        assert hpm.lcofip == 1 and hpm.of == 1 << first
        assert play(client.overflow(), pmu, backend) == [first]
        assert hpm.lcofip == 0 and hpm.of == 0
    assert client.used[first].count == 12 and sum(used.count for used in client.used.values()) == 12 + 18


def test_a_narrow_counter_overflows_at_its_width(xlen: int) -> None:
    hpm, backend, pmu, client = system(xlen)
    for index in (3, 4):
        assert play(client.add(5, period=0), pmu, backend) == index
    assert play(client.add(5, period=2), pmu, backend) == 5
    assert hpm.counter(5) == (1 << 40) - 2
    hpm.cycle(HS, Counts(events=(0, 0, 3)))
    assert hpm.counter(5) == 1 and play(client.overflow(), pmu, backend) == [5] and client.used[5].count == 3


def test_event_info_through_the_client(xlen: int) -> None:
    _, backend, pmu, client = system(xlen)
    asked = [(1, 0), (10, 0), (0x1_0001, 0), (0x2_0000, 9), (0x2_0000, 60), (0xF_0003, 0), (0xF_0016, 0)]
    assert play(client.events(asked, 0x8000_3000), pmu, backend) == [True, True, True, True, False, True, False]


def test_a_client_says_which_call_failed(xlen: int) -> None:
    _, backend, pmu, client = system(xlen)
    with pytest.raises(ClientError, match="counter_config_matching.*event_idx=0x0.*NOT_SUPPORTED"):
        play(client.add(0), pmu, backend)
    play(client.close(), pmu, backend)
    assert client.used == {} and pmu.shmem is None


def test_firmware_counters_through_the_client(xlen: int) -> None:
    _, backend, pmu, client = system(xlen)
    index = play(client.add(0xF_0006), pmu, backend)
    pmu.firmware_event(6, 1 << 33)
    assert play(client.read(index), pmu, backend) == 1 << 33


@pytest.mark.parametrize("policy_seed", range(3))
def test_random_mixes_while_events_happen_in_every_cycle_of_an_access(xlen: int, policy_seed: int) -> None:
    hpm, backend, pmu, _ = system(xlen)
    rng = random.Random(f"{policy_seed}:events")
    backend.counts = lambda: Counts(retired=rng.randrange(3), events=(rng.randrange(2),) * 8)
    monitor = Monitor(xlen, backend.memory)
    monitor.shmem = pmu.shmem
    names = set()
    for action in random_calls(random.Random(f"{policy_seed}:calls"), pmu.platform, 400):
        if not isinstance(action, Call):
            act(action, pmu, backend)
            continue
        stopped = {n: hpm.counter(n) for n in (0, 2, 3, 4, 5, 9) if n not in _started(pmu)}
        ret = monitor.watch(action.fid, action.registers, lambda action=action: pmu.call(*action))
        names.add(ret.name)
        if ret.error:
            assert {n: hpm.counter(n) for n in stopped} == stopped, (
                f"{action.shown(xlen)} failed, yet a stopped counter changed"
            )
    assert {"SUCCESS", "INVALID_PARAM", "NOT_SUPPORTED", "ALREADY_STARTED", "ALREADY_STOPPED"} <= names
    act(FirmwareEvent(1), pmu, backend)


def _started(pmu: SbiPmu) -> set[int]:
    return {logical.index for logical in pmu.counters.all if logical.started}
