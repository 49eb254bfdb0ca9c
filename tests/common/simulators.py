# SPDX-License-Identifier: Apache-2.0
"""Which simulator plays a run of a test.

`make test` compiles few simulations with Verilator: `COMPILED`, of each system the implementations on which most is
run. What is small is simulated by Icarus, which reads a design in a second; the scenarios, the checks and what they
demand are the same. So are the results: tests/ntrace/test_sim_guards.py plays one seed on both. Where there is no
Icarus all of it is on Verilator, and with SIM=icarus all of it is on Icarus.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from rvtrace.flow import simulators
from rvtrace.flow.jobs import build_of
from rvtrace.flow.simulators import SimulatorError
from rvtrace.tb.common.builds import BuildConfig
from rvtrace.tb.common.job import Job
from rvtrace.tb.ctr.stimulus.builds import DEFAULT as CTR
from rvtrace.tb.ctr.stimulus.scenarios.base import CC3
from rvtrace.tb.etrace.stimulus.scenarios.base import COUNTER, FOUR, SMALL, TWO
from rvtrace.tb.hpm.stimulus.builds import DEFAULT as HPM
from rvtrace.tb.loop.stimulus.scenarios import BUILDS as LOOP
from rvtrace.tb.ntrace.stimulus.scenarios.base import SMALL as SMALL_NTRACE
from rvtrace.tb.subsystem.stimulus.builds import DEFAULT, RV32
from rvtrace.tb.tandem.stimulus.builds import RV32 as TANDEM
from rvtrace.tb.tci.job import TciJob

MOST = 25  # builds of Verilator in all of `make test`
# What else they are: foreign devices in a dialect that only Verilator reads (tests/*/test_sim_foreign.py,
# tests/hpm/test_sim_cores.py), an assertion that fails (tests/ntrace/test_sim_guards.py), and a waveform
# (tests/flow/test_waves.py).
OTHERS = ("gannet", "quay_ctr", "skua", "basalt", "ibex_counters", "cv32e40p_counters", "assertion", "waveform")

_COUNTS = {"bcount_bits": 16}
COMPILED: dict[str, tuple[dict[str, Any], ...]] = {
    "ntrace": ({}, SMALL_NTRACE),  # one block, and two with small counters
    "etrace": (_COUNTS, _COUNTS | TWO, _COUNTS | FOUR, SMALL, _COUNTS | COUNTER),
    "tandem": (TANDEM,),
    "ctr": (CTR, CC3),  # millions of cycles are counted on the last
    "hpm": (HPM,),  # and of SBI PMU
    "loop": LOOP,
    "subsystem": (DEFAULT, RV32),
}


def icarus_or(sim: str) -> str:
    """Icarus, where it is there."""
    try:
        return simulators.find("icarus").name
    except SimulatorError:
        return sim


@cache
def compiled() -> frozenset[BuildConfig]:
    """The builds of `COMPILED`, and those of the trace system."""
    jobs = [Job("any", "random", dict(options), ip=ip) for ip, all_ in COMPILED.items() for options in all_]
    trace_systems = [TciJob("any", "tci:options", {}, ip=ip) for ip in ("ntrace", "etrace")]
    return frozenset(map(build_of, [*jobs, *trace_systems]))


def by_simulator(jobs: Iterable[Job], sim: str) -> dict[str, list[Job]]:
    """The jobs of each simulator, in their order."""
    found: dict[str, list[Job]] = {}
    for job in jobs:
        small = sim == "verilator" and build_of(job) not in compiled()
        found.setdefault(icarus_or(sim) if small else sim, []).append(job)
    return found
