# SPDX-License-Identifier: Apache-2.0
"""What was compiled, kept in the cache folder of this user for all checkouts: $XDG_CACHE_HOME/rvtrace, else
~/.cache/rvtrace; `make clean ALL=1` removes it.

An entry is a folder whose name is a digest of everything that went into it; it appears at once, whole, and is never
changed. The entries that were not used for longest make room for new ones. Where the folder cannot be written, nothing
is kept there: what calls this builds below build/ alone.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from rvtrace.models.common.user_cache import home

CACHE_BYTES = 6 << 30  # bytes of all entries
_OLD = 24 * 3600  # seconds after which a half-written entry belongs to no living process


def folder() -> Path | None:
    """The folder, made if need be; None where it cannot be written, which is said once."""
    return _usable(home())


@cache
def _usable(place: Path) -> Path | None:
    try:
        (place / "part").mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=place / "part"):
            pass
    except OSError as error:
        print(
            f"the cache folder {place} cannot be used ({error.strerror}); builds are kept in build/ alone",
            file=sys.stderr,
        )
        return None
    return place


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a lock file, waiting for another process that holds it. A file system without locks has none: then two
    may build the same, and the first to end keeps it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w") as lock:
        with contextlib.suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def making(name: str) -> Iterator[None]:
    """One process at a time makes the entry of that name; the others wait, and find it."""
    place = folder()
    with locked(place / "lock" / name) if place else contextlib.nullcontext():
        yield


def keep(name: str, files: Iterable[Path], limit: int = CACHE_BYTES) -> Path | None:
    """Put files into a new entry, by their names; the entry, or None if there is no cache or no room on the disk. An
    entry that is there already stays.
    """
    place = folder()
    if place is None:
        return None
    entry, part = place / "entry" / name, None
    try:
        entry.parent.mkdir(exist_ok=True)
        part = Path(tempfile.mkdtemp(dir=place / "part"))
        for path in files:
            _link(path, part / path.name)
        part.rename(entry)
    except OSError:
        if part is not None:
            shutil.rmtree(part, ignore_errors=True)
    prune(place, entry, limit)
    return entry if entry.is_dir() else None


def find(name: str) -> Path | None:
    """An entry, which counts as used now; None if there is none."""
    place = folder()
    if place is None or not (entry := place / "entry" / name).is_dir():
        return None
    with contextlib.suppress(OSError):
        os.utime(entry)
    return entry


def fetch(name: str, files: Iterable[str], into: Path) -> bool:
    """Link or copy files of an entry into a folder; False if there is no such entry, or it vanished meanwhile."""
    entry, files = find(name), list(files)
    if entry is None:
        return False
    into.mkdir(parents=True, exist_ok=True)
    try:
        for file in files:
            _unlink(into / file)
            _link(entry / file, into / file)
    except OSError:
        for file in files:  # a compiler that writes into a link would change the entry
            _unlink(into / file)
        return False
    return True


def prune(place: Path, newest: Path, limit: int) -> None:
    """Remove the entries that were not used for longest until the others fit; never the newest. A process that links
    from one meanwhile finds that it vanished, and builds.
    """
    sizes: dict[Path, tuple[float, int]] = {}
    for entry in (place / "entry").glob("*"):
        with contextlib.suppress(OSError):
            sizes[entry] = entry.stat().st_mtime, sum(f.stat().st_size for f in entry.rglob("*") if f.is_file())
    total = sum(size for _, size in sizes.values())
    for entry, (_, size) in sorted(sizes.items(), key=lambda item: item[1]):
        if total <= limit:
            break
        if entry != newest:
            shutil.rmtree(entry, ignore_errors=True)
            total -= size
    for part in (place / "part").glob("tmp*"):
        with contextlib.suppress(OSError):
            if part.stat().st_mtime < newest_time(place) - _OLD:
                shutil.rmtree(part, ignore_errors=True)


def newest_time(place: Path) -> float:
    """The time of the file system that the cache is on, which may have another clock than this machine."""
    with tempfile.NamedTemporaryFile(dir=place / "part") as probe:
        return os.stat(probe.name).st_mtime


def seconds(name: str) -> float | None:
    """How long something took the last time that it was made."""
    place = folder()
    try:
        return float((place / "seconds" / name).read_text()) if place else None
    except (OSError, ValueError):
        return None


def took(name: str, time: float) -> None:
    """Note how long it took now."""
    if (place := folder()) is not None:
        with contextlib.suppress(OSError):
            (place / "seconds").mkdir(exist_ok=True)
            part = place / "part" / f"{name}.{os.getpid()}.{threading.get_ident()}"
            part.write_text(f"{time:.1f}\n")
            part.replace(place / "seconds" / name)


def _unlink(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _link(path: str | Path, to: str | Path) -> None:
    """The same file under another name; a copy where that cannot be, such as on another file system."""
    if Path(path).is_dir():
        shutil.copytree(path, to, copy_function=_link)
        return
    try:
        os.link(path, to)
    except OSError:
        shutil.copy2(path, to)
