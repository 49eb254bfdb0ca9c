"""What a wrong entry or status tells about the device: a record too many, one too few, or a field that is wrong in the right one.

The device's view is collected from the reads around the failure, up to the next transfer that does something, and laid beside
the model's entries, shifted by up to `FAR`. What is extra or missing is blamed on the clause that decided about that transfer;
of several that explain it, on the one that was seen to hold least often in this run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from models.ctr.model_access import acting, narrow, selected
from models.ctr.model_recorder import DATA, SOURCE, TARGET
from models.ctr.model_rules import FREEZE, NOTHING, POP, WHOLE
from models.ctr.records import DONE, PRIVILEGES, READ, SCTRCLR, TYPES, Access
from models.ctr.rows import NO_ACCESS, Rows
from scoreboards.ctr_follow import CONTROL, Event, Follower
from scoreboards.ctr_reasons import RECORDED, Why

FAR = 8
LOOK_AHEAD = 4096  # rows
_PARTS = {"ctrsource": SOURCE, "ctrtarget": TARGET, "ctrdata": DATA}
_NO_CC = ~0xFFFF8000
View = dict[tuple[int, int], int]  # (logical entry, ireg) to value; (-1, 0) is the status


class Finding(NamedTuple):
    """What went wrong. clause, headline; logical: the entry it shows in, -1 without. field: whether it is the right record."""

    clause: str
    headline: str
    logical: int = -1
    field: bool = False
    event: Event | None = None


class Passed(Counter[tuple[str, str]]):
    """How often each suspect (clause, setting) was seen to hold."""

    def blame(self, why: Why, acts: Iterable[int], otherwise: str) -> str:
        """The clause whose breach explains that the device did one of `acts`."""
        wanted = frozenset(acts)
        found = [s for s in why.suspects if s.acts & wanted]
        return min(found, key=lambda s: self[s.clause, s.setting]).clause if found else otherwise


def told(event: Event) -> str:
    """A transfer in one line."""
    t, action = event.transfer, event.why.action
    did = "recorded" if action in RECORDED else {POP: "pops", FREEZE: "freezes"}.get(action, "not recorded")
    kind = TYPES.get(t.type, f"type {t.type}") + (f" {t.cause}" if t.type < 3 else "")
    way = PRIVILEGES.get(t.from_, "?") + (f" to {PRIVILEGES.get(t.to, '?')}" if t.to != t.from_ else "")
    return f"cycle {event.cycle}: {kind} {t.source:#x} -> {t.target:#x} in {way}: {did}"


def look_ahead(follower: Follower, rows: Rows, index: int, view: View) -> View:
    """The view with what the rows from `index` on show, until something changes what they show."""
    gates, view = replace(follower.gates), dict(view)
    effect = rows.type[index + 1 : index + LOOK_AHEAD].any(axis=1)
    stop = index + 1 + int(np.argmax(effect)) if effect.any() else min(len(rows), index + LOOK_AHEAD)
    for i in range(index, stop):
        if rows.op[i] == NO_ACCESS or rows.outcome[i] != DONE:
            continue
        access = Access(*(int(column[i]) for column in (rows.op, rows.addr, rows.wdata, rows.mode, rows.xlen32)))
        csr = follower.csr_of(access)
        if csr is None:
            if access.op == SCTRCLR:
                break
            continue
        name, whole = acting(csr, access.priv), not (narrow(follower.config, access) and follower.config.xlen == 64)
        if "ireg" in name:
            logical = selected(gates, csr, access.priv)
            part = _PARTS.get(follower.state_of(csr, access.priv))
            if part and logical is not None and whole:
                view.setdefault((logical, part), int(rows.rdata[i]))
        elif name.endswith("status"):
            view.setdefault((-1, 0), int(rows.rdata[i]))
        if access.op == READ:
            continue
        if name.endswith("iselect") and whole:
            old = getattr(gates, name)
            setattr(gates, name, {1: access.wdata, 2: old | access.wdata, 3: old & ~access.wdata}[access.op])
        elif name not in CONTROL or follower.config.draft:
            break
    return view


class Diagnosis:
    """One failure of recorded state, looked at."""

    def __init__(self, follower: Follower, passed: Passed, view: View) -> None:
        self.f, self.passed, self.view = follower, passed, view
        self.has = sorted(x for x, part in view if part == SOURCE and x < follower.recorder.depth)

    def find(self, status: bool) -> Finding:
        """The first thing that is wrong; status: the status register showed it."""
        shift = self._shift()
        if (frozen := self._frozen()) is not None:
            return frozen
        wrong = next((x for x in self.has if not self._same(x, x)), None)
        if wrong is None:
            return self._status_only(shift) if status or shift else Finding("", "", 0, True)
        case = self._case(wrong, shift)
        if case < 0:
            return self._missing(wrong, -case)
        if case > 0:
            return self._extra(wrong)
        return Finding("", "", wrong, True)

    # --- What is compared ---------------------------------------------------------------------------

    def _expected(self, logical: int, part: int) -> int:
        return self.f._part(part, logical)[0] if 0 <= logical < self.f.recorder.depth else 0

    def _same(self, shown: int, held: int) -> bool:
        """Whether the device's entry is the model's, but for the cycle count."""
        for part in (SOURCE, TARGET, DATA):
            value = self.view.get((shown, part))
            if value is None:
                continue
            unknown = self.f._part(part, held)[1] if held < self.f.recorder.depth else 0
            if (value ^ self._expected(held, part)) & ~unknown & (_NO_CC if part == DATA else -1):
                return False
        return 0 <= held < self.f.recorder.depth

    def _shift(self) -> int | None:
        """By how much the device's WRPTR is ahead; None if it was not read."""
        value = self.view.get((-1, 0))
        if value is None:
            return None
        depth = self.f.recorder.depth
        ahead = ((value & 0xFF) - self.f.recorder.wrptr) % depth
        return ahead - depth if ahead > depth // 2 else ahead

    def _case(self, x: int, shift: int | None) -> int:
        """-n: n records are missing at x; n: so many are extra; 0: the record is there and a field differs."""
        if shift:
            return shift
        below = [y for y in self.has if x < y <= x + 4]
        scores = {0: sum(self._same(y, y) for y in below) + 0.6 * self._kin(x)}
        if shift is None:
            for n in range(1, FAR):
                scores[-n] = sum(self._same(y, y + n) for y in [x, *below]) - 0.1 * n
                scores[n] = sum(self._same(y, y - n) for y in below if y - n >= x) - 0.1 * n
        best = max(scores, key=lambda n: scores[n])
        if best == 0 and not self._kin(x) and self._stray(x) is not None:
            return 1
        return best

    def _kin(self, x: int) -> bool:
        """Whether the entry at x is the same record with something wrong in it: one of its addresses is right."""
        pairs = [(self.view[x, part], self._expected(x, part)) for part in (SOURCE, TARGET) if (x, part) in self.view]
        return any(a >> 1 == b >> 1 and a >> 1 for a, b in pairs) or (len(pairs) > 1 and all(a >> 1 == b >> 1 for a, b in pairs))

    # --- What it means ------------------------------------------------------------------------------

    def _frozen(self) -> Finding | None:
        value, f = self.view.get((-1, 0)), self.f
        if value is None:
            return None
        have = value >> (15 if f.config.draft else 31) & 1
        if have == f.recorder.frozen:
            return None
        traps = [e for e in reversed(f.log) if e.transfer.type in (1, 2)]
        if have:
            event = next((e for e in traps if any(FREEZE in s.acts for s in e.why.suspects)), None)
            clause = self.passed.blame(event.why, (FREEZE,), "") if event else "CTR.status.frozen"
            return Finding(clause, "FROZEN is 1; nothing has set it", event=event)
        event = next((e for e in traps if e.why.action == FREEZE), None)
        clause = self.passed.blame(event.why, (NOTHING, *RECORDED), "CTR.status.frozen") if event else "CTR.status.frozen"
        return Finding(clause, "FROZEN is 0; the trap should have set it", event=event)

    def _status_only(self, shift: int | None) -> Finding:
        """WRPTR is wrong, and no entry shows why."""
        last = next((e for e in reversed(self.f.log) if (e.why.action in RECORDED) if (shift or 0) < 0), None)
        if last is not None and not self.has:
            return Finding(self.passed.blame(last.why, (NOTHING,), "CTR.status.wrptr"), "a record is missing", event=last)
        extra = next((e for e in reversed(self.f.log) if e.why.action in (NOTHING, FREEZE) and e.why.suspects), None)
        if (shift or 0) > 0 and extra is not None and not self.has:
            return Finding(self.passed.blame(extra.why, RECORDED, "CTR.status.wrptr"), "a record is there that nothing calls for", event=extra)
        made = next((e for e in reversed(self.f.log) if e.place >= 0), None)
        edge = made is not None and made.place in (0, self.f.recorder.depth - 1)
        pop = made is not None and made.why.action == POP
        clause = "CTR.status.wrap_down" if pop and edge else "CTR.ras.return" if pop else "CTR.status.wrap_up" if edge else "CTR.status.wrptr"
        return Finding(clause, "WRPTR is wrong", event=made)

    def _missing(self, x: int, n: int) -> Finding:
        """The oldest of the records that are missing from x on."""
        f = self.f
        for y in range(min(x + n - 1, f.recorder.depth - 1), x - 1, -1):
            origin = f.origin[f.recorder.physical(y)]
            if origin.event is not None and origin.popped is None:
                clause = self.passed.blame(origin.event.why, (NOTHING, FREEZE, POP), "CTR.behavior.push")
                return Finding(clause, f"a record is missing: {told(origin.event)}", y, event=origin.event)
        event = next((e for e in reversed(f.log) if e.why.action != POP and any(POP in s.acts for s in e.why.suspects)), None)
        if event is not None:
            return Finding(self.passed.blame(event.why, (POP,), "CTR.ras.return"), f"an entry was popped: {told(event)}", x, event=event)
        return Finding("CTR.behavior.push", "an entry is missing", x)

    def _stray(self, x: int) -> Event | None:
        """A transfer that was not to be recorded, and looks like what the device has at x."""
        source, target, data = (self.view.get((x, part)) for part in (SOURCE, TARGET, DATA))
        if not (source or 0) >> 1 and not (target or 0) >> 1:
            return None
        mask = (1 << self.f.config.xlen) - 2
        for event in reversed(self.f.log):
            t = event.transfer
            if event.why.action in RECORDED:
                continue
            fits = source is None or source & mask in (t.source & mask, 0)
            fits = fits and (target is None or target & mask in (t.target & mask, 0))
            if fits and (data is None or not self.f.config.has_type or data & 15 == t.type):
                return event
        return None

    def _extra(self, x: int) -> Finding:
        event = self._stray(x)
        if event is not None:
            acts = RECORDED if event.why.action != POP else {WHOLE, NOTHING}
            clause = self.passed.blame(event.why, acts, "CTR.behavior.push")
            return Finding(clause, f"a record is there that nothing calls for: {told(event)}", x, event=event)
        pop = next((e for e in reversed(self.f.log) if e.why.action == POP), None)
        if pop is not None:
            return Finding(self.passed.blame(pop.why, (NOTHING,), "CTR.ras.return"), f"an entry was not popped: {told(pop)}", x, event=pop)
        return Finding("CTR.behavior.push", "a record is there that nothing calls for", x)
