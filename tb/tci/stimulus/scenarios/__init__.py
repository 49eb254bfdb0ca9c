# SPDX-License-Identifier: Apache-2.0
"""System scenarios: what harts run, what a tool does with the registers of the trace system, where the trace goes.

`BY_IP[ip][name].build(job, rng)` gives a `TciStimulus`, with N-Trace or E-Trace encoders.
"""

from __future__ import annotations

from difflib import get_close_matches

from rvtrace.jobs.job import JobError
from rvtrace.tb.tci.job import KIND, TciJob
from rvtrace.tb.tci.stimulus.scenarios.base import BY_IP

__all__ = ["BY_IP", "known"]

BY_IP["ntrace"].load(__name__)  # modules register in both


def known(job: TciJob) -> TciJob:
    """The job; JobError if there is no scenario of its name for its encoders."""
    scenarios = BY_IP.get(job.ip, {})
    kind, _, name = job.source.partition(":")
    if kind != KIND or name not in scenarios:
        near = get_close_matches(name, scenarios, 1)
        hint = f"did you mean {KIND}:{near[0]}? " if near else ""
        raise JobError(
            f"SOURCE={job.source} is no scenario of the trace system with IP={job.ip}; {hint}known are"
            f" {', '.join(scenarios)}"
        )
    return job
