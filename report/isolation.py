# SPDX-License-Identifier: Apache-2.0
"""Whether the findings of a run name the deviations that were on (flow/faults/devices.py), and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rvtrace.flow.faults.devices import Experiment
from rvtrace.flow.faults.rows import Fault
from rvtrace.report.compliance_model import Compliance, Subject, judge

LOOKED_AT = 5  # findings that a reader looks at
SINGLE, SEVERAL = 0.95, 0.80  # share of the experiments in which all must be named


@dataclass(frozen=True)
class Isolation:
    """An experiment and what the report said.

    findings: a line each, causes first. named: the deviations that the findings looked at name; with one deviation only
    the first finding counts. others: findings that name none of the deviations that were on.
    """

    experiment: Experiment
    verdict: str
    findings: tuple[str, ...]
    named: tuple[str, ...]
    others: tuple[str, ...]

    @property
    def complete(self) -> bool:
        """Every deviation is named; without one: PASS."""
        return len(self.named) == len(self.experiment.rows) and (bool(self.experiment.rows) or self.verdict == "PASS")

    @property
    def clean(self) -> bool:
        """Complete, and no finding is about something else."""
        return self.complete and not self.others

    def line(self) -> str:
        """One line, and the first findings if it is not as it should be."""
        missing = [row.name for row in self.experiment.rows if row.name not in self.named]
        state = "ok" if self.clean else "named" if self.complete else "MISSED"
        text = f"{state:<7} {self.experiment.name:<60} {len(self.findings)} finding{'s' * (len(self.findings) != 1)}"
        if self.clean:
            return text
        why = f"not named: {', '.join(missing)}" if missing else f"also: {'; '.join(self.others)}"
        shown = "".join(f"\n          {number}. {said}" for number, said in enumerate(self.findings[:LOOKED_AT], 1))
        return f"{text}; {why if self.experiment.rows else self.verdict}{shown}\n          {self.experiment.rerun}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "device": self.experiment.device.name,
            "deviations": [row.name for row in self.experiment.rows],
            "kinds": [row.why for row in self.experiment.rows],
            "verdict": self.verdict,
            "findings": list(self.findings),
            "named": list(self.named),
            "others": list(self.others),
        }


def isolation(experiment: Experiment, results: Sequence[Mapping[str, Any]]) -> Isolation:
    """The findings of the runs, compared with the deviations that were on."""
    dut = experiment.device.dut
    report = judge(Subject(dut.name, dut.ip, dut.title), results)
    found = _findings(report)
    looked_at = found[:1] if len(experiment.rows) == 1 else found[:LOOKED_AT]
    named = tuple(row.name for row in experiment.rows if any(_names(row, *finding) for finding in looked_at))
    others = tuple(
        line.split(" (")[0]
        for line, *finding in _lined(found)
        if not any(_names(row, *finding) for row in experiment.rows)
    )
    return Isolation(experiment, report.verdict, tuple(line for line, *_ in _lined(found)), named, others)


def _findings(report: Compliance) -> list[tuple[str, str]]:
    """(clause, text) of each finding, then of each run that broke."""
    return [(one.id, f"{one.line()}\n{one.text()}") for one in report.found("FAIL")] + [
        ("", f"run {one.run} ended in an error: {one.error}") for one in report.broken
    ]


def _lined(found: Iterable[tuple[str, str]]) -> Iterable[tuple[str, str, str]]:
    return ((text.splitlines()[0], clause, text) for clause, text in found)


def _names(row: Fault, clause: str, text: str) -> bool:
    return clause in row.clauses or bool(row.says and re.search(row.says, text))


def figures(found: Sequence[Isolation]) -> list[str]:
    """A line for the devices without a deviation, one for single deviations, one for several."""
    lines = []
    for title, rows, wanted in _groups(found):
        if rows:
            good = sum(one.complete for one in rows)
            clean = sum(one.clean for one in rows)
            lines.append(
                f"{title}: {good} of {len(rows)} ({good / len(rows):.0%}; wanted {wanted:.0%});"
                f" without any other finding {clean} ({clean / len(rows):.0%})"
            )
    return lines


def reached(found: Sequence[Isolation]) -> bool:
    """Whether each share is as wanted."""
    return all(sum(one.complete for one in rows) >= wanted * len(rows) for _, rows, wanted in _groups(found))


def _groups(found: Sequence[Isolation]) -> list[tuple[str, list[Isolation], float]]:
    return [
        ("no deviation, PASS", [one for one in found if not one.experiment.rows], 1.0),
        (
            "one deviation, named by the first finding",
            [one for one in found if len(one.experiment.rows) == 1],
            SINGLE,
        ),
        (
            f"several deviations, all named by the first {LOOKED_AT} findings",
            [one for one in found if len(one.experiment.rows) > 1],
            SEVERAL,
        ),
    ]
