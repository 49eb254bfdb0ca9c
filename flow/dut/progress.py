# SPDX-License-Identifier: Apache-2.0
"""What is said while the runs of a DUT end, and while they do not."""

from __future__ import annotations

import shutil
import sys
import threading
import time
from collections.abc import Iterable, Sequence
from typing import Any

from rvtrace.flow.jobs import line, trouble
from rvtrace.flow.simulation import finished
from rvtrace.tb.common.job import Job

_EVERY = 5.0  # seconds between two lines about the progress
_QUIET = 20.0  # seconds without a line, away from a terminal, before it is said what takes so long
_NAMES = 60  # characters of the names of clauses at the end of a line
_SHOWN = 6  # failures that are shown as they come, one of each clause


class Progress:
    """What is said while runs end, and while they do not: on a terminal in a last line that changes. results: of all
    that ended.
    """

    def __init__(self, total: int) -> None:
        self.total = total
        self.results: list[dict[str, Any]] = []
        self.bad = 0
        self._clauses: set[str] = set()
        self._begun = self._said = time.monotonic()
        self._lots: list[list[str]] = []
        self._building = ""
        self._live = sys.stdout.isatty()
        self._lock, self._over = threading.RLock(), threading.Event()
        self._clock = threading.Thread(target=self._tick, daemon=True)

    def __enter__(self) -> Progress:
        self._clock.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._clock.join()
        self._print(end="")

    def begin(self, what: str, count: int) -> None:
        """A build with its runs."""
        with self._lock:
            self._building, self._lots = what, []
            self._print(f"build     {what}, then {count} run{'s' * (count != 1)}")

    def play(self, lots: Sequence[Sequence[Job]]) -> None:
        """The build is there; a simulator plays each of these lots, one run after the other."""
        with self._lock:
            self._building, self._lots = "", [[job.name for job in lot] for lot in lots]

    def tell(self, result: dict[str, Any]) -> None:
        """One more."""
        with self._lock:
            self.results.append(result)
            self._lots = [[name for name in lot if name != result["name"]] for lot in self._lots]
            if result["verdict"] != "PASS":
                self.bad += 1
                self._failure(result)
            elif result["source"].startswith("program:"):
                self._print(line(result))
            if len(self.results) == self.total or not self._live and time.monotonic() - self._said > _EVERY:
                self._said = time.monotonic()
                self._print(self.line())

    def collect(self, jobs: Iterable[Job]) -> None:
        """What is on disk, and was not reported before it was stopped."""
        reported = {result["name"] for result in self.results}
        self.results += [
            result for job in jobs if job.out and job.name not in reported and (result := finished(job)) is not None
        ]

    def line(self) -> str:
        """How far it is, and what takes time now."""
        now = ", ".join(lot[0] for lot in self._lots if lot)
        doing = f"building {self._building}" if self._building else f"now {now}" if now else ""
        return (
            f"{len(self.results):>5} of {self.total} runs, {self.bad} failed, {time.monotonic() - self._begun:.0f} s"
            + (f"; {doing}" if doing else "")
        )

    def _tick(self) -> None:
        while not self._over.wait(1.0):
            with self._lock:
                if self._live:
                    print(f"\r\033[K{self.line()[: shutil.get_terminal_size().columns - 1]}", end="", flush=True)
                elif time.monotonic() - self._said > _QUIET:
                    self._said = time.monotonic()
                    self._print(self.line())

    def _print(self, text: str = "", end: str = "\n") -> None:
        """A line that stays, in place of the one that changes."""
        print(("\r\033[K" if self._live else "") + text, end=end, flush=True)

    def _failure(self, result: dict[str, Any]) -> None:
        own = sorted(
            (f for f in result["failures"] if not f.get("cause")), key=lambda f: (f.get("at") is None, f.get("at"))
        )
        failing = {name for name, (_, failed) in result["clauses"].items() if failed}
        clauses = {failure["clause"] for failure in own} or failing or {str(result["error"])}
        if clauses - self._clauses and len(self._clauses) < _SHOWN:
            self._print(line(result))
            self._print(trouble(result | {"failures": own[:1]}))
        else:
            self._print(f"{line(result)}  {', '.join(sorted(clauses))[:_NAMES]}")
        self._clauses |= clauses
