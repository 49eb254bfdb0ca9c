# SPDX-License-Identifier: Apache-2.0
"""What a check of a captured trace means clause by clause, without writing a report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rvtrace.flow.captured.judge import Judged
from rvtrace.jobs.results import kept
from rvtrace.report.compliance_model import Compliance, Subject, judge
from rvtrace.scoreboards.common.clauses import Clause


def compliance_of(name: str, judged: Judged) -> Compliance:
    """The report of a check, without writing it."""
    return judge(subject_of(name, judged, {}), [result_of(name, judged)], [])


def subject_of(name: str, judged: Judged, digests: dict[str, str]) -> Subject:
    """What was tested, in the words of the report. digests: hashes of its files by name."""
    files, retired, verdict, part = judged.files, judged.retired, judged.verdict, judged.part
    config = files.config
    stats = verdict.stats
    about = {
        "Trace": f"{files.trace.name}, {part or f'{files.size:,} bytes'}",
        "Program": f"{files.elf.name if files.elf else '-'}, RV{config.xlen}",
        "Options": files.system.described(config),
        "Retire stream": f"{len(retired):,} events" if retired is not None else "not given: what needs it is NOT-RUN",
        "Decoded": f"{int(stats.get('reported', 0)):,} instructions in {int(stats.get('messages', 0)):,} messages",
        "Checked as": (
            f"legal{', lossless' if retired is not None else ', and what decoding alone can show'}; without a simulator"
        ),
    }
    if verdict.notes:
        about["Read as"] = "; ".join(verdict.notes)
    variant = files.captured.variant(config)
    clauses = files.system.plan.clauses.values() if files.system.plan else ()
    not_run = files.captured.not_run(verdict.book.results())
    of_ports = files.captured.compared == "ports"
    return Subject(
        name,
        files.system.ip,
        f"{files.system.title} trace",
        about,
        {
            c.id: why
            for c in clauses
            if c.id not in verdict.book.failed and (why := _not_applicable(c, variant, config.to_dict()))
        },
        {
            c.id: next((why for check, why in not_run.items() if check in c.checks), "")
            or _not_run(c, retired is not None, of_ports)
            for c in clauses
        },
        digests,
        {variant},
    )


def _not_applicable(clause: Clause, variant: str, options: Mapping[str, Any]) -> str:
    """Why a captured trace cannot be checked against a clause; empty if one can. A clause about a part beside the
    device, such as a transport, is not about a trace with another one.
    """
    if clause.variants and variant not in clause.variants:
        return f"holds in {' and '.join(clause.variants)}, the trace is {variant}"
    if clause.subject and (lacks := clause.lacks(options)):
        return f"{lacks}; the trace has another {clause.subject}"
    if clause.checks and not clause.of_device:
        return "about models and tools, not about a device"
    return clause.free


def _not_run(clause: Clause, has_retired: bool, of_ports: bool) -> str:
    """Why a clause that no check counted was not checked. of_ports: whether lossless checks compare with the ports."""
    by = set(clause.checks)
    if by & {"legal", "transport", "verify"} or (has_retired and "lossless" in by and not of_ports):
        return "the trace did not meet it"
    if clause.through:
        return (
            "summarizes a situation that this trace did not meet"
            if has_retired
            else "summarizes a situation of the hart, which only the retire stream shows; give RETIRED="
        )
    if "lossless" in by and of_ports:
        return "compares the trace with what was on the ports; `make check DUT=` sees them"
    if "lossless" in by:
        return "compares the trace with what the hart did; give RETIRED="
    return "is about the ports; `make check DUT=` sees them"


def _unit(judged: Judged) -> str:
    """What the share that was judged is a share of."""
    if judged.retired is not None:
        return "instructions"
    return judged.files.captured.unit


def result_of(name: str, judged: Judged) -> dict[str, Any]:
    """The result.json dict of the check; a trace that fits the program badly, or encodes too much, says so as a
    problem.
    """
    files, verdict = judged.files, judged.verdict
    problems = [judged.problem] if judged.problem else []
    return {
        "ip": files.system.ip,
        "name": name,
        "source": f"trace:{files.trace.name}",
        "sim": "none",
        "drive": "file",
        "seed": None,
        "config": files.config.to_dict(),
        "verdict": "PASS" if verdict.passed else "FAIL",
        "error": None,
        "clauses": verdict.book.results(),
        "failures": kept(verdict.failures),
        "coverage": {},
        "stats": {key: verdict.stats[key] for key in ("judged", "instructions") if "judged" in verdict.stats},
        "unit": _unit(judged),
        "rerun": judged.rerun,
        "problems": problems,
    }
