# SPDX-License-Identifier: Apache-2.0
"""The design that is mutated: its files, what is built of it, and which parts of a file no build has.

Our RTL is a folder like rtl/; a device of a user is its workspace (rvtrace.flow.dut), with the sources of its dut.toml.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pyslang
from pyslang import ast, parsing, syntax

from rvtrace.flow.faults.runner import changed
from rvtrace.flow.simulation import sources
from rvtrace.jobs.builds import ROOT, BuildConfig

_LARGE = 30  # files
Ranges = dict[str, set[tuple[int, int]]]


class DesignError(ValueError):
    """A design that cannot be mutated; the text says why."""


@dataclass
class Design:
    """Files by name: below rtl/, or for a device the path as its description has it.

    paths: where each file is. mutated: those that get mutants. builds: how it is elaborated. folder: what takes the
    place of rtl/. include_dirs, defines: of a device. listed: of a device, the files.f that names its files.
    """

    paths: dict[str, Path]
    mutated: list[str]
    builds: list[BuildConfig]
    folder: Path = ROOT / "rtl"
    include_dirs: Sequence[Path] = ()
    defines: Mapping[str, str] = field(default_factory=dict)
    device: bool = False
    _kept: list[Any] = field(default_factory=list, repr=False)
    _known: dict[BuildConfig, tuple[Ranges, Ranges]] = field(default_factory=dict, repr=False)

    @cached_property
    def texts(self) -> dict[str, str]:
        """The text of each file."""
        found = {}
        for name, path in self.paths.items():
            try:
                found[name] = path.read_bytes().decode()
            except UnicodeDecodeError:
                raise DesignError(f"{path} is not UTF-8; convert it, or leave it out of the sources") from None
        return found

    @cached_property
    def digest(self) -> str:
        """Of all files that a build reads."""
        digest = hashlib.sha256()
        for name in sorted(self.paths):
            digest.update(f"{name}\0{self.texts[name]}\0".encode())
        return digest.hexdigest()[:16]

    def elaborates(self, name: str, text: str) -> bool:
        """Whether the builds still do with another text of a file; of a large design the first of them."""
        builds = self.builds[:1] if len(self.paths) > _LARGE else self.builds
        return all(self.elaborates_in(build, name, text) for build in builds)

    def elaborates_in(self, build: BuildConfig, name: str, text: str) -> bool:
        """Whether one build does."""
        return not self._errors(build, name, text)

    def check(self) -> None:
        """DesignError if the unchanged design does not elaborate."""
        for build in self.builds:
            errors = self._errors(build, "", "")
            if errors:
                raise DesignError(f"the unchanged design does not elaborate, as slang reads it: {errors[0]}")

    def dead(self, name: str, offset: int, build: BuildConfig | None = None) -> bool:
        """Whether a place of a file is in a module or generate block that a build does not have, or none has."""
        live, absent = self._parts if build is None else self._parts_of(build)
        if name not in live:
            return True
        inner = min(
            (one for one in live[name] | absent.get(name, set()) if one[0] <= offset < one[1]),
            key=lambda one: one[1] - one[0],
            default=None,
        )
        return inner is None or inner not in live[name]

    def reads(self, name: str) -> bool:
        """Whether a name occurs anywhere beside its declaration; always for the empty name."""
        return not name or self._words[name] > 1

    @cached_property
    def asserts(self) -> bool:
        """Whether there are assertions: in the files, or in those that only Verilator reads."""
        return any(self.folder.glob("*/files_verilator.f")) or any(
            re.search(r"\bassert\b", text) for text in self.texts.values()
        )

    @cached_property
    def _words(self) -> Counter[str]:
        silent = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
        return Counter(
            word
            for name, text in self.texts.items()
            if not name.endswith("_assert.sv")
            for word in re.findall(r"\w+", silent.sub(" ", text))
        )

    def tops(self, build: BuildConfig) -> list[Any]:
        """The top modules of a build, elaborated. They live as long as what this keeps."""
        compilation, *_ = kept = self._compiled(build, "", "")
        self._kept.append(kept)
        return list(compilation.getRoot().topInstances)

    def copied(self, place: Path, files: Mapping[str, str]) -> Path:
        """A folder that takes the place of `folder` in builds, with some files changed."""
        if not self.device:
            return changed(self.folder, place, files)
        changed(self.folder, place, {})
        moved = {}
        for number, (name, text) in enumerate(files.items()):
            copy = place / "mutated" / str(number) / Path(name).name
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(text)
            moved[str(self.paths[name])] = str(copy)
        for listed in place.glob("*/files.f"):
            lines = [moved.get(line, line) for line in listed.read_text().splitlines()]
            listed.write_text("\n".join(line.replace(str(self.folder), str(place)) for line in lines) + "\n")
        return place

    @cached_property
    def _parts(self) -> tuple[Ranges, Ranges]:
        """Of each file the modules, packages and generate blocks that a build has, and the blocks that none has."""
        live: Ranges = {}
        absent: Ranges = {}
        for build in self.builds:
            for into, found in zip((live, absent), self._parts_of(build)):
                for name, ranges in found.items():
                    into.setdefault(name, set()).update(ranges)
        return live, {name: ranges - live.get(name, set()) for name, ranges in absent.items()}

    def _parts_of(self, build: BuildConfig) -> tuple[Ranges, Ranges]:
        """The same of one build. A module may be there twice, with different blocks."""
        if build in self._known:
            return self._known[build]
        live: Ranges = {}
        absent: Ranges = {}
        compilation, _, buffers = self._compiled(build, "", "")
        names = {buffer: name for name, buffer in buffers.items()}

        def note(into: Ranges, node: Any) -> None:
            if node is None:
                return
            where = node.sourceRange
            name = names.get(where.start.buffer)
            if name is not None:
                into.setdefault(name, set()).add((where.start.offset, where.end.offset))

        root = compilation.getRoot()
        for package in compilation.getPackages():
            note(live, package.syntax)
        for top in root.topInstances:
            _visit(top, lambda node: note(live, node), lambda node: note(absent, node))
        found = live, {name: ranges - live.get(name, set()) for name, ranges in absent.items()}
        self._known[build] = found
        return found

    def _compiled(self, build: BuildConfig, name: str, text: str) -> tuple[Any, Any, dict[str, Any]]:
        manager = pyslang.SourceManager()
        pre, options = parsing.PreprocessorOptions(), ast.CompilationOptions()
        pre.additionalIncludePaths = [str(folder) for folder in self.include_dirs]
        pre.predefines = [f"{key}={value}" for key, value in self.defines.items()]
        options.flags |= ast.CompilationFlags.AllowUseBeforeDeclare  # as simulators do
        options.topModules = {build.bench.top}
        options.paramOverrides = [f"{key}={value}" for key, value in build.parameters.items()]
        bag = pyslang.Bag([options, pre])
        compilation = ast.Compilation(bag)
        buffers: dict[str, Any] = {}
        listed = []
        known = {path.resolve(): key for key, path in self.paths.items()}
        for path in sources(self.folder, build.bench):
            if path.suffix == ".f":
                continue
            key = known.get(path.resolve())
            said = text if key == name and key is not None else self.texts[key] if key else path.read_text()
            buffer = manager.assignText(str(path), said)
            if key:
                buffers[key] = buffer.id
            listed.append(buffer)
        compilation.addSyntaxTree(syntax.SyntaxTree.fromBuffers(listed, manager, bag))
        return compilation, manager, buffers

    def _errors(self, build: BuildConfig, name: str, text: str) -> list[str]:
        compilation, manager, _ = self._compiled(build, name, text)
        engine = pyslang.DiagnosticEngine(manager)
        return [engine.formatMessage(one) for one in compilation.getAllDiagnostics() if one.isError()]


def _visit(instance: Any, live: Any, absent: Any) -> None:
    live(instance.definition.syntax)
    _blocks(instance.body, live, absent)


def _blocks(scope: Any, live: Any, absent: Any) -> None:
    for member in scope:
        if member.kind == ast.SymbolKind.Instance:
            _visit(member, live, absent)
        elif member.kind == ast.SymbolKind.InstanceArray:
            _blocks(member, live, absent)
        elif member.kind == ast.SymbolKind.GenerateBlock:
            if member.isUninstantiated:
                absent(member.syntax)
            else:
                live(member.syntax)
                _blocks(member, live, absent)
        elif member.kind == ast.SymbolKind.GenerateBlockArray:
            _blocks(member, live, absent)


def names_below(folder: Path, found: Iterable[Path]) -> dict[str, Path]:
    """Files by their names below a folder."""
    return {str(path.relative_to(folder)): path for path in found if path.is_relative_to(folder)}
