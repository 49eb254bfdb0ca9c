# SPDX-License-Identifier: Apache-2.0
"""System scenarios about the registers themselves."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from rvtrace.tb.tci.job import TciJob
from rvtrace.tb.tci.stimulus import registers
from rvtrace.tb.tci.stimulus.scenarios.base import BOTH, TciStimulus, scenario

if TYPE_CHECKING:
    from rvtrace.tb.tci.stimulus.session import Session


@scenario(
    "TCI.reg.reset",
    "TCI.reg.ro",
    "TCI.reg.rw",
    "TCI.reg.warl",
    "TCI.reg.reserved",
    "TCI.reg.unimplemented",
    "TCI.reg.inactive",
    ips=BOTH,
)
def register_traffic(job: TciJob, rng: random.Random) -> TciStimulus:
    """Every register of every component: reset values, all bits, illegal values, neighbours, inactive components."""

    async def run(s: Session) -> None:
        await s.steps(registers.program(job.params, rng))

    return TciStimulus([], run)
