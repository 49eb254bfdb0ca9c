# SPDX-License-Identifier: Apache-2.0
"""What software does with the CSRs of the subsystem: counters and records set up at the same time, and read
between stretches.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from rvtrace.models.ctr.registers import SELECT
from rvtrace.models.ctr.registers import csr as ctr_csr
from rvtrace.models.ctr.rows import Rows
from rvtrace.models.hpm.registers import csr as hpm_csr
from rvtrace.models.riscv.csr import READ, WRITE, Access, M
from rvtrace.models.subsystem.config import COUNTERS, INHIBITED, Config
from rvtrace.scoreboards.subsystem.capture import Snapshot
from rvtrace.tb.ctr.stimulus.software import Software
from rvtrace.tb.hpm.stimulus.script import Script

FIXED = {0: "mcycle", 2: "minstret"}


class Look(NamedTuple):
    """An access and what its answer is part of: a counter (name, bits it is shifted by), "status", or an entry's number
    and register.
    """

    access: Access
    name: str = ""
    place: int = 0


def set_up(config: Config) -> list[Access]:
    """Counters and records as the configuration says; nothing counts before the last access, which lets all of them
    begin.
    """
    s = Script(config.hpm)
    s.open()
    s.write("mcountinhibit", s.ones() & 0xFFFF_FFFF)
    for n in FIXED:
        s.preset(n, 0)
    for n, selector, modes in zip(COUNTERS, config.events, config.inhibit):
        s.count(n, selector, *(f"{mode}INH" for mode, bit in INHIBITED.items() if modes & bit))
        s.preset(n, 0)
    accesses = [access for _, _, _, access, _, _ in s.rows().cycles() if access is not None]
    return [*accesses, *Software(config.ctr).set_up(), Access(WRITE, hpm_csr("mcountinhibit", config.hpm).address)]


def looks(config: Config) -> list[Look]:
    """What a snapshot reads: every counter, status, every entry."""
    return [*_counters(config), *_records(config)]


def _counters(config: Config) -> Iterator[Look]:
    for name in (*FIXED.values(), *(f"mhpmcounter{n}" for n in COUNTERS)):
        if config.xlen == 32:
            yield Look(Access(READ, hpm_csr(f"{name}h", config.hpm).address), name, 32)
        yield Look(Access(READ, hpm_csr(name, config.hpm).address), name, 0)


def _records(config: Config) -> Iterator[Look]:
    def address(name: str) -> int:
        return ctr_csr(name, config.ctr).address

    yield Look(Access(READ, address("sctrstatus")), "status")
    for entry in range(config.ctr_depth):
        yield Look(Access(WRITE, address("siselect"), SELECT.start + entry))
        for number, register in enumerate(("sireg", "sireg2", "sireg3")):
            yield Look(Access(READ, address(register)), f"entry{entry}", number)


def playing(accesses: list[Access], config: Config) -> Rows:
    """The accesses, one a cycle, as the CSR driver plays them."""
    return Rows.from_rows([(cycle, M, [], access) for cycle, access in enumerate(accesses)], config.ctr.transfers)


def astray(accesses: list[Access], table: np.ndarray) -> list[str]:
    """A sentence if what crossed the port is something else than these accesses."""
    made = [(a.op, a.addr, a.wdata, a.priv) for a in accesses]
    seen = list(zip(*(table[name].tolist() for name in ("op", "addr", "wdata", "priv"))))
    if made == seen:
        return []
    return [f"{len(seen)} CSR accesses crossed the port and {len(made)} were made, or others than those"]


def snapshot(what: list[Look], answers: np.ndarray, at: int) -> Snapshot:
    """A snapshot from the answers to `what`. at: events before it."""
    counters: dict[str, int] = {}
    entries: dict[str, list[int]] = {}
    read: dict[str, int] = {}
    status, cycle = 0, 0
    for look, value, when in zip(what, answers["rdata"].tolist(), answers["cycle"].tolist()):
        if look.name == "status":
            status = value
        elif look.name.startswith("entry"):
            entries.setdefault(look.name, []).append(value)
        elif look.name:
            counters[look.name] = counters.get(look.name, 0) | value << look.place
            read[look.name] = when
            cycle = when if (look.name, look.place) == ("mcycle", 0) else cycle
    valid = [(source & ~1, target, data) for source, target, data in entries.values() if source & 1]
    return Snapshot(at, cycle, counters, valid, status, read)
