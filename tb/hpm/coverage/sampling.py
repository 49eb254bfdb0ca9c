# SPDX-License-Identifier: Apache-2.0
"""Counts the coverage points of the counters, from the cycles and accesses of a checked run."""

from __future__ import annotations

import numpy as np

from rvtrace.jobs.coverage import Counts
from rvtrace.models.hpm.config import FIRST, Config
from rvtrace.models.hpm.events import FIRST_EVENT
from rvtrace.models.hpm.registers import csrs
from rvtrace.models.riscv.csr import CLEAR, DEBUG, DONE, OPS, OUTCOMES, READ, SET, VS, WRITE, M
from rvtrace.scoreboards.common.verdict import Verdict
from rvtrace.scoreboards.hpm.capture import HpmCapture
from rvtrace.scoreboards.hpm.cells import FILTER, NONE, Cells
from rvtrace.scoreboards.hpm.check import Check
from rvtrace.scoreboards.hpm.rules import Overflow
from rvtrace.scoreboards.hpm.software import Software
from rvtrace.tb.common.coverage.registers import whence
from rvtrace.tb.common.coverage.tally import Tally, classes
from rvtrace.tb.hpm.coverage import points as p
from rvtrace.tb.hpm.coverage.points import COLLIDING, DISTANCES

_LOW = np.uint64(0xFFFF_FFFF)
_GREAT = 255  # an increment that needs no finer class
_PRIV = np.full(8, NONE)
_PRIV[[3, 1, 0, 5, 4, 7]] = range(6)  # in the order of PRIVS
_BITS5 = np.array([bin(value).count("1") for value in range(32)])


def sample(capture: HpmCapture, verdict: Verdict) -> Counts:
    """The stamped counts of one run: ready for result.json, and for `HPM.merge` with those of other runs."""
    return p.HPM.stamped(observe(capture, verdict.encoded))


def observe(capture: HpmCapture, check: Check) -> Counts:
    """Everything a run shows."""
    tally, config = Tally(), capture.config
    modes = "M S U VS VU" if config.has_h else "M S U" if config.has_s else "M U" if config.has_u else "M"
    tally.one("run_cg", f"RV{config.xlen}", modes)
    for name in ("Sscofpmf", "Smcntrpmf", "Shlcofideleg"):
        tally.one("extension_cg", name, str(getattr(config, f"has_{name.lower()}")))
    observe_csrs(tally, config, check.software)
    pairs = Pairs(tally, config)
    for c, o in check.cells():
        _counters(tally, c, o)
        _modes(tally, c)
        _amounts(tally, c)
        _writes(tally, c)
        _next(tally, c)
        if config.has_sscofpmf:
            _overflows(tally, config, c, o)
            pairs.add(c, o)
    return tally.counts


def _many(numbers: np.ndarray) -> np.ndarray:
    """Class of a number, of 0 and HOW_MANY."""
    return classes(numbers, 1, 2, 3, 8)


def _counters(tally: Tally, c: Cells, o: Overflow) -> None:
    counts = c.counted != 0
    written = c.written[:, None] == np.arange(len(c.numbers))
    carries = ((c.before + c.counted) >> np.uint64(32)) != (c.before >> np.uint64(32))
    of, requested = np.zeros_like(counts), np.zeros_like(counts)
    of[:, c.programmable] = o.over & o.there
    requested[:, c.programmable] = o.over & ~o.ruling & o.there
    did = (
        counts & ~written,
        (c.counted > 1) & ~written,
        counts & carries & (c.keep > _LOW) & ~written,
        c.overflows,
        written,
        written & counts,
        of,
        requested,
    )
    numbers = np.where(c.numbers > 1, c.numbers - 1, 0)
    for index, cells in enumerate(did):
        hits = np.count_nonzero(cells, axis=0)
        for column in np.flatnonzero(hits).tolist():
            tally.one("counter_cg", p.NUMBERS[numbers[column]], p.DID[index], hits=int(hits[column]))
    rows, columns = np.nonzero(c.overflows & (c.numbers >= FIRST))
    if len(rows):
        widths, sums = c.widths[columns], c.before[rows, columns] + c.counted[rows, columns]
        left = c.want[rows, columns]
        twice = (widths < 63) & ((sums >> np.minimum(widths, 63).astype(np.uint64)) > 1)
        tally.array(
            "width_cg",
            (p.WIDTHS, classes(widths, 2, 8, 32, 33, 64)),
            (p.WRAPS, np.where(twice, 2, (left != 0).astype(int))),
        )


