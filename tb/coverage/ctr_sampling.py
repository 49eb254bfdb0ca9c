"""How the CTR points of transfers and records are counted, from what the scoreboard's follower noted.

Names of points and bins are those of `tb.coverage.ctr_points`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from models.ctr.config import Config
from models.ctr.model_rules import CALL, EXTERNAL, FREEZE, NOTHING, OVERWRITE, POP
from models.ctr.registers import control_fields
from models.riscv.csr import DEBUG, HS, VS, VU, M, U
from scoreboards.ctr_reasons import FILTERS, RECORDED, VIRTUAL_MODES
from tb.coverage import ctr_points as p
from tb.coverage.ctr_csrs import MODE_NAMES
from tb.coverage.ctr_sampling_csrs import observe_csrs
from tb.coverage.model import Counts
from tb.coverage.tally import Tally

if TYPE_CHECKING:
    from scoreboards.ctr_capture import CtrCapture
    from scoreboards.ctr_follow import Follower

_KIND = {int(kind.split()[0]): kind for kind in p.KINDS}
_TRANSITION = {1: "exception", 2: "interrupt", 3: "trap return"}
_EVENT = {(1, 3): "breakpoint", (2, 13): "LCOFI"}


def observe(capture: CtrCapture, follower: Follower) -> Counts:
    """Counts of all points of one run, not yet stamped."""
    tally, config = Tally(), capture.config
    tally.one("run_cg", config.variant, f"RV{config.xlen}", f"{config.transfers} a cycle")
    for (ctl, vsctl, frozen), keys in follower.seen.items():
        setting = _Setting(config, follower, ctl, vsctl, frozen)
        for key, hits in keys.items():
            setting.sample(tally, key, hits)
    _records(tally, config, follower)
    observe_csrs(tally, config, follower)
    return tally.counts


class _Setting:
    """The transfers under one setting of the control registers."""

    def __init__(self, config: Config, follower: Follower, ctl: int, vsctl: int, frozen: int) -> None:
        self.config, self.reasons, self.ctl, self.vsctl, self.frozen = config, follower.reasons, ctl, vsctl, frozen
        self.m = {f.name: f.mask for f in control_fields(config.variant)}

    def enabled(self, mode: int) -> bool:
        """Whether a mode is enabled."""
        held, name = (self.vsctl if mode in VIRTUAL_MODES else self.ctl), {M: "M", HS: "S", U: "U", VS: "S", VU: "U"}.get(mode, "M")
        return mode != DEBUG and bool(held & self.m[name])

    def sample(self, tally: Tally, key: int, hits: int) -> None:
        """One kind of transfer, so many times."""
        type_, from_, to, cause = key & 15, key >> 4 & 7, key >> 7 & 7, key >> 10
        variant = self.config.variant
        if type_ not in _KIND:
            return
        if DEBUG in (from_, to):
            way, mode = ("entered from", from_) if to == DEBUG else ("left to", to)
            if mode != DEBUG:
                tally.one("debug_cg", way, MODE_NAMES[mode], str(int(bool(self.ctl & self.m["BPFRZ"]))), hits=hits)
            return
        virtual = from_ in VIRTUAL_MODES or to in VIRTUAL_MODES
        ruling = self.vsctl if virtual else self.ctl
        action = self.reasons.why(self.ctl, self.vsctl, 0, type_, from_, to, cause).action
        emulates, before, after = bool(ruling & self.m["RASEMU"]), self.enabled(from_), self.enabled(to)
        tally.one("type_cg", variant, _KIND[type_], MODE_NAMES[from_], self._became(type_, action, emulates, before, after), hits=hits)
        bit, name = FILTERS[type_]
        set_ = ruling >> bit & 1
        pair = f"{MODE_NAMES[from_]} to {MODE_NAMES[to]}"
        if type_ < 3:
            self._freezing(tally, type_, cause, pair, hits)
        if self.frozen:
            return
        if emulates:
            if before and type_ in (8, 9, 12, 13) and set_:
                tally.one("ras_filter_cg", variant, _KIND[type_], hits=hits)
            if type_ < 3 and before and not after and self._opted(from_, to, ruling):
                tally.one("ras_filter_cg", variant, "external trap", hits=hits)
            return
        if before and not (type_ < 3 and not after):
            tally.one("filter_cg", variant, name, f"V={int(virtual)}", str(set_), hits=hits)
        if type_ <= 3:
            self._transition(tally, type_, from_, to, pair, ruling, hits)

    def _became(self, type_: int, action: int, emulates: bool, before: bool, after: bool) -> str:
        if self.frozen:
            return "frozen"
        if action == FREEZE:
            return "freezes"
        if action in (CALL, POP, OVERWRITE):
            return "emulated"
        if action in RECORDED:
            return "recorded"
        if not before and not (type_ < 3 and after):
            return "mode disabled"
        if emulates:
            return "ignored in emulation" if before else "mode disabled"
        if type_ < 3 and before and not after:
            return "no opt-in"
        return "inhibited"

    def _opted(self, from_: int, to: int, ruling: int) -> bool:
        te = {M: self.ctl & self.m["MTE"], HS: self.ctl & self.m["STE"], VS: self.vsctl & self.m["STE"]}
        if self.config.draft:
            return bool(ruling & self.m["ETEN"] and te.get(to))
        return (from_, to) in EXTERNAL and all(te[mode] for mode in EXTERNAL[from_, to])

    def _freezing(self, tally: Tally, type_: int, cause: int, pair: str, hits: int) -> None:
        variant, both = self.config.variant, self.m["BPFRZ"] | self.m["LCOFIFRZ"]
        if self.frozen or pair not in p.TRAP_PAIRS:
            return
        event = _EVENT.get((type_, cause))
        if event:
            bit = self.m["BPFRZ" if event == "breakpoint" else "LCOFIFRZ"]
            tally.one("freeze_cg", variant, event, pair, f"mctrctl {int(bool(self.ctl & bit))}", f"vsctrctl {int(bool(self.vsctl & bit))}", hits=hits)
        if self.ctl & both == both:
            shown = str(cause) if cause in (0, 3, 13) else "1 to 15" if cause < 16 else "16 and more"
            tally.one("cause_cg", variant, _TRANSITION[type_], shown, hits=hits)

    def _transition(self, tally: Tally, type_: int, from_: int, to: int, pair: str, ruling: int, hits: int) -> None:
        variant, kind = self.config.variant, _TRANSITION[type_]
        if pair not in (p.TRAP_PAIRS if type_ < 3 else p.RETURN_PAIRS):
            return
        before, after = self.enabled(from_), self.enabled(to)
        tally.one("transition_cg", variant, kind, pair, p.ENABLED[before + 2 * after], hits=hits)
        bit = 1 << FILTERS[type_][0]
        host, guest = int(bool(self.ctl & bit)), int(bool(self.vsctl & bit))
        if pair in p.CROSSING:
            tally.one("vtrans_cg", variant, kind, pair, f"mctrctl {host}", f"vsctrctl {guest}", hits=hits)
        if type_ == 3 or not before or after or pair not in p.OUTWARD:
            return
        filtered = str(int(bool(ruling & bit)))
        te = {M: self.ctl & self.m["MTE"], HS: self.ctl & self.m["STE"], VS: self.vsctl & self.m["STE"]}
        if self.config.draft:
            tally.one("external_draft_cg", pair, f"ETEN {int(bool(ruling & self.m['ETEN']))}", f"opt-in {int(bool(te[to]))}", kind, filtered, hits=hits)
            return
        needed = EXTERNAL[from_, to]
        between = [mode for mode in needed if mode != to]
        given = "all" if all(te[mode] for mode in needed) else "target alone" if te[to] else "some between" if any(te[mode] for mode in between) else "none"
        tally.one("external_cg", pair, given, kind, filtered, hits=hits)


def _records(tally: Tally, config: Config, follower: Follower) -> None:
    variant = config.variant
    for (what, *rest), hits in follower.notes.counts.items():
        if what == "group":
            transfers, effects, wraps = rest
            tally.one("group_cg", str(transfers), str(effects), p.POINTS[-1].axes[2][wraps], hits=hits)
        elif what == "wrap":
            tally.one("wrap_cg", variant, rest[0], str(rest[1]), hits=hits)
        elif what == "ras":
            type_, place, valid = rest
            action = {8: "indirect call", 9: "direct call", 12: "swap", 13: "return"}[type_]
            tally.one("ras_cg", variant, action, p.PLACES[place], "was valid" if valid else "was not valid", hits=hits)
        elif what == "ras count":
            tally.one("ras_count_cg", p.POLICIES[config.ras_policy], p.BEHIND[rest[0]], f"CCV {int(rest[1])}", hits=hits)
        elif what == "count":
            tally.one("count_cg", p.CCE_BITS[config.cce_bits], p.CCES[rest[0]], p.CCMS[rest[1]], hits=hits)
        elif what == "ccv":
            tally.one("ccv_cg", variant, rest[0], hits=hits)
        elif what == "inactive":
            tally.one("inactive_cg", variant, rest[0], hits=hits)
        elif what == "closed":
            by_m, mode = rest
            if by_m or mode in VIRTUAL_MODES:
                tally.one("closed_cg", variant, "mstateen0.CTR = 0" if by_m else "hstateen0.CTR = 0", MODE_NAMES[mode], hits=hits)
        elif what == "misp" and rest[0] > 3:
            tally.one("misp_cg", "MISP" if config.has_misp else "no MISP", _KIND[rest[0]], ("right", "wrong")[rest[1]], hits=hits)
        elif what == "address":
            which, top, low = rest
            tally.one("address_cg", f"RV{config.xlen}", which, f"top {top}", f"bit 1 is {low}", hits=hits)


assert NOTHING not in RECORDED
