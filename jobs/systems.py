# SPDX-License-Identifier: Apache-2.0
"""The systems under test, by name; each of their facets is loaded when it is asked for.

judge = systems.judge("etrace")     scoreboards/etrace/judge.py: names, options, clauses, captures; no simulator
bench = systems.bench("etrace")     tb/etrace/bench.py: builds, stimulus, coverage; it is the judge as well
bench = systems.of(argv)            that of the system IP= names, else of the first one
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING

from rvtrace.jobs import names
from rvtrace.jobs.arguments import ArgumentError
from rvtrace.jobs.names import MAIN as MAIN
from rvtrace.jobs.names import NAMES
from rvtrace.jobs.names import PARTS as PARTS

if TYPE_CHECKING:
    from rvtrace.jobs.bench import SystemBench
    from rvtrace.scoreboards.common.captured import Captured
    from rvtrace.scoreboards.common.foreign import Foreign
    from rvtrace.scoreboards.common.judge import Judge


@cache
def judge(ip: str) -> Judge:
    """What a system says without a simulator; ArgumentError if there is none of that name."""
    return names.judge_of(_known(ip))


@cache
def captured(ip: str) -> Captured:
    """What a system says of its captured traces; ArgumentError if it sends none."""
    if ip not in names.TRACES:
        raise ArgumentError(f"{judge(ip).title} sends no trace; give IP={' or '.join(names.TRACES)}")
    return names.captured_of(ip)


@cache
def bench(ip: str) -> SystemBench:
    """A system in the testbench; ArgumentError if there is none of that name."""
    return names.bench_of(_known(ip))


def foreign(ip: str) -> Foreign:
    """What a system says of somebody else's device; ArgumentError if none can be attached."""
    if (found := judge(ip).foreign) is None:
        raise ArgumentError(f"IP={ip} cannot be attached; give IP={' or '.join(attached())}")
    return found


def attached() -> tuple[str, ...]:
    """The systems of which somebody else's device can be attached."""
    return tuple(ip for ip in NAMES if judge(ip).foreign is not None)


def of(argv: Iterable[str]) -> SystemBench:
    """The bench of the system that the words of a command line name with IP=, without it of the first one."""
    return bench(next((word[3:] for word in argv if word.startswith("IP=") and word[3:]), NAMES[0]))


def _known(ip: str) -> str:
    if ip not in NAMES:
        raise ArgumentError(f"IP={ip} is not built; give IP={' or '.join(NAMES)}")
    return ip


def known(argv: Iterable[str], *more: str) -> None:
    """ArgumentError unless IP= names a system or one of the others."""
    ip = next((word[3:] for word in argv if word.startswith("IP=")), NAMES[0])
    if ip not in (*NAMES, *more):
        raise ArgumentError(f"IP={ip} is not built; give IP={' or '.join((*NAMES, *more))}")
