# SPDX-License-Identifier: Apache-2.0
"""`make check DUT=`: a DUT in the testbench. Programs, directed scenarios and random seeds that apply to what it
claims, then a compliance report.

    make check DUT=acme SIM=verilator SEEDS=20 K=sort OUT=out

Leaves OUT/index.html, compliance.json and junit.xml, and below OUT/runs the result of each run. Exits 0 if the report
says PASS. Ctrl-C or SIGTERM ends it with the report of the runs that are done, which is never a PASS, and exit code
130.
"""

from __future__ import annotations

from pathlib import Path

from rvtrace.flow import failing_page
from rvtrace.flow.dut.check import check
from rvtrace.flow.dut.description import Dut
from rvtrace.flow.jobs import tolerances
from rvtrace.jobs import systems
from rvtrace.jobs.arguments import parse, short
from rvtrace.report import compliance as compliance_report
from rvtrace.report import goals as plan_goals
from rvtrace.report import junit, signoff
from rvtrace.report.dut import write_report
from rvtrace.report.viewer_failing import write

WORDS = {
    "DUT": "name of a folder below examples, or a folder with a dut.toml",
    "SIM": "verilator (default) or icarus",
    "SEEDS": "random seeds, default 20",
    "FIRST": "the first seed, default 1",
    "K": "part of a name, or several joined by commas: only those runs",
    "FAST": "1: Verilator builds without optimization, for a first look; its runs take longer",
    "JUNIT": junit.WORD,
    "GOALS": plan_goals.WORD,
    "SIGN": signoff.WORD,
    "OUT": "folder of report and results, default build/results/dut/<name>-<simulator>",
    "N": "processes, default 2",
}
PRINTED = 10  # findings in the terminal; the report has all
_INTERRUPTED = 130  # exit code of what Ctrl-C ended


def known(argv: list[str]) -> dict[str, str]:
    """The words of this command, with the tolerances of the IP that these name."""
    return {**WORDS, **_tolerances(argv)}


def _tolerances(argv: list[str]) -> dict[str, str]:
    """The tolerances of the system that DUT= is for, as words: instead of those of its [profile]."""
    where = next((word[4:] for word in argv if word.startswith("DUT=") and word[4:]), "")
    if not where:
        return {}
    return tolerances(systems.bench(Dut.load(where).ip))


def main(argv: list[str]) -> int:
    """0 for PASS, 1 for FAIL, 130 if it was stopped."""
    given = parse(argv, known(argv), __doc__ or "", ("OUT", "JUNIT"))
    goals = plan_goals.read(Path(given["GOALS"])) if "GOALS" in given else []
    failing_page.made_by(write)
    checked = check(given)
    compliance, page = write_report(checked, goals), short(checked.out / "index.html")
    if "JUNIT" in given:
        junit.write(compliance_report.junit(compliance), Path(given["JUNIT"]))
    if "SIGN" in given:
        signoff.sign(checked.out, Path(given["SIGN"]))
    if checked.stopped:
        far = f"{len(checked.results)} of {checked.total} runs"
        print(f"\nstopped: {far} are done, and the report of these is in {page}", flush=True)
        return _INTERRUPTED
    found = compliance.found("FAIL")
    if found:
        print("\nfindings, causes first:")
    for number, finding in enumerate(found[:PRINTED], 1):
        print(f"{number:>3}. {finding.line()}")
    print(f"\n{compliance.verdict}  {compliance.sentence}")
    print(f"report: {page}")
    return compliance.exit_code
