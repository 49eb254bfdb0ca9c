# SPDX-License-Identifier: Apache-2.0
"""What a report is about and what wrote it, each with its SHA-256: sources of the device, files of a capture, the tool.

files_of(paths)   {"rtl/te.sv": "9f86d0..."}, names from the folder that all have in common
whole(files)      one digest of all of them
tool()            Tool(name="rvtrace", version="0.1.0", digest="60303a...")
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import rvtrace

_READ = (".py", ".toml", ".sv", ".svh", ".j2")  # what makes a verdict, below the package


@dataclass(frozen=True)
class Tool:
    """name: of the package. version: of the release. digest: of the files that make a verdict."""

    name: str
    version: str
    digest: str


def file_digest(path: Path) -> str:
    """Of the bytes of a file, in hexadecimal; OSError if it cannot be read."""
    found = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(1 << 20):
            found.update(chunk)
    return found.hexdigest()


def files_of(paths: Iterable[Path]) -> dict[str, str]:
    """Of each file its digest, by its name from the folder that all have in common, in the order of the names."""
    every = sorted({path.resolve() for path in paths})
    if not every:
        return {}
    base = Path(os.path.commonpath([path.parent for path in every]))
    return {path.relative_to(base).as_posix(): file_digest(path) for path in every}


def whole(files: Mapping[str, str]) -> str:
    """One digest of files, by names and digests: that of the lines `sha256sum` prints for them in this order."""
    return hashlib.sha256("".join(f"{digest}  {name}\n" for name, digest in files.items()).encode()).hexdigest()


@cache
def tool() -> Tool:
    """This package."""
    root = Path(next(iter(rvtrace.__path__)))
    parts = {path.name: path.resolve() for path in sorted(root.iterdir()) if path.is_dir() and path.name[0] != "_"}
    if (rtl := root.parent / "rtl").is_dir():  # of a checkout
        parts["rtl"] = rtl
    files = {
        f"{name}/{path.relative_to(part).as_posix()}": file_digest(path)
        for name, part in parts.items()
        for path in sorted(part.rglob("*"))
        if path.suffix in _READ and path.is_file()
    }
    try:
        version = importlib.metadata.version(rvtrace.__name__)
    except importlib.metadata.PackageNotFoundError:  # a checkout that was not installed
        version = "not installed"
    return Tool(rvtrace.__name__, version, whole(files))
