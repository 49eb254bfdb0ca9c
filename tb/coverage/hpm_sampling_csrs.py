"""Counts the coverage points of the counters' CSRs, from what the scoreboard noted of each access."""

from __future__ import annotations

from models.hpm.config import Config
from models.hpm.registers import csrs
from models.riscv.csr import DEBUG, DONE, OPS, OUTCOMES, READ, VS, M
from scoreboards.hpm_software import Software
from tb.coverage import hpm_csrs as p
from tb.coverage.tally import Tally


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
            tally.one("enable_cg", view, "high" if high else "low", mode, *(f"{who} {int(bool(bit))}" for who, bit in zip("msh", enables)), hits=hits)
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
        why = "any other" if csr is None else "without H" if csr.level == "H" and not config.has_h else "without S" if csr.level == "S" and not config.has_s else "without an extension"
        if csr is not None and csr.name in ("mcounteren", "mideleg") and why == "without an extension":
            why = "without S" if csr.name == "mideleg" else "any other"
        tally.one("unknown_cg", why, _from(priv), hits=hits)
