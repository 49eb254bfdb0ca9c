# SPDX-License-Identifier: Apache-2.0
"""What the mode of the hart decides: which counters count, which register rules a record, what an access gives."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import numpy as np

from rvtrace.jobs.job import Job
from rvtrace.models.ctr.config import Config as CtrConfig
from rvtrace.models.ctr.records import BREAKPOINT, LCOFI
from rvtrace.models.ctr.registers import CSRIND_BIT, CTR_BIT
from rvtrace.models.ctr.registers import csr as ctr_csr
from rvtrace.models.hpm.registers import csr as hpm_csr
from rvtrace.models.riscv.csr import CLEAR, HS, READ, SET, VS, VU, WRITE, Access, M, U
from rvtrace.models.riscv.retired import Kind, Retired
from rvtrace.models.subsystem.config import ALL_MODES, COUNTERS, Config
from rvtrace.tb.subsystem.agents.files import HALTED, HartRows
from rvtrace.tb.subsystem.stimulus.builds import DEFAULT, DUAL, LEAN, RV32
from rvtrace.tb.subsystem.stimulus.scenarios.base import BOTH, FLOW, scenario, stimulus_of, walk
from rvtrace.tb.subsystem.stimulus.walks import SubsystemStimulus, walked

_CYCLES: dict[str, Any] = {"events": "1,1,1,1,1,2,external0,0", "inhibit": "M,S,U,VS,VU,M+VU,S+U,M"}
_EVENTS: dict[str, Any] = {
    "events": "branch,call,exception,load,store,mispredict,external1,1",
    "inhibit": "M,S+VS,U+VU,S,M+U,VS,M+VU,M+S+U+VS",
}
_BITS = {name: CtrConfig().bit(name) for name in (*ALL_MODES, "BPFRZ", "LCOFIFRZ", "RETINH", "STE")}
_EVERY, _VIRTUAL = sum(_BITS[name] for name in ALL_MODES), _BITS["S"] | _BITS["U"]
_BELOW = (U, HS, VU, VS)
_ENVIRONMENT = (3, 8, 9, 10, 11)  # causes of ebreak and ecall
_ASKED = 60  # accesses after each stretch
_NOTHING_THERE = (0x7C0, 0x800, 0x5A8, 0xFC0)  # addresses that neither counters nor records have


@scenario("SUB.count.inhibit", "SUB.modes.hart", gaps=40,
          configs=tuple({**build, **what} for build, what in (
              (DEFAULT, _CYCLES), (DEFAULT, _EVENTS), (RV32, _CYCLES), (RV32, _EVENTS), (DUAL, _CYCLES),
              (LEAN, _EVENTS),
          )))  # fmt: skip
def inhibited_modes(job: Job, config: Config, rng: Random) -> SubsystemStimulus:
    """Counters that do not count in some modes, while traps and returns from them go through all of them."""
    return walk(job, config, rng, 900, trap=0.05, trap_at_target=0.1, switch=0.6, nest=6)


@scenario("SUB.ctr.freeze", "SUB.ctr.entries",
          configs=({"ctr_ctl": _EVERY | _BITS["BPFRZ"]}, {**RV32, "ctr_ctl": _EVERY | _BITS["LCOFIFRZ"]},
                   {**DUAL, "ctr_vsctl": _VIRTUAL | _BITS["BPFRZ"]},
                   {"ctr_ctl": _EVERY | _BITS["BPFRZ"] | _BITS["LCOFIFRZ"], "ctr_vsctl": _VIRTUAL}))  # fmt: skip
def frozen_records(job: Job, config: Config, rng: Random) -> SubsystemStimulus:
    """A breakpoint or a counter overflow interrupt freezes the records; traps with other causes do not."""
    program, retired = walked(config, rng, 1500, trap=0.05, trap_at_target=0.1, switch=0.6, nest=6)
    return stimulus_of(job, config, program, _with_causes(retired, rng))


def _with_causes(retired: Retired, rng: Random) -> Retired:
    """In the second half, a breakpoint and a counter overflow interrupt to VS-mode and one each to another mode."""
    to = np.append(retired.priv[1:], retired.priv[-1:])
    later = np.arange(len(retired)) > len(retired) // 2
    for kind, cause in ((Kind.EXCEPTION, BREAKPOINT), (Kind.INTERRUPT, LCOFI)):
        traps = later & (retired.kind == kind) & ~np.isin(retired.cause, _ENVIRONMENT)
        for mask in (traps & (to == VS), traps & (to != VS)):
            if mask.any():
                retired.cause[rng.choice(np.flatnonzero(mask).tolist())] = cause
    return retired


@scenario("SUB.ctr.entries", "SUB.modes.hart",
          configs=({"ctr_vsctl": _BITS["U"], "ctr_ctl": _EVERY}, {**RV32, "ctr_vsctl": _BITS["S"]},
                   {**DUAL, "ctr_vsctl": _VIRTUAL | _BITS["RETINH"]}))  # fmt: skip
def virtual_records(job: Job, config: Config, rng: Random) -> SubsystemStimulus:
    """VS-mode and VU-mode are recorded by other rules than the others, and the hart goes through all of them."""
    return walk(job, config, rng, 1500, trap=0.05, trap_at_target=0.1, switch=0.6, nest=6)


@scenario(*FLOW, "SUB.count.inhibit", "SUB.ctr.cycles",
          configs=tuple({**build, **_CYCLES} for build in (*BOTH, DUAL)))  # fmt: skip
def halts(job: Job, config: Config, rng: Random) -> SubsystemStimulus:
    """The hart halts between instructions and goes on: in Debug Mode nothing is counted or recorded."""
    what = walk(job, config, rng, 600, trap=0.05, switch=0.6, nest=6)
    return replace(what, stretches=[_halting(stretch, rng) for stretch in what.stretches])


def _halting(hart: HartRows, rng: Random) -> HartRows:
    """Some beats are preceded by a time in which the hart is halted, after the first instruction of the stretch: a hart
    that halts before any has nothing to stop.
    """
    n, reported = len(hart), np.flatnonzero(hart.reported["reported"])
    first = int(hart.rows.cycle[reported[0]]) + 1 if len(reported) else n
    halts = np.zeros(n, bool)
    if n > first:
        halts[[rng.randrange(first, n) for _ in range(4)]] = True
    place = np.arange(n) + np.cumsum(halts)
    gap, levels = np.zeros(n + int(halts.sum()), np.uint64), np.full(n + int(halts.sum()), HALTED, np.uint32)
    gap[place], levels[place] = hart.gap, hart.levels
    gap[place[halts]] += np.array([rng.randrange(1, 40) for _ in range(int(halts.sum()))], np.uint64)
    rows = hart.rows.select(slice(None))
    rows.cycle = place[rows.cycle.astype(np.int64)].astype(np.uint64)
    return HartRows(rows, hart.reported, gap, levels)


@scenario("SUB.csr", "SUB.ctr.entries", "SUB.count.instret", configs=(*BOTH, DUAL, LEAN))
def accesses_of_all_modes(job: Job, config: Config, rng: Random) -> SubsystemStimulus:
    """Every mode accesses counters and records, while M-mode opens and closes them: done, illegal and virtual
    instruction.
    """
    what = walk(job, config, rng, 300)
    return replace(what, asks=[_asks(config, rng) for _ in range(8)])


def _asks(config: Config, rng: Random) -> list[Access]:
    """Accesses of all modes, and what they depend on; at the end everything is open again."""
    half = "h" if config.xlen == 32 else ""
    gates = {name: ctr_csr(f"{name}{half}", config.ctr).address for name in ("mstateen0", "hstateen0")}
    bits = [1 << bit >> (32 if half else 0) for bit in (CSRIND_BIT, CTR_BIT["v1_0"])]
    enables = [hpm_csr(name, config.hpm).address for name in ("mcounteren", "scounteren", "hcounteren")]
    views = [hpm_csr(name, config.hpm).address for name in ("cycle", "instret", "time", "hpmcounter3", "scountovf")]
    views += [hpm_csr(f"hpmcounter{COUNTERS[-1]}", config.hpm).address, hpm_csr("cycleh", config.hpm).address]
    inner = ("sctrctl", "vsctrctl", "mctrctl", "sctrstatus", "sctrdepth", "siselect", "sireg", "vsiselect", "vsireg2",
             "sireg4", "mstateen0", "hstateen0")  # fmt: skip
    records = [ctr_csr(name, config.ctr).address for name in inner]
    others = [hpm_csr(name, config.hpm).address for name in ("mhpmcounter3", "mhpmevent3", "mcountinhibit", "sip")]
    out: list[Access] = []
    while len(out) < _ASKED:
        what = rng.randrange(8)
        if what == 0:
            out.append(Access(WRITE, rng.choice(enables), rng.getrandbits(32)))
        elif what == 1:
            out.append(Access(rng.choice((SET, CLEAR)), rng.choice(list(gates.values())), rng.choice(bits)))
        elif what == 2:
            out.append(Access(READ, rng.choice((*_NOTHING_THERE, *others)), 0, rng.choice((*_BELOW, M))))
        elif what == 3:
            out.append(Access(rng.choice((WRITE, SET)), rng.choice(views), 1, rng.choice((*_BELOW, M))))
        else:
            out.append(Access(READ, rng.choice(views if what < 6 else records), 0, rng.choice((*_BELOW, M))))
    out += [Access(SET, address, sum(bits)) for address in gates.values()]
    return out + [Access(WRITE, address, config.hpm.enables) for address in enables]
