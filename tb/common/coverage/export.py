# SPDX-License-Identifier: Apache-2.0
"""Coverage for viewers that exist: Cobertura XML (any CI) and UCIS 1.0 XML (PyUCIS and commercial tools).

Cobertura: the order of elements and the attributes of its coverage-04.dtd. UCIS: those of the schema in the UCIS 1.0
standard.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

from rvtrace.jobs import files
from rvtrace.jobs.coverage import Definition

Hits = Mapping[str, Mapping[str, int]]
All = Iterable[tuple[Definition, Hits]]
DOCTYPE = '<!DOCTYPE coverage SYSTEM "http://cobertura.sourceforge.net/xml/coverage-04.dtd">'


@dataclass(frozen=True)
class Line:
    """A line of a source. branches: the hits of each branch that begins there."""

    number: int
    hits: int
    branches: tuple[int, ...] = ()


@dataclass(frozen=True)
class Source:
    """A file with lines that count. path: relative to the folder of the sources."""

    name: str
    path: str
    lines: list[Line]


def export(definition: Definition, counts: Hits, folder: Path) -> list[Path]:
    """Write `<ip>.cobertura.xml`, `<ip>.ucis.xml` and one text per point (a bin a line), which Cobertura viewers show
    as its source; returns the paths."""
    return export_all([(definition, counts)], folder, definition.ip)


def export_all(systems: All, folder: Path, name: str = "functional") -> list[Path]:
    """The same of several systems in one file each: `<name>.cobertura.xml` and `<name>.ucis.xml`."""
    known = list(systems)
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{name}.cobertura.xml", folder / f"{name}.ucis.xml"]
    packages = {definition.ip: _sources(definition, counts) for definition, counts in known}
    write(cobertura(packages, folder, "+".join(definition.hash for definition, _ in known)), paths[0], DOCTYPE)
    write(ucis(known), paths[1])
    for definition, _ in known:
        for point in definition.points:
            path = folder / definition.ip / f"{point.name}.txt"
            path.parent.mkdir(exist_ok=True)
            path.write_text("".join(f"{name}\n" for name in point.reachable))
            paths.append(path)
    return paths


def write(tree: ET.Element, path: Path, doctype: str = "") -> None:
    """A tree as a file."""
    ET.indent(tree)
    text = ET.tostring(tree, encoding="unicode")
    files.write(path, "\n".join(filter(None, ['<?xml version="1.0" encoding="utf-8"?>', doctype, text])) + "\n")


def _sources(definition: Definition, counts: Hits) -> list[Source]:
    """A source for each point, a line for each reachable bin."""
    return [
        Source(point.name, f"{definition.ip}/{point.name}.txt",
               [Line(n, counts.get(point.name, {}).get(name, 0)) for n, name in enumerate(point.reachable, 1)])
        for point in definition.points
    ]  # fmt: skip


def cobertura(packages: Mapping[str, list[Source]], folder: Path, version: str) -> ET.Element:
    """A package for each entry, a class for each of its sources; `folder` is what their paths begin at."""
    every = [source for sources in packages.values() for source in sources]
    hit, lines, taken, branches = _sums(every)
    root = ET.Element(
        "coverage",
        {**_rates(every), "lines-covered": str(hit), "lines-valid": str(lines), "branches-covered": str(taken),
         "branches-valid": str(branches), "version": version, "timestamp": str(int(time.time()))},
    )  # fmt: skip
    ET.SubElement(ET.SubElement(root, "sources"), "source").text = str(folder)
    below = ET.SubElement(root, "packages")
    for name, sources in packages.items():
        classes = ET.SubElement(ET.SubElement(below, "package", {"name": name, **_rates(sources)}), "classes")
        for source in sources:
            entry = ET.SubElement(classes, "class", {"name": source.name, "filename": source.path, **_rates([source])})
            ET.SubElement(entry, "methods")
            into = ET.SubElement(entry, "lines")
            for line in source.lines:
                node = ET.SubElement(into, "line", {"number": str(line.number), "hits": str(line.hits)})
                if line.branches:
                    good = sum(hits > 0 for hits in line.branches)
                    share = f"{100 * good // len(line.branches)}%"
                    node.attrib |= {"branch": "true", "condition-coverage": f"{share} ({good}/{len(line.branches)})"}
                    conditions = ET.SubElement(node, "conditions")
                    ET.SubElement(conditions, "condition", {"number": "0", "type": "jump", "coverage": share})
    return root


def _sums(sources: Iterable[Source]) -> tuple[int, int, int, int]:
    """Lines hit, lines, branches taken, branches."""
    lines = [line for source in sources for line in source.lines]
    branches = [hits for line in lines for hits in line.branches]
    return sum(line.hits > 0 for line in lines), len(lines), sum(hits > 0 for hits in branches), len(branches)


def _rates(sources: Iterable[Source]) -> dict[str, str]:
    hit, lines, taken, branches = _sums(sources)
    return {"line-rate": _rate(hit, lines), "branch-rate": _rate(taken, branches), "complexity": "0"}


def _rate(hit: int, count: int) -> str:
    """Rounded down, so that 1 means all."""
    return f"{10000 * hit // count / 10000 if count else 1:.4f}"


def ucis(systems: All) -> ET.Element:
    """An instance for each system, in it a covergroup for each point; excluded bins are ignore bins."""
    known = list(systems)
    now = time.strftime("%Y-%m-%dT%H:%M:%S")
    root = ET.Element("UCIS", {"writtenBy": "rvtrace report", "writtenTime": now, "ucisVersion": "1.0"})
    for number, (definition, _) in enumerate(known, 1):
        ET.SubElement(root, "sourceFiles", {"fileName": f"{definition.ip}/points.txt", "id": str(number)})
    name = "+".join(definition.ip for definition, _ in known)
    ET.SubElement(root, "historyNodes", {
        "historyNodeId": "0", "logicalName": name, "physicalName": name, "kind": "merge",
        "testStatus": "true", "date": now, "toolCategory": "simulator", "ucisVersion": "1.0", "vendorId": "none",
        "vendorTool": "none", "vendorToolVersion": "+".join(definition.hash for definition, _ in known),
    })  # fmt: skip
    for number, (definition, counts) in enumerate(known, 1):
        place = {"name": definition.ip, "key": str(number - 1), "moduleName": definition.ip}
        instance = ET.SubElement(root, "instanceCoverages", place)
        _place(instance, "id", number)
        _covergroups(instance, definition, counts, number)
    return root


def _covergroups(instance: ET.Element, definition: Definition, counts: Hits, file: int) -> None:
    group = ET.SubElement(instance, "covergroupCoverage")
    for number, point in enumerate(definition.points):
        inside = ET.SubElement(group, "cgInstance", {"name": point.name, "key": str(number), "excluded": "false"})
        ET.SubElement(inside, "options")
        kind = ET.SubElement(inside, "cgId", {"cgName": point.name, "moduleName": definition.ip})
        _place(kind, "cginstSourceId", file)
        _place(kind, "cgSourceId", file)
        node = ET.SubElement(inside, "coverpoint", {"name": point.name, "key": "0", "exprString": point.what})
        ET.SubElement(node, "options")
        for index, name in enumerate(point.bins):
            bin_kind = "ignore" if name in point.unreachable else "bins"
            bin_node = ET.SubElement(node, "coverpointBin", {"name": name, "type": bin_kind, "key": str(index)})
            span = ET.SubElement(bin_node, "range", {"from": str(index), "to": str(index)})
            ET.SubElement(span, "contents", {"coverageCount": str(counts.get(point.name, {}).get(name, 0))})


def _place(parent: ET.Element, tag: str, file: int) -> None:
    ET.SubElement(parent, tag, {"file": str(file), "line": "1", "inlineCount": "1"})
