# SPDX-License-Identifier: Apache-2.0
"""CTR scenarios of modes: enables, traps and returns between them, virtualization mode transitions, external traps,
Debug Mode.
"""

from __future__ import annotations

from itertools import product

from rvtrace.models.riscv.csr import DEBUG, HS, VS, VU, M, U
from rvtrace.tb.ctr.stimulus.scenarios.base import (
    ALL,
    CC0,
    CC2,
    DEFAULT,
    DRAFT32,
    DRAFT64,
    LEAN,
    ScenarioScript,
    modes,
    scenario,
)

TRAPS = ((U, HS), (U, M), (HS, HS), (HS, M), (M, M), (VU, VS), (VU, HS), (VU, M), (VS, VS), (VS, HS), (VS, M))
RETURNS = tuple((to, from_) for from_, to in TRAPS if from_ != to) + ((M, M), (HS, HS), (VS, VS))
TE = ("MTE", "STE")
NAMES = {M: "M", HS: "S", U: "U", VS: "S", VU: "U"}
FULL = (DEFAULT, CC2, CC0, DRAFT64, DRAFT32)


def there(s: ScenarioScript, *pair: int) -> bool:
    """Whether the implementation has these modes."""
    return set(pair) <= set(modes(s))


def enable(s: ScenarioScript, *on: int, ctl: tuple[str | int, ...] = (), vsctl: tuple[str | int, ...] = ()) -> None:
    """Write both control registers so that these modes are enabled, with more fields in each."""
    s.machine(*(NAMES[mode] for mode in on if mode not in (VS, VU)), *ctl)
    s.guest(*(NAMES[mode] for mode in on if mode in (VS, VU)), *vsctl)


@scenario("CTR.ctl.m", "CTR.ctl.s", "CTR.ctl.u", "CTR.vsctl.s", "CTR.vsctl.u", "CTR.csr.active", configs=ALL)
def mode_enables(s: ScenarioScript) -> None:
    """Each mode enabled alone and all but one; a jump in each."""
    for number in range(1 << len(modes(s))):
        enable(s, *(mode for index, mode in enumerate(modes(s)) if number >> index & 1))
        for mode in modes(s):
            s.go(11, mode)
        s.look(len(modes(s)))


@scenario("CTR.priv.trap_enabled", "CTR.priv.trap_from_disabled", "CTR.priv.trap_to_disabled", "CTR.priv.trap_disabled",
          "CTR.priv.ret_enabled", "CTR.priv.ret_to_disabled", "CTR.priv.ret_from_disabled", "CTR.priv.ret_disabled",
          "CTR.ext.default", "CTR-6", configs=ALL)  # fmt: skip
def transitions(s: ScenarioScript) -> None:
    """Every trap and every return from a trap, with both, one and neither mode enabled."""
    for pairs, types in ((TRAPS, (1, 2)), (RETURNS, (3,))):
        for from_, to in (pair for pair in pairs if there(s, *pair)):
            for on in ((), (from_,), (to,), (from_, to)):
                enable(s, *dict.fromkeys(on))
                for type_ in types:
                    s.go(type_, from_, to, cause=8)
                s.go(11, to)
                s.look(3)


@scenario("CTR.filter.excinh", "CTR.filter.intrinh", "CTR.filter.tretinh", "CTR.vtrans.others", "CTR-3", configs=FULL)
def filtered_transitions(s: ScenarioScript) -> None:
    """Traps and returns with their filters in one register, the other, both and neither."""
    filters = ("EXCINH", "INTRINH", "TRETINH")
    for chosen in (filters, *((name,) for name in filters)):
        for in_ctl, in_vsctl in product((0, 1), repeat=2):
            enable(s, *modes(s), ctl=chosen * in_ctl, vsctl=chosen * in_vsctl)
            for pairs, types in ((TRAPS, (1, 2)), (RETURNS, (3,))):
                for from_, to in (pair for pair in pairs if there(s, *pair)):
                    for type_ in types:
                        s.go(type_, from_, to, cause=8)
                    s.look(2)


@scenario("CTR.vtrans.enables", "CTR-3", configs=(DEFAULT, CC2), needs=("has_h",))
def virtual_transitions(s: ScenarioScript) -> None:
    """Traps and returns between V = 0 and V = 1, each mode enabled only in its own register, or only in the other."""
    pairs = [(pair, types) for group, types in ((TRAPS, (1, 2)), (RETURNS, (3,))) for pair in group]
    for ctl, vsctl in product((("S",), ("U",), ("M", "S"), ("M", "S", "U")), (("S",), ("U",), ("S", "U"), ())):
        s.machine(*ctl)
        s.guest(*vsctl)
        for (from_, to), types in pairs:
            if (from_ in (VS, VU)) != (to in (VS, VU)) and there(s, from_, to):
                for type_ in types:
                    s.go(type_, from_, to, cause=9)
                s.look(2)


