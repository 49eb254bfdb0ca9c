# SPDX-License-Identifier: Apache-2.0
"""The clauses of accesses: of the rules that decide about an outcome, and of every field that a CSR read shows.

What an access tests by its outcome: `rvtrace.scoreboards.csr.rules`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from rvtrace.models.csr.file import ALL, LOW, Gates
from rvtrace.models.csr.table import Csr
from rvtrace.models.hpm.config import Config
from rvtrace.models.hpm.registers import INHIBITS, LCOFI_BIT, OF_BIT, SELECT_MASK, csr_file
from rvtrace.models.riscv.csr import CLEAR, HS, SET, VS, VU, Access, M
from rvtrace.scoreboards.csr.rules import Suspects
from rvtrace.scoreboards.csr.rules import tested as tested_by_rules

_FILTERS = sum(1 << bit for bit in INHIBITS.values())
_RULES = {
    "absent": "HPM.csr.exists",
    "high": "HPM.csr.high_only",
    "read_only": "HPM.csr.readonly",
    "read_only.guest": "HPM.csr.readonly_guest",
    "debug": "HPM.csr.debug",
    "machine": "HPM.enable.machine",
    "level.machine": "HPM.csr.machine",
    "level.user": "HPM.csr.user",
    "virtual.user": "HPM.csr.vu",
    "virtual.hypervisor": "HPM.csr.vs",
    "done": "HPM.csr.done",
    "counter.high": "HPM.enable.high",
    "counter.time": "HPM.enable.time",
    "counter.illegal_first": "HPM.enable.illegal_first",
    "counter.closed": "HPM.enable.closed",
    "counter.hs_alone": "HPM.enable.hs_alone",
    "counter.open": "HPM.enable.open",
    "counter.no_s": "HPM.enable.no_s",
    "counter.guest_only": "HPM.enable.guest_only",
    "counter.user_open": "HPM.enable.user_open",
    "counter.user_closed": "HPM.enable.user_closed",
    "counter.vs_alone": "HPM.enable.vs_alone",
    "counter.vs_open": "HPM.enable.vs_open",
    "counter.vs_closed": "HPM.enable.vs_closed",
    "counter.vu_open": "HPM.enable.vu_open",
    "counter.vu_supervisor": "HPM.enable.vu_supervisor",
    "counter.vu_hypervisor": "HPM.enable.vu_hypervisor",
}


def tested(config: Config, csr: Csr | None, access: Access, enables: tuple[int, int, int]) -> Suspects:
    """(clause, outcomes that a block which breaks it would give), most specific first. enables: mcounteren, scounteren,
    hcounteren.
    """
    m, s, h = enables
    gates = Gates(mcounteren=m, scounteren=s, hcounteren=h)
    return tested_by_rules(csr_file(config), gates, csr, access, _RULES)


# --- What a read shows ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Last:
    """Who wrote a register last.

    old, now: all 64 bits of it before and after; refused: what refused writes since would have left.
    """

    access: Access | None
    csr: Csr
    old: int
    now: int
    refused: tuple[int, ...] = ()

    def refusing(self, would: int) -> Last:
        """The same, and another write was refused; the last few count."""
        return replace(self, refused=(*self.refused[-3:], would))

    @property
    def kind(self) -> tuple[int, int, bool]:
        """What of it decides the clauses of a read."""
        return (
            (-1, 0, bool(self.refused))
            if self.access is None
            else (self.access.op, self.access.xlen32, bool(self.refused))
        )

    def otherwise(self, config: Config) -> Iterator[tuple[str, int]]:
        """(clause, what a block that breaks it holds)."""
        for would in self.refused:
            yield "HPM.csr.refused", self.csr.warl(would)
        if self.access is None:
            return
        shift = 32 * self.csr.high
        given = self.access.wdata << shift & ALL
        if self.access.op in (SET, CLEAR):
            for value in (
                given,
                self.old ^ given,
                self.old | given if self.access.op == CLEAR else self.old & ~given,
                self.old & given,
            ):
                yield "HPM.csr.setclear", self.csr.warl(value)
        if config.xlen == 64 and self.access.xlen32:
            yield "HPM.csr.narrow_keeps", self.now & LOW
        elif config.xlen == 32:
            yield "HPM.half.write", self.now & LOW << shift


class Shown(NamedTuple):
    """A read: the CSR at the address, the one that answers, who asks; narrow: at XLEN 32; delegated: sip and the like
    show bit 13.
    """

    csr: Csr
    acting: Csr
    access: Access
    narrow: bool
    delegated: bool
    last: Last | None


class Part(NamedTuple):
    """Bits of a value and the clause they belong to."""

    name: str
    mask: int
    clause: str


def fields(config: Config, shown: Shown) -> tuple[Part, ...]:
    """The parts of a value read, and what the whole of it shows (mask 0 counts, and is never wrong)."""
    shift = 32 * shown.csr.high
    seen = LOW if shown.narrow or shown.csr.width == 32 else ALL
    parts = [
        Part(name, mask >> shift & seen, clause) for name, mask, clause in _parts(config, shown) if mask >> shift & seen
    ]
    rest = ALL & ~sum(part.mask for part in parts)
    if rest & seen:
        parts.append(Part("other bits", rest & seen, _REST.get(shown.csr.state, "HPM.csr.other_bits")))
    if config.xlen == 64 and shown.access.xlen32:
        parts.append(Part("upper half", ALL & ~LOW, "HPM.csr.xlen32"))
    return (*parts, *(Part("all", 0, clause) for clause in _whole(config, shown)))


_REST = {
    "mcountinhibit": "HPM.inhibit.absent",
    "scountovf": "HPM.ovf.fixed",
    "mcyclecfg": "HPM.cfg.wpri",
    "minstretcfg": "HPM.cfg.wpri",
    "mcounteren": "HPM.enable.absent",
    "scounteren": "HPM.enable.absent",
    "hcounteren": "HPM.enable.absent",
}


def _parts(config: Config, shown: Shown) -> Iterator[Part]:
    csr, state = shown.csr, shown.csr.state
    if csr.number >= 3 and not config.has(csr.number):
        yield Part("all", ALL, "HPM.absent.zero")
    elif state == "time":
        yield Part("time", ALL, "HPM.time.guest" if shown.access.priv in (VS, VU) else "HPM.time.view")
    elif state.startswith("mhpmevent"):
        yield from _event(config)
    elif csr.number >= 0:
        yield from _count(config, shown)
    elif state in ("mcyclecfg", "minstretcfg"):
        yield Part("OF", 1 << OF_BIT, "HPM.cfg.no_of")
        yield from _filters(config, "HPM.cfg.filters", "HPM.cfg.no_mode")
    elif state in ("mip", "mie", "mideleg", "hideleg"):
        yield Part("bit 13", 1 << LCOFI_BIT, _lcofi(config, shown))
    elif state == "htimedelta":
        yield Part("delta", ALL, "HPM.time.delta")
    elif state == "scountovf":
        yield Part(
            "OF",
            config.counters,
            {M: "HPM.ovf.machine", VS: "HPM.ovf.guest", HS: "HPM.ovf.supervisor"}.get(
                shown.access.priv, "HPM.ovf.machine"
            ),
        )
    elif state == "mcountinhibit":
        yield Part("inhibit", config.inhibit, "HPM.inhibit.bits")
        yield Part("bit 1", 2, "HPM.inhibit.time")
    else:
        yield Part("enables", config.enables, "HPM.enable.bits")


def read_clause(csr: Csr, narrow: bool) -> str:
    """The clause of a read of a counter. narrow: at XLEN 32."""
    if csr.level == "U":
        return "HPM.view.shadow"
    return "HPM.half.high" if csr.high else "HPM.half.low" if narrow else "HPM.read.machine"


def _count(config: Config, shown: Shown) -> Iterator[Part]:
    mask = (1 << config.widths[shown.csr.number]) - 1
    yield Part("count", mask, read_clause(shown.csr, shown.narrow))
    yield Part("beyond the width", ALL & ~mask, "HPM.width.zero")


def _filters(config: Config, present: str, absent: str) -> Iterator[Part]:
    yield Part("xINH", config.inhibits, present)
    yield Part("xINH of a mode that is not implemented", _FILTERS & ~config.inhibits, absent)


def _event(config: Config) -> Iterator[Part]:
    yield Part("SELECT", SELECT_MASK, "HPM.event.select")
    yield Part("bits 57:56", 3 << 56, "HPM.event.wpri")
    if config.has_sscofpmf:
        yield from _filters(config, "HPM.event.filters", "HPM.event.no_mode")
        yield Part("OF", 1 << OF_BIT, "HPM.of.read")
    else:
        yield Part("bits 63:58", ALL & ~SELECT_MASK & ~(3 << 56), "HPM.event.no_ext")


def _lcofi(config: Config, shown: Shown) -> str:
    if not config.has_sscofpmf:
        return "HPM.lcofi.no_ext"
    name = shown.acting.name
    if name == "hideleg":
        return "HPM.lcofi.hideleg" if config.has_shlcofideleg else "HPM.lcofi.no_hideleg"
    if name[0] == "m":
        return "HPM.lcofi.registers"
    world = "guest" if name[0] == "v" else "supervisor"
    return f"HPM.lcofi.{world}" if shown.delegated else f"HPM.lcofi.{world}_closed"


def _whole(config: Config, shown: Shown) -> Iterator[str]:
    """Clauses that a read of the whole register shows."""
    csr, last = shown.csr, shown.last
    if csr.high and csr.number >= 0:
        yield "HPM.half.high"
    if csr.number >= 0 or csr.state in ("mip", "mie", "scountovf"):
        return  # the device shows them in every cycle
    if last is None:
        yield "HPM.reset.zero"
        return
    op, narrow, refused = last.kind
    if refused:
        yield "HPM.csr.refused"
    if op in (SET, CLEAR):
        yield "HPM.csr.setclear"
    if narrow and not shown.narrow and config.xlen == 64:
        yield "HPM.csr.narrow_keeps"