def _modes(tally: Tally, c: Cells) -> None:
    """mode_cg and filter_cg: of each counter and setting of a cycle in how many such cycles something happened."""
    s = c.steps
    groups, first, of = np.unique((s.epoch << 4) | (s.stop << 3) | s.priv, return_index=True, return_inverse=True)
    happened, of = c.raw != 0, of.reshape(-1)
    hits = np.stack([np.count_nonzero(happened[of == group], axis=0) for group in range(len(groups))])
    stop, priv, epoch = s.stop[first][:, None], s.priv[first], s.epoch[first]
    selected, filters = c.selectors(epoch), c.filters(epoch)
    inhibit, filtered = c.inhibited(epoch), c.own(first, filters)
    kind = np.select([c.numbers == 0, c.numbers == 2], [0, 1], NONE)[None, :]
    last = s.source.shape[1] - 1
    event = np.select([selected <= 2, selected == FIRST_EVENT, selected == last], [selected + 2, 5, 6], 7)
    kind = np.where(kind >= 0, kind, event)
    became = np.where(stop, 3, np.where(inhibit, 2, np.where(filtered, 1, 0)))
    there = (hits > 0) & ~np.where(stop, inhibit | filtered, inhibit & filtered)
    mode = np.broadcast_to(_PRIV[priv][:, None], kind.shape)
    axes = (p.KINDS, kind[there]), (p.PRIVS, mode[there]), (p.BECAME, became[there])
    tally.array("mode_cg", *axes, hits=hits[there])
    there = (hits > 0) & ~inhibit & ~stop
    own = filters >> FILTER[priv][:, None] & 1
    others, most = _BITS5[filters] - own, bin(c.config.inhibits).count("1") - 1
    some = np.where(others == 0, 0, np.where(others == most, 2, 1)) if most else np.zeros_like(others)
    if not most:
        there = there & (others == 0)
    tally.array(
        "filter_cg",
        (("mcycle", "minstret", "event"), np.minimum(kind, 2)[there]),
        (p.PRIVS, mode[there]),
        (p.BITS, own[there]),
        (("none", "some", "all"), some[there]),
        hits=hits[there],
    )


def _amounts(tally: Tally, c: Cells) -> None:
    counts = c.counted != 0
    added = counts.copy()
    rows = np.flatnonzero(c.written >= 0)
    added[rows, c.written[rows]] = False
    for name, some in ((0, c.selected == 2), (1, c.selected > 2)):
        hits = np.bincount(np.minimum(c.counted[some & added], _GREAT).astype(np.intp))
        amounts = np.flatnonzero(hits)
        what = (
            (p.AMOUNTS, classes(amounts, 2, 3, 4, 8, _GREAT)),
            (("instructions", "events"), np.full(len(amounts), name)),
        )
        tally.array("amount_cg", *what, hits=hits[amounts])
    counters, events = np.count_nonzero(counts, axis=1), np.count_nonzero(c.steps.source[:, FIRST_EVENT:], axis=1)
    tally.array("several_cg", (p.HOW_MANY, _many(counters) - 1), (("0", *p.HOW_MANY), _many(events)))
    asleep = ~c.steps.running
    happens = np.where(events[asleep] > 0, 2, (c.retired[asleep] > 0).astype(int))
    tally.array("idle_cg", (("nothing", "instructions", "events"), happens))


def _writes(tally: Tally, c: Cells) -> None:
    rows = np.flatnonzero(c.written >= 0)
    if not len(rows):
        return
    at, r = c.written[rows], c.steps.row[rows]
    counted = c.counted[rows, at]
    carries = ((c.before[rows, at] + counted) >> np.uint64(32)) != (c.before[rows, at] >> np.uint64(32))
    meanwhile = np.select([c.wraps[rows, at], carries & (counted > 0), counted > 0], [3, 2, 1], 0)
    tally.array(
        "write_cg",
        (p.HALVES, c.writes.half[r].astype(int) - 1),
        (p.OPS, c.writes.op[r].astype(int) - 1),
        (p.MEANWHILE, meanwhile),
    )
    others = (c.counted[rows] != 0).sum(axis=1) - (counted != 0)
    tally.array("others_cg", (("0", *p.HOW_MANY), _many(others)))


