# SPDX-License-Identifier: Apache-2.0
"""Random rows: a hart that works in any mode, and CSR accesses of any kind that meet what it counts in the same cycles.

Three things alternate: work with accesses here and there, idle stretches in which counters of cycles wrap, and aimed
pieces, in which a counter is brought to overflow in a certain cycle, with accesses of every kind in that cycle and
those around it.
"""

from __future__ import annotations

from random import Random

from rvtrace.models.csr.table import Csr
from rvtrace.models.hpm.config import Config
from rvtrace.models.hpm.events import CYCLES, FIRST_EVENT, RETIRED
from rvtrace.models.hpm.registers import INHIBITS, LCOFI_BIT, OF_BIT, csr_file, csrs
from rvtrace.models.riscv.csr import CLEAR, DEBUG, HS, READ, SET, VS, VU, WRITE, Access, M, U
from rvtrace.tb.common.stimulus.csr_random import RandomCsrs
from rvtrace.tb.hpm.stimulus.script import Script

_KINDS = {  # of accesses: weight, names
    "counter": (6, ()),
    "event": (4, ("mcyclecfg", "minstretcfg")),
    "view": (3, ()),
    "inhibit": (2, ("mcountinhibit",)),
    "lcofi": (4, ("mip", "mie", "sip", "sie", "vsip", "vsie")),
    "enable": (2, ("mcounteren", "scounteren", "hcounteren")),
    "delegation": (1, ("mideleg", "hideleg")),
    "overflow": (2, ("scountovf",)),
    "delta": (1, ("htimedelta",)),
}
_FOREIGN = (
    0xB01,
    0xB81,
    0x321,
    0x721,
    0x722,
    0xDA0,
    0x603,
    0x605,
    0x615,
    0x612,
    0x313,
    0x316,
    0x645,
    0xC1F,
    0xC9F,
    0x100,
    0x300,
)
_LCOFI = 1 << LCOFI_BIT
_LONG = (3, 20, 300, 5000)


def modes(config: Config) -> tuple[int, ...]:
    """Privileges of an implementation, Debug Mode included."""
    return (
        M,
        DEBUG,
        *((U,) if config.has_u else ()),
        *((HS,) if config.has_s else ()),
        *((VU, VS) if config.has_h else ()),
    )


def _kind(csr: Csr) -> str:
    """The kind of a CSR, of those of `_KINDS`."""
    if csr.address >> 8 in (0xB, 0xC):
        return "counter" if csr.address >> 8 == 0xB else "view"
    name = csr.name.removesuffix("h") if csr.high else csr.name
    return next((kind for kind, (_, names) in _KINDS.items() if name in names), "event")


