# SPDX-License-Identifier: Apache-2.0
"""Random rows: a hart that runs anywhere and traps anywhere, and CSR accesses of any kind in the same cycles.

Everything that a port can carry comes up: every type from every mode to every mode it can go to, breakpoints and
counter overflows, Debug Mode, groups of transfers, idle stretches of a few cycles and of thousands; accesses that make
sense, accesses that do not.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from rvtrace.models.csr.file import ALL
from rvtrace.models.csr.table import Csr
from rvtrace.models.ctr.config import Config
from rvtrace.models.ctr.records import BREAKPOINT, EXCEPTION, INTERRUPT, LCOFI, SCTRCLR, TRAP_RETURN, Transfer
from rvtrace.models.ctr.registers import CSRIND_BIT, CTR_BIT, SELECT, control_fields, csr_file, csrs
from rvtrace.models.riscv.csr import CLEAR, DEBUG, HS, READ, SET, VS, VU, WRITE, Access, M, U
from rvtrace.tb.common.stimulus.csr_random import RandomCsrs
from rvtrace.tb.ctr.stimulus.script import Script
from rvtrace.tb.ctr.stimulus.software import Software

_JUMPS = (4, 5, 8, 9, 10, 11, 12, 13, 14, 15)
_CALLS, _RETURN, _SWAP = (8, 9), 13, 12
_ABOVE = {U: (HS, M), HS: (HS, M), M: (M,), VU: (VS, HS, M), VS: (VS, HS, M)}
_BELOW = {M: (U, HS, M, VU, VS), HS: (U, HS, VU, VS), VS: (VU, VS)}
_CAUSES = (0, 2, 5, 7, 8, 9, 11, 12, 15, 20, 0xFF)
_LONG = (4090, 4096, 4200, 8190, 8200, 17_000, 33_000)  # idle cycles around boundaries of the cycle count
_MONSTER = (131_000, 270_000, 530_000)


def modes(config: Config) -> tuple[int, ...]:
    """Privileges of an implementation."""
    return (U, M, *((HS,) if config.has_s else ()), *((VU, VS) if config.has_h else ()))


class Hart:
    """A hart that makes random transfers from its current pc."""

    def __init__(self, config: Config, rng: Random) -> None:
        self.rng, self.xlen, self.modes = rng, config.xlen, set(modes(config))
        self.calm = 0.05  # share of traps and returns from traps
        self.weights = (1,) * len(_JUMPS)
        self.misp = 0.2
        bases = [0, 0x8000_0000, (1 << config.xlen) - 0x1000, rng.getrandbits(config.xlen) & ~0xFFF]
        self._pcs = [base + 2 * rng.randrange(0x800) for base in bases for _ in range(8)] + [0]
        self.stack: list[int] = []

    def new_habits(self) -> None:
        """Another mix of transfers, and another share of traps."""
        rng = self.rng
        self.calm, self.misp = rng.choice((0.0, 0.02, 0.1, 0.3)), rng.choice((0.0, 0.2, 0.9))
        self.weights = rng.choice(
            ((1,) * len(_JUMPS), (1, 1, 6, 6, 1, 1, 2, 6, 1, 1), tuple(rng.choice((0, 1, 4)) for _ in _JUMPS))
        )
        if not any(self.weights):
            self.weights = (1,) * len(_JUMPS)

    def pc(self) -> int:
        """An address: mostly one of a few, now and then any."""
        rng = self.rng
        return rng.choice(self._pcs) if rng.random() < 0.9 else rng.getrandbits(self.xlen) & ~1

    def transfer(self, priv: int) -> Transfer:
        """The next one, from a mode."""
        rng = self.rng
        if priv == DEBUG:
            return Transfer(TRAP_RETURN, self.pc(), self.pc(), 0, DEBUG, rng.choice(sorted(self.modes)))
        if rng.random() < self.calm:
            kind = rng.randrange(20)
            if kind == 0:
                return Transfer(EXCEPTION, self.pc(), self.pc(), 0, priv, DEBUG, BREAKPOINT)
            if kind < 9 and (below := [p for p in _BELOW.get(priv, ()) if p in self.modes]):
                return Transfer(TRAP_RETURN, self.pc(), self.pc(), 0, priv, rng.choice(below))
            type_ = rng.choice((EXCEPTION, INTERRUPT))
            cause = (
                {EXCEPTION: BREAKPOINT, INTERRUPT: LCOFI}[type_]
                if rng.random() < 0.2
                else rng.choice((*_CAUSES, BREAKPOINT, LCOFI))
            )
            return Transfer(
                type_, self.pc(), self.pc(), 0, priv, rng.choice([p for p in _ABOVE[priv] if p in self.modes]), cause
            )
        (type_,) = rng.choices(_JUMPS, self.weights)
        source, target = self.pc(), self.pc()
        if type_ in _CALLS:
            self.stack.append(source + 4)
            del self.stack[:-300]
        elif type_ == _RETURN and self.stack:
            target = self.stack.pop() % (1 << self.xlen)
        return Transfer(type_, source, target, int(rng.random() < self.misp), priv, priv)

    def group(self, priv: int, most: int) -> list[Transfer]:
        """One to `most` transfers that retire together; none after the entry to Debug Mode."""
        out = [self.transfer(priv)]
        while len(out) < most and DEBUG not in (out[-1].from_, out[-1].to) and self.rng.random() < 0.6:
            following = self.transfer(out[-1].to)
            if following.to == DEBUG:
                break
            out.append(following)
        return out


class Csrs(RandomCsrs):
    """Random accesses of one implementation."""

    def __init__(self, config: Config, rng: Random) -> None:
        other = Config(variant="v0_1_4" if not config.draft else "v1_0")
        foreign = [c.address for c in csrs(other)] + [0x151, 0x154, 0x158, 0x35F, 0x24F, 0x25F, 0x30D, 0x60D]
        super().__init__(csr_file(config), (*modes(config), DEBUG), rng, foreign)
        self.config, self.known = config, self.file.csrs
        names = self.file.named
        self.control = [c for c in self.known if "ctrctl" in c.name or "ctrcontrol" in c.name]
        self.windows = [w for w in ("m", "s", "vs") if f"{w}iselect" in names]
        self.names = Script(config)
        self.frozen = 1 << (15 if config.draft else 31)
        self.gentle = True  # state enables stay open, and what is recorded stays useful

    def access(self, priv: int) -> Access:
        """Any access, mostly at the mode of the hart."""
        rng = self.rng
        mode = priv if rng.random() < 0.6 else rng.choice(self.modes)
        xlen32 = int(rng.random() < 0.15)
        pick = rng.random()
        if pick < 0.04:
            return Access(SCTRCLR, 0, 0, mode, xlen32)
        if pick < 0.08:
            return self.astray(mode, xlen32)
        c = rng.choice(self.control) if pick < 0.25 else rng.choice(self.known)
        if self.gentle and mode != M and (c.level == "M" or rng.random() < 0.3):
            mode = M
        op = (
            rng.choice((READ, READ, READ, WRITE, WRITE, SET, CLEAR))
            if "iselect" not in c.name
            else rng.choice((READ, WRITE, WRITE, SET, CLEAR))
        )
        if self.gentle and "stateen" in c.name:
            op = rng.choice((READ, SET))
        if self.gentle and op == WRITE and c in self.control and rng.random() < 0.5:
            op = READ
        return Access(op, c.address, self.value(c) & (1 << self.config.xlen) - 1, mode, xlen32)

    def value(self, c: Csr) -> int:
        """An operand that makes a difference to a CSR, most of the time."""
        rng = self.rng
        if rng.random() < 0.1:
            return rng.choice((0, ALL, rng.getrandbits(64)))
        if c in self.control:
            value = self.word()
            return value >> 32 if c.high else value
        if "iselect" in c.name:
            depth = rng.choice(self.config.depths)
            near = rng.choice((0, 1, 2, 3, rng.randrange(depth), rng.randrange(depth), depth - 1, depth, 255, 256, -1))
            return SELECT.start + near | (rng.choice((0, 0, 0, 1 << 31, 1 << 63, 1 << 40)))
        if "stateen" in c.name:
            value = sum(1 << bit for bit in (CSRIND_BIT, CTR_BIT[self.config.variant]) if rng.random() < 0.7) | (
                rng.getrandbits(64) if rng.random() < 0.2 else 0
            )
            return value >> 32 if c.high else value
        if c.name.endswith("status"):
            return rng.choice((0, 0, 0, rng.getrandbits(8), 1 << 14, self.frozen)) | rng.choice((0, rng.getrandbits(8)))
        if c.name == "sctrdepth":
            return rng.randrange(8)
        return rng.choice((rng.getrandbits(64), rng.getrandbits(32), 1, 0x8001, 0xFFFF_800F))

    def word(self) -> int:
        """A control register's value: modes and switches one by one, filters sometimes, a depth that exists."""
        rng, out = self.rng, 0
        chance = {
            "M": 0.7,
            "S": 0.8,
            "U": 0.8,
            "VS": 0.8,
            "VU": 0.8,
            "RASEMU": 0.25,
            "CLR": 0.1,
            "BPFRZ": 0.2,
            "LCOFIFRZ": 0.2,
            "STE": 0.6,
            "MTE": 0.6,
            "ETEN": 0.6,
            "NTBREN": 0.7,
        }
        filters = rng.choice((0.0, 0.1, 0.4))
        for f in control_fields(self.config.variant):
            if f.name == "DEPTH":
                out |= (
                    self.config.depth_code(rng.choice(self.config.depths)) if rng.random() < 0.8 else rng.getrandbits(4)
                ) << f.lsb
            elif rng.random() < chance.get(f.name, filters):
                out |= f.mask
        return out