def _next(tally: Tally, c: Cells) -> None:
    """Settings that were written, and what their counters see in that cycle and the next."""
    s = c.steps
    for other, when in ((s.early, 0), (s.late, 1)):
        rows = np.flatnonzero((other != s.epoch) & ~s.stop)
        if not len(rows):
            continue
        new, old = (other[rows], s.epoch[rows]) if when == 0 else (s.epoch[rows], other[rows])
        happens = c.happened(rows, c.selectors(old)) | c.happened(rows, c.selectors(new)) > 0
        change = {
            "inhibit": (c.inhibited(old), c.inhibited(new)),
            "filter": (c.own(rows, c.filters(old)), c.own(rows, c.filters(new))),
        }
        for name, (before, after) in change.items():
            for turned, way in ((~before & after, "on"), (before & ~after, "off")):
                cells = turned & happens
                sums = (
                    {name: cells}
                    if name == "inhibit"
                    else {
                        "mcyclecfg": cells & (c.numbers == 0),
                        "minstretcfg": cells & (c.numbers == 2),
                        "filter": cells & (c.numbers > 2),
                    }
                )
                for what, where in sums.items():
                    if where.any():
                        tally.one("next_cg", f"{what} {way}", p.WHEN[when], hits=int(where.sum()))
        turned = (c.selectors(old) != c.selectors(new)) & happens
        if turned.any():
            tally.one("next_cg", "selector", p.WHEN[when], hits=int(turned.sum()))


def _overflows(tally: Tally, config: Config, c: Cells, o: Overflow) -> None:
    rows, columns, values = c.of_written
    names = (("OF 0", "OF 1"), ("not written", "0 written", "1 written"), ("no overflow", "overflow"))
    was, over = o.of_before[rows, columns].astype(int), o.over[rows, columns].astype(int)
    set_, overs, both = (int(np.count_nonzero(cells)) for cells in (o.of_before, o.over, o.of_before & o.over))
    hits = np.array([[o.over.size - set_ - overs + both, overs - both], [set_ - both, both]])
    np.subtract.at(hits, (was, over), 1)
    for before, after in np.argwhere(hits).tolist():
        tally.one("of_cg", names[0][before], names[1][0], names[2][after], hits=int(hits[before, after]))
    tally.array("of_cg", (names[0], was), (names[1], np.where(values, 2, 1)), (names[2], over))
    tally.array(
        "lcofip_cg",
        (("LCOFIP 0", "LCOFIP 1"), o.ip_before.astype(int)),
        (("not written", "0 written", "1 written"), o.mip.astype(int) + 1),
        (("no request", "request"), o.requests.astype(int)),
    )
    overs, masked = np.count_nonzero(o.over, axis=1), np.count_nonzero(o.over & o.ruling, axis=1)
    tally.array(
        "request_cg",
        (("1", "2", "3 and more"), np.minimum(overs, 3) - 1),
        (("none", "some", "all"), np.where(masked == 0, 0, np.where(masked == overs, 2, 1))),
    )


assert (DONE, WRITE, SET, CLEAR, DEBUG) == (0, 1, 2, 3, 7)


def observe_csrs(tally: Tally, config: Config, software: Software) -> None:
    """Accesses by register, mode, operation, outcome; what is not there; scountovf and time."""
    for (name, priv, op, xlen32, outcome, enables), hits in software.notes.items():
        family, mode = p.family(name), p.MODE_NAMES[priv]
        high = family.endswith("h")
        if not name:
            continue
        if high and config.xlen == 64 and not xlen32:
            tally.one("unknown_cg", "h at XLEN 64", whence(priv), hits=hits)
            continue
        tally.one("csr_cg", family, mode, OUTCOMES[outcome], hits=hits)
        if outcome == DONE and priv == M:
            tally.one("op_cg", family, OPS[op], hits=hits)
        if xlen32 and config.xlen == 64 and outcome == DONE and (op == READ or not p.full()[family].read_only):
            tally.one("narrow_cg", family, "read" if op == READ else "written", hits=hits)
        view = family.removesuffix("h")
        if view in p.VIEWS and op == READ and priv != DEBUG and config.has_h:
            tally.one(
                "enable_cg",
                view,
                "high" if high else "low",
                mode,
                *(f"{who} {int(bool(bit))}" for who, bit in zip("msh", enables)),
                hits=hits,
            )
    for (priv, of, m, h), hits in software.shown_bits.items():
        if priv in (M, 1, VS) and config.has_h:
            tally.one("ovf_cg", p.MODE_NAMES[priv], f"OF {of}", f"m {m}", f"h {h}", hits=hits)
    for (priv, delta), hits in software.deltas.items():
        if priv != DEBUG:
            tally.one("time_cg", p.MODE_NAMES[priv], delta, hits=hits)
    _unknown(tally, config, software)


