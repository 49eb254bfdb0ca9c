# SPDX-License-Identifier: Apache-2.0
"""Results, waivers and a small plan for the tests of the compliance report."""

from datetime import date
from pathlib import Path

from rvtrace.report.compliance import Compliance, Subject, Waiver, write

TODAY = date(2026, 3, 1)
PLAN = """
[clause."NT-1"]
section = "8.3"
level = "shall"
what = "HIST <polarity>"
tests = ["random"]
[clause."NT-4"]
section = "9.2"
level = "shall"
what = "a return is implicit"
[clause."NT-5"]
section = "9.2"
level = "should"
what = "both of them"
through = ["NT-1", "NT-4"]
[clause."NT-15"]
section = "8.7"
level = "may"
what = "timestamps"
status = "later"
reason = "comes with timestamps"
"""
TEXT = (
    "FAIL NT-4  message 17 is <wrong>\n  fields    field  expected  actual\n            I-CNT  12        13 <\n  rerun "
    "    make run SEED=7"
)
FAILURE = {"clause": "NT-4", "headline": "message 17 is <wrong>", "text": TEXT, "rerun": "make run SEED=7"}


def result(seed: int | None = 1, source: str = "random", **changes) -> dict:
    """A run that passed, but for the changes."""
    return {
        "ip": "ntrace",
        "name": f"r{seed}",
        "source": source,
        "sim": "verilator",
        "drive": "bulk",
        "seed": seed,
        "config": {},
        "verdict": "PASS",
        "error": None,
        "clauses": {"NT-1": [100, 0], "NT-4": [10, 0], "NT-5": [110, 0]},
        "failures": [],
        "coverage": {},
        "stats": {},
        "rerun": f"make run SEED={seed}",
        **changes,
    }


def failing(seed: int = 7) -> dict:
    """A run that breaks NT-4, and NT-5 through it."""
    return result(seed, verdict="FAIL", clauses={"NT-1": [50, 0], "NT-4": [9, 2], "NT-5": [59, 2]}, failures=[FAILURE])


def broken(seed: int = 9) -> dict:
    """A run that ended in an error."""
    return result(seed, verdict="ERROR", clauses={}, error="the simulator aborted\nin cycle 12")


def waiver(clause: str = "NT-4", day: date = date(2026, 12, 31)) -> Waiver:
    """A waiver of a clause until a day."""
    return Waiver(clause, "fixed in rev B", "A. Meier", day)


def made(
    folder: Path,
    *results: dict,
    waivers: tuple[Waiver, ...] = (),
    na: dict[str, str] | None = None,
    name: str = "acme",
    plan: str = PLAN,
) -> Compliance:
    """The report of these results, written into folder/out."""
    plans = folder / "plans"
    (plans / "ntrace").mkdir(parents=True, exist_ok=True)
    (plans / "ntrace" / "plan.toml").write_text(plan)
    subject = Subject(name, "ntrace", "N-Trace", {"Top": "acme_top", "Options": "<HTM>"}, na or {})
    return write(subject, results, waivers, folder / "out", TODAY, plans)


def verdicts(compliance: Compliance) -> dict[str, str]:
    """Verdict of each clause."""
    return {row.id: row.verdict for row in compliance.rows}
