"""`perf stat` and `perf record` in small: a supervisor counts the events of a program, some of them by sampling, through SBI PMU calls only.

    counted = yield from perf(config, runs, 1000)
    [{"event": "CPU_CYCLES", "event_idx": 1, "counter": 0, "count": 123456, "samples": 123}, ...]
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from models.hpm.events import Counts
from models.hpm.rows import Rows
from models.riscv.csr import READ, SET
from models.sbi_pmu import tables as sbi
from models.sbi_pmu.calls import ClientError, Run, Script, SupervisorCsr
from models.sbi_pmu.client import LCOFIP, SIP, Client
from models.sbi_pmu.config import Config
from models.sbi_pmu.tables import event_name

SIE, SNAPSHOT = 0x104, 0x8000_1000
EVENTS = (sbi.CPU_CYCLES, sbi.INSTRUCTIONS, 3, 4, 5, 6, 7, 8, 9, 10)  # event_idx, most wanted first
_POLL = 64  # stretches of the program between two looks at sip


def runs_of(rows: Rows) -> list[Run]:
    """What a hart does in the cycles of some rows: nothing happens between two of them but cycles. Accesses in them are left out."""
    runs = []
    for (_, priv, counts, _, _, _), cycles in zip(rows.cycles(), rows.clocks.tolist()):
        runs.append(Run(priv, counts))
        if cycles > 1:
            runs.append(Run(priv, Counts(counts.cycle, stopcount=counts.stopcount), cycles - 1))
    return runs


def perf(config: Config, runs: Iterable[Run], period: int) -> Script[list[dict[str, Any]]]:
    """Counts every event that there is a counter for while the hart runs, from its first cycle to its last; cache and branch misses by sampling.

    The counters stand still in the handler, and the handler costs no count where the cycles of CSR accesses are quiet.
    """
    client = Client(config.xlen, SNAPSHOT)
    yield from client.boot()
    if config.has_sscofpmf:
        yield SupervisorCsr(SET, SIE, LCOFIP)
    for event in EVENTS:
        try:
            yield from client.add(event, period=period if config.has_sscofpmf and event in (4, 6) else 0, start=False)
        except ClientError:
            continue  # no counter is free for it
    for index in client.used:
        yield from client.start(index)
    samples = dict.fromkeys(client.used, 0)
    for number, run in enumerate(runs):
        yield run
        if number % _POLL == 0:
            yield from _sampled(config, client, samples)
    yield from _sampled(config, client, samples)
    counted = []
    for index in list(client.used):
        used = yield from client.remove(index)
        counted.append({"event": event_name(used.event), "event_idx": used.event, "counter": index, "count": used.count, "samples": samples[index]})
    yield from client.close()
    return counted


def _sampled(config: Config, client: Client, samples: dict[int, int]) -> Script[None]:
    for index in (yield from handle(config, client)):
        samples[index] += 1


def handle(config: Config, client: Client) -> Script[list[int]]:
    """The overflow handler, if LCOFI is pending; the counters that overflowed."""
    if not config.has_sscofpmf or not ((yield SupervisorCsr(READ, SIP)) or 0) & LCOFIP:
        return []
    return (yield from client.overflow())


def listing(counted: Iterable[dict[str, Any]]) -> str:
    """What perf stat would print."""
    lines = [f"{row['count']:>16,}  {row['event']:<26} counter {row['counter']:<3}" + (f" {row['samples']} samples" if row["samples"] else "") for row in counted]
    return "\n".join(line.rstrip() for line in lines) + "\n"
