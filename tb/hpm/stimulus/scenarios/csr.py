# SPDX-License-Identifier: Apache-2.0
"""Counter scenarios of CSRs: every address from every mode, enables, what each field keeps, views, time, XLEN 32."""

from __future__ import annotations

from itertools import product

from rvtrace.models.hpm.config import Config
from rvtrace.models.hpm.registers import INHIBITS, csrs
from rvtrace.models.riscv.csr import CLEAR, READ, SET, WRITE, Access, M
from rvtrace.tb.hpm.stimulus.scenarios.base import (
    ALL,
    EACH,
    GUEST,
    PLAIN,
    RV32,
    USER,
    VIRTUAL,
    WIDE,
    ScenarioScript,
    scenario,
)

ONES = (1 << 64) - 1


@scenario("HPM.csr.exists", "HPM.csr.high_only", "HPM.csr.readonly", "HPM.csr.readonly_guest", "HPM.csr.machine",
          "HPM.csr.user", "HPM.csr.vu", "HPM.csr.vs", "HPM.csr.debug", "HPM.csr.done", "HPM.csr.refused", "HPM-8",
          configs=EACH)  # fmt: skip
def addresses(s: ScenarioScript) -> None:
    """Every CSR there could be and its neighbours, read and written from every mode; all enables are open."""
    every = {c.address for xlen in (32, 64) for c in csrs(Config(xlen=xlen))}
    some = {c.address for c in csrs(Config()) if c.number < 6 or c.number > 29}
    around = sorted(a for a in every | {a + d for a in some for d in (-1, 1)})
    for mode in s.everyone():
        for address in around:
            s.step(Access(READ, address, 0, mode, s.cycle & 1))
        for address in sorted(some):
            s.step(Access(READ, address, 0, mode, 1))
            for op in (SET, CLEAR):
                s.step(Access(op, address, 0, mode))
    for mode in s.everyone():
        for address in sorted(some):
            for op, value in ((WRITE, 0x4A5A_0F0F), (SET, 0x2000), (CLEAR, 1)):
                if mode in s.modes[1:] or address >> 10 == 3:
                    s.step(Access(op, address, value, mode, address >> 7 & 1))
        s.seen(*s.numbers[:2])
        s.open()
    for address in range(0, 0x1000, 29):
        s.step(Access(READ, address, 0, M))


@scenario(*(f"HPM.enable.{name}"
            for name in ("closed", "open", "user_closed", "user_open", "no_s", "vs_closed", "vs_open",
                         "vu_supervisor", "vu_hypervisor", "vu_open", "machine", "high", "time", "illegal_first",
                         "hs_alone", "guest_only", "vs_alone")),
          "HPM-8", configs=ALL)  # fmt: skip
def enables(s: ScenarioScript) -> None:
    """All settings of the three enables, of each counter alone and of all: every view from every mode, both halves."""
    thin = int(s.config.xlen == 64)
    names = [name for name in ("mcounteren", "scounteren", "hcounteren") if name in s.there]
    for opened in product((0, 0xFFFF_FFFF), repeat=len(names)):
        for name, value in zip(names, opened):
            s.write(name, value, M)
        for mode in s.everyone():
            for n in dict.fromkeys((0, 2, *s.numbers[:3], *s.numbers[-1:])):
                s.read(s.view(n), mode)
                s.read(f"{s.view(n)}h", mode, thin)
            s.read("time", mode)
            s.read("timeh", mode, thin)
            s.write("cycle", 1, mode)
    for n in (0, 1, 2, *s.numbers):
        for chosen in range(1 << len(names)):
            for k, name in enumerate(names):
                s.write(name, 1 << n if chosen >> k & 1 else 0xFFFF_FFFF & ~(1 << n), M)
            for mode in s.modes[1:]:
                s.read("time" if n == 1 else s.view(n), mode)


@scenario("HPM.enable.bits", "HPM.enable.absent", "HPM.csr.setclear", "HPM.csr.other_bits", "HPM.cfg.wpri",
          "HPM.cfg.no_of", "HPM.cfg.filters", "HPM.cfg.no_mode", "HPM.event.filters", "HPM.event.no_mode",
          "HPM.event.wpri", "HPM.event.no_ext", "HPM.time.delta", "HPM.inhibit.bits", configs=EACH)  # fmt: skip
