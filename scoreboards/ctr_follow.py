"""The model on the heels of a run: what every entry and register holds, why, and since which row.

`Follower` is the reference model with a memory: the transfers since the last read that agreed, where each entry came from,
and who wrote each register. Checks take the reasons of their failures from it; it compares nothing itself.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from typing import Any, NamedTuple

from models.ctr.config import Config
from models.ctr.model_access import Gates, acting, narrow
from models.ctr.model_recorder import CAPACITY, DATA, SOURCE, TARGET
from models.ctr.model_rules import CALL, FREEZE, NO_SOURCE, NO_TARGET, NOTHING, OVERWRITE, POP
from models.ctr.records import SCTRCLR, Transfer, largest_count
from models.ctr.registers import CTR_BIT, DEPTH_CODES, Csr, entries
from models.riscv.csr import CLEAR, DEBUG, DONE, READ, SET, VS, VU, WRITE, Access, Answer
from scoreboards.ctr_access import Last, Suspects, tested
from scoreboards.ctr_knobs import Knobs
from scoreboards.ctr_lenient import PARTS, Lenient
from scoreboards.ctr_notes import Event, Notes
from scoreboards.ctr_reasons import VIRTUAL_MODES, Reasons, Why

REMEMBERED = 4096  # transfers
CONTROL = {"mctrctl": "ctl", "mctrcontrol": "ctl", "vsctrctl": "vsctl", "vsctrcontrol": "vsctl"}
_EMULATED = (CALL, POP, OVERWRITE)


class Origin(NamedTuple):
    """What an entry's content comes from. kind: reset, record, write, narrow (a write at XLEN 32 on a 64-bit hart), clear, depth or doubt. popped: a return took its V away."""

    kind: str
    event: Event | None = None
    popped: Event | None = None


