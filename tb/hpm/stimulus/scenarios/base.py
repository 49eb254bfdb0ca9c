# SPDX-License-Identifier: Apache-2.0
"""What the directed counter scenarios are made of: their registry, and a script that programs counters and makes
everything happen.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from rvtrace.models.hpm.config import FIRST, LAST, Config
from rvtrace.models.hpm.events import CYCLES, FIRST_EVENT, RETIRED
from rvtrace.models.riscv.csr import DEBUG, HS, VS, VU, Access, M, U
from rvtrace.tb.common.stimulus.scenario import Configs, Scenarios, scripted
from rvtrace.tb.hpm.stimulus.builds import DEFAULT, GUEST, LACKING, PLAIN, RV32, USER
from rvtrace.tb.hpm.stimulus.script import LCOFI, OF, Script

__all__ = [
    "ALL",
    "CALM",
    "DEFAULT",
    "EACH",
    "GUEST",
    "LCOFI",
    "OF",
    "OVERFLOW",
    "PLAIN",
    "RV32",
    "SCENARIOS",
    "USER",
    "VIRTUAL",
    "WIDE",
    "ScenarioScript",
    "scenario",
]

ALL: Configs = (DEFAULT, RV32, PLAIN, USER, GUEST)
EACH: Configs = (*ALL, *LACKING)
OVERFLOW: Configs = (DEFAULT, RV32, USER, GUEST)  # with Sscofpmf
VIRTUAL: Configs = (DEFAULT, RV32, GUEST)  # with H
WIDE: Configs = (DEFAULT, PLAIN, GUEST)  # RV64
CALM = 8  # cycles without events: more than tolerance latency lets a count be late


class ScenarioScript(Script):
    """A script; it begins with everything open, delegated and counting, unless it is fresh.

    numbers: the programmable counters. modes: those there are, Debug Mode excluded.
    """

    def __init__(self, config: Config, rng: Random | None = None, fresh: bool = False) -> None:
        super().__init__(config)
        self.rng = rng or Random(0)
        self.numbers = [n for n in range(FIRST, LAST + 1) if config.has(n)]
        self.modes = (
            M,
            *((HS,) if config.has_s else ()),
            *((U,) if config.has_u else ()),
            *((VS, VU) if config.has_h else ()),
        )
        self.most = (1 << config.event_bits) - 1
        if not fresh:
            self.time = self.rng.getrandbits(63)
            self.open()
            for name in ("mideleg", "hideleg", "mie"):
                self.put_in(name, LCOFI)

    def put_in(self, name: str, value: int, **more: Any) -> None:
        """Write a register in M-mode, if there is one of that name."""
        if name in self.there:
            self.whole(name, value) if not more else self.write(name, value, M, **more)

    # --- Counters -----------------------------------------------------------------------------------

    def known(self, n: int) -> list[int]:
        """What a counter can count."""
        return [e for e in range(1, FIRST_EVENT + self.config.events) if self.config.selectors[n] >> e & 1]

    def selector(self, n: int, k: int = 0) -> int:
        """An event that a counter can count: the k-th, of those of the outside if it has any; 0 if it can count
        nothing.
        """
        if n < FIRST:
            return CYCLES if n == 0 else RETIRED
        some = [e for e in self.known(n) if e >= FIRST_EVENT] or self.known(n) or [0]
        return some[k % len(some)]

    def program(self, *numbers: int, of: int = 0) -> None:
        """Counters count their own event."""
        for n in numbers or self.numbers:
            if n >= FIRST:
                self.count(n, self.selector(n, n), of=of)

    def cause(self, n: int, number: int = 1, access: Access | None = None, **more: Any) -> None:
        """A cycle in which what `program` chose for a counter happens so often (of cycles and instructions as often as
        it can).
        """
        selector = self.selector(n, n)
        if selector == RETIRED:
            self.step(access, min(number, self.config.retired), **more)
        elif selector < FIRST_EVENT:
            self.step(access, **more)
        else:
            self.step(access, events={selector: min(number, self.most)}, **more)

    def everything(self, access: Access | None = None, number: int | None = None) -> None:
        """A cycle in which everything happens, as often as it can, or so often."""
        events: Mapping[int, int] = {
            FIRST_EVENT + k: min(number or self.most, self.most) for k in range(self.config.events)
        }
        self.step(access, min(number or self.config.retired, self.config.retired), events)

    def everyone(self) -> tuple[int, ...]:
        """All modes and Debug Mode."""
        return (*self.modes, DEBUG)

    def near(self, n: int, below: int = 1) -> None:
        """A counter is so many counts before its wrap, its OF and LCOFIP are 0, it counts its own event."""
        self.program(n)
        self.write("mip", 0, M)
        self.preset(n, -below)

    def seen(self, *numbers: int) -> None:
        """M-mode reads counters, their OF bits and LCOFIP."""
        self.at(M)
        self.look_at(*numbers)
        if "scountovf" in self.there:
            self.read("scountovf", M)


SCENARIOS = Scenarios(script=scripted(ScenarioScript))
scenario = SCENARIOS.scenario
