# SPDX-License-Identifier: Apache-2.0
"""What an access to a CSR tests: a rule is tested if a block that breaks it would end the access otherwise.

`tested` asks the rules of a CSR file again with one bit of a state enable, one privilege or one select value changed.
Names of rules are those of `RULES`; a system says which clause of its plan each is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from rvtrace.models.csr.file import CsrFile, Gates, acting
from rvtrace.models.csr.table import Csr
from rvtrace.models.riscv.csr import DEBUG, DONE, HS, ILLEGAL, VIRTUAL, VS, VU, Access, M, U

Suspects = tuple[tuple[str, frozenset[int]], ...]  # (clause, outcomes that a block which breaks it would give)
Ask = Callable[[Gates, Access], int]
Broken = tuple[str, int]  # a rule, and an outcome of a block that breaks it
V = (VS, VU)
EVERY = (DONE, ILLEGAL, VIRTUAL)

RULES = {
    "absent": "nothing is at an address",
    "high": "an h register exists at XLEN 32 only",
    "high.there": "an h register exists at XLEN 32",
    "read_only": "a write to an address of read-only CSRs is illegal",
    "read_only.guest": "also with V = 1",
    "debug": "Debug Mode may do what M-mode may",
    "machine": "no counter enable stops M-mode",
    "level.machine": "M-mode alone accesses its CSRs",
    "level.user": "U-mode accesses counters only",
    "level.hclosed": "a CSR of M-mode is illegal in VS-mode though hstateen0 closes the group",
    "virtual.user": "VU-mode gets a virtual instruction where HS-mode may",
    "virtual.hypervisor": "VS-mode gets one for a CSR of the hypervisor",
    "virtual.hidden": "and for one that is not for guests",
    "done": "what nothing refuses is done",
    "counter.high": "an h view has the enables of its counter",
    "counter.time": "time has an enable",
    "counter.illegal_first": "mcounteren decides first",
    "counter.closed": "mcounteren closes a counter",
    "counter.hs_alone": "HS-mode asks mcounteren alone",
    "counter.open": "mcounteren opens a counter to HS-mode",
    "counter.no_s": "without S-mode U-mode asks mcounteren alone",
    "counter.guest_only": "U-mode does not ask hcounteren",
    "counter.user_open": "scounteren opens a counter to U-mode",
    "counter.user_closed": "scounteren closes it",
    "counter.vs_alone": "VS-mode does not ask scounteren",
    "counter.vs_open": "hcounteren opens a counter to VS-mode",
    "counter.vs_closed": "hcounteren closes it",
    "counter.vu_open": "both open a counter to VU-mode",
    "counter.vu_supervisor": "scounteren closes it to VU-mode",
    "counter.vu_hypervisor": "hcounteren closes it to VU-mode",
    "stateen.machine": "state enables do not stop M-mode",
    "stateen.closed": "a bit of mstateen0 closes (one rule for each bit)",
    "stateen.open": "and opens",
    "stateen.order": "mstateen0 decides before hstateen0",
    "stateen.hscope": "hstateen0 decides with V = 1 only",
    "stateen.hclosed": "a bit of hstateen0 closes",
    "stateen.hopen": "and opens",
    "ireg.none": "an ireg alias that selects nothing ever is illegal",
    "ireg.selected": "a value of an iselect selects something",
    "ireg.outside": "another value selects nothing",
}


def tested(
    file: CsrFile, gates: Gates, csr: Csr | None, access: Access, clauses: Mapping[str, str], absent: str = ""
) -> Suspects:
    """(clause, outcomes that a block which breaks it would give), most specific first.

    gates: as they act. clauses: of the rules; a rule without one is not a clause of this system. absent: the clause of
    an address at which nothing is because of the implementation's modes.
    """
    right = file.outcome(gates, csr, access)
    broken = _broken(file, gates, csr, access, right)
    if csr is None and absent:
        broken = ((absent, DONE), ("absent", VIRTUAL))
        clauses = {**clauses, absent: absent}
    return suspects(broken, right, clauses)


def suspects(broken: Iterable[Broken], right: int, clauses: Mapping[str, str]) -> Suspects:
    """The clauses of broken rules that make a difference."""
    found: dict[str, set[int]] = {}
    for rule, other in broken:
        if other != right and (clause := clauses.get(rule, "")):
            found.setdefault(clause, set()).add(other)
    return tuple((clause, frozenset(others)) for clause, others in found.items())


def _any(rule: str) -> Iterator[Broken]:
    yield from ((rule, other) for other in EVERY)


def _broken(file: CsrFile, gates: Gates, csr: Csr | None, access: Access, right: int) -> Iterator[Broken]:
    """A read or write of a CSR address."""
    priv = access.priv
    if csr is None:
        yield from _any("absent")
        return
    if csr.high:
        if not file.narrow(access):
            yield from _any("high")
            return
        yield "high.there", ILLEGAL
    if csr.read_only and file.writes(access):
        if priv in V:
            yield "read_only.guest", VIRTUAL
        yield from _any("read_only")
        return
    yield from enables(file, gates, access, lambda g, a: file.outcome(g, csr, a))
    if priv in (M, DEBUG):
        if priv == DEBUG:
            yield from _any("debug")
        if csr.level == "U" and not all(_opened(gates, csr.number)):
            yield from _any("machine")
    elif csr.level == "U":
        yield from _counter(file, csr, priv, *_opened(gates, csr.number))
        return
    else:
        yield from _level(file, gates, csr, priv, right)
    if csr.ireg:
        yield from _ireg(file, gates, csr, access, right)
    if right == DONE:
        yield from _any("done")


def _level(file: CsrFile, gates: Gates, csr: Csr, priv: int, right: int) -> Iterator[Broken]:
    """Below M-mode, by the level of the CSR."""
    if right == VIRTUAL:
        if not csr.guest:
            yield from _any("virtual.hidden")
        if priv == VU:
            yield from _any("virtual.user")
        elif csr.level == "H":
            yield from _any("virtual.hypervisor")
    elif right == ILLEGAL and (csr.level == "M" or priv == U):
        rule = "level.machine" if csr.level == "M" else "level.user"
        yield rule, DONE
        bits = [bit for name, bit in file.stateen.items() if name != "CSRIND"]
        closed = priv == VS and any(not gates.hstateen >> bit & 1 for bit in bits)
        yield ("level.hclosed" if closed else rule), VIRTUAL


def _opened(gates: Gates, number: int) -> tuple[bool, bool, bool]:
    """The bits of mcounteren, scounteren, hcounteren for a counter."""
    m, s, h = (bool(enable >> number & 1) for enable in (gates.mcounteren, gates.scounteren, gates.hcounteren))
    return m, s, h


def _counter(file: CsrFile, csr: Csr, priv: int, m: bool, s: bool, h: bool) -> Iterator[Broken]:
    """A view of a counter below M-mode."""
    if csr.high:
        yield from _any("counter.high")
    if csr.state == "time":
        yield from _any("counter.time")
    if not m:
        if priv in V:
            yield "counter.illegal_first", VIRTUAL
        yield from _any("counter.closed")
    elif priv == HS:
        if not s or (file.has_h and not h):
            yield from _any("counter.hs_alone")
        yield from _any("counter.open")
    elif priv == U and not file.has_s:
        yield from _any("counter.no_s")
    elif priv == U:
        if s and file.has_h and not h:
            yield from _any("counter.guest_only")
        yield from _any("counter.user_open" if s else "counter.user_closed")
    elif priv == VS:
        if h and not s:
            yield from _any("counter.vs_alone")
        yield from _any("counter.vs_open" if h else "counter.vs_closed")
    elif h and s:
        yield from _any("counter.vu_open")
    else:
        yield from _any("counter.vu_supervisor" if h else "counter.vu_hypervisor")


def enables(file: CsrFile, gates: Gates, access: Access, ask: Ask) -> Iterator[Broken]:
    """The state enables, each bit the other way round. ask: the outcome of such an access with other gates."""
    if not file.stateen:
        return
    right, every = ask(gates, access), sum(1 << bit for bit in file.stateen.values())
    if access.priv in (M, DEBUG):
        opened = replace(gates, mstateen=every, hstateen=every)
        if (
            right == DONE
            and gates.mstateen & every != every
            and ask(gates, access._replace(priv=HS)) != ask(opened, access._replace(priv=HS))
        ):
            yield "stateen.machine", ILLEGAL
        return
    for name, number in file.stateen.items():
        yield from _enable(file, gates, access, ask, name, 1 << number, right)


def _enable(file: CsrFile, gates: Gates, access: Access, ask: Ask, name: str, bit: int, right: int) -> Iterator[Broken]:
    """One bit of the state enables, below M-mode."""
    m_open, h_open = gates.mstateen & bit, gates.hstateen & bit
    toggled = replace(
        gates, mstateen=gates.mstateen ^ bit, hstateen=gates.hstateen | bit if not m_open else gates.hstateen & ~bit
    )
    changed = ask(toggled, access)
    if not m_open and changed != right:
        yield f"stateen.closed {name}", changed
        if access.priv in V:
            yield "stateen.order", VIRTUAL
    elif changed != right:
        yield f"stateen.open {name}", changed
    if access.priv not in V:
        if (
            access.priv == HS
            and m_open
            and not h_open
            and file.has_h
            and ask(gates, access._replace(priv=VS)) == VIRTUAL
        ):
            yield "stateen.hscope", VIRTUAL
        return
    turned = ask(replace(gates, hstateen=gates.hstateen ^ bit), access)
    if turned == right or not m_open:
        return
    if h_open:
        yield f"stateen.hopen {name}", turned
    else:
        yield f"stateen.hclosed {name}", turned
        yield f"stateen.hclosed {name}", ILLEGAL


def _ireg(file: CsrFile, gates: Gates, csr: Csr, access: Access, right: int) -> Iterator[Broken]:
    """What the select value has to say."""
    window = acting(csr, access.priv).partition("ireg")[0]
    known = [one for one in file.indirect if window in one.levels]
    if not known:
        if right == ILLEGAL:
            yield "ireg.none", DONE
        return
    inside = file.selected(gates, csr, access) is not None
    other = replace(gates, **{f"{window}iselect": 0 if inside else known[0].values.start})
    yield ("ireg.selected" if inside else "ireg.outside"), file.outcome(other, csr, access)
    if not inside and right == ILLEGAL:
        yield "ireg.outside", VIRTUAL