class Mix:
    """Random rows: stretches of a running hart, accesses among them, and software that reads what was recorded."""

    def __init__(self, config: Config, rng: Random, gaps: int = 0, dense: bool = False) -> None:
        self.script = Script(config)
        self.config, self.rng, self.gaps, self.dense = config, rng, gaps, dense
        self.hart, self.csrs = Hart(config, rng), Csrs(config, rng)
        self.left = 0

    def play(self, transfers: int) -> Script:
        """So many transfers, and what goes with them."""
        self.left = transfers
        self._software(Software(self.config).set_up(), 0.0)
        while self.left > 0:
            self._stretch()
        self._software(Software(self.config).profile(max(self.config.depths)), 0.0)
        return self.script

    def _stretch(self) -> None:
        rng, config, csrs_ = self.rng, self.config, self.csrs
        self.hart.new_habits()
        csrs_.gentle = rng.random() < 0.75
        if rng.random() < 0.35:
            self._reconfigure()
        elif rng.random() < 0.6:
            self.script.group([], self._thaw())
        for _ in range(rng.choice((5, 20, 60, 200))):
            self._cycle(csrs_.access(self.script.priv) if rng.random() < rng.choice((0.0, 0.0, 0.1, 0.5)) else None)
        mode = rng.choice(modes(config))
        window = rng.choice(csrs_.windows) if mode == M else "s"
        if (
            mode == U
            or (mode == M and window == "s" and config.draft and rng.random() < 0.5)
            or (mode != M and not config.has_s)
        ):
            mode, window = M, csrs_.names.window
        depth = rng.choice((16, 16, 32, *config.depths)) if config.depth > 16 else 16
        software, pick = Software(config, mode, window), rng.random()
        if pick < 0.45:
            self._software(
                software.entries(min(depth, 256), rng.choice((0, 0, rng.randrange(16)))), rng.choice((0.0, 0.5, 0.9))
            )
        elif pick < 0.65:
            self._software(software.profile(depth), rng.choice((0.0, 0.5, 0.9)))
        elif pick < 0.75:
            kept = [(self.hart.pc() | 1, self.hart.pc() | rng.getrandbits(1), rng.getrandbits(32)) for _ in range(16)]
            self._software(
                software.switch(kept, 16, csrs_.word() if rng.random() < 0.7 else None), rng.choice((0.0, 0.3))
            )
        elif pick < 0.79:
            self._software(Software(config).discover(), 0.0)
        elif pick < 0.84:
            self._software(software.wipe(), 0.9)

    def _reconfigure(self) -> None:
        """M-mode opens the gates and writes control registers that make sense; FROZEN is let go."""
        config, names, rng = self.config, self.csrs.names, self.rng
        software = Software(config)
        todo = list(software.set_up())[: 4 if config.has_stateen else 1] if rng.random() < 0.5 else []
        for name in (names.control, names.vs_control):
            if name == names.vs_control and not config.has_h:
                continue
            todo += software.whole(name, self.csrs.word())
        self._software(iter([*todo, self._thaw()]), 0.2)

    def _thaw(self) -> Access:
        """FROZEN is 0 after this access."""
        return self.script.access(CLEAR, self.script.status, self.csrs.frozen, M)

    def _software(self, accesses: Iterator[Access], busy: float) -> None:
        """Accesses one after the other, in a share of their cycles with transfers."""
        for access in accesses:
            if self.rng.random() < busy:
                self._cycle(access)
            else:
                self.script.group([], access)

    def _cycle(self, access: Access | None) -> None:
        rng, script = self.rng, self.script
        if rng.random() < self.gaps / 100:
            script.idle(rng.randrange(1, 12))
        rare = rng.random()
        if rare < 0.0006:
            script.idle(rng.choice(_MONSTER) if rare < 0.000003 else rng.choice(_LONG) + rng.randrange(8))
        most = self.config.transfers
        group = self.hart.group(script.priv, most if self.dense else rng.randint(1, most))
        if access is not None and rng.random() < 0.3:
            group = []
        script.group(group, access)
        self.left -= max(1, len(group))
