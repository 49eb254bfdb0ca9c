# SPDX-License-Identifier: Apache-2.0
"""Folders of results: the name of that of a run, which one a capture may be written to, and what results depend on."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path

from rvtrace.jobs import outputs, systems
from rvtrace.jobs.arguments import ArgumentError
from rvtrace.jobs.builds import ROOT
from rvtrace.jobs.job import Job

MARK = "capture.json"  # in the folder of a capture, from the moment it is begun
_LONGEST = 100  # characters of a name
_PLAIN = re.compile(r"([A-Z][A-Z0-9_]*=)?([a-z0-9_][a-z0-9_.+-]*)?(?<![-.])")  # words that a name shows as they are
# What a capture, and what is made from it in its folder, may leave beside the files of its system.
_BESIDE = (
    "result.json", "beats.npz", "cycles.npz", "view.html", MARK,
    "waves.fst", "waves.vcd", "decoded.vcd", "decoded.gtkw", "decoded.sucl",
)  # fmt: skip
_DATA = ("trace.bin", "entries.json", "counters.json", "calls.jsonl", "rows.npz")  # one of these is in every capture


# What the result of a run depends on beside the simulator: files of these folders, by pattern.
SOURCES: Mapping[str, tuple[str, ...]] = {
    "models": ("*.py",), "scoreboards": ("*.py", "*.toml"), "jobs": ("*.py",), "tb": ("*",), "rtl": ("*",),
    "flow/generate": ("rows.py", "source.py"),  # the SystemVerilog of the rows
}  # fmt: skip


def digest_of(sources: Mapping[str, Iterable[str]], text: str = "") -> str:
    """A hash of a text, and of files of the checkout by their names and bytes. sources: patterns by folder."""
    digest = hashlib.sha256(text.encode())
    for folder, patterns in sources.items():
        for path in sorted({path for pattern in patterns for path in (ROOT / folder).rglob(pattern)}):
            if path.is_file() and "__pycache__" not in path.parts:
                digest.update(str(path.relative_to(ROOT)).encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def name_of(job: Job) -> str:
    """The name of a run's folder: what differs from the default in its configuration, and its seed last."""
    words = [f"{name}={value}" for name, value in job.words if name not in ("IP", "SOURCE", "SEED")]
    return named(job.ip, job.name, *words, f"seed{job.seed}")


def named(*words: str) -> str:
    """A name of these words for a folder, another for each list of words: a long one ends with a hash of what is left
    out, and so does one of words that it does not show as they are, such as their case and blanks.
    """
    parts = [re.sub(r"[^\w.+-]+", "-", word).strip("-.").lower() for word in words]
    name = "-".join(part for part in parts if part)
    if len(name) <= _LONGEST and all(map(_PLAIN.fullmatch, words)):
        return name
    last = next((part for part in reversed(parts) if part), "")
    digest = hashlib.sha256(" ".join(words).encode()).hexdigest()[:8]
    return f"{name[: _LONGEST - len(last) - 10].rstrip('-.')}-{digest}-{last}"


def files_of_captures() -> set[str]:
    """Every name that a file of a capture can have."""
    return {*_BESIDE, *(name for ip in systems.NAMES for name in systems.judge(ip).left)}


def is_capture(folder: Path) -> bool:
    """Whether a capture was written, or begun, in a folder."""
    if (folder / MARK).is_file():
        return True
    return (folder / "config.json").is_file() and any((folder / name).is_file() for name in _DATA)


def begin_capture(folder: Path, given: Mapping[str, str]) -> None:
    """Make the folder, or remove the files of the capture that is in it; ArgumentError if it is something else."""
    if folder.is_dir():
        if outputs.tracked(folder):
            raise ArgumentError(f"OUT={folder} is tracked by git; give OUT=<a new folder>")
        if any(folder.iterdir()) and not is_capture(folder):
            raise ArgumentError(
                f"OUT={folder} is not empty and no capture; give OUT=<a new folder, or one of an earlier capture>"
            )
        for name in files_of_captures():
            (folder / name).unlink(missing_ok=True)
    elif folder.exists():
        raise ArgumentError(f"OUT={folder} is a file; give OUT=<a folder>")
    folder.mkdir(parents=True, exist_ok=True)
    about = {"written": datetime.now().astimezone().isoformat(timespec="seconds"), "words": dict(given)}
    (folder / MARK).write_text(json.dumps(about, indent=1))
