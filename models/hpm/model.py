# SPDX-License-Identifier: Apache-2.0
"""Reference model of the hardware performance counters: every counter, every OF bit, every access, one cycle at a time.

    hpm = Hpm(Config(xlen=32))
    hpm.cycle(M, Counts(retired=2), Access(WRITE, 0x323, 3))       ->  Answer(rdata=0, outcome=DONE)
    hpm.counter(2)                                                 ->  2

The rules are those of docs/reference/hpm-profile.md, section A cycle; the numbers there are the steps here. Many cycles
without accesses go faster through `rvtrace.models.hpm.bulk`.
"""

from __future__ import annotations

from typing import NamedTuple

from rvtrace.models.csr.file import ALL as _ALL
from rvtrace.models.csr.file import LOW as _LOW
from rvtrace.models.csr.file import Gates
from rvtrace.models.csr.table import Csr
from rvtrace.models.hpm.config import FIRST, Config
from rvtrace.models.hpm.events import CYCLES, QUIET, RETIRED, Counts
from rvtrace.models.hpm.registers import LCOFI_BIT, OF_BIT, SELECT_MASK, csr_file
from rvtrace.models.riscv.csr import DEBUG, DONE, HS, VS, VU, Access, Answer, M, U

_LCOFI = 1 << LCOFI_BIT
_INHIBITED_BY = {M: 62, DEBUG: 62, HS: 61, U: 60, VS: 59, VU: 58}
_FIXED = {0: (CYCLES, "mcyclecfg"), 2: (RETIRED, "minstretcfg")}
_CONTROLS = ("mcountinhibit", "mcounteren", "scounteren", "hcounteren", "mcyclecfg", "minstretcfg", "htimedelta",
             "mip", "mie", "mideleg", "hideleg")  # fmt: skip


class State(NamedTuple):
    """Everything software can see, at the start of a cycle. counters, events: mhpmcounter and mhpmevent by number (0
    mcycle, 2 minstret).
    """

    counters: tuple[int, ...]
    events: tuple[int, ...]
    controls: dict[str, int]
    of: int
    lcofip: int


class _Write(NamedTuple):
    """A write that an access makes: the register that holds the state, its CSR, and all of its 64 bits."""

    csr: Csr
    value: int


