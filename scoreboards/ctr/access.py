# SPDX-License-Identifier: Apache-2.0
"""The clauses of accesses: of the rules that decide about an outcome, and of every field that a CSR read shows.

What an access tests by its outcome: `rvtrace.scoreboards.csr.rules`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from rvtrace.models.csr.file import Gates
from rvtrace.models.csr.table import Csr, Field
from rvtrace.models.ctr.access import clear_outcome
from rvtrace.models.ctr.config import Config
from rvtrace.models.ctr.records import SCTRCLR
from rvtrace.models.ctr.registers import DEPTH_CODES, control_fields, csr_file, required
from rvtrace.models.riscv.csr import CLEAR, DONE, ILLEGAL, SET, VIRTUAL, VU, Access, U
from rvtrace.scoreboards.csr.rules import Broken, Suspects, enables, suspects
from rvtrace.scoreboards.csr.rules import tested as tested_by_rules

_NO_MODE = {
    "v1_0": {0x24E: "CTR.vsctl.no_h"},
    "v0_1_4": {0x181: "CTR.sctl.no_s", 0x182: "CTR.sctl.no_s", 0x281: "CTR.vsctl.no_h", 0x282: "CTR.vsctl.no_h"},
}
_RULES = {
    "absent": "CTR.csr.exists",
    "high": "CTR.csr.rv32h",
    "high.there": "CTR.csr.rv32h",
    "level.machine": "CTR.csr.privilege",
    "level.user": "CTR.csr.privilege",
    "level.hclosed": "CTR.csr.privilege",
    "virtual.hidden": "CTR.depth.virtual",
    "virtual.user": "CTR.csr.virtual",
    "virtual.hypervisor": "CTR.csr.virtual",
    "done": "CTR.csr.address",
    "stateen.machine": "CTR.stateen.machine",
    "stateen.order": "CTR.stateen.order",
    "stateen.hscope": "CTR.stateen.hscope",
    "stateen.closed CTR": "CTR.stateen.closed",
    "stateen.open CTR": "CTR.stateen.open",
    "stateen.hclosed CTR": "CTR.stateen.hclosed",
    "stateen.hopen CTR": "CTR.stateen.hopen",
    "stateen.closed CSRIND": "CTR.stateen.csrind",
    "stateen.open CSRIND": "CTR.stateen.csrind",
    "stateen.hclosed CSRIND": "CTR.stateen.hcsrind",
    "stateen.hopen CSRIND": "CTR.stateen.hcsrind",
    "ireg.none": "CTR.entry.mireg",
    "ireg.selected": "CTR.entry.range",
    "ireg.outside": "CTR.entry.outside",
}
_CLEAR_RULES = _RULES | {
    "stateen.closed CTR": "CTR.stateen.clear",
    "draft": "CTR.csr.exists",
    "user": "CTR.clear.illegal",
    "virtual": "CTR.clear.virtual",
    "done": "CTR.clear.done",
}


@lru_cache
def _rules(draft: bool, ireg: bool) -> dict[str, str]:
    """The clauses of the rules, for an ireg alias or another CSR."""
    own = {"stateen.closed CTR": "CTR.stateen.iregs"} if ireg else {}
    return _RULES | own | ({"level.hclosed": "CTR.stateen.hillegal"} if draft else {})


def tested(config: Config, gates: Gates, csr: Csr | None, access: Access) -> Suspects:
    """(clause, outcomes that a block which breaks it would give), most specific first. gates: as they act."""
    if access.op == SCTRCLR:
        right = clear_outcome(config, gates, access.priv)
        return suspects(_clear(config, gates, access, right), right, _CLEAR_RULES)
    absent = "" if csr else _NO_MODE[config.variant].get(access.addr, "")
    return tested_by_rules(csr_file(config), gates, csr, access, _rules(config.draft, bool(csr and csr.ireg)), absent)


def _clear(config: Config, gates: Gates, access: Access, right: int) -> Iterator[Broken]:
    """SCTRCLR."""
    if config.draft:
        yield "draft", DONE
        return
    yield from enables(csr_file(config), gates, access, lambda g, a: clear_outcome(config, g, a.priv))
    if access.priv == U:
        yield from (("user", other) for other in (DONE, VIRTUAL))
    elif access.priv == VU and right == VIRTUAL:
        yield from (("virtual", other) for other in (DONE, ILLEGAL))
    elif right == DONE:
        yield from (("done", other) for other in (ILLEGAL, VIRTUAL))


# --- What a read shows ------------------------------------------------------------------------------


class Last(NamedTuple):
    """The last access that wrote a register.

    name: of the CSR at its address. row: of the record; count: transfers recorded in its cycle.
    """

    access: Access
    name: str
    narrow: bool
    high: bool
    row: int
    count: int = 0
    value: int = 0


def control_clause(config: Config, csr: Csr, field: Field | None, last: Last | None) -> str:
    """The clause of a field of a control register, as this CSR shows it; None are the bits without a field."""
    view = "vs" if csr.name.startswith("v") else csr.name[0]
    if field is None:
        return "CTR.ctl.undefined"
    if field.name in ("Custom", "CLR"):
        return "CTR.csr.custom" if field.name == "Custom" else "CTR.clear.reads0"
    if field.name == "DEPTH":
        ends = {0: "CTR.discovery.least", 15: "CTR.discovery.greatest"}
        return (
            "CTR.vsctl.depth"
            if view == "vs"
            else "CTR.csr.reset"
            if last is None
            else ends.get(code := last.value >> 16 & 15) or _depth(code, config)
        )
    if view == "s" and field.name in ("M", "MTE"):
        return "CTR.sctl.zero"
    if field.legal.values is None and not field.legal.mask:
        return "CTR.vsctl.match" if view == "vs" else "CTR.ctl.unimplemented"
    if last is None:
        return "CTR.csr.reset"
    through_s = last.name[0] == "s"
    if field.name in ("M", "MTE") and through_s:
        return "CTR.sctl.preserve"
    if last.narrow and config.xlen == 64 and not last.high and not csr.high and field.lsb >= 32:
        return "CTR.csr.xlen32"
    if csr.high or last.high:
        return "CTR.csr.rv32h"
    if last.access.op in (SET, CLEAR):
        return "CTR.csr.setclear"
    if view == "vs":
        return "CTR.vsctl.substitute" if through_s else "CTR.vsctl.keep"
    if through_s != (view == "s"):
        return "CTR.sctl.subset"
    mask = next((f.mask for f in control_fields(config.variant) if f.name == field.name), 0)
    return (
        "CTR.ctl.required"
        if mask & required(config.variant, config.has_s)
        else f"CTR.{'sctl.subset' if view == 's' else 'ctl.keep'}"
    )


def _depth(code: int, config: Config) -> str:
    depth = DEPTH_CODES[config.variant].get(code)
    return "CTR.depth.select" if depth in config.depths else "CTR.depth.warl"


def stateen_clause(csr: Csr, field: Field | None, mstateen: int) -> str:
    """The clause of a field of mstateen0 or hstateen0."""
    if field is None:
        return "CTR.stateen.undefined"
    if csr.name.startswith("h") and not mstateen >> field.lsb & 1:
        return "CTR.stateen.hzero"
    return "CTR.stateen.bit" if field.name == "CTR" else "CTR.stateen.csrind"


def depth_clause(config: Config, field: Field | None, last: Last | None) -> str:
    """The clause of sctrdepth."""
    if field is None:
        return "CTR.depth.undefined"
    if last is None:
        return "CTR.csr.reset"
    code = last.value & 7
    return "CTR.depth.reserved" if code > 4 else _depth(code, config)
