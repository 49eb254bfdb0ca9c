# SPDX-License-Identifier: Apache-2.0
"""What the hardware holds, followed from the operations of the SBI implementation and the hart's work: counters, OF,
LCOFIP, memory.

Nothing of it knows the chapter: this is what the firmware did, to be checked against what the chapter says.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from rvtrace.models.riscv.csr import HS, VS, VU, M, U
from rvtrace.models.sbi_pmu.backend import ReadCsr, ReadMem, ValidAddress, WriteCsr, WriteMem
from rvtrace.models.sbi_pmu.platform import MCYCLE, MINSTRET, Hardware, Platform
from rvtrace.models.sbi_pmu.record import Work

LOW, HIGH = 0xFFFF_FFFF, 0xFFFF_FFFF << 32
OF, LCOFIP = 1 << 63, 1 << 13
INHIBIT = {M: 1 << 62, HS: 1 << 61, U: 1 << 60, VS: 1 << 59, VU: 1 << 58}
FILTERS = sum(INHIBIT.values())
MCOUNTEREN, MIDELEG, MCOUNTINHIBIT, MIP, SIP, SCOUNTOVF = 0x306, 0x303, 0x320, 0x344, 0x144, 0xDA0
MODES = {
    "SET_MINH": M,
    "SET_SINH": HS,
    "SET_UINH": U,
    "SET_VSINH": VS,
    "SET_VUINH": VU,
}  # whose events a filter inhibits

_OWN = {MCYCLE: 1, MINSTRET: 2}  # what the fixed counters count
Seen = Callable[[str, int, int, int], None]  # what, where, known value, value read


@dataclass
class Held:
    """One hardware counter.

    known: mask of the bits of value that are known. of: None if not known. cfg: mhpmevent without OF, or mcyclecfg,
    minstretcfg.

    begun: (value, known, of) when it began to run in this call, None if it did not.
    """

    number: int
    width: int
    value: int = 0
    known: int = (1 << 64) - 1
    of: int | None = 0
    cfg: int = 0
    runs: bool = True  # after reset nothing is inhibited
    begun: tuple[int, int, int | None] | None = None
    other: dict[str, int] = field(default_factory=dict)  # clause -> value if the hardware had broken it
    overflown: bool = False  # since OF was read or written last

    @property
    def select(self) -> int:
        """SELECT of mhpmevent; mcycle and minstret count their own."""
        return self.cfg & ~FILTERS if self.number > MINSTRET else _OWN[self.number]

    @property
    def filters(self) -> int:
        """The inhibit bits."""
        return self.cfg & FILTERS

    def put(self, value: int, mask: int) -> None:
        """The bits of a mask become those of value, and are known."""
        self.value = (self.value & ~mask | value & mask) % (1 << self.width)
        self.known |= mask
        self.other.clear()


@dataclass
class Shadow:
    """The machine. seen: called with every read of something that is known. quiet: accesses cost no count."""

    platform: Platform
    quiet: bool
    seen: Seen
    held: dict[int, Held] = field(default_factory=dict)
    others: dict[int, int] = field(default_factory=dict)  # CSRs that are no counter's, as last written
    lcofip: int | None = 0
    memory: dict[int, int] = field(default_factory=dict)
    changes: int = 0  # writes of mcountinhibit in this call that changed a bit
    loose: list[tuple[int, str]] = field(
        default_factory=list
    )  # counters, and what of them was set up in this call while they ran
    strange: list[int] = field(default_factory=list)  # CSRs touched in this call that are no platform counter's

    def __post_init__(self) -> None:
        for counter in self.platform.counters:
            if isinstance(counter, Hardware):
                self.held[counter.number] = Held(counter.number, counter.width)

    def begins(self) -> None:
        """A call begins."""
        self.changes = 0
        self.loose.clear()
        self.strange.clear()
        for held in self.held.values():
            held.begun = None

    def forgets(self) -> None:
        """A call whose operations were not observed: counters may be anything now."""
        self.lcofip = None
        for held in self.held.values():
            held.known, held.of = 0, None
            held.other.clear()

    # Time

    def passes(self) -> None:
        """Cycles in which anything may be counted: running counters are not known any more, unless the run is quiet."""
        if self.quiet:
            return
        for held in self.held.values():
            if held.runs:
                held.known = 0
                held.of = held.of or None
        self.lcofip = self.lcofip or None

    def works(self, work: Work) -> None:
        """The hart worked."""
        if not self.quiet:
            self.passes()
            return
        for held in self.held.values():
            mine = [(priv, number) for priv, selector, number in work.counts if selector == held.select]
            number = sum(n for priv, n in mine if not held.filters & INHIBIT.get(priv, INHIBIT[M]))
            whole = sum(n for _, n in mine)
            if held.runs:
                self._count(held, number, whole)
            elif whole:
                held.other["SBI.view.stopped"] = held.value + whole

    def _count(self, held: Held, number: int, whole: int) -> None:
        held.other = {clause: value + number for clause, value in held.other.items()}
        if whole != number:
            held.other["SBI.view.filters"] = held.value + whole
        if number:
            held.other["SBI.view.counts"] = held.value
        value = held.value + number
        held.value = value % (1 << held.width)
        if value >> held.width and self.platform.sscofpmf and held.number > MINSTRET:
            if held.of == 0:
                self.lcofip = 1
            held.of, held.overflown = 1, True

    # CSRs

    def does(self, operation: object, answer: object) -> None:
        """One operation of the SBI implementation."""
        self.passes()
        if isinstance(operation, ReadCsr):
            self.read(operation.address, int(answer))  # type: ignore[call-overload]
        elif isinstance(operation, WriteCsr):
            self.write(operation.address, operation.value)
        elif isinstance(operation, ReadMem):
            self.reads(operation.address, bytes(answer))  # type: ignore[call-overload]
        elif isinstance(operation, WriteMem):
            self.writes(operation.address, operation.data)
        else:
            assert isinstance(operation, ValidAddress)

    def counter(self, address: int) -> tuple[Held, str, int] | None:
        """(counter, "value" or "cfg", mask of the bits) of a CSR address; None if it is no counter's."""
        base, high = address & ~0x80, bool(address & 0x80)
        wide = LOW | HIGH if self.platform.xlen == 64 else HIGH if high else LOW
        if base in range(0xB00, 0xB20) or base in range(0xC00, 0xC20):
            found = self.held.get(base & 31)
            return found and (found, "value", wide)
        narrow = HIGH if address & 0x400 else wide if self.platform.xlen == 64 else LOW
        if address & ~0x400 in range(0x321, 0x340):
            number = {0x321: MCYCLE, 0x322: MINSTRET}.get(address & ~0x400, address & 31)
            found = self.held.get(number)
            return found and (found, "cfg", narrow)
        return None

    def write(self, address: int, value: int) -> None:
        """A write in M-mode."""
        if address == MCOUNTINHIBIT:
            self._inhibit(value)
        elif address == MIP:
            self.lcofip = value >> 13 & 1
        elif (found := self.counter(address)) is not None:
            held, part, mask = found
            wide = value << 32 & HIGH if mask == HIGH else value & mask
            if held.runs:
                self.loose.append((held.number, part))
            if part == "value":
                held.put(wide, mask)
            else:
                cfg = held.cfg & ~mask | wide
                if mask & OF and held.number > MINSTRET:
                    held.of, held.overflown = cfg >> 63, False
                held.cfg = cfg & ~OF
        else:
            self.others[address] = value
            self.strange.append(address)

    def _inhibit(self, value: int) -> None:
        before = self.others.get(MCOUNTINHIBIT, value)
        self.others[MCOUNTINHIBIT] = value
        self.changes += value != before
        if (value ^ before) & ~sum(1 << number for number in self.held):
            self.strange.append(MCOUNTINHIBIT)
        for held in self.held.values():
            runs = not value >> held.number & 1
            if runs and not held.runs:
                held.begun = held.value, held.known, held.of
            held.runs = runs

    def read(self, address: int, value: int) -> None:
        """A read of the value, in any mode."""
        if address == MCOUNTINHIBIT:
            self.others[MCOUNTINHIBIT] = value
            wrong = [held for held in self.held.values() if held.runs == bool(value >> held.number & 1)]
            for held in wrong:
                self.seen("inhibit", held.number, int(not held.runs), value >> held.number & 1)
                held.runs = not held.runs
            if not wrong:
                self.seen("inhibit", MCOUNTINHIBIT, value, value)
        elif address in (MIP, SIP):
            if self.lcofip is not None:
                self.seen("lcofi", address, self.lcofip, value >> 13 & 1)
            self.lcofip = value >> 13 & 1
        elif address == SCOUNTOVF:
            for held in self.held.values():
                self._of(held, value >> held.number & 1)
        elif (found := self.counter(address)) is not None:
            held, part, mask = found
            wide = value << 32 & HIGH if mask == HIGH else value & mask
            if part == "cfg":
                if held.number > MINSTRET and mask & OF:
                    self._of(held, wide >> 63)
                self.seen("event", held.number, held.cfg & mask & ~OF, wide & ~OF)
                held.cfg = held.cfg & ~mask | wide & ~OF
            else:
                known = mask & (held.known | ~((1 << held.width) - 1))
                if known:
                    self.seen("value", held.number, held.value & known, wide & known)
                if (held.value ^ wide) & mask:
                    held.put(wide, mask)
                held.known |= mask

    def _of(self, held: Held, bit: int) -> None:
        if held.of is not None and held.number > MINSTRET:
            self.seen("overflow" if held.overflown else "of", held.number, held.of, bit)
        held.of, held.overflown = bit, False

    # Memory

    def reads(self, address: int, data: bytes) -> None:
        """Bytes read, by whomever."""
        before = bytes(self.memory.get(at, byte) for at, byte in enumerate(data, address))
        self.seen("memory", address, int.from_bytes(before, "little"), int.from_bytes(data, "little"))
        self.writes(address, data)

    def writes(self, address: int, data: bytes) -> None:
        """Bytes written, by whomever."""
        self.memory.update(enumerate(data, address))

    def word(self, address: int, size: int) -> int | None:
        """A little-endian word of the memory; None if not all of it is known."""
        data = [self.memory.get(at) for at in range(address, address + size)]
        return None if None in data else int.from_bytes(bytes(data), "little")  # type: ignore[arg-type]