@scenario("CTR.csr.active", configs=(DEFAULT, CC2, DRAFT64))
def two_worlds(s: ScenarioScript) -> None:
    """What one register inhibits the other lets through: jumps with V = 0 and with V = 1."""
    names = ("TKBRINH", "DIRCALLINH", "RETINH")
    for ctl, vsctl in (
        (names, ()),
        ((), names),
        (("NTBREN",), ()),
        ((), ("NTBREN",)),
        (("RASEMU",), ()),
        ((), ("RASEMU",)),
    ):
        enable(s, *modes(s), ctl=ctl, vsctl=vsctl)
        for mode in modes(s):
            for type_ in (4, 5, 9, 9, 13, 11):
                s.go(type_, mode)
            s.look(6)


@scenario("CTR.ext.us", "CTR.ext.um", "CTR.ext.sm", "CTR.ext.vuvs", "CTR.ext.vuhs", "CTR.ext.vum", "CTR.ext.vshs",
          "CTR.ext.vsm", "CTR.ext.between", "CTR.ext.filters", "CTR.ext.target0", "CTR.vtrans.te", "CTR.ext.default",
          "CTR-4", configs=(DEFAULT, CC2, CC0))  # fmt: skip
def external_traps(s: ScenarioScript) -> None:
    """The table of external traps: every combination of opt-ins, with and without the filters of traps in either
    register.
    """
    for from_, to in (pair for pair in TRAPS if pair[0] != pair[1] and there(s, *pair)):
        for mte, ste, vste, filtered in product((0, 1), (0, 1), (0, 1), (0, 1, 2, 3)):
            inhibit = ("EXCINH", "INTRINH")
            enable(
                s,
                from_,
                ctl=TE[:mte] + TE[1:] * ste + inhibit * (filtered & 1),
                vsctl=TE[1:] * vste + inhibit * (filtered >> 1),
            )
            for type_ in (1, 2):
                s.go(type_, from_, to, cause=8)
            s.look(2)


@scenario("CTR.ext.eten", "CTR.ext.mte", "CTR.ext.ste", "CTR.ext.vste", "CTR.ext.filters", "CTR.ext.target0",
          "CTR.ext.default", "CTR-16", configs=(DRAFT64, DRAFT32))  # fmt: skip
def external_traps_draft(s: ScenarioScript) -> None:
    """External traps of the draft: ETEN in either register, each opt-in, and the trap filters, which have no effect."""
    inhibit = ("EXCINH", "INTRINH")
    for from_, to in (pair for pair in TRAPS if pair[0] != pair[1] and there(s, *pair)):
        for mte, ste, vste, eten, filtered in product((0, 1), (0, 1), (0, 1), (0, 1, 2, 3), (0, 1)):
            enable(s, from_, ctl=TE[:mte] + TE[1:] * ste + ("ETEN",) * (eten & 1) + inhibit * filtered,
                   vsctl=TE[1:] * vste + ("ETEN",) * (eten >> 1) + inhibit * filtered)  # fmt: skip
            for type_ in (1, 2):
                s.go(type_, from_, to, cause=8)
            s.look(2)


@scenario("CTR.priv.debug", "CTR.freeze.debug", "CTR-15", configs=ALL)
def debug_mode(s: ScenarioScript) -> None:
    """Debug Mode entered from every mode and left again, with freeze on breakpoints on and off."""
    for freeze in ((), ("BPFRZ",)):
        enable(s, *modes(s), ctl=(*freeze, "MTE", "STE"), vsctl=(*freeze, "STE"))
        for mode in modes(s):
            s.go(11, mode)
            s.go(1, mode, DEBUG, cause=3)
            s.idle(5)
            s.go(3, DEBUG, mode)
            s.go(9, mode)
            s.look(3)


@scenario("CTR.cycle.active", configs=(LEAN, DEFAULT, DRAFT32))
def stopped(s: ScenarioScript) -> None:
    """A hart that waits in Debug Mode and in disabled modes, between records."""
    enable(s, M)
    for mode in (DEBUG, U, M):
        s.go(11, M)
        s.at(mode)
        s.idle(30)
        s.go(11, M)
        s.look(2)
