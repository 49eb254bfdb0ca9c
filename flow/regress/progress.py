# SPDX-License-Identifier: Apache-2.0
"""What is said while the seeds of a regression end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rvtrace.flow import progress
from rvtrace.flow.jobs import trouble
from rvtrace.flow.regress.buckets import Seen
from rvtrace.flow.regress.folder import key_of
from rvtrace.jobs.job import Job


class Progress:
    """Counts the seeds that are done, of each system; the first failure of each kind is printed in full."""

    def __init__(self, jobs: list[Job], kept: Mapping[str, Mapping[str, Any]]) -> None:
        mine = [kept[key_of(job)] for job in jobs if key_of(job) in kept]
        bad = sum(result["verdict"] != "PASS" for result in mine)
        self.failed: list[dict[str, Any]] = []
        self._of = {ip: sum(job.ip == ip for job in jobs) for ip in dict.fromkeys(job.ip for job in jobs)}
        self._done = {ip: sum(result["ip"] == ip for result in mine) for ip in self._of}
        self._seen = Seen()
        self._shown = progress.Progress(
            len(jobs), "seeds", done=len(mine), failed=bad, bad="not passed", now=self._systems
        )

    def __enter__(self) -> Progress:
        self._shown.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._shown.close()

    @property
    def bad(self) -> int:
        """Seeds that did not pass."""
        return self._shown.failed

    def tell(self, result: dict[str, Any]) -> None:
        """Count a result; the first failure of each kind is printed in full."""
        bad = result["verdict"] != "PASS"
        self._shown.step(bad)
        self._done[result["ip"]] += 1
        if bad:
            self.failed.append(result)
            if self._seen.new(result):
                print(trouble(result), flush=True)

    def line(self) -> str:
        """How far it is."""
        return self._shown.line()

    def _systems(self) -> str:
        return "  ".join(f"{ip} {self._done[ip]}/{of}" for ip, of in self._of.items()) if len(self._of) > 1 else ""
