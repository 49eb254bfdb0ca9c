# SPDX-License-Identifier: Apache-2.0
"""The names of the systems, and their classes of configurations, imported when they are first needed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

NAMES = ("ntrace", "etrace", "ctr", "hpm", "sbi_pmu", "loop", "tandem", "subsystem", "adapter")


def config_of(ip: str) -> Any:
    """The class of a system's configurations: `Config` of models/<ip>/config.py."""
    return import_module(f"rvtrace.models.{ip}.config").Config
