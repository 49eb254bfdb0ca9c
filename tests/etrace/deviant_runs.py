# SPDX-License-Identifier: Apache-2.0
"""Runs of devices with deviations, and how well the check names them; `python -m tests.etrace.deviant_runs` measures.

run = deviant_run(7, ["map_inverted"])
judgement(run).share, judgement(run).named(1)
"""

import argparse
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from random import Random
from typing import Any

import numpy as np

from rvtrace.jobs.job import Job
from rvtrace.models.etrace.encoder.encode import EncodedTrace
from rvtrace.scoreboards.common.clauses import Failure
from rvtrace.scoreboards.common.verdict import Verdict
from rvtrace.scoreboards.etrace.capture import EtraceCapture
from rvtrace.scoreboards.etrace.check import check
from rvtrace.tb.common.stimulus.stimulus import Stimulus
from rvtrace.tb.etrace.stimulus.stimulus import stimulus
from tests.etrace.deviant import Deviant, Deviation
from tests.etrace.deviations import DEVIATIONS
from tests.etrace.walks import encode, walk

FIXED: dict[str, Any] = {
    "variant": "v2_0", "iaddress_width_p": 64, "iaddress_lsb_p": 1, "context_width_p": 16, "nocontext_p": 0,
    "privilege_width_p": 3, "notime_p": 1, "inst_sync_mode": 1, "inst_sync_max": 1, "itype_width_p": 4, "filter": "",
    "ctype": "mixed", "bcount_bits": 16, "cache_size_p": 4, "bpred_size_p": 5, "f0s_width_p": 1, "ioptions_n": 8,
    "call_counter_size_p": 0, "return_stack_size_p": 3, "implicit_return": 0, "full_address": 0, "sijump": 0,
    "branch_prediction": 0, "jump_target_cache": 0, "implicit_exception": 0,
}  # fmt: skip
FIRST = 5  # findings among which all deviations have to be named
MUCH = 0.9  # share of the instructions that has to be judged


@dataclass
class Run:
    """What a device with some deviations sent."""

    what: Stimulus
    encoded: EncodedTrace
    deviations: list[Deviation]
    sent: list[bytes]

    @property
    def capture(self) -> EtraceCapture:
        """As monitors would have recorded it, of a device that does not declare the reference profile."""
        return EtraceCapture(self.what.config, self.what.program, self.sent, beats=self.what.beats, exact=False)

    @property
    def differs(self) -> bool:
        """Whether each deviation changes a packet."""
        return all(
            Deviant(self.what.config, [d]).payloads(self.encoded.packets, self.encoded.options) != self.encoded.payloads
            for d in self.deviations
        )


@dataclass
class Judgement:
    """causes: one failure for each finding, in their order. share: of the instructions that was judged."""

    run: Run
    verdict: Verdict
    causes: list[Failure]
    share: float

    def named(self, first: int) -> bool:
        """Whether the first findings name every deviation."""
        return all(
            any(re.search(d.names, f.headline) and f.clause in d.clauses for f in self.causes[:first])
            for d in self.run.deviations
        )


@cache
def _encoded(
    seed: int, size: int, options: tuple[tuple[str, Any], ...], scenario: str
) -> tuple[Stimulus, EncodedTrace]:
    if scenario:
        job = Job(scenario, f"scenario:{scenario}", {**FIXED, **dict(options)}, ip="etrace")
        what = stimulus(job)
        what.beats.tstamp[:] = 1000 + 7 * np.arange(len(what.beats))
        return what, encode(what.config, what.beats)
    what = walk(seed, size, **{**FIXED, **dict(options)})
    return what, encode(what.config, what.beats)


def deviant_run(seed: int, names: Sequence[str], size: int = 1500) -> Run:
    """A random walk, or the scenario that one of them needs, reported by a device with these deviations."""
    deviations = [DEVIATIONS[name] for name in names]
    needs = dict(need for d in deviations for need in d.needs)
    scenario = next((d.scenario for d in deviations if d.scenario), "")
    what, encoded = _encoded(seed, size, tuple(sorted(needs.items())), scenario)
    sent = Deviant(what.config, deviations).payloads(encoded.packets, encoded.options)
    return Run(what, encoded, deviations, sent)


def judgement(run: Run) -> Judgement:
    """What the check makes of a run."""
    verdict = check(run.capture)
    causes: dict[tuple[str, str], Failure] = {}
    for failure in verdict.failures:
        if not failure.cause:
            # one finding for each clause, but for those that name a deviation of the device
            own = failure.headline if failure.at is not None and failure.at < 0 else ""
            causes.setdefault((failure.clause, own), failure)
    return Judgement(
        run, verdict, list(causes.values()), verdict.stats["judged"] / max(verdict.stats["instructions"], 1)
    )


def several(seed: int, number: int) -> list[str]:
    """Deviations that do not exclude each other, chosen at random."""
    rng = Random(f"{seed}:deviations")
    names: list[str] = []
    while len(names) < number:
        name = rng.choice(list(DEVIATIONS))
        chosen = [DEVIATIONS[other] for other in names]
        deviation = DEVIATIONS[name]
        needs = dict(need for d in chosen for need in d.needs)
        clash = any(needs.get(option, value) != value for option, value in deviation.needs)
        if (
            name not in names
            and not deviation.scenario
            and not clash
            and all(not d.group or d.group != deviation.group for d in chosen)
        ):
            names.append(name)
    return names


def main() -> None:
    """Print a line for each run, and the shares."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("number", type=int, help="deviations at once; 1: each of them alone")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--size", type=int, default=1500)
    args = parser.parse_args()
    cases = [[name] for name in DEVIATIONS] if args.number == 1 else [several(s, args.number) for s in range(args.runs)]
    named = judged = total = 0
    for seed, names in enumerate(cases, 7):
        run = deviant_run(7 if args.number == 1 else seed, names, args.size)
        if not run.differs:
            print(f"-    {'+'.join(names)}: makes no difference in this run", flush=True)
            continue
        found = judgement(replace(run))
        good = found.named(1 if args.number == 1 else FIRST)
        named, judged, total = named + good, judged + (found.share > MUCH), total + 1
        text = "" if good else " | ".join(f"{f.clause} {f.headline[:90]}" for f in found.causes[:FIRST])
        print(f"{'ok  ' if good else 'MISS'} {found.share:4.0%} {'+'.join(names)} {text}", flush=True)
    print(f"{named} of {total} named ({named / total:.0%}); {judged} judged on more than 90 % ({judged / total:.0%})")


if __name__ == "__main__":
    main()
