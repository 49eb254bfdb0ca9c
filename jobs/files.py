# SPDX-License-Identifier: Apache-2.0
"""Files that are written: beside their place and then renamed, so that nobody reads half of one, other processes and
threads included, and what was there before stays until the new one is whole.
"""

from __future__ import annotations

import os
import shutil
import stat
import threading
from collections.abc import Callable
from pathlib import Path


def replace(path: Path, text: str) -> None:
    """Write a text at once, unless the file has it: then its time stays as well."""
    if not path.exists() or path.read_text() != text:
        write(path, text)


def write(path: Path, content: str | bytes) -> None:
    """Write a text as UTF-8, or bytes, at once, in a folder that is made."""
    data = content.encode() if isinstance(content, str) else content
    path.parent.mkdir(parents=True, exist_ok=True)
    at_once(path, lambda part: part.write_bytes(data))


def at_once(path: Path, make: Callable[[Path], object]) -> None:
    """Make a file or link beside a path, then give it that name. Of a link, the file that it leads to; of what is no
    regular file, such as a pipe, there is only one. An OSError names the path.
    """
    if path.exists():
        path = path.resolve()
        if not stat.S_ISREG(path.stat().st_mode):
            make(path)
            return
    part = path.with_name(f".{path.name[:200]}.{os.getpid()}.{threading.get_ident()}")
    try:
        part.unlink(missing_ok=True)
        make(part)
        if path.is_file() and not part.is_symlink():
            shutil.copymode(path, part)
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(path)) from error
