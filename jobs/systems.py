# SPDX-License-Identifier: Apache-2.0
"""The systems under test, by name: tb/<ip>/system.py has what every tool needs to know of one.

system = systems.of(argv)      # the one IP= names, else the first
system = systems.find("etrace")
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import import_module
from typing import cast

from rvtrace.jobs.arguments import ArgumentError
from rvtrace.jobs.names import NAMES
from rvtrace.jobs.system import System

MAIN = "subsystem"  # of which `make` runs the main job, unless IP= names another
PARTS = {"tci": "ntrace"}  # separate plans and mutants, run by another system


@cache
def find(ip: str) -> System:
    """The system of that name; ArgumentError if there is none."""
    if ip not in NAMES:
        raise ArgumentError(f"IP={ip} is not built; give IP={' or '.join(NAMES)}")
    return cast(System, import_module(f"rvtrace.tb.{ip}.system").SYSTEM)


def of(argv: Iterable[str]) -> System:
    """The system that the words of a command line name with IP=, without it the first one."""
    return find(next((word[3:] for word in argv if word.startswith("IP=") and word[3:]), NAMES[0]))


def known(argv: Iterable[str], *more: str) -> None:
    """ArgumentError unless IP= names a system or one of the others."""
    ip = next((word[3:] for word in argv if word.startswith("IP=")), NAMES[0])
    if ip not in (*NAMES, *more):
        raise ArgumentError(f"IP={ip} is not built; give IP={' or '.join((*NAMES, *more))}")