def _unknown(tally: Tally, config: Config, software: Software) -> None:
    """Addresses that are not there, by what would be there in another implementation."""
    every = {c.address: c for c in csrs(Config())}
    mine = {c.address for c in csrs(config)}
    for (address, priv), hits in software.missed.items():
        csr = every.get(address)
        if address in mine:
            continue
        why = (
            "any other"
            if csr is None
            else (
                "without H"
                if csr.level == "H" and not config.has_h
                else "without S"
                if csr.level == "S" and not config.has_s
                else "without an extension"
            )
        )
        if csr is not None and csr.name in ("mcounteren", "mideleg") and why == "without an extension":
            why = "without S" if csr.name == "mideleg" else "any other"
        tally.one("unknown_cg", why, whence(priv), hits=hits)


class Pairs:
    """Collisions of the counters with OF, of one run."""

    def __init__(self, tally: Tally, config: Config) -> None:
        self.tally, self.config = tally, config

    def add(self, c: Cells, o: Overflow) -> None:
        """Those of some cycles; what spans two stretches of them is not counted."""
        s, rows = c.steps, np.flatnonzero(c.steps.first)
        cycle = np.concatenate(([0], np.cumsum(self._lengths(c, rows))))[:-1]
        happens = [(a, bits) for a, bits in enumerate(bits[rows] for bits in self._kinds(c, o)) if bits.any()]
        for distance, name in enumerate(DISTANCES if happens else ()):
            first, then = self._apart(cycle, distance)
            for a, one in happens:
                when = np.flatnonzero(one[first])
                mine, at = one[first[when]], then[when]
                for b, other in happens:
                    if distance == 0 and (a != COLLIDING.index("overflow") or b == a):
                        continue
                    hits = int(np.bitwise_count(mine & other[at]).sum())
                    if hits:
                        self.tally.one("pair_cg", COLLIDING[a], COLLIDING[b], name, hits=hits)
        assert len(s) >= len(rows)

    @staticmethod
    def _lengths(c: Cells, rows: np.ndarray) -> np.ndarray:
        """Cycles of each row."""
        length = np.ones(len(rows), np.int64)
        more = np.flatnonzero(~c.steps.first)
        length[c.steps.row[more] - c.steps.row[rows[0]]] += c.steps.weight[more]
        return length

    @staticmethod
    def _apart(cycle: np.ndarray, distance: int) -> tuple[np.ndarray, np.ndarray]:
        """Pairs of rows so many cycles apart."""
        where = np.searchsorted(cycle, cycle + distance)
        there = (where < len(cycle)) & (cycle[np.minimum(where, len(cycle) - 1)] == cycle + distance)
        return np.flatnonzero(there), where[there]

    def _kinds(self, c: Cells, o: Overflow) -> list[np.ndarray]:
        """The counters with OF of each cycle as bits, for each of COLLIDING."""
        s, numbers = c.steps, c.numbers[c.programmable]
        every = np.bitwise_or.reduce(np.uint32(1) << numbers.astype(np.uint32), initial=np.uint32(0))
        event = _bit(c.of_row(c.writes.event)) & every
        cleared = np.zeros(len(s), np.uint32)
        rows, columns, values = c.of_written
        off = ~values & o.of_before[rows, columns]
        cleared[rows[off]] = _bit(numbers[columns[off]])
        turned = c.epochs.inhibit[s.epoch] ^ c.epochs.inhibit[s.early]
        inhibit = np.where(s.first, turned.astype(np.uint32) & every, np.uint32(0))
        over = np.zeros(len(s), np.uint32)
        rows, columns = np.nonzero(o.over)
        np.bitwise_or.at(over, rows, _bit(numbers[columns]))
        lcofip = np.where(o.mip != NONE, every, np.uint32(0))
        return [inhibit, _bit(c.of_row(c.writes.counter)) & every, event & ~cleared, over, lcofip, cleared]


def _bit(numbers: np.ndarray) -> np.ndarray:
    """The bit of each number, 0 of NONE."""
    return np.where(numbers < 0, np.uint32(0), np.uint32(1) << np.maximum(numbers, 0).astype(np.uint32))
