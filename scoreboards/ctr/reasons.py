# SPDX-License-Identifier: Apache-2.0
"""Why a transfer is recorded or not: the clauses that it puts to the test, and what a block would do that broke one of
them.

A transfer checks a clause exactly if another behaviour under that clause would show: a filter bit the other way round,
the registers of the other world, a missing opt-in. `why` finds these by asking the rules again with one thing changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from rvtrace.models.ctr.config import Config
from rvtrace.models.ctr.records import BREAKPOINT, LCOFI, RETURN, SWAP, TRAP_RETURN
from rvtrace.models.ctr.registers import control_fields
from rvtrace.models.ctr.rules import CALL, EXTERNAL, FREEZE, NO_SOURCE, NO_TARGET, NOTHING, OVERWRITE, POP, WHOLE, Rules
from rvtrace.models.riscv.csr import DEBUG, HS, VS, VU, M, U

RECORDED = frozenset((WHOLE, NO_SOURCE, NO_TARGET, CALL, OVERWRITE))
PUSHED = RECORDED - {OVERWRITE}
# Filter of each type, by its name in v1_0; the draft has them in the same places.
FILTERS = {
    1: (33, "excinh"),
    2: (34, "intrinh"),
    3: (35, "tretinh"),
    4: (36, "ntbren"),
    5: (37, "tkbrinh"),
    8: (40, "indcallinh"),
    9: (41, "dircallinh"),
    10: (42, "indjmpinh"),
    11: (43, "dirjmpinh"),
    12: (44, "corswapinh"),
    13: (45, "retinh"),
    14: (46, "indljmpinh"),
    15: (47, "dirljmpinh"),
}
MODE_CLAUSE = {M: "CTR.ctl.m", HS: "CTR.ctl.s", U: "CTR.ctl.u", VS: "CTR.vsctl.s", VU: "CTR.vsctl.u"}
PAIRS = {
    (U, HS): "us",
    (U, M): "um",
    (HS, M): "sm",
    (VU, VS): "vuvs",
    (VU, HS): "vuhs",
    (VU, M): "vum",
    (VS, HS): "vshs",
    (VS, M): "vsm",
}
ALL_FILTERS = sum(1 << bit for bit, _ in FILTERS.values())
VIRTUAL_MODES = (VS, VU)
_ALIKE = {CALL, WHOLE}  # a record of entry 0, in emulation or not


class Suspect(NamedTuple):
    """A clause a transfer tests. setting: in which position. acts: what a block that breaks it might do."""

    clause: str
    setting: str
    acts: frozenset[int]


class Why(NamedTuple):
    """What a transfer does and why. action: one of `rvtrace.models.ctr.rules`. suspects: most specific first.

    source, target: clauses of the two addresses in its record.
    """

    action: int
    suspects: tuple[Suspect, ...]
    source: str
    target: str

    def shown_by(self, what: str) -> tuple[Suspect, ...]:
        """The suspects that a read of the status ("count"), ctrsource or ctrtarget can show to be wrong."""
        if what == "count":
            pushes = self.action in PUSHED, self.action in (POP, FREEZE) and self.action
            return tuple(
                s
                for s in self.suspects
                if any((act in PUSHED, act in (POP, FREEZE) and act) != pushes for act in s.acts)
            )
        zero = NO_SOURCE if what == "ctrsource" else NO_TARGET
        return tuple(
            s
            for s in self.suspects
            if any(act in RECORDED and (act == zero) != (self.action == zero) for act in s.acts)
        )


class Reasons:
    """The whys of one implementation, kept for each setting of the control registers."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self._epochs: dict[tuple[int, int, int], dict[int, Why]] = {}
        self._frozen: dict[int, Why] = {}

    def epoch(self, ctl: int, vsctl: int, closed: int) -> dict[int, Why]:
        """The whys known for these registers, by `key`. closed: bit 0 mstateen0.CTR is 0, bit 1 hstateen0.CTR is 0."""
        return self._epochs.setdefault((ctl, vsctl, closed), {})

    def why(self, ctl: int, vsctl: int, closed: int, type_: int, from_: int, to: int, cause: int) -> Why:
        """The why of a transfer while FROZEN is 0."""
        epoch = self.epoch(ctl, vsctl, closed)
        k = key(type_, from_, to, cause)
        found = epoch.get(k)
        if found is None:
            found = why(self.config, ctl, vsctl, type_, from_, to, cause)
            if closed and found.action in RECORDED | {POP} and from_ != M:
                clause = (
                    "CTR.stateen.records" if closed & 1 else "CTR.stateen.hrecords" if from_ in VIRTUAL_MODES else ""
                )
                if clause:
                    found = found._replace(suspects=(Suspect(clause, "0", frozenset((NOTHING,))), *found.suspects))
            epoch[k] = found
        return found

    def frozen(self, as_if: Why) -> Why:
        """The why of a transfer while FROZEN is 1, which would else have been `as_if`."""
        found = self._frozen.get(as_if.action)
        if found is None:
            tested = (
                (Suspect("CTR.behavior.frozen", "1", frozenset((as_if.action,))),)
                if as_if.action not in (NOTHING, FREEZE)
                else ()
            )
            found = self._frozen[as_if.action] = Why(NOTHING, tested, as_if.source, as_if.target)
        return found


