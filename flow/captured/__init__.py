# SPDX-License-Identifier: Apache-2.0
"""Captures, checked without a simulator. Systems that leave rows of cycles, and tandem trace, have
flow/captured/<ip>.py, looked up by name.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType


def of(ip: str) -> ModuleType | None:
    """The module whose main(argv) is `make check` for a system; None for a system whose captures flow/captured/trace.py
    checks.
    """
    name = f"{__name__}.{ip}"
    return import_module(name) if find_spec(name) else None
