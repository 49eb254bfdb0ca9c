# SPDX-License-Identifier: Apache-2.0
"""Counts the coverage points of the counters, from the cycles and accesses of a checked run."""

from __future__ import annotations

import numpy as np
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
from rvtrace.tb.common.coverage.model import Counts
from rvtrace.tb.common.coverage.tally import Tally, classes
from rvtrace.tb.hpm.coverage import points as p
from rvtrace.tb.hpm.coverage.points import COLLIDING, DISTANCES

_LOW = np.uint64(0xFFFF_FFFF)
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
    for c in check.cells():
        o = Overflow(c)
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
        for column in np.flatnonzero(cells.any(axis=0)).tolist():
            tally.one("counter_cg", p.NUMBERS[numbers[column]], p.DID[index], hits=int(cells[:, column].sum()))
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
    s = c.steps
    kind = np.select([c.numbers == 0, c.numbers == 2], [0, 1], NONE)[None, :]
    last = c.steps.source.shape[1] - 1
    event = np.select([c.selected <= 2, c.selected == FIRST_EVENT, c.selected == last], [c.selected + 2, 5, 6], 7)
    kind = np.where(kind >= 0, kind, event)
    became = np.where(s.stop[:, None], 3, np.where(c.inhibit, 2, np.where(c.filtered, 1, 0)))
    there = (c.raw != 0) & ~(np.where(s.stop[:, None], c.inhibit | c.filtered, c.inhibit & c.filtered))
    mode = np.broadcast_to(_PRIV[s.priv][:, None], kind.shape)
    tally.array("mode_cg", (p.KINDS, kind[there]), (p.PRIVS, mode[there]), (p.BECAME, became[there]))
    there = (c.raw != 0) & ~c.inhibit & ~s.stop[:, None]
    filters = c.filters(s.epoch)
    own = filters >> FILTER[s.priv][:, None] & 1
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
    )


def _amounts(tally: Tally, c: Cells) -> None:
    for name, some in ((0, c.selected == 2), (1, c.selected > 2)):
        amounts = c.counted[some & (c.counted != 0) & ~(c.written[:, None] == np.arange(len(c.numbers)))]
        tally.array("amount_cg", (p.AMOUNTS, classes(amounts, 2, 3, 4, 8, 255)), (("instructions", "events"), name))
    counters, events = (c.counted != 0).sum(axis=1), (c.steps.source[:, FIRST_EVENT:] != 0).sum(axis=1)
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
    written = np.zeros(o.of.shape, int)
    rows, columns, values = c.of_written
    written[rows, columns] = np.where(values, 2, 1)
    tally.array(
        "of_cg",
        (("OF 0", "OF 1"), o.of_before.astype(int).ravel()),
        (("not written", "0 written", "1 written"), written.ravel()),
        (("no overflow", "overflow"), o.over.astype(int).ravel()),
    )
    tally.array(
        "lcofip_cg",
        (("LCOFIP 0", "LCOFIP 1"), o.ip_before.astype(int)),
        (("not written", "0 written", "1 written"), o.mip.astype(int) + 1),
        (("no request", "request"), o.requests.astype(int)),
    )
    overs, masked = o.over.sum(axis=1), (o.over & o.ruling).sum(axis=1)
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
            tally.one("unknown_cg", "h at XLEN 64", _from(priv), hits=hits)
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


def _from(priv: int) -> str:
    return "from M" if priv in (M, DEBUG) else "from below"


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
        tally.one("unknown_cg", why, _from(priv), hits=hits)


class Pairs:
    """Collisions of the counters with OF, of one run."""

    def __init__(self, tally: Tally, config: Config) -> None:
        self.tally, self.config = tally, config

    def add(self, c: Cells, o: Overflow) -> None:
        """Those of some cycles; what spans two stretches of them is not counted."""
        s, rows = c.steps, np.flatnonzero(c.steps.first)
        cycle = np.concatenate(([0], np.cumsum(self._lengths(c, rows))))[:-1]
        happens = [matrix[rows] for matrix in self._kinds(c, o)]
        for distance, name in enumerate(DISTANCES):
            first, then = self._apart(cycle, distance)
            for a, one in enumerate(happens):
                for b, other in enumerate(happens):
                    if distance == 0 and (a != COLLIDING.index("overflow") or b == a):
                        continue
                    hits = int((one[first] & other[then]).sum())
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
        """A matrix of cycles and counters for each of COLLIDING."""
        numbers = c.numbers[c.programmable]
        event = c.of_row(c.writes.event)[:, None] == numbers
        cleared = np.zeros(o.of.shape, bool)
        rows, columns, values = c.of_written
        cleared[rows, columns] = ~values & o.of_before[rows, columns]
        inhibit = (c.inhibited(c.steps.epoch) != c.inhibited(c.steps.early))[:, c.programmable] & c.steps.first[:, None]
        lcofip = np.repeat((o.mip != NONE)[:, None], len(numbers), axis=1)
        return [inhibit, c.of_row(c.writes.counter)[:, None] == numbers, event & ~cleared, o.over, lcofip, cleared]
