# SPDX-License-Identifier: Apache-2.0
"""What a command may write: not what it reads, not what a repository tracks, and not over files of somebody else.

    given = parse(argv, WORDS, about, writes=("JUNIT", "OUT"))    the words that name files or folders to write

Each is refused before anything is done, in one sentence.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

# Files that we leave in a folder, and those of which at least one is in each folder of ours.
_LEFT = ("index.html", "junit.xml", "trace.bin", "result.json", "config.json", "program.elf", "view.html")
_MARKS = (
    "compliance.json", "result.json", "results.json", "report.json", "faults.json", "jobs.json", "trace.bin", "runs",
    "summary.md", "coverage.json", "files.json", "left.json",
)  # fmt: skip

_LEAST = 1 << 16  # bytes that a disk must have room for before the work: what is written is at least that long


class OutputError(ValueError):
    """A file or folder that must not be written, or cannot be; the text says why, and what to name instead."""


def check(given: Mapping[str, str], writes: Iterable[str]) -> None:
    """OutputError for the first word of `writes` that names what must not be written. given: all words."""
    words = [word for word in writes if word in given]
    for word in words:
        path, said = Path(given[word]), f"{word}={given[word]}"
        for other, value in given.items():
            if other != word and _same(path, value):
                what = f"is also {other}=" if other not in words else f"is written as {other}= as well"
                raise OutputError(f"{said} {what}, and would be overwritten; name another file")
        _possible(path, said)
        if file := tracked(path):
            raise OutputError(f"{said} would overwrite {file}, which git tracks; name a file or folder beside it")
        if path.is_dir() and (foreign := _foreign(path)):
            raise OutputError(f"{said} has another {foreign} than ours; name a new one")


def _same(path: Path, value: str) -> bool:
    """Whether a word names the same file or folder."""
    try:
        return Path(value).exists() and path.exists() and path.samefile(value)
    except (OSError, ValueError):  # a value that cannot be a path
        return False


def _possible(path: Path, said: str) -> None:
    """OutputError if a part of the path is a file, or its last folder that is there cannot be written."""
    above = next((one for one in (path, *path.absolute().parents) if one.exists()), Path("/"))
    if above != path and not above.is_dir():
        raise OutputError(f"{said} cannot be written: {above} is a file; name another place")
    if not os.access(above, os.W_OK):
        raise OutputError(f"{said} cannot be written: {above} may not be changed; check its permissions")
    folder = above if above.is_dir() else above.parent
    if above.exists() and not above.is_dir() and not above.is_file():  # a pipe or a device
        return
    try:
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(bytes(_LEAST))
    except OSError as error:
        raise OutputError(
            f"{said} cannot be written: {folder}: {error.strerror}; free some space, or name another place"
        ) from None


def tracked(path: Path) -> str:
    """The file, or the first one in the folder, that a git repository tracks; "" if none is, or there is no git."""
    place = path.absolute()
    folder = place if place.is_dir() else place.parent
    if not path.exists() or not any((above / ".git").exists() for above in (folder, *folder.parents)):
        return ""
    command = ["git", "-C", str(folder), "ls-files", "-z", "--", "." if place.is_dir() else place.name]
    try:
        listed = subprocess.run(command, capture_output=True, text=True, timeout=10, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.SubprocessError):  # there is no git
        return ""
    first = listed.stdout.partition("\0")[0] if listed.returncode == 0 else ""
    return str(Path(os.path.relpath(folder / first))) if first else ""


def _foreign(folder: Path) -> str:
    """A file in a folder that we would overwrite, where nothing says that the folder is ours."""
    names = {path.name for path in folder.iterdir()}
    return "" if names & set(_MARKS) else next((name for name in _LEFT if name in names), "")
