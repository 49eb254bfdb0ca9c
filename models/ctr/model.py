# SPDX-License-Identifier: Apache-2.0
"""Reference model of a control transfer records block: every transfer, every access, one cycle at a time.

    ctr = Ctr(Config(depth=16))
    ctr.cycle(M, [Transfer(9, 0x80000000, 0x80000100)], Access(WRITE, 0x34E, 4))     ->  (0, DONE)
    ctr.entry(0)                                                                     ->  Record

An access sees what the transfers of its cycle left (CTR-13). With `exact=False` the model keeps account of what the
specification leaves open after a change of depth, and takes over what the device under test reads there: `adopt`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from rvtrace.models.csr.file import ALL as _ALL
from rvtrace.models.csr.model import CsrModel
from rvtrace.models.csr.table import Csr
from rvtrace.models.ctr.access import clear_outcome
from rvtrace.models.ctr.config import Config
from rvtrace.models.ctr.recorder import CAPACITY, DATA, SOURCE, TARGET, Recorder
from rvtrace.models.ctr.records import SCTRCLR, Record, Transfer
from rvtrace.models.ctr.registers import DEPTH_CODES, csr_file, entries
from rvtrace.models.ctr.transfers import Transfers
from rvtrace.models.riscv.csr import DONE, VS, VU, Access, Answer

PARTS = {"ctrsource": SOURCE, "ctrtarget": TARGET, "ctrdata": DATA}
CONTROL = {"mctrctl": "ctl", "mctrcontrol": "ctl", "vsctrctl": "vsctl", "vsctrcontrol": "vsctl"}
_DEPTH_LSB = 16  # of DEPTH in mctrcontrol


class State(NamedTuple):
    """Everything software can see but the entries; control registers without DEPTH and CLR, counter as in hardware."""

    ctl: int
    vsctl: int
    depth: int
    wrptr: int
    wrap: int
    frozen: int
    counter: int
    ccv_next: bool
    miselect: int
    siselect: int
    vsiselect: int
    mstateen: int
    hstateen: int


class Ctr(CsrModel):
    """The block at its ports. `recorder` holds entries, status and counter, `gates` state enables and iselects.

    problem: why the value that `cycle` last adopted is not legal; empty if it is.
    """

    def __init__(self, config: Config, *, exact: bool = True) -> None:
        super().__init__(csr_file(config))
        self.config, self.exact = config, exact
        self.recorder = Recorder(config)
        self.ctl = self.vsctl = 0
        self.problem = ""
        self._masks = [register.mask for register in entries(config)]  # of ctrsource, ctrtarget, ctrdata
        self._hidden = config.bit("M") | config.bit("MTE")  # in sctrctl and in the VS register
        self._depth_open = self._wrptr_open = False
        self._before: tuple[int, bool, dict[tuple[int, int], int]] = (0, False, {})  # a depth that may not have changed

    @property
    def state(self) -> State:
        """A copy of everything but the entries."""
        r, g = self.recorder, self.gates
        return State(self.ctl, self.vsctl, r.depth, r.wrptr, r.wrap, r.frozen, r.counter, not r.invalid,
                     g.miselect, g.siselect, g.vsiselect, g.mstateen, g.hstateen & g.mstateen)  # fmt: skip

    def entry(self, logical: int) -> Record:
        """A logical entry; those at or above the depth are 0."""
        return Record.of_registers(*(self._part(part, logical)[0] for part in (SOURCE, TARGET, DATA)))

    # --- A cycle ------------------------------------------------------------------------------------

    def cycle(self, priv: int, transfers: Iterable[Transfer], access: Access | None = None,
              read: int | None = None) -> tuple[int, int] | None:  # fmt: skip
        """One cycle: transfers, then the access; value before it and outcome, None without an access.

        read: what the device gave; with exact=False it decides what is open, and `problem` says if it cannot be.
        """
        self.recorder.retire(priv, transfers)
        if access is None:
            return None
        if read is not None and not self.exact:
            self.problem = self.adopt(access, read)
        answer = self.access(access)
        return answer.rdata, answer.outcome

    def retire(self, priv: int, transfers: Iterable[Transfer]) -> None:
        """The transfers of one cycle, without an access."""
        self.recorder.retire(priv, transfers)

    def idle(self, priv: int, cycles: int) -> None:
        """That many cycles without transfers and access."""
        self.recorder.idle(priv, cycles)

    def run(self, transfers: Transfers) -> None:
        """Many cycles without accesses, from the cycle of the first transfer on; modes between are those the transfers
        leave.
        """
        last = mode = -1
        for cycle, priv, group in transfers.cycles():
            if last >= 0 and cycle > last + 1:
                self.recorder.idle(mode, cycle - last - 1)
            self.recorder.retire(priv, group)
            last, mode = cycle, group[-1].to

    def access(self, access: Access) -> Answer:
        """An access: value before it, outcome, and what it writes. A refused one changes nothing."""
        if access.op != SCTRCLR:
            return super().access(access)
        answer = self.peek(access)
        if answer.outcome == DONE:
            self.recorder.clear(CAPACITY)
            self.recorder.restart_counter()
        return answer

    def peek(self, access: Access) -> Answer:
        """What an access would give now; changes nothing. `open`: bits that the specification leaves open."""
        if access.op == SCTRCLR:
            return Answer(0, clear_outcome(self.config, self.effective(), access.priv))
        return super().peek(access)

    # --- Reads --------------------------------------------------------------------------------------

    def _part(self, part: int, logical: int) -> tuple[int, int]:
        """One register of a logical entry, and its open bits."""
        r = self.recorder
        if logical >= r.depth and not self._depth_open:
            return 0, 0
        place = r.physical(logical)
        unknown = self._masks[part - 1] if self._depth_open else r.open.get((place, part), 0)
        return (r.source, r.target, r.data)[part - 1][place], unknown

    def _value(self, csr: Csr, access: Access) -> tuple[int, int]:
        """The whole register that a CSR shows, and its open bits."""
        r, name = self.recorder, self.file.acting(csr, access.priv).state
        if name in PARTS:
            logical = self._selected(csr, access)
            return self._part(PARTS[name], logical) if logical is not None else (0, 0)
        if name in CONTROL:
            value = getattr(self, CONTROL[name]) | (self._depth_code() << _DEPTH_LSB if self.config.draft else 0)
            unknown = 15 << _DEPTH_LSB if self.config.draft and self._depth_open else 0
            return (value if csr.level == "M" else value & ~self._hidden), unknown
        if name.endswith("status"):
            shape = r.wrptr | (r.wrap << 14 | r.frozen << 15 if self.config.draft else r.frozen << 31)
            unknown = 0xFF | (self.config.draft << 14) if self._wrptr_open or self._depth_open else 0
            return shape, unknown
        if name == "sctrdepth":
            return self._depth_code(), 7 if self._depth_open else 0
        return super()._value(csr, access) if name else (0, 0)  # no name: an ireg that gives no register

    def _selected(self, csr: Csr, access: Access) -> int | None:
        """Logical entry that an access through an ireg alias means."""
        chosen = self.file.selected(self.gates, csr, access)
        return chosen[1] if chosen else None

    def _depth_code(self) -> int:
        return self.config.depth_code(self.recorder.depth)

    # --- Writes -------------------------------------------------------------------------------------

    def _write(self, csr: Csr, access: Access, new: int) -> None:
        name = self.file.acting(csr, access.priv).state
        if name in CONTROL:
            whole = self.file.merged(csr, access, self._value(csr, access)[0], new)
            self._write_control(csr, access, CONTROL[name], whole)
        elif name.endswith("status"):
            self._write_status(new)
        elif name == "sctrdepth":
            self._set_depth(DEPTH_CODES["v1_0"].get(new & 7))
        elif name in PARTS:
            self._write_entry(PARTS[name], self._selected(csr, access), new)
        elif name:
            super()._write(csr, access, new)

    def _write_control(self, csr: Csr, access: Access, kind: str, value: int) -> None:
        """A write to a control register; through the supervisor's view M and MTE stay (CTR-11)."""
        machine = kind == "ctl"
        writable = self.config.fields & (_ALL if csr.level == "M" else ~self._hidden)
        kept = self.ctl & self._hidden if machine and csr.level != "M" else 0
        setattr(self, kind, value & writable | kept)
        depth = self.recorder.depth
        if self.config.draft and machine and not csr.high:
            self._set_draft_depth(value >> _DEPTH_LSB & 15)
        if not csr.high and value & self.config.bit("CLR") and (machine or access.priv in (VS, VU)):
            r = self.recorder
            self._clear_draft(depth)
            r.wrptr = r.wrap = r.frozen = 0
            self._wrptr_open = False
        self.recorder.restart_counter()
        self.recorder.configure(self.ctl, self.vsctl)

    def _clear_draft(self, before: int) -> None:
        """CLR: a smaller DEPTH with it leaves nothing in the entries above (2.1), a greater one nothing in those it
        adds.
        """
        self.recorder.clear(max(before, self.recorder.depth))

    def _write_status(self, value: int) -> None:
        r = self.recorder
        wrptr = value % r.depth
        if self._wrptr_open:  # where the entries now are, depends on what it was
            self._open_entries()
        depth, unsure, _ = self._before
        if self._depth_open and unsure:  # it is known again, if the depth did not change
            self._before = depth, False, dict(r.open)
        r.wrptr, self._wrptr_open = wrptr, self._depth_open
        r.frozen = value >> (15 if self.config.draft else 31) & 1
        r.wrap = value >> 14 & 1 if self.config.draft else r.wrap

    def _write_entry(self, part: int, logical: int | None, value: int) -> None:
        r = self.recorder
        if logical is not None and logical < r.depth:
            place = r.physical(logical)
            (r.source, r.target, r.data)[part - 1][place] = value & self._masks[part - 1]
            r.open.pop((place, part), None)

    # --- Depth, and what the specification leaves open after its change ----------------------------

    def _set_depth(self, depth: int | None) -> None:
        """v1_0: a value that is not supported leaves DEPTH as it is; on a change WRPTR is 0 (both open in the text)."""
        r = self.recorder
        if depth not in self.config.depths:
            self._depth_unsure()
        elif depth != r.depth or self._depth_open:
            r.depth, r.wrptr = depth, 0
            self._depth_changed()

    def _set_draft_depth(self, code: int) -> None:
        """v0_1_4: the greatest supported depth up to the value written, else the least; WRPTR modulo the new depth."""
        r = self.recorder
        codes = [self.config.depth_code(d) for d in self.config.depths]
        below = [d for d, known in zip(self.config.depths, codes) if known <= code]
        depth = below[-1] if below else self.config.depths[0]
        if (
            code not in (0, *codes, 15) and not self.exact
        ):  # discovery says what 0 and 15 leave, nothing says it of these
            self._depth_unsure()
        elif depth != r.depth or self._depth_open:
            r.depth = depth
            r.wrptr %= depth
            self._depth_changed()

    def _depth_changed(self) -> None:
        if not self.exact:
            self._depth_open, self._wrptr_open = False, True
            self._open_entries()

    def _depth_unsure(self) -> None:
        """A value that is not supported was written: DEPTH may have changed."""
        if self.exact:
            return
        if not self._depth_open:
            self._before = (self.recorder.depth, self._wrptr_open, dict(self.recorder.open))
        self._depth_open = self._wrptr_open = True
        self._open_entries()

    def _open_entries(self) -> None:
        """Every entry may now hold anything legal."""
        for part in (SOURCE, TARGET, DATA):
            self.recorder.open.update({(place, part): self._masks[part - 1] for place in range(CAPACITY)})

    def adopt(self, access: Access, read: int) -> str:
        """Take over what the device gave where this access shows open bits; before `access`. Says what is not legal,
        else nothing.

        Only open bits are taken: the others are the check's to compare.
        """
        answer = self.peek(access)
        if not answer.open:
            return ""
        csr = self._csrs[access.addr]
        name = self.file.acting(csr, access.priv).state
        if name in PARTS:
            return self._adopt_entry(csr, access, PARTS[name], read, answer.open)
        if name.endswith("status"):
            return self._adopt_status(read)
        return self._adopt_depth(read >> (_DEPTH_LSB if self.config.draft else 0) & (15 if self.config.draft else 7))

    def _adopt_entry(self, csr: Csr, access: Access, part: int, read: int, bits: int) -> str:
        """The value is legal if it has only bits that the implementation has; the check sees the others as known 0."""
        logical, r = self._selected(csr, access), self.recorder
        if logical is None or self._depth_open:
            return ""
        place = r.physical(logical)
        held = (r.source, r.target, r.data)[part - 1]
        held[place] = held[place] & ~bits | read & bits
        left = r.open[place, part] & ~bits
        if left:
            r.open[place, part] = left
        else:
            del r.open[place, part]
        return ""

    def _adopt_status(self, read: int) -> str:
        """WRPTR is any value below the depth; the logical entries stay what they are."""
        r, wrptr = self.recorder, read & 0xFF
        limit = self.config.depths[-1] if self._depth_open else r.depth
        if wrptr >= limit:
            return f"WRPTR is {wrptr} after a change of depth; it must be below the depth, {limit}"
        if self._depth_open:
            return ""
        order = {r.physical(x): (wrptr - x - 1) % r.depth for x in range(r.depth)}
        for held in (r.source, r.target, r.data):
            old = held[: r.depth]
            for before, after in order.items():
                held[after] = old[before]
        r.open = {(order.get(place, place), part): bits for (place, part), bits in r.open.items()}
        r.wrptr, self._wrptr_open = wrptr, False
        r.wrap = read >> 14 & 1 if self.config.draft else r.wrap
        return ""

    def _adopt_depth(self, code: int) -> str:
        """DEPTH after a write of a value that is not supported: any supported one."""
        depth = DEPTH_CODES[self.config.variant].get(code)
        if depth not in self.config.depths:
            return f"DEPTH is {code}; it must be the code of {' or '.join(map(str, self.config.depths))}"
        r, self._depth_open = self.recorder, False
        if depth == self._before[0]:  # it did not change: what was known, or was recorded since, is known
            _, self._wrptr_open, unknown = self._before
            r.open = {key: bits for key, bits in unknown.items() if key in r.open}
            return ""
        r.depth = depth
        r.wrptr %= depth
        self._open_entries()
        return ""
