# SPDX-License-Identifier: Apache-2.0
"""Files that a build reads and that this process writes: other processes and threads may do either at the same time."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path


def replace(path: Path, text: str) -> None:
    """Write a text at once, unless the file has it: then its time stays as well."""
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        at_once(path, lambda part: part.write_text(text))


def at_once(path: Path, make: Callable[[Path], object]) -> None:
    """Make a file or link beside a path, then give it that name."""
    part = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}")
    part.unlink(missing_ok=True)
    make(part)
    part.replace(path)
