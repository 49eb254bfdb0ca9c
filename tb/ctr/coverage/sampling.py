# SPDX-License-Identifier: Apache-2.0
"""How the CTR points of transfers and records are counted, from what the scoreboard's follower noted.

Names of points and bins are those of `rvtrace.tb.ctr.coverage.points`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rvtrace.jobs.coverage import CROSS, Counts
from rvtrace.models.ctr.config import Config
from rvtrace.models.ctr.records import OPS
from rvtrace.models.ctr.registers import CSRIND_BIT, CTR_BIT, control_fields, csrs
from rvtrace.models.ctr.rules import CALL, EXTERNAL, FREEZE, NOTHING, OVERWRITE, POP
from rvtrace.models.riscv.csr import DEBUG, DONE, HS, OUTCOMES, VS, VU, M, U
from rvtrace.scoreboards.ctr.reasons import FILTERS, RECORDED, VIRTUAL_MODES
from rvtrace.tb.common.coverage.registers import whence
from rvtrace.tb.common.coverage.tally import Tally
from rvtrace.tb.ctr.coverage import points as p
from rvtrace.tb.ctr.coverage.points import MODE_NAMES

if TYPE_CHECKING:
    from rvtrace.scoreboards.common.verdict import Verdict
    from rvtrace.scoreboards.ctr.capture import CtrCapture
    from rvtrace.scoreboards.ctr.follow import Follower


_KIND = {int(kind.split()[0]): kind for kind in p.KINDS}
_TRANSITION = {1: "exception", 2: "interrupt", 3: "trap return"}
_EVENT = {(1, 3): "breakpoint", (2, 13): "LCOFI"}


def sample(capture: CtrCapture, verdict: Verdict) -> Counts:
    """The stamped counts of one run: ready for result.json, and for `CTR.merge` with those of other runs."""
    return p.CTR.stamped(observe(capture, verdict.encoded))


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
        held, name = (
            (self.vsctl if mode in VIRTUAL_MODES else self.ctl),
            {M: "M", HS: "S", U: "U", VS: "S", VU: "U"}.get(mode, "M"),
        )
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
        tally.one(
            "type_cg",
            variant,
            _KIND[type_],
            MODE_NAMES[from_],
            self._became(type_, action, emulates, before, after),
            hits=hits,
        )
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
            tally.one(
                "freeze_cg",
                variant,
                event,
                pair,
                f"mctrctl {int(bool(self.ctl & bit))}",
                f"vsctrctl {int(bool(self.vsctl & bit))}",
                hits=hits,
            )
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
            tally.one(
                "external_draft_cg",
                pair,
                f"ETEN {int(bool(ruling & self.m['ETEN']))}",
                f"opt-in {int(bool(te[to]))}",
                kind,
                filtered,
                hits=hits,
            )
            return
        needed = EXTERNAL[from_, to]
        between = [mode for mode in needed if mode != to]
        given = (
            "all"
            if all(te[mode] for mode in needed)
            else "target alone"
            if te[to]
            else "some between"
            if any(te[mode] for mode in between)
            else "none"
        )
        tally.one("external_cg", pair, given, kind, filtered, hits=hits)


def _records(tally: Tally, config: Config, follower: Follower) -> None:
    variant = config.variant
    for (what, *rest), hits in follower.notes.counts.items():
        if what == "group":
            transfers, effects, wraps = rest
            tally.one("group_cg", str(transfers), str(effects), p.POINTS[-1].axes["WRPTR"][wraps], hits=hits)
        elif what == "wrap":
            tally.one("wrap_cg", variant, rest[0], str(rest[1]), hits=hits)
        elif what == "ras":
            type_, place, valid = rest
            action = {8: "indirect call", 9: "direct call", 12: "swap", 13: "return"}[type_]
            tally.one("ras_cg", variant, action, p.PLACES[place], "was valid" if valid else "was not valid", hits=hits)
        elif what == "ras count":
            tally.one("ras_count_cg", p.POLICIES[config.ras_policy], p.AFTER[rest[0]], f"CCV {int(rest[1])}", hits=hits)
        elif what == "count":
            tally.one("count_cg", p.CCE_BITS[config.cce_bits], p.CCES[rest[0]], p.CCMS[rest[1]], hits=hits)
        elif what == "ccv":
            tally.one("ccv_cg", variant, rest[0], hits=hits)
        elif what == "inactive":
            tally.one("inactive_cg", variant, rest[0], hits=hits)
        elif what == "closed":
            by_m, mode = rest
            if by_m or mode in VIRTUAL_MODES:
                tally.one(
                    "closed_cg",
                    variant,
                    "mstateen0.CTR = 0" if by_m else "hstateen0.CTR = 0",
                    MODE_NAMES[mode],
                    hits=hits,
                )
        elif what == "misp" and rest[0] > 3:
            tally.one(
                "misp_cg",
                "MISP" if config.has_misp else "no MISP",
                _KIND[rest[0]],
                ("right", "wrong")[rest[1]],
                hits=hits,
            )
        elif what == "address":
            which, top, low = rest
            tally.one("address_cg", f"RV{config.xlen}", which, f"top {top}", f"bit 1 is {low}", hits=hits)


assert NOTHING not in RECORDED


_PARTS = {"ireg": "ctrsource", "ireg2": "ctrtarget", "ireg3": "ctrdata"}
_WINDOWS = ("mireg", "sireg", "vsireg", "sireg in VS")


def observe_csrs(tally: Tally, config: Config, follower: Follower) -> None:
    """All points of registers."""
    names, known = set(p.registers()), {c.name: c for c in csrs(config)}
    for (
        name,
        clears,
        priv,
        narrow,
        mstateen,
        hstateen,
        inside,
        op,
        xlen32,
        outcome,
    ), hits in follower.notes.asked.items():
        register = f"{config.variant} {name}"
        if register in names:
            tally.one("csr_cg", register, p.MODE_NAMES[priv], OUTCOMES[outcome], hits=hits)
            if not narrow and known[name].high:
                tally.one("unknown_cg", "h at XLEN 64", whence(priv), hits=hits)
            if outcome == DONE:
                tally.one("op_cg", register, OPS[op], hits=hits)
                _window(tally, config, name, priv, hits)
                if xlen32 and config.xlen == 64:
                    for kind in _narrow(name):
                        tally.one("narrow_cg", kind, OPS[op], hits=hits)
        else:
            tally.one(
                "unknown_cg",
                _unknown(config, name, clears, narrow),
                whence(priv),
                hits=hits,
            )
        if config.has_stateen and priv != DEBUG:
            setting = f"m {_letters(config, mstateen)} h {_letters(config, hstateen)}"
            for what in _whats(config, name, clears, priv, inside):
                tally.one("stateen_cg", config.variant, setting, what, p.MODE_NAMES[priv], hits=hits)
        if config.xlen == 64 and not xlen32 and isinstance(name, str) and "ireg" in name:
            _select(tally, name, priv, inside, hits)
    _values(tally, config, follower)
    for (what, *rest), hits in follower.notes.counts.items():
        _noted(tally, config, what, rest, hits)


def _letters(config: Config, value: int) -> str:
    found = "C" * (value >> CTR_BIT[config.variant] & 1) + "I" * (value >> CSRIND_BIT & 1)
    return found or "-"


def _whats(config: Config, name: str | int, clears: bool, priv: int, inside: tuple) -> Iterator[str]:
    if clears:
        if not config.draft:
            yield "SCTRCLR"
        return
    if not isinstance(name, str):
        return
    plain = {
        "sctrctl": "control",
        "sctrcontrol": "control",
        "sctrstatus": "status",
        "sctrdepth": "depth",
        "vsctrctl": "guest control",
        "vsctrcontrol": "guest control",
        "siselect": "select",
        "vsiselect": "guest select",
    }
    if name in plain:
        yield plain[name]
    elif name.startswith(("sireg", "vsireg")):
        guest = name[0] == "v"
        _, s, vs = inside
        chosen = (vs if guest or priv in (VS, VU) else s)[0]
        yield f"{'guest ' * guest}{'entry' if chosen else 'no entry'}"


def _unknown(config: Config, name: str | int, clears: bool, narrow: bool) -> str:
    if clears:
        return "SCTRCLR of the draft"
    address = name if isinstance(name, int) else 0
    mine = {c.address: c for c in csrs(p.full(config.variant))}
    if address in mine:
        return (
            "without H"
            if mine[address].level == "H" or "hstateen" in mine[address].name
            else "without S"
            if mine[address].level == "S"
            else "any other"
        )
    other = p.full("v1_0" if config.draft else "v0_1_4")
    return "the other variant's" if address in {c.address for c in csrs(other)} else "any other"


def _narrow(name: str) -> Iterator[str]:
    part = name.lstrip("msv")
    if part in _PARTS:
        yield _PARTS[part]
    elif part == "iselect":
        yield "select"
    elif "stateen" in name:
        yield "state enable"
    elif name.endswith("status"):
        yield "status"
    elif "ctrctl" in name or "ctrcontrol" in name:
        yield "guest control" if name[0] == "v" else "control"


def _window(tally: Tally, config: Config, name: str, priv: int, hits: int) -> None:
    part = name.lstrip("msv")
    if part in _PARTS:
        window = "sireg in VS" if name[0] == "s" and priv in (VS, VU) else f"{name[: -len(part)]}ireg"
        tally.one("window_cg", window, _PARTS[part], hits=hits)


def _select(tally: Tally, name: str, priv: int, inside: tuple, hits: int) -> None:
    m, s, vs = inside
    window, chosen = (
        ("mireg", m)
        if name[0] == "m"
        else ("vsireg", vs)
        if name[0] == "v"
        else ("sireg in VS", vs)
        if priv in (VS, VU)
        else ("sireg", s)
    )
    tally.one("select_cg", window, chosen[2], hits=hits)


def _values(tally: Tally, config: Config, follower: Follower) -> None:
    bins = set(next(point for point in p.CSR_POINTS if point.name == "control_cg").bins)
    known = {c.name: c for c in csrs(config)}
    for (name, acting, value), hits in follower.notes.shown.items():
        if "stateen" in name and not name.endswith("h"):
            for bit, shown in ((CTR_BIT[config.variant], ".CTR"), (CSRIND_BIT, "[60]")):
                if config.xlen == 64:
                    tally.one("stateen_value_cg", config.variant, f"{name}{shown}", str(value >> bit & 1), hits=hits)
        if "ctrctl" not in name and "ctrcontrol" not in name:
            continue
        view = "s in VS" if name[0] == "s" and acting[0] == "v" else "vs" if name[0] == "v" else name[0]
        whole = value << 32 * known[name].high
        for field in known[name].fields:
            if field.width > 1:
                continue
            if field.access == "WARL" and not field.legal.mask:
                tally.one("left_out_cg", config.variant, "s" if view == "s in VS" else view, hits=hits)
            elif CROSS.join((config.variant, view, field.name, str(field.get(whole)))) in bins:
                tally.one("control_cg", config.variant, view, field.name, str(field.get(whole)), hits=hits)


def _noted(tally: Tally, config: Config, what: str, rest: list, hits: int) -> None:
    variant = config.variant
    if what == "together" and rest[0]:
        tally.one("together_cg", rest[0], "several" if rest[1] else "one", hits=hits)
    elif what == "clear":
        by, priv, frozen = rest
        mode = p.MODE_NAMES[M if priv == DEBUG else priv]
        if mode in ("M", "S", "VS"):
            tally.one("clear_cg", by, mode, f"FROZEN {frozen}", hits=hits)
    elif what == "preserve":
        op, m, mte = rest
        tally.one("preserve_cg", variant, op, f"M {int(m)}", f"MTE {int(mte)}", hits=hits)
    elif what == "depth":
        tally.one("depth_cg", variant, str(rest[0]), str(rest[1]), hits=hits)
    elif what == "depth value":
        tally.one("depth_value_cg", f"{variant} {rest[0]}", "supported" if rest[1] else "not supported", hits=hits)
    elif what == "entry" and rest[1] in p.AT:
        tally.one("entry_cg", variant, str(rest[0]), rest[1], hits=hits)
    elif what == "origin" and rest[1] in p.CSR_KINDS:
        tally.one("origin_cg", p.PARTS[rest[0]], rest[1], hits=hits)
    elif what == "status":
        priv, above, frozen = rest
        mode = {M: "M", DEBUG: "M", VS: "VS"}.get(priv, "S")
        where = "WRPTR at or above the depth" if above else "WRPTR below"
        tally.one("status_cg", variant, mode, where, f"FROZEN {frozen}", hits=hits)
