# SPDX-License-Identifier: Apache-2.0
"""What a wrong entry or status reports about the device: a record too many, one too few, or a field that is wrong in
the right one.

The device's view is collected from the reads around the failure, up to the next transfer that does something, and laid
beside the model's entries, shifted by up to `FAR`. What is extra or missing is blamed on a clause that decided about
that transfer. Mostly several would explain it: at the end of the run `Blame` chooses, so that few clauses explain many
failures, and none that was seen to hold.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from rvtrace.models.csr.file import acting
from rvtrace.models.ctr.model import CONTROL, PARTS
from rvtrace.models.ctr.recorder import DATA, SOURCE, TARGET
from rvtrace.models.ctr.records import SCTRCLR, TYPES
from rvtrace.models.ctr.rows import NO_ACCESS, Rows
from rvtrace.models.ctr.rules import CALL, FREEZE, NO_SOURCE, NO_TARGET, NOTHING, OVERWRITE, POP, WHOLE
from rvtrace.models.riscv.csr import DONE, PRIVILEGES, READ, Access
from rvtrace.scoreboards.common.blame import Candidates
from rvtrace.scoreboards.ctr.follow import Follower
from rvtrace.scoreboards.ctr.log import Event
from rvtrace.scoreboards.ctr.reasons import RECORDED, Why

FAR = 8
LOOK_AHEAD = 4096  # rows
_NO_CC = ~0xFFFF8000
View = dict[tuple[int, int], int]  # (logical entry, ireg) to value; (-1, 0) is the status


class Finding(NamedTuple):
    """What went wrong.

    clause: if no candidate explains it; logical: the entry it shows in, -1 without. field: whether it is the right
    record.

    single: nothing else was recorded wrongly since the last read that agreed.
    """

    clause: str
    headline: str
    logical: int = -1
    field: bool = False
    event: Event | None = None
    candidates: Candidates = ()
    single: bool = False


def explains(why: Why, acts: Iterable[int]) -> Candidates:
    """The clauses whose breach would make a device do one of `acts`, most specific first."""
    wanted = frozenset(acts)
    return tuple((s.clause, s.setting) for s in why.suspects if s.acts & wanted)


def described(event: Event) -> str:
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
        name, whole = acting(csr, access.priv), not follower.file.hides(access)
        if "ireg" in name:
            chosen = follower.file.selected(gates, csr, access)
            part = PARTS.get(follower.state_of(csr, access.priv))
            if part and chosen and whole:
                view.setdefault((chosen[1], part), int(rows.rdata[i]))
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


def _around(swap: Event, depth: int) -> Candidates:
    """A swap with WRPTR 0 is found in the last entry, where a pop would go."""
    return (("CTR.ras.swap", ""), *((("CTR.status.wrap_down", ""),) if swap.place == depth - 1 else ()))


class Diagnosis:
    """One failure of recorded state, looked at."""

    def __init__(self, follower: Follower, view: View) -> None:
        self.f, self.view = follower, view
        self.has = sorted(x for x, part in view if part == SOURCE and x < follower.recorder.depth)

    def find(self, status: bool) -> Finding:
        """The first thing that is wrong; status: the status register showed it."""
        shift = self._shift()
        if (frozen := self._frozen()) is not None:
            return frozen
        wrong = next((x for x in self.has if not self._same(x, x)), None)
        if wrong is None:
            return self._status_only(shift) if status or shift else Finding("", "", 0, True)
        if not shift and not self._kin(wrong) and (swap := self._swap(wrong)) is not None:
            return Finding(
                "CTR.ras.swap",
                f"the swap did not overwrite entry 0: {described(swap)}",
                wrong,
                event=swap,
                candidates=(*explains(swap.why, (NOTHING,)), *_around(swap, self.f.recorder.depth)),
            )
        case = self._case(wrong, shift)
        if case:
            return (self._missing(wrong, -case) if case < 0 else self._extra(wrong))._replace(single=shift in (1, -1))
        return Finding("", "", wrong, True)

    # --- What is compared ---------------------------------------------------------------------------

    def _expected(self, logical: int, part: int) -> int:
        return self.f._part(part, logical)[0] if 0 <= logical < self.f.recorder.depth else 0

    def _same(self, shown: int, held: int, sure: bool = False) -> bool:
        """Whether the device's entry is the model's, but for the cycle count.

        sure: what is open does not count as equal.
        """
        for part in (SOURCE, TARGET, DATA):
            value = self.view.get((shown, part))
            if value is None:
                continue
            unknown = self.f._part(part, held)[1] if held < self.f.recorder.depth else 0
            if sure and unknown:
                return False
            if (value ^ self._expected(held, part)) & ~unknown & (_NO_CC if part == DATA else -1):
                return False
        return 0 <= held < self.f.recorder.depth

    def _shift(self) -> int | None:
        """By how much the device's WRPTR is ahead; None if it was not read."""
        value = self.view.get((-1, 0))
        if value is None or self.f.adopted:
            return None
        depth = self.f.recorder.depth
        ahead = ((value & 0xFF) - self.f.recorder.wrptr) % depth
        return ahead - depth if ahead > depth // 2 else ahead

    def _case(self, x: int, shift: int | None) -> int:
        """-n: n records are missing at x; n: so many are extra; 0: the record is there and a field differs."""
        if shift:
            return shift
        below = [y for y in self.has if x < y <= x + 4]
        scores = {0: sum(self._same(y, y, True) for y in below) + 0.6 * self._kin(x)}
        if shift is None:
            for n in range(1, FAR):
                scores[-n] = sum(self._same(y, y + n, True) for y in [x, *below]) - 0.1 * n
                scores[n] = sum(self._same(y, y - n, True) for y in below if y - n >= x) - 0.1 * n
        best = max(scores, key=lambda n: scores[n])
        if best == 0 and not self._kin(x) and self._stray(x) is not None:
            return 1
        return best

    def _kin(self, x: int) -> bool:
        """Whether the entry at x is the same record with something wrong in it: one of its addresses is right."""
        pairs = [(self.view[x, part], self._expected(x, part)) for part in (SOURCE, TARGET) if (x, part) in self.view]
        return any(a >> 1 == b >> 1 and a >> 1 for a, b in pairs) or (
            len(pairs) > 1 and all(a >> 1 == b >> 1 for a, b in pairs)
        )

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
            candidates = explains(event.why, (FREEZE,)) if event else ()
            return Finding(
                "CTR.status.frozen", "FROZEN is 1, and nothing has set it", event=event, candidates=candidates
            )
        event = next((e for e in traps if e.why.action == FREEZE), None)
        candidates = explains(event.why, (NOTHING, *RECORDED)) if event else ()
        candidates = tuple(c for c in candidates if c[0] != "CTR.freeze.self")
        return Finding(
            "CTR.status.frozen", "FROZEN is 0; the trap should have set it", event=event, candidates=candidates
        )

    def _status_only(self, shift: int | None) -> Finding:
        """WRPTR is wrong, and no entry shows why."""
        last = next((e for e in reversed(self.f.log) if (e.why.action in RECORDED) if (shift or 0) < 0), None)
        if last is not None and not self.has:
            return Finding(
                "CTR.status.wrptr", "a record is missing", event=last, candidates=explains(last.why, (NOTHING,))
            )
        extra = next((e for e in reversed(self.f.log) if e.why.action in (NOTHING, FREEZE) and e.why.suspects), None)
        if (shift or 0) > 0 and extra is not None and not self.has:
            return Finding(
                "CTR.status.wrptr",
                "a record that no transfer requires is present",
                event=extra,
                candidates=explains(extra.why, RECORDED),
            )
        if candidates := self._any_pending(shift or 0):
            return Finding("CTR.status.wrptr", "WRPTR is wrong", candidates=candidates)
        made = next((e for e in reversed(self.f.log) if e.place >= 0), None)
        edge = made is not None and made.place in (0, self.f.recorder.depth - 1)
        pop = made is not None and made.why.action == POP
        clause = (
            "CTR.status.wrap_down"
            if pop and edge
            else "CTR.ras.return"
            if pop
            else "CTR.status.wrap_up"
            if edge
            else "CTR.status.wrptr"
        )
        return Finding(clause, "WRPTR is wrong", event=made)

    def _any_pending(self, shift: int) -> Candidates:
        """The clauses whose breach, at any transfer since the last read that agreed, would move WRPTR this way."""
        if not shift or self.f.wraps:
            return ()
        found: dict[tuple[str, str], None] = {}
        for why, _ in self.f.pending.values():
            pushes, pops = why.action in RECORDED, why.action == POP
            if shift < 0:
                acts = (NOTHING, POP) if pushes else () if pops else (POP,)
            else:
                acts = () if pushes else (NOTHING, *RECORDED) if pops else tuple(RECORDED)
            found |= dict.fromkeys(explains(why, acts))
        return tuple(found)

    def _missing(self, x: int, n: int) -> Finding:
        """The oldest of the records that are missing from x on."""
        f = self.f
        for y in range(min(x + n - 1, f.recorder.depth - 1), x - 1, -1):
            origin = f.origin[f.recorder.physical(y)]
            if origin.event is not None and origin.popped is None:
                candidates = explains(origin.event.why, (NOTHING, FREEZE, POP))
                if origin.event.together:
                    candidates = (("CTR.behavior.push", "together"), *candidates)
                return Finding(
                    "CTR.behavior.push",
                    f"a record is missing: {described(origin.event)}",
                    y,
                    event=origin.event,
                    candidates=candidates,
                )
        event = next(
            (e for e in reversed(f.log) if e.why.action != POP and any(POP in s.acts for s in e.why.suspects)), None
        )
        if event is not None:
            return Finding(
                "CTR.ras.return",
                f"an entry was popped: {described(event)}",
                x,
                event=event,
                candidates=explains(event.why, (POP,)),
            )
        return Finding("CTR.behavior.push", "an entry is missing", x)

    def _stray(self, x: int) -> Event | None:
        """A transfer that was not to be recorded, and looks like what the device has at x."""
        source, target, data = (self.view.get((x, part)) for part in (SOURCE, TARGET, DATA))
        blank = not (source or 0) >> 1 and not (target or 0) >> 1
        if blank and data is None:
            return None
        for sure in (True, False):
            for event in reversed(self.f.log):
                t, allowed = event.transfer, any(s.acts & RECORDED for s in event.why.suspects)
                if event.why.action in RECORDED or ((blank or not sure) and not allowed):
                    continue
                fits = self._alike(source, t.source, sure) and self._alike(target, t.target, sure)
                if fits and (data is None or not self.f.config.has_type or data & 15 == t.type):
                    return event
        return None

    def _alike(self, shown: int | None, address: int, sure: bool) -> bool:
        """Whether an entry may have this address. sure: in its low bits at least, else any if it need not be held."""
        if shown is None or not shown >> 1:
            return True
        held = self.f.held(address)
        bits = (1 << (self.f.config.xlen if held else self.f.tolerances.pc_bits - 1)) - 2
        return not (shown ^ address) & bits or (not held and not sure)

    def _swap(self, x: int) -> Event | None:
        """The swap that is to have overwritten this entry, if one has."""
        event = self.f.origin[self.f.recorder.physical(x)].event
        return event if event is not None and event.why.action == OVERWRITE else None

    def _acts(self, x: int, event: Event) -> frozenset[int]:
        """What the device did with a transfer that it recorded at x."""
        if event.why.action == POP:
            return frozenset((WHOLE, NOTHING))
        source, target = (self.view.get((x, part), 2) >> 1 for part in (SOURCE, TARGET))
        if source and target:
            return frozenset((WHOLE, CALL))
        return frozenset((NO_SOURCE,) if target else (NO_TARGET,) if source else (NO_SOURCE, NO_TARGET, WHOLE))

    def _extra(self, x: int) -> Finding:
        f = self.f
        swap = next((s for y in range(x + 1) if (s := self._swap(y)) is not None), None)
        if swap is not None:
            return Finding(
                "CTR.ras.swap",
                f"the swap did not change the entry that it overwrites: {described(swap)}",
                x,
                event=swap,
                candidates=(*explains(swap.why, (CALL, WHOLE)), *_around(swap, f.recorder.depth)),
            )
        event = self._stray(x)
        if event is not None:
            acts = self._acts(x, event)
            headline = f"a record that no transfer requires is present: {described(event)}"
            return Finding("CTR.behavior.push", headline, x, event=event, candidates=explains(event.why, acts))
        pop = next((e for e in reversed(f.log) if e.why.action == POP), None)
        if f.wraps & 1:
            return Finding("CTR.status.wrap_up", "WRPTR did not wrap to 0", x)
        if pop is not None and f.wraps & 2:
            return Finding("CTR.status.wrap_down", "WRPTR did not wrap to depth-1", x, event=pop)
        if pop is not None:
            return Finding(
                "CTR.ras.return",
                f"an entry was not popped: {described(pop)}",
                x,
                event=pop,
                candidates=explains(pop.why, (NOTHING,)),
            )
        return Finding("CTR.behavior.push", "a record that no transfer requires is present", x)
