"""The model with what the knobs leave open: it keeps account of what a device may hold, and takes over what the device shows.

The state of it that is not known is `recorder.open` (bits of entries) and `unsure` (bits of hstateen0); `_settings` is called
where a state enable turned out to be another one.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product

from models.ctr.config import Config
from models.ctr.model import Ctr
from models.ctr.model_access import acting, clear_outcome, narrow, outcome
from models.ctr.model_recorder import DATA, SOURCE, TARGET
from models.ctr.model_rules import NO_SOURCE, NO_TARGET
from models.ctr.records import SCTRCLR, Transfer
from models.ctr.registers import CSRIND_BIT, CTR_BIT, SELECT, Csr, entries
from models.riscv.csr import DEBUG, DONE, READ, VS, VU, Access, M
from scoreboards.ctr_knobs import Knobs

PARTS = {"ctrsource": SOURCE, "ctrtarget": TARGET, "ctrdata": DATA}
_LOW = (1 << 32) - 1


class Lenient(Ctr):
    """The reference model under `knobs`. miselect: what a device's miselect may still be: kept, zero (read-only), absent."""

    def __init__(self, config: Config, knobs: Knobs, *, adopts: bool) -> None:
        super().__init__(config, exact=not adopts)
        self.knobs = knobs
        self.unsure = 0  # bits of hstateen0 that may be 0 or 1 since they were written while mstateen0's were 0
        self.miselect = {"kept"} if config.draft or knobs.miselect == "kept" else {"kept", "zero", "absent"}
        self._gate_bits = 1 << CTR_BIT[config.variant] | 1 << CSRIND_BIT
        self._converts = knobs.pc_bits < config.xlen
        self._since: dict[tuple[int, int], int] = {}  # of `recorder.open`, what was opened since DEPTH is not known
        self._upper: dict[tuple[int, int], int] = {}  # bits 63:32 that a write at XLEN 32 may have left, where they are open

    def _settings(self) -> None:
        """What the registers decide is to be asked anew."""

    # --- Entries ------------------------------------------------------------------------------------

    def held(self, address: int) -> bool:
        """Whether the device must be able to hold it as a PC: the bits above are copies of its top one (knob pc_bits)."""
        above = address >> self.knobs.pc_bits - 1
        return not self._converts or above in (0, (1 << self.config.xlen - self.knobs.pc_bits + 1) - 1)

    def wrote(self, place: int, action: int, transfer: Transfer) -> None:
        """A record was written: of an address that the device need not hold it shows any other."""
        self._since.pop((place, DATA), None)
        for part, address, absent in ((SOURCE, transfer.source, NO_SOURCE), (TARGET, transfer.target, NO_TARGET)):
            self._upper.pop((place, part), None)
            self._address(place, part, action != absent and not self.held(address))

    def _write(self, csr: Csr, access: Access, new: int) -> None:
        name = self._named[acting(csr, access.priv)].state
        if name == "miselect" and "kept" not in self.miselect:
            return
        unwritten = self.unsure & (_LOW if csr.rv32 else ~_LOW if narrow(self.config, access) else 0)  # the half of hstateen0 that is kept
        part = PARTS.get(name, 0)
        logical = self._selected(csr, access) if part else None
        if logical is None or logical >= self.recorder.depth:
            super()._write(csr, access, new)
            self.unsure |= unwritten
            return
        (old, unknown), place = self._part(part, logical), self.recorder.physical(logical)
        super()._write(csr, access, new)
        self._upper.pop((place, part), None)
        mask = self._masks[part - 1]
        if self.config.draft and self.config.xlen == 64 and access.xlen32 and not self.knobs.narrow_zero and mask & (old | unknown) > _LOW:
            self.recorder.open[place, part] = mask & ~_LOW
            kept = old & ~_LOW | new
            if part != DATA and not (self.held(kept) and not unknown):
                self._address(place, part, True)
            else:
                self._upper[place, part] = kept >> 32
        elif part != DATA:
            self._address(place, part, not self.held(new))

    def _address(self, place: int, part: int, any_: bool) -> None:
        """A PC was recorded or written. any_: the device may show any."""
        self._since.pop((place, part), None)
        if any_:
            self.leave_open({(place, part): self._masks[part - 1] & ~1})

    def leave_open(self, bits: dict[tuple[int, int], int]) -> None:
        """These bits of entries are not known from here on."""
        self.recorder.open.update(bits)
        self._since.update(bits)
        for key in bits:
            self._upper.pop(key, None)

    def _adopt_entry(self, csr: Csr, access: Access, part: int, read: int, bits: int) -> str:
        logical = self._selected(csr, access)
        key = (self.recorder.physical(logical), part) if logical is not None else (-1, 0)
        if not access.xlen32 and key in self._upper and read >> 32 not in (0, self._upper[key]):
            return f"bits 63:32 are {read >> 32:#x}; a write at XLEN 32 leaves 0 or what was there, {self._upper[key]:#x}"
        return super()._adopt_entry(csr, access, part, read, bits)

    def _open_entries(self) -> None:
        super()._open_entries()
        self._upper.clear()

    def _adopt_status(self, read: int) -> str:
        self._upper.clear()
        return super()._adopt_status(read)

    def unspecified(self, csr: Csr | None, access: Access, have: int) -> bool:
        """An ireg access that nothing else refuses, where nothing is selected (knob outside). What it wrote is not known."""
        if self.knobs.outside != "any" or csr is None or "ireg" not in csr.name:
            return False
        window = acting(csr, access.priv).partition("ireg")[0]
        if window == "m" and not self.config.draft:
            if access.priv not in (M, DEBUG):
                return False
            if have == DONE and access.op != READ and (logical := self._selected(csr, access)) is not None and logical < self.recorder.depth and (part := csr.address & 7) <= DATA:
                self.recorder.open[self.recorder.physical(logical), part] = entries(self.config)[part - 1].mask
            return True
        gates, bit = self._effective(), 1 << CTR_BIT[self.config.variant]
        inside = replace(gates, mstateen=gates.mstateen | bit, hstateen=gates.hstateen | bit, **{f"{window}iselect": SELECT.start})
        return self._selected(csr, access) is None and outcome(self.config, inside, csr, access) == DONE

    # --- Clear and depth ----------------------------------------------------------------------------

    def _clear_draft(self, before: int) -> None:
        """CLR with a greater DEPTH: "current CTR depth" may be the old one, then the entries that are added hold anything."""
        r = self.recorder
        if self.knobs.clear_grown or r.depth <= before:
            super()._clear_draft(before)
            return
        r.clear(before)
        r.open.update({(place, part): self._masks[part - 1] for place in range(before, r.depth) for part in (SOURCE, TARGET, DATA)})

    def _depth_unsure(self) -> None:
        if self.knobs.depth_unsupported != "any":
            return
        if not self._depth_open:
            self._since.clear()
        super()._depth_unsure()

    def _adopt_depth(self, code: int) -> str:
        """Behind a depth that did not change, what was opened since stays open."""
        r = self.recorder
        since = {key: bits for key, bits in r.open.items() if bits != self._masks[key[1] - 1]}
        since.update({key: bits for key, bits in self._since.items() if key in r.open})
        problem = super()._adopt_depth(code)
        if not problem and r.depth == self._before[0]:
            r.open.update(since)
        return problem

    # --- miselect and hstateen0 ---------------------------------------------------------------------

    def miselect_is(self, *possible: str) -> bool:
        """The device showed that its miselect is one of these; False if it showed otherwise before, or may not."""
        left = self.miselect & set(possible)
        if left:
            self.miselect = left
        if "kept" not in self.miselect:
            self.gates.miselect = 0
        return bool(left)

    def _write_stateen(self, name: str, value: int) -> None:
        old = self.gates.hstateen | self.unsure
        super()._write_stateen(name, value)
        if name[0] == "h":
            self.unsure = 0 if self.knobs.hstateen_closed == "zero" else (old | value) & self._gate_bits & ~self.gates.mstateen

    def _value(self, csr: Csr, access: Access) -> tuple[int, int]:
        value, unknown = super()._value(csr, access)
        return value, unknown | self.unsure & self.gates.mstateen if csr.state.startswith("hstateen") else unknown

    def adopt(self, access: Access, read: int) -> str:
        """As the model's; bits of hstateen0 that are not known are taken over, too."""
        csr = self._csrs[access.addr]
        if "stateen" not in csr.state:
            return super().adopt(access, read)
        bits, shift = self.peek(access).open, 32 * csr.rv32
        self._hstateen(self.gates.hstateen & ~(bits << shift) | (read & bits) << shift, bits << shift)
        return ""

    def settle(self, csr: Csr | None, access: Access, have: int) -> None:
        """The outcome of an access may tell bits of hstateen0 that are not known."""
        asked = self.unsure & self.gates.mstateen
        if not asked or access.priv not in (VS, VU):
            return
        gates, known = self._effective(), self.gates.hstateen & ~asked
        choices = [known | sum(some) for some in product(*((0, 1 << bit) for bit in range(64) if asked >> bit & 1))]
        fits = []
        for choice in choices:
            acts = replace(gates, hstateen=choice & gates.mstateen)
            if have == (clear_outcome(self.config, acts, access.priv) if access.op == SCTRCLR else outcome(self.config, acts, csr, access)):
                fits.append(choice)
        if fits:
            same = ~0
            for choice in fits:
                same &= ~(choice ^ fits[0])
            self._hstateen(fits[0], asked & same)

    def _hstateen(self, value: int, known: int) -> None:
        self.gates.hstateen = value
        self.unsure &= ~known
        self._settings()
