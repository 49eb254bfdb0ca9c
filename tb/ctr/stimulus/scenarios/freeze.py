# SPDX-License-Identifier: Apache-2.0
"""CTR scenarios of freeze: breakpoints and counter overflows that trap anywhere, software settings, what follows."""

from __future__ import annotations

from itertools import product

from rvtrace.models.riscv.csr import HS, VS, VU, M, U
from rvtrace.tb.ctr.stimulus.scenarios.base import ALL, CC2, DEFAULT, DRAFT64, ScenarioScript, modes, scenario
from rvtrace.tb.ctr.stimulus.scenarios.modes import TRAPS, enable, there

EVENTS = (("BPFRZ", 1, 3), ("LCOFIFRZ", 2, 13))


@scenario("CTR.freeze.bp", "CTR.freeze.lcofi", "CTR.freeze.self", "CTR.freeze.vs", "CTR.freeze.target",
          "CTR.vtrans.freeze", "CTR.freeze.active", "CTR.behavior.frozen", "CTR.freeze.until", "CTR.status.frozen",
          "CTR-5", configs=ALL)  # fmt: skip
def freezing_traps(s: ScenarioScript) -> None:
    """Breakpoints and overflow interrupts between all modes, with the freeze bit in either register; transfers after
    them, and after FROZEN is cleared.
    """
    for (name, type_, cause), (from_, to) in product(EVENTS, [pair for pair in TRAPS if there(s, *pair)]):
        for in_ctl, in_vsctl in product((0, 1), repeat=2):
            enable(s, *modes(s), ctl=(name,) * in_ctl, vsctl=(name,) * in_vsctl)
            s.go(9, from_)
            s.go(type_, from_, to, cause)
            s.look(2)
            s.go(11, to)
            s.go(13, to)
            s.look(3)
            s.thaw()
            s.go(8, to)
            s.look(2)


@scenario("CTR.freeze.cause", configs=ALL)
def other_causes(s: ScenarioScript) -> None:
    """Traps with every other cause, and with the causes of the other kind of trap, freeze nothing."""
    enable(s, *modes(s), ctl=("BPFRZ", "LCOFIFRZ"), vsctl=("BPFRZ", "LCOFIFRZ"))
    for type_, freezing in ((1, 3), (2, 13)):
        for cause in (*range(16), 3 | 1 << 7, 13 | 1 << 4, 255):
            if cause != freezing:
                s.go(type_, U, M, cause)
        s.look(16)
        s.go(type_, U, M, freezing)
        s.look(1)
        s.thaw()
        if there(s, VS):
            for cause in (1, 3, 13, 12):
                if cause != freezing:
                    s.go(type_, VU, VS, cause)
            s.look(4)


@scenario("CTR.freeze.bp", "CTR.freeze.lcofi", "CTR.freeze.self", configs=(DEFAULT, DRAFT64))
def frozen_in_disabled_modes(s: ScenarioScript) -> None:
    """A breakpoint freezes though neither mode is enabled; one that was frozen already changes nothing."""
    for (name, type_, cause), on in product(EVENTS, ((), (M,), (U,))):
        enable(s, *on, ctl=(name,))
        s.go(type_, U, M, cause)
        s.look(1)
        s.go(type_, U, M, cause)
        s.look(1)
        s.thaw()
        s.go(9, M)
        s.look(2)


@scenario("CTR.behavior.frozen", "CTR.status.frozen", "CTR.freeze.until", configs=ALL)
def frozen_by_software(s: ScenarioScript) -> None:
    """Software sets FROZEN, from every mode that may, and clears it again."""
    flag = 1 << (15 if s.config.draft else 31)
    enable(s, *modes(s))
    for mode in (m for m in (M, HS, VS) if m in modes(s)):
        name = s.status if mode == M else "sctrstatus"
        for type_ in (5, 9, 11):
            s.go(type_, M)
        s.set(name, flag, mode)
        for type_ in (9, 13, 11, 5):
            s.go(type_, U)
        s.look(4)
        s.clear(name, flag, mode)
        s.go(10, U)
        s.look(4)


@scenario("CTR.freeze.bp", "CTR.freeze.self", "CTR-13", configs=(DEFAULT, CC2, DRAFT64))
def freeze_within_a_group(s: ScenarioScript) -> None:
    """The trap that freezes retires with transfers before and after it; FROZEN is cleared in its cycle, and set in
    that of others.
    """
    flag = 1 << (15 if s.config.draft else 31)
    for place in range(s.config.transfers):
        enable(s, *modes(s), ctl=("BPFRZ",))
        before = [s.make(9, U) for _ in range(place)]
        after = [s.make(11, M) for _ in range(s.config.transfers - place - 1)]
        s.together([*before, s.make(1, U, M, 3), *after])
        s.look(4)
        s.thaw()
        s.together([s.make(1, U, M, 3)], s.access(3, s.status, flag, M))
        s.go(11, M)
        s.look(2)
        s.together([s.make(5, U) for _ in range(place + 1)], s.access(2, s.status, flag, M))
        s.go(11, M)
        s.look(4)
        s.thaw()


@scenario("CTR.freeze.bp", "CTR.ras.enable", configs=(DEFAULT, DRAFT64))
def freeze_in_emulation(s: ScenarioScript) -> None:
    """Breakpoints freeze in RAS emulation, too; calls and returns after them do nothing."""
    enable(s, *modes(s), ctl=("BPFRZ", "RASEMU"), vsctl=("BPFRZ", "RASEMU"))
    for from_, to in (pair for pair in ((U, HS), (VU, VS), (VS, M), (U, M)) if there(s, *pair)):
        s.go(9, from_)
        s.go(8, from_)
        s.go(1, from_, to, 3)
        s.go(13, to)
        s.go(9, to)
        s.look(3)
        s.thaw()
        s.go(13, to)
        s.look(3)