def key(type_: int, from_: int, to: int, cause: int) -> int:
    """One number for all that decides about a transfer but the registers."""
    return type_ | from_ << 4 | to << 7 | cause << 10


@lru_cache
def masks(variant: str) -> dict[str, int]:
    """Masks of a control register's fields by name."""
    return {f.name: f.mask for f in control_fields(variant)}


def why(config: Config, ctl: int, vsctl: int, type_: int, from_: int, to: int, cause: int) -> Why:
    """What this transfer does under these registers, and the clauses it tests."""
    asked = _Asked(config, ctl, vsctl, type_, from_, to, cause)
    action = asked.act(ctl, vsctl)
    found: dict[tuple[str, str], set[int]] = {}
    for clause, setting, act in _changes(asked, action):
        if act != action and {act, action} != _ALIKE:
            found.setdefault((clause, setting), set()).add(act)
    suspects = tuple(Suspect(clause, setting, frozenset(acts)) for (clause, setting), acts in found.items())
    source = "CTR.priv.trap_from_disabled" if action == NO_SOURCE else "CTR.source.pc"
    target = "CTR.target.not_taken" if type_ == 4 else "CTR.target.pc"
    if action == NO_TARGET:
        target = "CTR.priv.ret_to_disabled" if type_ == TRAP_RETURN else "CTR.ext.target0"
    return Why(action, suspects, source, target)


class _Asked:
    """One transfer, and the rules asked about it again and again."""

    def __init__(self, config: Config, ctl: int, vsctl: int, type_: int, from_: int, to: int, cause: int) -> None:
        self.config, self.ctl, self.vsctl = config, ctl, vsctl
        self.type, self.from_, self.to, self.cause = type_, from_, to, cause
        self.m = masks(config.variant)
        self.trap = type_ in (1, 2)
        self.virtual = from_ in VIRTUAL_MODES or to in VIRTUAL_MODES
        self.crosses = (from_ in VIRTUAL_MODES) != (to in VIRTUAL_MODES)
        rules = Rules(config, ctl, vsctl)
        self.before, self.after = rules.enabled(from_), rules.enabled(to)
        self.external = self.trap and self.before and not self.after

    def act(self, ctl: int, vsctl: int, **changed: int) -> int:
        """The action under these registers; `changed` replaces type_, from_, to or cause."""
        given = {"type_": self.type, "from_": self.from_, "to": self.to, "cause": self.cause} | changed
        return Rules(self.config, ctl, vsctl).action(**given)

    def ruling(self) -> int:
        """The register whose filters and RASEMU count."""
        return self.vsctl if self.virtual else self.ctl

    def with_ruling(self, value: int) -> int:
        """The action with another value in the ruling register."""
        return self.act(self.ctl, value) if self.virtual else self.act(value, self.vsctl)

    def mixed(self, bits: int) -> int:
        """The action with these bits of the other world's register."""
        if self.virtual:
            return self.act(self.ctl, self.vsctl & ~bits | self.ctl & bits)
        return self.act(self.ctl & ~bits | self.vsctl & bits, self.vsctl)

    def mode_bit(self, mode: int) -> int:
        """The enable bit of a mode, in its own register."""
        return self.m[{M: "M", HS: "S", U: "U", VS: "S", VU: "U"}[mode]]


_Change = tuple[str, str, int]


