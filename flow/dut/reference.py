# SPDX-License-Identifier: Apache-2.0
"""The place an IP is put into: the top of our RTL with its ports, elaborated for a build, and what else of ours its
testbench is made of.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from rvtrace.flow.dut.elaborate import Elaborated, Port, instances, ports
from rvtrace.flow.simulation import sources
from rvtrace.jobs.builds import ROOT

_SCOPED = re.compile(r"\b([A-Za-z_]\w*)\s*::")
_PACKAGE = re.compile(r"^\s*package\s+(\w+)", re.M)


@dataclass(frozen=True)
class Reference:
    """The top of our RTL in one build.

    name: of the module. header: its source up to the end of the port list, comments and all. ports: by name.
    parameters: its parameters by name, with their values. files: of rtl/ that the testbench needs beside it. taken:
    module and package names that the simulation has already, with their files.
    """

    name: str
    header: str
    ports: dict[str, Port]
    parameters: dict[str, str]
    files: tuple[Path, ...]
    taken: dict[str, str]

    @property
    def groups(self) -> list[tuple[str, list[Port]]]:
        """The ports, grouped by the comment above them in the source; clock and reset are below ""."""
        found: list[tuple[str, list[Port]]] = [("", [])]
        comment: list[str] = []
        for line in self.header.splitlines():
            text = line.strip()
            if text.startswith("//") and not line.startswith("//") and not line[:30].isspace():
                comment.append(text[2:].strip())
            elif (match := _LINE.match(text)) and match[1] in self.ports:
                if comment:
                    found.append((" ".join(comment), []))
                    comment = []
                found[-1][1].append(self.ports[match[1]])
            elif text and not text.startswith("//"):
                comment = []
        return found


_LINE = re.compile(r"(?:input|output|inout)\b.*?(\w+)\s*,?\s*(?://\s*(.*))?$")


@lru_cache(maxsize=64)
def reference(system: Any, build: Any) -> Reference:
    """That of a system, in a build of it."""
    bench, name = build.bench, system.synthesis_top
    files = sources(ROOT / "rtl", bench)
    whole = Elaborated(files, bench.top, build.parameters)
    instance = whole.instance(name)
    header = str(instance.definition.syntax.header)
    comments = _comments(header)
    found = {
        key: Port(p.name, p.direction, p.width, p.kind, comments.get(key, "")) for key, p in ports(instance).items()
    }
    needed = _needed(whole, files, instance, header)
    kept = {str(path) for path in [*needed, *(f for f in files if not f.is_relative_to(ROOT / "rtl"))]}
    taken = {module: str(Path(path).relative_to(ROOT)) for module, path in whole.defined.items() if path in kept}
    values = {p.name: str(p.value) for p in instance.body.parameters if not p.isLocalParam}
    return Reference(name, header, found, values, tuple(needed), taken)


def _comments(header: str) -> dict[str, str]:
    """The comment in the line of a port, and in those below it that hold nothing else."""
    found: dict[str, str] = {}
    last = ""
    for line in header.splitlines():
        text = line.strip()
        if match := _LINE.match(text):
            last = match[1]
            found[last] = match[2] or ""
        elif text.startswith("//") and line[:30].isspace() and found.get(last):
            found[last] += f" {text[2:].strip()}"
        else:
            last = ""
    return found


def _needed(whole: Elaborated, files: list[Path], instance: Any, header: str) -> list[Path]:
    """The files of rtl/ that the testbench is made of without the instance, and the packages that these and its header
    use.
    """
    inside = {one.hierarchicalPath for one in (instance, *instances(instance.body))}
    modules = {one.definition.name for one in instances(whole.top.body) if one.hierarchicalPath not in inside}
    texts = {path: path.read_text() for path in files}
    chosen = {path for path in files if not path.is_relative_to(ROOT / "rtl")}
    chosen |= {Path(whole.defined[module]) for module in modules}
    packages = {name: path for path, text in texts.items() for name in _PACKAGE.findall(text)}
    wanted = set(_SCOPED.findall(header)) | {name for path in chosen for name in _SCOPED.findall(texts[path])}
    while wanted:
        path = packages.get(wanted.pop())
        if path is not None and path not in chosen:
            chosen.add(path)
            wanted |= set(_SCOPED.findall(texts[path]))
    return [path for path in files if path in chosen and path.is_relative_to(ROOT / "rtl")]
