# SPDX-License-Identifier: Apache-2.0
"""cover.json, its history and the trend between two runs; the exports for viewers,
read back and checked against their grammar.
"""

import json
import subprocess
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from rvtrace.flow.cover import data as cover_data
from rvtrace.flow.cover.code_coverage import FileCoverage
from rvtrace.jobs.arguments import ArgumentError
from rvtrace.tb.common.coverage.export import DOCTYPE, Line, Source, cobertura, export_all, write
from tests.common.there import there
from tests.flow.cover_fakes import FAKE, account, job, result
from tests.tools.captures import ROOT

# coverage-04.dtd: children in their order (* any number), and the attributes that are required.
DTD = {
    "coverage": (
        "sources packages",
        "line-rate branch-rate lines-covered lines-valid branches-covered branches-valid complexity version timestamp",
    ),
    "sources": ("source*", ""),
    "source": ("", ""),
    "packages": ("package*", ""),
    "package": ("classes", "name line-rate branch-rate complexity"),
    "classes": ("class*", ""),
    "class": ("methods lines", "name filename line-rate branch-rate complexity"),
    "methods": ("", ""),
    "lines": ("line*", ""),
    "line": ("conditions*", "number hits"),
    "conditions": ("condition*", ""),
    "condition": ("", "number type coverage"),
}
OPTIONAL = {"line": {"branch", "condition-coverage"}}


def valid(node: ET.Element) -> None:
    children, attributes = DTD[node.tag]
    assert set(attributes.split()) <= set(node.keys()) <= set(attributes.split()) | OPTIONAL.get(node.tag, set())
    expected = [
        name
        for word in children.split()
        for name in ([word[:-1]] * len(node.findall(word[:-1])) if word[-1] == "*" else [word])
    ]
    assert [child.tag for child in node] == expected, node.tag
    for child in node:
        valid(child)


def test_cobertura_of_code_follows_its_dtd_and_keeps_every_count(tmp_path):
    file = FileCoverage("rtl/a/b.sv")
    file.lines.update({3: 7, 4: 0})
    file.points.update({("branch", 3, "if"): 7, ("branch", 3, "else"): 0, ("line", 3, "block"): 7})
    write(cobertura({"rtl/a": [file.source()]}, tmp_path, "1"), tmp_path / "c.xml", DOCTYPE)
    text = (tmp_path / "c.xml").read_text()
    tree = ET.fromstring(text)
    valid(tree)
    assert DOCTYPE in text and (tree.get("lines-covered"), tree.get("lines-valid"), tree.get("branch-rate")) == (
        "1",
        "2",
        "0.5000",
    )
    assert [dict(line.items()) for line in tree.iter("line")] == [
        {"number": "3", "hits": "7", "branch": "true", "condition-coverage": "50% (1/2)"}, {"number": "4", "hits": "0"},
    ]  # fmt: skip
    assert there(tree.find(".//class")).get("filename") == "rtl/a/b.sv"
    assert there(tree.find("sources/source")).text == str(tmp_path)


def test_functional_exports_of_several_systems_keep_every_bin(tmp_path):
    counts = FAKE.merge([result(pair=["RV64 x busy"], depth=["16"])["coverage"]])
    paths = export_all([(FAKE, counts), (replace(FAKE, ip="other"), counts)], tmp_path)
    tree = ET.parse(paths[0]).getroot()
    valid(tree)
    assert tree.get("lines-covered") == "4" and tree.get("lines-valid") == "16"
    for entry in tree.iter("class"):
        name = entry.get("name", "")
        names = (tmp_path / entry.get("filename", "")).read_text().splitlines()
        hits = {names[int(line.get("number", "")) - 1]: int(line.get("hits", "")) for line in entry.iter("line")}
        assert hits == {one: counts[name].get(one, 0) for one in FAKE.by_name[name].reachable}
    read = ET.parse(paths[1]).getroot()
    assert [child.tag for child in read] == [
        "sourceFiles",
        "sourceFiles",
        "historyNodes",
        "instanceCoverages",
        "instanceCoverages",
    ]
    for instance in read.iter("instanceCoverages"):
        for point in instance.iter("coverpoint"):
            bins = {
                b.get("name"): (b.get("type"), int(there(b.find("range/contents")).get("coverageCount", "")))
                for b in point.iter("coverpointBin")
            }
            known = FAKE.by_name[point.get("name", "")]
            assert bins == {
                n: ("ignore" if n in known.unreachable else "bins", counts.get(known.name, {}).get(n, 0))
                for n in known.bins
            }


def test_a_rate_is_rounded_down():
    tree = cobertura({"p": [Source("s", "s", [Line(n, int(n > 0)) for n in range(99_999)])]}, ROOT, "1")
    assert tree.get("line-rate") == "0.9999"


def cover(revision: str, **hits) -> dict:
    known = account()
    known.add(job("a", "random"), result(**hits))
    made = {
        "written": "2026-01-02T03:04:05+00:00",
        "revision": revision,
        "systems": [cover_data.of_system(known, [])],
        "code": None,
    }
    return json.loads(json.dumps(made))


def test_history_keeps_what_changed_and_the_trend_shows_it(tmp_path):
    one, two = cover("abc", pair=["RV64 x busy"]), cover("def", pair=["RV64 x busy", "RV64 x calm"])
    for made in (one, one, two):
        cover_data.remember(tmp_path, cover_data.entry(made))
    entries = cover_data.history(tmp_path)
    assert [entry["revision"] for entry in entries] == ["abc", "def"]
    lines = cover_data.Trend(*entries).lines()
    assert lines[1:] == ["  ctr: 1 of 8 to 2 of 8 bins", "    pair_cg: 1 of 5 to 2 of 5"]
    (tmp_path / "cover.json").write_text(json.dumps(one))
    assert [cover_data.find(tmp_path, name)["revision"] for name in (str(tmp_path), "-1", "1", "ab", "2026-01-02")] == [
        "abc",
        "def",
        "abc",
        "abc",
        "def",
    ]
    with pytest.raises(ArgumentError, match="abc .*def"):
        cover_data.find(tmp_path, "nothing")


def test_trend_needs_two_runs_and_runs_nothing(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "rvtrace.tools.cover", "TREND=1", f"OUT={tmp_path}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 2 and "has 0 runs; a trend needs two" in done.stderr and not list(tmp_path.iterdir())
