"""How the CTR points of registers are counted, from what the scoreboard's follower noted. Names are those of `tb.coverage.ctr_csrs`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from models.ctr.config import Config
from models.ctr.records import OPS
from models.ctr.registers import CSRIND_BIT, CTR_BIT, csrs
from models.riscv.csr import DEBUG, DONE, OUTCOMES, VS, VU, M
from tb.coverage import ctr_csrs as p
from tb.coverage.model import CROSS
from tb.coverage.tally import Tally

if TYPE_CHECKING:
    from scoreboards.ctr_follow import Follower

_PARTS = {"ireg": "ctrsource", "ireg2": "ctrtarget", "ireg3": "ctrdata"}
_WINDOWS = ("mireg", "sireg", "vsireg", "sireg in VS")


def observe_csrs(tally: Tally, config: Config, follower: Follower) -> None:
    """All points of registers."""
    names, known = set(p.registers()), {c.name: c for c in csrs(config)}
    for (name, clears, priv, narrow, mstateen, hstateen, inside, op, xlen32, outcome), hits in follower.notes.asked.items():
        register = f"{config.variant} {name}"
        if register in names:
            tally.one("csr_cg", register, p.MODE_NAMES[priv], OUTCOMES[outcome], hits=hits)
            if not narrow and known[name].rv32:
                tally.one("unknown_cg", "h at XLEN 64", "from M" if priv in (M, DEBUG) else "from below", hits=hits)
            if outcome == DONE:
                tally.one("op_cg", register, OPS[op], hits=hits)
                _window(tally, config, name, priv, hits)
                if xlen32 and config.xlen == 64:
                    for kind in _narrow(name):
                        tally.one("narrow_cg", kind, OPS[op], hits=hits)
        else:
            tally.one("unknown_cg", _unknown(config, name, clears, narrow), "from M" if priv in (M, DEBUG) else "from below", hits=hits)
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
    plain = {"sctrctl": "control", "sctrcontrol": "control", "sctrstatus": "status", "sctrdepth": "depth", "vsctrctl": "guest control",
             "vsctrcontrol": "guest control", "siselect": "select", "vsiselect": "guest select"}  # fmt: skip
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
        return "without H" if mine[address].level == "H" or "hstateen" in mine[address].name else "without S" if mine[address].level == "S" else "any other"
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
        ("mireg", m) if name[0] == "m" else ("vsireg", vs) if name[0] == "v" else ("sireg in VS", vs) if priv in (VS, VU) else ("sireg", s)
    )
    tally.one("select_cg", window, chosen[2], hits=hits)


def _values(tally: Tally, config: Config, follower: Follower) -> None:
    bins = set(next(point for point in p.POINTS if point.name == "control_cg").bins)
    known = {c.name: c for c in csrs(config)}
    for (name, acting, value), hits in follower.notes.shown.items():
        if "stateen" in name and not name.endswith("h"):
            for bit, shown in ((CTR_BIT[config.variant], ".CTR"), (CSRIND_BIT, "[60]")):
                if config.xlen == 64:
                    tally.one("stateen_value_cg", config.variant, f"{name}{shown}", str(value >> bit & 1), hits=hits)
        if "ctrctl" not in name and "ctrcontrol" not in name:
            continue
        view = "s in VS" if name[0] == "s" and acting[0] == "v" else "vs" if name[0] == "v" else name[0]
        for field in known[name].fields:
            if field.width > 1:
                continue
            if field.access == "WARL" and not field.legal.mask:
                tally.one("left_out_cg", config.variant, "s" if view == "s in VS" else view, hits=hits)
            elif CROSS.join((config.variant, view, field.name, str(field.get(value)))) in bins:
                tally.one("control_cg", config.variant, view, field.name, str(field.get(value)), hits=hits)


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
    elif what == "origin" and rest[1] in p.KINDS:
        tally.one("origin_cg", p.PARTS[rest[0]], rest[1], hits=hits)
    elif what == "status":
        priv, above, frozen = rest
        mode = {M: "M", DEBUG: "M", VS: "VS"}.get(priv, "S")
        where = "WRPTR at or above the depth" if above else "WRPTR below"
        tally.one("status_cg", variant, mode, where, f"FROZEN {frozen}", hits=hits)
