# SPDX-License-Identifier: Apache-2.0
"""CTR scenarios of what is recorded within a mode: every type, every filter, every mode."""

from __future__ import annotations

from rvtrace.models.riscv.csr import VS, VU
from rvtrace.scoreboards.ctr.reasons import FILTERS
from rvtrace.tb.ctr.stimulus.scenarios.base import ALL, ScenarioScript, modes, scenario

JUMPS = (4, 5, 8, 9, 10, 11, 12, 13, 14, 15)


@scenario(
    "CTR.filter.default",
    "CTR.data.type",
    "CTR.source.pc",
    "CTR.target.pc",
    "CTR.target.misp",
    "CTR.source.v",
    "CTR.behavior.push",
    configs=ALL,
)
def every_type(s: ScenarioScript) -> None:
    """Every type in every mode, all recorded, predicted right and wrong."""
    for more in ((), ("NTBREN",)):
        s.machine("M", "S", "U", *more)
        s.guest("S", "U", *more)
        for mode in modes(s):
            for misp in (0, 1):
                for type_ in JUMPS:
                    s.go(type_, mode, misp=misp)
                s.look(10)


@scenario(*(f"CTR.filter.{name}" for type_, (_, name) in FILTERS.items() if type_ in JUMPS), configs=ALL)
def filters(s: ScenarioScript) -> None:
    """Each filter alone and all but one, each type below it, in every mode."""
    for mode in modes(s):
        write, names = (s.guest, ("S", "U")) if mode in (VS, VU) else (s.machine, ("M", "S", "U"))
        every = sum(1 << bit for bit, _ in FILTERS.values())
        for bit in (bit for bit, _ in FILTERS.values()):
            for value in (1 << bit, every & ~(1 << bit)):
                write(*names, value & s.config.fields)
                for type_ in JUMPS:
                    s.go(type_, mode)
                s.look(10)
