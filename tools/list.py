# SPDX-License-Identifier: Apache-2.0
"""`make list`: programs and devices; WHAT=scenarios, tests or options lists these.

To collect them takes more than a second of imports and recordings, so what was printed is kept in the cache of this
user, and printed again as long as every file that it could come from has the same bytes.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import sys
import tempfile
from pathlib import Path

from rvtrace.flow import cache
from rvtrace.jobs import front
from rvtrace.jobs.arguments import main_guard
from rvtrace.jobs.builds import ROOT

# What the text is made of.
_SOURCES = (
    ("models", "*.py"), ("scoreboards", "*.py"), ("scoreboards", "*.toml"), ("jobs", "*.py"), ("tb", "*.py"),
    ("flow", "*.py"), ("tools", "*.py"), ("tests", "test_*.py"), ("examples", "dut.toml"), ("data/programs", "*.rec"),
    ("data/programs", "*.elf"),
)  # fmt: skip
_NAME = "list.txt"


def known(argv: list[str]) -> dict[str, str]:
    """The words of this command."""
    from rvtrace.flow.overview import WORDS

    return WORDS


def main(argv: list[str]) -> int:
    """Print them."""
    name = key(argv, ROOT)
    if (entry := cache.find(name)) is not None:
        with contextlib.suppress(OSError):
            sys.stdout.write((entry / _NAME).read_text())
            return 0
    from rvtrace.flow.overview import show

    text = io.StringIO()
    try:
        with contextlib.redirect_stdout(text):
            show(argv)
    finally:
        sys.stdout.write(text.getvalue())
    with tempfile.TemporaryDirectory() as place:
        (Path(place) / _NAME).write_text(text.getvalue())
        cache.keep(name, [Path(place) / _NAME])
    return 0


def key(argv: list[str], root: Path) -> str:
    """A digest of the words, and of every file that the text could come from by name and bytes."""
    digest = hashlib.sha256(repr((argv, sys.version, front.is_make())).encode())
    for folder, pattern in _SOURCES:
        for path in sorted((root / folder).rglob(pattern)):
            body = hashlib.sha256(path.read_bytes()).hexdigest()
            digest.update(f"{path.relative_to(root)}\0{body}\0".encode())
    return f"list-{digest.hexdigest()[:20]}"


if __name__ == "__main__":
    sys.exit(main_guard(main))
