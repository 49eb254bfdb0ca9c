# SPDX-License-Identifier: Apache-2.0
"""The registry: the names of the systems, and their facets, imported by name when they are first needed.

The only file that quotes systems by name outside their folders, and that imports by string.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

NAMES = ("ntrace", "etrace", "ctr", "hpm", "sbi_pmu", "tandem", "subsystem", "adapter")
TRACES = ("ntrace", "etrace", "tandem")  # those that send a trace
MAIN = "subsystem"  # of which `make` runs the main job, unless IP= names another
PARTS = {"tci": "ntrace"}  # separate plans and mutants, run by another system


def config_of(ip: str) -> Any:
    """The class of a system's configurations: `Config` of models/<ip>/config.py."""
    return import_module(f"rvtrace.models.{ip}.config").Config


def judge_of(ip: str) -> Any:
    """JUDGE of scoreboards/<ip>/judge.py, which needs no simulator."""
    return import_module(f"rvtrace.scoreboards.{ip}.judge").JUDGE


def bench_of(ip: str) -> Any:
    """BENCH of tb/<ip>/bench.py."""
    return import_module(f"rvtrace.tb.{ip}.bench").BENCH


def captured_of(ip: str) -> Any:
    """CAPTURED of scoreboards/<ip>/captured.py, of one of TRACES."""
    return import_module(f"rvtrace.scoreboards.{ip}.captured").CAPTURED


def test_class_of(bench: str) -> Any:
    """TEST of tb/<bench>/env.py, which needs a simulator; bench: a system, or one of PARTS."""
    return import_module(f"rvtrace.tb.{bench}.env").TEST


def rows_of(bench: str) -> Any:
    """ROWS of tb/<bench>/agents/layout.py; bench: a folder of tb/ whose SystemVerilog reads or writes files."""
    return import_module(f"rvtrace.tb.{bench}.agents.layout").ROWS


def expected_of(ip: str) -> Any:
    """`expected` of scoreboards/<ip>/expected.py, of an encoder: what its trace must report, and in which cycle."""
    return import_module(f"rvtrace.scoreboards.{ip}.expected").expected


def rows_check_of(ip: str) -> Any:
    """The module flow/captured/<ip>.py, of a system whose judge says that it leaves rows."""
    return import_module(f"rvtrace.flow.captured.{ip}")


def listing_of(ip: str) -> Any:
    """The module report/listing/<ip>.py; None if the system has none."""
    name = f"rvtrace.report.listing.{ip}"
    return import_module(name) if find_spec(name) else None
