"""What a run met, noted while it is followed: the record of a transfer, and the counts that coverage is made from."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from models.ctr.config import Config
from models.ctr.model_rules import NO_SOURCE
from models.ctr.records import OPS, SCTRCLR, Transfer, encode_cc
from models.ctr.registers import DEPTH_CODES, Csr
from models.riscv.csr import CLEAR, DEBUG, SET, VS, VU, WRITE, Access, M
from scoreboards.ctr_reasons import Why

if TYPE_CHECKING:
    from scoreboards.ctr_follow import Follower

PARTS = ("ctrsource", "ctrtarget", "ctrdata")
_DEPTH_LSB = 16


class Event(NamedTuple):
    """One transfer. place: the physical entry it wrote or popped, -1 without. count: of cycles; all, kept: what it would be if inactive cycles
    were counted, or the counter were not reset. ccv: why CCV is 0, empty if it is 1. together: it is not the only transfer of its cycle."""

    row: int
    slot: int
    cycle: int
    transfer: Transfer
    why: Why
    place: int = -1
    count: int = 0
    all: int = 0
    kept: int = 0
    ccv: str = ""
    together: bool = False


class Notes:
    """Counts by (subject, ...). asked: by all that decides about an access, operation, outcome; shown: values of registers that were read."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.counts: Counter[tuple[Any, ...]] = Counter()
        self.asked: Counter[tuple[Any, ...]] = Counter()
        self.shown: Counter[tuple[str, str, int]] = Counter()
        self._away: set[str] = set()
        self._records: Counter[tuple[Any, ...]] = Counter()
        self._address_bits = 1 << config.xlen - 1 | 2  # those that are noted: the top one and bit 1

    # --- Transfers ----------------------------------------------------------------------------------

    def uncounted(self, priv: int, frozen: int) -> None:
        """Cycles that the counter does not count."""
        self._away.add("frozen" if frozen else "Debug Mode" if priv == DEBUG else "disabled mode")

    def group(self, transfers: int, effects: int, wraps: int) -> None:
        """The transfers of a cycle."""
        self.counts["group", transfers, effects, bool(wraps)] += 1

    def wrap(self, down: bool, depth: int) -> None:
        """WRPTR wrapped."""
        self.counts["wrap", "down" if down else "up", depth] += 1

    def emulated(self, type_: int, place: int, depth: int, valid: int) -> None:
        """A call, swap or return in emulation."""
        self.counts["ras", type_, 0 if place == 0 else 2 if place == depth - 1 else 1, valid] += 1

    def record(self, event: Event, after_pop: bool, emulated: bool, closed: int, ccv_by: str) -> None:
        """A record; `settle` makes its counts. One number for all that they tell apart is quicker than one for each."""
        t, count, bits = event.transfer, event.count, self._address_bits
        cc = count if count < 4096 else encode_cc(count, self.config.cce_bits)
        ccm = cc & 0xFFF
        self._records[
            cc >> 12, 0 if not ccm else 2 if ccm == 0xFFF else 1, (ccv_by or "emulation") if event.ccv else "CCV is 1", tuple(self._away), after_pop,
            emulated, closed, t.from_, t.type, t.misp, event.why.action == NO_SOURCE, t.source & bits, t.target & bits,
        ] += 1  # fmt: skip
        self._away.clear()

    def settle(self) -> None:
        """Make the counts of the records so far."""
        counts, config, top = self.counts, self.config, self.config.xlen - 1
        for (cce, ccm, ccv, away, after_pop, emulated, closed, from_, type_, misp, no_source, source, target), n in self._records.items():
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

    def access(self, f: Follower, access: Access, csr: Csr | None, name: str, writes: bool, value: int) -> None:
        """An access that is done, before it is."""
        counts, r = self.counts, f.recorder
        if f.effects:
            counts["together", self._kind(access, csr, name), f.effects > 1] += 1
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
        if config.draft and not csr.rv32:
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
        return "depth written" if name == "sctrdepth" else "control written" if "ctrc" in name or "ctrctl" in name else ""
