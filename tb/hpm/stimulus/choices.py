# SPDX-License-Identifier: Apache-2.0
"""Accesses that show what a device chose, for one that does not declare the profile.

A scenario writes selectors and enables without reading each back. What a device keeps of them is its choice, so that a
count is judged only if the run shows it somewhere: `asking` adds these reads where they disturb nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rvtrace.models.hpm.config import FIRST, Config
from rvtrace.models.hpm.events import FIRST_EVENT
from rvtrace.models.hpm.registers import SELECT_MASK, csrs
from rvtrace.models.hpm.rows import NO_ACCESS, Rows
from rvtrace.models.riscv.csr import DEBUG, READ, WRITE, M
from rvtrace.tb.hpm.stimulus.script import Script

_MASKS = ("mcountinhibit", "mcounteren", "scounteren", "hcounteren")


def asking(rows: Rows, config: Config) -> Rows:
    """Accesses that read what registers hold, what each selector that the rows write leaves, and which bits are kept;
    mcountinhibit and the enables are 0 after them.
    """
    s = Script(config)
    for name in (*_MASKS, "mcyclecfg", "minstretcfg", *(f"mhpmevent{n}" for n in range(FIRST, 32) if config.has(n))):
        if name in s.there:
            s.look(name)
    s.read("time")
    for name in _MASKS:
        if name in s.there:
            for value in (0xFFFF_FFFF, 0):
                s.write(name, value, M)
                s.read(name, M)
    for n, value in sorted(_written(rows, config)):
        s.write(f"mhpmevent{n}", value, M)
        s.read(f"mhpmevent{n}", M)
    return s.rows()


def _written(rows: Rows, config: Config) -> set[tuple[int, int]]:
    """Counter and SELECT of all writes of selectors that the counter can count."""
    events = {c.address: c.number for c in csrs(config) if c.state.startswith("mhpmevent") and not c.high}
    made = (rows.op == WRITE) & np.isin(rows.addr, list(events))
    pairs = {
        (events[addr], value & SELECT_MASK) for addr, value in zip(rows.addr[made].tolist(), rows.wdata[made].tolist())
    }
    return {
        (n, value)
        for n, value in pairs
        if (selector := config.selector(value)) is not None and config.has(n) and config.selectors[n] >> selector & 1
    }


def started(config: Config) -> Rows:
    """Accesses after reset: settings have any value then, so that the counters may not run."""
    s = Script(config)
    for name in ("mcountinhibit", "mcyclecfg", "minstretcfg"):
        if name in s.there:
            s.look(name)
            s.write(name, 0, M)
            s.look(name)
    return s.rows()


def foreign(rows: Rows, config: Config, without: Sequence[str], at_start: bool = False) -> Rows:
    """The rows for a device of another house: the counters run at the start, nothing is
    written to CSRs that are not of a counter block, its choices
    are asked (at the start of programs, which end with a look at the counters, else at the end), and the hart is in the
    mode of each access if one of the two ports is not there ("csr_priv", "priv"), in M-mode always if both are not.
    """
    known = {c.address for xlen in (32, 64) for c in csrs(Config(xlen=xlen))}
    out = rows.select(np.arange(len(rows)))
    out.op[(out.op != NO_ACCESS) & ~np.isin(out.addr, list(known))] = READ
    asked, looks = asking(out, config), Script(config)
    looks.look_at()  # counts are judged from one look to the next
    begun = started(config)
    out = Rows.concat(
        [begun, asked, looks.rows(), out] if at_start else [begun, looks.rows(), out, looks.rows(), asked]
    )
    missing = {"csr_priv", "priv"} & set(without)
    if len(missing) == 2:
        out.priv[:], out.mode[:], out.stopcount[:] = M, M, 0
    elif missing:
        out = _one_mode(out)
    return out


def _one_mode(rows: Rows) -> Rows:
    """The hart is in the mode of each access in its cycle, and in its own before and after it."""
    apart = (rows.op != NO_ACCESS) & (rows.mode != rows.priv)
    behind = np.flatnonzero(apart & (rows.clocks > 1))
    quiet = rows.select(behind)
    quiet.cycle, quiet.op[:] = quiet.cycle + np.uint64(1), NO_ACCESS
    quiet.retired[:], quiet.events[:] = 0, 0
    out = rows.select(np.arange(len(rows)))
    out.priv[apart] = out.mode[apart]
    out.stopcount[apart & (out.mode != DEBUG)] = 0
    both = {name: np.concatenate([getattr(out, name), getattr(quiet, name)]) for name in Rows.DTYPES}
    return Rows(**both).select(np.argsort(both["cycle"], kind="stable"))


def clipped(rows: Rows, config: Config) -> Rows:
    """No event happens more often in a cycle than its width can say."""
    most = [(1 << config.event_width(FIRST_EVENT + k)) - 1 for k in range(rows.width)]
    rows.events = np.minimum(rows.events, np.array(most, np.uint8))
    return rows
