# SPDX-License-Identifier: Apache-2.0
"""One run with a DUT in place of our RTL: which system it is of, what it is run with, and where the design is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import fields
from pathlib import Path

from rvtrace.flow.dut.claims import as_options
from rvtrace.flow.dut.description import Dut
from rvtrace.flow.dut.select import declared, unheard
from rvtrace.flow.dut.workspace import workspace
from rvtrace.flow.jobs import build_of
from rvtrace.jobs import systems
from rvtrace.jobs.arguments import ArgumentError
from rvtrace.jobs.bench import SystemBench
from rvtrace.jobs.job import Job


def attach(given: Mapping[str, str], system: SystemBench, job: Job) -> Path:
    """The folder that replaces rtl/; DUT= decides what the job is checked against."""
    if both := {"RTL", "EXACT"} & set(given):
        raise ArgumentError(
            f"DUT= and {both.pop()}= are both given; DUT= names its sources and what it is checked against, omit the"
            " other"
        )
    dut = Dut.load(given["DUT"])
    if dut.ip != system.ip:
        raise ArgumentError(f"DUT={given['DUT']} is for IP={dut.ip}, and the job for IP={system.ip}; give IP={dut.ip}")
    job.config = as_claimed(given, dut, system, job)
    if dut.single and systems.foreign(dut.ip).blocks:
        job.retirement = "single"
    job.without = unheard(dut, system, job)
    declared(dut, job)
    return workspace(dut, system, build_of(job))


def with_ip(argv: Iterable[str]) -> list[str]:
    """The words of a command line with IP= of the system that DUT= is for, if they do not say it."""
    words = list(argv)
    named = dict(word.split("=", 1) for word in words if "=" in word)
    return [*words, f"IP={Dut.load(named['DUT']).ip}"] if named.get("DUT") and not named.get("IP") else words


def as_claimed(given: Mapping[str, str], dut: Dut, system: SystemBench, job: Job) -> dict[str, object]:
    """The options of a job: those that the command line names as they are, the others within the claims."""
    default, named = system.config().to_dict(), system.options(given)
    options = {name: value for name, value in job.config.items() if name in named or value != default.get(name, value)}
    for field in fields(system.config):
        if field.name in options:
            continue
        with suppress(ValueError):  # illegal with what others have so far: the claimed value may make it legal again
            if dut.claims.allows(system, field.name, options):
                continue
        options |= as_options(system, {field.name: dut.claims.first(field.name)})
    return dict(system.config.from_dict(options).to_dict())
