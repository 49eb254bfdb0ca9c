# SPDX-License-Identifier: Apache-2.0
"""Counts the coverage points of the tandem trace, from the rows and items of a checked run."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from rvtrace.jobs.coverage import Counts
from rvtrace.models.tandem import table as t
from rvtrace.models.tandem.decoder.decoded import Decoded
from rvtrace.models.tandem.table import STATE_KEY
from rvtrace.scoreboards.common.verdict import Verdict
from rvtrace.scoreboards.tandem.capture import TandemCapture
from rvtrace.scoreboards.tandem.check import Seen
from rvtrace.scoreboards.tandem.expected import Expected
from rvtrace.scoreboards.tandem.situations import Situations
from rvtrace.tb.common.coverage.tally import Tally, classes
from rvtrace.tb.tandem.coverage import points as p

_SPECIAL = {t.FFLAGS: 0, t.FRM: 1, t.FCSR: 2, t.MCYCLE: 3, t.MCYCLEH: 4, t.MINSTRET: 5, t.MINSTRETH: 6}
_BASED = {t.FCSR: 1, t.MCYCLE: 2, t.MCYCLEH: 3, t.MINSTRET: 4, t.MINSTRETH: 5}
_FORM_CLAUSES = (
    "or",
    "same",
    "add",
    "lowest",
    "highest",
    "modulo",
    "full",
    "first",
    "reset",
    "beyond",
    "high_bit",
    "cleared",
)
_PC_CLAUSES = {
    "increment": 0,
    "wrap": 1,
    "jump": 2,
    "other_length": 3,
    "first": 4,
    "reset": 5,
    "insn": 6,
    "outside": 7,
    "gap": 8,
}


def sample(capture: TandemCapture, verdict: Verdict) -> Counts:
    """The stamped counts of one run: ready for result.json, and for `TANDEM.merge` with those of other runs."""
    return p.TANDEM.stamped(observe(capture, verdict.encoded, verdict.decoded))


def observe(capture: TandemCapture, seen: Seen, decoded: Decoded) -> Counts:
    """Everything a run shows."""
    tally, config = Tally(), capture.config
    width = 0 if config.xlen == 64 else 1 if config.mlen == 34 else 2
    chosen = zip(p.CHOICES, (width, config.lanes - 1, config.incremental, config.implied_end))
    for one, other in combinations([names[number] for names, number in chosen], 2):
        tally.one("config_cg", f"{one}, {other}")
    tally.one("fp_cg", f"RV{config.xlen}", str(config.flen))
    items = seen.items
    for opcode in t.OPCODES:
        hits = int((items.code == opcode.code).sum()) if opcode.code != t.RESPONSE else int((items.answer >= 0).sum())
        if hits:
            tally.one("item_cg", opcode.name, p.WIDTHS[width], hits=hits)
    for name, (code, key) in p.MORE_FIELDS.items():
        if hits := int((items.column(key, code) >= 0).sum()):
            tally.one("item_cg", name, p.WIDTHS[width], hits=hits)
    for state in t.STATES:
        if hits := int((items.identifier == state.id).sum()):
            tally.one("id_cg", state.name, p.WIDTHS[width], hits=hits)
    if seen.expected is not None and len(seen.expected.rows):
        _Rows(tally, capture, seen, seen.expected, width).all()
    marks = np.asarray(capture.marks)
    if len(marks):
        _, sizes = np.unique(marks, return_counts=True)
        tally.array("word_cg", (p.WORD_BYTES, classes(sizes, 2, 8, 16, 32)))
    if seen.report is not None:
        _replayed(tally, capture, decoded)
    return tally.counts


def _replayed(tally: Tally, capture: TandemCapture, decoded: Decoded) -> None:
    name, top = f"RV{capture.config.xlen}", np.uint64(1 << capture.config.xlen - 1)
    causes = np.isin(decoded.change_key, (0x342, 0x142))
    modes = (decoded.change_key == STATE_KEY + t.PRIV) & (decoded.change_value != 3)
    for happens, mask in zip(p.REPLAYED, (causes, modes, causes & (decoded.change_value & top != 0))):
        if mask.any():
            tally.one("verify_cg", name, happens, hits=int(mask.sum()))


class _Rows:
    """The points of rows."""

    def __init__(self, tally: Tally, capture: TandemCapture, seen: Seen, expected: Expected, width: int) -> None:
        self.tally, self.capture, self.seen, self.expected, self.width = tally, capture, seen, expected, width
        assert capture.rows is not None  # of which `expected` was made
        self.config, self.rows, self.taken = capture.config, expected.rows, capture.rows
        self.situations = {s.clause: s for s in (seen.situations or Situations(expected)).all()}

    def all(self) -> None:
        """Count them."""
        self._parts()
        if self.config.incremental:
            self._forms()
        self._slots()
        if self.config.incremental and self.config.traces("pc"):
            self._pcs()
        self._memory()
        self._kinds()
        self._illegal()
        self._bytes()

    def _parts(self) -> None:
        tally, expected, config = self.tally, self.expected, self.config
        for name in p.ABSENT:
            there = (
                np.logical_or.reduce([self.rows.have(part.name) for part in t.PARTS if part.absent == name])
                & ~expected.illegal
            )
            state = 0 if config.traces(name) else 2 if there.any() else 1
            if state or there.any():
                tally.one("absent_cg", name, ("traced", "absent", "absent and there")[state])
        where = np.select([expected.outside, expected.has("init"), expected.has("reset")], [1, 2, 3], 0)
        masks = [expected.has(name) for name in p.PARTS]
        for name, mask in zip(p.PARTS, masks):
            for place, hits in enumerate(np.bincount(where[mask], minlength=4).tolist()):
                if hits and not (name == "reset" and place == 2):
                    tally.one("part_cg", name, p.WHERE[place], hits=hits)
        for n, first in enumerate(masks):
            for k in range(n + 1, len(masks)):
                if hits := int((first & masks[k]).sum()):
                    tally.one("pair_cg", p.PARTS[n], p.PARTS[k], hits=hits)

    def _based(self, expected: np.ndarray) -> np.ndarray:
        """Number in BASED of each of these items; -1 for other registers."""
        out = np.full(len(expected), -1)
        out[self.expected.is_part("gpr")[expected]] = 0
        named = self.expected.is_part("fcsr", "mcycle", "minstret")[expected]
        for address, number in _BASED.items():
            out[named & (self.expected.key[expected] == address)] = number
        return out

    def _at(self, clause: str) -> np.ndarray:
        found = self.situations.get(clause)
        return np.zeros(0, np.int64) if found is None or found.expected is None else found.expected

    def _forms(self) -> None:
        for number, name in enumerate(_FORM_CLAUSES):
            based = self._based(self._at(f"TV.form.{name}"))
            if self.config.incremental == 1:
                based[based != 1] = -1
            self.tally.array("form_cg", (p.BASED, based), (p.FORMS, number))
        slots, lanes = (self._at(f"TV.form.{name}") for name in ("slot_base", "lane"))
        short = np.concatenate([self._at("TV.form.or"), self._at("TV.form.add")])
        row = self.expected.row[lanes]
        lanes = lanes[self.rows.cycle[row] == self.rows.cycle[np.maximum(row - 1, 0)]]
        for number, at in enumerate((short, slots, lanes)):
            self.tally.array("base_cg", (p.BASED, self._based(at)), (p.FROM, number))
        for number, name in enumerate(("full", "add", "or")):
            at = self._at(f"TV.form.{name}")
            at = at[self.expected.is_part("gpr")[at]]
            self.tally.array(
                "x_cg",
                (tuple(f"x{n}" for n in range(1, 32)), self.expected.key[at] - t.GPR_BASE - 1),
                (("full", "difference", "set"), number),
            )

    def _slots(self) -> None:
        for slot in range(t.CSR_SLOTS):
            at = np.flatnonzero(self.expected.has(f"csr{slot}"))
            special = np.array(
                [_SPECIAL.get(address, 7) for address in self.rows.csr_addr[at, slot].tolist()], np.int64
            )
            self.tally.array("slot_cg", (p.SPECIAL, special), (p.SLOTS, slot))

    def _pcs(self) -> None:
        insn = np.where(self.expected.has("insn"), np.where(self.rows.insn16, 0, 1), 2)
        for name, number in _PC_CLAUSES.items():
            length = insn[self.expected.row[self._at(f"TV.pc.{name}")]]
            if name in ("increment", "wrap", "jump", "other_length", "gap"):
                length = np.where(length == 2, -1, length)
            self.tally.array("pc_cg", (p.PCS, number), (p.LENGTHS, length))

    def _memory(self) -> None:
        expected, rows = self.expected, self.rows
        at = np.flatnonzero(expected.has("request"))
        answer = np.where(expected.has("response")[at], 1 + rows.rsp_result[at].astype(int), 0)
        self.tally.array(
            "request_cg",
            (p.OPS, rows.req_op[at].astype(int)),
            (p.SIZES, rows.req_size[at].astype(int)),
            (p.ANSWERS, answer),
        )
        at = np.flatnonzero(expected.has("memdata"))
        which = expected.has("paddr")[at].astype(int) + 2 * expected.has("eaddr")[at]
        self.tally.array(
            "store_cg",
            (p.SIZES, rows.memdata_size[at].astype(int)),
            (("no address", "physical", "effective", "both"), which),
        )

    def _kinds(self) -> None:
        expected, rows = self.expected, self.rows
        trap = expected.has("csr1") & expected.has("priv")
        kind = np.select(
            [
                expected.illegal,
                expected.flush,
                ~expected.sent,
                expected.outside,
                expected.has("reset"),
                expected.has("init"),
                trap,
                expected.has("insn"),
            ],
            [8, 6, 7, 5, 2, 3, 1, 0],
            4,
        )
        self.tally.array("next_cg", (p.KINDS, kind[:-1]), (p.KINDS, kind[1:]))
        beside = rows.cycle[1:] == rows.cycle[:-1]
        self.tally.array("lane_cg", (p.KINDS, kind[:-1][beside]), (p.KINDS, kind[1:][beside]))
        self.tally.array("wait_cg", (p.WAITS, classes(np.diff(rows.cycle.astype(np.int64))[~beside] - 1, 1, 4, 16)))

    def _illegal(self) -> None:
        rows = self.rows
        group, flush, reset, init, insn = (rows.have(name) for name in ("group", "flush", "reset", "init", "insn"))
        request, response = rows.have("request"), rows.have("response")
        why = (
            ~group & reset,
            ~group & init,
            ~group & insn,
            init & insn,
            init & reset,
            reset & insn,
            response & ~request,
            request & (self.taken.req_op > len(t.OPERATIONS) - 1),
            flush & (rows.has != t.HAS["flush"]),
        )
        lane = np.zeros(len(rows), int)
        lane[1:] = rows.cycle[1:] == rows.cycle[:-1]
        for number, mask in enumerate(why):
            self.tally.array("illegal_cg", (p.ILLEGAL, number), (("lane 0", "lane 1"), np.where(mask, lane, -1)))

    def _bytes(self) -> None:
        if self.seen.bytes is not None:
            sizes = np.diff(self.seen.bytes.starts)
            self.tally.array(
                "bytes_cg", (p.ROW_BYTES, classes(sizes[sizes > 0], 5, 17, 33, 65, 129)), (p.WIDTHS, self.width)
            )