def values(s: ScenarioScript) -> None:
    """Every register of settings keeps what it has: all ones, single bits, random; written, set and cleared."""
    names = [
        c.name
        for c in csrs(s.config)
        if not c.high and c.level != "U" and c.address >> 8 != 0xB and not c.read_only and c.number < 7
    ]
    for name in names:
        bits = [*INHIBITS.values(), 63, 57, 56, 55, 13, 3, 1, 0, 31, 32]
        for value in (ONES, 0, *(1 << bit for bit in bits), s.rng.getrandbits(64), s.rng.getrandbits(64)):
            s.whole(name, value)
            s.look(name)
            s.set(name, s.rng.getrandbits(s.config.xlen), M)
            s.look(name)
            s.clear(name, s.rng.getrandbits(s.config.xlen), M)
            s.look(name)
            s.set(name, 0, M)
            s.clear(name, 0, M)
        s.whole(name, 0)
        s.open()


@scenario(
    "HPM.absent.zero",
    "HPM.absent.counts",
    "HPM.enable.absent",
    "HPM.inhibit.absent",
    configs=(RV32, PLAIN, USER, GUEST),
)
def absent(s: ScenarioScript) -> None:
    """Counters that are not there: their registers read 0 and ignore writes, their bits of the enables are 0."""
    thin = int(s.config.xlen == 64)
    for n in [n for n in range(3, 32) if n not in s.numbers]:
        s.whole(s.counter(n), ONES)
        s.whole(f"mhpmevent{n}", ONES)
        s.everything()
        for name in (s.counter(n), f"mhpmevent{n}", s.view(n)):
            s.read(name, M)
        s.read(f"{s.counter(n)}h", M, thin)
        for mode in s.modes[1:]:
            s.read(s.view(n), mode)
    for name in ("mcountinhibit", "mcounteren", "scounteren", "hcounteren"):
        if name in s.there:
            for value in (s.ones(), 0):
                s.write(name, value, M)
                s.read(name, M)


@scenario("HPM.time.view", "HPM.time.guest", "HPM.time.delta", configs=VIRTUAL)
def time(s: ScenarioScript) -> None:
    """The clock, from every mode, with and without a delta, also where the sum wraps; both halves."""
    thin = int(s.config.xlen == 64)
    deltas = (0, 1, 0x1_0000_0000, ONES - 2, 1 << 63) if "htimedelta" in s.there else (0,)
    for now, delta in product((0, 0xFFFF_FFF0, ONES - 40, 1 << 62), deltas):
        if "htimedelta" in s.there:
            s.whole("htimedelta", delta)
            s.look("htimedelta")
        s.time = now
        for mode in s.modes:
            s.read("time", mode)
            s.read("timeh", mode, thin)
            s.read("time", mode, thin)


@scenario("HPM.reset.zero", configs=ALL, fresh=True)
def reset_values(s: ScenarioScript) -> None:
    """Every register after reset, before anything is written."""
    for c in csrs(s.config):
        s.step(Access(READ, c.address, 0, M, int(c.high and s.config.xlen == 64)))
    s.everything()
    s.idle(5)
    s.seen()


@scenario("HPM.csr.xlen32", "HPM.csr.narrow_keeps", "HPM.half.low", "HPM.half.high", configs=WIDE)
def narrow_views(s: ScenarioScript) -> None:
    """Accesses at XLEN 32 on a 64-bit hart: half a register is read, the other half stays."""
    every = [c for c in csrs(s.config) if c.number < 5 and not c.high]
    for c in every:
        both = f"{c.name}h" in s.there
        if not c.read_only:
            for value in (0x8765_4321_0FED_CBA9, ONES, 0):
                for op in (WRITE, SET, CLEAR):
                    s.write(c.name, value, M)
                    s.step(Access(op, c.address, 0x5555_0000_AAAA_2001, M, 1))
                    s.read(c.name, M)
                    s.read(c.name, M, 1)
                    if both:
                        s.step(Access(op, s.address(f"{c.name}h"), 0x7777_1234_5678_9ABC, M, 1))
                        s.read(f"{c.name}h", M, 1)
                        s.read(c.name, M)
            s.open()
        for mode in s.modes:
            s.read(c.name, mode, 1)
            if both:
                s.read(f"{c.name}h", mode, 1)
