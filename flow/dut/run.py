# SPDX-License-Identifier: Apache-2.0
"""One run with a DUT in place of our RTL."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from rvtrace.flow.dut.description import Dut
from rvtrace.flow.dut.select import unheard
from rvtrace.flow.dut.workspace import workspace
from rvtrace.flow.jobs import build_of
from rvtrace.tb.common.arguments import ArgumentError
from rvtrace.tb.common.job import Job
from rvtrace.tb.common.system import System


def attach(given: Mapping[str, str], system: System, job: Job) -> Path:
    """The folder that replaces rtl/; DUT= decides what the job is checked against."""
    if both := {"RTL", "EXACT"} & set(given):
        raise ArgumentError(
            f"DUT= and {both.pop()}= are both given; DUT= names its sources and what it is checked against, omit the"
            " other"
        )
    dut = Dut.load(given["DUT"])
    if dut.ip != system.ip:
        raise ArgumentError(f"DUT={given['DUT']} is for IP={dut.ip}, and the job for IP={system.ip}; give IP={dut.ip}")
    job.dut, job.exact, job.tolerances, job.without = (
        dut.shown,
        dut.exact,
        dict(dut.tolerances),
        unheard(dut, system, job),
    )
    return workspace(dut, system, build_of(job))