def _changes(a: _Asked, action: int) -> Iterator[_Change]:
    """(clause, setting, what a block would do that breaks it); those that make no difference are sorted out later."""
    if DEBUG in (a.from_, a.to):
        for mode in (M, HS):
            yield (
                "CTR.priv.debug",
                "",
                a.act(a.ctl, a.vsctl, from_=mode if a.from_ == DEBUG else a.from_, to=mode if a.to == DEBUG else a.to),
            )
        if a.to == DEBUG and (a.type, a.cause) == (1, BREAKPOINT) and a.act(a.ctl, a.vsctl, to=M) == FREEZE:
            yield "CTR.freeze.debug", "", FREEZE
        return
    if a.trap:
        yield from _freeze(a, action)
    if a.ruling() & a.m["RASEMU"]:
        yield from _emulation(a, action)
    elif not a.trap and a.type != TRAP_RETURN:
        yield "CTR.ras.enable", "0", a.with_ruling(a.ruling() | a.m["RASEMU"])
    if action != FREEZE and not a.ruling() & a.m["RASEMU"]:
        yield from _external(a, action)
        yield from _filters(a, action)
        yield from _transition(a, action)
    yield from _registers(a)
    yield from _modes(a)


def _freeze(a: _Asked, action: int) -> Iterator[_Change]:
    """Section Freeze."""
    bits = a.m["BPFRZ"] | a.m["LCOFIFRZ"]
    free = a.act(a.ctl & ~bits, a.vsctl & ~bits)
    name = {(1, BREAKPOINT): "BPFRZ", (2, LCOFI): "LCOFIFRZ"}.get((a.type, a.cause))
    if name is None:
        if (a.ctl | a.vsctl) & bits:
            yield "CTR.freeze.cause", "", FREEZE
        return
    if action == FREEZE:
        yield "CTR.freeze.self", "", free
    bit = a.m[name]
    mine, other = (a.vsctl, a.ctl) if (a.from_ in VIRTUAL_MODES if a.config.draft else a.to == VS) else (a.ctl, a.vsctl)
    if bool(mine & bit) != bool(other & bit):
        swapped = free if action == FREEZE else FREEZE
        if a.config.draft:
            yield "CTR.freeze.active", str(int(bool(mine & bit))), swapped
        else:
            yield (
                ("CTR.freeze.vs" if a.to == VS else "CTR.vtrans.freeze" if a.crosses else "CTR.freeze.target"),
                str(int(bool(mine & bit))),
                swapped,
            )
    clause = "CTR.freeze.bp" if name == "BPFRZ" else "CTR.freeze.lcofi"
    yield clause, str(int(action == FREEZE)), free if action == FREEZE else FREEZE


def _emulation(a: _Asked, action: int) -> Iterator[_Change]:
    """Section RAS Emulation Mode."""
    plain = a.with_ruling(a.ruling() & ~a.m["RASEMU"])
    if action == FREEZE:
        return
    if not a.before:
        return
    if action in (CALL, POP, OVERWRITE):
        yield "CTR.ras.enable", "1", plain
        if a.ruling() & ALL_FILTERS & 1 << FILTERS[a.type][0]:
            yield "CTR.ras.filters", a.type.__str__(), NOTHING
        if action == CALL:
            yield "CTR.ras.call", "", NOTHING
        if action == POP:
            yield "CTR.ras.return", "", NOTHING
            yield "CTR.ras.return", "", WHOLE
        if action == OVERWRITE:
            for act in (NOTHING, CALL, POP):
                yield "CTR.ras.swap", "", act
        return
    if a.external:
        yield "CTR.ras.te", "", plain
    yield "CTR.ras.inhibited", str(a.type), plain if plain in RECORDED else WHOLE


def _external(a: _Asked, action: int) -> Iterator[_Change]:
    """Section External Traps."""
    if not a.external:
        return
    if 1 << FILTERS[a.type][0] & a.ruling():
        yield (
            "CTR.ext.filters",
            "recorded" if action == NO_TARGET else "",
            NOTHING if action == NO_TARGET else NO_TARGET,
        )
    te = {M: a.ctl & a.m["MTE"], HS: a.ctl & a.m["STE"], VS: a.vsctl & a.m["STE"]}
    if a.config.draft:
        eten = a.ruling() & a.m["ETEN"]
        if not eten and not any(te.values()):
            yield "CTR.ext.default", "", NO_TARGET
        yield "CTR.ext.eten", str(int(bool(eten))), a.with_ruling(a.ruling() ^ a.m["ETEN"])
        if a.to in te:
            yield (
                {M: "CTR.ext.mte", HS: "CTR.ext.ste", VS: "CTR.ext.vste"}[a.to],
                str(int(bool(te[a.to]))),
                _with_te(a, (a.to,), not te[a.to]),
            )
        return
    needed = EXTERNAL.get((a.from_, a.to))
    if needed is None:
        return
    clause = f"CTR.ext.{PAIRS[a.from_, a.to]}"
    if not any(te.values()):
        yield "CTR.ext.default", "", NO_TARGET
    between = [mode for mode in needed if mode != a.to]
    if te[a.to] and between and not all(te[mode] for mode in between):
        yield "CTR.ext.between", "", NO_TARGET
    if a.crosses and bool(a.ctl & a.m["STE"]) != bool(a.vsctl & a.m["STE"]):
        yield (
            "CTR.vtrans.te",
            "",
            a.act(a.ctl & ~a.m["STE"] | a.vsctl & a.m["STE"], a.vsctl & ~a.m["STE"] | a.ctl & a.m["STE"]),
        )
    for mode in needed:
        yield clause, f"{mode}={int(bool(te[mode]))}", _with_te(a, (mode,), not te[mode])