class Csrs(RandomCsrs):
    """Random accesses of one implementation."""

    def __init__(self, config: Config, rng: Random) -> None:
        super().__init__(csr_file(config), modes(config), rng, _FOREIGN)
        self.config = config
        self.present = [n for n in range(32) if config.has(n)]
        self.programmable = [n for n in self.present if n > 2]
        self._kinds: dict[str, list[Csr]] = {
            kind: [c for c in csrs(config) if _kind(c) == kind and (c.number < 2 or config.has(c.number))]
            for kind in _KINDS
        }
        self._kinds["any"] = list(csrs(config))
        weights = {kind: weight for kind, (weight, _) in _KINDS.items() if self._kinds[kind]} | {"any": 1}
        self._names, self._weights = list(weights), list(weights.values())

    def access(self, priv: int, kind: str | None = None, number: int | None = None) -> Access:
        """Any access, or one of a kind, to the registers of one counter if a number is given. Most are M-mode's or the
        hart's.
        """
        rng = self.rng
        mode = rng.choice((M, M, priv, priv, rng.choice(self.modes)))
        if kind is None and rng.random() < 0.03:
            return self.astray(mode)
        found = self._kinds[kind or rng.choices(self._names, self._weights)[0]] or self._kinds["any"]
        if number is not None:
            found = [c for c in found if c.number == number] or found
        c = rng.choice(found)
        xlen32 = int(rng.random() < (0.9 if c.high else 0.15))
        if rng.random() < 0.5 and (c.level == "M" or kind):
            mode = M
        op = (
            rng.choice((READ, READ, WRITE, SET, CLEAR))
            if c.read_only or c.level == "U"
            else rng.choice((READ, WRITE, WRITE, SET, CLEAR))
        )
        if (c.read_only and rng.random() < 0.9) or (
            op in (SET, CLEAR) and c.address >> 8 == 0xB and rng.random() < 0.5
        ):
            op = READ if c.read_only else WRITE
        value = self.value(c, op)
        value = value >> 32 if c.high else value
        return Access(op, c.address, value & (1 << (32 if xlen32 else self.config.xlen)) - 1, mode, xlen32)

    def value(self, c: Csr, op: int) -> int:
        """An operand that makes a difference to a CSR, most of the time; of all 64 bits."""
        rng = self.rng
        if rng.random() < 0.08:
            return rng.choice((0, (1 << 64) - 1, rng.getrandbits(64)))
        if c.address >> 8 == 0xB:
            return self.near(c.number) if rng.random() < 0.8 else rng.getrandbits(64)
        if _kind(c) == "event":
            return self.event(c.number, op)
        if c.name in ("mcountinhibit", "mcounteren", "scounteren", "hcounteren"):
            few = sum(1 << n for n in rng.sample(self.present, min(len(self.present), rng.randrange(1, 4))))
            return few if op in (SET, CLEAR) or c.name == "mcountinhibit" else (1 << 32) - 1 - few * rng.getrandbits(1)
        if c.name.rstrip("h") == "htimedelta":
            return rng.choice((rng.getrandbits(64), -rng.getrandbits(4) & (1 << 64) - 1))
        return rng.choice((_LCOFI, _LCOFI, _LCOFI | 0xFFFF, 0, ~_LCOFI & 0xFFFF))

    def near(self, n: int) -> int:
        """A count close to the wrap at the counter's width, or of its low half; upper bits sometimes set beyond the
        width.
        """
        rng, width = self.rng, self.config.widths[n]
        low = -rng.choice((1, 1, 2, 3, rng.randrange(1, 20))) % (1 << min(width, rng.choice((32, 64, 64))))
        return low | rng.choice((0, 0, rng.getrandbits(64) << min(width, 63))) & (1 << 64) - 1

    def event(self, n: int, op: int) -> int:
        """A value of mhpmevent, mcyclecfg or minstretcfg."""
        rng = self.rng
        filters = sum(1 << bit for bit in INHIBITS.values() if rng.random() < 0.15) | rng.getrandbits(1) << OF_BIT
        if op != WRITE:
            return rng.choice((1 << OF_BIT, filters, 1 << rng.choice(list(INHIBITS.values()))))
        known = [e for e in range(FIRST_EVENT + self.config.events) if self.config.selectors[n] >> e & 1]
        return filters | (
            self.config.code(rng.choice(known))
            if rng.random() < 0.9
            else rng.choice((rng.randrange(66), 1 << 55, rng.getrandbits(58)))
        )


