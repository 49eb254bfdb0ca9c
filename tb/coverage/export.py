"""Coverage for viewers that exist: Cobertura XML (any CI) and UCIS 1.0 XML (PyUCIS and commercial tools)."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree as ET

from tb.coverage.model import Definition

Hits = Mapping[str, Mapping[str, int]]


def export(definition: Definition, counts: Hits, folder: Path) -> list[Path]:
    """Write `<ip>.cobertura.xml`, `<ip>.ucis.xml` and one text per point (a bin a line), which Cobertura viewers show
    as its source; returns the paths."""
    sources = folder / definition.ip
    sources.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{definition.ip}.cobertura.xml", folder / f"{definition.ip}.ucis.xml"]
    for path, tree in zip(paths, (cobertura(definition, counts, folder), ucis(definition, counts))):
        ET.indent(tree)
        ET.ElementTree(tree).write(path, encoding="utf-8", xml_declaration=True)
    for point in definition.points:
        path = sources / f"{point.name}.txt"
        path.write_text("".join(f"{name}\n" for name in point.reachable))
        paths.append(path)
    return paths


def cobertura(definition: Definition, counts: Hits, folder: Path) -> ET.Element:
    """A class for each point, a line for each reachable bin."""
    hit, total = definition.hit(counts)

    def rates(covered: int, valid: int) -> dict[str, str]:
        return {"line-rate": f"{covered / valid if valid else 1:.4f}", "branch-rate": "0", "complexity": "0"}

    root = ET.Element(
        "coverage",
        {**rates(hit, total), "lines-covered": str(hit), "lines-valid": str(total), "branches-covered": "0",
         "branches-valid": "0", "version": definition.hash, "timestamp": str(int(time.time()))},
    )  # fmt: skip
    ET.SubElement(ET.SubElement(root, "sources"), "source").text = str(folder)
    package = ET.SubElement(ET.SubElement(root, "packages"), "package", {"name": definition.ip, **rates(hit, total)})
    classes = ET.SubElement(package, "classes")
    for point in definition.points:
        valid = len(point.reachable)
        place = {"name": point.name, "filename": f"{definition.ip}/{point.name}.txt"}
        entry = ET.SubElement(classes, "class", {**place, **rates(valid - len(point.holes(counts)), valid)})
        ET.SubElement(entry, "methods")
        lines = ET.SubElement(entry, "lines")
        for number, name in enumerate(point.reachable, 1):
            ET.SubElement(lines, "line", {"number": str(number), "hits": str(counts.get(point.name, {}).get(name, 0))})
    return root


def ucis(definition: Definition, counts: Hits) -> ET.Element:
    """One instance with a covergroup for each point; excluded bins are ignore bins."""
    now = time.strftime("%Y-%m-%dT%H:%M:%S")
    root = ET.Element("UCIS", {"writtenBy": "tools.report", "writtenTime": now, "ucisVersion": "1.0"})
    ET.SubElement(root, "sourceFiles", {"fileName": "tb/coverage/points.py", "id": "1"})
    history = {"historyNodeId": "0", "logicalName": definition.ip, "physicalName": definition.ip, "kind": "merge",
               "testStatus": "true", "date": now, "toolCategory": "simulator", "ucisVersion": "1.0", "vendorId": "none",
               "vendorTool": "none", "vendorToolVersion": definition.hash}  # fmt: skip
    ET.SubElement(root, "historyNodes", history)
    instance = ET.SubElement(root, "instanceCoverages", {"name": definition.ip, "key": "0", "moduleName": definition.ip})
    _place(instance, "id")
    group = ET.SubElement(instance, "covergroupCoverage")
    for number, point in enumerate(definition.points):
        inside = ET.SubElement(group, "cgInstance", {"name": point.name, "key": str(number), "excluded": "false"})
        ET.SubElement(inside, "options")
        kind = ET.SubElement(inside, "cgId", {"cgName": point.name, "moduleName": definition.ip})
        _place(kind, "cginstSourceId")
        _place(kind, "cgSourceId")
        point_node = ET.SubElement(inside, "coverpoint", {"name": point.name, "key": "0", "exprString": point.what})
        ET.SubElement(point_node, "options")
        for index, name in enumerate(point.bins):
            bin_kind = "ignore" if name in point.unreachable else "bins"
            bin_node = ET.SubElement(point_node, "coverpointBin", {"name": name, "type": bin_kind, "key": str(index)})
            span = ET.SubElement(bin_node, "range", {"from": str(index), "to": str(index)})
            hits = counts.get(point.name, {}).get(name, 0)
            ET.SubElement(span, "contents", {"coverageCount": str(hits)})
    return root


def _place(parent: ET.Element, tag: str) -> None:
    ET.SubElement(parent, tag, {"file": "1", "line": "1", "inlineCount": "1"})
