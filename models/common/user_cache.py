# SPDX-License-Identifier: Apache-2.0
"""The cache folder of this user, for all checkouts."""

from __future__ import annotations

import os
from pathlib import Path


def home() -> Path:
    """Where the folder is, whether or not it exists: $XDG_CACHE_HOME/rvtrace, else ~/.cache/rvtrace; a relative
    XDG_CACHE_HOME counts for nothing, as its specification has it.
    """
    named = os.environ.get("XDG_CACHE_HOME", "")
    base = Path(named) if named.startswith("/") else Path(os.path.expanduser("~")) / ".cache"
    return base / "rvtrace"