class Follower(Lenient):
    """The model and its memory. row: number of the row in hand.

    log: the last transfers, oldest first. origin: of each physical entry. last: who wrote each register last; refused: accesses to it
    that were refused since. pending: transfers since the last read that agreed, by reason. seen: how often each `key` came under
    each (ctl, vsctl, frozen). met: how often the situation of a ruling occurred. notes: what else coverage wants to know.
    """

    def __init__(self, config: Config, knobs: Knobs, *, adopts: bool) -> None:
        super().__init__(config, knobs, adopts=adopts)
        self.reasons = Reasons(config)
        self.row = self.now = 0
        self.log: deque[Event] = deque(maxlen=REMEMBERED)
        self.origin: list[Origin] = [Origin("reset")] * CAPACITY
        self.last: dict[str, Last] = {}
        self.refused: dict[str, Access] = {}
        self.pending: dict[int, list[Any]] = {}
        self.seen: defaultdict[tuple[int, int, int], Counter[int]] = defaultdict(Counter)
        self.met: Counter[str] = Counter()
        self.notes = Notes(config)
        self.clean = self.thawed = self._doubted = False
        self.cleared_depth = self.cleared_to = CAPACITY  # of the last clear: the depth behind it, and how far it reaches
        self.written = False  # software wrote an entry, and nothing happened since
        self.adopted = False  # WRPTR was taken over from the device, and nothing happened since
        self.several, self.groups = False, 0  # groups: of several effects, since the last read that agreed
        self.wraps = 0  # of WRPTR since the last status that agreed: bit 0 up, bit 1 down
        self.cleared = self.not_cleared = -1  # rows of the last clear, and of the last CLR that was none
        self.recorded = self.lost = 0
        self.effects = 0  # transfers of this cycle that did something
        self.after_pop = False
        self._unsure: list[tuple[int, bool]] = []  # place, popped: entries of this cycle that devices may leave otherwise
        self.ccv = "reset"
        self.ccv_by = "reset"  # who made CCV 0
        self._last_record = 0
        self._edges = _edges(config)
        self._cc_open = entries(config)[2].mask & 0xFFFF8000
        self._tested: dict[tuple[Any, ...], tuple[Suspects, int]] = {}
        self.key: tuple[Any, ...] = ()  # all that decides about the outcome of the last access
        self._settings()
        if not knobs.reset_zero:
            self._open_entries()

    def _settings(self) -> None:
        """What the registers in force decide: known reasons of transfers, their counts by FROZEN, and how the gates act on accesses."""
        g, bits = self._effective(), self._gate_bits
        self.closed = 0  # bit 0: mstateen0.CTR is 0, bit 1: hstateen0.CTR is
        if self.config.has_stateen:
            bit = CTR_BIT[self.config.variant]
            self.closed = (~g.mstateen >> bit & 1) | (~g.hstateen >> bit & 1) << 1
        self._known = self.reasons.epoch(self.ctl, self.vsctl, self.closed)
        self._kinds = [self.seen[self.ctl, self.vsctl, frozen] for frozen in range(2)]
        self._gates_act = g.mstateen & bits, g.hstateen & bits, tuple(_place_of(value) for value in (g.miselect, g.siselect, g.vsiselect))

    # --- Transfers ----------------------------------------------------------------------------------

    def follow(self, row: int, cycle: int, priv: int, transfers: list[Transfer]) -> None:
        """The transfers of a row."""
        self.row, self.now, self.effects = row, cycle, 0
        recorder = self.recorder
        if not (counted := recorder.counts(priv)):
            self.notes.uncounted(priv, recorder.frozen)
        if transfers:
            wraps, self.wraps = self.wraps, 0
            self.several = len(transfers) > 1
            self.adopted = self.written = False
            for slot, transfer in enumerate(transfers):
                self._transfer(slot, transfer)
            if self._unsure:
                self._leave_open()
            self.notes.group(len(transfers), self.effects, self.wraps)
            self.wraps |= wraps
            if self.effects > 1:
                self.met["CTR-13"] += 1
                self.groups += 1
        if counted:
            recorder.tick(1)

    def _transfer(self, slot: int, transfer: Transfer) -> None:
        """One of them: the model does it, and its reason is remembered."""
        type_, source, target, misp, from_, to, cause = transfer
        k = type_ | from_ << 4 | to << 7 | cause << 10
        reason = self._known.get(k) or self.reasons.why(self.ctl, self.vsctl, self.closed, type_, from_, to, cause)
        frozen = self.recorder.frozen
        self._kinds[frozen][k] += 1
        if frozen:
            reason = self.reasons.frozen(reason)
        waiting = self.pending.get(id(reason))
        if waiting is None:
            self.pending[id(reason)] = [reason, 1]
        else:
            waiting[1] += 1
        action = reason.action
        if action == NOTHING or action == FREEZE:
            self.log.append(Event(self.row, slot, self.now, transfer, reason))
            if action == FREEZE:
                self.recorder.act(FREEZE, type_, source, target, misp)
                self.met["CTR-5"] += 1
                self.effects += 1
        else:
            self._did(slot, transfer, reason)
        if from_ != to:
            met = self.met
            met["CTR-15"] += from_ == DEBUG or to == DEBUG
            if reason.suspects:
                met["CTR-3"] += (from_ in VIRTUAL_MODES) != (to in VIRTUAL_MODES)
                met["CTR-4"] += any(s.clause.startswith("CTR.ext") for s in reason.suspects)

    def _did(self, slot: int, transfer: Transfer, reason: Why) -> None:
        """A record or a pop."""
        r, action, met, cycle = self.recorder, reason.action, self.met, self.now
        place, count, invalid, last = r.place(action), r.counter, r.invalid, r.depth - 1
        valid = r.source[place] & 1
        r.act(action, transfer.type, transfer.source, transfer.target, transfer.misp)
        self.effects += 1
        self.clean = False
        if place == last and action != OVERWRITE:
            self.wraps |= 2 if action == POP else 1
            self.notes.wrap(action == POP, r.depth)
        emulated = action in _EMULATED
        if emulated:
            met["CTR-7"] += 1
            self.notes.emulated(transfer.type, place, r.depth, valid)
        origin = self.origin[place]
        if action == POP:
            event = Event(self.row, slot, cycle, transfer, reason, place)
            self.origin[place] = origin._replace(popped=event)
            self.after_pop = True
            if self.config.ras_policy == 1:
                self.ccv = self.ccv or "ras"
            if not self.knobs.popped:
                self._unsure.append((place, True))
        else:
            ccv = self.ccv or ("ras" if (emulated and self.config.ras_policy == 0) or invalid else "")
            event = Event(self.row, slot, cycle, transfer, reason, place, count, cycle - self._last_record, count + self.lost, ccv, self.several)
            self.notes.record(event, self.after_pop, emulated, self.closed, self.ccv_by)
            if (emulated or self.after_pop) and self.knobs.ras_policy == "any":
                self._unsure.append((place, False))
            if self._converts or self._depth_open or self._upper:
                self.wrote(place, action, transfer)
            self._recorded(event, origin)
            self.origin[place] = Origin("record", event)
            self.after_pop, self.ccv, self.lost, self._last_record, self.ccv_by = False, "", 0, cycle, ""
            self.recorded += 1
        self.log.append(event)

    def _leave_open(self) -> None:
        """Of what was popped all but V is not known; of a record behind it, or in emulation, CC is not. Known to the model while the cycle lasts."""
        unknown = self.recorder.open
        for place, popped in self._unsure:
            if popped:
                self.leave_open({(place, part): unknown.get((place, part), 0) | entries(self.config)[part - 1].mask & ~int(part == SOURCE)
                                 for part in (SOURCE, TARGET, DATA)})  # fmt: skip
            else:
                self.leave_open({(place, DATA): self._cc_open})
        self._unsure.clear()

    def _recorded(self, event: Event, lost: Origin) -> None:
        """The situations of rulings that a record is. lost: what its entry held."""
        met, type_, action = self.met, event.transfer.type, event.why.action
        if action == NO_SOURCE or action == NO_TARGET:
            met["CTR-6"] += 1
            met["CTR-16"] += action == NO_TARGET and type_ < 3
        if type_ == 4:
            met["CTR-9"] += 1
        elif type_ > 7:
            met["CTR-8"] += 1
        if lost.kind == "record" and action != OVERWRITE:
            met["CTR.behavior.lost"] += 1
        if self.thawed:
            met["CTR.freeze.until"] += 1
            self.thawed = False
        if event.count in self._edges:
            met["CTR-1"] += 1
        if event.ccv or event.all != event.count:
            met["CTR-2"] += 1

    def idle(self, priv: int, cycles: int) -> None:
        """Cycles without transfers in this mode."""
        if not self.recorder.counts(priv):
            self.notes.uncounted(priv, self.recorder.frozen)
        super().idle(priv, cycles)

    # --- Accesses -----------------------------------------------------------------------------------

    def csr_of(self, access: Access) -> Csr | None:
        """The CSR at its address; None for SCTRCLR and where there is none."""
        return None if access.op == SCTRCLR else self._csrs.get(access.addr)

    def state_of(self, csr: Csr, priv: int) -> str:
        """Name of the register that a CSR shows at this privilege."""
        return self._named[acting(csr, priv)].state

    def wanted(self, csr: Csr | None, access: Access) -> tuple[Suspects, Answer]:
        """The clauses that this access tests by its outcome, and what it is to give."""
        k = (csr.name if csr else access.addr, access.op == SCTRCLR, access.priv, narrow(self.config, access), *self._gates_act)
        self.key = k
        found = self._tested.get(k)
        if found is None:
            found = self._tested[k] = tested(self.config, self._effective(), csr, access), self.peek(access).outcome
        suspects, outcome = found
        if csr is None or outcome != DONE:
            return suspects, Answer(0, outcome)
        value, unknown = self._read(csr, access)
        return suspects, Answer(value, DONE, unknown)

    def effective(self) -> Gates:
        """State enables and iselects as they act."""
        return self._effective()

    def apply(self, access: Access, csr: Csr | None) -> None:
        """An access that the device did: its effect, and who is to be remembered for it."""
        r, before = self.recorder, self.recorder.counter
        name = self.state_of(csr, access.priv) if csr else ""
        if access.op == READ:
            self.notes.access(self, access, csr, name, False, 0)
            return
        writes = access.op not in (SET, CLEAR) or access.wdata & (0xFFFFFFFF if narrow(self.config, access) else -1)
        place = self._place(csr, access) if writes and name in PARTS else -1
        value = self._written(access, csr) if writes and csr else 0
        depth, frozen = r.depth, r.frozen
        self.notes.access(self, access, csr, name, writes, value)
        if not writes:
            return
        self.access(access)
        self._settings()
        if csr is None:
            self.origin = [Origin("clear")] * CAPACITY
            self._reset_counter("clear", before, "SCTRCLR")
            self.met["CTR-14"] += 1
            self.clean, self.cleared, self.cleared_depth, self.cleared_to = True, self.row, r.depth, CAPACITY
            return
        self.last[name] = Last(access, csr.name, narrow(self.config, access), csr.rv32, self.row, self.effects, value)
        self.refused.pop(name, None)
        if place >= 0:
            self.written = True
            self.origin[place] = Origin("narrow" if access.xlen32 and self.config.xlen == 64 else "write")
            self.clean = False
            self.met["CTR.discovery.entries"] += not access.wdata + 1 & 0xFFFFFFFF and access.op == WRITE
        if self.effects:
            self.met["CTR-13"] += 1
        if name in CONTROL:
            by = "h half" if csr.rv32 else {"m": "mctrctl", "v": "vsctrctl"}.get(csr.name[0], "sctrctl")
            aside = by == "vsctrctl" and self.config.draft and not self.knobs.ccv_inactive and access.priv not in (VS, VU)
            why = "inactive" if aside and self.ccv in ("", "inactive") else "write"
            self._reset_counter(why, before, f"{by} written" + " in VS" * (by == "sctrctl" and access.priv in (VS, VU)))
            self.met["CTR-11"] += csr.name.startswith("s") and access.priv not in (VS, VU)
            if not csr.rv32 and value & self.config.bit("CLR"):
                if name[0] == "m" or access.priv in (VS, VU):
                    to = max(depth, r.depth) if self.knobs.clear_grown else depth
                    self.origin[:to] = [Origin("clear")] * to
                    self.met["CTR-14"] += 1
                    self.clean, self.cleared, self.cleared_depth, self.cleared_to = True, self.row, r.depth, to
                else:
                    self.not_cleared = self.row
            defined = self.config.fields & (0xFFFFFFFF if narrow(self.config, access) else -1)
            self.met["CTR.discovery.fields"] += not csr.rv32 and not defined & ~value & ~self._hidden
        self.notes.depth(depth, r.depth)
        if name == "sctrdepth" or r.depth != depth or (self.config.draft and name == "mctrcontrol" and not csr.rv32):
            self.met["CTR-10"] += 1
        if frozen and not r.frozen:
            self.thawed = True
        if r.depth != depth and not self.exact:
            if self.clean and r.depth <= self.cleared_to:  # a clear cleared them for this depth, too
                r.open = {key: bits for key, bits in r.open.items() if key[0] >= self.cleared_to}
            else:
                kept = self.cleared_to if self.cleared == self.row else 0
                self.origin[kept:] = [Origin("depth")] * (CAPACITY - kept)

    def _reset_counter(self, why: str, before: int, by: str) -> None:
        self.lost += before
        self.ccv, self.ccv_by = why, by

    def _place(self, csr: Csr | None, access: Access) -> int:
        logical = self.logical(csr, access)
        return self.recorder.physical(logical) if logical is not None and logical < self.recorder.depth else -1

    def logical(self, csr: Csr | None, access: Access) -> int | None:
        """The logical entry that an ireg access means; None if none."""
        return self._selected(csr, access) if csr and "ireg" in csr.name else None

    def _written(self, access: Access, csr: Csr) -> int:
        """What a write is to leave, as far as it is seen."""
        value = access.wdata
        if access.op in (SET, CLEAR):
            old = self._read(csr, access)[0]
            value = old | value if access.op == SET else old & ~value
        return value & 0xFFFFFFFF if narrow(self.config, access) else value

    # --- Behind a failure ---------------------------------------------------------------------------

    def doubt(self) -> None:
        """The device was caught: nothing that it recorded is known any more; what it shows from here on is taken over."""
        self._wrptr_open = self._doubted = True
        self._open_entries()
        self.recorder.count_open = True
        self.pending.clear()
        self.groups = 0
        self.origin = [Origin("doubt")] * CAPACITY

    @property
    def doubtful(self) -> bool:
        """Whether the status is not known since a failure."""
        return self._doubted

    def peek_part(self, part: int, logical: int) -> int:
        """What a register of an entry is to hold."""
        return self._part(part, logical)[0]

    def peek_status(self) -> int:
        """What the status register is to show."""
        r = self.recorder
        return r.wrptr | (r.wrap << 14 | r.frozen << 15 if self.config.draft else r.frozen << 31)

    def force_depth(self, value: int) -> None:
        """Take over a depth as the device shows it, if it is one."""
        code = value >> 16 & 15 if self.config.draft else value & 7
        depth = DEPTH_CODES[self.config.variant].get(code)
        if depth is not None:
            self.recorder.depth = depth
            self.recorder.wrptr %= depth

    def force_status(self, value: int) -> None:
        """Take over a status as the device shows it."""
        r, draft = self.recorder, self.config.draft
        r.wrptr, self._wrptr_open, self._doubted = (value & 0xFF) % r.depth, False, False
        r.frozen = value >> (15 if draft else 31) & 1
        r.wrap = value >> 14 & 1 if draft else r.wrap

    def force(self, name: str, value: int, bits: int) -> None:
        """Take over these bits of a register as the device shows it."""
        if name in CONTROL:
            kind = CONTROL[name]
            setattr(self, kind, (getattr(self, kind) & ~bits | value & bits) & self.config.fields)
            self.recorder.configure(self.ctl, self.vsctl)
        elif name.endswith("iselect"):
            setattr(self.gates, name, getattr(self.gates, name) & ~bits | value & bits)
        elif "stateen" in name:
            kept = "mstateen" if name[0] == "m" else "hstateen"
            setattr(self.gates, kept, getattr(self.gates, kept) & ~bits | value & bits)
        self._settings()


def _place_of(select: int) -> tuple[bool, bool, str]:
    """Whether an iselect selects an entry; whether it does as XLEN 32 sees it; where it is."""
    where = "an entry" if select >> 8 == 2 else "high bits set" if select >> 16 else "below" if select < 0x200 else "above"
    return select >> 8 == 2, select & 0x7FFFFF00 == 0x200 and not select >> 63, where


def _edges(config: Config) -> frozenset[int]:
    """Counts at which the encoding changes, and their neighbours."""
    most = largest_count(config.cce_bits)
    edges = {0, most, *(1 << n for n in range(12, 27))}
    return frozenset(n for edge in edges for n in (edge - 1, edge, edge + 1) if 0 <= n <= most)

