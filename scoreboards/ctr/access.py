# SPDX-License-Identifier: Apache-2.0
"""Why an access is done or refused, and the clause of every field that a CSR read shows.

As for transfers, an access checks a clause if a block that broke it would answer differently: `tested` asks the rules
again with one bit of a state enable, one privilege or one select value changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from rvtrace.models.ctr.access import Gates, acting, clear_outcome, narrow, outcome, selected
from rvtrace.models.ctr.config import Config
from rvtrace.models.ctr.records import SCTRCLR
from rvtrace.models.ctr.registers import CSRIND_BIT, CTR_BIT, DEPTH_CODES, SELECT, Csr, control_fields, required
from rvtrace.models.riscv.csr import CLEAR, DEBUG, DONE, HS, ILLEGAL, SET, VIRTUAL, VS, VU, Access, M, U
from rvtrace.models.tci.layout import Field

V = (VS, VU)
_NO_MODE = {
    "v1_0": {0x24E: "CTR.vsctl.no_h"},
    "v0_1_4": {0x181: "CTR.sctl.no_s", 0x182: "CTR.sctl.no_s", 0x281: "CTR.vsctl.no_h", 0x282: "CTR.vsctl.no_h"},
}
Suspects = tuple[tuple[str, frozenset[int]], ...]


def tested(config: Config, gates: Gates, csr: Csr | None, access: Access) -> Suspects:
    """(clause, outcomes that a block which breaks it would give), most specific first. gates: as they act."""
    right = _ask(config, gates, csr, access)
    found: dict[str, set[int]] = {}
    changes = _clear(config, gates, access) if access.op == SCTRCLR else _csr(config, gates, csr, access, right)
    for clause, other in changes:
        if other != right:
            found.setdefault(clause, set()).add(other)
    return tuple((clause, frozenset(others)) for clause, others in found.items())


def _ask(config: Config, gates: Gates, csr: Csr | None, access: Access) -> int:
    return clear_outcome(config, gates, access.priv) if access.op == SCTRCLR else outcome(config, gates, csr, access)


def _flips(config: Config, gates: Gates, csr: Csr | None, access: Access, closed: str) -> Iterator[tuple[str, int]]:
    """The state enables, each bit the other way round. closed: the clause for what mstateen0.CTR = 0 refuses."""
    if not config.has_stateen:
        return
    ctr, ind = 1 << CTR_BIT[config.variant], 1 << CSRIND_BIT
    right = _ask(config, gates, csr, access)
    if access.priv in (M, DEBUG):
        opened = Gates(ctr | ind, ctr | ind, gates.miselect, gates.siselect, gates.vsiselect)
        if (
            right == DONE
            and gates.mstateen & (ctr | ind) != ctr | ind
            and _ask(config, gates, csr, access._replace(priv=HS))
            != _ask(config, opened, csr, access._replace(priv=HS))
        ):
            yield "CTR.stateen.machine", ILLEGAL
        return
    for bit, m_clause, h_clause in (
        (ctr, closed, "CTR.stateen.hclosed"),
        (ind, "CTR.stateen.csrind", "CTR.stateen.hcsrind"),
    ):
        m_open, h_open = gates.mstateen & bit, gates.hstateen & bit
        toggled = replace(
            gates, mstateen=gates.mstateen ^ bit, hstateen=gates.hstateen | bit if not m_open else gates.hstateen & ~bit
        )
        changed = _ask(config, toggled, csr, access)
        if not m_open and changed != right:
            yield m_clause, changed
            if access.priv in V:
                yield "CTR.stateen.order", VIRTUAL
        elif changed != right:
            yield ("CTR.stateen.open" if bit == ctr else m_clause), changed
        if access.priv not in V:
            if (
                access.priv == HS
                and m_open
                and not h_open
                and config.has_h
                and _ask(config, gates, csr, access._replace(priv=VS)) == VIRTUAL
            ):
                yield "CTR.stateen.hscope", VIRTUAL
            continue
        turned = _ask(config, replace(gates, hstateen=gates.hstateen ^ bit), csr, access)
        if turned == right or not m_open:
            continue
        if h_open:
            yield ("CTR.stateen.hopen" if bit == ctr else h_clause), turned
        else:
            yield h_clause, turned
            yield h_clause, ILLEGAL


def _clear(config: Config, gates: Gates, access: Access) -> Iterator[tuple[str, int]]:
    """SCTRCLR."""
    if config.draft:
        yield "CTR.csr.exists", DONE
        return
    right = clear_outcome(config, gates, access.priv)
    yield from _flips(config, gates, None, access, "CTR.stateen.clear")
    if access.priv == U:
        yield from (("CTR.clear.illegal", other) for other in (DONE, VIRTUAL))
    elif access.priv == VU and right == VIRTUAL:
        yield from (("CTR.clear.virtual", other) for other in (DONE, ILLEGAL))
    elif right == DONE:
        yield from (("CTR.clear.done", other) for other in (ILLEGAL, VIRTUAL))


def _csr(config: Config, gates: Gates, csr: Csr | None, access: Access, right: int) -> Iterator[tuple[str, int]]:
    """A read or write of a CSR address."""
    if csr is None:
        yield _NO_MODE[config.variant].get(access.addr, "CTR.csr.exists"), DONE
        yield "CTR.csr.exists", VIRTUAL
        return
    if csr.rv32:
        if not narrow(config, access):
            yield from (("CTR.csr.rv32h", other) for other in (DONE, VIRTUAL))
            return
        yield "CTR.csr.rv32h", ILLEGAL
    ireg = "ireg" in csr.name
    yield from _flips(config, gates, csr, access, "CTR.stateen.iregs" if ireg else "CTR.stateen.closed")
    if right == VIRTUAL and csr.name == "sctrdepth":
        yield from (("CTR.depth.virtual", other) for other in (DONE, ILLEGAL))
    if right == VIRTUAL and (csr.level == "H" or access.priv == VU):
        yield from (("CTR.csr.virtual", other) for other in (DONE, ILLEGAL))
    if right == ILLEGAL and (csr.level == "M" or access.priv == U) and access.priv not in (M, DEBUG):
        yield "CTR.csr.privilege", DONE
        yield (
            (
                "CTR.stateen.hillegal"
                if config.draft
                and access.priv == VS
                and config.has_stateen
                and not gates.hstateen >> CTR_BIT[config.variant] & 1
                else "CTR.csr.privilege"
            ),
            VIRTUAL,
        )
    if ireg:
        if csr.name.startswith("mireg") and not config.draft and right == ILLEGAL:
            yield "CTR.entry.mireg", DONE
        else:
            yield from _range(config, gates, csr, access, right)
    if right == DONE:
        yield from (("CTR.csr.address", other) for other in (ILLEGAL, VIRTUAL))


def _range(config: Config, gates: Gates, csr: Csr, access: Access, right: int) -> Iterator[tuple[str, int]]:
    """What the select value has to say."""
    inside = selected(gates, csr, access.priv, narrow(config, access) and config.xlen == 64) is not None
    select = acting(csr, access.priv)
    select = select[: select.index("ireg")] + "iselect"
    other = replace(gates, **{select: 0 if inside else SELECT.start})
    yield ("CTR.entry.range" if inside else "CTR.entry.outside"), outcome(config, other, csr, access)
    if not inside and right == ILLEGAL:
        yield "CTR.entry.outside", VIRTUAL


# --- What a read shows ------------------------------------------------------------------------------


class Last(NamedTuple):
    """The last access that wrote a register.

    name: of the CSR at its address. row: of the record; count: transfers recorded in its cycle.
    """

    access: Access
    name: str
    narrow: bool
    rv32: bool
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
    if last.narrow and config.xlen == 64 and not last.rv32 and not csr.rv32 and field.lsb >= 32:
        return "CTR.csr.xlen32"
    if csr.rv32 or last.rv32:
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
    bit = field.lsb + 32 * csr.rv32
    if csr.name.startswith("h") and not mstateen >> bit & 1:
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
