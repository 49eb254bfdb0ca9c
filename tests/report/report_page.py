# SPDX-License-Identifier: Apache-2.0
"""Result files for the report's tests, and the page that comes of them, parsed."""

import copy
import json
from html.parser import HTMLParser

from rvtrace.tb.ntrace.coverage.points import NTRACE
from tests.tools.captures import run

PLAN = """
[clause."NT-1"]
section = "8.3"
level = "shall"
what = "HIST <polarity>"
[clause."NT-4"]
section = "9.2"
level = "shall"
what = "return"
[clause."NT-15"]
section = "8.7"
level = "shall"
what = "timestamps"
status = "later"
reason = "comes with timestamps"
"""
SECONDS = {"total": 1.0, "simulator": 0.5, "transport": 0.1, "encoder": 0.1, "decoder": 0.1, "scoreboard": 0.1}
GOOD = {
    "ip": "ntrace",
    "name": "sort-htm",
    "source": "program:sort",
    "sim": "verilator",
    "drive": "bulk",
    "seed": 1,
    "config": {"mode": "htm", "variant": "v1_0", "xlen": 64},
    "verdict": "PASS",
    "error": None,
    "clauses": {"NT-1": [1200, 0], "NT-4": [30, 0]},
    "failures": [],
    "coverage": {"definition": {NTRACE.hash: 1}, "iretire_cg": {"1": 3, "2": 1}},
    "stats": {
        "instructions": 1000,
        "bytes": 100,
        "bits_per_instruction": 0.8,
        "messages": 9,
        "cycles": 1000,
        "seconds": SECONDS,
    },
    "rerun": "make run IP=ntrace SOURCE=program:sort",
}
TEXT = "FAIL NT-4  message 17 is wrong\n  fields    I-CNT <12>\n  rerun     make run IP=ntrace SEED=7"


class Page(HTMLParser):
    """Table rows by section id, text, and every address the page would load."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.text, self.loads, self._section, self._cell = {}, "", [], "top", None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.loads += [attrs[k] for k in ("src", "href") if k in attrs and not (attrs[k] or "").startswith("#")]
        if tag == "section":
            self._section = attrs["id"]
        elif tag == "tr":
            self.rows.setdefault(self._section, []).append([])
        elif tag in ("td", "th"):
            self.rows[self._section][-1].append("")

    def handle_data(self, data):
        self.text += data
        if self.rows.get(self._section) and self.rows[self._section][-1]:
            self.rows[self._section][-1][-1] += data


def report(tmp_path, *results, plan=PLAN):
    """Run the tool over these results (text: written as it is); the process and its page."""
    (tmp_path / "plan" / "ntrace").mkdir(parents=True)
    (tmp_path / "plan" / "ntrace" / "plan.toml").write_text(plan)
    for number, result in enumerate(results):
        folder = tmp_path / "results" / "main" / str(number)
        folder.mkdir(parents=True)
        (folder / "result.json").write_text(result if isinstance(result, str) else json.dumps(result))
    done = run("report", f"IN={tmp_path}/results", f"PLAN={tmp_path}/plan", f"OUT={tmp_path}/out")
    assert "Traceback" not in done.stderr
    return done, Page((tmp_path / "out" / "index.html").read_text())


def changed(**changes):
    return {**copy.deepcopy(GOOD), **changes}


def failing():
    failure = {"clause": "NT-4", "headline": "message 17 is wrong", "text": TEXT, "rerun": ""}
    return changed(name="r7", source="random", seed=7, verdict="FAIL", clauses={"NT-4": [9, 1]}, failures=[failure])