def _with_te(a: _Asked, modes: tuple[int, ...], value: bool) -> int:
    """The action with these opt-ins given or not."""
    ctl, vsctl = a.ctl, a.vsctl
    for mode in modes:
        bit = a.m["MTE"] if mode == M else a.m["STE"]
        if mode == VS:
            vsctl = vsctl & ~bit | bit * value
        else:
            ctl = ctl & ~bit | bit * value
    return a.act(ctl, vsctl)


def _filters(a: _Asked, action: int) -> Iterator[_Change]:
    """Section Transfer Type Filtering."""
    if a.type not in FILTERS:
        return
    bit, name = FILTERS[a.type]
    if not a.ruling() & ALL_FILTERS:
        yield "CTR.filter.default", str(a.type), NOTHING if action in RECORDED else WHOLE if a.before else NOTHING
    yield f"CTR.filter.{name}", str(a.ruling() >> bit & 1), a.with_ruling(a.ruling() ^ 1 << bit)


def _transition(a: _Asked, action: int) -> Iterator[_Change]:
    """Section Privilege Mode Transitions: what a block would do instead, if the filters let it."""
    if not (a.trap or a.type == TRAP_RETURN):
        return
    open_ = a.ruling() & ~(1 << FILTERS[a.type][0])
    if a.with_ruling(open_) != action:  # a filter decides, not the table
        return
    if a.trap:
        name, acts = {
            (True, True): ("trap_enabled", (NOTHING, NO_SOURCE, NO_TARGET)),
            (False, True): ("trap_from_disabled", (NOTHING, WHOLE)),
            (True, False): ("trap_to_disabled", (WHOLE,)),
            (False, False): ("trap_disabled", (WHOLE, NO_SOURCE, NO_TARGET)),
        }[a.before, a.after]
    else:
        name, acts = {
            (True, True): ("ret_enabled", (NOTHING, NO_SOURCE, NO_TARGET)),
            (True, False): ("ret_to_disabled", (NOTHING, WHOLE)),
            (False, True): ("ret_from_disabled", (WHOLE, NO_SOURCE)),
            (False, False): ("ret_disabled", (WHOLE, NO_SOURCE, NO_TARGET)),
        }[a.before, a.after]
    for act in acts:
        yield f"CTR.priv.{name}", "", act


def _registers(a: _Asked) -> Iterator[_Change]:
    """Which register rules: on virtualization mode transitions, and the active one elsewhere."""
    others = ALL_FILTERS | a.m["RASEMU"] | (a.m["ETEN"] if a.config.draft else 0)
    if a.crosses:
        yield ("CTR.csr.active" if a.config.draft else "CTR.vtrans.others"), "across", a.mixed(others)
        modes = a.m["S"] | a.m["U"]
        clause = "CTR.csr.active" if a.config.draft else "CTR.vtrans.enables"
        way = "trap" if a.trap else "return"
        yield clause, f"guest, {way}", a.act(a.ctl, a.vsctl & ~modes | a.ctl & modes)
        yield clause, f"host, {way}", a.act(a.ctl & ~modes | a.vsctl & modes, a.vsctl)
    else:
        yield "CTR.csr.active", str(int(a.virtual)), a.mixed(others | a.m["S"] | a.m["U"])


def _modes(a: _Asked) -> Iterator[_Change]:
    """The enable bit of each mode that takes part."""
    for mode in dict.fromkeys((a.from_, a.to)):
        bit, virtual = a.mode_bit(mode), mode in VIRTUAL_MODES
        held = a.vsctl if virtual else a.ctl
        flipped = a.act(a.ctl, a.vsctl ^ bit) if virtual else a.act(a.ctl ^ bit, a.vsctl)
        yield MODE_CLAUSE[mode], str(int(bool(held & bit))), flipped


assert {SWAP, RETURN} <= set(FILTERS)
