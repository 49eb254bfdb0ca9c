# SPDX-License-Identifier: Apache-2.0
"""The reference model following a run: what every entry and register holds, why, and since which row.

`Follower` is the reference model (`rvtrace.models.ctr.model.Ctr`) with three additions. Tolerances: it keeps account of
what a device may hold (`recorder.open`: bits of entries, `unsure`: bits of hstateen0) and takes over what the device
shows. Memory: the transfers since the last read that agreed, where each entry came from, and who wrote each register;
checks take the reasons of their failures from it. Notes: counts for coverage. It compares nothing itself.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import product
from typing import Any, NamedTuple

from rvtrace.models.csr.file import LOW as _LOW
from rvtrace.models.csr.file import acting
from rvtrace.models.csr.table import Csr
from rvtrace.models.ctr.access import clear_outcome
from rvtrace.models.ctr.config import Config
from rvtrace.models.ctr.model import CONTROL, PARTS, Ctr
from rvtrace.models.ctr.recorder import CAPACITY, DATA, SOURCE, TARGET
from rvtrace.models.ctr.records import OPS, SCTRCLR, Transfer, encode_cc, largest_count
from rvtrace.models.ctr.registers import CSRIND_BIT, CTR_BIT, DEPTH_CODES, SELECT, entries
from rvtrace.models.ctr.rules import CALL, FREEZE, NO_SOURCE, NO_TARGET, NOTHING, OVERWRITE, POP
from rvtrace.models.riscv.csr import CLEAR, DEBUG, DONE, ILLEGAL, READ, SET, VS, VU, WRITE, Access, Answer, M
from rvtrace.scoreboards.ctr.access import Last, Suspects, tested
from rvtrace.scoreboards.ctr.log import Event, Log
from rvtrace.scoreboards.ctr.reasons import VIRTUAL_MODES, Reasons, Why
from rvtrace.scoreboards.ctr.tolerances import Tolerances

_DEPTH_LSB = 16


class Notes:
    """Counts by (subject, ...).

    asked: by all that decides about an access, operation, outcome; shown: values of registers, but for iselects. away:
    why cycles since the last record did not count.
    """

    def __init__(self, config: Config) -> None:
        self.config = config
        self.counts: Counter[tuple[Any, ...]] = Counter()
        self.asked: Counter[tuple[Any, ...]] = Counter()
        self.shown: Counter[tuple[str, str, int]] = Counter()
        self.away: set[str] = set()
        self._records: Counter[tuple[Any, ...]] = Counter()
        self._address_bits = 1 << config.xlen - 1 | 2  # those that are noted: the top one and bit 1

    # --- Transfers ----------------------------------------------------------------------------------

    def uncounted(self, priv: int, frozen: int) -> None:
        """Cycles that the counter does not count."""
        self.away.add("frozen" if frozen else "Debug Mode" if priv == DEBUG else "disabled mode")

    def group(self, transfers: int, effects: int, wraps: int, times: int = 1) -> None:
        """The transfers of a cycle."""
        self.counts["group", transfers, effects, bool(wraps)] += times

    def wrap(self, down: bool, depth: int, times: int = 1) -> None:
        """WRPTR wrapped."""
        self.counts["wrap", "down" if down else "up", depth] += times

    def emulated(self, type_: int, place: int, depth: int, valid: int, times: int = 1) -> None:
        """A call, swap or return in emulation."""
        self.counts["ras", type_, 0 if place == 0 else 2 if place == depth - 1 else 1, valid] += times

    def record(
        self,
        event: Event,
        after_pop: bool,
        emulated: bool,
        closed: int,
        ccv_by: str,
        away: Iterable[str],
        times: int = 1,
    ) -> None:
        """A record; `settle` makes its counts. away: why cycles since the one before did not count.

        One key for all that they distinguish is quicker than one for each.
        """
        t, count, bits = event.transfer, event.count, self._address_bits
        cc = count if count < 4096 else encode_cc(count, self.config.cce_bits)
        ccm = cc & 0xFFF
        self._records[
            cc >> 12,
            0 if not ccm else 2 if ccm == 0xFFF else 1,
            (ccv_by or "emulation") if event.ccv else "CCV is 1",
            tuple(away),
            after_pop,
            emulated,
            closed,
            t.from_,
            t.type,
            t.misp,
            event.why.action == NO_SOURCE,
            t.source & bits,
            t.target & bits,
        ] += times

    def settle(self) -> None:
        """Make the counts of the records so far."""
        counts, config, top = self.counts, self.config, self.config.xlen - 1
        for (
            cce,
            ccm,
            ccv,
            away,
            after_pop,
            emulated,
            closed,
            from_,
            type_,
            misp,
            no_source,
            source,
            target,
        ), n in self._records.items():
            if config.has_cc:
                counts["count", cce, ccm] += n
                counts["ccv", ccv] += n
                for what in away or ("none",):
                    counts["inactive", what] += n
                if emulated:
                    counts["ras count", after_pop, ccv == "CCV is 1"] += n
            if closed and from_ != M:
                counts["closed", closed & 1, from_] += n
            counts["misp", type_, misp] += n
            if not no_source:
                counts["address", "source", source >> top, source >> 1 & 1] += n
                counts["address", "target", target >> top, target >> 1 & 1] += n
        self._records.clear()

    # --- Accesses -----------------------------------------------------------------------------------

    def depth(self, before: int, after: int) -> None:
        """A write of something, by what it did to the depth."""
        if before != after:
            self.counts["depth", before, after] += 1

    def together(self, what: str, several: bool, times: int = 1) -> None:
        """An access in a cycle whose transfers did something."""
        self.counts["together", what, several] += times

    def access(self, f: Follower, access: Access, csr: Csr | None, name: str, writes: bool, value: int) -> None:
        """An access that is done, before it is."""
        counts, r = self.counts, f.recorder
        if f.effects:
            self.together(self._kind(access, csr, name), f.effects > 1)
        if not writes:
            return
        if csr is None:
            counts["clear", "SCTRCLR", access.priv, r.frozen] += 1
            return
        if "ctrctl" in name or "ctrcontrol" in name:
            self._control(f, access, csr, name, value)
        if name == "sctrdepth":
            self._depth_value(value & 7, r.depth)
        if name.endswith("status"):
            frozen = value >> (15 if self.config.draft else 31) & 1
            counts["status", access.priv, (value & 0xFF) >= r.depth, frozen] += 1

    def _depth_value(self, code: int, depth: int) -> None:
        entries = DEPTH_CODES[self.config.variant].get(code)
        self.counts["depth value", code, entries in self.config.depths] += 1
        if entries == depth:
            self.counts["depth", depth, depth] += 1

    def _control(self, f: Follower, access: Access, csr: Csr, name: str, value: int) -> None:
        machine, config = name[0] == "m", self.config
        if csr.name[0] == "s" and machine:
            held = f.ctl
            self.counts["preserve", OPS[access.op], bool(held & config.bit("M")), bool(held & config.bit("MTE"))] += 1
        if config.draft and not csr.high:
            if machine:
                self._depth_value(value >> _DEPTH_LSB & 15, f.recorder.depth)
            if value & config.bit("CLR"):
                by = csr.name[0] if machine else f"vs, V={int(access.priv in (VS, VU))}"
                self.counts["clear", f"CLR by {by}", access.priv, f.recorder.frozen] += 1

    @staticmethod
    def _kind(access: Access, csr: Csr | None, name: str) -> str:
        if access.op == SCTRCLR or csr is None:
            return "SCTRCLR"
        if name.endswith("status"):
            return {WRITE: "status written", SET: "status set", CLEAR: "status cleared"}.get(access.op, "status read")
        if name in PARTS:
            return "entry written" if access.op else "entry read"
        if not access.op:
            return ""
        if name.endswith("iselect"):
            return "select written"
        return (
            "depth written" if name == "sctrdepth" else "control written" if "ctrc" in name or "ctrctl" in name else ""
        )


_RECENT = 64  # transfers
_SELECTS = 0xFFF  # siselect and vsiselect hold at least 0 to this (Sscsrind)
_EMULATED = (CALL, POP, OVERWRITE)


class Origin(NamedTuple):
    """What an entry's content comes from.

    kind: reset, record, write, narrow (a write at XLEN 32 on a 64-bit hart), clear, depth or doubt. popped: a return
    took its V away. counted: the record that ctrdata still is of, where software wrote the others.
    """

    kind: str
    event: Event | None = None
    popped: Event | None = None
    counted: Event | None = None


class Follower(Ctr):
    """The model and its memory. row: number of the current row.

    log: the last transfers, oldest first. origin: of each physical entry. last: who wrote each register last; refused:
    accesses to it that were refused since. pending: transfers since the last read that agreed, by reason. seen: how
    often each `key` came under each (ctl, vsctl, frozen). met: how often the situation of a ruling occurred. notes:
    what coverage needs beside these.
    """

    def __init__(self, config: Config, tolerances: Tolerances, *, adopts: bool) -> None:
        super().__init__(config, exact=not adopts)
        self.tolerances = tolerances
        self.unsure = 0  # bits of hstateen0 that may be 0 or 1 since they were written while mstateen0's were 0
        self.miselect = {"kept"} if config.draft or tolerances.miselect == "kept" else {"kept", "zero", "absent"}
        self._gate_bits = 1 << CTR_BIT[config.variant] | 1 << CSRIND_BIT
        self.converts = tolerances.pc_bits < config.xlen
        self.select_open: set[str] = set()  # iselects that were written with what they need not hold: "s", "vs", "m"
        self.beyond: defaultdict[int, set[int]] = defaultdict(set)  # what software wrote at or above the depth, by ireg
        self.substituted = self.through_s = (
            False  # a supervisor CSR was accessed in VS; the last control write was sctrctl
        )
        self.unjudged = 0  # transfers that were not known to be right or wrong after a failure
        self.se0 = 0  # bit 63 of mstateen0, as it was written or read last
        self.edges, self.edge_now, self.counting = 0, 0, False
        self._since: dict[tuple[int, int], int] = {}  # of `recorder.open`, what was opened since DEPTH is not known
        self._upper: dict[
            tuple[int, int], int
        ] = {}  # bits 63:32 that a write at XLEN 32 may have left, where they are open
        self.reasons = Reasons(config)
        self.row = self.now = 0
        self.log = Log()
        self.origin: list[Origin] = [Origin("reset")] * CAPACITY
        self.last: dict[str, Last] = {}
        self.refused: dict[str, Access] = {}
        self.pending: dict[int, list[Any]] = {}
        self.seen: defaultdict[tuple[int, int, int], Counter[int]] = defaultdict(Counter)
        self.met: Counter[str] = Counter()
        self.notes = Notes(config)
        self.clean = self.thawed = self._doubted = False
        self.cleared_depth = self.cleared_to = CAPACITY  # of the last clear: the depth after it, and how far it reaches
        self.written = False  # software wrote an entry, and nothing happened since
        self.adopted = False  # WRPTR was taken over from the device, and nothing happened since
        self.several, self.groups = False, 0  # groups: of several effects, since the last read that agreed
        self.wraps = 0  # of WRPTR since the last status that agreed: bit 0 up, bit 1 down
        self.cleared = self.not_cleared = -1  # rows of the last clear, and of the last CLR that was none
        self.recorded = self.lost = 0
        self.effects = 0  # transfers of this cycle that did something
        self.after_pop = False
        self._unsure: list[
            tuple[int, bool]
        ] = []  # place, popped: entries of this cycle that devices may leave otherwise
        self.ccv = "reset"
        self.ccv_by = "reset"  # who made CCV 0
        self.last_record = 0
        self.edge_counts = _edges(config)
        self._cc_open = entries(config)[2].mask & 0xFFFF8000
        self._tested: dict[tuple[Any, ...], tuple[Suspects, int]] = {}
        self.key: tuple[Any, ...] = ()  # all that decides about the outcome of the last access
        self._settings()
        if not tolerances.reset_zero:
            self._wrptr_open = True
            self._open_entries()

    def start(self, values: Mapping[str, int]) -> None:
        """Take over the values after reset, as far as they are legal (the others are compared with 0)."""
        self.ctl, self.vsctl = values["ctl"] & self.config.fields, values["vsctl"] & self.config.fields & ~self._hidden
        depth = DEPTH_CODES[self.config.variant].get(values["depth"])
        if depth in self.config.depths:
            self.recorder.depth = depth
        self.recorder.frozen = values["status"] >> (15 if self.config.draft else 31) & 1
        g = self.gates
        g.mstateen, g.hstateen = values["mstateen"] & self._gate_bits, values["hstateen"] & self._gate_bits
        self.se0 = values["mstateen"] >> 63 & 1
        g.siselect, g.vsiselect = values["siselect"], values["vsiselect"]
        g.miselect = values["miselect"] if "kept" in self.miselect else 0
        self.recorder.configure(self.ctl, self.vsctl)
        self._settings()

    def _settings(self) -> None:
        """What the registers in force decide: known reasons of transfers, their counts by FROZEN, and how the gates act
        on accesses.
        """
        g, bits = self.effective(), self._gate_bits
        self.closed = 0  # bit 0: mstateen0.CTR is 0, bit 1: hstateen0.CTR is
        if self.config.has_stateen:
            bit = CTR_BIT[self.config.variant]
            self.closed = (~g.mstateen >> bit & 1) | (~g.hstateen >> bit & 1) << 1
        self._known = self.reasons.epoch(self.ctl, self.vsctl, self.closed)
        self._kinds = [self.seen[self.ctl, self.vsctl, frozen] for frozen in range(2)]
        self._gates_act = (
            g.mstateen & bits,
            g.hstateen & bits,
            tuple(_place_of(value) for value in (g.miselect, g.siselect, g.vsiselect)),
        )

    # --- Transfers ----------------------------------------------------------------------------------

    @property
    def depth_open(self) -> bool:
        """Whether DEPTH is not known."""
        return self._depth_open

    @property
    def halves_open(self) -> bool:
        """Whether a write at XLEN 32 may have left the upper half of an entry."""
        return bool(self._upper)

    def known(self, place: int) -> None:
        """An entry was recorded, with addresses that the device must hold: it is not open since DEPTH is not known."""
        if self.converts:
            for part in (SOURCE, TARGET, DATA):
                self._since.pop((place, part), None)

    def why(self, k: int) -> Why:
        """The reason of a transfer of this `key` while FROZEN is 0."""
        found = self._known.get(k)
        if found is None:
            asked = k & 15, k >> 4 & 7, k >> 7 & 7, k >> 10
            found = self.reasons.why(self.ctl, self.vsctl, self.closed, *asked)
        return found

    def follow(self, row: int, cycle: int, priv: int, transfers: list[Transfer]) -> None:
        """The transfers of a row."""
        self.row, self.now, self.effects = row, cycle, 0
        recorder = self.recorder
        if not (counted := recorder.counts(priv)):
            self.notes.uncounted(priv, recorder.frozen)
        self._edge(counted)
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
            if not self.tolerances.popped:
                self._unsure.append((place, True))
        else:
            ccv = self.ccv or ("ras" if (emulated and self.config.ras_policy == 0) or invalid else "")
            event = Event(
                self.row,
                slot,
                cycle,
                transfer,
                reason,
                place,
                count,
                cycle - self.last_record,
                count + self.lost,
                ccv,
                self.several,
                self.edges,
            )
            self.edges = self.edge_now  # a block that sees the mode later counts this one from here on
            away = self.notes.away
            self.notes.record(event, self.after_pop, emulated, self.closed, self.ccv_by, away)
            away.clear()
            if (emulated or self.after_pop) and self.tolerances.ras_policy == "any":
                self._unsure.append((place, False))
            if self.converts or self._depth_open or self._upper:
                self.wrote(place, action, transfer)
            self._recorded(event, origin)
            self.origin[place] = Origin("record", event)
            self.after_pop, self.ccv, self.lost, self.last_record, self.ccv_by = False, "", 0, cycle, ""
            self.recorded += 1
        self.log.append(event)

    def _leave_open(self) -> None:
        """Of what was popped all but V is not known; of a record after it, or in emulation, CC is not.

        Known to the model while the cycle lasts.
        """
        unknown = self.recorder.open
        for place, popped in self._unsure:
            if popped:
                self.leave_open(
                    {
                        (place, part): (
                            unknown.get((place, part), 0) | entries(self.config)[part - 1].mask & ~int(part == SOURCE)
                        )
                        for part in (SOURCE, TARGET, DATA)
                    }
                )
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
        if event.count in self.edge_counts:
            met["CTR-1"] += 1
        if event.ccv or event.all != event.count:
            met["CTR-2"] += 1

    def _edge(self, counted: int) -> None:
        """Whether this cycle counts and the one before did not, or the reverse."""
        self.edge_now = int(bool(counted) != self.counting)
        self.edges += self.edge_now
        self.counting = bool(counted)

    def idle(self, priv: int, cycles: int) -> None:
        """Cycles without transfers in this mode."""
        counted = self.recorder.counts(priv)
        self._edge(counted)
        if not counted:
            self.notes.uncounted(priv, self.recorder.frozen)
        super().idle(priv, cycles)

    # --- Accesses -----------------------------------------------------------------------------------

    def csr_of(self, access: Access) -> Csr | None:
        """The CSR at its address; None for SCTRCLR and where there is none."""
        return None if access.op == SCTRCLR else self._csrs.get(access.addr)

    def state_of(self, csr: Csr, priv: int) -> str:
        """Name of the register that a CSR shows at this privilege."""
        return self.file.acting(csr, priv).state

    def wanted(self, csr: Csr | None, access: Access) -> tuple[Suspects, Answer]:
        """The clauses that this access tests by its outcome, and what it is to give."""
        k = (
            csr.name if csr else access.addr,
            access.op == SCTRCLR,
            access.priv,
            self.file.narrow(access),
            *self._gates_act,
        )
        self.key = k
        found = self._tested.get(k)
        if found is None:
            found = self._tested[k] = tested(self.config, self.effective(), csr, access), self.peek(access).outcome
        suspects, outcome = found
        if csr is None or outcome != DONE:
            return suspects, Answer(0, outcome)
        value, unknown = self._read(csr, access)
        return suspects, Answer(value, DONE, unknown)

    def apply(self, access: Access, csr: Csr | None) -> None:
        """An access that the device did: its effect, and who is to be remembered for it."""
        r, before = self.recorder, self.recorder.counter
        name = self.state_of(csr, access.priv) if csr else ""
        if access.op == READ:
            self.notes.access(self, access, csr, name, False, 0)
            return
        writes = access.op == SCTRCLR or self.file.writes(access)
        place = self._place(csr, access) if writes and name in PARTS else -1
        value = self._written(access, csr) if writes and csr else 0
        if writes and csr and name in PARTS and place < 0 and self.logical(csr, access) is not None:
            self.beyond[PARTS[name]].add(value & self._masks[PARTS[name] - 1])
        if csr and name in CONTROL and writes:
            self.substituted = self.substituted or (csr.name[0] == "s" and access.priv in (VS, VU))
            self.through_s = csr.name[0] == "s" and access.priv not in (VS, VU)
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
        self.last[name] = Last(access, csr.name, self.file.narrow(access), csr.high, self.row, self.effects, value)
        self.refused.pop(name, None)
        if place >= 0:
            self.written = True
            old, kind = self.origin[place], "narrow" if access.xlen32 and self.config.xlen == 64 else "write"
            self.origin[place] = Origin(kind, counted=None if PARTS[name] == DATA else old.event or old.counted)
            self.clean = False
            self.met["CTR.discovery.entries"] += not access.wdata + 1 & 0xFFFFFFFF and access.op == WRITE
        if self.effects:
            self.met["CTR-13"] += 1
        if name in CONTROL:
            by = "h half" if csr.high else {"m": "mctrctl", "v": "vsctrctl"}.get(csr.name[0], "sctrctl")
            aside = (
                by == "vsctrctl"
                and self.config.draft
                and not self.tolerances.ccv_inactive
                and access.priv not in (VS, VU)
            )
            why = "inactive" if aside and self.ccv in ("", "inactive") else "write"
            self._reset_counter(why, before, f"{by} written" + " in VS" * (by == "sctrctl" and access.priv in (VS, VU)))
            self.met["CTR-11"] += csr.name.startswith("s") and access.priv not in (VS, VU)
            if not csr.high and value & self.config.bit("CLR"):
                if name[0] == "m" or access.priv in (VS, VU):
                    to = max(depth, r.depth) if self.tolerances.clear_grown else depth
                    self.origin[:to] = [Origin("clear")] * to
                    self.met["CTR-14"] += 1
                    self.clean, self.cleared, self.cleared_depth, self.cleared_to = True, self.row, r.depth, to
                else:
                    self.not_cleared = self.row
            defined = self.config.fields & (0xFFFFFFFF if self.file.narrow(access) else -1)
            self.met["CTR.discovery.fields"] += not csr.high and not defined & ~value & ~self._hidden
        self.notes.depth(depth, r.depth)
        if name == "sctrdepth" or r.depth != depth or (self.config.draft and name == "mctrcontrol" and not csr.high):
            self.met["CTR-10"] += 1
        if frozen and not r.frozen:
            self.thawed = True
        if r.depth != depth and not self.exact:
            if self.clean and r.depth <= self.cleared_to:  # a clear cleared them for this depth, too
                r.open = {key: bits for key, bits in r.open.items() if key[0] >= self.cleared_to}
            else:
                kept = self.cleared_to if self.cleared == self.row else 0
                self.origin[kept:] = [Origin("depth")] * (CAPACITY - kept)

    def selected(self, csr: Csr, access: Access, row: int, effects: int) -> None:
        """The last write of an iselect in a stretch of rows: it selects an entry, as the iselect did before."""
        name = self.state_of(csr, access.priv)
        setattr(self.gates, name, access.wdata)
        self.last[name] = Last(access, csr.name, self.file.narrow(access), csr.high, row, effects, access.wdata)
        self.refused.pop(name, None)

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
        old = self._read(csr, access)[0] if access.op in (SET, CLEAR) else 0
        return self.file.after(access, old)

    # --- Entries that tolerances leave open ---------------------------------------------------------------

    def held(self, address: int) -> bool:
        """Whether the device must be able to hold it as a PC: the bits above are copies of its top one (tolerance
        pc_bits).
        """
        above = address >> self.tolerances.pc_bits - 1
        return not self.converts or above in (0, (1 << self.config.xlen - self.tolerances.pc_bits + 1) - 1)

    def wrote(self, place: int, action: int, transfer: Transfer) -> None:
        """A record was written: of an address that the device need not hold it shows any other."""
        self._since.pop((place, DATA), None)
        for part, address, absent in ((SOURCE, transfer.source, NO_SOURCE), (TARGET, transfer.target, NO_TARGET)):
            self._upper.pop((place, part), None)
            self._address(place, part, action != absent and not self.held(address))

    def _write(self, csr: Csr, access: Access, new: int) -> None:
        name = self.file.acting(csr, access.priv).state
        if name.endswith("iselect") and not self.tolerances.select_bits:
            self._select_written(name[: -len("iselect")], csr, access, new)
        if name == "miselect" and "kept" not in self.miselect:
            return
        unwritten = self.unsure & (
            _LOW if csr.high else ~_LOW if self.file.narrow(access) else 0
        )  # the half of hstateen0 that is kept
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
        if part == DATA and new & 15 in (6, 7) and not self.tolerances.type_reserved:
            self.leave_open({(place, part): 15 & mask})
        if (
            self.config.draft
            and self.config.xlen == 64
            and access.xlen32
            and not self.tolerances.narrow_zero
            and mask & (old | unknown) > _LOW
        ):
            self.recorder.open[place, part] = mask & ~_LOW
            kept = old & ~_LOW | new
            if part != DATA and not (self.held(kept) and not unknown):
                self._address(place, part, True)
            else:
                self._upper[place, part] = kept >> 32
        elif part != DATA:
            self._address(place, part, not self.held(new))

    def _select_written(self, window: str, csr: Csr, access: Access, new: int) -> None:
        """An iselect has a value that every implementation holds, or one that it need not hold."""
        if self.file.narrow(access) and new >> 31:
            new |= 1 << 63
        held = new >> 8 == 2 or (window != "m" and new <= _SELECTS)
        (self.select_open.discard if held else self.select_open.add)(window)

    def select_unknown(self, csr: Csr | None, access: Access) -> bool:
        """Whether the access is through an ireg whose iselect is not known."""
        return (
            csr is not None and "ireg" in csr.name and acting(csr, access.priv).partition("ireg")[0] in self.select_open
        )

    def written_somewhere(self, csr: Csr, access: Access) -> None:
        """A write through an ireg whose iselect is not known: any entry may have it."""
        part = csr.address & 7
        if access.op != READ and part <= DATA:
            self.leave_open({(place, part): self._masks[part - 1] for place in range(CAPACITY)})
            self.clean = False

    def rules_that_refuse(self, csr: Csr | None, access: Access) -> set[int]:
        """The outcomes of the rules that refuse an access, each by itself: with everything else open."""
        g, bits = self.effective(), self._gate_bits
        at = SELECT.start
        opened = replace(g, mstateen=bits, hstateen=bits, miselect=at, siselect=at, vsiselect=at)
        cases = [
            opened,
            replace(opened, mstateen=g.mstateen & bits),
            replace(opened, hstateen=self.gates.hstateen & bits),
            replace(opened, miselect=g.miselect, siselect=g.siselect, vsiselect=g.vsiselect),
        ]
        if access.op == SCTRCLR:
            found = {clear_outcome(self.config, case, access.priv) for case in cases}
        else:
            found = {self.file.outcome(case, csr, access) for case in cases}
        return found - {DONE}

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
            return (
                f"bits 63:32 are {read >> 32:#x}; a write at XLEN 32 leaves 0 or what was there, {self._upper[key]:#x}"
            )
        return super()._adopt_entry(csr, access, part, read, bits)

    def _open_entries(self) -> None:
        super()._open_entries()
        self._upper.clear()

    def _adopt_status(self, read: int) -> str:
        """As the model's; what the entries come from moves with them."""
        self._upper.clear()
        r = self.recorder
        before, depth = r.wrptr, r.depth
        problem = super()._adopt_status(read)
        if ahead := (r.wrptr - before) % depth:
            self.origin[:depth] = [self.origin[(place - ahead) % depth] for place in range(depth)]
        return problem

    def unspecified(self, csr: Csr | None, access: Access, have: int) -> bool:
        """An ireg access that nothing else refuses, where nothing is selected (tolerance outside), or where what is
        selected is not known; hstateen0 while bit 63 of mstateen0 is 0 (tolerance stateen_other).

        What it wrote is not known.
        """
        if csr is not None and csr.state == "hstateen0" and access.priv not in (M, DEBUG) and have == ILLEGAL:
            return self.tolerances.stateen_other == "any" and not self.se0
        if self.tolerances.outside != "any" or csr is None or "ireg" not in csr.name:
            return False
        window = acting(csr, access.priv).partition("ireg")[0]
        if window == "m" and not self.config.draft:
            if access.priv not in (M, DEBUG):
                return False
            if (
                have == DONE
                and access.op != READ
                and (logical := self._selected(csr, access)) is not None
                and logical < self.recorder.depth
                and (part := csr.address & 7) <= DATA
            ):
                self.recorder.open[self.recorder.physical(logical), part] = entries(self.config)[part - 1].mask
            return True
        return self._selected(csr, access) is None and self.if_selected(csr, access, True) == DONE

    def popped_to(self, place: int) -> bool:
        """Whether this is the last physical entry, and one of the last transfers popped from 0 to it."""
        if place != self.recorder.depth - 1:
            return False
        return any(e.why.action == POP and e.place == place for e in self.log.last(_RECENT))

    def csrind_closed(self, priv: int) -> bool:
        """Whether bit 60 of mstateen0 refuses an access from this mode."""
        return bool(self.config.has_stateen) and priv not in (M, DEBUG) and not self.gates.mstateen >> CSRIND_BIT & 1

    def tested_if_selected(self, csr: Csr, access: Access) -> Suspects:
        """What an ireg access would test if its iselect selected an entry."""
        window = acting(csr, access.priv).partition("ireg")[0]
        inside = replace(self.effective(), **{f"{window}iselect": SELECT.start})
        return tested(self.config, inside, csr, access)

    def if_selected(self, csr: Csr | None, access: Access, opened: bool = False) -> int:
        """What an ireg access would end as if its iselect selected an entry; opened: with the CTR bits 1."""
        assert csr is not None
        window = acting(csr, access.priv).partition("ireg")[0]
        gates, bit = self.effective(), (1 << CTR_BIT[self.config.variant]) * opened
        inside = replace(
            gates, mstateen=gates.mstateen | bit, hstateen=gates.hstateen | bit, **{f"{window}iselect": SELECT.start}
        )
        return self.file.outcome(inside, csr, access)

    # --- Clear and depth ----------------------------------------------------------------------------

    def _clear_draft(self, before: int) -> None:
        """CLR with a greater DEPTH: "current CTR depth" may be the old one, then the entries that are added hold
        anything.
        """
        r = self.recorder
        if self.tolerances.clear_grown or r.depth <= before:
            super()._clear_draft(before)
            return
        r.clear(before)
        r.open.update(
            {
                (place, part): self._masks[part - 1]
                for place in range(before, r.depth)
                for part in (SOURCE, TARGET, DATA)
            }
        )

    def _depth_unsure(self) -> None:
        if self.tolerances.depth_unsupported != "any":
            return
        if not self._depth_open:
            self._since.clear()
        super()._depth_unsure()

    def _adopt_depth(self, code: int) -> str:
        """After a depth that did not change, what was opened since stays open."""
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
        if name[0] == "m":
            self.se0 = value >> 63 & 1
        old = self.gates.hstateen | self.unsure
        super()._write_stateen(name, value)
        if name[0] == "h":
            self.unsure = (
                0
                if self.tolerances.hstateen_closed == "zero"
                else (old | value) & self._gate_bits & ~self.gates.mstateen
            )

    def _value(self, csr: Csr, access: Access) -> tuple[int, int]:
        value, unknown = super()._value(csr, access)
        return value, unknown | self.unsure & self.gates.mstateen if csr.state.startswith("hstateen") else unknown

    def adopt(self, access: Access, read: int) -> str:
        """As the model's; bits of hstateen0 that are not known are taken over, too."""
        csr = self._csrs[access.addr]
        if "stateen" not in csr.state:
            return super().adopt(access, read)
        bits, shift = self.peek(access).open, 32 * csr.high
        self._hstateen(self.gates.hstateen & ~(bits << shift) | (read & bits) << shift, bits << shift)
        return ""

    def settle(self, csr: Csr | None, access: Access, have: int) -> None:
        """The outcome of an access may report bits of hstateen0 that are not known."""
        asked = self.unsure & self.gates.mstateen
        if not asked or access.priv not in (VS, VU):
            return
        gates, known = self.effective(), self.gates.hstateen & ~asked
        choices = [known | sum(some) for some in product(*((0, 1 << bit) for bit in range(64) if asked >> bit & 1))]
        fits = []
        for choice in choices:
            acts = replace(gates, hstateen=choice & gates.mstateen)
            if have == (
                clear_outcome(self.config, acts, access.priv)
                if access.op == SCTRCLR
                else self.file.outcome(acts, csr, access)
            ):
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

    # --- After a failure ---------------------------------------------------------------------------

    def doubt(self) -> None:
        """The device was caught: nothing that it recorded is known any more; what it shows from here on is adopted."""
        self._wrptr_open = self._doubted = True
        self._open_entries()
        self.recorder.count_open = True
        self._drop()
        self.origin = [Origin("doubt")] * CAPACITY

    def _drop(self) -> None:
        """What the transfers since the last read that agreed did is not known."""
        self.unjudged += self.unseen
        self.pending.clear()
        self.groups = 0

    @property
    def unseen(self) -> int:
        """Transfers since the last read that agreed."""
        return sum(times for _, times in self.pending.values())

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
        if self._doubted:
            self._drop()
        r.wrptr, self._wrptr_open, self._doubted = (value & 0xFF) % r.depth, False, False
        r.frozen = value >> (15 if draft else 31) & 1
        r.wrap = value >> 14 & 1 if draft else r.wrap

    def force(self, name: str, value: int, bits: int) -> None:
        """Take over these bits of a register as the device shows it."""
        if name.endswith("iselect") and bits == -1:
            self.select_open.discard(name[: -len("iselect")])
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
    where = (
        "an entry" if select >> 8 == 2 else "high bits set" if select >> 16 else "below" if select < 0x200 else "above"
    )
    return select >> 8 == 2, select & 0x7FFFFF00 == 0x200 and not select >> 63, where


def _edges(config: Config) -> frozenset[int]:
    """Counts at which the encoding changes, and their neighbours."""
    most = largest_count(config.cce_bits)
    edges = {0, most, *(1 << n for n in range(12, 27))}
    return frozenset(n for edge in edges for n in (edge - 1, edge, edge + 1) if 0 <= n <= most)
