# SPDX-License-Identifier: Apache-2.0
"""What is said while the seeds of a regression end."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Mapping
from typing import Any

from rvtrace.flow.jobs import trouble
from rvtrace.flow.regress.buckets import Seen
from rvtrace.flow.regress.folder import key_of
from rvtrace.tb.common.job import Job

_LEAST = 10  # seeds between two lines, away from a terminal


class Progress:
    """Counts what is done and says so: on a terminal in one line that changes, elsewhere in a line now and then."""

    def __init__(self, jobs: list[Job], kept: Mapping[str, Mapping[str, Any]]) -> None:
        mine = [kept[key_of(job)] for job in jobs if key_of(job) in kept]
        self.seeds, self.done, self.bad = len(jobs), len(mine), sum(result["verdict"] != "PASS" for result in mine)
        self.failed: list[dict[str, Any]] = []
        self._before, self._begin = self.done, time.perf_counter()
        self._of = {ip: sum(job.ip == ip for job in jobs) for ip in dict.fromkeys(job.ip for job in jobs)}
        self._done = {ip: sum(result["ip"] == ip for result in mine) for ip in self._of}
        self._seen = Seen()
        self._every = max(_LEAST, self.seeds // 50)

    def tell(self, result: dict[str, Any]) -> None:
        """Count a result; the first failure of each kind is printed in full."""
        self.done += 1
        self._done[result["ip"]] += 1
        live = sys.stdout.isatty()
        if result["verdict"] != "PASS":
            self.bad += 1
            self.failed.append(result)
            if self._seen.new(result):
                print(("\r\033[K" if live else "") + trouble(result), flush=True)
        if live:
            width = shutil.get_terminal_size().columns
            print(f"\r\033[K{self.line()[: width - 1]}", end="\n" if self.done == self.seeds else "", flush=True)
        elif self.done == self.seeds or self.done % self._every == 0:
            print(self.line(), flush=True)

    def line(self) -> str:
        """How far it is."""
        spent, new = time.perf_counter() - self._begin, self.done - self._before
        words = [f"{self.done} of {self.seeds} seeds, {self.bad} not passed, {_clock(spent)}"]
        if self.done < self.seeds and new:
            words.append(f"about {_clock(spent / new * (self.seeds - self.done))} to go")
        each = "  ".join(f"{ip} {self._done[ip]}/{of}" for ip, of in self._of.items())
        return ", ".join(words) + (f"  ({each})" if len(self._of) > 1 else "")


def _clock(seconds: float) -> str:
    hours, rest = divmod(round(seconds), 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"
