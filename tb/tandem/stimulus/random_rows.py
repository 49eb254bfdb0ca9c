# SPDX-License-Identifier: Apache-2.0
"""Random rows: everything that a port can carry and a decoder can follow, every form of every register, and rows that
are none.

A hart that runs, traps, resets and is initialized; state reported outside groups; values near the ones before, so that
incremental forms come up with their limits; rows with any parts at all; rows that are not legal. What contradicts
itself (a register twice in one row) does not occur.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from rvtrace.models.tandem import table as t
from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.trace_data import FLUSH, Rows, TraceData, illegal

_CSRS = (0x300, 0x305, 0x340, 0x341, 0x342, 0x343, 0x344, 0x304, 0x141, 0x142, 0x143, 0x180, 0x7C0, 0xFFF, 0x000)
_TRAP_CSRS = ((0x341, 0x342, 0x300, 0x343), (0x141, 0x142, 0x300, 0x143))
_DELTAS = (-129, -128, -127, -2, -1, 0, 1, 2, 4, 126, 127, 128, 255, 256)
_PRIVILEGES = tuple(t.PRIVILEGES)
_STRETCH = 300  # rows with the same habits
_LAST_OPERATION = len(t.OPERATIONS) - 1
# What in a row must not be reported twice: registers with separate ports, and the CSRs that are the same or parts of
# them.
_FLOATING, _CYCLE, _INSTRET = (t.FFLAGS, t.FRM, t.FCSR), (t.MCYCLE, t.MCYCLEH), (t.MINSTRET, t.MINSTRETH)


class Mix:
    """Random rows of a configuration. share: of rows that are not legal, one in so many. spare: rows do not have what
    is not traced anyway.
    """

    def __init__(self, config: Config, rng: Random, share: int = 40, spare: bool = False) -> None:
        self.config, self.rng, self.share = config, rng, share
        self.pc = rng.getrandbits(config.xlen) & ~1
        self.known: dict[tuple[str, int], int] = {}
        self.kinds: dict[Callable[[], TraceData], int] = {}
        self.parts = 0.2
        self.without: dict[str, Any] = {
            name: () if name == "csr" else None for name in t.ABSENT_NAMES if spare and not config.traces(name)
        }
        self._habits()

    def rows(self, size: int) -> Rows:
        """So many of them, a reset first (mostly) and a flush at the end."""
        rng = self.rng
        out = [self._sane(self._reset())] if rng.random() < 0.8 else []
        while len(out) < size - 1:
            if len(out) % _STRETCH == 0:
                self._habits()
            (kind,) = rng.choices(list(self.kinds), list(self.kinds.values()))
            out.append(self._sane(kind()))
        return self._spoiled(Rows.from_rows([*out, FLUSH]))

    def _habits(self) -> None:
        rng = self.rng
        every = {
            self._instruction: 60, self._trap: 6, self._outside: 12, self._init: 4, self._anything: 6, self._reset: 1,
            self._nothing: 3, lambda: FLUSH: 3,
        }  # fmt: skip
        calm = {self._instruction: 97, self._outside: 2, self._trap: 1}
        self.kinds = rng.choice(
            (every, every, calm, {kind: rng.choice((0, 1, 5)) + int(kind == self._instruction) for kind in every})
        )
        self.parts, self.near = rng.choice((0.02, 0.1, 0.3, 0.8)), rng.choice((0.2, 0.7, 0.95))

    # --- Values

    def value(self, name: str, number: int, width: int) -> int:
        """The next value of a register: near the one before, with bits set, the same, or any."""
        rng, mask = self.rng, (1 << width) - 1
        old = self.known.get((name, number), rng.getrandbits(width) if width else 0)
        draw = rng.random()
        if draw > self.near:
            new = rng.choice((rng.getrandbits(64), rng.getrandbits(8), 0, mask, 1 << rng.randrange(64), mask >> 1))
        elif draw < self.near * 0.3:
            new = old | rng.getrandbits(8) << rng.choice((0, 0, 0, 0, 1, 8))
        elif draw < self.near * 0.4:
            new = old ^ 1 << rng.randrange(max(1, width))
        else:
            new = old + rng.choice(_DELTAS)
        self.known[name, number] = new & mask
        return new & mask

    def _address(self) -> int:
        return self.value("address", self.rng.randrange(3), self.config.mlen)

    def _next_pc(self, size: int) -> int:
        rng, mask = self.rng, (1 << self.config.xlen) - 1
        draw = rng.random()
        step = size if draw < 0.75 else rng.choice((0, 2, 4, 6, -2, -4, 1 << 31))
        new = self.pc + step if draw < 0.95 else rng.choice((rng.getrandbits(64) & ~1, mask - 1, 0))
        self.pc = new & mask
        return self.pc

    def _insn(self) -> tuple[int, int]:
        rng = self.rng
        if self.config.compressed and rng.random() < 0.4:
            bits = rng.getrandbits(16)
            return 2, bits if bits & 3 != 3 else bits ^ rng.choice((1, 2, 3))
        return 4, rng.getrandbits(32) | 3

    # --- Parts

    def _some(self, names: Sequence[str], share: float) -> dict[str, Any]:
        return {name: getattr(self, f"_of_{name}")() for name in names if self.rng.random() < share}

    def _of_gpr(self) -> tuple[int, int]:
        number = self.rng.choice((0, self.rng.randrange(32), self.rng.randrange(1, 4)))
        return number, self.value("x", number, self.config.xlen)

    def _of_fpr(self) -> tuple[int, int]:
        number = self.rng.randrange(32)
        return number, self.value("f", number, self.config.flen)

    def _of_csr(self) -> tuple[tuple[int, int], ...]:
        addresses = (*_CSRS, *_FLOATING, *_CYCLE, *_INSTRET, self.rng.randrange(1 << 12))
        return tuple(
            (a, self.value("csr", a, self.config.xlen))
            for a in self.rng.sample(addresses, self.rng.randint(1, t.CSR_SLOTS))
        )

    def _of_fcsr(self) -> int:
        return self.value("fcsr", 0, 32 if self.rng.random() < 0.1 else 8)

    def _of_priv(self) -> int:
        return self.rng.choice(_PRIVILEGES)

    def _of_memdata(self) -> tuple[int, int]:
        return self.rng.randrange(4), self.rng.getrandbits(64)

    def _of_request(self) -> tuple[int, int, int, int]:
        return self.rng.randint(0, _LAST_OPERATION), self.rng.randrange(4), self._address(), self.rng.getrandbits(64)

    def _of_response(self) -> tuple[int, int]:
        return int(self.rng.random() < 0.2), self.rng.getrandbits(64)

    def _of_ppc(self) -> int:
        return self._address()

    def _counter(self, name: str) -> int:
        if self.rng.random() < 0.2:
            self.known[name, 0] = self.rng.choice(((1 << 32) - 1, (1 << 64) - 1, self.rng.getrandbits(64)))
        return self.value(name, 0, 64)

    def _of_mtime(self) -> int:
        return self._counter("mtime")

    def _of_mcycle(self) -> int:
        return self._counter("mcycle")

    def _of_minstret(self) -> int:
        return self._counter("minstret")

    _of_paddr = _of_eaddr = _of_ppc

    def _bus(self, share: float) -> dict[str, Any]:
        """A request, mostly with its response."""
        found = self._some(("request",), share)
        return found | self._some(("response",), 0.8) if found else found

    # --- Rows

    def _instruction(self) -> TraceData:
        size, bits = self._insn()
        often = self._some(("gpr",), 0.6) | self._some(("paddr", "eaddr", "memdata"), 0.2)
        rare = self._some(("fpr", "fcsr", "csr", "ppc", "mtime", "mcycle", "minstret"), self.parts) | self._some(
            ("priv",), self.parts / 4
        )
        pc = self._next_pc(size) if self.rng.random() < 0.97 else None
        return TraceData(insn=(size, bits), pc=pc, **often, **rare, **self._bus(self.parts))

    def _trap(self) -> TraceData:
        size, bits = self._insn()
        addresses = self.rng.choice(_TRAP_CSRS)
        csrs = tuple((a, self.value("csr", a, self.config.xlen)) for a in addresses[: self.rng.randint(2, 4)])
        return TraceData(
            insn=(size, bits) if self.rng.random() < 0.6 else None, pc=self._next_pc(64), csr=csrs, priv=self._of_priv()
        )

    def _outside(self) -> TraceData:
        names = ("csr", "mtime", "mcycle", "minstret", "gpr", "fpr", "fcsr", "priv", "ppc", "paddr", "eaddr", "memdata")
        chosen = self._some(self.rng.sample(names, 2), 0.7) | self._bus(0.4)
        if self.rng.random() < 0.1:
            chosen["pc"] = self._next_pc(64)
        return TraceData(group=False, **chosen)

    def _init(self) -> TraceData:
        name = self.rng.choice(("gpr", "fpr", "csr", "fcsr", "priv", "bus", "bus", "mcycle"))
        chosen = self._bus(1) if name == "bus" else self._some((name,), 1)
        if self.rng.random() < 0.2:
            chosen["pc"] = self._next_pc(64)
        return TraceData(init=True, **chosen)

    def _reset(self) -> TraceData:
        row = TraceData(reset=True, **self._some(("gpr", "csr", "fcsr", "priv", "mcycle", "minstret", "mtime"), 0.3))
        return row._replace(pc=self._next_pc(64)) if self.rng.random() < 0.9 else row

    def _nothing(self) -> TraceData:
        """A group or none, without anything to send: x0 or a part that is not traced at most."""
        parts: dict[str, Any] = {"gpr": (0, self.rng.getrandbits(32))} if self.rng.random() < 0.4 else {}
        away = [name for name in ("mtime", "eaddr", "ppc", "minstret", "fpr", "fcsr") if not self.config.traces(name)]
        if away and self.rng.random() < 0.5:
            parts |= self._some((self.rng.choice(away),), 1)
        return TraceData(group=self.rng.random() < 0.7, **parts)

    def _anything(self) -> TraceData:
        """A group with any parts, and now and then with all of them."""
        names = ("gpr", "fpr", "fcsr", "csr", "priv", "paddr", "eaddr", "memdata", "mtime", "mcycle", "minstret", "ppc")
        share = self.rng.choice((0.1, 0.5, 1, 1))
        chosen = self._some(names, share) | self._bus(share)
        insn = self._insn() if self.rng.random() < 0.7 else None
        return TraceData(
            insn=insn, pc=self._next_pc(insn[0] if insn else 4) if self.rng.random() < 0.7 else None, **chosen
        )

    def _sane(self, row: TraceData) -> TraceData:
        """Without a CSR that says again what another part or slot says, or a part of it; and without what is spared."""
        row, taken = row._replace(**self.without), set[int]()
        for part, addresses in (("fcsr", _FLOATING), ("mcycle", _CYCLE), ("minstret", _INSTRET)):
            if getattr(row, part) is not None:
                taken |= set(addresses)
        csrs = []
        for address, value in row.csr:
            if address not in taken:
                csrs.append((address, value))
                taken |= set(_FLOATING) if address in _FLOATING else {address}
        return row._replace(csr=tuple(csrs))

    def _spoiled(self, rows: Rows) -> Rows:
        """With rows among them that are not legal, in each way in which a row can be."""
        rng = self.rng
        for k in range(len(rows) - 1):
            if rng.randrange(self.share):
                continue
            has, (group, flush, reset, init, insn) = (
                int(rows.has[k]),
                (t.HAS[name] for name in ("group", "flush", "reset", "init", "insn")),
            )
            way = rng.randrange(8)
            if way == 0:
                has = has & ~group | rng.choice((reset, init, insn))
            elif way == 1:
                has |= group | init | rng.choice((insn, reset))
            elif way == 2:
                has |= group | reset | insn
            elif way == 3:
                has = has & ~t.HAS["request"] | t.HAS["response"]
            elif way == 4:
                has |= t.HAS["request"]
                rows.req_op[k] = rng.randint(_LAST_OPERATION + 1, 15)
            elif way == 5:
                has |= flush | 1 << rng.choice([n for n in range(len(t.PARTS)) if n != t.BIT["flush"]])
            else:
                has = rng.getrandbits(len(t.PARTS))
            spoiled = rows.select([k])
            spoiled.has[0] = has
            if illegal(spoiled)[0]:
                rows.has[k] = has
        return rows
