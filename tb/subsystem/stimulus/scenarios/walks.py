# SPDX-License-Identifier: Apache-2.0
"""Random walks with special probabilities: deep calls, many traps, slow outputs, waits, external events, frequent
reads.
"""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np

from rvtrace.jobs.job import Job
from rvtrace.models.subsystem.config import Config
from rvtrace.tb.subsystem.stimulus.builds import DEFAULT, DUAL, LEAN, RV32
from rvtrace.tb.subsystem.stimulus.scenarios.base import BOTH, BUSY, FLOW, TRAPS, scenario, walk
from rvtrace.tb.subsystem.stimulus.walks import COUNTER, SubsystemStimulus, cut

_SIZE = 1500  # instructions
_LONG = (1000, 4200, 9000)  # cycles: below and above where CC has an exponent


def _events(*names: str) -> tuple[int, ...]:
    return Config.from_dict({"events": list(names)}).events


@scenario(*TRAPS, "SUB.count.exception", "SUB.count.interrupt", "SUB.ctr.entries", configs=(*BOTH, DUAL, LEAN))
def traps_back_to_back(job: Job, config: Config, rng: Random) -> SubsystemStimulus:
    """Traps at every turn: at a handler's first instruction, at the target of a jump, one in another."""
    config = replace(config, events=_events("exception", "interrupt", "return", "branch"))
    return walk(job, config, rng, trap=0.15, trap_at_target=0.3, back_to_back=0.6, nest=8, unmapped=0.1)


@scenario("SUB.modes.hart", "SUB.modes.etrace", "SUB.modes.ntrace", "SUB.modes.tandem", "SUB.ctr.entries",
          configs=({"ownership": 1}, {**RV32, "ownership": 1}, {**DUAL, "ctr_ctl": 0b011},
                   {"ctr_ctl": 0b100}))  # fmt: skip
def modes(job: Job, config: Config, rng: Random) -> SubsystemStimulus:
    """Traps and returns from them go through all privileges and contexts; some runs record in some modes alone."""
    return walk(job, config, rng, trap=0.05, trap_at_target=0.1, switch=0.6, nest=6)


@scenario(*FLOW, "SUB.ctr.entries", "SUB.count.call", "SUB.count.return",
          configs=({"implicit_return": 1, "ntrace_returns": 3, "ctr_depth": 32},
                   {**RV32, "implicit_return": 1, "ntrace_returns": 2},
                   {**DUAL, "implicit_return": 1, "ntrace_returns": COUNTER, "ctr_depth": 32}))  # fmt: skip
def deep_calls(job: Job, config: Config, rng: Random) -> SubsystemStimulus:
    """Calls deeper than any stack of the encoders, and more of them than the records hold."""
    return walk(
        job, config, rng, depth=80, dive=0.05, trap=0.002, mismatch=0.0 if config.ntrace_returns == COUNTER else 0.05
    )


def _slow(stream: str) -> None:
    def build(job: Job, config: Config, rng: Random) -> SubsystemStimulus:
        return replace(walk(job, config, rng, _SIZE // 2), lows={f"{stream}_low": 97})

    build.__name__ = f"slow_{stream}"
    what = {"ntrace": "N-Trace", "etrace": "E-Trace", "tandem": "tandem trace"}[stream]
    build.__doc__ = (
        f"Nobody takes what {what} says for most of the time: it stalls the hart, and nobody gets a cycle twice or not"
        " at all."
    )
    scenario(
        "SUB.run",
        "SUB.registers",
        *FLOW,
        "SUB.count.instret",
        "SUB.count.cycles",
        "SUB.parts.ntrace",
        "SUB.parts.etrace",
        "SUB.parts.tandem",
        configs=tuple({**build, **BUSY} for build in (DEFAULT, RV32)),
    )(build)


for _stream in ("ntrace", "etrace", "tandem"):
    _slow(_stream)


@scenario("SUB.ctr.entries", "SUB.ctr.cycles", "SUB.count.cycles", "SUB.count.instret", "SUB.count.nothing",
          configs=(*BOTH, {**DUAL, "ctr_depth": 32}, LEAN,
                   {"events": "2,0,1,external1,external2,external3,load,store"}))  # fmt: skip
def looks_everywhere(job: Job, config: Config, rng: Random) -> SubsystemStimulus:
    """Software looks again and again, after any instruction, also twice without one between."""
    what = walk(job, config, rng, _SIZE // 2, trap=0.05)
    parts = [part for stretch in what.stretches for part in cut(stretch, rng, 8)]
    return replace(what, stretches=[what.stretches[0].part(0, 0), *parts])


@scenario(
    "SUB.ctr.cycles",
    "SUB.count.cycles",
    "SUB.time.ntrace",
    "SUB.time.etrace",
    configs=({"timestamp": 1}, {**RV32, "timestamp": 1}),
)
def long_waits(job: Job, config: Config, rng: Random) -> SubsystemStimulus:
    """The hart waits for so long that the cycles of a record need an exponent; in some of it the cycle counter
    is stopped too.
    """
    what = walk(job, config, rng, 300)
    for stretch in what.stretches:
        at = [rng.randrange(len(stretch)) for _ in range(3)] + list(range(max(0, len(stretch) - 3), len(stretch)))
        stretch.gap[at] = [rng.choice(_LONG) for _ in at]
    return what


@scenario("SUB.count.external", "SUB.count.cycles", "SUB.count.nothing", gaps=60,
          configs=tuple({**build, "events": "external0,external1,external2,external3,0,1,2,mispredict"}
                        for build in (DEFAULT, RV32)))  # fmt: skip
def events_from_outside(job: Job, config: Config, rng: Random) -> SubsystemStimulus:
    """External events in most cycles, with instructions and without; the hart waits in many."""
    what = walk(job, config, rng, 600)
    for stretch in what.stretches:
        pulses = np.array([rng.randrange(16) for _ in range(len(stretch))], np.uint32)
        stretch.levels |= np.where(stretch.levels & 0xFF, 0, pulses << 8).astype(np.uint32)
    return what
