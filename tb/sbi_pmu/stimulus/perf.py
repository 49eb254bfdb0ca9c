# SPDX-License-Identifier: Apache-2.0
"""`perf stat` and `perf record` in small: a supervisor counts the events of a program, some of them by sampling,
through SBI PMU calls only.

counted = yield from perf(config, runs, 1000)
[{"event": "cycles", "counter": 0, "count": 123456, "samples": 0}, ...]
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from rvtrace.models.hpm.events import Counts
from rvtrace.models.hpm.rows import Rows
from rvtrace.models.riscv.csr import READ, SET
from rvtrace.models.sbi_pmu import tables as sbi
from rvtrace.models.sbi_pmu.calls import ClientError, Run, Script, SupervisorCsr
from rvtrace.models.sbi_pmu.client import LCOFIP, SIP, Client
from rvtrace.models.sbi_pmu.config import Config

SIE, SNAPSHOT = 0x104, 0x8000_1000
_POLL = 64  # stretches of the program between two looks at sip


class Counted(NamedTuple):
    """An event that perf counts. name: as in its listing. sampled: whether its overflows interrupt."""

    name: str
    event_idx: int
    event_data: int = 0
    flags: int = 0
    sampled: bool = False


_USER = sbi.SET_MINH | sbi.SET_SINH | sbi.SET_VSINH | sbi.SET_VUINH
_KERNEL = sbi.SET_MINH | sbi.SET_UINH | sbi.SET_VSINH | sbi.SET_VUINH
_RAW = sbi.event_idx(sbi.RAW_V2)
EVENTS = (  # most wanted first; raw ones are those of tb/hpm/stimulus/programs.py
    Counted("cycles", sbi.CPU_CYCLES),
    Counted("instructions", sbi.INSTRUCTIONS),
    Counted("cache-misses", 4, sampled=True),
    Counted("branch-misses", 6, sampled=True),
    Counted("cache-references", 3),
    Counted("branches", 5),
    *(Counted(name, _RAW, selector) for selector, name in ((7, "traps"), (8, "jumps"), (9, "calls"), (10, "returns"))),
    Counted("instructions:u", sbi.INSTRUCTIONS, 0, _USER),
    Counted("instructions:k", sbi.INSTRUCTIONS, 0, _KERNEL),
    Counted("cycles:u", sbi.CPU_CYCLES, 0, _USER),
    Counted("cycles:k", sbi.CPU_CYCLES, 0, _KERNEL),
)


def runs_of(rows: Rows) -> list[Run]:
    """What a hart does in the cycles of some rows: nothing happens between two of them but cycles. Accesses in them are
    left out.
    """
    runs = []
    for (_, priv, counts, _, _, _), cycles in zip(rows.cycles(), rows.clocks.tolist()):
        runs.append(Run(priv, counts))
        if cycles > 1:
            runs.append(Run(priv, Counts(counts.cycle, stopcount=counts.stopcount), cycles - 1))
    return runs


def driver(config: Config, shmem: int | None) -> Client:
    """A supervisor's driver that looks for counters as far as there are any."""
    return Client(config.xlen, shmem, max((counter.index for counter in config.platform.counters), default=0) + 1)


def perf(config: Config, runs: Iterable[Run], period: int) -> Script[list[dict[str, Any]]]:
    """Counts every event that there is a counter for while the hart runs, from its first cycle to its last; cache and
    branch misses by sampling.

    The counters are stopped in the handler, and the handler costs no count where the cycles of CSR accesses are quiet.
    """
    client = driver(config, SNAPSHOT)
    yield from client.boot()
    if config.has_sscofpmf:
        yield SupervisorCsr(SET, SIE, LCOFIP)
    wanted: dict[int, Counted] = {}
    raw = _RAW if config.sbi >= 30 else sbi.event_idx(sbi.RAW)  # v2 came with SBI 3.0
    for event in EVENTS:
        try:
            event_idx = raw if event.event_idx == _RAW else event.event_idx
            index = yield from client.add(
                event_idx,
                event.event_data,
                period if event.sampled and config.has_sscofpmf else 0,
                event.flags,
                start=False,
            )
        except ClientError:
            continue  # no counter is free for it
        wanted[index] = event
    for index in wanted:
        yield from client.start(index)
    samples = dict.fromkeys(wanted, 0)
    for number, run in enumerate(runs):
        yield run
        if number % _POLL == 0:
            yield from _sampled(config, client, samples)
    yield from _sampled(config, client, samples)
    out = []
    for index, event in wanted.items():
        used = yield from client.remove(index)
        out.append({"event": event.name, "counter": index, "count": used.count, "samples": samples[index]})
    yield from client.close()
    return out


def _sampled(config: Config, client: Client, samples: dict[int, int]) -> Script[None]:
    for index in (yield from handle(config, client)):
        samples[index] += 1


def handle(config: Config, client: Client) -> Script[list[int]]:
    """The overflow handler, if LCOFI is pending; the counters that overflowed."""
    if not config.has_sscofpmf or not ((yield SupervisorCsr(READ, SIP)) or 0) & LCOFIP:
        return []
    return (yield from client.overflow())
