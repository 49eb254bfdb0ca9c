# SPDX-License-Identifier: Apache-2.0
"""Random supervisors: stretches of perf sessions and of call mixes, legal and illegal, on a hart that works meanwhile.

A script of `rvtrace.models.sbi_pmu.calls`: it takes answers, and so can be played on a model and on RTL.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from rvtrace.models.hpm.events import Counts
from rvtrace.models.riscv.csr import CLEAR, DEBUG, HS, READ, SET, VS, VU, WRITE, M, U
from rvtrace.models.sbi_pmu import tables as sbi
from rvtrace.models.sbi_pmu.calls import Call, ClientError, FirmwareEvent, Peek, Run, Script, SupervisorCsr
from rvtrace.models.sbi_pmu.client import LCOFIP, SCOUNTOVF, SIP, Client
from rvtrace.models.sbi_pmu.config import OWN_DATA, OWN_EVENT, Config
from rvtrace.models.sbi_pmu.platform import Hardware
from rvtrace.models.sbi_pmu.random_calls import random_calls
from rvtrace.tb.sbi_pmu.stimulus.perf import SIE, SNAPSHOT, driver, handle

SCOUNTEREN, ENTRIES = 0x106, 0x8000_3000
_FEW = 40  # calls in a stretch
_CODES = (0, 5, OWN_EVENT, sbi.FIRMWARE_PLATFORM)  # firmware events that happen


class Software:
    """What runs on the hart: stretches of cycles in any mode, each with its own density of events, and the supervisor's
    CSR accesses.
    """

    def __init__(self, config: Config, rng: Random) -> None:
        self.config, self.rng = config, rng
        self.modes = [U, HS, *([VU, VS] if config.has_h else [])]
        self.new_habits()

    def new_habits(self) -> None:
        """Another mode and other shares of events."""
        rng = self.rng
        self.density = rng.choice((0.02, 0.3, 0.9))
        self.priv = rng.choice(self.modes) if rng.random() < 0.95 else rng.choice((M, DEBUG))

    def cycle(self) -> Counts:
        """What happens in a cycle."""
        rng, config = self.rng, self.config
        largest = (1 << config.event_bits) - 1
        events = tuple(rng.randint(1, largest) if rng.random() < self.density else 0 for _ in range(config.events))
        stopped = int(self.priv == DEBUG and rng.random() < 0.5)
        return Counts(
            int(rng.random() < 0.97),
            rng.randint(0, config.retired) if rng.random() < self.density else 0,
            events,
            stopped,
        )

    def runs(self) -> Iterator[Run]:
        """A stretch of cycles, the mode changes now and then; rarely one of many equal cycles."""
        rng = self.rng
        for _ in range(rng.choice((1, 3, 10))):
            if rng.random() < 0.2:
                self.new_habits()
            yield Run(self.priv, self.cycle(), rng.choice((1, 1, 1, 2, 2, 20)))

    def access(self) -> SupervisorCsr:
        """An access that a supervisor makes: counters, overflows, interrupt and enables, once in a while something it
        may not.
        """
        rng, pick = self.rng, self.rng.random()
        if pick < 0.5:
            there = [n for n in range(32) if self.config.has(n)]
            number = rng.choice(there) if rng.random() < 0.9 else rng.randrange(32)
            high = 0x80 if self.config.xlen == 32 and rng.random() < 0.5 else 0
            return SupervisorCsr(READ, 0xC00 + high + number)
        if pick < 0.7:
            return SupervisorCsr(READ, SCOUNTOVF)
        if pick < 0.9:
            return SupervisorCsr(rng.choice((READ, READ, CLEAR, CLEAR, SET)), SIP, LCOFIP)
        if pick < 0.97:
            return SupervisorCsr(rng.choice((WRITE, SET, CLEAR)), rng.choice((SIE, SCOUNTEREN)), rng.getrandbits(32))
        return SupervisorCsr(
            rng.choice((READ, WRITE, SET)), rng.choice((0x320, 0xB00, 0xB03, 0x323, 0x344)), rng.getrandbits(32)
        )


def random_supervisor(config: Config, rng: Random, calls: int) -> Script[None]:
    """About so many calls, in stretches of perf sessions and of random mixes."""
    software = Software(config, rng)
    while calls > 0:
        few = min(calls, rng.randint(_FEW // 2, _FEW))
        calls -= few
        if rng.random() < 0.7:
            yield from mix(config, rng, software, few)
            continue
        try:
            yield from session(config, rng, software, few)
        except ClientError:
            if config.policy == "strict":  # a driver need not come to terms with every other policy
                raise


def mix(config: Config, rng: Random, software: Software, calls: int) -> Script[None]:
    """Random calls; between them the hart works, and the supervisor looks at CSRs and memory."""
    for action in random_calls(rng, config.platform, calls):
        yield action
        if not isinstance(action, Call):
            continue
        if rng.random() < 0.5:
            yield from software.runs()
        if rng.random() < 0.5:
            yield software.access()
        if rng.random() < 0.3:
            yield Peek(
                *rng.choice(((SNAPSHOT, sbi.BITMAP_OFFSET + 16 * sbi.VALUE_SIZE), (ENTRIES, 80), (0x8000_0000, 0x600)))
            )


def session(config: Config, rng: Random, software: Software, rounds: int) -> Script[None]:
    """A perf session: events are added, counted, sampled with interrupts, removed; with snapshot memory or without."""
    client = driver(config, SNAPSHOT if rng.random() < 0.7 else None)
    yield from client.boot()
    yield SupervisorCsr(SET, SIE, LCOFIP)
    events = sorted(countable(config))
    if config.event_info and config.sbi >= 30 and rng.random() < 0.3:
        yield from client.events([(event, 0) for event in rng.sample(events, min(5, len(events)))], ENTRIES)
    for _ in range(rounds):
        pick = rng.random()
        if pick < 0.3:
            yield from _add(client, rng, rng.choice(events))
        elif pick < 0.4 and client.used:
            yield from client.remove(rng.choice(list(client.used)))
        elif pick < 0.5 and client.used:
            yield from client.read(rng.choice(list(client.used)))
        else:
            yield from software.runs()
            yield FirmwareEvent(rng.choice(_CODES), rng.randint(1, 3), OWN_DATA)
        yield from handle(config, client)
    yield from client.close()


def countable(config: Config) -> set[int]:
    """event_idx of everything that some counter of the platform can monitor, raw events aside."""
    platform = config.platform
    own = {event for counter in platform.counters if isinstance(counter, Hardware) for event in counter.events}
    return own | ({sbi.event_idx(sbi.FIRMWARE, code) for code in _CODES} if config.firmware else set())


def _add(client: Client, rng: Random, event: int) -> Script[None]:
    flags = rng.choice(
        (0, 0, sbi.CLEAR_VALUE, sbi.SET_UINH, sbi.SET_SINH, sbi.SET_MINH | sbi.SET_VSINH | sbi.SET_VUINH)
    )
    data = OWN_DATA if event == sbi.event_idx(sbi.FIRMWARE, sbi.FIRMWARE_PLATFORM) else 0
    try:
        yield from client.add(event, data, rng.choice((0, 1, 7, 100)), flags)
    except ClientError:
        return  # no counter is free for it
