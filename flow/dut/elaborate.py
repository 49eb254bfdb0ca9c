# SPDX-License-Identifier: Apache-2.0
"""SystemVerilog read and elaborated with slang: which modules files define, what ports they have with which widths, and
what is wrong with them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyslang
from pyslang import ast, parsing, syntax

_NAMED = re.compile(r"[A-Za-z_]\w*(::[A-Za-z_]\w*)?")  # a type of a package, or outside all modules
UNKNOWN = "of an unknown type"  # as a package is missing
TEXT = "wrapper"  # the name of a text in messages
# What no simulator would get over, in whatever file
FATAL = ("UnknownModule", "CouldNotOpenIncludeFile", "UnknownDirective", "UnknownPackage", "UnknownPackageMember")
_UNCONNECTED = ("Unconnected", "InterfacePortNotConnected")  # of a probe that connects nothing


@dataclass(frozen=True)
class Port:
    """A port of a module. direction: "input", "output" or "inout". width: bits, 0 if it is none of a vector, with kind
    saying what it is.

    comment: what its line in the source has after //. type: the name of its enum, struct or union, as it is known
    outside its module; "" if it has none.
    """

    name: str
    direction: str
    width: int
    kind: str = ""
    comment: str = ""
    type: str = ""


@dataclass(frozen=True)
class Trouble:
    """What slang says about a source: at (file name:line), the sentence, its code, and whether it is an error."""

    at: str
    text: str
    code: str
    error: bool
    path: str = ""


class Elaborated:
    """Files and texts elaborated below one top module."""

    def __init__(self, files: Sequence[Path], top: str, parameters: Mapping[str, Any], text: str = "",
                 include_dirs: Iterable[Path] = (), defines: Mapping[str, str] | None = None) -> None:  # fmt: skip
        self.manager = pyslang.SourceManager()
        pre = parsing.PreprocessorOptions()
        pre.additionalIncludePaths = [str(folder) for folder in include_dirs]
        pre.predefines = [f"{name}={value}" if value else f"{name}=" for name, value in (defines or {}).items()]
        options = ast.CompilationOptions()
        options.topModules = {top}
        options.paramOverrides = [f"{name}={value}" for name, value in parameters.items()]
        bag = pyslang.Bag([options, pre])
        self.compilation = ast.Compilation(bag)
        self.defined: dict[str, str] = {}
        # One unit of compilation, as both simulators take the files: macros of one are known in the next.
        if files:
            self.compilation.addSyntaxTree(
                syntax.SyntaxTree.fromFiles([str(path) for path in files], self.manager, bag)
            )
        if text:
            self.compilation.addSyntaxTree(syntax.SyntaxTree.fromText(text, self.manager, TEXT, f"{TEXT}.sv", bag))
        for definition in self.compilation.getDefinitions():
            self.defined[definition.name] = self._path(definition.location)
        for package in self.compilation.getPackages():
            if package.name != "std":
                self.defined[package.name] = self._path(package.location)
        root = self.compilation.getRoot()
        self.top: Any = next((instance for instance in root.topInstances if instance.name == top), None)

    def _path(self, place: Any) -> str:
        """The file of a location, absolute: slang gives it relative to the working directory."""
        return str(Path(str(self.manager.getFileName(place))).resolve())

    def instance(self, module: str) -> Any:
        """The first instance of a module below the top, or None."""
        return (
            next((one for one in instances(self.top.body) if one.definition.name == module), None)
            if self.top is not None
            else None
        )

    def troubles(self) -> list[Trouble]:
        """What slang found, in the order of the sources."""
        engine = pyslang.DiagnosticEngine(self.manager)
        found = []
        for one in self.compilation.getAllDiagnostics():
            code = str(one.code).removeprefix("DiagCode(").removesuffix(")")
            if code.startswith(_UNCONNECTED):
                continue
            place = self.manager.getFullyExpandedLoc(one.location)
            path = self._path(place)
            found.append(
                Trouble(
                    f"{Path(path).name}:{self.manager.getLineNumber(place)}",
                    engine.formatMessage(one),
                    code,
                    one.isError(),
                    path,
                )
            )
        return found


def instances(scope: Any) -> Iterator[Any]:
    """Every instance of a module below a body, through generate blocks."""
    for member in scope:
        if member.kind == ast.SymbolKind.Instance:
            yield member
            yield from instances(member.body)
        elif member.kind in (
            ast.SymbolKind.GenerateBlock,
            ast.SymbolKind.GenerateBlockArray,
            ast.SymbolKind.InstanceArray,
        ):
            if getattr(member, "isUninstantiated", False):
                continue
            yield from instances(member)


def ports(instance: Any) -> dict[str, Port]:
    """The ports of an instance by name, in their order."""
    found = {}
    for port in instance.body.portList:
        if port.kind != ast.SymbolKind.Port:
            found[port.name] = Port(port.name, "inout", 0, "an interface")
            continue
        direction = {"In": "input", "Out": "output"}.get(port.direction.name, "inout")
        plain = bool(port.type.isIntegral)
        kind = "" if plain else UNKNOWN if port.type.isError else f"of type {port.type}"
        named = port.type.isEnum or port.type.isStruct or port.type.isPackedUnion
        if port.type.isEnum and not _NAMED.fullmatch(str(port.type)):
            plain, kind = False, "of an enum type that its module declares"
        found[port.name] = Port(
            port.name,
            direction,
            port.type.bitWidth if plain else 0,
            kind,
            type=str(port.type) if named and _NAMED.fullmatch(str(port.type)) else "",
        )
    return found


def constant(instance: Any, name: str) -> int | None:
    """The value of a parameter or localparam of an instance, None if it has none."""
    symbol = instance.body.lookupName(name)
    try:
        return int(symbol.value.convertToInt().value)
    except (AttributeError, TypeError, ValueError, RuntimeError):
        return None
