"""Counts the coverage points of the tandem trace, from the rows and items of a checked run."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from models.tandem import table as t
from models.tandem.decoded import Decoded
from models.tandem.table import STATE_KEY
from scoreboards.tandem import Seen
from scoreboards.tandem_capture import TandemCapture
from scoreboards.tandem_situations import Situations
from scoreboards.tandem_tells import Tells
from tb.coverage import tandem_points as p
from tb.coverage.model import Counts
from tb.coverage.tally import Tally, classes

_SPECIAL = {t.FFLAGS: 0, t.FRM: 1, t.FCSR: 2, t.MCYCLE: 3, t.MCYCLEH: 4, t.MINSTRET: 5, t.MINSTRETH: 6}
_BASED = {t.FCSR: 1, t.MCYCLE: 2, t.MCYCLEH: 3, t.MINSTRET: 4, t.MINSTRETH: 5}
_FORM_CLAUSES = ("or", "same", "add", "lowest", "highest", "modulo", "full", "first", "reset", "beyond", "high_bit", "cleared")
_PC_CLAUSES = {"increment": 0, "wrap": 1, "jump": 2, "other_length": 3, "first": 4, "reset": 5, "insn": 6, "outside": 7, "gap": 8}


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
    for state in t.STATES:
        if hits := int((items.identifier == state.id).sum()):
            tally.one("id_cg", state.name, p.WIDTHS[width], hits=hits)
    if seen.tells is not None and len(seen.tells.rows):
        _Rows(tally, capture, seen, seen.tells, width).all()
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

    def __init__(self, tally: Tally, capture: TandemCapture, seen: Seen, tells: Tells, width: int) -> None:
        self.tally, self.capture, self.seen, self.tells, self.width = tally, capture, seen, tells, width
        self.config, self.rows = capture.config, tells.rows
        self.situations = {s.clause: s for s in (seen.situations or Situations(tells)).all()}

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
        tally, tells, config = self.tally, self.tells, self.config
        for name in p.ABSENT:
            there = np.logical_or.reduce([self.rows.have(part.name) for part in t.PARTS if part.absent == name]) & ~tells.illegal
            state = 0 if config.traces(name) else 2 if there.any() else 1
            if state or there.any():
                tally.one("absent_cg", name, ("traced", "absent", "absent and there")[state])
        where = np.select([tells.outside, tells.has("init"), tells.has("reset")], [1, 2, 3], 0)
        masks = [tells.has(name) for name in p.PARTS]
        for name, mask in zip(p.PARTS, masks):
            for place, hits in enumerate(np.bincount(where[mask], minlength=4).tolist()):
                if hits and not (name == "reset" and place == 2):
                    tally.one("part_cg", name, p.WHERE[place], hits=hits)
        for n, first in enumerate(masks):
            for k in range(n + 1, len(masks)):
                if hits := int((first & masks[k]).sum()):
                    tally.one("pair_cg", p.PARTS[n], p.PARTS[k], hits=hits)

    def _based(self, tells: np.ndarray) -> np.ndarray:
        """Number in BASED of each of these tells; -1 for other registers."""
        out = np.full(len(tells), -1)
        out[self.tells.is_part("gpr")[tells]] = 0
        named = self.tells.is_part("fcsr", "mcycle", "minstret")[tells]
        for address, number in _BASED.items():
            out[named & (self.tells.key[tells] == address)] = number
        return out

    def _at(self, clause: str) -> np.ndarray:
        found = self.situations.get(clause)
        return np.zeros(0, np.int64) if found is None or found.tells is None else found.tells

    def _forms(self) -> None:
        for number, name in enumerate(_FORM_CLAUSES):
            based = self._based(self._at(f"TV.form.{name}"))
            if self.config.incremental == 1:
                based[based != 1] = -1
            self.tally.array("form_cg", (p.BASED, based), (p.FORMS, number))
        slots, lanes = (self._at(f"TV.form.{name}") for name in ("slot_base", "lane"))
        short = np.concatenate([self._at("TV.form.or"), self._at("TV.form.add")])
        row = self.tells.row[lanes]
        lanes = lanes[self.rows.cycle[row] == self.rows.cycle[np.maximum(row - 1, 0)]]
        for number, at in enumerate((short, slots, lanes)):
            self.tally.array("base_cg", (p.BASED, self._based(at)), (p.FROM, number))
        for number, name in enumerate(("full", "add", "or")):
            at = self._at(f"TV.form.{name}")
            at = at[self.tells.is_part("gpr")[at]]
            self.tally.array("x_cg", (tuple(f"x{n}" for n in range(1, 32)), self.tells.key[at] - t.GPR_BASE - 1), (("full", "difference", "set"), number))

    def _slots(self) -> None:
        for slot in range(t.CSR_SLOTS):
            at = np.flatnonzero(self.tells.has(f"csr{slot}"))
            special = np.array([_SPECIAL.get(address, 7) for address in self.rows.csr_addr[at, slot].tolist()], np.int64)
            self.tally.array("slot_cg", (p.SPECIAL, special), (p.SLOTS, slot))

    def _pcs(self) -> None:
        insn = np.where(self.tells.has("insn"), np.where(self.rows.insn16, 0, 1), 2)
        for name, number in _PC_CLAUSES.items():
            length = insn[self.tells.row[self._at(f"TV.pc.{name}")]]
            if name in ("increment", "wrap", "jump", "other_length", "gap"):
                length = np.where(length == 2, -1, length)
            self.tally.array("pc_cg", (p.PCS, number), (p.LENGTHS, length))

    def _memory(self) -> None:
        tells, rows = self.tells, self.rows
        at = np.flatnonzero(tells.has("request"))
        answer = np.where(tells.has("response")[at], 1 + rows.rsp_result[at].astype(int), 0)
        self.tally.array("request_cg", (p.OPS, rows.req_op[at].astype(int)), (p.SIZES, rows.req_size[at].astype(int)), (p.ANSWERS, answer))
        at = np.flatnonzero(tells.has("memdata"))
        which = tells.has("paddr")[at].astype(int) + 2 * tells.has("eaddr")[at]
        self.tally.array("store_cg", (p.SIZES, rows.memdata_size[at].astype(int)), (("no address", "physical", "effective", "both"), which))

    def _kinds(self) -> None:
        tells, rows = self.tells, self.rows
        trap = tells.has("csr1") & tells.has("priv")
        kind = np.select([tells.illegal, tells.flush, ~tells.sent, tells.outside, tells.has("reset"), tells.has("init"), trap, tells.has("insn")],
                         [8, 6, 7, 5, 2, 3, 1, 0], 4)  # fmt: skip
        self.tally.array("next_cg", (p.KINDS, kind[:-1]), (p.KINDS, kind[1:]))
        beside = rows.cycle[1:] == rows.cycle[:-1]
        self.tally.array("lane_cg", (p.KINDS, kind[:-1][beside]), (p.KINDS, kind[1:][beside]))
        self.tally.array("wait_cg", (p.WAITS, classes(np.diff(rows.cycle.astype(np.int64))[~beside] - 1, 1, 4, 16)))

    def _illegal(self) -> None:
        rows = self.rows
        group, flush, reset, init, insn = (rows.have(name) for name in ("group", "flush", "reset", "init", "insn"))
        request, response = rows.have("request"), rows.have("response")
        why = (~group & reset, ~group & init, ~group & insn, init & insn, init & reset, reset & insn, response & ~request,
               request & (self.capture.rows.req_op > len(t.OPERATIONS) - 1), flush & (rows.has != t.HAS["flush"]))  # fmt: skip
        lane = np.zeros(len(rows), int)
        lane[1:] = rows.cycle[1:] == rows.cycle[:-1]
        for number, mask in enumerate(why):
            self.tally.array("illegal_cg", (p.ILLEGAL, number), (("lane 0", "lane 1"), np.where(mask, lane, -1)))

    def _bytes(self) -> None:
        if self.seen.bytes is not None:
            sizes = np.diff(self.seen.bytes.starts)
            self.tally.array("bytes_cg", (p.ROW_BYTES, classes(sizes[sizes > 0], 5, 17, 33, 65, 129)), (p.WIDTHS, self.width))
