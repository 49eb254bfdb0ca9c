# SPDX-License-Identifier: Apache-2.0
"""The sources of an IP: files, file lists, include folders and defines of dut.toml, as absolute paths in the order of
compilation.
"""

from __future__ import annotations

import glob
import hashlib
import importlib.util
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_HEADERS = ("*.svh", "*.vh", "*.h", "*.inc", "*.sv", "*.v")
_DEFINE = re.compile(r"[A-Za-z_][A-Za-z0-9_$]*")
_PACKAGES = "pythondata_"  # of PyPI, with the RTL of cores
CORES = "flow/requirements-cores.txt"
_DEPTH = 16  # of file lists within file lists
_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|\((\w+)\)|(\w+))")


class SourceError(ValueError):
    """Sources that cannot be used; the text says which key, what was found and what to do."""


@dataclass(frozen=True)
class Sources:
    """files: in the order of compilation. include_dirs: where `include looks. defines: macros, "" for one without a
    value.
    """

    files: tuple[Path, ...]
    include_dirs: tuple[Path, ...]
    defines: Mapping[str, str]

    @property
    def headers(self) -> list[Path]:
        """What could be included."""
        return [p for f in self.include_dirs for p in sorted(p for pattern in _HEADERS for p in f.glob(pattern))]

    def flags(self) -> str:
        """A command file that Verilator and Icarus both read: include folders and macros, and a digest of what could be
        included.
        """
        digest = hashlib.sha256()
        for path in self.headers:
            digest.update(path.name.encode() + path.read_bytes())
        lines = [f"// {digest.hexdigest()}", *(f"+incdir+{folder}" for folder in self.include_dirs)]
        lines += [f"+define+{name}{'=' + value if value else ''}" for name, value in self.defines.items()]
        return "\n".join(lines) + "\n"


def sources_of(given: Mapping[str, Any], folder: Path) -> Sources:
    """From [sources] of the dut.toml in a folder; SourceError."""
    files: list[Path] = []
    include_dirs: list[Path] = []
    defines: dict[str, str] = {}
    for one in _texts(given, "include_dirs"):
        include_dirs.append(_folder(f"[sources] include_dirs: {one}", _path(one, folder)))
    table = given.get("defines", {})
    if not isinstance(table, dict):
        raise SourceError(f'[sources] defines = {table!r} is no table; write defines = {{ WIDTH = "64", FPGA = "" }}')
    for name, value in table.items():
        if not _DEFINE.fullmatch(name):
            raise SourceError(f"[sources] defines: {name!r} is no name of a macro; use letters, digits and _")
        defines[name] = {True: "1", False: "0"}[value] if isinstance(value, bool) else str(value)
    for one in _texts(given, "filelists"):
        _file_list(_file(f"[sources] filelists: {one}", _path(one, folder)), files, include_dirs, defines, 0)
    for one in _texts(given, "files"):
        files += _matching(f"[sources] files: {one}", one, folder)
    if not files:
        raise SourceError(
            '[sources] names no file; write files = ["rtl/my_encoder.sv"] or filelists = ["my_ip.f"], relative to this'
            " folder"
        )
    return Sources(tuple(dict.fromkeys(files)), tuple(dict.fromkeys(include_dirs)), defines)


def _texts(given: Mapping[str, Any], key: str) -> list[str]:
    value = given.get(key, [])
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise SourceError(f'[sources] {key} = {value!r} is no list of paths; write {key} = ["path", "path"]')
    return value


def _path(text: str, base: Path) -> Path:
    def value(match: re.Match[str]) -> str:
        name = next(group for group in match.groups() if group)
        if name in os.environ:
            return os.environ[name]
        if name.startswith(_PACKAGES):
            return _package(text, name)
        raise SourceError(
            f"{text} needs ${name}, which is not set in the environment; set it (`export {name}=...`), or write the"
            " path out"
        )

    path = Path(_VARIABLE.sub(value, text)).expanduser()
    return Path(os.path.normpath(path if path.is_absolute() else base / path))


def _package(text: str, name: str) -> str:
    """The folder of a Python package with RTL."""
    found = importlib.util.find_spec(name)
    if found is None or found.origin is None:
        raise SourceError(
            f"{text} needs the package {name.replace('_', '-')}, which is not installed; type"
            f" `.venv/bin/python -m pip install -r {CORES}`"
        )
    return str(Path(found.origin).parent)


def _matching(where: str, text: str, base: Path) -> list[Path]:
    """The files that a path or a pattern names, in alphabetical order."""
    path = _path(text, base)
    if not glob.has_magic(str(path)):
        return [_file(where, path)]
    found = [Path(one) for one in sorted(glob.glob(str(path), recursive=True)) if Path(one).is_file()]
    if not found:
        raise SourceError(
            f"{where} matches no file below {base}; correct the pattern (paths are relative to that folder)"
        )
    return found


def _file(where: str, path: Path) -> Path:
    if path.is_dir():
        raise SourceError(f'{where} is a folder; name the files in it, such as "{path.name}/*.sv"')
    if not path.is_file():
        raise SourceError(
            f"{where} does not exist ({path}); correct the path (it is relative to the file that names it)"
        )
    return path


def _folder(where: str, path: Path) -> Path:
    if not path.is_dir():
        raise SourceError(f"{where} is no folder ({path}); correct the path (it is relative to the file that names it)")
    return path


def _file_list(path: Path, files: list[Path], include_dirs: list[Path], defines: dict[str, str], depth: int) -> None:
    """A .f file: paths, +incdir+, +define+, -f, -F, -I, -D, -v; relative to its own folder."""
    if depth > _DEPTH:
        raise SourceError(f"{path} is named by a file list that it names itself; take one of the lines away")
    base = path.parent
    text = re.sub(r"/\*.*?\*/", " ", path.read_text(), flags=re.S)
    words = [word for line in text.splitlines() for word in re.sub(r"(^|\s)(//|#).*", "", line).split()]
    rest = iter(words)
    for word in rest:
        where = f"{path}: {word}"
        if word in ("-f", "-F", "-v"):
            named = next(rest, None)
            if named is None:
                raise SourceError(f"{where} is not followed by a file; add one")
            target = _file(f"{where} {named}", _path(named, base))
            if word == "-v":
                files.append(target)
            else:
                _file_list(target, files, include_dirs, defines, depth + 1)
        elif word.startswith("+incdir+"):
            include_dirs += [_folder(where, _path(one, base)) for one in word.split("+")[2:] if one]
        elif word.startswith("-I"):
            include_dirs.append(_folder(where, _path(word[2:] or next(rest, "."), base)))
        elif word.startswith(("+define+", "-D")):
            for one in word.split("+")[2:] if word.startswith("+") else [word[2:]]:
                name, _, value = one.partition("=")
                if not _DEFINE.fullmatch(name):
                    raise SourceError(f"{where}: {name!r} is no name of a macro; write +define+NAME=value")
                defines[name] = value
        elif word.startswith(("-", "+")):
            raise SourceError(
                f"{where} is not understood; file lists may have paths, -f, -F, -v, -I, -D, +incdir+ and +define+, take"
                " it away"
            )
        else:
            files += _matching(where, word, base)
