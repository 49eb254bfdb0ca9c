# SPDX-License-Identifier: Apache-2.0
"""`make cover` from the command line: one system to the end, once more, and what it says of wrong words."""

import json
import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest

from rvtrace.jobs import systems
from tests.tools.captures import ROOT

IP = "adapter"  # the fastest
BINS = sum(len(point.reachable) for point in systems.bench(IP).definition.points)


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "rvtrace.tools.cover", *words], cwd=ROOT, capture_output=True, text=True, timeout=1800
    )


def test_a_system_is_closed_and_goes_on_where_it_was_interrupted(tmp_path, sim):
    out = tmp_path / "out"
    words = (f"IP={IP}", f"SIM={sim}", f"OUT={out}", "N=2", "CODE=0")
    first = run(*words)
    assert first.returncode == 0, first.stdout + first.stderr
    assert f"PASS  {IP}: {BINS} of {BINS} bins in " in first.stdout and "hole:" not in first.stdout
    cover = json.loads((out / "cover.json").read_text())
    (system,) = cover["systems"]
    assert cover["closed"] and (system["hit"], system["total"], system["bad"], system["holes"]) == (BINS, BINS, 0, [])
    assert system["runs"] == len(list((out / "runs" / IP).glob("*/result.json"))) and system["cpu"]["runs"] > 0
    assert ET.parse(out / "functional.cobertura.xml").getroot().get("lines-covered") == str(BINS)
    last = max((out / "runs" / IP).glob("process-*/jobs.json"), key=lambda path: path.stat().st_mtime)
    for job in json.loads(last.read_text()):  # it was killed before the last process ended
        for path in (out / "runs" / IP / job["name"]).glob("result.json"):
            path.write_text(path.read_text()[:100])
    again = run(*words)
    kept = system["runs"] - len(json.loads(last.read_text()))
    assert again.returncode == 0 and (f"{kept} runs were there before; going on" in again.stdout or not kept), (
        again.stdout + again.stderr
    )
    assert json.loads((out / "cover.json").read_text())["systems"][0]["hit"] == BINS


def test_time_that_is_up_leaves_holes_with_what_to_try(tmp_path, sim):
    out = tmp_path / "out"
    done = run(f"IP={IP}", f"SIM={sim}", f"OUT={out}", "N=1", "CODE=0", "SEEDS=1", "BUDGET=0.001")
    assert done.returncode == 1 and "the time was up, the same command goes on" in done.stdout
    holes = json.loads((out / "cover.json").read_text())["systems"][0]["holes"]
    assert holes and all(set(hole) == {"point", "bin", "try", "why", "near"} and hole["why"] for hole in holes)
    assert done.stdout.count("hole: ") == min(len(holes), 40)


@pytest.mark.parametrize(("words", "said"), [
    (("IP=nothing",), "IP=nothing is not built"), (("BUDGET=soon",), "BUDGET=soon is no number of minutes"),
    (("CODE=2",), "CODE=2 is not a switch"),
    (("A=nothing", "TREND=1"), "nothing is no cover.json"),
])  # fmt: skip
def test_wrong_words_are_refused_in_a_sentence(tmp_path, words, said):
    done = run(*words, f"OUT={tmp_path}")
    assert done.returncode == 2 and said in done.stderr and "Traceback" not in done.stderr
