# SPDX-License-Identifier: Apache-2.0
"""What is said while the runs of a DUT end, and while they do not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rvtrace.flow import progress
from rvtrace.flow.jobs import line, trouble
from rvtrace.flow.simulation import finished
from rvtrace.jobs.job import Job

_NAMES = 60  # characters of the names of clauses at the end of a line
_SHOWN = 6  # failures that are shown as they come, one of each clause


class Progress:
    """Runs of a DUT: each failure as it comes, and which runs take time now. results: of all that ended."""

    def __init__(self, total: int) -> None:
        self.results: list[dict[str, Any]] = []
        self.bad = 0
        self._clauses: set[str] = set()
        self._lots: list[list[str]] = []
        self._shown = progress.Progress(total, "runs", now=self._now)

    def __enter__(self) -> Progress:
        self._shown.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._shown.close()

    def play(self, lots: Sequence[Sequence[Job]]) -> None:
        """A simulator plays each of these lots, one run after the other; none while a build is made."""
        self._lots = [[job.name for job in lot] for lot in lots]

    def tell(self, result: dict[str, Any]) -> None:
        """One more."""
        self.results.append(result)
        self._lots = [[name for name in lot if name != result["name"]] for lot in self._lots]
        if result["verdict"] != "PASS":
            self.bad += 1
            self._failure(result)
        elif result["source"].startswith("program:"):
            print(line(result), flush=True)
        self._shown.done, self._shown.failed = len(self.results), self.bad

    def collect(self, jobs: Iterable[Job]) -> None:
        """What is on disk, and was not reported before it was stopped."""
        reported = {result["name"] for result in self.results}
        self.results += [
            result for job in jobs if job.out and job.name not in reported and (result := finished(job)) is not None
        ]

    def line(self) -> str:
        """How far it is, and what takes time now."""
        return self._shown.line()

    def _now(self) -> str:
        now = ", ".join(lot[0] for lot in self._lots if lot)
        return f"now {now}" if now else ""

    def _failure(self, result: dict[str, Any]) -> None:
        own = sorted(
            (f for f in result["failures"] if not f.get("cause")), key=lambda f: (f.get("at") is None, f.get("at"))
        )
        failing = {name for name, (_, failed) in result["clauses"].items() if failed}
        clauses = {failure["clause"] for failure in own} or failing or {str(result["error"])}
        if clauses - self._clauses and len(self._clauses) < _SHOWN:
            print(line(result), flush=True)
            print(trouble(result | {"failures": own[:1]}), flush=True)
        else:
            print(f"{line(result)}  {', '.join(sorted(clauses))[:_NAMES]}", flush=True)
        self._clauses |= clauses