class Mix:
    """Random rows. gaps: % of cycles of work in which nothing happens."""

    def __init__(self, config: Config, rng: Random, gaps: int = 5) -> None:
        self.config, self.rng, self.gaps = config, rng, gaps / 100
        self.csrs = Csrs(config, rng)
        self.s = Script(config, M)
        self.s.time = rng.getrandbits(64)
        self.most = (1 << config.event_bits) - 1
        self.hot: list[int] = []  # selectors that were programmed last
        self.aimed = -1  # the selector whose events an aimed piece decides

    def play(self, rows: int) -> Script:
        """So many rows at least, after a set-up in which all counters count something."""
        self._set_up()
        while len(self.s) < rows:
            kind = self.rng.random()
            if kind < 0.3:
                self._work(self.rng.choice((5, 20, 60)))
            elif kind < 0.92:
                self._aim()
            elif kind < 0.97:
                self._wrap_idle()
            else:
                self._set_up()
        return self.s

    # --- The hart -----------------------------------------------------------------------------------

    def _move(self) -> None:
        """Another mode, sometimes; Debug Mode stops counters or not; WFI now and then."""
        s, rng = self.s, self.rng
        if rng.random() < 0.15:
            s.at(rng.choice(self.csrs.modes))
        s.stopcount = int(s.priv == DEBUG and rng.random() < 0.5)
        s.running = int(rng.random() > (0.02 if s.running else 0.5))

    def _happened(self, busy: float) -> tuple[int, dict[int, int]]:
        """Instructions and events of a cycle, but for those that are aimed."""
        rng, events = self.rng, {}
        if rng.random() < self.gaps:
            return 0, events
        for _ in range(rng.randrange(4) if rng.random() < busy else 0):
            selector = (
                rng.choice(self.hot)
                if self.hot and rng.random() < 0.6
                else FIRST_EVENT + rng.randrange(self.config.events)
            )
            events[selector] = self.most if rng.random() < 0.2 else rng.randint(1, self.most)
        events.pop(self.aimed, None)
        retired = (
            rng.randint(0, self.config.retired)
            if self.s.running and rng.random() < busy and self.aimed != RETIRED
            else 0
        )
        return retired, events

    def _work(self, cycles: int) -> None:
        """Work with accesses."""
        rng = self.rng
        busy, asked = rng.choice((0.1, 0.5, 1.0)), rng.choice((0.0, 0.2, 0.7, 1.0))
        for _ in range(cycles):
            self._move()
            access = self.csrs.access(self.s.priv) if rng.random() < asked else None
            self.s.step(access, *self._happened(busy))

    # --- Pieces -------------------------------------------------------------------------------------

    def _program(self, n: int, selector: int, **how: int) -> None:
        """Program mhpmevent n and remember what it counts."""
        s, rng = self.s, self.rng
        if n > 2:
            s.count(
                n,
                selector,
                *(name for name in INHIBITS if name not in how and rng.random() < 0.05),
                of=int(rng.random() < 0.2),
            )
        if selector >= FIRST_EVENT:
            self.hot = [*self.hot[-5:], selector]

    def _choose(self, n: int) -> int:
        """Something that a counter can count."""
        if n <= 2:
            return CYCLES if n == 0 else RETIRED
        return self.rng.choice(
            [e for e in range(1, FIRST_EVENT + self.config.events) if self.config.selectors[n] >> e & 1] or [0]
        )

    def _set_up(self) -> None:
        """Counters open to all modes, delegated, all counting something, not far from their wraps."""
        s, rng = self.s, self.rng
        s.at(M)
        s.running, s.stopcount = 1, 0
        s.write("mcountinhibit", 0)
        s.open()
        for name in ("mideleg", "hideleg", "mie"):
            if name in s.there and rng.random() < 0.8:
                s.write(name, _LCOFI)
        for n in rng.sample(self.csrs.present, min(len(self.csrs.present), 8)):
            self._program(n, self._choose(n))
            s.whole(s.counter(n), self.csrs.near(n))

    def _wrap_idle(self) -> None:
        """A counter of cycles wraps in a stretch in which nothing happens."""
        s, rng = self.s, self.rng
        n = rng.choice([n for n in self.csrs.present if n != 2 and self.config.selectors[n] >> CYCLES & 1 or n == 0])
        s.stopcount, s.running = 0, 1
        s.at(rng.choice([mode for mode in self.csrs.modes if mode != DEBUG]))
        s.clear("mcountinhibit", 1 << n, M)
        if n:
            s.count(n, CYCLES, of=rng.getrandbits(1))
        s.whole(s.counter(n), -rng.choice((1, 2, 7, 200)) % (1 << self.config.widths[n]))
        s.idle(rng.choice(_LONG))

    def _aim(self) -> None:
        """Bring one or two counters to overflow in a certain cycle, with accesses in the cycles around it."""
        s, rng = self.s, self.rng
        n = rng.choice(self.csrs.present)
        selector = self._choose(n)
        if not selector:
            return
        others = [m for m in self.csrs.programmable if m != n and self.config.selectors[m] >> selector & 1]
        both = [n, rng.choice(others)] if others and selector not in (CYCLES, RETIRED) and rng.random() < 0.4 else [n]
        self.aimed = selector
        s.at(rng.choice([mode for mode in self.csrs.modes if mode != DEBUG]))
        s.stopcount, s.running = 0, 1
        most = {CYCLES: 1, RETIRED: self.config.retired}.get(selector, self.most)
        amounts = [1 if most == 1 else rng.randint(1, most) for _ in range(rng.randint(1, 4))]
        before = sum(amounts[:-1]) + rng.randint(1, amounts[-1])
        s.clear("mcountinhibit", sum(1 << m for m in both), M)
        if rng.random() < 0.5:
            s.put(Access(rng.choice((SET, CLEAR)), 0x344, _LCOFI, M))
        for m in both:
            self._program(m, selector, **dict.fromkeys(INHIBITS, 1))
        for m in both:
            s.preset(m, -before)
        for at, amount in enumerate([*amounts, 0, 0], 2 - len(amounts) - 1):
            access = self._collision(rng.choice(both)) if at >= -1 and rng.random() < 0.6 else None
            self._deliver(selector, amount, access)
        self.aimed = -1
        for m in both:
            if m > 2:
                s.look(s.filters(m), M)
        s.read(rng.choice([name for name in ("mip", "sip", "scountovf") if name in s.there]), M)

    def _deliver(self, selector: int, amount: int, access: Access | None) -> None:
        """A cycle with so much of a selector, and whatever else happens."""
        retired, events = self._happened(0.4)
        if selector == RETIRED:
            retired = amount
        elif selector >= FIRST_EVENT and amount:
            events[selector] = amount
        self.s.step(access, retired, events)

    def _collision(self, n: int) -> Access:
        """An access that has to do with a counter."""
        kinds = [
            "inhibit",
            "counter",
            "counter",
            "event",
            "event",
            "lcofi",
            "lcofi",
            "view",
            *(["overflow"] if "scountovf" in self.s.there else []),
        ]
        number = n if self.rng.random() < 0.8 else None
        access = self.csrs.access(self.s.priv, self.rng.choice(kinds), number)
        if access.addr == 0x320:
            access = access._replace(wdata=1 << n, op=self.rng.choice((SET, CLEAR, WRITE)), priv=M)
        return access
