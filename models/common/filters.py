# SPDX-License-Identifier: Apache-2.0
"""Instruction filters and comparators of the Trace Control Interface (trTeInstFilters, trTeFilter, trTeComp).

    settings = FilterSettings.parse("iaddr=0x80000100..0x800001ff&priv=M|context=5;watch=0x80000040", xlen=64)
    qualified, notify = settings.qualify(beats)

Filters are joined by `|`, the conditions of one by `&`; a watchpoint means itself after `;`. Conditions:

    iaddr=X  iaddr!=X  iaddr<X  iaddr<=X  iaddr>X  iaddr>=X    of a block's first instruction
    iaddr=LO..HI  iaddr!=LO..HI                                 inside or outside, both ends included
    iaddr=A->B                                                  from the block at A to the one at B
    iaddr=->B                                                   from the first block to the one at B, once
    iaddr=X/MASK  (and the other comparisons)                   only the bits that are 1 in MASK are compared
    context=...  tval=...                                       the same for scontext and tval
    priv=M+S+U+VS+VU   ecause=2+8   trap=interrupt   trap=exception
    watch=X                                                     SYNC=6 after the block at X
    unselected:<conditions>   disabled:<conditions>             a filter that is configured and matches nothing: its bit
                                                                of trTeInstFilters, or its enable, is 0

`ecause` and `trap` match from a trap's handler to the xRET that ends it. A block is taken as a whole. The first block
of `->B` is the first one after trTeEnable was 0, which also ends what `A->B`, `ecause` and `trap` have started.

The chapters of filters are silent on two points, which the editor of E-Trace answers (`OURS`; a device may do it
otherwise, `READINGS`): an interrupt without instructions has no address and is not subject to a comparison of
addresses (trace-spec issue 132), which keeps for it the result of the block before; tval is compared at itype 1 and 2
only (135), elsewhere a comparison of it is false.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.retired import PRIVILEGE, IType, Priv

MAX_FILTERS, MAX_COMPS = 2, 2
CONTEXT_BITS = 32
INPUTS = ("iaddr", "context", "tval")  # trTeCompPInput, trTeCompSInput
NEST_MAX = 15  # of the counter of nested traps

# trTeFilter[i]Control
FILTER_ENABLE, MATCH_PRIVILEGE, MATCH_ECAUSE, MATCH_INTERRUPT = 1, 2, 4, 8
MATCH_COMP_BITS = (4, 8, 12)  # of the enable; the number of the comparator is in the three bits above
VALUE_INTERRUPT = 1 << 8  # trTeFilter[i]MatchInst
# trTeComp[j]Control
S_INPUT_BIT, P_FUNCTION_BIT, S_FUNCTION_BIT, MATCH_MODE_BIT = 2, 4, 8, 12
P_NOTIFY, S_NOTIFY = 1 << 14, 1 << 15
EQ, NE, LT, LE, GT, GE, SPECIAL, ALWAYS = range(8)  # functions; 6: see trTeCompPFunction and trTeCompSFunction
PRIMARY, BOTH, NOT_BOTH, LATCH = range(4)  # match modes

_OPERATORS = {"=": EQ, "!=": NE, "<": LT, "<=": LE, ">": GT, ">=": GE}
_COMPARE = {EQ: np.equal, NE: np.not_equal, LT: np.less, LE: np.less_equal, GT: np.greater, GE: np.greater_equal}
_TERM = re.compile(r"(\w+)(=|!=|<=|>=|<|>)(.+)")
_CODE = np.array([PRIVILEGE.get(priv, 0) for priv in range(8)], np.int64)  # the bit of trTeFilterMatchChoicePrivilege
UNSELECTED, DISABLED = "unselected", "disabled"  # why a filter that is configured matches nothing
_EXAMPLE = "FILTER='iaddr=0x80000100..0x800001ff&priv=M'"


class FilterReading(NamedTuple):
    """What a filter does where the chapters are silent.

    unplaced: a comparison of addresses, of an interrupt without instructions: "kept" as of the block before, "true"
    (the condition is ignored), or "compared" with what the port carries. tval: compared at "traps" only, or "always".
    """

    unplaced: str = "kept"
    tval: str = "traps"


OURS = FilterReading()
READINGS = tuple(FilterReading(unplaced, tval) for unplaced in ("kept", "true", "compared")
                 for tval in ("traps", "always"))  # fmt: skip


class FilterError(ValueError):
    """Text that is not a filter, or more than the hardware has; it says what to write instead."""


@dataclass(frozen=True)
class FilterSettings:
    """The registers of filters and comparators.

    inst_filters: trTeInstFilters. filters: per filter (Control, MatchInst, MatchEcause of 64 bits); comps: per
    comparator (Control, PMatch, SMatch of 64 bits). xlen: bits of iaddr and tval.
    """

    inst_filters: int = 0
    filters: tuple[tuple[int, int, int], ...] = ()
    comps: tuple[tuple[int, int, int], ...] = ()
    xlen: int = 64

    @classmethod
    def parse(cls, text: str, xlen: int = 64) -> FilterSettings:
        """From the language above; empty text traces everything. FilterError says what is wrong."""
        return _Parser(text, xlen).settings()

    def registers(self) -> dict[str, int]:
        """Name and value of every register, 0 for filters and comparators that are not used."""
        values = {"trTeInstFilters": self.inst_filters}
        for i, (control, inst, ecause) in enumerate(_padded(self.filters, MAX_FILTERS)):
            name = f"trTeFilter{i}"
            values |= {f"{name}Control": control, f"{name}MatchInst": inst}
            values |= _halves(f"{name}MatchEcause", ecause)
        for j, (control, primary, secondary) in enumerate(_padded(self.comps, MAX_COMPS)):
            values[f"trTeComp{j}Control"] = control
            values |= _halves(f"trTeComp{j}PMatch", primary) | _halves(f"trTeComp{j}SMatch", secondary)
        return values

    def qualify(self, beats: Beats, reading: FilterReading = OURS) -> tuple[np.ndarray, np.ndarray]:
        """Masks [n, lanes]: blocks that are traced, and those after which a watchpoint is reported.

        Lanes without a block are neither. Blocks are seen in order while `enable` is 1; 0 resets what was seen.
        """
        valid = beats.valid()
        seen = _Blocks(beats, valid, reading)
        results = [_Comparator(self, seen, *comp) for comp in self.comps]
        matched = np.full(seen.count, not self.inst_filters)
        for index, (control, inst, ecause) in enumerate(self.filters):
            if self.inst_filters >> index & 1 and control & FILTER_ENABLE:
                matched |= _filter(seen, results, control, inst, ecause)
        noted = np.zeros(seen.count, bool)
        for result in results:
            noted |= result.notify
        qualified, notify = np.zeros(valid.shape, bool), np.zeros(valid.shape, bool)
        qualified[valid] = matched
        notify[valid] = noted & matched
        return qualified, notify


class _Blocks:
    """The blocks of some beats, one after the other."""

    def __init__(self, beats: Beats, valid: np.ndarray, reading: FilterReading) -> None:
        self.count, self.reading = int(valid.sum()), reading
        self.itype, self.priv, self.cause = beats.itype[valid], beats.priv[valid], beats.cause[valid]
        self.inputs = [getattr(beats, name)[valid].astype(np.uint64) for name in INPUTS]
        self.trap = (self.itype == IType.EXCEPTION) | (self.itype == IType.INTERRUPT)
        self.unplaced = (self.itype == IType.INTERRUPT) & (beats.iretire[valid] == 0)
        if reading.unplaced == "compared":
            self.unplaced[:] = False
        # A block whose epoch is unlike that of the block before came after enable was 0; beats with enable 0 have their
        # own.
        off = 2 * np.cumsum(beats.enable == 0) - (beats.enable == 0)
        self.epoch = np.broadcast_to(off[:, None], valid.shape)[valid]

    def runs(self) -> list[tuple[int, int]]:
        """(begin, end) of the blocks between two resets of the filters."""
        cuts = [0, *(np.flatnonzero(np.diff(self.epoch)) + 1).tolist(), self.count]
        return list(zip(cuts, cuts[1:]))


class _Comparator:
    """Results of one comparator unit for every block."""

    def __init__(self, settings: FilterSettings, seen: _Blocks, control: int, primary: int, secondary: int) -> None:
        mode = control >> MATCH_MODE_BIT & 3
        s_function = control >> S_FUNCTION_BIT & 7
        mask = secondary if s_function == SPECIAL else -1
        p = _compare(settings, seen, control & 3, control >> P_FUNCTION_BIT & 7, primary, mask)
        if s_function == SPECIAL:
            s = np.ones(seen.count, bool)
        else:
            s = _compare(settings, seen, control >> S_INPUT_BIT & 3, s_function, secondary, -1)
        # whether one of its comparisons is of addresses; function 6 of the secondary one is none
        compares = control & 3 == 0 or (mode != PRIMARY and s_function < SPECIAL and control >> S_INPUT_BIT & 3 == 0)
        unplaced = seen.unplaced & compares
        if mode == LATCH:
            self.output = _latched(seen, p, s, unplaced, primed=control >> P_FUNCTION_BIT & 7 == SPECIAL)
        else:
            self.output = {PRIMARY: p, BOTH: p & s, NOT_BOTH: ~(p & s)}[mode]
        first = {begin for begin, _ in seen.runs()}
        for i in np.flatnonzero(unplaced).tolist():
            kept = i not in first and self.output[i - 1]
            self.output[i] = kept if seen.reading.unplaced == "kept" else True
        self.notify = np.zeros(seen.count, bool)
        if control & P_NOTIFY and control & 3 == 0:
            self.notify |= p
        if control & S_NOTIFY and control >> S_INPUT_BIT & 3 == 0:
            self.notify |= s
        self.notify &= ~seen.unplaced


def _compare(settings: FilterSettings, seen: _Blocks, which: int, function: int, match: int, mask: int) -> np.ndarray:
    """Unsigned comparison of one input; bits of `match` above the input are ignored."""
    if function in (SPECIAL, ALWAYS):
        return np.full(seen.count, function == ALWAYS)
    if which >= len(INPUTS):
        raise FilterError(f"comparator input {which} is not implemented; choose 0 (iaddr), 1 (context) or 2 (tval)")
    bits = CONTEXT_BITS if INPUTS[which] == "context" else settings.xlen
    mask &= (1 << bits) - 1
    result = _COMPARE[function](seen.inputs[which] & np.uint64(mask), np.uint64(match & mask))
    return result & seen.trap if INPUTS[which] == "tval" and seen.reading.tval == "traps" else result


def _latched(seen: _Blocks, p: np.ndarray, s: np.ndarray, skipped: np.ndarray, primed: bool) -> np.ndarray:
    """Match mode 3: from the block that sets it to the one whose secondary result is true. skipped: blocks that change
    nothing.
    """
    output = np.zeros(seen.count, bool)
    for begin, end in seen.runs():
        latch = primed
        for i, (on, off) in enumerate(zip(p[begin:end].tolist(), s[begin:end].tolist()), begin):
            if skipped[i]:
                continue
            latch = latch or on
            output[i] = latch
            latch = latch and not off
    return output


def _filter(seen: _Blocks, comps: list[_Comparator], control: int, inst: int, ecause: int) -> np.ndarray:
    """Blocks for which all conditions of one filter hold."""
    match = np.ones(seen.count, bool)
    if control & MATCH_PRIVILEGE:
        match &= (inst >> _CODE[seen.priv] & 1).astype(bool)
    for bit in MATCH_COMP_BITS:
        if control >> bit & 1:
            number = control >> bit + 1 & 7
            if number >= len(comps):
                raise FilterError(f"a filter uses comparator {number}, there are {len(comps)}; choose one of them")
            match &= comps[number].output
    if control & MATCH_ECAUSE:
        chosen = np.array([cause for cause in range(64) if ecause >> cause & 1], seen.cause.dtype)
        match &= _in_trap(seen, (seen.itype == IType.EXCEPTION) & np.isin(seen.cause, chosen))
    if control & MATCH_INTERRUPT:
        match &= _in_trap(seen, seen.itype == (IType.INTERRUPT if inst & VALUE_INTERRUPT else IType.EXCEPTION))
    return match


def _in_trap(seen: _Blocks, starts: np.ndarray) -> np.ndarray:
    """From after a block that starts, through nested traps, to the xRET that ends the trap."""
    inside = np.zeros(seen.count, bool)
    for begin, end in seen.runs():
        active, nested = False, 0
        for i, (itype, start) in enumerate(zip(seen.itype[begin:end].tolist(), starts[begin:end].tolist()), begin):
            inside[i] = active
            if not active:
                active = start
            elif itype in (IType.EXCEPTION, IType.INTERRUPT):
                nested = min(nested + 1, NEST_MAX)
            elif itype == IType.XRET:
                active, nested = nested > 0, max(nested - 1, 0)
    return inside


def _padded(rows: tuple[tuple[int, int, int], ...], count: int) -> list[tuple[int, int, int]]:
    return [*rows, *[(0, 0, 0)] * (count - len(rows))]


def _halves(name: str, value: int) -> dict[str, int]:
    return {f"{name}Low": value & 0xFFFF_FFFF, f"{name}High": value >> 32}


class _Parser:
    """One text of the filter language."""

    def __init__(self, text: str, xlen: int) -> None:
        self.text, self.xlen = text, xlen
        self.comps: list[tuple[int, int, int]] = []

    def settings(self) -> FilterSettings:
        """What the text says."""
        filters: list[tuple[int, int, int]] = []
        selected = 0
        if not self.text.strip():
            return FilterSettings(xlen=self.xlen)
        for part in self.text.replace(" ", "").split(";"):
            if part.startswith("watch="):
                self._comparator(P_NOTIFY | EQ << P_FUNCTION_BIT, self._number("iaddr", part[6:]), 0)
            elif filters:
                raise self._wrong(f"has filters in two parts, {part!r} is the second", "join them by |")
            else:
                for index, one in enumerate(part.split("|")):
                    off, colon, conditions = one.rpartition(":")
                    if colon and off not in (UNSELECTED, DISABLED):
                        raise self._wrong(f"has a filter that is {off!r}", f"know {UNSELECTED}: and {DISABLED}:")
                    control, inst, ecause = self._filter(conditions)
                    filters.append((control & ~FILTER_ENABLE if off == DISABLED else control, inst, ecause))
                    selected |= (off != UNSELECTED) << index
        if len(filters) > MAX_FILTERS:
            raise self._wrong(f"has {len(filters)} filters, the hardware has {MAX_FILTERS}", "leave some out")
        return FilterSettings(selected, tuple(filters), tuple(self.comps), self.xlen)

    def _wrong(self, found: str, advice: str) -> FilterError:
        return FilterError(f"FILTER={self.text!r} {found}; {advice}, as in {_EXAMPLE}")

    def _filter(self, text: str) -> tuple[int, int, int]:
        """Control, MatchInst and MatchEcause of conditions joined by `&`."""
        control, inst, ecause, used = FILTER_ENABLE, 0, 0, []
        for term in text.split("&"):
            found = _TERM.fullmatch(term)
            if not found:
                raise self._wrong(f"has the condition {term!r}", "write name, comparison and value")
            name, operator, value = found.groups()
            if name in INPUTS:
                used.append(self._condition(name, operator, value))
                continue
            if operator != "=" or name not in ("priv", "ecause", "trap"):
                raise self._wrong(f"has the condition {term!r}", f"know {', '.join(INPUTS)}, priv=, ecause= and trap=")
            if name == "priv":
                control |= MATCH_PRIVILEGE
                inst |= sum({1 << PRIVILEGE[self._choice(Priv.__members__, one)] for one in value.split("+")})
            elif name == "ecause":
                control |= MATCH_ECAUSE
                ecause |= sum({1 << self._number("ecause", one) for one in value.split("+")})
            else:
                control |= MATCH_INTERRUPT
                inst |= self._choice({"interrupt": VALUE_INTERRUPT, "exception": 0}, value)
        if len(used) > len(MATCH_COMP_BITS):
            raise self._wrong("compares more than three times in one filter", "leave some out")
        for bit, comp in zip(MATCH_COMP_BITS, used):
            control |= 1 << bit | comp << bit + 1
        return control, inst, ecause

    def _condition(self, name: str, operator: str, value: str) -> int:
        """The number of the comparator for one comparison."""
        which = INPUTS.index(name)
        low, arrow, high = value.partition("->")
        if arrow and operator == "=":
            control = (EQ if low else SPECIAL) << P_FUNCTION_BIT | EQ << S_FUNCTION_BIT | LATCH << MATCH_MODE_BIT
            low = low or "0"  # function 6 compares nothing
        else:
            low, dots, high = value.partition("..")
            if not dots:
                low, masked, mask = value.partition("/")
                control = which | _OPERATORS[operator] << P_FUNCTION_BIT | (SPECIAL if masked else EQ) << S_FUNCTION_BIT
                return self._comparator(control, self._number(name, low), self._number(name, mask) if masked else 0)
            if operator not in ("=", "!="):
                raise self._wrong(f"has the condition {name}{operator}{value}", "compare a range with = or !=")
            mode = BOTH if operator == "=" else NOT_BOTH
            control = GE << P_FUNCTION_BIT | LE << S_FUNCTION_BIT | mode << MATCH_MODE_BIT
        first, last = self._number(name, low), self._number(name, high)
        if not arrow and first > last:
            raise self._wrong(f"has the range {value}", "give the lower end first")
        return self._comparator(control | which | which << S_INPUT_BIT, first, last)

    def _comparator(self, control: int, first: int, last: int) -> int:
        comp = control, first, last
        if comp not in self.comps:
            if len(self.comps) == MAX_COMPS:
                raise self._wrong(
                    f"needs more than the {MAX_COMPS} comparators of the hardware", "leave comparisons out"
                )
            self.comps.append(comp)
        return self.comps.index(comp)

    def _choice(self, known: Mapping[str, int], value: str) -> int:
        if value not in known:
            raise self._wrong(f"names {value!r}", f"choose one of {', '.join(known)}")
        return int(known[value])

    def _number(self, name: str, text: str) -> int:
        limit = {"ecause": 6, "context": CONTEXT_BITS}.get(name, self.xlen)  # an ecause is a bit of 64
        try:
            value = int(text, 0)
        except ValueError:
            raise self._wrong(f"has {text!r} for {name}", "give a number") from None
        if not 0 <= value < 1 << limit:
            raise self._wrong(f"has {name} {text}", f"give one of at most {limit} bits")
        return value