class Hpm:
    """The block at its ports.

    counters, events: by counter number. controls: the other registers by name (mip and mie: bit 13 only).
    """

    def __init__(self, config: Config) -> None:
        self.config = config
        self.counters = [0] * 32
        self.events = [0] * 32
        self.controls: dict[str, int] = dict.fromkeys(_CONTROLS, 0)
        self.file = csr_file(config)
        self._csrs, self._named = self.file.at, self.file.named
        self._there = [n for n in range(32) if config.has(n)]
        self._limits = [1 << width for width in config.widths]
        self._counting: dict[int, list[tuple[int, int]]] = {}

    # --- What it shows ------------------------------------------------------------------------------

    def counter(self, n: int) -> int:
        """Value of counter n (0 mcycle, 2 minstret, 3 to 31); 0 where there is none."""
        return self.counters[n]

    @property
    def of(self) -> int:
        """The OF bits, by counter number."""
        out = 0
        for n in self._there:
            out |= (self.events[n] >> OF_BIT) << n
        return out

    @property
    def lcofip(self) -> int:
        """mip.LCOFIP, the level of `lcofi_o`."""
        return self.controls["mip"] >> LCOFI_BIT

    @property
    def lcofie(self) -> int:
        """mie.LCOFIE, the level of `lcofie_o`."""
        return self.controls["mie"] >> LCOFI_BIT

    @property
    def state(self) -> State:
        """A copy of everything."""
        return State(tuple(self.counters), tuple(self.events), dict(self.controls), self.of, self.lcofip)

    # --- A cycle ------------------------------------------------------------------------------------

    def cycle(self, priv: int, counts: Counts = QUIET, access: Access | None = None) -> Answer | None:
        """One cycle in mode `priv`; the answer to its access, if there is one."""
        answer = write = None
        written = -1
        if access is not None:
            answer, write = self._answer(access, counts)
            if write is not None and write.csr.address >> 8 == 0xB:  # mcycle, minstret, mhpmcounter
                written = write.csr.number
        overflowed = self._count(priv, counts, written)
        if write is not None:
            self._write(write)
        self._overflow(overflowed)
        return answer

    def access(self, access: Access, time: int = 0) -> Answer:
        """An access in a cycle in which nothing happens and nothing counts, not even cycles."""
        answer = self.cycle(access.priv, Counts(cycle=0, time=time), access)
        assert answer is not None
        return answer

    def peek(self, access: Access, time: int = 0) -> Answer:
        """What an access would answer now; nothing changes."""
        return self._answer(access, Counts(time=time))[0]

    def counting(self, priv: int) -> list[tuple[int, int]]:
        """Counters that count in mode `priv` if it is not stopped, each with its selector (step 1)."""
        if priv not in self._counting:
            self._counting[priv] = [(n, selector) for n in self._there if (selector := self._selected(n, priv))]
        return self._counting[priv]

    def _selected(self, n: int, priv: int) -> int:
        if self.controls["mcountinhibit"] >> n & 1:
            return 0
        selector, filters = (
            (_FIXED[n][0], self.controls[_FIXED[n][1]])
            if n in _FIXED
            else (self.config.selector(self.events[n] & SELECT_MASK) or 0, self.events[n])
        )
        return 0 if filters >> _INHIBITED_BY[priv] & 1 else selector

    def _count(self, priv: int, counts: Counts, written: int) -> list[int]:
        """Steps 1 to 3: every counter but the one that is written; the counters with OF that wrapped."""
        overflowed: list[int] = []
        if counts.stopcount:
            return overflowed
        for n, selector in self.counting(priv):
            increment = counts.of(selector)
            if increment and n != written:
                value = self.counters[n] + increment
                if value >= self._limits[n]:
                    value %= self._limits[n]
                    if n >= FIRST:
                        overflowed.append(n)
                self.counters[n] = value
        return overflowed

    def idle(self, priv: int, cycles: int, running: int = 1, stopcount: int = 0) -> None:
        """Cycles in which nothing happens but, if `running`, cycles of the hart."""
        if cycles:
            self._overflow(self._count(priv, Counts(cycles * running, 0, (), stopcount), -1))

    def advance(self, counters: list[int], wrapped: list[int]) -> None:
        """Take over counters that were computed for many cycles without access, and which of them wrapped in one."""
        self.counters = counters
        self._overflow([n for n in wrapped if n >= FIRST])

    def _overflow(self, counters: list[int]) -> None:
        """After the write of the cycle: its OF is the one that counts, and its LCOFIP does not lose the request."""
        if self.config.has_sscofpmf:
            for n in counters:
                if not self.events[n] >> OF_BIT:
                    self.events[n] |= 1 << OF_BIT
                    self.controls["mip"] = _LCOFI

    # --- Accesses -----------------------------------------------------------------------------------

    def _answer(self, access: Access, counts: Counts) -> tuple[Answer, _Write | None]:
        """Answer, and the write that follows it; the state is that at the start of the cycle."""
        file, found = self.file, self._csrs.get(access.addr)
        result = file.outcome(self.effective(), found, access)
        if result != DONE or found is None:
            return Answer(0, result), None
        found = found if found.high else file.acting(found, access.priv)
        whole = self._read(found, access.priv, counts)
        shown = file.seen(found, access, whole)
        if not file.writes(access):
            return Answer(shown, DONE), None
        new = file.merged(found, access, whole, file.after(access, shown))
        return Answer(shown, DONE), _Write(self._named[found.name[:-1]] if found.high else found, new)

    def effective(self) -> Gates:
        """The counter enables."""
        c = self.controls
        return Gates(mcounteren=c["mcounteren"], scounteren=c["scounteren"], hcounteren=c["hcounteren"])

    def _read(self, csr: Csr, priv: int, counts: Counts) -> int:
        """All 64 bits that a CSR shows, as this mode sees them."""
        c, name = self.controls, csr.state
        if name == "time":
            return (counts.time + (c["htimedelta"] if priv in (VS, VU) else 0)) & _ALL
        if name == "scountovf":
            return self.of & self._readable(priv)
        if csr.name in ("sip", "sie", "vsip", "vsie"):
            return c[name] if self._delegated(csr) else 0
        if csr.number >= 0:
            return self.events[csr.number] if name.startswith("mhpmevent") else self.counters[csr.number]
        return c[name]

    def _readable(self, priv: int) -> int:
        """Bits of scountovf that a mode may see."""
        if priv in (M, DEBUG):
            return _LOW
        return self.controls["mcounteren"] & (self.controls["hcounteren"] if priv == VS else _LOW)

    def _delegated(self, csr: Csr) -> bool:
        """Whether bit 13 of sip, sie, vsip or vsie shows anything."""
        c = self.controls
        return bool(c["mideleg"] and (c["hideleg"] or not csr.name.startswith("vs")))

    def _write(self, write: _Write) -> None:
        csr, value = write
        if csr.name in ("sip", "sie", "vsip", "vsie"):
            if self._delegated(csr):
                self.controls[csr.state] = csr.warl(value)
        elif csr.address >> 8 == 0xB:
            self.counters[csr.number] = csr.warl(value)
        else:
            self._counting = {}
            if csr.number >= 0:
                self.events[csr.number] = csr.warl(value)
            else:
                self.controls[csr.state] = csr.warl(value)
