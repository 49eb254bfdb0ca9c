# SPDX-License-Identifier: Apache-2.0
"""The follower over many rows without an access at once, as columns: as if `Follower.follow` saw them one by one.

Between two accesses the control registers stay as they are, and only FROZEN can change, once. So what each transfer
does depends on its kind alone, WRPTR is a sum, a count of cycles is a difference of two sums, and of an entry the last
record remains. What depends on more, and a transfer that freezes, is left to `follow`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rvtrace.models.ctr.records import RETURN, Transfer, largest_count
from rvtrace.models.ctr.rows import Rows
from rvtrace.models.ctr.rules import CALL, FREEZE, NO_SOURCE, NO_TARGET, NOTHING, OVERWRITE, POP
from rvtrace.models.riscv.csr import DEBUG
from rvtrace.scoreboards.ctr.follow import Follower, Origin
from rvtrace.scoreboards.ctr.log import Stretch, cc_of
from rvtrace.scoreboards.ctr.reasons import VIRTUAL_MODES, Why

ENOUGH = 96  # rows; `follow` is as quick for fewer
ROWS_AT_ONCE = 8192  # rows at once
_RECORDS = np.array([0, 1, 1, 1, 1, 1, 0, 0], bool)  # by action
_EMULATED = np.array([0, 0, 0, 0, 1, 1, 1, 0], bool)
_MOVES = np.array([0, 1, 1, 1, 1, 0, -1, 0])  # WRPTR
_NEWEST = np.array([0, 0, 0, 0, 0, 1, 1, 0])  # 1: the entry before WRPTR, not the one at it
assert (NOTHING, CALL, OVERWRITE, POP, FREEZE) == (0, 4, 5, 6, 7)


class _Kinds(NamedTuple):
    """The kinds of transfers of a stretch, in order of their first one. of: of each transfer. times: of each kind."""

    keys: list[int]
    whys: list[Why]
    actions: np.ndarray
    of: np.ndarray
    times: list[int]


@dataclass
class _Columns:
    """Rows as `Follower` needs them. full: rows and slots of the transfers. ticks: cycles that counted before a row.

    counted: whether a row's cycle counts. edge: whether that changed there. gap: cycles without a row before it.
    """

    rows: Rows
    at: np.ndarray
    slot: np.ndarray
    fields: dict[str, np.ndarray]
    counted: np.ndarray
    edge: np.ndarray
    ticks: np.ndarray
    gap: np.ndarray


class Ahead:
    """Rows, from number `first` on, that a follower has not followed yet; the cycles before the first of them are done.

    stop: the first row whose transfer freezes, else how many rows there are. block: what the transfers are, after
    `known`. moves: of WRPTR by each of them, summed up. effects: transfers of each row that do something.
    """

    def __init__(self, f: Follower, rows: Rows, first: int) -> None:
        self.f, self.rows, self.first = f, rows, first
        self.at, self.slot = np.nonzero(rows.type)
        self.fields = {name: getattr(rows, name)[self.at, self.slot] for name in Transfer._fields}
        self._kinds = _kinds(f, self.fields)
        self.action = self._kinds.actions[self._kinds.of]
        freezes = not f.recorder.frozen and FREEZE in self._kinds.actions
        self.stop = int(self.at[np.argmax(self.action == FREEZE)]) if freezes else len(rows)

    def known(self) -> bool:
        """Whether the columns show all that matters; nothing is followed yet."""
        f, r, action = self.f, self.f.recorder, self.action
        if _depends(f, self.fields, action):
            return False
        self._columns = _columns(f, self.rows, self.at, self.slot, self.fields)
        self.moves = np.cumsum(_MOVES[action])
        did = action != NOTHING
        self.effects = np.bincount(self.at[did], minlength=len(self.rows))
        self.many = np.bincount(self.at, minlength=len(self.rows))
        self.block = self._held = None
        if len(self.at):
            place = np.where(did, (r.wrptr + self.moves - _MOVES[action] - _NEWEST[action]) % r.depth, -1)
            held = self._held = _Held(f, self._columns, action, place)
            self.block = Stretch(
                self.at + self.first, self.slot, self.rows.cycle[self.at], self.fields, self._kinds.whys,
                self._kinds.of, place, held.records, held.count, held.all, held.kept, held.ccvs, held.ccv,
                self.many[self.at] > 1, held.edges, held.void,
            )  # fmt: skip
        return True

    def follow(self) -> None:
        """Follow them."""
        f, rows = self.f, self.rows
        _count_kinds(f, self._kinds)
        if self.block is None or self._held is None:
            f.effects, newest = 0, -1
        else:
            self._transfers(self.block, self._held)
            newest = int(self.at[self._held.newest]) if self._held.newest >= 0 else -1
        _pass_time(f, self._columns, newest)
        f.row, f.now = self.first + len(rows) - 1, int(rows.cycle[-1])

    def _transfers(self, block: Stretch, held: _Held) -> None:
        """Entries, status, where entries come from, the log, and what coverage notes."""
        f, r, action = self.f, self.f.recorder, self.action
        f.adopted = f.written = False
        pops, did = action == POP, action != NOTHING
        wraps = did & (block.place == r.depth - 1) & (action != OVERWRITE)
        _groups(f, self, wraps, pops)
        if did.any():
            f.clean = False
            _notes(f, held, block, action, wraps, pops)
            _situations(f, held, block, action)
            wrptr = (r.wrptr + int(self.moves[-1])) % r.depth
            wrap = int(not pops[np.flatnonzero(wraps)[-1]]) if wraps.any() else r.wrap
            _entries(f, held, block, pops)
            r.wrptr, r.wrap = wrptr, wrap
        f.log.extend(block)


def _kinds(f: Follower, fields: dict[str, np.ndarray]) -> _Kinds:
    key = fields["cause"].astype(np.int32) << 10
    for name, shift in (("to", 7), ("from_", 4), ("type", 0)):
        key |= fields[name].astype(np.int32) << shift
    keys, first, of, times = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
    order = np.argsort(first)
    place = np.empty(len(order), np.intp)
    place[order] = np.arange(len(order))
    found, frozen = keys[order].tolist(), f.recorder.frozen
    whys = [f.why(k) for k in found]
    if frozen:
        whys = [f.reasons.frozen(why) for why in whys]
    actions = np.array([why.action for why in whys], np.intp)
    return _Kinds(found, whys, actions, place[of.reshape(-1)], times[order].tolist())


def _depends(f: Follower, fields: dict[str, np.ndarray], action: np.ndarray) -> bool:
    """Whether something depends on more than the columns: on what an entry holds, or on what is open."""
    if f.depth_open or f.halves_open:
        return True
    emulated, pops, policy = bool(_EMULATED[action].any()), bool((action == POP).any()), f.config.ras_policy
    if pops and (policy == 2 or f.recorder.open or not f.tolerances.popped):
        return True
    if f.tolerances.ras_policy == "any" and (emulated or f.after_pop):
        return True
    return f.converts and not _all_held(f, fields, action)


def _all_held(f: Follower, fields: dict[str, np.ndarray], action: np.ndarray) -> bool:
    """Whether a device must hold the address of every record."""
    shift, most = f.tolerances.pc_bits - 1, (1 << f.config.xlen - f.tolerances.pc_bits + 1) - 1
    for name, absent in (("source", NO_SOURCE), ("target", NO_TARGET)):
        above = fields[name][_RECORDS[action] & (action != absent)] >> np.uint64(shift)
        if ((above != 0) & (above != np.uint64(most))).any():
            return False
    return True


def _columns(f: Follower, rows: Rows, at: np.ndarray, slot: np.ndarray, fields: dict[str, np.ndarray]) -> _Columns:
    modes = np.array([f.recorder.counts(mode) for mode in range(8)], bool)
    counted = modes[rows.priv & 7]
    gap = np.diff(rows.cycle, prepend=rows.cycle[:1] - np.uint64(1)).astype(np.int64) - 1
    idle = gap.copy()  # the mode of the row before goes on; before the first row everything is done
    idle[1:] *= counted[:-1]
    ticks = np.cumsum(idle)
    ticks[1:] += np.cumsum(counted)[:-1]
    edge = np.diff(counted, prepend=np.array([f.counting], bool)) != 0
    return _Columns(rows, at, slot, fields, counted, edge, ticks, gap)


def _count_kinds(f: Follower, kinds: _Kinds) -> None:
    """How often each kind occurred, its reason, and the rulings it is a situation of."""
    seen, met = f.seen[f.ctl, f.vsctl, f.recorder.frozen], f.met
    for k, why, n in zip(kinds.keys, kinds.whys, kinds.times):
        seen[k] += n
        waiting = f.pending.setdefault(id(why), [why, 0])
        waiting[1] += n
        from_, to = k >> 4 & 7, k >> 7 & 7
        if from_ != to:
            met["CTR-15"] += n * (from_ == DEBUG or to == DEBUG)
            if why.suspects:
                met["CTR-3"] += n * ((from_ in VIRTUAL_MODES) != (to in VIRTUAL_MODES))
                met["CTR-4"] += n * any(s.clause.startswith("CTR.ext") for s in why.suspects)


def _before(place: np.ndarray, among: np.ndarray) -> np.ndarray:
    """Of each transfer the number of the last one before it with the same place, -1 if none; among: those that have
    one.
    """
    found = np.full(len(place), -1)
    which = np.flatnonzero(among)
    order = which[np.argsort(place[which], kind="stable")]
    same = place[order[1:]] == place[order[:-1]]
    found[order[1:][same]] = order[:-1][same]
    return found


def _last(place: np.ndarray, among: np.ndarray) -> dict[int, int]:
    """By place the number of the last transfer that has it."""
    which = np.flatnonzero(among)[::-1]
    places, first = np.unique(place[which], return_index=True)
    return dict(zip(places.tolist(), which[first].tolist()))


def _groups(f: Follower, ahead: Ahead, wraps: np.ndarray, pops: np.ndarray) -> None:
    """The transfers of each cycle."""
    many, effects = ahead.many, ahead.effects
    wrapped = np.bincount(ahead.at[wraps], minlength=len(many)) > 0
    groups, times = np.unique((many * 16 + effects) * 2 + wrapped, return_counts=True)
    for group, n in zip(groups.tolist(), times.tolist()):
        if group >> 5:
            f.notes.group(group >> 5, group >> 1 & 15, group & 1, n)
    if several := int(np.count_nonzero(effects > 1)):
        f.met["CTR-13"] += several
        f.groups += several
    f.several, f.effects = bool(many[ahead.at[-1]] > 1), int(effects[-1])
    f.wraps |= bool((wraps & ~pops).any()) | bool((wraps & pops).any()) << 1


class _Held:
    """What records hold beside addresses and type; arrays over all transfers, which say nothing of those without one.

    newest: number of the last record, -1 if none. fresh: no record of the stretch is before it. invalid: as
    `Recorder.invalid` before it. void: its CCV is 0. valid: V of the entry before. lost: the entry held a record. away:
    bits of `_AWAY`. pops_left: after the last record.
    """

    def __init__(self, f: Follower, c: _Columns, action: np.ndarray, place: np.ndarray) -> None:
        r, at, n, pops = f.recorder, c.at, len(action), action == POP
        self.records, self.emulated = _RECORDS[action], _EMULATED[action]
        newest = np.maximum.accumulate(np.where(self.records, np.arange(n), -1))
        self.newest = int(newest[-1])
        before = np.concatenate([[-1], newest[:-1]])
        fresh, back = before < 0, np.maximum(before, 0)
        row = at[back]
        self.fresh = fresh

        popped = np.concatenate([[0], np.cumsum(pops)])
        since = popped[:-1] - np.where(fresh, 0, popped[back])
        self.pops_left = int(popped[-1] - (popped[self.newest] if self.newest >= 0 else 0))
        self.after_pop = (since > 0) | (fresh & f.after_pop)

        ticks = c.ticks[at] - np.where(fresh, -r.counter, c.ticks[row])
        self.count = np.minimum(ticks, largest_count(f.config.cce_bits))
        cycle = c.rows.cycle[at].astype(np.int64)
        self.all = cycle - np.where(fresh, f.last_record, cycle[back])
        self.kept = self.count + np.where(fresh, f.lost, 0)
        edges = np.cumsum(c.edge)
        self.edges = edges[at] - np.where(fresh, -f.edges, edges[row] - c.edge[row])

        policy = f.config.ras_policy
        self.invalid = ((policy == 1) & (since > 0)) | ((fresh | (not f.config.has_cc)) & r.invalid)
        self.void = self.invalid | (self.emulated & (policy == 0))
        self.ccvs = ("", "ras", f.ccv)
        self.ccv = np.where(fresh & bool(f.ccv), 2, self.void.astype(np.intp))

        kinds = np.array([origin.kind == "record" for origin in f.origin], bool)
        self.lost = (_before(place, self.records) >= 0) | kinds[place]
        self.valid = np.zeros(n, np.intp)
        if self.emulated.any():
            earlier = _before(place, place >= 0)
            held = np.array(r.source, np.uint64)[place] & np.uint64(1)
            self.valid = np.where(earlier < 0, held.astype(np.intp), ~pops[earlier])
        self.away = _away(f, c, row, fresh)


_AWAY = ("frozen", "Debug Mode", "disabled mode")


def _uncounted(c: _Columns, frozen: int) -> np.ndarray:
    """Bits of `_AWAY` of each row: its own cycle and those before it without a row."""
    kind = 1 if frozen else np.where(c.rows.priv == DEBUG, 2, 4)
    own = np.where(c.counted, 0, kind)
    own[1:] |= np.where(c.gap[1:] > 0, own[:-1], 0)
    return own


def _away(f: Follower, c: _Columns, row: np.ndarray, fresh: np.ndarray) -> np.ndarray:
    """Why cycles since the record before, which was in `row`, did not count, as bits of `_AWAY`."""
    own, found = _uncounted(c, f.recorder.frozen), np.zeros(len(row), np.intp)
    if not own.any() and not f.notes.away:
        return found
    for bit, name in enumerate(_AWAY):
        cycles = np.cumsum(own >> bit & 1)
        some = cycles[c.at] > np.where(fresh, 0, cycles[row])
        found |= (some | (fresh & (name in f.notes.away))).astype(np.intp) << bit
    return found


def _notes(f: Follower, held: _Held, block: Stretch, action: np.ndarray, wraps: np.ndarray, pops: np.ndarray) -> None:
    """What coverage counts of records, pops and wraps."""
    notes, depth = f.notes, f.recorder.depth
    for down in (False, True):
        if n := int(np.count_nonzero(wraps & (pops == down))):
            notes.wrap(down, depth, n)
    emulated = np.flatnonzero(held.emulated)
    if len(emulated):
        f.met["CTR-7"] += len(emulated)
        types, places, valid = block.transfers["type"][emulated], block.place[emulated], held.valid[emulated]
        where = np.where(places == 0, 0, np.where(places == depth - 1, depth - 1, 1))
        keys = (types.astype(np.intp) << 10 | where) << 1 | valid.astype(np.intp)
        for k, n in zip(*(found.tolist() for found in np.unique(keys, return_counts=True))):
            notes.emulated(k >> 11, k >> 1 & 1023, depth, k & 1, n)
    which = np.flatnonzero(held.records)
    if len(which):
        _note_records(f, held, block, action[which], which)


def _note_records(f: Follower, held: _Held, block: Stretch, action: np.ndarray, which: np.ndarray) -> None:
    """One key of all that `Notes.record` distinguishes; each that occurs is noted as often as it does."""
    t, top, count = {k: v[which] for k, v in block.transfers.items()}, f.config.xlen - 1, held.count[which]
    cc = cc_of(count)
    cce, ccm = cc >> 12, cc & 0xFFF
    parts: tuple[tuple[np.ndarray, int], ...] = (
        (cce, 5), (np.where(ccm == 0, 0, np.where(ccm == 0xFFF, 2, 1)), 2), (held.ccv[which], 2),
        (held.away[which], 3), (held.after_pop[which], 1), (held.emulated[which], 1), (t["from_"], 3), (t["type"], 4),
        (t["misp"] & 1, 1), (action == NO_SOURCE, 1), (t["source"] >> np.uint64(top) & np.uint64(1), 1),
        (t["source"] >> np.uint64(1) & np.uint64(1), 1), (t["target"] >> np.uint64(top) & np.uint64(1), 1),
        (t["target"] >> np.uint64(1) & np.uint64(1), 1),
    )  # fmt: skip
    key = np.zeros(len(which), np.int64)
    for column, bits in parts:
        key = key << bits | column.astype(np.int64)
    _, first, times = np.unique(key, return_index=True, return_counts=True)
    for i, n in zip(which[first].tolist(), times.tolist()):
        event = block.event(i)
        away = [name for bit, name in enumerate(_AWAY) if held.away[i] >> bit & 1]
        by = f.ccv_by if held.fresh[i] else ""
        f.notes.record(event, bool(held.after_pop[i]), bool(held.emulated[i]), f.closed, by, away, n)


def _situations(f: Follower, held: _Held, block: Stretch, action: np.ndarray) -> None:
    """The situations of rulings that records are (`Follower._recorded`)."""
    which = np.flatnonzero(held.records)
    if not len(which):
        return
    met, type_, action = f.met, block.transfers["type"][which], action[which]

    def times(mask: np.ndarray) -> int:
        return int(np.count_nonzero(mask))

    if n := times((action == NO_SOURCE) | (action == NO_TARGET)):
        met["CTR-6"] += n
        met["CTR-16"] += times((action == NO_TARGET) & (type_ < 3))
    for name, mask in (
        ("CTR-9", type_ == 4),
        ("CTR-8", type_ > 7),
        ("CTR.behavior.lost", held.lost[which] & (action != OVERWRITE)),
        ("CTR-1", np.isin(held.count[which], list(f.edge_counts))),
        ("CTR-2", (held.ccv[which] > 0) | (held.all[which] != held.count[which])),
    ):
        if n := times(mask):
            met[name] += n
    if f.thawed:
        met["CTR.freeze.until"] += 1
        f.thawed = False


def _entries(f: Follower, held: _Held, block: Stretch, pops: np.ndarray) -> None:
    """What the entries hold after it and where that comes from: of each the last record, and the last pop after it.

    The recorder does them, as it would have found itself at each.
    """
    r, place = f.recorder, block.place
    last, popped = _last(place, held.records), _last(place, pops)
    invalid, recorded, open_ = r.invalid, r.recorded, r.count_open
    first = int(np.argmax(held.records))
    for (where, i), event in zip(last.items(), block.events(np.fromiter(last.values(), np.intp))):
        t, action = event.transfer, event.why.action
        r.wrptr, r.counter = (where + (action == OVERWRITE)) % r.depth, event.count
        r.invalid, r.count_open = bool(held.invalid[i]), open_ and i == first
        r.act(action, t.type, t.source, t.target, t.misp)
        f.origin[where] = Origin("record", event)
        f.known(where)
    for where, i in popped.items():
        if last.get(where, -1) < i:
            r.wrptr = (where + 1) % r.depth
            r.act(POP, RETURN, 0, 0, 0)
            f.origin[where] = f.origin[where]._replace(popped=block.event(i))
    records = int(np.count_nonzero(held.records))
    r.recorded = recorded + records + int(np.count_nonzero(pops))
    if records:
        r.count_open = False
        invalid = invalid and not f.config.has_cc
        f.last_record, f.lost, f.ccv, f.ccv_by = int(block.cycle[held.newest]), 0, "", ""
        f.after_pop, f.recorded = False, f.recorded + records
    if held.pops_left:
        f.after_pop = True
        if f.config.ras_policy == 1:
            f.ccv, invalid = f.ccv or "ras", True
    r.invalid = invalid


def _pass_time(f: Follower, c: _Columns, newest: int) -> None:
    """The counter, and what is known of cycles that do not count. newest: row of the last record, -1 if none."""
    r, some, away = f.recorder, newest >= 0, f.notes.away
    ticks = int(c.ticks[-1]) + int(c.counted[-1]) - (int(c.ticks[newest]) if some else 0)
    r.counter = min(ticks + (0 if some else r.counter), largest_count(f.config.cce_bits))
    f.edges = int(np.count_nonzero(c.edge[max(newest, 0) :])) + (0 if some else f.edges)
    f.edge_now, f.counting = int(c.edge[-1]), bool(c.counted[-1])
    if some:
        away.clear()
    kinds = int(np.bitwise_or.reduce(_uncounted(c, r.frozen)[newest + 1 :], initial=0))
    away.update(name for bit, name in enumerate(_AWAY) if kinds >> bit & 1)
