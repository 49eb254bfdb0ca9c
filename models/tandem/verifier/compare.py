# SPDX-License-Identifier: Apache-2.0
"""One group against one step of the simulator: every change of either side, whatever the instruction (section 3.1).

Presents interrupts, copies non-deterministic state before the simulator executes, and takes steps back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from rvtrace.models.riscv.iss.csr import (
    MCAUSE,
    MCYCLE,
    MCYCLEH,
    MINSTRET,
    MINSTRETH,
    MIP,
    MSTATUS,
    SCAUSE,
    ST_MIE,
    ST_MPIE,
    ST_MPP,
    ST_SIE,
    ST_SPIE,
    ST_SPP,
    CsrTable,
)
from rvtrace.models.riscv.iss.hart import ACCESS_CAUSES, NOWHERE, UNCHANGED
from rvtrace.models.riscv.iss.table import LOAD, STORE
from rvtrace.models.tandem.decoder.decoded import Group
from rvtrace.models.tandem.simulator.interface import (
    INTERRUPT_KEY,
    NO_INTERRUPT,
    NO_RESERVATION,
    PC_KEY,
    PPC_KEY,
    PRIV_KEY,
    RESERVATION_KEY,
    PartialSimulator,
    Step,
)
from rvtrace.models.tandem.table import EADDR, FCSR, FFLAGS, FPR_BASE, FRM, GPR_BASE, MEMDATA, PADDR, STATE_KEY
from rvtrace.models.tandem.verifier.profile import COUNTERS, Profile
from rvtrace.models.tandem.verifier.shadow import Shadow
from rvtrace.models.tandem.verifier.verdict import INSN_KEY, Difference

PADDR_KEY, EADDR_KEY, MEMDATA_KEY = STATE_KEY + PADDR, STATE_KEY + EADDR, STATE_KEY + MEMDATA
COUNTED = frozenset(COUNTERS.values())
_SYSTEM = 0x73
# Fields of mstatus that a trap or a return gives a value, and those that it copies: to where they come from
_STACK = ST_MIE | ST_MPIE | ST_MPP | ST_SIE | ST_SPIE | ST_SPP
_STACKED = ((ST_MIE, ST_MPIE), (ST_MPIE, ST_MIE), (ST_SIE, ST_SPIE), (ST_SPIE, ST_SIE))
_COUNTERS = ((MCYCLE, MCYCLEH), (MINSTRET, MINSTRETH))
FLOATING = (FFLAGS, FRM, FCSR)


class Changes(NamedTuple):
    """The changes that a group reports, by kind. next_pc: None if it has none. relative: the next pc is encoded as an
    increment, or may be.
    """

    next_pc: int | None
    relative: bool
    registers: dict[int, int]
    csrs: dict[int, int]
    priv: int | None
    paddr: int | None
    eaddr: int | None
    memdata: tuple[int, int] | None
    other: dict[int, int]


def sort_out(group: Group, mask: int) -> Changes:
    """What a group reports. memdata: (bytes, value)."""
    registers: dict[int, int] = {}
    csrs: dict[int, int] = {}
    other: dict[int, int] = {}
    single: dict[int, int] = {}
    memdata = None
    for key, value in group.changes:
        if key < GPR_BASE:
            csrs[key] = value
        elif key < FPR_BASE:
            registers[key - GPR_BASE] = value
        elif MEMDATA_KEY <= key <= MEMDATA_KEY + 3:
            memdata = (1 << key - MEMDATA_KEY, value)
        elif key in (PC_KEY, PRIV_KEY, PADDR_KEY, EADDR_KEY):
            single[key] = value
        else:
            other[key] = value
    next_pc = single.get(PC_KEY)
    relative = bool(group.size) and (
        group.pc is None if next_pc is None else group.pc is not None and next_pc == group.pc + group.size & mask
    )
    return Changes(
        next_pc,
        relative,
        registers,
        csrs,
        single.get(PRIV_KEY),
        single.get(PADDR_KEY),
        single.get(EADDR_KEY),
        memdata,
        other,
    )


class Comparer:
    """Executes in the simulator and compares. The shadow state is that before the group; only `Verifier` moves it on.

    skipped: changes of state that the simulator does not have, by name.
    """

    def __init__(self, simulator: PartialSimulator, shadow: Shadow, profile: Profile) -> None:
        self.simulator, self.shadow, self.profile = simulator, shadow, profile
        self.table: CsrTable = shadow.table
        self.masks = profile.masks(self.table)
        self.sampled = {COUNTERS[name] for name in profile.sampled}
        self.word = profile.hart.mask
        self.pending_reported = False  # whether the trace reports mip
        absent = set(profile.absent)
        self.has = {
            name: name not in absent
            for name in ("pc", "insn", "gpr", "csr", "priv", "paddr", "eaddr", "memdata", "ppc", "fpr", "fcsr")
        }

    # --- execution

    def attempt(self, group: Group, reported: Changes) -> tuple[Step, list[Difference]]:
        """Execute what the group should be, and compare; the step, and what differs.

        Where the step met something non-deterministic and differs, that is taken from the trace and the step is done
        again.
        """
        cause = self._interrupt(group, reported)
        step = self._execute(cause)
        apart = self.compare(group, reported, step)
        copy = self._copying(step, reported) if apart else None
        if copy is not None:
            self.undo([step])
            copy()
            step = self._execute(cause)
            apart = self.compare(group, reported, step)
        return step, apart

    def _execute(self, cause: int = NO_INTERRUPT) -> Step:
        simulator = self.simulator
        simulator.write(INTERRUPT_KEY, cause)
        step = simulator.execute()
        if step is None:
            raise KeyError(f"{simulator.name} cannot do what comes next")
        step = step.copy()
        simulator.write(INTERRUPT_KEY, NO_INTERRUPT)
        return step

    def run(self) -> Step:
        """One step for which the trace has no group."""
        return self._execute()

    def interrupted(self, cause: int) -> Step:
        """The same with an interrupt presented."""
        return self._execute(cause)

    def _interrupt(self, group: Group, reported: Changes) -> int:
        """The interrupt to present: the one whose cause the group reports, if the simulator has it pending or cannot
        know.
        """
        if group.size:
            return NO_INTERRUPT
        top = self.table.config.xlen - 1
        for address in (MCAUSE, SCAUSE):
            value = reported.csrs.get(address, 0)
            if value >> top:
                cause = value & (1 << top) - 1
                known = self.pending_reported or not self.masks.get(MIP, 0) >> cause & 1
                return cause if cause < 64 and (not known or self.simulator.read(MIP) >> cause & 1) else NO_INTERRUPT
        return NO_INTERRUPT

    def _copying(self, step: Step, reported: Changes) -> Callable[[], None] | None:
        """What copies the non-deterministic state that the step read from the trace to the simulator; None if it read
        none.
        """
        simulator, value = self.simulator, next(iter(reported.registers.values()), None)
        if value is None:
            return None
        if step.device and step.access == LOAD:
            body = (value & (1 << 8 * step.bytes) - 1).to_bytes(step.bytes, "little")
            place = step.paddr
            return lambda: simulator.write_memory(place, body)
        if not step.seen:
            return None
        seen = step.seen[0]
        if seen == "reservation":
            fails = value == 1 and self.profile.sc_may_fail
            return (lambda: simulator.write(RESERVATION_KEY, NO_RESERVATION)) if fails else None
        mask = self.moving(seen)
        return (lambda: simulator.write(seen, simulator.read(seen) & ~mask | value & mask)) if mask else None

    def moving(self, address: int) -> int:
        """Of the bits that a CSR shows, those that the simulator cannot know: non-deterministic by the profile, or of a
        counter that was not reported.
        """
        view = self.table.view(address, self.shadow.csr)
        return (self.masks.get(view.of, 0) | self.shadow.unknown.get(view.of, 0)) >> view.shift & view.mask & self.word

    def is_sample(self, address: int, step: Step | None = None) -> bool:
        """Whether the reported value of a CSR is a sample of a counter, and not what the step wrote."""
        of = self.table.view(address, self.shadow.csr).of
        return of in self.sampled and (step is None or of not in step.csrs)

    def counters(self) -> dict[int, int]:
        """The simulator's counters, in full; none if it has none."""
        try:
            return {low: self._count(low, high) for low, high in _COUNTERS}
        except KeyError:
            return {}

    def _count(self, low: int, high: int) -> int:
        upper = self.simulator.read(high) << 32 if self.table.config.xlen == 32 else 0
        return upper | self.simulator.read(low)

    def set_counters(self, values: dict[int, int]) -> None:
        """Give the simulator back what `counters` said."""
        narrow = self.table.config.xlen == 32
        for low, high in _COUNTERS:
            if low in values:
                self.simulator.write(low, values[low] & self.word)
                if narrow:
                    self.simulator.write(high, values[low] >> 32 & self.word)

    def undo(self, steps: Iterable[Step]) -> None:
        """Take back steps since the state that the shadow holds."""
        simulator, shadow = self.simulator, self.shadow
        reserved, counted, ticked = UNCHANGED, 0, 0
        for step in steps:
            if step.rd:
                simulator.write(GPR_BASE + step.rd, shadow.x[step.rd])
            for address in step.csrs:
                if address not in COUNTED:
                    simulator.write(address, shadow.csr[address])
            if step.access == STORE:
                for place, count in step.parts or ((step.paddr, step.bytes),):
                    simulator.write_memory(place, shadow.memory.read(place, count))
            if step.reserved is not UNCHANGED and reserved is UNCHANGED:
                reserved = step.reserved
            counted += step.counted
            ticked += step.ticked
        if reserved is not UNCHANGED:
            simulator.write(RESERVATION_KEY, NO_RESERVATION if reserved is None else reserved[0] | reserved[1] << 64)
        if counted or ticked:
            before = self.counters()
            self.set_counters({MCYCLE: before[MCYCLE] - ticked, MINSTRET: before[MINSTRET] - counted})
        simulator.write(PRIV_KEY, shadow.priv)
        simulator.write(PC_KEY, shadow.pc)

    # --- comparison

    def compare(self, group: Group, reported: Changes, step: Step) -> list[Difference]:
        """What differs between a group and a step that has just been done."""
        has, out = self.has, []
        if has["insn"] and (group.size, group.insn) != (step.size, step.insn):
            how = "omitted" if not group.size else "extra" if not step.size else "wrong"
            out.append(
                Difference(how, "insn", INSN_KEY, group.insn if group.size else None, step.insn if step.size else None)
            )
        if has["pc"]:
            self._pc(group, reported, step, out)
        if has["gpr"]:
            self._registers(reported, step, out)
        if has["csr"]:
            self._csrs(reported, step, out)
        if has["priv"]:
            before = self.shadow.priv
            if reported.priv is None and step.priv != before:
                out.append(Difference("omitted", "priv", PRIV_KEY, None, step.priv))
            elif reported.priv is not None and reported.priv != step.priv:
                out.append(Difference("wrong", "priv", PRIV_KEY, reported.priv, step.priv))
        self._access(reported, step, out)
        self._place(reported, step, out)
        self.floating(reported, out)
        return out

    def _place(self, reported: Changes, step: Step, out: list[Difference]) -> None:
        """The physical address of the next pc, if it is reported; after a pc that differs it is the same mismatch."""
        value = reported.other.get(PPC_KEY)
        if value is None or not self.has["ppc"] or any(one.what == "pc" for one in out):
            return
        try:
            place = self.simulator.read(PPC_KEY)
        except KeyError:  # nothing can be fetched there, or the simulator does not say
            return
        if value != place:
            out.append(Difference("wrong", "ppc", PPC_KEY, value, place))

    def floating(self, reported: Changes, out: list[Difference]) -> None:
        """A simulator without floating point changes none of its state: every reported change of it is extra."""
        for key, value in (*reported.csrs.items(), *reported.other.items()):
            is_f = FPR_BASE <= key < FPR_BASE + 32
            if self.has["fpr"] and is_f or self.has["fcsr"] and key in FLOATING and key not in self.table.names:
                out.append(Difference("extra", "fpr", key, value, None))

    def next_pc(self, group: Group, reported: Changes, pc: int) -> int | None:
        """The pc that the group reports, if the instruction is at `pc`."""
        if reported.relative and group.size and (reported.next_pc is None or pc != group.pc):
            return pc + group.size & self.word
        return reported.next_pc

    def _pc(self, group: Group, reported: Changes, step: Step, out: list[Difference]) -> None:
        to = self.next_pc(group, reported, step.pc)
        if to is None:
            out.append(Difference("omitted", "pc", PC_KEY, None, step.next_pc))
        elif to != step.next_pc:
            out.append(Difference("wrong", "pc", PC_KEY, to, step.next_pc))

    def _registers(self, reported: Changes, step: Step, out: list[Difference]) -> None:
        mine = {step.rd: step.value} if step.rd else {}
        if self.profile.unchanged:  # what keeps its value is no change of either side
            mine = {n: value for n, value in mine.items() if n in reported.registers or value != self.shadow.x[n]}
        for n, value in reported.registers.items():
            if n not in mine and self.profile.unchanged and value == self.shadow.x[n]:
                continue
            if n not in mine:
                out.append(Difference("extra", "register", GPR_BASE + n, value, None))
            elif mine[n] != value:
                out.append(Difference("wrong", "register", GPR_BASE + n, value, mine[n]))
        out += [
            Difference("omitted", "register", GPR_BASE + n, None, value)
            for n, value in mine.items()
            if n not in reported.registers
        ]

    def _csrs(self, reported: Changes, step: Step, out: list[Difference]) -> None:
        """CSRs by what they show: sstatus may be reported where the simulator changed mstatus, and vice versa."""
        simulator, covered = self.simulator, set()
        sure = {} if self.shadow.settled else self.determined(step)
        for address, value in reported.csrs.items():
            if address not in self.table.names:
                continue
            view = self.table.view(address, self.shadow.csr)
            covered.add(view.of)
            if self.is_sample(address, step):
                continue
            shows = simulator.read(address)
            care = ~self.moving(address) | sure.get(view.of, 0) >> view.shift & view.mask
            if (value ^ shows) & care & self.word:
                out.append(
                    Difference(
                        "wrong" if view.of in step.csrs or view.of in COUNTED else "extra", "csr", address, value, shows
                    )
                )
            elif (
                view.of not in step.csrs
                and ~self.masks.get(view.of, 0) >> view.shift & view.mask & self.word
                and not self.moves(view.of)
                and not self.profile.unchanged  # it shows what it did
            ):
                out.append(Difference("extra", "csr", address, value, None))
        for address, value in step.csrs.items():
            care = ~self.masks.get(address, 0) & self.word
            if address not in COUNTED and self.profile.unchanged_csr:
                care &= ~self.shadow.unknown.get(address, 0)  # it may have had the value before
            if (
                address not in covered
                and (value ^ self.shadow.csr[address] if self.profile.unchanged_csr else self.word) & care
            ):
                out.append(Difference("omitted", "csr", address, None, value & self.word))

    def determined(self, step: Step) -> dict[int, int]:
        """Bits of CSRs, by the register that holds them, that a step gives a value whatever they were before. The
        shadow is that before the step.
        """
        insn, shadow, out = step.insn, self.shadow, {}
        if step.trap is None and step.size == 4 and insn & 0x7F == _SYSTEM and insn >> 12 & 3:
            view = self.table.view(insn >> 20, shadow.csr)
            source = insn >> 15 & 31
            source = source if insn >> 14 & 1 else shadow.x[source]
            bits = view.mask if insn >> 12 & 3 == 1 else source & view.mask
            return {of: bits << view.shift & self.table.writable[of] for of in step.csrs if of not in COUNTED}
        for of in step.csrs:
            if of == MSTATUS:
                unknown = shadow.unknown.get(of, 0)
                out[of] = ~sum(to for base, to in _STACKED if unknown & base) & _STACK
            elif of not in COUNTED:
                out[of] = ~0
        return out

    def moves(self, address: int) -> bool:
        """Whether it changes without an instruction: then it may be reported at any time."""
        return bool(self.masks.get(address, 0)) or address in COUNTED

    def _aimed(self, reported: Changes, step: Step, out: list[Difference]) -> None:
        """Addresses of a step without access. One that trapped, or an SC that failed, may report its address, as far as
        that is known.

        (An SC that fails may be treated like a store, "Zalrsc": it is translated or not, but its address is that of
        rs1.)
        """
        aimed = (
            step.trap[1] in ACCESS_CAUSES and not step.trap[0]
            if step.trap is not None
            else step.seen == ("reservation",)
        )
        for what, key, value, mine in (
            ("paddr", PADDR_KEY, reported.paddr, step.paddr),
            ("eaddr", EADDR_KEY, reported.eaddr, step.eaddr),
        ):
            if value is None:
                continue
            if not aimed:
                out.append(Difference("extra", what, key, value, None))
            elif value != mine != NOWHERE:
                out.append(Difference("wrong", what, key, value, mine))

    def _access(self, reported: Changes, step: Step, out: list[Difference]) -> None:
        has, access = self.has, step.access
        if not access:
            self._aimed(reported, step, out)
            if reported.memdata is not None:
                out.append(Difference("extra", "memdata", MEMDATA_KEY, reported.memdata[1], None))
            return
        for what, key, value, mine in (
            ("paddr", PADDR_KEY, reported.paddr, step.paddr),
            ("eaddr", EADDR_KEY, reported.eaddr, step.eaddr),
        ):
            if value is not None and value != mine:
                out.append(Difference("wrong", what, key, value, mine))
            elif value is None and has[what] and (what == "paddr" or (step.eaddr != step.paddr)):
                out.append(Difference("omitted", what, key, None, mine))
        if access == LOAD or reported.memdata is None:
            if reported.memdata is not None:
                out.append(Difference("extra", "memdata", MEMDATA_KEY, reported.memdata[1], None))
            elif access == STORE and has["memdata"]:
                out.append(Difference("omitted", "memdata", MEMDATA_KEY, None, step.data))
            return
        size, value = reported.memdata
        if size != step.bytes:
            out.append(
                Difference("narrower" if size < step.bytes else "wrong", "memdata", MEMDATA_KEY, value, step.data)
            )
        elif value != step.data:
            out.append(Difference("wrong", "memdata", MEMDATA_KEY, value, step.data))
