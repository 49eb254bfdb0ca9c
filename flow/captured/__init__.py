# SPDX-License-Identifier: Apache-2.0
"""Captures, checked without a simulator: traces by trace.py, what was on the ports by flow/captured/<ip>.py."""

from __future__ import annotations

from types import ModuleType

from rvtrace.jobs import names
from rvtrace.scoreboards.common.judge import Judge


def of(judge: Judge) -> ModuleType | None:
    """The module whose main(argv) is `make check` for a system that says it leaves rows; None for one whose captures
    trace.py checks.
    """
    return names.rows_check_of(judge.ip) if judge.leaves_rows else None
