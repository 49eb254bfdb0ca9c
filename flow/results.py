# SPDX-License-Identifier: Apache-2.0
"""The results that are there: what, when, how big, with which verdict; and removing old ones.

A result is a folder below build/results/<kind>, or build/compliance, with a result.json or compliance.json of ours.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rvtrace.jobs.arguments import ArgumentError
from rvtrace.jobs.builds import ROOT
from rvtrace.jobs.outputs import tracked

# Kinds of build/results of which each folder is one result.
_SEVERAL = ("main", "run", "regress", "dut", "core", "verify-core", "cover")
_ONE = re.compile(r"sizes|readback|test-[\w-]+")  # kinds that are one result
_VERDICT = re.compile(r'"verdict": ?"([A-Z]+)"')
_AGE = re.compile(r"(\d{1,6})([hdw])")
_UNITS = {"h": 3600.0, "d": 86400.0, "w": 7 * 86400.0}
_READ = 4096  # characters of a report in which its verdict is


@dataclass(frozen=True)
class Kept:
    """One result. when: it was written last. size: bytes. verdicts: of its runs."""

    path: Path
    when: float
    size: int
    verdicts: Counter[str]

    @property
    def verdict(self) -> str:
        """The worst of its runs."""
        return next((verdict for verdict in ("ERROR", "FAIL", "PASS") if self.verdicts[verdict]), "?")

    def line(self, root: Path) -> str:
        """What, when, how big, and how it ended."""
        runs, passed = sum(self.verdicts.values()), self.verdicts["PASS"]
        ended = self.verdict if runs <= 1 else f"{self.verdict:<5} {passed:,} of {runs:,} runs passed"
        day = time.strftime("%Y-%m-%d %H:%M", time.localtime(self.when))
        return f"{day}  {size(self.size):>8}  {str(self.path.relative_to(root)):<64} {ended}"


def size(count: float) -> str:
    """Bytes as people read them."""
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "B" or count >= 10 else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"


def age(text: str) -> float:
    """Seconds of a word such as 30d; ArgumentError if it is none."""
    if (match := _AGE.fullmatch(text)) is None:
        raise ArgumentError(f"KEEP={text} is no age; give KEEP=<number> with d, h or w for days, hours or weeks")
    return int(match[1]) * _UNITS[match[2]]


def found(build: Path = ROOT / "build") -> list[Kept]:
    """Every result, the newest first."""
    return sorted(filter(None, map(_read, _folders(build))), key=lambda kept: (-kept.when, kept.path))


def _folders(build: Path) -> Iterator[Path]:
    for kind in _below(build / "results"):
        if kind.name in _SEVERAL:
            yield from _below(kind)
        elif _ONE.fullmatch(kind.name):
            yield kind
    yield from _below(build / "compliance")


def _below(folder: Path) -> list[Path]:
    """The folders in a folder, without links, which may lead anywhere."""
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if path.is_dir() and not path.is_symlink())


def _read(folder: Path) -> Kept | None:
    """A result, None if there is none in the folder."""
    when, total, verdicts = 0.0, 0, Counter[str]()
    report = ""
    for place, _, names in os.walk(folder):
        for name in names:
            path = Path(place, name)
            try:
                status = path.lstat()
                if name == "result.json":
                    match = _VERDICT.search(path.read_text())
                    verdicts[match[1] if match else "?"] += 1
                elif name == "compliance.json":
                    with path.open() as file:
                        match = _VERDICT.search(file.read(_READ))
                    report = match[1] if match else "?"
            except (OSError, UnicodeDecodeError):  # it is being written, or removed
                continue
            when, total = max(when, status.st_mtime), total + status.st_size
    if not verdicts and report:
        verdicts[report] = 1
    return Kept(folder, when, total, verdicts) if verdicts else None


def clean(results: list[Kept], seconds: float, now: float) -> tuple[list[Kept], list[tuple[Kept, str]]]:
    """Remove what is older; what was removed, and what was left with the reason."""
    removed, left = [], []
    for kept in results:
        if now - kept.when < seconds:
            continue
        if why := _why_not(kept):
            left.append((kept, why))
        else:
            shutil.rmtree(kept.path)
            removed.append(kept)
    return removed, left


def _why_not(kept: Kept) -> str:
    """Why a result is not removed, or an empty text."""
    if tracked(kept.path):
        return "git tracks files in it"
    lock = kept.path / "regress.lock"
    if lock.exists():
        with lock.open() as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                return "a regression is running in it"
    return ""
